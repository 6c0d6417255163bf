// SPDX-License-Identifier: Apache-2.0
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/allocation_sampler.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

corpus empty_documents(const std::vector<std::uint64_t>& ids) {
  corpus_builder builder;
  for (std::size_t d = 0; d < ids.size(); ++d) builder.end_document();
  builder.set_ids(ids);
  return made_up(builder, 1);
}

accumulator_options sums(std::uint64_t batches, double multiplier = 2) {
  return {.rows = 1, .clip = 1, .noise_multiplier = multiplier, .sampling = random_allocation{batches}};
}

/// The batch of each id, by a first draw from a seed.
std::map<std::uint64_t, std::size_t> batch_of(const std::vector<std::uint64_t>& ids, std::uint64_t batches,
                                              std::uint64_t seed) {
  random_source random = seeded_random(seed);
  const privacy_units units(empty_documents(ids), privacy_unit::document);
  ledger spent;
  const auto drawn = allocation_sampler(batches).draw(accumulator_plan(sums(batches)), units, random, spent);
  std::map<std::uint64_t, std::size_t> found;
  for (std::size_t b = 0; b < drawn.size(); ++b) {
    CHECK(std::is_sorted(drawn[b].positions().begin(), drawn[b].positions().end()));
    for (const std::size_t unit : drawn[b].positions()) CHECK(found.emplace(units.id(unit), b).second);
  }
  CHECK(found.size() == ids.size());
  return found;
}

}  // namespace

TEST_CASE("Every unit is in one batch, whoever else is there", "[mechanisms][allocation_sampler]") {
  const auto all = batch_of({3, 5, 8, 13, 21, 34, 55, 89}, 4, 1), some = batch_of({5, 13, 89}, 4, 1);
  for (const auto& [id, batch] : some) CHECK(all.at(id) == batch);
  CHECK(batch_of({3, 5, 8, 13, 21, 34, 55, 89}, 4, 2) != all);
}

TEST_CASE("Batches of an allocation are uniform and independent", "[mechanisms][allocation_sampler]") {
  // Both units' batches in 30,000 draws, 9 pairs; the p-value is held against the suite's level.
  random_source random = seeded_random(4);
  const privacy_units units(empty_documents({1, 2}), privacy_unit::document);
  const allocation_sampler sampler(3);
  const accumulator_plan plan(sums(3));
  std::vector<std::uint64_t> counts(9);
  for (int i = 0; i < 30000; ++i) {
    ledger spent;
    const auto drawn = sampler.draw(plan, units, random, spent);
    std::size_t place = 0;
    for (std::size_t b = 0; b < 3; ++b)
      for (const std::size_t unit : drawn[b].positions()) place += b * (unit == 0 ? 1 : 3);
    ++counts[place];
  }
  CHECK(chi_square_test(counts, std::vector<double>(9, 1.0 / 9)) > suite_level);
}

TEST_CASE("An epoch is one event, written before its batches are published", "[mechanisms][allocation_sampler]") {
  random_source random = seeded_random(1);
  const privacy_units units(empty_documents({1, 2, 3}), privacy_unit::document);
  accumulator table(sums(5));
  ledger spent;
  auto drawn = allocation_sampler(5).draw(table.plan(), units, random, spent);
  REQUIRE(drawn.size() == 5);
  REQUIRE(spent.entries().size() == 1);
  CHECK(spent.entries()[0].count == 1);
  CHECK(spent.entries()[0].event == table.plan().event());
  for (unit_batch& batch : drawn) {
    for (std::size_t i = 0; i < batch.positions().size(); ++i) table.add(0, 1);
    table.publish(std::move(batch), random, spent);
  }
  REQUIRE(spent.entries().size() == 1);
  CHECK(spent.entries()[0].count == 1);
  CHECK(spent.seeded());
}

TEST_CASE("A batch of an epoch is published as it was paid for", "[mechanisms][allocation_sampler]") {
  random_source random = seeded_random(1);
  const privacy_units units(empty_documents({1, 2, 3}), privacy_unit::document);
  const accumulator_plan plan(sums(2));
  ledger spent, other;
  auto drawn = allocation_sampler(2).draw(plan, units, random, spent);
  accumulator louder(sums(2, 1));
  CHECK(
      refusal([&] { louder.publish(std::move(drawn[0]), random, spent); }) ==
      "dplda::accumulator::publish: the batch is of another plan, but must be drawn with the plan's sampling and unit");
  accumulator table(plan);
  CHECK(refusal([&] { table.publish(std::move(drawn[1]), random, other); }) ==
        "dplda::accumulator::publish: the ledger is another, but must hold the event that paid for the batch");
  CHECK(other.empty());
  CHECK(refusal([&] { table.publish(random, spent); }).starts_with("dplda::accumulator::publish: the plan is for a"));
  CHECK(
      refusal([&] { allocation_sampler(3).draw(plan, units, random, spent); }) ==
      "dplda::allocation_sampler::draw: the plan is of another sampling, but must have this allocation and the units' "
      "kind");
  CHECK(refusal([] { allocation_sampler(0); }) == "dplda::allocation_sampler: batches is 0, but must lie in [1, 10^6]");
}
