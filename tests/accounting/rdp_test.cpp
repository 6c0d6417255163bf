// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/composition.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/rdp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "accounting/reference.hpp"
#include "support/catch.hpp"

namespace {

using namespace dplda;
using dplda_tests::reference_record;
using dplda_tests::reference_records;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The lists of orders that the reference records name.
std::vector<double> orders(const reference_record& record) {
  std::vector<double> list;
  if (record.param_text("orders") == "integers 2..64") {
    for (int i = 2; i <= 64; ++i) list.push_back(i);
    return list;
  }
  REQUIRE(record.param_text("orders") == "1.1..10.9 step 0.1, 11..63, 128, 256, 512, 1024");
  for (int i = 11; i <= 109; ++i) list.push_back(i / 10.0);
  for (int i = 11; i <= 63; ++i) list.push_back(i);
  for (const double order : {128, 256, 512, 1024}) list.push_back(order);
  return list;
}

ledger repeated(const privacy_event& event, std::uint64_t count) {
  ledger book;
  book.record(event, count);
  return book;
}

privacy_event sampled_gaussian(double q, double sigma) {
  return {.noise = gaussian_noise{sigma}, .sampling = poisson_sample{q}};
}

/// A pair of discrete output distributions.
using pair_of_laws = std::vector<std::pair<double, double>>;

/// max over events S of P(S) - e^epsilon Q(S), for `count` independent draws; merges equal ratios by enumeration.
double hockey_stick(const pair_of_laws& one, int count, double epsilon) {
  pair_of_laws all = {{1, 1}};
  for (int i = 0; i < count; ++i) {
    pair_of_laws next;
    for (const auto& [p, q] : all) {
      for (const auto& [p1, q1] : one) next.emplace_back(p * p1, q * q1);
    }
    all = std::move(next);
  }
  double sum = 0;
  for (const auto& [p, q] : all) sum += std::max(0.0, p - std::exp(epsilon) * q);
  return sum;
}

pair_of_laws swapped(pair_of_laws laws) {
  for (auto& [p, q] : laws) std::swap(p, q);
  return laws;
}

pair_of_laws mixed(pair_of_laws laws, double rate) {
  for (auto& [p, q] : laws) p = rate * p + (1 - rate) * q;
  return laws;
}

}  // namespace

TEST_CASE("reference: epsilon of the sampled Gaussian, on the listed orders") {
  for (const auto& r : reference_records("sgm_eps_rdp")) {
    INFO(r.id());
    const ledger book =
        repeated(sampled_gaussian(r.param("q"), r.param("sigma")), static_cast<std::uint64_t>(r.param("steps")));
    const double delta = r.param("delta");
    const rdp_accountant plain(book, {.orders = orders(r), .conversion = rdp_conversion::improved, .shortcut = false});
    const auto found = plain.best_epsilon(delta);
    CHECK(r.agrees("eps", found.value));
    CHECK(found.order == Catch::Approx(r.expected("optimal_order")));
    const rdp_accountant with_shortcut(book, {.orders = orders(r), .conversion = rdp_conversion::improved});
    CHECK(r.agrees("eps_with_kl_shortcut", with_shortcut.epsilon(delta)));
    // All real orders are at least as good as any list, and the exact rule as the improved one.
    const double real = rdp_accountant(book, {.conversion = rdp_conversion::improved}).epsilon(delta);
    CHECK(real <= with_shortcut.epsilon(delta));
    CHECK(rdp_accountant(book).epsilon(delta) <= real);
  }
}

TEST_CASE("reference: epsilon without replacement") {
  for (const auto& r : reference_records("wor_eps_rdp")) {
    INFO(r.id());
    const privacy_event event{.noise = gaussian_noise{r.param("sigma")},
                              .sampling = fixed_size_sample{static_cast<std::uint64_t>(r.param("m")),
                                                            static_cast<std::uint64_t>(r.param("n"))},
                              .relation = neighbours::replace};
    const ledger book = repeated(event, static_cast<std::uint64_t>(r.param("steps")));
    const rdp_accountant plain(book, {.orders = orders(r),
                                      .conversion = rdp_conversion::improved,
                                      .bounds = rdp_bounds::published,
                                      .shortcut = false});
    const auto found = plain.best_epsilon(r.param("delta"));
    CHECK(r.agrees("eps", found.value));
    CHECK(found.order == r.expected("optimal_order"));
    CHECK(rdp_accountant(book).epsilon(r.param("delta")) <= found.value);
  }
}

