// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PIPELINE_FULLY_PRIVATE_TOPICS_HPP
#define DPLDA_PIPELINE_FULLY_PRIVATE_TOPICS_HPP

// Formulas, arguments, options and limits: pipeline/README.md

// Claim: what fit() returns, the topics and the words that they are made of, is (epsilon, delta)-DP for the unit of the
//   plan, one unit more or less, with the epsilon and delta of guarantee(), which is known before a document is read.
// Preconditions: options and budget are public, and were fixed before anything of topics.before was seen (otherwise see
//   mechanisms/detail/premises.hpp). Each document was prepared by itself, by public rules: tokens were cut
//   and stop words dropped, but no word was pruned by how many documents contain it (text_options.min_documents,
//   max_document_share; privacy_units checks this for corpora that this library reads). Nobody sees anything of the run
//   but the release and, between the two halves, the words.
// Argument: Algorithm 1 of Manzonelli et al. 2024 in four steps.
//   1. Preparing documents is, by the precondition, a map of each by itself: 1-stable, that is neighbours become
//      neighbours, for documents as for users.
//   2. The words are a release of vocabulary_selector, or, with phrases, of phrase_selector. Placeholders for lack of words
//      are added to what was released.
//   3. Given the words, corpus::restrict_to maps each document by itself and keeps it, with its id and user, if nothing
//      is left of it: 1-stable again. So does with_phrases (vocabulary/phrase_selector.hpp). So units are the same in both
//      stages.
//   4. The learner's claim holds for every fixed vocabulary, so also for one that was released before: a mechanism may
//      depend on earlier releases if its events do not. The learner's events do not: they follow from options that the
//      plan has fixed. The size of the vocabulary, which is known only now, decides the sizes of the learner's tables,
//      not their noise. This is checked before the learner reads a document.
//   5. Whoever looks at the words and stops has seen a part of what the whole fit would show, and whether there is a
//      second half depends on that part. So planned_words has the guarantee and the ledger of the whole plan.
//   6. A state of the second half is a part of what the learner's whole fit would show (private_topics.hpp). resume takes
//      it over the words of its start only, and only if its ledger is the plan's so far.
//   The ledger is thus the selector's followed by the learner's, known beforehand, and its price as a whole under one
//   accountant is the guarantee. (The paper adds epsilons, which is more; and its Lemma F.1 on stable functions is about
//   functions that seldom change, which these are not.)
// Test: tests/pipeline/fully_private_topics_test.cpp

#include <dplda/core/ordered_texts.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/private_topics/state.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/vocabulary/phrase_selector.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How words and topics are to be learned. Both parts must have the same unit; neighbours differ by one unit added or
/// removed.
template <PrivateLearner Learner>
struct fully_private_options {
  vocabulary_options vocabulary = {};
  /// Options of the learner, as for a public vocabulary. `words` is a public guess of how many will be released, or 0;
  /// a wrong one costs little utility and no privacy. `before` is what else is spent on the same data from the same
  /// budget: fix all options before any of its results is seen. `accountant` prices all of it together.
  typename Learner::options_type topics = {};
  /// The part of epsilon that the words would cost if they were released alone, with half of delta; with `before`, the
  /// part of the epsilon that it leaves. The topics get more than the rest, because nearly the squares of costs add up.
  /// 0: the default, 0.6.
  double vocabulary_share = 0;
  /// The most words in a phrase: from 2 on, phrases are chosen besides words (phrase_selector), for the same share, and
  /// documents are given as ordered_texts.
  std::size_t longest_phrase = 1;
};

/// What a fit will do and cost, decided before a document is read.
struct fully_private_plan {
  double vocabulary_share;
  vocabulary_plan vocabulary;  ///< of single words; phrases have later rounds of their own
  dplda::ledger ledger;        ///< of both stages
  dplda::guarantee guarantee;
};

/// Words that the first half of a plan released. They cost the whole plan, because whether the second half is done may
/// depend on them; so they have its guarantee and its ledger, and only the second half takes them.
class planned_words {
 public:
  const vocabulary_ptr& value() const noexcept { return chosen_.value(); }
  const dplda::guarantee& guarantee() const noexcept { return whole_.guarantee(); }
  const dplda::ledger& ledger() const noexcept { return whole_.ledger(); }

 private:
  template <PrivateLearner Learner>
  friend class fully_private_topics;

  planned_words(release<vocabulary_ptr> chosen, dplda::guarantee whole, dplda::ledger planned)
      : chosen_(std::move(chosen)), whole_(chosen_.value(), std::move(whole), marked(std::move(planned), chosen_)) {}

  static dplda::ledger marked(dplda::ledger planned, const release<vocabulary_ptr>& chosen) {
    if (chosen.ledger().seeded()) planned.mark_seeded();
    return planned;
  }

