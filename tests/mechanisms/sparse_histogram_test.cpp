// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/audit/rates.hpp>
#include <dplda/mechanisms/sparse_histogram.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace {

using namespace dplda;

using cells = std::vector<std::uint32_t>;

cells first(std::uint32_t n, std::uint32_t from = 0) {
  cells c(n);
  std::iota(c.begin(), c.end(), from);
  return c;
}

void add(sparse_histogram& sums, const cells& unit) {
  if (sums.plan().options().shares == sharing::demanded) {
    sums.add(unit, cells(unit.size(), 7));
  } else {
    sums.add(unit);
  }
}

const std::pair<noise_kind, sharing> kinds[] = {
    {noise_kind::gaussian, sharing::equal},    {noise_kind::gaussian, sharing::counted},
    {noise_kind::gaussian, sharing::demanded}, {noise_kind::gaussian, sharing::levelled},
    {noise_kind::laplace, sharing::equal},     {noise_kind::laplace, sharing::counted},
    {noise_kind::laplace, sharing::demanded},  {noise_kind::laplace, sharing::levelled},
    {noise_kind::laplace, sharing::in_order}};

// Each end is wrong with a probability of at most suite_level.
rate_interval interval(std::uint64_t hits, std::uint64_t draws) {
  return clopper_pearson(hits, draws, 1 - 2 * dplda_tests::suite_level);
}

// How often a cell of a unit that is alone is shown.
std::uint64_t passes(const sparse_histogram_options& options, const cells& unit, const cells& demands,
                     std::uint64_t draws) {
  auto random = seeded_random(5);
  std::uint64_t hits = 0;
  sparse_histogram sums(options);
  for (std::uint64_t i = 0; i < draws; ++i) {
    if (options.shares == sharing::demanded) {
      sums.add(unit, demands);
    } else {
      sums.add(unit);
    }
    ledger spent;
    hits += sums.publish(random, spent).passed.empty() ? 0 : 1;
  }
  return hits;
}

}  // namespace

TEST_CASE("A release records what it spent", "[sparse_histogram]") {
  for (const auto& [noise, shares] : kinds) {
    sparse_histogram sums({.noise = noise,
                           .shares = shares,
                           .noise_multiplier = 2,
                           .delta = 1e-6,
                           .cells_per_unit = 4,
                           .unit = privacy_unit::user,
                           .label = "words"});
    add(sums, {0, 1});
    auto random = seeded_random(1);
    ledger spent, planned;
    sums.publish(random, spent);
    record_release(sums.plan().options(), planned);
    planned.mark_seeded();
    CHECK(spent == planned);
    REQUIRE(spent.entries().size() == 2);
    CHECK(std::get<approximate_dp>(spent.entries()[1].event.noise) == approximate_dp{0, 1e-6});
    CHECK(spent.entries()[1].event.unit == privacy_unit::user);
    if (noise == noise_kind::laplace) {
      CHECK(std::get<laplace_noise>(spent.entries()[0].event.noise).multiplier == 2);
      CHECK(price(spent, 1e-6).epsilon == Catch::Approx(0.5));
    } else {
      CHECK(std::get<gaussian_noise>(spent.entries()[0].event.noise).multiplier == 2);
    }
  }
}

TEST_CASE("Nothing is released that the ledger refuses", "[sparse_histogram]") {
  sparse_histogram sums({.noise_multiplier = 1, .delta = 1e-6, .cells_per_unit = 4});
  auto random = seeded_random(1);
  ledger spent;
  spent.record({gaussian_noise{1}, all_units{}, privacy_unit::user});
  const ledger before = spent;
  CHECK_THROWS_AS(sums.publish(random, spent), std::invalid_argument);
  CHECK(spent == before);
}