TEST_CASE("reference: the noise that meets a budget, by bisection") {
  for (const auto& r : reference_records("calibrate_sigma_rdp")) {
    INFO(r.id());
    double low = 0.1, high = 100;
    while (high > low * (1 + 1e-10)) {
      const double sigma = std::sqrt(low * high);
      const ledger book = repeated(sampled_gaussian(r.param("q"), sigma), static_cast<std::uint64_t>(r.param("steps")));
      const rdp_accountant plain(book,
                                 {.orders = orders(r), .conversion = rdp_conversion::improved, .shortcut = false});
      (plain.epsilon(r.param("delta")) <= r.param("eps") ? high : low) = sigma;
    }
    CHECK(r.agrees("sigma", high));
  }
}

TEST_CASE("traps 1 and 2: the count is applied to every kind of event") {
  for (const mechanism& noise :
       std::vector<mechanism>{gaussian_noise{3}, laplace_noise{3}, discrete_gaussian_noise{3},
                              randomized_response{0.5, 4}, approximate_dp{0.3}, approximate_dp{0.3, 1e-9}}) {
    for (const sampling& seen : std::vector<sampling>{all_units{}, poisson_sample{0.1}, fixed_size_sample{1, 10}}) {
      const bool fixed = std::holds_alternative<fixed_size_sample>(seen);
      const privacy_event event{
          .noise = noise, .sampling = seen, .relation = fixed ? neighbours::replace : neighbours::add_remove};
      CAPTURE(noise.index(), seen.index());
      const rdp_accountant once(repeated(event, 1)), often(repeated(event, 100));
      for (const double alpha : {1.5, 2.0, 17.3}) {
        CHECK(often.rdp(alpha) == Catch::Approx(100 * rdp(event, alpha)).epsilon(1e-13));
        CHECK(often.rdp(alpha) >= 100 * rdp(event, alpha));
      }
      CHECK(often.reserved_delta() == Catch::Approx(100 * once.reserved_delta()).epsilon(1e-13));
      CHECK(often.epsilon(1e-5) > 2 * once.epsilon(1e-5));

      // The same hundred in separate entries, kept apart by their labels.
      ledger apart;
      privacy_event labelled = event;
      for (int i = 0; i < 100; ++i) {
        labelled.label = std::to_string(i);
        apart.record(labelled);
      }
      CHECK(rdp_accountant(apart).epsilon(1e-5) == Catch::Approx(often.epsilon(1e-5)).epsilon(1e-9));
    }
  }
  // Randomised response, noise 1/2 over 2 values, 100 times: near the exact answer, not the 1.0987 of a single use.
  const double truth = optimal_composition_epsilon({std::log(3.0), 0}, 100, 1e-5);
  const double epsilon = rdp_accountant(repeated({.noise = randomized_response{0.5, 2}}, 100)).epsilon(1e-5);
  CHECK(truth > 80);
  CHECK(epsilon >= truth);
  CHECK(epsilon <= 1.1 * truth);
}

TEST_CASE("trap 5: a million steps of tiny moments add up") {
  const rdp_accountant accountant(repeated(sampled_gaussian(1e-6, 1e3), 1000000));
  CHECK(accountant.rdp(2) == Catch::Approx(1.0e-12).epsilon(1e-5));
  CHECK(accountant.rdp(1.5) > 0);
  CHECK(accountant.epsilon(1e-5) == 0);
  CHECK(accountant.epsilon(1e-12) > 0);
}

TEST_CASE("trap 7: large epsilons need exact fractional orders") {
  const rdp_accountant heavy(repeated(sampled_gaussian(0.5, 0.3), 1000000));
  CHECK(heavy.epsilon(1e-5) < 2.91e6);
  CHECK(heavy.best_epsilon(1e-5).order < 1.1);
  CHECK(rdp_accountant(repeated(sampled_gaussian(0.01, 0.3), 10000)).epsilon(1e-5) < 321.0);
}

