// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_LEDGER_IPP
#define DPLDA_ACCOUNTING_DETAIL_LEDGER_IPP

// Bodies of accounting/ledger.hpp.

#include <dplda/accounting/ledger.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE void ledger::record(const privacy_event& event, std::uint64_t count) {
  const char* const function = "ledger::record";
  check(event);
  detail::require(count > 0, function, "count", count, "must be at least 1");
  if (!entries_.empty()) {
    const privacy_event& first = entries_.front().event;
    if (event.unit != first.unit)
      detail::refuse(function, "unit", event.unit,
                     detail::text("the unit of this ledger is ", first.unit, "; use a ledger for each unit"));
    if (event.relation != first.relation)
      detail::refuse(
          function, "neighbours", event.relation,
          detail::text("the neighbours of this ledger are ", first.relation, "; use a ledger for each relation"));
  }
  if (!entries_.empty() && entries_.back().event == event) {
    std::uint64_t& total = entries_.back().count;
    detail::require(count <= std::numeric_limits<std::uint64_t>::max() - total, function, "count", count,
                    "makes the total exceed 2^64 - 1");
    total += count;
  } else {
    entries_.push_back({event, count});
  }
}

struct nested_ledger::shared_entries {
  ledger entries;
  std::mutex guard = {};
  std::map<double, double> known = {};
};

DPLDA_INLINE nested_ledger::nested_ledger(ledger entries)
    : shared_(std::make_shared<shared_entries>(std::move(entries))) {}

DPLDA_INLINE bool nested_ledger::empty() const { return shared_ == nullptr || shared_->entries.empty(); }

DPLDA_INLINE const ledger& nested_ledger::operator*() const { return shared_->entries; }

DPLDA_INLINE const privacy_event& nested_ledger::first() const { return shared_->entries.entries().front().event; }

DPLDA_INLINE double nested_ledger::remembered(double key, detail::function_ref<double()> compute) const {
  const std::lock_guard lock(shared_->guard);
  const auto found = shared_->known.find(key);
  return found != shared_->known.end() ? found->second : shared_->known.emplace(key, compute()).first->second;
}

DPLDA_INLINE bool nested_ledger::operator==(const nested_ledger& other) const {
  return shared_ == other.shared_ || (shared_ && other.shared_ && shared_->entries == other.shared_->entries);
}

DPLDA_INLINE void ledger::append(const ledger& other) {
  ledger joined = *this;
  for (const entry& e : other.entries_) joined.record(e.event, e.count);
  joined.seeded_ = seeded_ || other.seeded_;
  *this = std::move(joined);
}

DPLDA_INLINE bool ledger::contains(const ledger& other) const {
  std::vector<entry> left = entries_;
  for (auto [event, missing] : other.entries_) {
    for (entry& e : left) {
      if (e.event != event) continue;
      const std::uint64_t found = std::min(missing, e.count);
      missing -= found;
      e.count -= found;
    }
    if (missing > 0) return false;
  }
  return true;
}

}  // namespace dplda::inline v0_1

#endif