TEST_CASE("Cells of many units pass, cells that nobody names do not", "[sparse_histogram]") {
  for (const auto& [noise, shares] : kinds) {
    CAPTURE(static_cast<int>(noise), static_cast<int>(shares));
    sparse_histogram sums(
        {.noise = noise, .shares = shares, .noise_multiplier = 1, .delta = 1e-9, .cells_per_unit = 3});
    for (int i = 0; i < 1000; ++i) add(sums, {5, 9, 2});
    add(sums, {20});
    auto random = seeded_random(2);
    ledger spent;
    const sparse_release result = sums.publish(random, spent);
    CHECK(result.passed == cells{2, 5, 9});
    REQUIRE(result.secret_estimates.size() == 21);
    for (std::uint32_t c = 0; c < 21; ++c)
      CHECK(std::isfinite(result.secret_estimates[c]) == (c == 2 || c == 5 || c == 9 || c == 20));
    // The histogram is empty.
    CHECK(sums.publish(random, spent).secret_estimates.empty());
  }
}

TEST_CASE("Estimates are weights plus noise of the stated size", "[sparse_histogram]") {
  const double z = 3;
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace}) {
    constexpr std::uint32_t size = 60000;
    sparse_histogram sums({.noise = noise, .noise_multiplier = z, .delta = 1e-6, .cells_per_unit = size});
    for (int i = 0; i < 400; ++i) sums.add(first(size));
    auto random = seeded_random(3);
    ledger spent;
    const sparse_release result = sums.publish(random, spent);
    const bool l1 = noise == noise_kind::laplace;
    const double weight = 400 / (l1 ? size : std::sqrt(size));
    double mean = 0, square = 0;
    for (const double x : result.secret_estimates) {
      mean += (x - weight) / size;
      square += (x - weight) * (x - weight) / size;
    }
    const double variance = z * z * (l1 ? 2 : 1), fourth = l1 ? 24 : 3;
    CHECK(std::abs(mean) < 7 * std::sqrt(variance / size));
    CHECK(std::abs(square - variance) < 7 * std::sqrt((fourth * z * z * z * z - variance * variance) / size));
    // No noise is used twice, in one block of cells or in two: a pair of equal estimates has a probability below 10^-6,
    // three pairs one below 10^-18.
    std::vector<double> sorted = result.secret_estimates;
    std::sort(sorted.begin(), sorted.end());
    std::size_t equal = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) equal += sorted[i] == sorted[i - 1] ? 1 : 0;
    CHECK(equal < 3);
  }
}

TEST_CASE("With frozen noise, neighbours differ by a vector of norm 1 at most", "[sparse_histogram]") {
  std::mt19937_64 bits(4);
  for (const auto& [noise, shares] : kinds) {
    CAPTURE(static_cast<int>(noise), static_cast<int>(shares));
    const bool l1 = noise == noise_kind::laplace;
    double largest = 0;
    for (int round = 0; round < 300; ++round) {
      const sparse_histogram_options options{.noise = noise,
                                             .shares = shares,
                                             .noise_multiplier = 0.7,
                                             .delta = 0.01,
                                             .cells_per_unit = 6,
                                             .cap_margin = static_cast<double>(bits() % 3)};
      sparse_histogram with(options), without(options);
      const std::size_t units = 1 + bits() % 60, extra = bits() % units;
      for (std::size_t i = 0; i < units; ++i) {
        cells unit = first(12);
        std::shuffle(unit.begin(), unit.end(), bits);
        unit.resize(1 + bits() % 6);
        add(with, unit);
        if (i != extra) add(without, unit);
      }
      ledger spent;
      auto one = seeded_random(6), same = seeded_random(6);
      const auto a = with.publish(one, spent).secret_estimates, b = without.publish(same, spent).secret_estimates;
      double norm = 0;
      for (std::size_t c = 0; c < a.size(); ++c) {
        // A cell that only the additional unit names has weight zero without it, and the noise is not seen.
        if (c >= b.size() || !std::isfinite(b[c])) continue;
        norm += l1 ? std::abs(a[c] - b[c]) : (a[c] - b[c]) * (a[c] - b[c]);
      }
      largest = std::max(largest, l1 ? norm : std::sqrt(norm));
    }
    CHECK(largest <= 1 + 1e-12);
    if (shares != sharing::counted) CHECK(largest > 0.999);
  }
}

