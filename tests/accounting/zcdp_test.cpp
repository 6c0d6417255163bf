// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/zcdp.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "accounting/precise.hpp"
#include "accounting/reference.hpp"
#include "support/catch.hpp"

using dplda::zcdp_budget;
using dplda::zcdp_conversion;
using dplda::zcdp_delta;
using dplda::zcdp_epsilon;
using dplda::zcdp_log_delta;
using dplda_tests::log_uniform;
using dplda_tests::real;
using dplda_tests::reference_records;

namespace {

const double infinite = std::numeric_limits<double>::infinity();

/// The least of a function with one valley over [lo, hi], by the golden section.
template <class Function>
real valley(const Function& f, double lo, double hi) {
  const real share = (sqrt(real(5)) - 1) / 2;
  real a = lo, b = hi, x = b - share * (b - a), y = a + share * (b - a), f_x = f(x), f_y = f(y);
  for (int i = 0; i < 100; ++i) {
    if (f_x < f_y) {
      b = y;
      y = x;
      f_y = f_x;
      f_x = f(x = b - share * (b - a));
    } else {
      a = x;
      x = y;
      f_x = f_y;
      f_y = f(y = a + share * (b - a));
    }
  }
  return f_x < f_y ? f_x : f_y;
}

/// The least log delta over all orders 1 + t, as Proposition 12 has it.
real precise_log_delta(double rho, double epsilon) {
  return valley(
      [&](const real& log_t) {
        const real t = exp(log_t), order = 1 + t;
        return t * (order * rho - epsilon) + order * log(t / order) - log_t;
      },
      -100, 800);
}

/// The least epsilon over all orders 1 + t.
real precise_epsilon(double rho, double delta) {
  return valley(
      [&](const real& log_t) {
        const real t = exp(log_t), order = 1 + t;
        return order * rho + (order * log(t / order) - log_t - log(real(delta))) / t;
      },
      -100, 800);
}

}  // namespace

TEST_CASE("zCDP to delta agrees with the reference figures") {
  for (const auto& record : reference_records("zcdp_to_delta")) {
    CAPTURE(record.id());
    const double rho = record.param("rho"), epsilon = record.param("eps");
    const double tight = zcdp_log_delta(rho, epsilon);
    CHECK(record.agrees("log_delta_tight_cks", tight));
    CHECK(zcdp_delta(rho, epsilon) == Catch::Approx(std::exp(tight)).epsilon(1e-12).margin(1e-300));
    const double basic = zcdp_log_delta(rho, epsilon, zcdp_conversion::basic);
    if (record.has_expected("delta_basic") && record.expected("delta_basic") > 0)
      CHECK(basic == Catch::Approx(std::log(record.expected("delta_basic"))).epsilon(record.tolerance("rel")));
    // The closed form of Bun and Steinke's Lemma 3.6 lies between.
    if (record.has_expected("delta_bs_lemma36")) {
      CHECK(std::exp(tight) <= record.expected("delta_bs_lemma36"));
      CHECK(std::exp(basic) * (1 + 1e-12) >= record.expected("delta_bs_lemma36"));
    }
  }
}

TEST_CASE("zCDP to epsilon agrees with the reference figures") {
  for (const auto& record : reference_records("zcdp_to_eps")) {
    CAPTURE(record.id());
    const double rho = record.param("rho"), delta = record.param("delta");
    CHECK(record.agrees("eps_basic", zcdp_epsilon(rho, delta, zcdp_conversion::basic)));
    CHECK(record.agrees("eps_tight_cks", zcdp_epsilon(rho, delta)));
    CHECK(record.agrees("eps_gaussian_exact", dplda::gaussian_epsilon(std::sqrt(0.5 / rho), delta)));
  }
}

TEST_CASE("largest rho of a budget agrees with the reference figures") {
  for (const auto& record : reference_records("dp_to_zcdp_budget")) {
    CAPTURE(record.id());
    const double epsilon = record.param("eps"), delta = record.param("delta");
    CHECK(record.agrees("rho_basic", zcdp_budget(epsilon, delta, zcdp_conversion::basic)));
    CHECK(record.agrees("rho_tight_cks", zcdp_budget(epsilon, delta)));
  }
}

