// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DISJOINT_HPP
#define DPLDA_ACCOUNTING_DISJOINT_HPP

// Parallel composition: releases of disjoint parts of the data.
//
// Claim: all releases together, those of `common` and those of every part, are (upper, delta)-DP for upper =
//   disjoint_epsilon(common, parts, delta).upper, and (epsilon, upper)-DP for that of disjoint_delta. Where only the
//   guarantees of the parts are known, all together are as disjoint_guarantee(parts) says.
// Preconditions: neighbours are add_remove. Each unit belongs to one part, and which one depends on that unit alone (its
//   day, its place, its id), not on other units. The releases of a part read the units of that part and earlier results,
//   nothing else; those of `common` may read all. The parts and their ledgers were fixed beforehand, or by what is
//   public. (Budgets that were chosen from earlier results keep what is computed here only if it is within a bound that
//   was fixed beforehand, and that all parts had to keep.)
// Argument: neighbouring data differ in one unit, and so in one part. Given earlier results, the releases of all other
//   parts have the same law on both; those of this part and of `common` are adaptively composed, with the losses of
//   their ledgers. So the loss is that of `common` and one part, and no larger than the largest. It is attained: a unit
//   may belong to the part with the largest. (Under `replace`, a unit may be exchanged for one of another part, and two
//   parts change.)
// Test: tests/accounting/disjoint_test.cpp

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/guarantee.hpp>

#include <span>

namespace dplda::inline v0_1 {

/// Bounds on the epsilon at `delta` of the releases of disjoint parts, beside a ledger of releases that read all parts
/// (it may be empty). Throws std::invalid_argument if delta is outside [0, 1], or if a ledger is not for add_remove or
/// has another unit than the others.
certified_bounds disjoint_epsilon(const ledger& common, std::span<const ledger> parts, double delta,
                                  accountant rule = accountant::best, const pld_options& accuracy = {});

/// Bounds on their delta at `epsilon`. Throws std::invalid_argument if epsilon is negative or NaN, and as
/// disjoint_epsilon.
certified_bounds disjoint_delta(const ledger& common, std::span<const ledger> parts, double epsilon,
                                accountant rule = accountant::best, const pld_options& accuracy = {});

/// What all parts together promise: the largest epsilon and the largest delta. It assumes fixed plans if there are
/// several parts, is seeded if one of them is, and if the first part leaves out earlier ones (guarantee::part), so does the
/// whole. Throws std::invalid_argument if there is none, if one is not proven for certain, or if units differ or
/// neighbours are not add_remove.
guarantee disjoint_guarantee(std::span<const guarantee> parts);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/disjoint.ipp>
#endif

#endif