TEST_CASE("trap 8: the best order is found wherever it is") {
  // Gaussian noise has the best order 1 + sqrt(2 log(1/delta)) sigma by the classic rule: far beyond any list for large
  // sigma, close to 1 for small.
  for (const double sigma : {1e-3, 0.1, 3.0, 1e3, 1e6, 1e9}) {
    for (const double delta : {1e-5, 1e-50, 1e-300}) {
      CAPTURE(sigma, delta);
      const rdp_accountant classic(repeated({.noise = gaussian_noise{sigma}}, 1),
                                   {.conversion = rdp_conversion::classic, .shortcut = false});
      const double root = std::sqrt(-2 * std::log(delta));
      const auto found = classic.best_epsilon(delta);
      CHECK(found.value == Catch::Approx(1 / (2 * sigma * sigma) + root / sigma).epsilon(1e-9));
      CHECK(found.order == Catch::Approx(1 + root * sigma).epsilon(1e-3));
    }
  }
  const rdp_accountant wide_noise(repeated(sampled_gaussian(0.01, 1000), 1),
                                  {.conversion = rdp_conversion::improved, .shortcut = false});
  CHECK(wide_noise.epsilon(1e-5) <= 0.0035);
  CHECK(wide_noise.best_epsilon(1e-5).order > 1024);
}

TEST_CASE("the search over real orders is as good as a fine list") {
  struct point {
    double q, sigma, steps, delta;
  };
  for (const point& p : {point{0.01, 1, 1e4, 1e-5}, point{0.01, 1, 1e4, 1e-50}, point{1e-6, 1, 1e6, 1e-30},
                         point{0.5, 0.3, 1e6, 1e-5}, point{0.3, 40, 10, 1e-9}, point{1e-9, 0.5, 1e8, 1e-10}}) {
    CAPTURE(p.q, p.sigma, p.steps, p.delta);
    const ledger book = repeated(sampled_gaussian(p.q, p.sigma), static_cast<std::uint64_t>(p.steps));
    std::vector<double> fine;
    for (double t = -9; t < 9; t += 0.02) fine.push_back(1 + std::exp(t));
    for (const auto rule : {rdp_conversion::classic, rdp_conversion::improved}) {
      const rdp_accountant listed(book, {.orders = fine, .conversion = rule, .shortcut = false});
      const rdp_accountant real(book, {.conversion = rule, .shortcut = false});
      CHECK(real.epsilon(p.delta) <= listed.epsilon(p.delta) * (1 + 1e-9));
      const double epsilon = real.epsilon(p.delta);
      CHECK(real.log_delta(epsilon) == Catch::Approx(std::log(p.delta)).epsilon(1e-6));
      CHECK(real.log_delta(2 * epsilon) <= listed.log_delta(2 * epsilon) * (1 - 1e-7));
    }
  }
}

TEST_CASE("trap 15: Bretagnolle and Huber give epsilon 0 only where it holds") {
  for (const double sigma : {0.5, 10.0, 1e3, 1e5}) {
    for (const auto rule : {rdp_conversion::improved, rdp_conversion::exact}) {
      const rdp_accountant accountant(repeated({.noise = gaussian_noise{sigma}}, 1), {.conversion = rule});
      for (double delta = 1e-8; delta < 1; delta *= 1.7) {
        CAPTURE(sigma, delta);
        if (accountant.epsilon(delta) == 0) CHECK(gaussian_delta(sigma, 0) <= delta);
      }
    }
  }
  const ledger book = repeated({.noise = gaussian_noise{1e3}}, 1);
  const rdp_accountant with(book, {.conversion = rdp_conversion::improved});
  const rdp_accountant without(book, {.conversion = rdp_conversion::improved, .shortcut = false});
  CHECK(with.epsilon(1e-3) == 0);
  CHECK(with.delta(0) < 1e-3);
  CHECK(without.epsilon(1e-5) == with.epsilon(1e-5));
}

TEST_CASE("Gaussian ledgers are above the exact answer and near it") {
  for (const double sigma : {0.3, 1.0, 8.0, 200.0}) {
    for (const double delta : {1e-3, 1e-6, 1e-15, 1e-60}) {
      for (const std::uint64_t count : {1U, 37U}) {
        CAPTURE(sigma, delta, count);
        const rdp_accountant accountant(repeated({.noise = gaussian_noise{sigma}}, count));
        const double truth = gaussian_epsilon(sigma / std::sqrt(static_cast<double>(count)), delta);
        CHECK(accountant.epsilon(delta) >= truth);
        CHECK(accountant.epsilon(delta) <= 1.5 * truth + 1e-3);
        CHECK(accountant.log_delta(truth) >= std::log(delta) * (1 + 1e-9));
      }
    }
  }
}