  release<vocabulary_ptr> chosen_;  // with the words' own part of the ledger, which the learner's plan contains
  release<vocabulary_ptr> whole_;
};

/// Learns topics of documents whose words are private too: chooses the words that may be shown, drops all others, and
/// learns topics from what is left. Learner is private_svi, private_gibbs, private_spectral, or one of your own
/// (inference/README.md).
///
///   const dplda::fully_private_topics<> learner({.topics = {.topics = 20, .units = 60000}},
///                                               {.epsilon = 2, .delta = 1e-6});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
///   print_topics(std::cout, released.value());
template <PrivateLearner Learner = private_svi>
class fully_private_topics {
 public:
  using options_type = fully_private_options<Learner>;

  /// Plans. Throws std::invalid_argument if units differ, if neighbours are by replacing, if the vocabulary's basis is
  /// not proven, if `vocabulary.before` is not empty, if the share is outside [0, 1), if the selector or the learner
  /// refuses its options, or if the budget cannot be met.
  fully_private_topics(options_type options, const budget& total)
      : options_(checked(std::move(options))),
        selector_({.longest = options_.longest_phrase, .selection = options_.vocabulary},
                  words_budget(options_, total)),
        learner_(planned_learner(total)),
        plan_{share(options_), selector_.plan().rounds.front().plan(), learner_.plan().ledger, learner_.guarantee()} {
    // To the learner the words are an earlier release. Here one plan fixes words and topics, so only topics.before is.
    plan_.guarantee.assumes_fixed_plans = selector_.guarantee().assumes_fixed_plans;
    options_.topics = learner_.options();
  }

