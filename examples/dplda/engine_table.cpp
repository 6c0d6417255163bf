// SPDX-License-Identifier: Apache-2.0
// The engines that the program knows. A new learner is one more line of the table.
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/spectral/spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/pipeline/any_private_learner.hpp>

#include <algorithm>
#include <utility>

#include "engines.hpp"

namespace dplda_program {

namespace {

/// An engine made of its private learner and of the learner for fits without privacy.
template <dplda::PrivateLearner Learner, class Plain>
engine learns(const char* name, const char* help) {
  using learner_options = typename Learner::options_type;
  constexpr bool takes_public_text = requires(learner_options o) { o.public_texts; };
  return {name, help, takes_public_text,
          [](const learning_options& asked, dplda::privacy_unit unit,
             const dplda::vocabulary_ptr& words) -> dplda::any_private_learner {
            learner_options options{};
            options.topics = asked.topics;
            options.units = asked.units();
            options.unit = unit;
            options.threads = asked.threads;
            if constexpr (takes_public_text) {
              options.public_texts = asked.public_texts;
              options.public_topics = asked.public_topics;
              options.earlier = asked.earlier;
              options.memory = asked.memory;
              if (asked.earlier && !asked.earlier->disjoint()) {
                // How many words were released is a result of `before`, so the plan is for another number.
                options.before = asked.earlier->value().ledger();
                options.words = std::max<std::size_t>(asked.topics, 3000);
                return Learner(std::move(options), {asked.epsilon, asked.delta()}).for_words(words->size());
              }
            }
            return dplda::plan_learner<Learner>(std::move(options), words, {asked.epsilon, asked.delta()},
                                                asked.longest_phrase);
          },
          [](const learning_options& asked, const dplda::corpus& docs, dplda::random_source& random,
             const dplda::observer& watch) -> dplda::topic_model<> {
            const auto told = [&](const dplda::progress& done, const auto&...) { return watch && watch(done); };
            return Plain({.topics = asked.topics, .threads = asked.threads}).fit(docs, random, told);
          }};
}

}  // namespace

const std::vector<engine>& engines() {
  static const std::vector<engine> all{
      learns<dplda::private_svi, dplda::svi<>>("svi", "variational inference, the best for most texts"),
      learns<dplda::private_gibbs, dplda::gibbs<>>("gibbs", "sampling"),
      learns<dplda::private_spectral, dplda::spectral<>>("spectral", "the method of moments, for a few hundred words"),
  };
  return all;
}

}  // namespace dplda_program
