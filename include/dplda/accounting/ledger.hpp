// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_LEDGER_HPP
#define DPLDA_ACCOUNTING_LEDGER_HPP

#include <dplda/accounting/event.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The privacy events that happened, in order. Mechanisms record an event in the call that draws its noise, so the
/// ledger always matches the noise. Any accountant can price any ledger.
class ledger {
 public:
  /// `count` uses of the same mechanism. The event describes one use; accountants apply the count.
  struct entry {
    privacy_event event;
    std::uint64_t count;
    bool operator==(const entry&) const = default;
  };

  /// Records `count` uses of an event; an event equal to the last one raises its count. Throws std::invalid_argument on
  /// an invalid event (see check), on a count of 0, and on a unit or neighbours that differ from those of the earlier
  /// entries, because such losses do not add up.
  void record(const privacy_event& event, std::uint64_t count = 1) {
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

  /// Records all entries of another ledger. Throws as record does, and then records nothing.
  void append(const ledger& other) {
    ledger joined = *this;
    for (const entry& e : other.entries_) joined.record(e.event, e.count);
    joined.seeded_ = seeded_ || other.seeded_;
    *this = std::move(joined);
  }

  /// Whether this ledger has every event of `other` at least as often, in any order.
  bool contains(const ledger& other) const {
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

  std::span<const entry> entries() const noexcept { return entries_; }
  bool empty() const noexcept { return entries_.empty(); }

  /// Whether some noise came from a known seed. Such a ledger promises nothing against anyone who knows the seed,
  /// whatever its price.
  bool seeded() const noexcept { return seeded_; }
  void mark_seeded() noexcept { seeded_ = true; }

  bool operator==(const ledger&) const = default;

 private:
  std::vector<entry> entries_;
  bool seeded_ = false;
};

}  // namespace dplda::inline v0_1

#endif
