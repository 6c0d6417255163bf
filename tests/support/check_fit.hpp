// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_CHECK_FIT_HPP
#define DPLDA_TESTS_SUPPORT_CHECK_FIT_HPP

#include "support/catch.hpp"
#include "support/statistics.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace dplda_tests {

/// Draws a sample and checks that no test rejects its distribution, and that every test of magnitudes rejects the same
/// distribution with a scale wrong by 1 % either way. `law` makes the distribution of a scale. Returns the sample.
template <class Law, class Draw>
std::vector<std::int64_t> check_fit(const Law& law, double scale, std::uint64_t draws, Draw draw) {
  goodness_of_fit right(law(scale), draws), narrow(law(0.99 * scale), draws), wide(law(1.01 * scale), draws);
  std::vector<std::int64_t> sample(draws);
  for (std::int64_t& x : sample) {
    x = draw();
    for (goodness_of_fit* fit : {&right, &narrow, &wide}) fit->add(x);
  }
  for (const auto& [name, p, sees_scale] : right.p_values()) {
    CAPTURE(scale, name, p);
    CHECK(p > suite_level);
  }
  for (const goodness_of_fit* wrong : {&narrow, &wide}) {
    for (const auto& [name, p, sees_scale] : wrong->p_values()) {
      CAPTURE(scale, name, p);
      if (sees_scale) CHECK(p < suite_level);
    }
  }
  return sample;
}

}  // namespace dplda_tests

#endif
