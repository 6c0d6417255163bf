// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_NOISY_ROWS_HPP
#define DPLDA_OUTPUT_PERTURBATION_NOISY_ROWS_HPP

// Post-processing of released rows: a guarantee for the rows also holds for the result. This header claims nothing of
// its own (output_perturbation/topic_dp.hpp).

#include <dplda/core/topic_model.hpp>

namespace dplda::inline v0_1 {

/// How noisy rows become distributions.
enum class row_repair {
  projection,  ///< the nearest distribution in the Euclidean sense
  clamp        ///< negative entries become 0, and the rest is divided by its sum; uniform if nothing is left
};

/// Each row as a distribution. The projection keeps the order of words and is nearer where the noise is not much larger
/// than the topics' largest probabilities; beyond that both are noise.
/// Throws std::invalid_argument if there are no columns or an entry is not finite.
topic_model<>::matrix repaired_rows(topic_model<>::matrix noisy, row_repair repair = row_repair::projection);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/output_perturbation/detail/noisy_rows.ipp>
#endif

#endif
