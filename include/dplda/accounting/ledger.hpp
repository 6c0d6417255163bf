// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_LEDGER_HPP
#define DPLDA_ACCOUNTING_LEDGER_HPP

#include <dplda/accounting/event.hpp>

#include <cstdint>
#include <span>
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
  void record(const privacy_event& event, std::uint64_t count = 1);

  /// Records all entries of another ledger. Throws as record does, and then records nothing.
  void append(const ledger& other);

  /// Whether this ledger has every event of `other` at least as often, in any order.
  bool contains(const ledger& other) const;

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

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/ledger.ipp>
#endif

#endif
