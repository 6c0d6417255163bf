// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_CANONICAL_HPP
#define DPLDA_ACCOUNTING_DETAIL_CANONICAL_HPP

// Ledgers and events as accountants see them: valid, without labels, with every sample of all units turned into
// all_units, without events that reveal nothing, and with equal events counted together. Public functions make the
// canonical form once, at their entrance; nothing behind them checks or merges again.

#include <dplda/accounting/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The probability with which a unit is sampled; for samples of fixed size, rounded to nearest.
inline double sampling_rate(const sampling& sample) {
  return std::visit([]<class Sampling>(const Sampling& s) { return sampling_entry<Sampling>::rate(s); }, sample);
}

/// The delta that one use of a mechanism sets aside on all units.
inline double delta_of(const mechanism& noise) {
  return std::visit([](const auto& n) { return delta_of(n); }, noise);
}

/// One valid event, as far as accountants look at it.
struct canonical_event {
  mechanism noise;
  dplda::sampling sampling;
  neighbours relation;

  /// Precondition: the event is valid, as those of a ledger are.
  explicit canonical_event(const privacy_event& event)
      : noise(event.noise), sampling(event.sampling), relation(event.relation) {
    const auto* poisson = std::get_if<poisson_sample>(&event.sampling);
    const auto* fixed = std::get_if<fixed_size_sample>(&event.sampling);
    if ((poisson != nullptr && poisson->rate == 1) || (fixed != nullptr && fixed->size == fixed->population))
      sampling = all_units{};
    const auto* allocation = std::get_if<random_allocation>(&event.sampling);
    if (allocation != nullptr && allocation->batches == 1) sampling = all_units{};
  }
};

/// The same for any event. Throws std::invalid_argument if it has no meaning.
inline canonical_event checked(const privacy_event& event) {
  check(event);
  return canonical_event(event);
}

/// An event as bits: equal for events that cost the same, and ordered.
using event_key = std::vector<std::uint64_t>;

inline event_key key_of(const canonical_event& event) {
  event_key key{static_cast<std::uint64_t>(event.relation), event.noise.index(), event.sampling.index()};
  std::visit([&]<class Mechanism>(const Mechanism& n) { append_bits(n, mechanism_entry<Mechanism>::fields, key); },
             event.noise);
  std::visit([&]<class Sampling>(const Sampling& s) { append_bits(s, sampling_entry<Sampling>::fields, key); },
             event.sampling);
  return key;
}

}  // namespace dplda::inline v0_1::detail

namespace dplda::inline v0_1 {

inline void nested_ledger::append_bits(std::vector<std::uint64_t>& bits) const {
  const auto entries = (**this).entries();
  bits.push_back(entries.size());
  for (const auto& [event, count] : entries) {
    const detail::event_key key = detail::key_of(detail::canonical_event(event));
    bits.push_back(count);
    bits.insert(bits.end(), key.begin(), key.end());
  }
}

}  // namespace dplda::inline v0_1

namespace dplda::inline v0_1::detail {

/// A ledger in canonical form.
class canonical_ledger {
 public:
  struct use {
    canonical_event event;
    std::uint64_t count;
  };

  explicit canonical_ledger(const ledger& book) {
    std::map<event_key, std::size_t> places;
    for (const auto& [recorded, count] : book.entries()) {
      if (std::visit([](const auto& noise) { return reveals_nothing(noise); }, recorded.noise)) continue;
      const canonical_event event(recorded);
      const auto [place, is_new] = places.try_emplace(key_of(event), uses_.size());
      // A count that would exceed 2^64 - 1 begins a second use of the same event.
      if (!is_new && count <= std::numeric_limits<std::uint64_t>::max() - uses_[place->second].count) {
        uses_[place->second].count += count;
      } else {
        place->second = uses_.size();
        uses_.push_back({event, count});
      }
    }
  }

  /// In the order of the first use.
  std::span<const use> uses() const noexcept { return uses_; }
  bool empty() const noexcept { return uses_.empty(); }
  /// The number of different events, as a double: error bounds of sums grow with it.
  double size() const noexcept { return static_cast<double>(uses_.size()); }

 private:
  std::vector<use> uses_;
};

}  // namespace dplda::inline v0_1::detail

#endif
