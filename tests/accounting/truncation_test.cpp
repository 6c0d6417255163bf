// SPDX-License-Identifier: Apache-2.0
// Poisson samples that are cut to a largest size. The tails are printed by own_analysis.py.
#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/truncation.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

using namespace dplda;
using dplda_tests::refusal;

namespace {

privacy_event sampled(const mechanism& noise, double rate) {
  return {.noise = noise, .sampling = poisson_sample{rate}, .label = "step"};
}

double delta_of_cut(double rate, std::uint64_t most, std::uint64_t units) {
  return std::get<approximate_dp>(truncation(sampled(gaussian_noise{1}, rate), {most, units}).noise).delta;
}

}  // namespace

TEST_CASE("Truncation: the chance that the other units fill the sample", "[accounting][truncation]") {
  struct figure {
    double rate;
    std::uint64_t most, units;
    double tail;
  };
  for (const auto& [rate, most, units, tail] :
       {figure{0.01, 130, 10000, 0.00216789880118}, figure{0.01, 1200, 100000, 3.80464998778e-10},
        figure{0.5, 60, 100, 0.0219376467935}}) {
    const double found = delta_of_cut(rate, most, units);
    CAPTURE(found, tail);
    CHECK(found >= tail * (1 - 1e-10));
    CHECK(found <= tail * (1 + 1e-8));
  }
  CHECK(delta_of_cut(0.5, 20, 20) == 0);  // there are only 19 others
  CHECK(delta_of_cut(0.5, 19, 20) > 0);
  CHECK(delta_of_cut(0.5, 5, 100) > 0.999);  // a sample that is usually cut
  CHECK(delta_of_cut(1, 99, 100) > 0.999);
  CHECK(delta_of_cut(1, 100, 100) == 0);
}

// The mechanism that drops the first units of a sample that is too large, with randomised response on how many of the
// sample's units are marked, enumerated over all samples. The unit in question is marked, the others are not; it comes
// last, so that it displaces another one.
TEST_CASE("Truncation: a mechanism that is cut is enumerated", "[accounting][truncation]") {
  const double rate = 0.3, noise = 0.4;
  const unsigned others = 6;
  for (const unsigned most : {1u, 2u, 3u, 4u}) {
    for (const bool first_dropped : {true, false}) {
      // Outcomes: the answer (marked or not), and the size of the sample that was used, which is shown as far as that is
      // possible without a price: a size below `most` of the other units.
      std::vector<double> with(2 * (others + 2), 0.0), without = with;
      for (unsigned set = 0; set < (1u << (others + 1)); ++set) {
        const bool unit = (set >> others & 1) != 0;
        unsigned rest = 0;
        for (unsigned i = 0; i < others; ++i) rest += set >> i & 1;
        double chance = unit ? rate : 1 - rate;
        for (unsigned i = 0; i < others; ++i) chance *= (set >> i & 1) != 0 ? rate : 1 - rate;
        // The unit is kept if it fits, or if others are dropped first.
        const bool kept = unit && (rest < most || first_dropped);
        const double yes = kept ? 1 - noise / 2 : noise / 2;
        with[2 * rest] += chance * yes;
        with[2 * rest + 1] += chance * (1 - yes);
        without[2 * rest] += chance * noise / 2;
        without[2 * rest + 1] += chance * (1 - noise / 2);
      }
      const privacy_event event = sampled(randomized_response{noise, 2}, rate);
      ledger book;
      book.record(event);
      book.record(truncation(event, {most, others + 1}));
      for (const double epsilon : {0.0, 0.2, 0.5, 1.0}) {
        double there = 0, back = 0;
        for (std::size_t i = 0; i < with.size(); ++i) {
          there += std::max(0.0, with[i] - std::exp(epsilon) * without[i]);
          back += std::max(0.0, without[i] - std::exp(epsilon) * with[i]);
        }
        CAPTURE(most, first_dropped, epsilon, there, back);
        CHECK(pld_delta(book, epsilon).upper >= std::max(there, back) * (1 - 1e-12));
      }
    }
  }
}

TEST_CASE("Truncation keeps the event's unit, and is refused where it has no meaning", "[accounting][truncation]") {
  privacy_event event = sampled(gaussian_noise{1}, 0.1);
  event.unit = privacy_unit::user;
  event.relation = neighbours::replace;
  const privacy_event cut = truncation(event, {200, 1000});
  CHECK(cut.unit == privacy_unit::user);
  CHECK(cut.relation == neighbours::replace);
  CHECK(cut.label == "step");
  CHECK_FALSE(refusal([] { truncation({.noise = gaussian_noise{1}}, {10, 100}); }).empty());
  CHECK_FALSE(refusal([&] { truncation(event, {0, 100}); }).empty());
  CHECK_FALSE(refusal([&] { truncation(event, {10, 0}); }).empty());
  CHECK_FALSE(refusal([&] { truncation(sampled(gaussian_noise{-1}, 0.1), {10, 100}); }).empty());
}

TEST_CASE("Truncation costs less than the common bound", "[accounting][truncation]") {
  const privacy_event event = sampled(gaussian_noise{1}, 0.01);
  ledger whole, cut;
  whole.record(event, 1000);
  cut.record(event, 1000);
  cut.record(truncation(event, {160, 10000}), 1000);
  const double epsilon = 3, d = delta_of_cut(0.01, 160, 10000);
  const double common = pld_delta(whole, epsilon).upper + 1000 * d * (1 + std::exp(epsilon));
  CHECK(pld_delta(cut, epsilon).upper < common);
  CHECK(pld_delta(cut, epsilon).lower > pld_delta(whole, epsilon).upper);
}
