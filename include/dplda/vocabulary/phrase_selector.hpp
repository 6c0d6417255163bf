// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_PHRASE_SELECTOR_HPP
#define DPLDA_VOCABULARY_PHRASE_SELECTOR_HPP

// Formulas, arguments, options and limits: vocabulary/README.md

// Claim: the words and phrases that fit() returns are (epsilon, delta)-DP for one unit more or less, with the epsilon and
//   delta of guarantee(), which is known before a document is read; the ledger of the release composes with others.
// Preconditions: options and budget are public, and were fixed before anything of options.before was seen. Each text was
//   prepared by itself (ordered_texts::pruning, which is checked). Nobody sees anything of the run but the release.
// Argument: round n selects among phrases of n words by a vocabulary_selector, whose claim holds for every corpus.
//   1. The corpus of round n has, for each document, the phrases of n words in a row in it of which both parts of n - 1
//      words were released. Given what was released, that is a function of the document alone, and every document
//      stays, with its place and its user: neighbours stay neighbours, and units stay the same.
//   2. Each unit names at most words_per_unit phrases in a round, with weights of norm 1, as in every selection.
//   3. Phrases that no unit has are never shown, and a phrase of one unit alone passes with the probability that the
//      threshold of its round allows: the selection's claim pays for both, in delta. (Methods with a lower threshold and
//      no delta for it must add noise to every phrase that could be made of released ones, whether a unit has it or not.)
//   4. The rounds are one after the other, the events of each follow from the plan, and each may depend on what was
//      released before. Their ledger is known beforehand, and its price is the guarantee.
// Test: tests/vocabulary/phrase_selector_test.cpp, mutants phrase_*

#include <dplda/core/ordered_texts.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

struct phrase_options {
  /// The most words in a phrase; 1: words only.
  std::size_t longest = 3;
  /// Of each round. `before` is what else is spent on the same data, and the first round's ledger begins with it.
  vocabulary_options selection = {};
};

struct phrase_plan {
  std::vector<vocabulary_selector> rounds;  ///< of words, of phrases of two words, ...
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

/// Chooses the words and the phrases (words in a row) that may be shown. A phrase of n words is a candidate only if both
/// its parts of n - 1 words were released. In each round noise gets half of the squared budget of the round before, and
/// thresholds twice the delta.
///
///   const dplda::phrase_selector selector({.longest = 3}, {.epsilon = 1, .delta = 1e-6});
///   const auto words = selector.fit(texts, random);              // "new", "york", "new_york", ...
///   const dplda::corpus docs = with_phrases(texts, words.value());
///
/// Words are joined by '_'; a word that has one itself is left out, so that no two have one name.
class phrase_selector {
 public:
  /// Plans. Throws std::invalid_argument as vocabulary_selector does, if longest is not in [1, 8], if the basis is not
  /// proven, or if the budget cannot be met.
  phrase_selector(phrase_options options, const budget& total);

  const phrase_options& options() const noexcept { return options_; }
  const phrase_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Selects: the words first, then phrases of two words, ..., each in alphabetical order. Throws std::invalid_argument if
  /// the texts are not known or declared to be unpruned, or if the unit is the user and they have no users.
  release<vocabulary_ptr> fit(const ordered_texts& texts, random_source& random) const;

 private:
  phrase_options options_;
  phrase_plan plan_;
};

/// The texts as a corpus over these words and phrases. All listed words count. From left to right, the longest listed
/// phrase that begins at a word counts besides, and no other phrase overlaps it. All that is not listed is dropped.
/// Words with a '_' are left out, as in a selection. Documents keep their places and users. If the list comes from
/// documents and nothing paid for it, the corpus is pruned. If it was released, it decides as a whole what counts
/// (pruning::by_list), so a learner must take the corpus together with this release, and not with a part of it.
/// Throws std::invalid_argument if the list is null; if the words of the texts are a released choice; or if the list was
/// released and it is neither known nor declared that the texts were not pruned.
corpus with_phrases(const ordered_texts& texts, const vocabulary_ptr& listed);

namespace detail {

/// The candidates of a round: the phrases of so many words of each document of which both parts were released. For
/// one word, all words.
corpus phrase_candidates(const ordered_texts& texts, const vocabulary& released, std::size_t words);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/vocabulary/detail/phrase_selector.ipp>
#endif

#endif
