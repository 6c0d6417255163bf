// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PIPELINE_NUMBER_OF_TOPICS_HPP
#define DPLDA_PIPELINE_NUMBER_OF_TOPICS_HPP

// How many topics to learn, from public numbers alone: before a document is read, and at no cost. How it was chosen, and
// how it compares with other numbers: benchmarks/papers/number_of_topics.sh and benchmarks/README.md.

#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace dplda::inline v0_1 {

/// A number of topics for a private fit whose words and topics share this epsilon: the root of units * epsilon / 1000, at
/// least 5 and at most 100. More topics are finer, but share the same signal: with fewer units or a smaller epsilon,
/// noise hides them. The rule sees neither how long the texts are nor how many themes they have.
/// Throws std::invalid_argument if units or epsilon is not positive and finite.
inline std::size_t topics_for(double units, double epsilon) {
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  detail::require(positive(units), "topics_for", "units", units, "must be positive and finite");
  detail::require(positive(epsilon), "topics_for", "epsilon", epsilon, "must be positive and finite");
  return static_cast<std::size_t>(std::round(std::clamp(std::sqrt(units / 1000) * std::sqrt(epsilon), 5.0, 100.0)));
}

}  // namespace dplda::inline v0_1

#endif
