// SPDX-License-Identifier: Apache-2.0
#include <dplda/analysis/share_interval.hpp>

#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

using namespace dplda;
using Catch::Approx;

TEST_CASE("Intervals of shares have their reference values", "[analysis]") {
  // The roots of (cell - p row)^2 = z^2 V(p), found by mpmath 1.2 with 30 digits.
  const auto check = [](const noisy_share& share, double low, double high) {
    const share_interval found = share.interval();
    CHECK(found.low == Approx(low).epsilon(1e-12));
    CHECK(found.high == Approx(high).epsilon(1e-12));
  };
  check({.cell = 30, .row = 200, .cells = 5, .noise = 4}, 0.11414049392720705, 0.1850852658850571);
  check({.cell = 30, .row = 200, .cells = 5, .noise = 4, .spread = 0.3}, 0.10703032200847406, 0.19624120170092123);
  check({.cell = 12, .row = 60, .cells = 20, .noise = 5, .spread = 0.2}, 0.039104252458288471, 0.71089487421367755);
  // Without noise: Wilson's interval for 20 of 100.
  check({.cell = 20, .row = 100, .cells = 2, .noise = 1e-12, .spread = 1}, 0.13336693333103251, 0.2888291655931589);
}

TEST_CASE("A row that is not clearly above its noise tells nothing", "[analysis]") {
  const double limit = deviations_of_95_percent * 3 * 2;  // noise 3 on each of 4 cells
  CHECK(noisy_share{.cell = 5, .row = limit * 0.999, .cells = 4, .noise = 3}.interval() == share_interval{0, 1});
  CHECK(noisy_share{.cell = 5, .row = limit * 1.001, .cells = 4, .noise = 3}.tells());
  CHECK_FALSE(noisy_share{.cell = 5, .row = -1000, .cells = 4, .noise = 3}.tells());
  CHECK_FALSE(noisy_share{.cell = 0, .row = 0, .cells = 4, .noise = 0}.tells());
}

TEST_CASE("Intervals of shares stay within 0 and 1, and never shrink to nothing", "[analysis]") {
  for (const double cell : {-100.0, -20.0, 0.0, 7.0, 190.0, 210.0, 300.0}) {
    for (const double spread : {0.0, 0.3, 1.0}) {
      const share_interval found =
          noisy_share{.cell = cell, .row = 200, .cells = 3, .noise = 10, .spread = spread}.interval();
      CAPTURE(cell, spread, found.low, found.high);
      CHECK(found.low >= 0);
      CHECK(found.high <= 1);
      CHECK(found.width() >= 0.05 * (1 - 1e-12));
    }
  }
  // One topic has the share 1, whatever the noise.
  CHECK(noisy_share{.cell = 80, .row = 80, .cells = 1, .noise = 10}.interval().high == 1);
}

namespace {

// How often intervals hold the true share p of a row of `row` units with noise 1 on each of `cells` cells, if it is said
// to be `stated`.
double coverage(double p, double row, std::size_t cells, double stated, bool only_telling, std::uint64_t seed) {
  chacha20 bits = seeded_random(seed).stream("coverage");
  std::size_t covered = 0, counted = 0;
  for (int run = 0; run < 20000; ++run) {
    const double own = normal(bits), others = std::sqrt(static_cast<double>(cells) - 1) * normal(bits);
    const noisy_share share{.cell = p * row + own, .row = row + own + others, .cells = cells, .noise = stated};
    if (only_telling && !share.tells()) continue;
    ++counted;
    covered += share.interval().contains(p) ? 1 : 0;
  }
  return static_cast<double>(covered) / static_cast<double>(counted);
}

}  // namespace

// Each coverage has a standard deviation of 0.0016 at most: a false alarm beyond 5 of them has probability 6e-7.
TEST_CASE("Intervals of shares cover in 95 of 100 cases, also if the row is hardly above its noise", "[analysis]") {
  for (const double p : {0.02, 0.2, 0.7}) {
    for (const double row : {5.0, 15.0, 40.0, 400.0}) {  // noise on the row: 4.5
      const double found = coverage(p, row, 20, 1, false, 3);
      CAPTURE(p, row, found);
      CHECK(found > 0.942);
      if (row > 20) CHECK(found < 0.977);  // below, many say nothing; and an interval that is cut is not cut to nothing
      CHECK(coverage(p, row, 20, 0.8, false, 3) < found);
    }
    CHECK(coverage(p, 400, 20, 0.8, false, 3) < 0.93);  // the test sees a scale that is wrong
  }
}
