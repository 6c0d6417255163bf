// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_TOPIC_CONTRAST_IPP
#define DPLDA_EVALUATION_DETAIL_TOPIC_CONTRAST_IPP

// Bodies of evaluation/topic_contrast.hpp, which has their claim, argument and test.

#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/topic_contrast.hpp>

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE corpus documents_without_topics(const topic_model<>& model, std::size_t documents, double length,
                                             random_source& random) {
  detail::require(length > 0 && length <= 1e9, "documents_without_topics", "length", length, "must be in (0, 1e9]");
  const Eigen::VectorXd mean = model.phi().colwise().mean();
  const detail::discrete_sampler word(std::span(mean.data(), model.words()));
  const random_source source = random.fork();
  corpus_builder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    auto bits = source.stream("document without topics", d);
    const std::uint64_t tokens = std::max<std::uint64_t>(1, detail::poisson(bits, length));
    for (std::uint64_t i = 0; i < tokens; ++i) builder.add(static_cast<word_id>(word(bits)));
    builder.end_document();
  }
  std::vector<user_id> owners(documents);
  std::iota(owners.begin(), owners.end(), user_id{0});
  builder.set_users(std::move(owners), documents);
  // Of made-up documents nobody has released words before: a learner may choose from them again.
  const bool released = model.vocab()->origin() == word_origin::released;
  return detail::with_pruning(
      builder.build(released ? detail::with_origin(*model.vocab(), word_origin::documents) : model.vocab()),
      pruning::none);
}

}  // namespace dplda::inline v0_1

#endif
