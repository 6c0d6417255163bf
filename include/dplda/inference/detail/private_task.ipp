// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_PRIVATE_TASK_IPP
#define DPLDA_INFERENCE_DETAIL_PRIVATE_TASK_IPP

// Bodies of inference/private_task.hpp, which has their claim, argument and test.

#include <dplda/inference/detail/same_arithmetic.hpp>
#include <dplda/inference/private_task.hpp>

#include <algorithm>
#include <span>

namespace dplda::inline v0_1 {

DPLDA_INLINE void private_task::validate() const {
  detail::require(topics >= 1 && topics <= 1'000'000, learner, "topics", topics, "must lie in [1, 1000000]");
  detail::require(units >= 1, learner, "units", units, "must be the public number of documents or users");
  detail::require(words >= 1, learner, "words", words, "must be the size of the vocabulary, at least 1");
  detail::require(unit != privacy_unit::token, learner, "unit", unit, "must be document or user");
}

DPLDA_INLINE accumulator_options private_task::sum(std::size_t rows, std::size_t row_size, double multiplier,
                                                   const char* label) const {
  return {.rows = rows,
          .row_size = row_size,
          .noise_multiplier = multiplier,
          .unit = unit,
          .relation = relation,
          .max_units = 4 * std::min(units, std::uint64_t{1} << 38),
          .label = label};
}

DPLDA_INLINE divided_corpus private_task::divided(const divided_corpus& docs, const process_group& processes) const {
  detail::require(docs.docs().words() == words, learner, "size of the vocabulary", docs.docs().words(),
                  detail::text("must be the planned ", words));
  divided_corpus result = docs.divided_into(unit);
  if (!processes.alone()) detail::require_same_arithmetic(learner, processes);
  detail::require_apart(learner, result.units(), processes);
  if (relation == neighbours::add_remove) return result;
  std::uint64_t all = result.units().size();
  processes.sum(std::span(&all, 1));
  detail::require(all == units, learner, "number of units", all, detail::text("must be the planned ", units));
  return result;
}

DPLDA_INLINE const dplda::ledger& private_task::spent_before(const divided_corpus& docs) const {
  detail::require_public_words(learner, *docs.docs().vocab());
  return before;
}

}  // namespace dplda::inline v0_1

#endif
