// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_AUDIT_AUDITED_SELECTORS_HPP
#define DPLDA_TESTS_AUDIT_AUDITED_SELECTORS_HPP

// Attacks on the selection of words, alone and before private topics, and on broken ones.

#include <dplda/pipeline/fully_private_topics.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include "self_audit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace dplda_tests {

// So many documents have w0 as their only word that the canary, one more, decides whether w0 is released.

inline bool shows_w0(const dplda::vocabulary& words) { return words.find("w0").has_value(); }

/// Documents of w0, and one more of w0 and w1 if `index` is odd, which gives w0 the half, or its root.
inline neighbouring_corpora documents_of_w0(std::size_t index) { return {index / 2, 0, 1, index % 2}; }

/// The index at which the attack is strongest: averaged over both cases, w0 is released half of the time.
inline std::size_t index_at_threshold(const dplda::vocabulary_selector& selector) {
  const std::size_t step = selector.options().words_per_unit == 1 ? 2 : 1;  // a document has only one word
  auto random = dplda::seeded_random(5);
  const auto places = static_cast<std::size_t>(4 * selector.plan().rounds.back().threshold()) + 4;
  constexpr std::size_t tries = 5000;
  std::size_t low = 0, high = places / step, shown_low = 0, shown_high = tries;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    const neighbouring_corpora docs = documents_of_w0(middle * step);
    std::size_t shown = 0;
    for (std::size_t i = 0; i < tries; ++i) shown += shows_w0(*selector.fit(docs[i % 2 == 0], random).value());
    (2 * shown < tries ? low : high) = middle;
    (2 * shown < tries ? shown_low : shown_high) = shown;
  }
  return (shown_low + shown_high > tries ? low : high) * step;  // the nearer to a half
}