TEST_CASE("rho of pure privacy agrees with the reference figures, below that of Bun and Steinke") {
  for (const auto& record : reference_records("pure_to_zcdp")) {
    CAPTURE(record.id());
    const double rho = dplda::pure_dp_rho(record.param("eps"));
    CHECK(record.agrees("rho_optimal", rho));
    CHECK(rho < record.expected("rho_bun_steinke"));
  }
}

TEST_CASE("zCDP conversions are never below the truth") {
  std::mt19937_64 bits(5);
  for (int i = 0; i < 100; ++i) {
    const double rho = log_uniform(bits, 1e-8, 100), epsilon = i % 8 == 0 ? 0 : log_uniform(bits, 1e-4, 1e4);
    const double delta = i % 5 == 0 ? 1 - log_uniform(bits, 1e-8, 0.5) : log_uniform(bits, 1e-300, 0.5);
    CAPTURE(rho, epsilon, delta);
    const real log_delta = precise_log_delta(rho, epsilon), value = zcdp_log_delta(rho, epsilon);
    CHECK(value >= log_delta);
    CHECK(value <= log_delta * (1 - 1e-9));
    const real exact = precise_epsilon(rho, delta), upper = zcdp_epsilon(rho, delta);
    CHECK(upper >= exact);
    CHECK(upper <= std::max(0.0, static_cast<double>(exact)) * (1 + 1e-9) + 1e-11);

    const double allowed = zcdp_budget(epsilon, delta);
    CAPTURE(allowed);
    if (allowed > 1e-300) {
      CHECK(precise_epsilon(allowed, delta) <= real(epsilon));
      CHECK(zcdp_epsilon(allowed * (1 + 1e-8), delta) >= epsilon);
    }
    const double basic = zcdp_budget(epsilon, delta, zcdp_conversion::basic);
    CHECK(basic <= allowed * (1 + 1e-9));
    const real root = sqrt(real(basic)) * (sqrt(real(basic)) + 2 * sqrt(-log(real(delta))));
    CHECK(root <= real(epsilon));
    CHECK(real(zcdp_epsilon(rho, delta, zcdp_conversion::basic)) >=
          sqrt(real(rho)) * (sqrt(real(rho)) + 2 * sqrt(-log(real(delta)))));
  }
}

TEST_CASE("tight zCDP lies between the Gaussian truth and the basic conversion") {
  std::mt19937_64 bits(6);
  for (int i = 0; i < 2000; ++i) {
    const double multiplier = log_uniform(bits, 0.05, 1e4), delta = log_uniform(bits, 1e-200, 0.9);
    CAPTURE(multiplier, delta);
    const double rho = dplda::gaussian_rho(multiplier), tight = zcdp_epsilon(rho, delta);
    CHECK(tight >= dplda::gaussian_epsilon(multiplier, delta) * (1 - 1e-12));
    CHECK(tight <= zcdp_epsilon(rho, delta, zcdp_conversion::basic));
  }
}

TEST_CASE("rho bounds the Renyi divergence at every order, and is attained") {
  std::mt19937_64 bits(7);
  for (int i = 0; i < 40; ++i) {
    const double epsilon = log_uniform(bits, 1e-4, 50);
    const double pure = dplda::pure_dp_rho(epsilon), laplace = dplda::laplace_rho(1 / epsilon);
    CHECK(laplace <= pure);
    const real e = epsilon, laplace_divergence = 1 / real(1 / epsilon) + exp(-1 / real(1 / epsilon)) - 1;
    CHECK(real(laplace) >= laplace_divergence);
    CHECK(real(laplace) <= laplace_divergence * (1 + 1e-13));
    CHECK(real(pure) >= e * tanh(e / 2));
    CHECK(real(pure) <= e * tanh(e / 2) * (1 + 1e-13));
    for (int j = 0; j < 20; ++j) {
      const double alpha = 1 + log_uniform(bits, 1e-6, 1e4);
      CAPTURE(epsilon, alpha);
      const real a = alpha, yes = 1 / (1 + exp(-e)), no = 1 - yes;
      CHECK(log(yes * exp((a - 1) * e) + no * exp((1 - a) * e)) / (a - 1) <= a * pure);
      // Mironov, Proposition 6.
      CHECK(log(a / (2 * a - 1) * exp((a - 1) * e) + (a - 1) / (2 * a - 1) * exp(-a * e)) / (a - 1) <=
            a * laplace * (1 + 1e-14));
    }
  }
  CHECK(dplda::gaussian_rho(2) >= 0.125);
  CHECK(dplda::gaussian_rho(2) == Catch::Approx(0.125).epsilon(1e-14));
  CHECK(dplda::discrete_gaussian_rho(2) == dplda::gaussian_rho(2));
}

