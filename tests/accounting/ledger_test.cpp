// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/ledger.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <limits>
#include <string>

using namespace dplda;
using dplda_tests::refusal;

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

privacy_event gaussian(double multiplier, const char* label = "") {
  return {.noise = gaussian_noise{multiplier}, .label = label};
}

}  // namespace

TEST_CASE("Equal events in a row become one entry", "[accounting][ledger]") {
  ledger spent;
  CHECK(spent.empty());
  spent.record(gaussian(1));
  spent.record(gaussian(1), 4);
  spent.record(gaussian(2));
  spent.record(gaussian(1));
  spent.record(gaussian(1, "words"));
  REQUIRE(spent.entries().size() == 4);
  CHECK_FALSE(spent.empty());
  CHECK(spent.entries()[0] == ledger::entry{gaussian(1), 5});
  CHECK(spent.entries()[1] == ledger::entry{gaussian(2), 1});
  CHECK(spent.entries()[2] == ledger::entry{gaussian(1), 1});
  CHECK(spent.entries()[3] == ledger::entry{gaussian(1, "words"), 1});
}

TEST_CASE("Invalid events and counts are refused and leave the ledger unchanged", "[accounting][ledger]") {
  ledger spent;
  spent.record(gaussian(1), most - 1);
  const ledger before = spent;
  CHECK(refusal([&] { spent.record(gaussian(0)); }) ==
        "dplda::check(privacy_event): Gaussian noise multiplier is 0, but must be positive and finite");
  CHECK(refusal([&] { spent.record(gaussian(1), 0); }) == "dplda::ledger::record: count is 0, but must be at least 1");
  CHECK(refusal([&] { spent.record(gaussian(1), 2); }) ==
        "dplda::ledger::record: count is 2, but makes the total exceed 2^64 - 1");
  CHECK(spent == before);
  spent.record(gaussian(1));
  CHECK(spent.entries()[0].count == most);
}

TEST_CASE("Units and neighbours do not mix", "[accounting][ledger]") {
  ledger spent;
  spent.record(gaussian(1));
  spent.record(gaussian(2));
  const ledger before = spent;
  privacy_event other = gaussian(1);
  other.unit = privacy_unit::user;
  CHECK(refusal([&] { spent.record(other); }) ==
        "dplda::ledger::record: unit is user, but the unit of this ledger is document; use a ledger for each unit");
  other = gaussian(1);
  other.relation = neighbours::replace;
  CHECK(refusal([&] { spent.record(other); }) ==
        "dplda::ledger::record: neighbours is replace, but the neighbours of this ledger are add_remove; use a ledger "
        "for each relation");
  CHECK(spent == before);

  ledger users;
  other.unit = privacy_unit::user;
  users.record(other);
  CHECK(users.entries().size() == 1);
}

TEST_CASE("Appending records every entry, and merges equal ones where the ledgers meet", "[accounting][ledger]") {
  ledger first, second;
  first.record(gaussian(1), 2);
  first.record(gaussian(2), 3);
  second.record(gaussian(2), 4);
  second.record(gaussian(3));
  first.append(second);
  ledger expected;
  expected.record(gaussian(1), 2);
  expected.record(gaussian(2), 7);
  expected.record(gaussian(3));
  CHECK(first == expected);

  ledger empty;
  first.append(empty);
  CHECK(first == expected);
  empty.append(first);
  CHECK(empty == expected);

  ledger twice;
  twice.record(gaussian(1), 2);
  twice.append(twice);
  REQUIRE(twice.entries().size() == 1);
  CHECK(twice.entries()[0].count == 4);
}

TEST_CASE("Appending is all or nothing", "[accounting][ledger]") {
  SECTION("because of the unit") {
    ledger spent, other;
    spent.record(gaussian(1));
    other.record({.noise = gaussian_noise{1}, .unit = privacy_unit::user});
    other.mark_seeded();
    const ledger before = spent;
    CHECK_FALSE(refusal([&] { spent.append(other); }).empty());
    CHECK(spent == before);
    CHECK_FALSE(spent.seeded());
  }
  SECTION("because of the total of the entries at the seam") {
    ledger spent, other;
    spent.record(gaussian(1), 7);
    other.record(gaussian(1), most - 6);
    other.record(gaussian(2));
    const ledger before = spent;
    CHECK(refusal([&] { spent.append(other); }) ==
          detail::text("dplda::ledger::record: count is ", most - 6, ", but makes the total exceed 2^64 - 1"));
    CHECK(spent == before);
  }
}

TEST_CASE("One seeded part makes the whole ledger seeded", "[accounting][ledger]") {
  ledger spent, seeded;
  CHECK_FALSE(spent.seeded());
  spent.record(gaussian(1));
  seeded.record(gaussian(1));
  seeded.mark_seeded();
  CHECK(seeded.seeded());
  CHECK_FALSE(spent == seeded);
  ledger joined = spent;
  joined.append(seeded);
  CHECK(joined.seeded());
  seeded.append(spent);
  CHECK(seeded.seeded());
  CHECK_FALSE(spent.seeded());
}

TEST_CASE("A ledger contains another if it has every event as often", "[accounting][ledger]") {
  ledger spent, part;
  CHECK(spent.contains(part));  // nothing is in everything
  spent.record(gaussian(1), 3);
  spent.record(gaussian(2));
  spent.record(gaussian(1), 2);
  CHECK(spent.contains(spent));
  part.record(gaussian(2));
  part.record(gaussian(1), 5);  // in another order, and gathered
  CHECK(spent.contains(part));
  part.record(gaussian(1));
  CHECK_FALSE(spent.contains(part));
  ledger other;
  other.record(gaussian(3));
  CHECK_FALSE(spent.contains(other));
  CHECK_FALSE(other.contains(spent));
  // An event that the other has twice is not found in the same place twice.
  ledger apart;
  apart.record(gaussian(1), 4);
  apart.record(gaussian(2));
  apart.record(gaussian(1), 2);
  CHECK_FALSE(spent.contains(apart));
}
