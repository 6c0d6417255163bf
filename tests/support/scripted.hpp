// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_SCRIPTED_HPP
#define DPLDA_TESTS_SUPPORT_SCRIPTED_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda_tests {

/// A generator that plays the words a test wrote down. Throws std::out_of_range after the last one.
struct scripted {
  using result_type = std::uint64_t;
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return words.at(used++); }

  std::vector<result_type> words;
  std::size_t used = 0;
};

}  // namespace dplda_tests

#endif