TEST_CASE("Units that step to a cap leave room for the rounding of all that may follow", "[sparse_histogram]") {
  // 2^32 units of 3 + floor(sqrt(cells)) pieces of 2^-50 each: from a weight of 1, that times the noise is kept back.
  const sparse_histogram_options options{
      .shares = sharing::levelled, .noise_multiplier = 64, .delta = 0.01, .cells_per_unit = 100};
  sparse_histogram with(options), without(options);
  with.add(cells{0});
  without.add(cells{0});
  without.add(cells{0});
  ledger spent;
  auto one = seeded_random(6), same = seeded_random(6);
  const double weight = without.publish(one, spent).secret_estimates[0] - with.publish(same, spent).secret_estimates[0];
  CHECK(weight == Catch::Approx(1 - 64 * (3 + 10) * std::ldexp(1.0, 32 - 50)).margin(1e-9));
}

TEST_CASE("Cells of one unit alone pass with probability at most delta", "[sparse_histogram]") {
  const double delta = 0.05;
  const std::uint64_t draws = 20000;
  struct line {
    noise_kind noise;
    sharing shares;
    double z;
    std::size_t cells_per_unit;
    std::uint32_t named;  // the worst number
    bool tight;
  };
  for (const line& l : {line{noise_kind::gaussian, sharing::equal, 2, 16, 16, true},
                        line{noise_kind::gaussian, sharing::equal, 0.2, 16, 1, true},
                        line{noise_kind::gaussian, sharing::levelled, 2, 16, 16, true},
                        line{noise_kind::gaussian, sharing::demanded, 2, 16, 16, true},
                        line{noise_kind::laplace, sharing::equal, 1, 16, 16, true},
                        line{noise_kind::laplace, sharing::equal, 0.1, 16, 1, true},
                        line{noise_kind::laplace, sharing::counted, 1, 16, 16, true},
                        line{noise_kind::laplace, sharing::levelled, 1, 16, 16, true},
                        line{noise_kind::laplace, sharing::in_order, 1, 16, 16, true},
                        line{noise_kind::laplace, sharing::in_order, 1, 16, 3, false},
                        line{noise_kind::gaussian, sharing::equal, 1, 16, 5, false}}) {
    CAPTURE(static_cast<int>(l.noise), static_cast<int>(l.shares), l.z, l.named);
    const sparse_histogram_options options{.noise = l.noise,
                                           .shares = l.shares,
                                           .noise_multiplier = l.z,
                                           .delta = delta,
                                           .cells_per_unit = l.cells_per_unit};
    const std::uint64_t hits = passes(options, first(l.named), cells(l.named, 3), draws);
    CHECK(interval(hits, draws).low <= delta);
    if (l.tight) CHECK(interval(hits, draws).high >= 0.9 * delta);
  }
}

TEST_CASE("Weights that units may choose have the threshold for any weights", "[sparse_histogram]") {
  for (const double z : {0.5, 0.92, 1.44}) {
    const double delta = 5e-6;
    const sparse_histogram_options options{
        .shares = sharing::demanded, .noise_multiplier = z, .delta = delta, .cells_per_unit = 256};
    const double any = dplda::detail::gaussian_any_threshold(z, delta, 256);
    CHECK(sparse_histogram_plan(options).threshold() == any);
    CHECK(any > dplda::detail::gaussian_equal_threshold(z, delta, 256));
  }
}

TEST_CASE("The published threshold fails the test", "[sparse_histogram]") {
  const double delta = 0.005;
  const std::uint64_t draws = 20000;
  sparse_histogram_options options{.noise = noise_kind::laplace,
                                   .shares = sharing::in_order,
                                   .noise_multiplier = 1,
                                   .delta = delta,
                                   .cells_per_unit = 84,
                                   .basis = basis::as_published};
  const std::uint64_t published = passes(options, first(84), {}, draws);
  CHECK(interval(published, draws).low > 10 * delta);
  const double truth = 1 - (1 - delta) * std::pow(1 - delta / std::exp(1), 83);
  CHECK(dplda_tests::binomial_p_value(published, draws, truth) > dplda_tests::suite_level);
  options.basis = basis::proven;
  CHECK(interval(passes(options, first(84), {}, draws), draws).low <= delta);

  ledger spent;
  options.basis = basis::as_published;
  record_release(options, spent);
  CHECK(std::isinf(price(spent, 0.9).epsilon));
}

