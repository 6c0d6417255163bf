// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_DETAIL_PREMISES_HPP
#define DPLDA_MECHANISMS_DETAIL_PREMISES_HPP

// What a private fit may build on without weakening its guarantee: earlier releases, and a list of words.
//
// Claim: a fit that passes these checks, and whose plan prices `before` and its own events together, has a guarantee
//   that covers the earlier releases it builds on, and the words that it shows.
// Preconditions: the ledger of an earlier release is what was spent on it. What is declared public is public. The fit's
//   options and budget, and that it is made at all, were fixed before anything of `before` was seen. If they were chosen
//   afterwards, guarantee() does not hold: a price is for events that are fixed beforehand. If a filter then admitted
//   all events, those of `before` first, the filter's promise() holds instead (accounting/filter.hpp). Nothing can check
//   this, so a guarantee whose plan has a `before` says it: guarantee::assumes_fixed_plans. An earlier release that
//   covers one part of the data (guarantee::part) is taken for documents of this part, on the word of the caller, who
//   repeats the part's rule; the guarantee of what is made of it is for this part, too.
// Argument: `before` contains the ledger of the earlier release, so the price of the plan is that of both. That ledger
//   costs what the release claims, so it is not that of a part of a plan, chosen by the data. A list of words is shown
//   with the topics: it is public, and then costs nothing, or it comes as a release, and then `before` has its cost.
// Test: tests/pipeline/{word_origin,learners,earlier_releases}_test.cpp, tests/inference/private_spectral_test.cpp.

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/mechanisms/release.hpp>

#include <string>
#include <string_view>

namespace dplda::inline v0_1::detail {

/// Throws std::invalid_argument if words were taken from documents: nothing pays for showing them.
inline void require_not_from_documents(std::string_view function, const vocabulary& words) {
  require(
      words.origin() != word_origin::documents, function, "the list of words", "taken from documents",
      "must be public or chosen privately. Give a list that would be the same without these documents as "
      "text_options.vocab or to corpus::restrict_to: declare_public(read_vocabulary(\"dictionary.txt\")). Words that "
      "were released from them are not such a list: give load_released_words(file) to fit(words, docs, random). "
      "fully_private_topics chooses words and learns topics from one budget");
}

/// What was spent before a fit that builds on an earlier release: `before`, marked as seeded if the release is. Throws
/// std::invalid_argument unless
/// - `before` contains the ledger of the release, so that the plan has paid for it;
/// - the guarantee of the release is proven, without gamma (a ledger does not tell a paper's claim from a proof);
/// - that ledger costs no less than the guarantee says. A cheaper ledger is that of a part of the plan, and which
///   part may depend on the data;
/// - the words of topics are public or released: an older version, which did not record it, may have shown others;
/// - it covers all units that the documents may have: if it is for one part of the data, `part` must be that part's rule,
///   by which the caller declares that all documents are of that part.
template <class T>
ledger spent_before(std::string_view function, const release<T>& earlier, const ledger& before,
                    const std::string& part = {}) {
  const dplda::guarantee& claim = earlier.guarantee();
  if constexpr (requires { earlier.value().vocab(); }) require_not_from_documents(function, *earlier.value().vocab());
  require(before.contains(earlier.ledger()), function, "options.before", "without the ledger of the earlier release",
          "must contain it, so that the budget covers both");
  require(claim.basis == basis::proven && !claim.gamma, function, "the earlier release's guarantee", "not proven",
          "must be proven, or nothing made of it is");
  const double cost = price(earlier.ledger(), claim.delta, claim.accountant).epsilon;
  require(cost >= claim.epsilon * (1 - 1e-6), function, "the price of the earlier release's ledger", cost,
          text("must be its guarantee's epsilon, ", claim.epsilon,
               ": a ledger of a part of the plan does not tell what "
               "the release cost"));
  require(claim.part.empty() || claim.part == part, function, "the earlier release", "for one part of the data",
          text("must cover all documents, but it is for those \"", claim.part,
               "\", and leaves out what earlier parts cost. If all documents are of this part, declare it by giving "
               "this rule as options.part, where there is that option"));
  ledger spent = before;
  if (earlier.ledger().seeded()) spent.mark_seeded();
  return spent;
}

/// Throws std::invalid_argument unless words may be shown beside a release whose guarantee does not pay for them.
inline void require_public_words(std::string_view function, const vocabulary& words) {
  require_not_from_documents(function, words);
  require(words.origin() != word_origin::released, function, "the list of words", "chosen privately",
          "must be passed as a release, fit(words, docs, random), so that the guarantee covers it");
}

}  // namespace dplda::inline v0_1::detail

#endif