  const options_type& options() const noexcept { return options_; }
  const fully_private_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }
  /// The learner as planned: fit() uses for_words(n) of it for the n words that were released.
  const Learner& learner() const noexcept { return learner_; }

  /// Chooses words and learns topics. The observer is the learner's.
  /// Throws std::invalid_argument if the unit is the user and the corpus has no users, or if two documents that are
  /// units have the same id; and, once the selection is spent, if more words were released than the learner can take.
  release<topic_model<>> fit(const divided_corpus& docs, random_source& random, const observer& watch = {}) const {
    const divided_corpus divided = docs.divided_into(options_.vocabulary.unit);
    return fit(choose_words(divided, random), divided, random, watch);
  }

  /// The same for texts, whose phrases may be chosen, too.
  release<topic_model<>> fit(const ordered_texts& texts, random_source& random, const observer& watch = {}) const {
    const planned_words chosen = choose_words(texts, random);
    return fit(chosen, documents(chosen, texts), random, watch);
  }

  /// The first half of fit: the words that may be shown. You may look at them and stop here; the whole plan counts as
  /// spent. Throws as the selector does, and std::invalid_argument if phrases are to be chosen: a corpus has lost the order
  /// of its words.
  planned_words choose_words(const divided_corpus& docs, random_source& random) const {
    detail::require(options_.longest_phrase == 1, name, "longest_phrase", options_.longest_phrase,
                    "must be 1 for a corpus, which has lost the order of words; give the texts as ordered_texts");
    return {selector_.plan().rounds.front().fit(docs, random), plan_.guarantee, plan_.ledger};
  }
  /// The same, with phrases if the options ask for them. The second half takes documents(words, texts).
  planned_words choose_words(const ordered_texts& texts, random_source& random) const {
    return {selector_.fit(texts, random), plan_.guarantee, plan_.ledger};
  }
  /// The texts over the words and phrases that were chosen from them (with_phrases), for the second half.
  corpus documents(const planned_words& chosen, const ordered_texts& texts) const {
    return with_phrases(texts, filled_up(chosen).value());
  }

  /// The second half: topics of words that choose_words released from the same corpus. If they are fewer than the topics,
  /// placeholders "(no word 1)", ... are added, so that there is always a model. Throws as fit does, and
  /// std::invalid_argument if the words are those of another plan.
  release<topic_model<>> fit(const planned_words& chosen, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const {
    require_own(chosen);
    const release<vocabulary_ptr> words = filled_up(chosen);
    return as_planned(learner_for(words.value()->size()).fit(words, docs, random, watch));
  }

  /// For learners with states (private_svi, private_gibbs): the state before the first step of the second half. Throws as
  /// fit does.
  private_topics_state start(const planned_words& chosen, const divided_corpus& docs,
                             random_source& random) const requires StatefulLearner<Learner> {
    require_own(chosen);
    const release<vocabulary_ptr> words = filled_up(chosen);
    return learner_for(words.value()->size()).start(words, docs.restrict_to(words.value()), random);
  }

  /// Does the remaining steps of the second half over these words, which the state was started with, placeholders
  /// included (words_of). Throws as the learner's resume does.
  release<topic_model<>> resume(private_topics_state& state, const vocabulary_ptr& words, const divided_corpus& docs,
                                random_source& random,
                                const observer& watch = {}) const requires StatefulLearner<Learner> {
    return as_planned(learner_for(words->size()).resume(state, docs.restrict_to(words), random, watch));
  }

  /// The words that topics are learned over: the chosen ones and, if they are fewer than topics, placeholders.
  vocabulary_ptr words_of(const planned_words& chosen) const { return filled_up(chosen).value(); }

 private:
  static constexpr const char* name = "fully_private_topics";

  void require_own(const planned_words& chosen) const {
    detail::require(std::ranges::equal(chosen.ledger().entries(), plan_.ledger.entries()), name, "the words' plan",
                    "another one", "must be this one: choose the words with choose_words of the same learner");
  }

  Learner learner_for(std::size_t words) const {
    Learner learner = learner_.for_words(words);
    if (learner.plan().ledger != plan_.ledger || learner.guarantee() != learner_.guarantee())
      throw std::logic_error("dplda::fully_private_topics: the learner's events depend on the size of the vocabulary");
    return learner;
  }

  release<topic_model<>> as_planned(release<topic_model<>> topics) const {
    dplda::ledger spent = topics.ledger();
    std::vector<std::string> remarks = topics.remarks();
    return release<topic_model<>>(std::move(topics).value(), plan_.guarantee, std::move(spent), std::move(remarks));
  }

  static options_type checked(options_type options) {
    const auto& topics = options.topics;
    detail::require(
        options.vocabulary.unit == topics.unit, name, "the vocabulary's unit", options.vocabulary.unit,
        detail::text("must be that of the topics, ", topics.unit, ": losses of different units do not add up"));
    detail::require(topics.relation == neighbours::add_remove, name, "the topics' neighbours", topics.relation,
                    "must be by adding or removing a unit, as the vocabulary's are");
    detail::require(options.vocabulary.basis == basis::proven, name, "the vocabulary's basis", "as published",
                    "must be proven: otherwise nothing is proven for both together");
    detail::require(options.vocabulary.before.empty(), name, "vocabulary.before", "not empty",
                    "must be empty: anything else that is spent goes into topics.before");
    options.vocabulary.before = topics.before;
    detail::require(options.vocabulary_share >= 0 && options.vocabulary_share < 1, name, "vocabulary_share",
                    options.vocabulary_share, "must lie in (0, 1), or be 0 for the default");
    return options;
  }

  // On tweetrumors and airtweets perplexity (where missing words count) falls up to shares of 0.7 to 0.9, for the most
  // part before 0.6 (benchmarks/papers/fdptm.sh). Long texts release their words for less, so the share is not larger.
  static double share(const options_type& options) {
    return options.vocabulary_share > 0 ? options.vocabulary_share : 0.6;
  }

  static budget words_budget(const options_type& options, const budget& total) {
    if (options.topics.before.empty()) return {share(options) * total.epsilon, total.delta / 2};
    const double before = price(options.topics.before, total.delta / 2).epsilon;
    detail::require(before < total.epsilon, name, "the price of topics.before", before,
                    detail::text("must be below the epsilon of the budget, ", total.epsilon));
    return {before + share(options) * (total.epsilon - before), total.delta / 2};
  }

  // Planned for a likely number of words. for_words keeps what the planner derived from that number.
  Learner planned_learner(const budget& total) const {
    typename Learner::options_type topics = options_.topics;
    topics.before = selector_.plan().ledger;
    if (topics.words == 0) topics.words = std::max(topics.topics, likely_words(total));
    const std::size_t words = topics.words;
    return Learner(std::move(topics), total).for_words(words);
  }

  // About how many words are released from short texts.
  std::size_t likely_words(const budget& total) const {
    const double epsilon = share(options_) * total.epsilon;
    const std::uint64_t units = planned_units(options_.topics.units, options_.topics.relation);
    return static_cast<std::size_t>(std::clamp(static_cast<double>(units) * epsilon / 40, 100.0, 10000.0));
  }

  release<vocabulary_ptr> filled_up(const planned_words& chosen) const {
    return chosen.chosen_.map([&](const vocabulary_ptr& released) {
      if (released->size() >= options_.topics.topics) return released;
      vocabulary_builder words;
      for (std::size_t w = 0; w < released->size(); ++w) words.add(released->word(static_cast<word_id>(w)));
      for (std::size_t i = 1; words.size() < options_.topics.topics; ++i)
        words.add(std::string("(no word ").append(std::to_string(i)).append(")"));
      return words.build();
    });
  }

  options_type options_;
  phrase_selector selector_;
  Learner learner_;
  fully_private_plan plan_;
};

}  // namespace dplda::inline v0_1

#endif