TEST_CASE("discrete mechanisms, composed by enumeration, never exceed the accountant's delta") {
  const auto response = [](double noise, int buckets) {
    const double low = noise / buckets, high = 1 - noise + low;
    return pair_of_laws{{high, low}, {low, high}, {(buckets - 2) * low, (buckets - 2) * low}};
  };
  const auto opaque = [](double epsilon, double delta) {
    const double low = (1 - delta) / (1 + std::exp(epsilon)), high = low * std::exp(epsilon);
    return pair_of_laws{{delta, 0}, {high, low}, {low, high}, {0, delta}};
  };
  struct example {
    mechanism noise;
    pair_of_laws laws;
  };
  for (const example& e :
       {example{randomized_response{0.4, 2}, response(0.4, 2)}, example{randomized_response{0.2, 5}, response(0.2, 5)},
        example{approximate_dp{0.8}, opaque(0.8, 0)}, example{approximate_dp{0.5, 0.01}, opaque(0.5, 0.01)},
        example{approximate_dp{0, 0.05}, opaque(0, 0.05)}}) {
    for (const double rate : {1.0, 0.3, 0.02}) {
      for (const int count : {1, 2, 6}) {
        const rdp_accountant accountant(
            repeated({.noise = e.noise, .sampling = poisson_sample{rate}}, static_cast<std::uint64_t>(count)));
        const pair_of_laws laws = mixed(e.laws, rate);
        for (const double epsilon : {0.0, 0.05, 0.4, 1.5}) {
          CAPTURE(e.noise.index(), rate, count, epsilon);
          const double truth =
              std::max(hockey_stick(laws, count, epsilon), hockey_stick(swapped(laws), count, epsilon));
          const double bound = accountant.delta(epsilon);
          CHECK(bound >= truth * (1 - 1e-12));
          if (bound < 0.99) CHECK(accountant.epsilon(bound * (1 + 1e-9)) <= epsilon * (1 + 1e-3) + 1e-3);
        }
      }
    }
  }
}

TEST_CASE("opaque events take their delta from the target") {
  const ledger book = repeated({.noise = approximate_dp{0.5, 1e-7}}, 10);
  const rdp_accountant accountant(book);
  CHECK(accountant.reserved_delta() == Catch::Approx(1e-6).epsilon(1e-12));
  CHECK(accountant.epsilon(1e-6) == infinity);
  CHECK(accountant.epsilon(5e-7) == infinity);
  const double pure = rdp_accountant(repeated({.noise = approximate_dp{0.5}}, 10)).epsilon(1e-6);
  CHECK(accountant.epsilon(2e-6) == Catch::Approx(pure).epsilon(1e-8));
  CHECK(accountant.delta(100) >= 1e-6);
  CHECK(accountant.delta(100) <= 1.001e-6);
  CHECK(rdp_accountant(repeated({.noise = approximate_dp{0.5, 0.4}}, 3)).delta(1) == 1);
}

TEST_CASE("mixed ledgers add the curves of their entries") {
  ledger book;
  const privacy_event first = sampled_gaussian(0.02, 1.3), second{.noise = laplace_noise{8}, .label = "counts"};
  book.record(first, 500);
  book.record(second, 3);
  const rdp_accountant accountant(book);
  for (const double alpha : {1.2, 3.0, 24.5}) {
    CHECK(accountant.rdp(alpha) == Catch::Approx(500 * rdp(first, alpha) + 3 * rdp(second, alpha)).epsilon(1e-13));
  }
  CHECK(accountant.epsilon(1e-6) > rdp_accountant(repeated(first, 500)).epsilon(1e-6));
  CHECK(accountant.epsilon(1e-6) <= rdp_accountant(repeated(first, 500)).epsilon(1e-6) + 3.0 / 8);
}

TEST_CASE("alternating events cost the same as consecutive ones") {
  const privacy_event first = sampled_gaussian(0.02, 1.3), second{.noise = laplace_noise{8}};
  ledger turns, row;
  for (int i = 0; i < 50; ++i) {
    turns.record(first);
    turns.record(second);
  }
  row.record(first, 50);
  row.record(second, 50);
  CHECK(turns.entries().size() == 100);
  CHECK(rdp_accountant(turns).rdp(3) == Catch::Approx(rdp_accountant(row).rdp(3)).epsilon(1e-13));
  CHECK(rdp_accountant(turns).epsilon(1e-6) == Catch::Approx(rdp_accountant(row).epsilon(1e-6)).epsilon(1e-9));
}

