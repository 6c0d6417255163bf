// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_PIPELINE_SUPPORT_HPP
#define DPLDA_TESTS_PIPELINE_SUPPORT_HPP

#include <dplda/corpora/synthetic.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace dplda_tests {

inline const dplda::budget three{.epsilon = 3, .delta = 1e-5};

inline dplda::corpus letters(std::size_t documents, std::size_t users = 0) {
  return dplda::synthetic_lda({.documents = documents, .words = 200, .topics = 3, .mean_length = 30, .users = users},
                              dplda::seeded_random(11))
      .docs;
}

template <class Learner>
dplda::fully_private_options<Learner> planned_for(std::uint64_t units,
                                                  dplda::privacy_unit unit = dplda::privacy_unit::document) {
  dplda::fully_private_options<Learner> options;
  options.vocabulary.unit = unit;
  options.topics.topics = 3;
  options.topics.units = units;
  options.topics.unit = unit;
  if constexpr (requires { options.topics.steps; }) options.topics.steps = 4;
  return options;
}

inline bool same_entries(const dplda::ledger& a, const dplda::ledger& b) {
  return std::ranges::equal(a.entries(), b.entries());
}

}  // namespace dplda_tests

#endif