TEST_CASE("Merged parts and threads give the same result", "[sparse_histogram]") {
  for (const sharing shares : {sharing::equal, sharing::counted, sharing::demanded}) {
    const sparse_histogram_options options{
        .shares = shares, .noise_multiplier = 0.5, .delta = 1e-3, .cells_per_unit = 9};
    std::vector<sparse_release> results;
    for (const std::size_t threads : {1u, 2u, 8u}) {
      std::vector<sparse_histogram> parts;
      for (std::size_t i = 0; i < threads; ++i) parts.emplace_back(options);
      std::mt19937_64 bits(7);
      for (std::size_t u = 0; u < 3000; ++u) {
        const auto from = static_cast<std::uint32_t>(bits() % 20000);
        add(parts[u % threads], first(1 + static_cast<std::uint32_t>(bits() % 9), from));
      }
      for (std::size_t i = 1; i < threads; ++i) parts[0].merge(parts[i]);
      auto random = seeded_random(8);
      ledger spent;
      results.push_back(parts[0].publish(random, spent, threads));
    }
    CHECK_FALSE(results[0].passed.empty());
    for (const sparse_release& r : results) {
      CHECK(r.passed == results[0].passed);
      CHECK(r.secret_estimates == results[0].secret_estimates);
    }
  }
}

TEST_CASE("Mistakes of the caller are refused", "[sparse_histogram]") {
  using dplda_tests::refusal;
  const sparse_histogram_options good{.noise_multiplier = 1, .delta = 1e-6, .cells_per_unit = 4};
  const auto with = [&](auto change) {
    sparse_histogram_options options = good;
    change(options);
    return refusal([&] { sparse_histogram_plan{options}; });
  };
  CHECK(with([](auto&) {}).empty());
  CHECK_FALSE(with([](auto& o) { o.noise_multiplier = 0; }).empty());
  CHECK_FALSE(with([](auto& o) { o.noise_multiplier = std::numeric_limits<double>::quiet_NaN(); }).empty());
  CHECK_FALSE(with([](auto& o) { o.noise_multiplier = 1e30; }).empty());
  CHECK_FALSE(with([](auto& o) { o.delta = 0; }).empty());
  CHECK_FALSE(with([](auto& o) { o.delta = 1; }).empty());
  CHECK_FALSE(with([](auto& o) { o.cells_per_unit = 0; }).empty());
  CHECK_FALSE(with([](auto& o) { o.cells_per_unit = 1 << 20; }).empty());
  CHECK_FALSE(with([](auto& o) { o.cap_margin = -1; }).empty());
  CHECK_FALSE(with([](auto& o) { o.noise = noise_kind::discrete_gaussian; }).empty());
  CHECK_FALSE(with([](auto& o) { o.shares = sharing::in_order; }).empty());
  CHECK_FALSE(with([](auto& o) { o.basis = basis::as_published; }).empty());
  // Rounding of 2^32 steps does not fit below this much noise.
  CHECK_FALSE(with([](auto& o) {
                o.shares = sharing::levelled;
                o.noise_multiplier = 0x1p20;
              }).empty());

  sparse_histogram sums(good);
  CHECK_THROWS_AS(sums.add(first(5)), std::logic_error);
  CHECK_THROWS_AS(sums.add(cells{3, 1, 3}), std::logic_error);
  CHECK_NOTHROW(sums.add(cells{3, 1}));
  CHECK_THROWS_AS(sums.add(first(2), first(2)), std::logic_error);
  sparse_histogram demanded({.shares = sharing::demanded, .noise_multiplier = 1, .delta = 1e-6, .cells_per_unit = 4});
  CHECK_THROWS_AS(demanded.add(first(2)), std::logic_error);
  CHECK_THROWS_AS(demanded.add(first(2), first(1)), std::logic_error);
  CHECK_THROWS_AS(demanded.add(first(2), cells{sparse_histogram::max_demand + 1, 0}), std::logic_error);
  CHECK_THROWS_AS(sums.merge(demanded), std::logic_error);
  CHECK_THROWS_AS(sums.merge(sums), std::logic_error);
}
