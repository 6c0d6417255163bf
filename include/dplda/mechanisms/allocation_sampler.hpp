// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_ALLOCATION_SAMPLER_HPP
#define DPLDA_MECHANISMS_ALLOCATION_SAMPLER_HPP

// Claim: draw() puts each unit into exactly one of the batches, each with the same probability, independently of all
//   other units and by secret bits alone, and writes the one event that pays for a release of every batch.
// Preconditions: the source is secret; nobody is told which units a batch has, or how many; what is made of a batch is
//   scaled by the expected number of units. Batches are published into the ledger that their draw() was given, or one
//   that it is appended to once: two draws need two events there. ChaCha20's bits stand for independent ones, so the
//   claim is computational.
// Argument: each draw forks a key of its own. The batch of a unit is an exactly uniform number (uniform_below) from the
//   stream named by the unit's id under that key, so it is the same whether others are there or not, and streams of
//   different ids are independent. The event is in the ledger before a batch exists, and a batch can be published once,
//   by an accumulator whose plan has this event, into a ledger that has it (accumulator::publish). So at most as many
//   releases as the event says are made, with its noise. Fewer are a part of what it covers.
// Test: tests/mechanisms/allocation_sampler_test.cpp.

#include <dplda/accounting/ledger.hpp>
#include <dplda/mechanisms/accumulator_plan.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Divides the units into secret batches, which together have each unit once: an epoch.
class allocation_sampler {
 public:
  /// Throws std::invalid_argument unless 1 <= batches <= 10^6.
  explicit allocation_sampler(std::uint64_t batches) : event_{batches} {
    detail::require(batches >= 1 && batches <= 1'000'000, "allocation_sampler", "batches", batches,
                    "must lie in [1, 10^6]");
  }

  /// The sampling as the ledger records it.
  random_allocation event() const noexcept { return event_; }

  /// The batches of one epoch, each for one release by `plan`; writes the plan's event once for all of them. Throws
  /// std::invalid_argument if the plan has another sampling or unit, or if the ledger refuses the event.
  std::vector<unit_batch> draw(const accumulator_plan& plan, const privacy_units& units, random_source& random,
                               ledger& spent) const {
    const privacy_event paid = plan.event();
    detail::require(paid.sampling == sampling(event_) && paid.unit == units.unit(), "allocation_sampler::draw",
                    "the plan", "of another sampling", "must have this allocation and the units' kind");
    spent.record(paid);
    const random_source key = random.fork();
    std::vector<std::vector<std::size_t>> positions(event_.batches);
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      chacha20 bits = key.stream("sample", units.id(unit));
      positions[uniform_below(bits, event_.batches)].push_back(unit);
    }
    std::vector<unit_batch> batches;
    batches.reserve(positions.size());
    for (auto& batch : positions) batches.push_back(unit_batch(std::move(batch), paid, random.seeded()));
    return batches;
  }

 private:
  random_allocation event_;
};

}  // namespace dplda::inline v0_1

#endif