TEST_CASE("pure ledgers tend to their linear sum") {
  const rdp_accountant accountant(repeated({.noise = approximate_dp{2}}, 5));
  CHECK(accountant.epsilon(1e-300) <= 10 * (1 + 1e-6));
  CHECK(accountant.epsilon(1e-300) > 9.5);
}

TEST_CASE("the empty ledger, delta 0 and delta 1") {
  const rdp_accountant empty{ledger()};
  CHECK(empty.epsilon(0) == 0);
  CHECK(empty.delta(0) == 0);
  CHECK(empty.rdp(2) == 0);
  const rdp_accountant one(repeated(sampled_gaussian(0.1, 1), 1));
  CHECK(one.epsilon(0) == infinity);
  CHECK(one.epsilon(1) == 0);
  CHECK(one.delta(infinity) == 0);
  CHECK(one.delta(0) > 0);
  CHECK(one.delta(0) <= 1);
  const rdp_accountant impossible(repeated({.noise = gaussian_noise{1e-300}}, 1));
  CHECK(impossible.epsilon(1e-5) == infinity);
  CHECK(impossible.delta(1) == 1);
}

TEST_CASE("random ledgers: epsilon is finite or infinite, falls with delta and noise, and grows with steps") {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> unit;
  for (int i = 0; i < 400; ++i) {
    const double q = std::pow(10, -9 * unit(engine)), sigma = std::pow(10, -1.3 + 5.3 * unit(engine));
    const double delta = std::pow(10, -50 * unit(engine));
    const auto steps = static_cast<std::uint64_t>(std::pow(10, 8 * unit(engine)));
    CAPTURE(q, sigma, delta, steps);
    const rdp_options closed{.conversion = rdp_conversion::improved};
    const auto epsilon = [&](double noise, std::uint64_t count, double target) {
      return rdp_accountant(repeated(sampled_gaussian(q, noise), count), closed).epsilon(target);
    };
    const double value = epsilon(sigma, steps, delta);
    CHECK(value >= 0);
    CHECK(value < infinity);
    CHECK(epsilon(sigma, steps, delta / 100) >= value * (1 - 1e-5));
    CHECK(epsilon(1.1 * sigma, steps, delta) <= value * (1 + 1e-5));
    CHECK(epsilon(sigma, 2 * steps, delta) >= value * (1 - 1e-5));
  }
}

TEST_CASE("the accountant refuses invalid arguments") {
  const ledger book = repeated({.noise = gaussian_noise{1}}, 1);
  CHECK_THROWS_AS(rdp_accountant(book, {.orders = {2, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(rdp_accountant(book, {.orders = {infinity}}), std::invalid_argument);
  const rdp_accountant accountant(book);
  for (const double delta : {-1e-9, 1.1, std::nan("")}) {
    CHECK_THROWS_AS(accountant.epsilon(delta), std::invalid_argument);
  }
  CHECK_THROWS_AS(accountant.delta(-1), std::invalid_argument);
  CHECK_THROWS_AS(accountant.log_delta(std::nan("")), std::invalid_argument);
  CHECK_THROWS_AS(accountant.rdp(1), std::invalid_argument);
}

TEST_CASE("the best order is found where curves are sums over integer orders", "[accounting][rdp]") {
  const auto best = [](const dplda::privacy_event& event, std::uint64_t count, double delta) {
    dplda::ledger book;
    book.record(event, count);
    return dplda::rdp_accountant(book).best_epsilon(delta);
  };
  // All were missed once: between the orders 1 and 2, between steps of the search, and where the sums end.
  CHECK(best({.noise = dplda::discrete_gaussian_noise{0.17994}, .sampling = dplda::poisson_sample{1.06e-8}}, 28629,
             6.5e-16)
            .value < 88.6);
  CHECK(best({.noise = dplda::gaussian_noise{0.63647262023398543},
              .sampling = dplda::fixed_size_sample{27, 6838291},
              .relation = dplda::neighbours::replace},
             1, 5.1680097481288199e-49)
            .value < 10.589);
  CHECK(best({.noise = dplda::gaussian_noise{4183.2737544929105},
              .sampling = dplda::fixed_size_sample{955, 46604157746},
              .relation = dplda::neighbours::replace},
             1, 2.0428724562995739e-27)
            .value < 0.001828);
}
