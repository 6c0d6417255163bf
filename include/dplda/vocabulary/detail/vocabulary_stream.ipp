// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_DETAIL_VOCABULARY_STREAM_IPP
#define DPLDA_VOCABULARY_DETAIL_VOCABULARY_STREAM_IPP

// Bodies of vocabulary/vocabulary_stream.hpp, which has their claim, argument and test.

#include <dplda/vocabulary/vocabulary_stream.hpp>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE vocabulary_stream::vocabulary_stream(const vocabulary_selector& selector, random_source& random)
    : sums_(only_round(selector)),
      guarantee_(selector.guarantee()),
      before_(selector.options().before),
      key_(random.fork()),
      threads_(selector.options().threads) {
  detail::require_one_process("vocabulary_stream", random);
}

DPLDA_INLINE void vocabulary_stream::add(std::string_view word) {
  const word_id id = words_.add(word);
  if (id == last_.size()) last_.push_back(0);
  if (last_[id] == unit_) return;
  last_[id] = unit_;
  own_.push_back(id);
}

DPLDA_INLINE void vocabulary_stream::end_unit() {
  detail::choose_some(own_, sums_.plan().options().cells_per_unit, key_, unit_);
  sums_.add(own_);
  own_.clear();
  ++unit_;
}

DPLDA_INLINE dplda::release<vocabulary_ptr> vocabulary_stream::publish() {
  if (!own_.empty()) throw std::logic_error("dplda::vocabulary_stream: the last unit is open: call end_unit()");
  dplda::ledger spent = before_;
  const std::vector<std::uint32_t> passed = sums_.publish(key_, spent, threads_).passed;
  const vocabulary_ptr all = words_.build();
  last_.clear();
  std::vector<std::string_view> kept;
  kept.reserve(passed.size());
  for (const std::uint32_t id : passed) kept.push_back(all->word(id));
  std::sort(kept.begin(), kept.end());
  vocabulary_builder chosen;
  for (const std::string_view word : kept) chosen.add(word);
  return dplda::release<vocabulary_ptr>(chosen.build(), guarantee_, std::move(spent));
}

DPLDA_INLINE const sparse_histogram_plan& vocabulary_stream::only_round(const vocabulary_selector& selector) {
  const vocabulary_method method = selector.options().method;
  detail::require(method == vocabulary_method::weighted_gaussian || method == vocabulary_method::weighted_laplace ||
                      method == vocabulary_method::count_laplace,
                  "vocabulary_stream", "method", "one that needs the whole corpus",
                  "must be weighted_gaussian, weighted_laplace or count_laplace");
  return selector.plan().rounds.front();
}

}  // namespace dplda::inline v0_1

#endif
