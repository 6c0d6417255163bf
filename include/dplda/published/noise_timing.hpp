// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_NOISE_TIMING_HPP
#define DPLDA_PUBLISHED_NOISE_TIMING_HPP

// What the published Gibbs samplers with noisy counts share.

#include <dplda/core/config.hpp>

#include <cstdint>
#include <vector>

namespace dplda::inline v0_1::published {

/// When the counts n_k^t get noise. In between, they change with the topics and keep their noise.
enum class noise_timing {
  as_printed,  ///< at each visit of a token, on all counts of its word, in addition to earlier noise: SUB-LDA, algorithm 1
  each_token,  ///< at each visit of a token, on all counts of its word, in place of earlier noise
  each_sweep   ///< at the start of each sweep, on all counts, in place of earlier noise
};

/// What the papers' figures show, sweep by sweep. It depends on the documents, and no claim covers it.
struct gibbs_trace {
  std::vector<double> perplexity;      ///< of the training documents
  std::vector<std::uint64_t> visited;  ///< tokens
};

}  // namespace dplda::inline v0_1::published

#endif
