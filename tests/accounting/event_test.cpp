// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/event.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

using namespace dplda;
using dplda_tests::refusal;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
const double nan_value = std::nan("");

std::string refusal_of(const privacy_event& event) {
  return refusal([&] { check(event); });
}

}  // namespace

TEST_CASE("Multipliers are positive and finite", "[accounting][event]") {
  for (const double good : {smallest, 1e-300, 0.5, 1.0, largest}) {
    CHECK(refusal_of({gaussian_noise{good}}).empty());
    CHECK(refusal_of({laplace_noise{good}}).empty());
    CHECK(refusal_of({discrete_gaussian_noise{good}}).empty());
  }
  for (const double bad : {0.0, -0.0, -1.0, -smallest, infinity, -infinity, nan_value}) {
    const std::string says = detail::text(" noise multiplier is ", bad, ", but must be positive and finite");
    CHECK(refusal_of({gaussian_noise{bad}}) == "dplda::check(privacy_event): Gaussian" + says);
    CHECK(refusal_of({laplace_noise{bad}}) == "dplda::check(privacy_event): Laplace" + says);
    CHECK(refusal_of({discrete_gaussian_noise{bad}}) == "dplda::check(privacy_event): discrete Gaussian" + says);
  }
}

TEST_CASE("Randomized response needs noise and two buckets", "[accounting][event]") {
  CHECK(refusal_of({randomized_response{.noise = 1}}).empty());
  CHECK(refusal_of({randomized_response{.noise = smallest, .buckets = ~std::uint64_t{0}}}).empty());
  for (const double bad : {0.0, -0.1, std::nextafter(1.0, 2.0), infinity, nan_value}) {
    CHECK(
        refusal_of({randomized_response{.noise = bad}}) ==
        detail::text("dplda::check(privacy_event): randomized response's noise is ", bad, ", but must lie in (0, 1]"));
  }
  for (const std::uint64_t bad : {0u, 1u}) {
    CHECK(refusal_of({randomized_response{.noise = 0.5, .buckets = bad}}) ==
          detail::text("dplda::check(privacy_event): randomized response's buckets is ", bad,
                       ", but must be at least 2"));
  }
}

TEST_CASE("Opaque mechanisms have an epsilon and a delta", "[accounting][event]") {
  CHECK(refusal_of({approximate_dp{.epsilon = 0}}).empty());
  CHECK(refusal_of({approximate_dp{.epsilon = largest, .delta = std::nextafter(1.0, 0.0)}}).empty());
  for (const double bad : {-smallest, -1.0, infinity, nan_value}) {
    CHECK(refusal_of({approximate_dp{.epsilon = bad}}) ==
          detail::text("dplda::check(privacy_event): epsilon is ", bad, ", but must be at least 0 and finite"));
  }
  for (const double bad : {-smallest, 1.0, infinity, nan_value}) {
    CHECK(refusal_of({approximate_dp{.epsilon = 1, .delta = bad}}) ==
          detail::text("dplda::check(privacy_event): delta is ", bad, ", but must lie in [0, 1)"));
  }
}

TEST_CASE("Sampling rates are positive and at most 1", "[accounting][event]") {
  for (const double good : {smallest, 0.01, 1.0}) CHECK(refusal_of({gaussian_noise{1}, poisson_sample{good}}).empty());
  for (const double bad : {0.0, -0.5, std::nextafter(1.0, 2.0), infinity, nan_value}) {
    CHECK(refusal_of({gaussian_noise{1}, poisson_sample{bad}}) ==
          detail::text("dplda::check(privacy_event): Poisson sampling rate is ", bad, ", but must lie in (0, 1]"));
  }
}

TEST_CASE("A sample of fixed size is part of its population", "[accounting][event]") {
  const auto sampled = [](std::uint64_t size, std::uint64_t population) {
    return privacy_event{
        .noise = gaussian_noise{1}, .sampling = fixed_size_sample{size, population}, .relation = neighbours::replace};
  };
  CHECK(refusal_of(sampled(1, 1)).empty());
  CHECK(refusal_of(sampled(10, 1000)).empty());
  CHECK(refusal_of(sampled(0, 10)) ==
        "dplda::check(privacy_event): size of the sample is 0, but must lie in [1, 10], the population");
  CHECK(refusal_of(sampled(11, 10)) ==
        "dplda::check(privacy_event): size of the sample is 11, but must lie in [1, 10], the population");
  CHECK(refusal_of(sampled(1, 0)) ==
        "dplda::check(privacy_event): size of the sample is 1, but must lie in [1, 0], the population");
}

TEST_CASE("Poisson samples under replace require Gaussian noise", "[accounting][event]") {
  const mechanism others[] = {laplace_noise{1}, discrete_gaussian_noise{1}, randomized_response{0.5},
                              approximate_dp{1, 1e-6}};
  for (const mechanism& noise : others) {
    privacy_event event{.noise = noise, .sampling = poisson_sample{0.1}};
    CHECK(refusal_of(event).empty());
    event.relation = neighbours::replace;
    CHECK(refusal_of(event) ==
          "dplda::check(privacy_event): Poisson sampling is combined with neighbours::replace, but that pair is "
          "analysed for Gaussian noise only; use neighbours::add_remove");
    event.sampling = all_units{};
    CHECK(refusal_of(event).empty());
  }
  CHECK(refusal_of({.noise = gaussian_noise{1}, .sampling = poisson_sample{0.1}, .relation = neighbours::replace})
            .empty());
}

TEST_CASE("A sample of fixed size is refused under add_remove", "[accounting][event]") {
  const mechanism all[] = {gaussian_noise{1}, laplace_noise{1}, discrete_gaussian_noise{1}, randomized_response{0.5},
                           approximate_dp{1}};
  for (const mechanism& noise : all) {
    privacy_event event{.noise = noise, .sampling = fixed_size_sample{1, 2}};
    CHECK(refusal_of(event) ==
          "dplda::check(privacy_event): a sample of fixed size is combined with neighbours::add_remove, but its size "
          "tells the size of the corpus; use neighbours::replace or a Poisson sample");
    event.relation = neighbours::replace;
    CHECK(refusal_of(event).empty());
  }
}

TEST_CASE("Units and neighbours have names", "[accounting][event]") {
  std::ostringstream out;
  out << privacy_unit::token << ' ' << privacy_unit::document << ' ' << privacy_unit::user << ' '
      << neighbours::add_remove << ' ' << neighbours::replace;
  CHECK(out.str() == "token document user add_remove replace");
}

TEST_CASE("Events are equal if all their fields are", "[accounting][event]") {
  const privacy_event event{.noise = gaussian_noise{1}, .label = "topics"};
  CHECK(event == privacy_event{.noise = gaussian_noise{1}, .label = "topics"});
  CHECK_FALSE(event == privacy_event{.noise = laplace_noise{1}, .label = "topics"});
  CHECK_FALSE(event == privacy_event{.noise = gaussian_noise{2}, .label = "topics"});
  CHECK_FALSE(event == privacy_event{.noise = gaussian_noise{1}, .sampling = poisson_sample{1}, .label = "topics"});
  CHECK_FALSE(event == privacy_event{.noise = gaussian_noise{1}, .unit = privacy_unit::user, .label = "topics"});
  CHECK_FALSE(event == privacy_event{.noise = gaussian_noise{1}, .relation = neighbours::replace, .label = "topics"});
  CHECK_FALSE(event == privacy_event{.noise = gaussian_noise{1}, .label = "words"});
}
