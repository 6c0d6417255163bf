// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_TRUNCATION_HPP
#define DPLDA_ACCOUNTING_TRUNCATION_HPP

// Poisson samples that are cut to a largest size, as memory or a compiled program may need.
//
// Claim: a release made from such a sample costs at most as much as one made from the whole Poisson sample and the event
//   `truncation` together. Record both, each once for every release.
// Preconditions: a corpus has at most `units` units, for every corpus that is possible. Of a sample with more than
//   `most` units, some are dropped, in any way that uses nothing but the sample and fresh randomness; smaller samples
//   are left alone. The release is one that the event of the whole sample describes.
// Argument: take corpora with and without a unit (or with one unit exchanged), and the sample S of the other units, which
//   does not depend on whether the unit is there or is sampled. If S has fewer than `most` units, nothing is dropped in
//   either corpus, and given S the outputs are images of the pair of the whole sample (detail/pld_pair.hpp). S has `most`
//   or more with probability at most d = P[Binomial(units - 1, rate) >= most], as that rises with the number of units.
//   So the outputs are images of that pair together with an outcome that, with probability d, tells the corpus: the
//   pair of approximate_dp{0, d}. (Adding d (1 + e^epsilon) to delta, as is common, is a weaker bound.)
// Test: tests/accounting/truncation_test.cpp

#include <dplda/accounting/event.hpp>

#include <cstdint>

namespace dplda::inline v0_1 {

/// The size that Poisson samples are cut to, and the number of units that no corpus exceeds.
struct largest_sample {
  std::uint64_t most;
  std::uint64_t units;
};

/// What cutting costs, beside `event` for the whole sample. Throws std::invalid_argument if the event has no Poisson
/// sample or is not valid, if `most` is 0, or if `units` is 0 or above 2^53.
privacy_event truncation(const privacy_event& event, const largest_sample& largest);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/truncation.ipp>
#endif

#endif
