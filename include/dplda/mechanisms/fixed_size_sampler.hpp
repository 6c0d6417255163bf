// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_FIXED_SIZE_SAMPLER_HPP
#define DPLDA_MECHANISMS_FIXED_SIZE_SAMPLER_HPP

// Claim: draw() takes a uniform subset of event().size of the units, by secret bits alone. That is the sampling under
//   which amplification without replacement is proven, for neighbours that exchange one unit.
// Preconditions: the source is secret, and so is the choice; the number of units is public. ChaCha20's bits stand for
//   uniform ones, so the claim is computational: it holds against attackers who cannot tell them apart.
// Argument: each draw forks a key of its own, and the first steps of a Fisher-Yates shuffle with exactly uniform numbers
//   (uniform_below) take every subset with the same probability. The subset does not depend on what the units contain.
// Test: tests/mechanisms/fixed_size_sampler_test.cpp.

#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Draws secret batches of a fixed number of units.
class fixed_size_sampler {
 public:
  /// Throws std::invalid_argument unless 1 <= size <= population.
  fixed_size_sampler(std::uint64_t size, std::uint64_t population) : event_{size, population} {
    detail::require(size >= 1 && size <= population, "fixed_size_sampler", "size", size,
                    detail::text("must lie in [1, ", population, "], the population"));
  }

  /// The sampling as the ledger records it.
  fixed_size_sample event() const noexcept { return event_; }

  /// A batch for one release. Throws std::invalid_argument unless the number of units is the population. If processes
  /// share the source, each gets its own units of one batch of all; their ids travel.
  unit_batch draw(const privacy_units& units, random_source& random) const {
    const std::vector<std::size_t> places = own_places(units, random.processes());
    const std::size_t population = places.back();
    detail::require(population == event_.population, "fixed_size_sampler::draw", "number of units", population,
                    detail::text("must be the population, ", event_.population));
    chacha20 bits = random.fork().stream("sample");
    std::vector<std::size_t> order(population);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = 0; i < event_.size; ++i) std::swap(order[i], order[i + uniform_below(bits, order.size() - i)]);
    order.resize(event_.size);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> own;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      if (std::binary_search(order.begin(), order.end(), places[unit])) own.push_back(unit);
    }
    return unit_batch(std::move(own), event(), units.unit(), random.seeded());
  }

 private:
  // The place of each unit among those of all processes, by ids, and the number of all.
  static std::vector<std::size_t> own_places(const privacy_units& units, const process_group& processes) {
    std::vector<std::size_t> places(units.size() + 1);
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (processes.alone()) return places;
    std::vector<std::uint64_t> own(units.size()), all;
    for (std::size_t unit = 0; unit < units.size(); ++unit) own[unit] = units.id(unit);
    const auto bytes = std::as_bytes(std::span(own));
    for (const std::string& ids : processes.gather({reinterpret_cast<const char*>(bytes.data()), bytes.size()})) {
      const std::size_t before = all.size();
      all.resize(before + ids.size() / sizeof(std::uint64_t));
      std::memcpy(all.data() + before, ids.data(), ids.size());
    }
    std::sort(all.begin(), all.end());
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      places[unit] = static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), own[unit]) - all.begin());
    places.back() = all.size();
    return places;
  }

  fixed_size_sample event_;
};

}  // namespace dplda::inline v0_1

#endif