TEST_CASE("zCDP at the ends of its ranges, and refused arguments") {
  CHECK(zcdp_log_delta(0, 0) == -infinite);
  CHECK(zcdp_log_delta(infinite, 5) == 0);
  CHECK(zcdp_log_delta(1, infinite) == -infinite);
  CHECK(zcdp_delta(1000, 0) == 1);
  CHECK(zcdp_delta(1e-300, 1) > 0);
  CHECK(zcdp_epsilon(0, 0) == 0);
  CHECK(zcdp_epsilon(1, 0) == infinite);
  CHECK(zcdp_epsilon(infinite, 0.5) == infinite);
  CHECK(zcdp_epsilon(infinite, 1) == 0);
  CHECK(zcdp_epsilon(1e-12, 1e-3) == 0);
  CHECK(zcdp_budget(1, 0) == 0);
  CHECK(zcdp_budget(1, 1) == infinite);
  CHECK(zcdp_budget(infinite, 0) == infinite);
  CHECK(zcdp_budget(0, 1e-5, zcdp_conversion::basic) == 0);
  CHECK(zcdp_budget(0, 1e-5) > 0);
  CHECK(dplda::gaussian_rho(infinite) == 0);
  CHECK(dplda::gaussian_rho(1e-200) == infinite);
  CHECK(dplda::laplace_rho(infinite) == 0);
  CHECK(dplda::laplace_rho(1e-310) == infinite);
  CHECK(dplda::pure_dp_rho(0) == 0);
  CHECK(dplda::pure_dp_rho(infinite) == infinite);
  for (const double rho : {1e-300, 1e-100, 1e-5, 1.0, 1e5, 1e100, 1e300}) {
    for (const double x : {1e-300, 1e-100, 1e-5, 0.5, 1 - 1e-16}) {
      for (const zcdp_conversion conversion : {zcdp_conversion::basic, zcdp_conversion::tight}) {
        CAPTURE(rho, x);
        for (const double epsilon : {0.0, x, 1 / x}) {
          CHECK(zcdp_log_delta(rho, epsilon, conversion) <= 0);
          CHECK(std::isfinite(zcdp_log_delta(rho, epsilon, conversion)));
          CHECK(zcdp_budget(epsilon, x, conversion) >= 0);
        }
        CHECK(zcdp_epsilon(rho, x, conversion) >= 0);
      }
    }
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan}) {
    CHECK_THROWS_AS(zcdp_log_delta(bad, 1), std::invalid_argument);
    CHECK_THROWS_AS(zcdp_log_delta(1, bad), std::invalid_argument);
    CHECK_THROWS_AS(zcdp_epsilon(bad, 0.1), std::invalid_argument);
    CHECK_THROWS_AS(zcdp_epsilon(1, bad), std::invalid_argument);
    CHECK_THROWS_AS(zcdp_budget(bad, 0.1), std::invalid_argument);
    CHECK_THROWS_AS(zcdp_budget(1, bad), std::invalid_argument);
    CHECK_THROWS_AS(dplda::gaussian_rho(bad), std::invalid_argument);
    CHECK_THROWS_AS(dplda::laplace_rho(bad), std::invalid_argument);
    CHECK_THROWS_AS(dplda::pure_dp_rho(bad), std::invalid_argument);
  }
  CHECK_THROWS_WITH(dplda::discrete_gaussian_rho(0),
                    "dplda::discrete_gaussian_rho: multiplier is 0, but must be positive");
}
