// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_STABLE_SPLIT_HPP
#define DPLDA_CORPORA_STABLE_SPLIT_HPP

// Documents held out of a private fit such that its guarantee covers all documents.
//
// Claim: a mechanism that is (epsilon, delta)-DP for documents or users as a function of `train` is so as a function of
//   all documents. The same holds for `test`.
// Preconditions: the source is secret. Only one of the two parts is used for a release, or both releases are accounted
//   for. Which documents are in which part is not published.
// Argument: the coin of a document is a word of a secret stream, chosen by its id (or its user's number) alone. Fix all
//   coins. Then a document's part follows from its own id, so removing a unit removes its documents from their parts
//   and changes nothing else: neighbours become neighbours or equal. The guarantee holds for every value of the coins,
//   so it holds on average. Ids are positions, which shift when a document is removed; this changes nothing,
//   since coins are independent and of one law: any injective renaming of ids and users keeps their joint law. A split
//   of a fixed size (corpora/split.hpp) has no such property: removing one document moves many others from one part to
//   the other.
// Test: tests/corpora/stable_split_test.cpp.

#include <dplda/core/corpus.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/random/bernoulli.hpp>
#include <dplda/random/source.hpp>

namespace dplda::inline v0_1 {

namespace detail {

/// The documents for which `held` is true of the source's word for the document, or for its user.
partition held_out_by_coins(const corpus& docs, const coin& held, split_unit unit, random_source& random);

}  // namespace detail

/// Holds out each document with probability `share`, or all documents of a user with that probability.
///
///   auto random = dplda::secure_random();
///   const auto [train, test] = dplda::stable_split(docs, random, 0.1);
///   const auto released = learner.fit(train, random);  // the guarantee covers every document of docs
///
/// Throws std::invalid_argument unless share is in [0, 1], and if the source is seeded: whoever knows the seed knows
/// the coins. (For reproducible experiments use train_test_split.)
train_test stable_split(const corpus& docs, random_source& random, double share,
                        split_unit unit = split_unit::document);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/corpora/detail/stable_split.ipp>
#endif

#endif
