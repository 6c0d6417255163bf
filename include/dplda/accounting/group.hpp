// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_GROUP_HPP
#define DPLDA_ACCOUNTING_GROUP_HPP

// Group privacy: what releases that protect one unit tell of several units together, such as all documents of a person.
//
// Claim: if the releases of `book` are as its ledger says for one unit, those of group_ledger(book, size) describe them
//   for a group: data that differ in up to `size` units, each added, removed or (under `replace`) exchanged. Any
//   accountant may price it.
// Preconditions: those of the events.
// Argument, event by event; compositions of mechanisms for the group are compositions of its events:
//   - Gaussian, Laplace and discrete Gaussian noise: the units' sensitivities add up, so the multiplier is divided by the
//     size. That is exact where all units are read. A sample, or an allocation to batches, is taken as if it were shown:
//     given it, the group's contributions in all batches together have at most `size` times a unit's norm, and joint
//     convexity averages over samples.
//   - Other mechanisms of known epsilon and delta: a chain of `size` neighbours gives size * epsilon and the sum of
//     delta e^(i epsilon), i < size. Samples are left out first, which is no smaller.
//   - A selection is one of runs of the group's ledger (its argument needs no particular neighbours).
// Test: tests/accounting/group_test.cpp

#include <dplda/accounting/ledger.hpp>

#include <cstdint>

namespace dplda::inline v0_1 {

/// The ledger for groups of up to `size` units. Its events sample nothing, so where units were sampled, the price of a
/// group of one is above that of the unit. Throws std::invalid_argument if the size is 0 or above 2^32.
ledger group_ledger(const ledger& book, std::uint64_t size);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/group.ipp>
#endif

#endif