/// noisy = false: the selector has almost no noise, for a budget of 200 with the claim of `total`. (Its threshold is
/// that of its noise, as for every selector; the attack adapts to it.)
inline audit_case selector_case(const std::string& name, dplda::vocabulary_method method, bool noisy,
                                const dplda::budget& total) {
  using enum dplda::vocabulary_method;
  const bool weighted = method != count_laplace && method != frequency_first;
  const dplda::vocabulary_options options{.method = method, .words_per_unit = weighted ? 2u : 1u, .threads = 1};
  const dplda::vocabulary_selector claimed(options, total);
  const auto selector = std::make_shared<const dplda::vocabulary_selector>(
      options, dplda::budget{noisy ? total.epsilon : 200, total.delta});
  const auto docs = std::make_shared<const neighbouring_corpora>(documents_of_w0(index_at_threshold(*selector)));
  return {.learner = name,
          .flaw = noisy ? "" : "no noise on the counts",
          .claim = claimed.guarantee(),
          .spent = claimed.plan().ledger,
          .run =
              [=](bool with, dplda::random_source& random) {
                return shows_w0(*selector->fit((*docs)[with], random).value()) ? 1.0 : 0.0;
              },
          .threshold = 0.5,
          // Laplace weights come in halves, which is coarse beside the noise of a large epsilon.
          .one_release = noisy && (method == weighted_gaussian || method == policy_gaussian)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Words, then topics. Nearly all of the budget goes to the part that is attacked.

enum class attacked_part {
  words,             ///< w0 is at the threshold
  topics,            ///< w0 is well above it, and its probability is the score
  words_as_they_are  ///< broken: all words of the corpus are released, and only the canary has w0
};

/// The words of the documents, chosen without a selector and falsely declared to be public.
inline dplda::vocabulary_ptr words_in(const dplda::corpus& docs) {
  std::vector<bool> there(docs.words(), false);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (const dplda::word_id word : docs[d].words) there[word] = true;
  }
  dplda::vocabulary_builder words;
  for (dplda::word_id word = 0; word < there.size(); ++word) {
    if (there[word]) words.add(docs.vocab()->word(word));
  }
  return dplda::declare_public(words.build());
}

/// The learner is planned anew in each run, with zCDP because it is fast. Its claim is a fifth above what other
/// accountants would prove, so audits end further below it.
inline audit_case pipeline_case(attacked_part part, const dplda::budget& total) {
  using learner_type = dplda::fully_private_topics<dplda::private_svi>;
  const bool topics = part == attacked_part::topics, broken = part == attacked_part::words_as_they_are;
  const auto learner = std::make_shared<const learner_type>(
      learner_type::options_type{
          .vocabulary = {.method = dplda::vocabulary_method::weighted_gaussian, .words_per_unit = 1, .threads = 1},
          .topics = {.topics = 1,
                     .units = 100,
                     .steps = 1,
                     .background_share = 0.05,
                     .word_weight = 0,
                     .accountant = dplda::accountant::zcdp,
                     .threads = 1},
          .vocabulary_share = topics ? 0.3 : 0.9},
      total);
  const dplda::sparse_histogram_plan& round = learner->plan().vocabulary.rounds[0];
  const double margin = topics ? 4 * round.options().noise_multiplier : 0;
  const auto of_w0 = broken ? 0 : static_cast<std::size_t>(std::max(1.0, std::round(round.threshold() - 0.5 + margin)));
  const auto docs = std::make_shared<const neighbouring_corpora>(of_w0, 4 * std::max<std::size_t>(2, of_w0), 4);
  const scored_run run = [=](bool with, dplda::random_source& random) {
    if (broken) {  // private topics of all words that there are
      const dplda::vocabulary_ptr words = words_in((*docs)[with]);
      dplda::private_svi::options_type options = learner->options().topics;
      options.words = words->size();
      options.before = {};
      const auto topics_of_all = dplda::private_svi(options, total).fit((*docs)[with].restrict_to(words), random);
      return shows_w0(*topics_of_all.value().vocab()) ? 1.0 : -1.0;
    }
    const auto released = learner->fit((*docs)[with], random);
    const auto word = released.value().vocab()->find("w0");
    if (!word) return -1.0;
    return topics ? released.value().phi()(0, static_cast<Eigen::Index>(*word)) : 1.0;
  };
  return {.learner = topics ? "fully_private_topics, its topics" : "fully_private_topics, its words",
          .flaw = broken ? "words as they are" : "",
          .claim = learner->guarantee(),
          .spent = learner->plan().ledger,
          .run = run,
          .threshold = topics ? pilot_threshold(run, 1000, 78) : 0,
          .most_runs = 60000};
}

inline std::vector<case_maker> pipeline_cases() {
  return {[](const dplda::budget& b) { return pipeline_case(attacked_part::words, b); },
          [](const dplda::budget& b) { return pipeline_case(attacked_part::topics, b); }};
}

/// All selectors, without flaws.
inline std::vector<case_maker> selector_cases() {
  using enum dplda::vocabulary_method;
  const auto of = [](const char* name, dplda::vocabulary_method method) {
    return [=](const dplda::budget& b) { return selector_case(name, method, true, b); };
  };
  return {of("informed_rounds", informed_rounds),     of("rounds", rounds),
          of("weighted_gaussian", weighted_gaussian), of("weighted_laplace", weighted_laplace),
          of("count_laplace", count_laplace),         of("policy_gaussian", policy_gaussian),
          of("policy_laplace", policy_laplace),       of("frequency_first", frequency_first)};
}

inline std::vector<case_maker> broken_selector_cases() {
  using enum dplda::vocabulary_method;
  return {[](const dplda::budget& b) { return selector_case("weighted_gaussian", weighted_gaussian, false, b); },
          [](const dplda::budget& b) { return selector_case("weighted_laplace", weighted_laplace, false, b); },
          [](const dplda::budget& b) { return pipeline_case(attacked_part::words_as_they_are, b); }};
}

}  // namespace dplda_tests

#endif
