// SPDX-License-Identifier: Apache-2.0
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/spectral/spectral.hpp>
#include <dplda/inference/svi/svi.hpp>

#include "engines.hpp"

namespace dplda_program {

dplda::topic_model<> fit_without_privacy(const learning_options& options, const dplda::corpus& docs,
                                         dplda::random_source& random, const dplda::observer& watch) {
  const auto told = [&](const dplda::progress& done, const auto&...) { return watch && watch(done); };
  if (options.engine == "gibbs")
    return dplda::gibbs({.topics = options.topics, .threads = options.threads}).fit(docs, random, told);
  if (options.engine == "spectral")
    return dplda::spectral({.topics = options.topics, .threads = options.threads}).fit(docs, random, told);
  return dplda::svi({.topics = options.topics, .threads = options.threads}).fit(docs, random, told);
}

}  // namespace dplda_program
