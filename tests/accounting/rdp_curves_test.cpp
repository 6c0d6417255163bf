// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/rdp_curves.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
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
using wide = boost::multiprecision::cpp_bin_float_50;
/// Enough digits for forward differences that cancel to 1e-150 of their terms.
using wider = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<250>>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// value / truth - 1, found in 50 digits.
template <class Wide>
double excess(double value, const Wide& truth) {
  return static_cast<double>((Wide(value) - truth) / truth);
}

/// The base curve that a reference record names.
std::function<double(double)> base_curve(const reference_record& record) {
  const std::string base = record.param_text("base");
  const double p = record.param("base_param");
  if (base == "gaussian") return [p](double a) { return gaussian_rdp(p, a); };
  if (base == "laplace") return [p](double a) { return laplace_rdp(p, a); };
  if (base == "pure_dp") return [p](double a) { return pure_dp_rdp(p, a); };
  if (base == "randomized_response") return [p](double a) { return randomized_response_rdp(2 * (1 - p), 2, a); };
  throw std::runtime_error("unknown base " + base);
}

/// E_N(0,1)[f(z)] by the trapezoidal rule, `nodes` in a unit, between the ends.
template <class Function>
wide normal_mean(Function f, double from, double to, int nodes) {
  const wide h = wide(1) / nodes;
  wide sum = 0;
  const int first = static_cast<int>(std::floor(from * nodes)), last = static_cast<int>(std::ceil(to * nodes));
  for (int i = first; i <= last; ++i) {
    const wide z = i * h;
    sum += exp(-z * z / 2) * f(z);
  }
  return sum * h / sqrt(2 * boost::math::constants::pi<wide>());
}

/// The sampled Gaussian's divergence of order a, forward (mixture against Gaussian) or backward.
wide sampled_gaussian_truth(double q, double sigma, double a, bool forward) {
  const wide s = sigma;
  const auto ratio = [&](const wide& z) { return 1 + wide(q) * (exp((z - 1 / (2 * s)) / s) - 1); };
  const auto term = [&](const wide& z) {
    const wide r = ratio(z);
    return forward ? wide(pow(r, wide(a)) - 1 - wide(a) * (r - 1))
                   : wide(pow(r, 1 - wide(a)) - 1 - (1 - wide(a)) * (r - 1));
  };
  const int nodes = static_cast<int>(std::ceil(std::max(4.0, 4 / sigma)));
  return log(1 + normal_mean(term, -13, std::max(a, 2.0) / sigma + 13, nodes)) / (wide(a) - 1);
}

wide binomial(int n, int k) {
  wide product = 1;
  for (int i = 1; i <= k; ++i) product = product * (n - k + i) / i;
  return product;
}

wide pure_truth(const wide& epsilon, const wide& a) {
  const wide moment = (exp(a * epsilon) + exp((1 - a) * epsilon)) / (1 + exp(epsilon));
  return log(moment) / (a - 1);
}

wide laplace_truth(const wide& b, const wide& a) {
  return log(a / (2 * a - 1) * exp((a - 1) / b) + (a - 1) / (2 * a - 1) * exp(-a / b)) / (a - 1);
}

}  // namespace

TEST_CASE("reference: unsampled curves") {
  for (const auto& r : reference_records("rdp_gaussian")) {
    INFO(r.id());
    CHECK(r.agrees("rdp", gaussian_rdp(r.param("sigma"), r.param("alpha"))));
  }
  for (const auto& r : reference_records("rdp_laplace")) {
    INFO(r.id());
    CHECK(r.agrees("rdp", laplace_rdp(r.param("b"), r.param("alpha"))));
  }
  for (const auto& r : reference_records("rdp_pure_dp")) {
    INFO(r.id());
    CHECK(r.agrees("rdp", pure_dp_rdp(r.param("eps"), r.param("alpha"))));
  }
  for (const auto& r : reference_records("rdp_randomized_response")) {
    INFO(r.id());
    CHECK(r.param("buckets") == 2);
    CHECK(r.agrees("rdp", randomized_response_rdp(2 * (1 - r.param("p_truth")), 2, r.param("alpha"))));
  }
  for (const auto& r : reference_records("rdp_randomized_response_k")) {
    INFO(r.id());
    const auto buckets = static_cast<std::uint64_t>(r.param("buckets"));
    CHECK(r.agrees("rdp", randomized_response_rdp(r.param("noise_parameter"), buckets, r.param("alpha"))));
  }
}

TEST_CASE("reference: Poisson-sampled Gaussian") {
  for (const auto& r : reference_records("sgm_rdp")) {
    INFO(r.id());
    const double q = r.param("q"), sigma = r.param("sigma"), alpha = r.param("alpha");
    const double value = poisson_gaussian_rdp(q, sigma, alpha);
    CHECK(r.agrees("rdp", value));
    if (alpha == std::floor(alpha)) {
      const auto gaussian = [&](double l) { return gaussian_rdp(sigma, l); };
      CHECK(r.agrees("rdp", poisson_rdp(q, gaussian, alpha, poisson_bound::tight)));
    }
  }
}

TEST_CASE("reference: Poisson sampling of any mechanism") {
  for (const auto& r : reference_records("poisson_rdp_generic")) {
    INFO(r.id());
    const double q = r.param("q"), alpha = r.param("alpha");
    const auto base = base_curve(r);
    CHECK(r.agrees("rdp_zhu_wang_general", poisson_rdp(q, base, alpha, poisson_bound::general)));
    CHECK(r.agrees("rdp_zhu_wang_tight", poisson_rdp(q, base, alpha, poisson_bound::tight)));
  }
}

TEST_CASE("reference: sampling without replacement") {
  for (const auto& r : reference_records("wor_rdp")) {
    INFO(r.id());
    const double q = r.param("q"), alpha = r.param("alpha");
    const double pure = r.has_param("eps_inf") ? r.param("eps_inf") : infinity;
    CHECK(r.agrees("rdp_wbk_thm9", fixed_size_rdp(q, base_curve(r), pure, alpha)));
    if (r.has_expected("rdp_wbk_thm27")) {
      CHECK(r.agrees("rdp_wbk_thm27", fixed_size_gaussian_rdp(q, r.param("base_param"), alpha)));
    }
  }
}

TEST_CASE("eq (3) of Huang and Chen: their Table 3 in full, at factor 3, and for Laplace noise") {
  struct row {
    double rate, full, factor_3, laplace;
  };
  const double sigma = std::sqrt(3.5);
  const auto gaussian = [&](double l) { return gaussian_rdp(sigma, l); };
  const auto laplace = [](double l) { return laplace_rdp(0.4877, l); };
  CHECK(gaussian(14) == Catch::Approx(2).epsilon(1e-12));
  CHECK(laplace(14) == Catch::Approx(2).margin(1e-4));
  for (const row& r : {row{0.1, 0.0465, 0.099, 0.353}, row{0.3, 0.7719, 0.856, 0.987}, row{0.5, 1.2809, 1.365, 1.384},
                       row{0.7, 1.6273, 1.712, 1.674}, row{0.9, 1.8895, 1.974, 1.902}}) {
    INFO(r.rate);
    CHECK(poisson_rdp(r.rate, gaussian, 14, poisson_bound::tight) == Catch::Approx(r.full).margin(5.1e-5));
    CHECK(poisson_rdp(r.rate, gaussian, 14, poisson_bound::general) == Catch::Approx(r.factor_3).margin(5.1e-4));
    CHECK(poisson_rdp(r.rate, laplace, 14, poisson_bound::tight) == Catch::Approx(r.laplace).margin(6e-4));
  }
}

TEST_CASE("the sampled Gaussian at random parameters is above 50 digits of the truth, within 1e-10") {
  std::mt19937_64 engine(20210517);
  std::uniform_real_distribution<double> unit;
  int points = 0;
  while (points < 100) {
    const double q = std::pow(10, -9 * unit(engine)), sigma = std::pow(10, -1.3 + 5.3 * unit(engine));
    const double alpha = 1 + std::pow(10, -3 + 9 * unit(engine));
    if (alpha / sigma > 60) continue;
    ++points;
    CAPTURE(q, sigma, alpha);
    const double value = poisson_gaussian_rdp(q, sigma, alpha);
    const double error = excess(value, sampled_gaussian_truth(q, sigma, alpha, true));
    CHECK(error >= 0);
    CHECK(error <= 1e-10);
  }
}

TEST_CASE("the sampled Gaussian at extreme parameters, where only parts of the integral matter") {
  // Against the sum over integer orders, whose terms are evaluated in 50 digits.
  struct point {
    double q, sigma;
    int alpha;
  };
  for (const point& p : {point{1e-9, 0.05, 64}, point{1e-3, 1, 700}, point{1e-9, 2, 300}, point{1e-6, 3, 1024},
                         point{0.01, 20, 1500}, point{0.3, 10, 1000}, point{1e-4, 15, 1800}, point{1e-9, 6, 1500}}) {
    CAPTURE(p.q, p.sigma, p.alpha);
    wide sum = 0, weight = pow(1 - wide(p.q), p.alpha);
    for (int l = 0; l <= p.alpha; ++l) {
      if (l >= 2) sum += weight * (exp(wide(l) * (l - 1) / (2 * wide(p.sigma) * wide(p.sigma))) - 1);
      weight *= wide(p.alpha - l) / (l + 1) * wide(p.q) / (1 - wide(p.q));
    }
    const double error = excess(poisson_gaussian_rdp(p.q, p.sigma, p.alpha), wide(log(1 + sum) / (p.alpha - 1)));
    CHECK(error >= 0);
    CHECK(error <= 1e-10);
  }
}

TEST_CASE("adding a unit costs more than removing one: the mixture comes first") {
  for (const double q : {0.001, 0.1, 0.5, 0.9}) {
    for (const double sigma : {0.5, 1.0, 4.0}) {
      for (const double alpha : {1.1, 2.0, 7.3}) {
        CAPTURE(q, sigma, alpha);
        CHECK(sampled_gaussian_truth(q, sigma, alpha, false) <= sampled_gaussian_truth(q, sigma, alpha, true));
      }
    }
  }
  // The inequality between two mirrored points on which it rests, for every mechanism with a reflection.
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> unit;
  for (int i = 0; i < 300; ++i) {
    const wide r = exp(wide(8 * unit(engine) - 4)), q = unit(engine), a = 1 + std::pow(10, -2 + 4 * unit(engine));
    const wide m0 = (1 - q) + q * r, m1 = (1 - q) * r + q;
    const wide forward = pow(m0, a) + pow(m1, a) * pow(r, 1 - a);
    const wide backward = pow(m0, 1 - a) + pow(m1, 1 - a) * pow(r, a);
    CHECK(forward >= backward * (1 - wide(1e-45)));
  }
}

TEST_CASE("closed curves at random parameters are above 50 digits of the truth, within 1e-11") {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> unit;
  for (int i = 0; i < 400; ++i) {
    const double x = std::pow(10, -6 + 8 * unit(engine)), alpha = 1 + std::pow(10, -6 + 10 * unit(engine));
    CAPTURE(x, alpha);
    const double laplace = excess(laplace_rdp(x, alpha), laplace_truth(x, alpha));
    CHECK((laplace >= 0 && laplace <= 1e-11));
    const double pure = excess(pure_dp_rdp(x, alpha), pure_truth(x, alpha));
    CHECK((pure >= 0 && pure <= 1e-11));
    const double noise = std::min(1.0, std::pow(10, -4 + 4.01 * unit(engine)));
    const std::uint64_t buckets = 2 + engine() % 50;
    const wide low = wide(noise) / wide(buckets), high = 1 - wide(noise) + low, a = alpha;
    const wide moment = pow(high, a) * pow(low, 1 - a) + pow(low, a) * pow(high, 1 - a) + 1 - low - high;
    CAPTURE(noise, buckets);
    if (noise < 1) {
      const double response = excess(randomized_response_rdp(noise, buckets, alpha), wide(log(moment) / (a - 1)));
      CHECK((response >= 0 && response <= 1e-11));
    } else {
      CHECK(randomized_response_rdp(noise, buckets, alpha) == 0);
    }
    CHECK(excess(gaussian_rdp(x, alpha), wide(a / (2 * wide(x) * x))) >= 0);
  }
}

TEST_CASE("sums over integer orders are above 50 digits of their formulas, within 1e-10") {
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> unit;
  for (int i = 0; i < 60; ++i) {
    const double q = std::pow(10, -6 * unit(engine)), b = std::pow(10, -1 + 3 * unit(engine));
    const int n = 2 + static_cast<int>(engine() % 60);
    CAPTURE(q, b, n);
    const wide g = q;
    for (const int factor : {1, 3}) {
      wide moment = pow(1 - g, n - 1) * (n * g - g + 1);
      for (int l = 2; l <= n; ++l) {
        moment +=
            (l < 3 ? 1 : factor) * binomial(n, l) * pow(1 - g, n - l) * pow(g, l) * exp((l - 1) * laplace_truth(b, l));
      }
      const auto curve = [&](double l) { return laplace_rdp(b, l); };
      const double error = excess(poisson_rdp(q, curve, n, factor == 1 ? poisson_bound::tight : poisson_bound::general),
                                  wide(log(moment) / (n - 1)));
      CHECK((error >= 0 && error <= 1e-10));
    }
    wide moment = 1;
    const wide pure = exp(1 / wide(b)) - 1;
    for (int j = 2; j <= n; ++j) {
      const wide d = laplace_truth(b, j), tail = std::min(wide(2), wide(pow(pure, j)));
      const wide term = j == 2 ? std::min(wide(4 * (exp(d) - 1)), wide(exp(d) * tail)) : wide(exp((j - 1) * d) * tail);
      moment += binomial(n, j) * pow(g, j) * term;
    }
    const double error = excess(fixed_size_rdp(
                                    q, [&](double l) { return laplace_rdp(b, l); }, 1 / b, n),
                                wide(log(moment) / (n - 1)));
    CHECK((error >= -1e-14 && error <= 1e-10));  // 1 / b is rounded before the call
  }
}

TEST_CASE("trap 5: tiny moments keep their digits and their sign") {
  const auto second = [](double q, double sigma) {
    return static_cast<double>(log(1 + wide(q) * q * (exp(1 / (wide(sigma) * sigma)) - 1)));
  };
  for (const double q : {1e-9, 1e-8, 1e-6, 1e-3}) {
    for (const double sigma : {0.3, 1.0, 1e3, 1e4, 1e8}) {
      CAPTURE(q, sigma);
      const double value = poisson_gaussian_rdp(q, sigma, 2), truth = second(q, sigma);
      CHECK(value >= truth);
      CHECK(value <= truth * (1 + 1e-11));
      CHECK(poisson_gaussian_rdp(q, sigma, 1.5) > 0);
      CHECK(poisson_gaussian_rdp(q, sigma, 1.5) <= value);
    }
  }
  CHECK(poisson_gaussian_rdp(1e-6, 1e3, 2) == Catch::Approx(1.0e-18).epsilon(1e-6));
}

TEST_CASE("trap 7: fractional orders are exact, not a bound by the unsigned series") {
  struct point {
    double q, sigma, alpha;
  };
  for (const point& p : {point{0.01, 1, 2.5}, point{0.01, 1, 1.1}, point{0.01, 1e3, 1.1}, point{0.25, 2, 1.3},
                         point{0.25, 2, 1.4}, point{0.25, 2, 1.5}, point{0.25, 2, 1.6}, point{0.5, 0.3, 1.1}}) {
    CAPTURE(p.q, p.sigma, p.alpha);
    const double error =
        excess(poisson_gaussian_rdp(p.q, p.sigma, p.alpha), sampled_gaussian_truth(p.q, p.sigma, p.alpha, true));
    CHECK((error >= 0 && error <= 1e-11));
  }
}

TEST_CASE("trap 9: forward differences do not cancel") {
  CHECK(fixed_size_gaussian_rdp(0.5, 50, 64) == Catch::Approx(0.012503708608981376).epsilon(1e-9));
  struct point {
    double q, sigma;
    int n;
  };
  for (const point& p : {point{0.5, 50, 31}, point{0.01, 5, 40}, point{0.1, 0.7, 12}, point{0.9, 20, 24},
                         point{1e-4, 100, 20}, point{0.3, 0.05, 6}, point{0.2, 0.4, 9}}) {
    CAPTURE(p.q, p.sigma, p.n);
    const wider two_variances = 2 * wider(p.sigma) * wider(p.sigma);
    const auto difference = [&](int l) {
      wider sum = 0, choose = 1;
      for (int i = 0; i <= l; ++i) {
        sum += (i % 2 == 0 ? 1 : -1) * choose * exp(wider(i) * (i - 1) / two_variances);
        choose = choose * (l - i) / (i + 1);
      }
      return sum;
    };
    wider moment = 1, choose = p.n;
    for (int j = 2; j <= p.n; ++j) {
      choose = choose * (p.n - j + 1) / j;
      const wider growth = exp(wider(j) * (j - 1) / two_variances);
      const wider spread =
          j == 2 ? wider(4 * (growth - 1)) : wider(4 * sqrt(difference(j / 2 * 2) * difference((j + 1) / 2 * 2)));
      moment += choose * pow(wider(p.q), j) * (spread < 2 * growth ? spread : wider(2 * growth));
    }
    const double error = excess(fixed_size_gaussian_rdp(p.q, p.sigma, p.n), wider(log(moment) / (p.n - 1)));
    CHECK((error >= 0 && error <= 1e-11));
  }
}

TEST_CASE("trap 14: the general Poisson bound is the published one, above the tight one") {
  const auto one = [](double l) { return gaussian_rdp(1, l); };
  const auto five = [](double l) { return gaussian_rdp(5, l); };
  CHECK(poisson_rdp(0.5, five, 3, poisson_bound::general) == Catch::Approx(0.13620122553427505).epsilon(1e-9));
  for (const double q : {1e-4, 0.01, 0.5}) {
    for (const double alpha : {2.0, 3.0, 8.0, 33.0}) {
      CAPTURE(q, alpha);
      const double general = poisson_rdp(q, one, alpha, poisson_bound::general);
      const double tight = poisson_rdp(q, one, alpha, poisson_bound::tight);
      if (alpha == 2) CHECK(general == tight);
      if (alpha > 2) CHECK(general > tight);
      CHECK(tight == Catch::Approx(poisson_gaussian_rdp(q, 1, alpha)).epsilon(1e-10));
    }
  }
  // A mechanism of which only zCDP is claimed gets the general bound, never the tight one of the Gaussian.
  const privacy_event discrete{.noise = discrete_gaussian_noise{1}, .sampling = poisson_sample{0.01}};
  CHECK(rdp(discrete, 8) >= poisson_rdp(0.01, one, 8, poisson_bound::general) * (1 - 1e-12));
}

TEST_CASE("curves of events: sampling never raises them, they grow with the order, and a rate of 1 is no sampling") {
  const std::vector<mechanism> kinds = {gaussian_noise{0.8},
                                        gaussian_noise{30},
                                        laplace_noise{0.5},
                                        laplace_noise{40},
                                        randomized_response{0.3, 2},
                                        randomized_response{0.9, 20},
                                        discrete_gaussian_noise{2.5},
                                        approximate_dp{0.5},
                                        approximate_dp{6}};
  for (const mechanism& noise : kinds) {
    for (const bool fixed : {false, true}) {
      const neighbours relation = fixed ? neighbours::replace : neighbours::add_remove;
      rdp_curve whole({.noise = noise, .relation = relation});
      double below = 0;
      for (const double q : {0.001, 0.03, 0.5, 1.0}) {
        const sampling sample = fixed ? sampling(fixed_size_sample{static_cast<std::uint64_t>(q * 1000), 1000})
                                      : sampling(poisson_sample{q});
        rdp_curve curve({.noise = noise, .sampling = sample, .relation = relation});
        CAPTURE(noise.index(), fixed, q);
        double last = 0;
        for (double alpha = 1.001; alpha < 2e4; alpha *= 1.5) {
          CAPTURE(alpha);
          const double value = curve(alpha);
          CHECK(std::isfinite(value));
          CHECK(value > 0);
          CHECK(value <= whole(alpha));
          if (q == 1) CHECK(value == whole(alpha));
          // Chords and minima of bounds keep the truth's monotonicity only for curves without integer sums.
          if (!curve.piecewise()) CHECK(value >= last * (1 - 1e-10));
          last = value;
        }
        CHECK(curve(2) >= below);
        below = curve(2);
      }
    }
  }
}

TEST_CASE("published bounds are exactly the theorems", "[exact]") {
  rdp_curve subset({.noise = gaussian_noise{50}, .sampling = fixed_size_sample{1, 2}, .relation = neighbours::replace},
                   rdp_bounds::published);
  CHECK(subset(3) == Catch::Approx(fixed_size_gaussian_rdp(0.5, 50, 3)).epsilon(1e-13));
  CHECK(subset(3) > gaussian_rdp(50, 3));
  rdp_curve laplace({.noise = laplace_noise{2}, .sampling = poisson_sample{0.5}}, rdp_bounds::published);
  CHECK(laplace(8) == poisson_rdp(
                          0.5, [](double l) { return laplace_rdp(2, l); }, 8, poisson_bound::tight));
  rdp_curve response(
      {.noise = randomized_response{0.8, 2}, .sampling = fixed_size_sample{1, 2}, .relation = neighbours::replace},
      rdp_bounds::published);
  const double pure = std::log(1.5);
  CHECK(response(3) == Catch::Approx(fixed_size_rdp(
                           0.5, [](double l) { return randomized_response_rdp(0.8, 2, l); }, pure, 3)));
}

TEST_CASE("between integer orders the log moment is a chord, above the truth") {
  // The true curve of Laplace noise on a Poisson sample at order 2.5, by the trapezoidal rule over [0, 1] and the
  // atoms.
  const double b = 0.7, q = 0.2;
  rdp_curve curve({.noise = laplace_noise{b}, .sampling = poisson_sample{q}});
  for (const double a : {1.5, 2.5, 5.25}) {
    const auto power = [&](double log_ratio) { return std::pow(1 + q * std::expm1(log_ratio), a); };
    double truth = power(-1 / b) / 2 + std::exp(-1 / b) / 2 * power(1 / b);
    const int n = 200000;
    for (int i = 0; i < n; ++i) {
      const double x = (i + 0.5) / n;
      truth += std::exp(-x / b) / (2 * b) * power((2 * x - 1) / b) / n;
    }
    const double low = std::floor(a), part = a - low;
    const auto moment = [&](double order) { return order < 2 ? 0 : (order - 1) * curve(order); };
    CAPTURE(a);
    CHECK((a - 1) * curve(a) >= std::log(truth));
    CHECK((a - 1) * curve(a) <= (1 - part) * moment(low) + part * moment(low + 1) + 1e-12);
  }
}

TEST_CASE("(epsilon, delta) on a Poisson sample: the curve holds for the pair left after setting q delta aside") {
  for (const double q : {0.05, 0.7}) {
    for (const double epsilon : {0.0, 0.4, 3.0}) {
      for (const double delta : {1e-6, 0.1}) {
        rdp_curve curve({.noise = approximate_dp{epsilon, delta}, .sampling = poisson_sample{q}});
        CHECK(curve.reserved_delta() >= q * delta);
        CHECK(curve.reserved_delta() <= q * delta * (1 + 1e-14));
        // Outcomes: input 0 confessed, high, low, input 1 confessed.
        const wide d = delta, e = exp(wide(epsilon)), g = q;
        const std::vector<wide> m0 = {d, (1 - d) / (1 + e), (1 - d) * e / (1 + e), 0};
        const std::vector<wide> m1 = {0, (1 - d) * e / (1 + e), (1 - d) / (1 + e), d};
        for (const double alpha : {1.2, 2.0, 9.5, 200.0}) {
          CAPTURE(q, epsilon, delta, alpha);
          wide forward = 0, backward = 0;
          for (std::size_t i = 0; i < 3; ++i) {
            const wide mixed = ((1 - g) * m0[i] + g * m1[i]) / (1 - g * d);
            forward += pow(mixed, wide(alpha)) * pow(m0[i], 1 - wide(alpha));
            backward += pow(m0[i], wide(alpha)) * pow(mixed, 1 - wide(alpha));
          }
          const wide truth = log(forward > backward ? forward : backward) / (wide(alpha) - 1);
          const double error = excess(curve(alpha), truth);
          CHECK((error >= 0 && error <= 1e-11));
        }
      }
    }
  }
}

TEST_CASE("extremes are finite or explicitly infinite, never NaN, never negative") {
  const std::vector<double> orders = {1 + 1e-12, 1.001, 1.5, 2, 3, 64.5, 1e4, 1e6, 1e12, 1e300};
  for (const double x : {1e-300, 1e-100, 1e-3, 0.05, 1.0, 1e4, 1e100, 1e300}) {
    for (const mechanism& noise :
         std::vector<mechanism>{gaussian_noise{x}, laplace_noise{x}, discrete_gaussian_noise{x}, approximate_dp{x},
                                approximate_dp{x, 1e-9}, randomized_response{std::min(x, 1.0), 3}}) {
      for (const sampling& seen :
           std::vector<sampling>{all_units{}, poisson_sample{1e-300}, poisson_sample{1e-9}, poisson_sample{0.999999},
                                 fixed_size_sample{1, 1000000000}, fixed_size_sample{7, 8}}) {
        const bool fixed = std::holds_alternative<fixed_size_sample>(seen);
        rdp_curve curve(
            {.noise = noise, .sampling = seen, .relation = fixed ? neighbours::replace : neighbours::add_remove});
        for (const double alpha : orders) {
          if (alpha == 1e4 && curve.piecewise()) continue;
          CAPTURE(x, noise.index(), seen.index(), alpha);
          CHECK(curve(alpha) >= 0);
          if (x == 1.0) CHECK(curve(alpha) <= (alpha > 1e299 ? infinity : 1e301));
        }
      }
    }
  }
  CHECK(gaussian_rdp(1e-300, 2) == infinity);
  CHECK(rdp({.noise = gaussian_noise{1e-300}, .sampling = poisson_sample{0.5}}, 2) == infinity);
}

TEST_CASE("Poisson samples under replace: reference figures of replaced units") {
  // By quadrature with 40 digits (own_analysis.py). A unit's own norm is at most half the sensitivity.
  struct figure {
    double rate, multiplier, alpha, divergence;
  };
  for (const auto& [rate, multiplier, alpha, divergence] :
       {figure{0.01, 1, 2, 0.000100726015286}, figure{0.01, 1, 16, 0.000808125800318},
        figure{1e-6, 0.7, 3.7, 3.9414512653e-12}, figure{0.3, 5, 1.5, 0.00269435672262},
        figure{0.9, 0.7, 64, 18.5220828004}, figure{0.001, 0.2, 1.001, 0.000166244251626}}) {
    CAPTURE(rate, multiplier, alpha);
    const double found =
        rdp({.noise = gaussian_noise{multiplier}, .sampling = poisson_sample{rate}, .relation = neighbours::replace},
            alpha);
    CHECK(found >= divergence * (1 - 1e-11));
    CHECK(found <= divergence * (1 + 1e-10));
    CHECK(found <= gaussian_rdp(multiplier, alpha));
    const rdp_curve published(
        {.noise = gaussian_noise{multiplier}, .sampling = poisson_sample{rate}, .relation = neighbours::replace},
        rdp_bounds::published);
    CHECK(rdp_curve(published)(alpha) == gaussian_rdp(multiplier, alpha));
  }
}

TEST_CASE("Poisson samples under replace: long sums fall back on the unsampled curve") {
  const privacy_event event{
      .noise = gaussian_noise{0.01}, .sampling = poisson_sample{0.5}, .relation = neighbours::replace};
  for (const double alpha : {1.5, 100.0, 1e5}) {
    const double found = rdp(event, alpha);
    CHECK(found <= gaussian_rdp(0.01, alpha));
    CHECK(found > 0.9 * gaussian_rdp(0.01, alpha));
  }
}

TEST_CASE("curves refuse invalid arguments") {
  const auto curve = [](double l) { return gaussian_rdp(1, l); };
  for (const double alpha : {1.0, 0.5, -2.0, infinity, std::nan("")}) {
    CHECK_THROWS_AS(gaussian_rdp(1, alpha), std::invalid_argument);
    CHECK_THROWS_AS(laplace_rdp(1, alpha), std::invalid_argument);
    CHECK_THROWS_AS(pure_dp_rdp(1, alpha), std::invalid_argument);
    CHECK_THROWS_AS(randomized_response_rdp(0.5, 2, alpha), std::invalid_argument);
    CHECK_THROWS_AS(poisson_gaussian_rdp(0.1, 1, alpha), std::invalid_argument);
    CHECK_THROWS_AS(rdp({.noise = gaussian_noise{1}}, alpha), std::invalid_argument);
  }
  for (const double bad : {0.0, -1.0, infinity, std::nan("")}) {
    CHECK_THROWS_AS(gaussian_rdp(bad, 2), std::invalid_argument);
    CHECK_THROWS_AS(laplace_rdp(bad, 2), std::invalid_argument);
    CHECK_THROWS_AS(poisson_gaussian_rdp(0.1, bad, 2), std::invalid_argument);
    CHECK_THROWS_AS(fixed_size_gaussian_rdp(0.1, bad, 2), std::invalid_argument);
  }
  for (const double rate : {0.0, -0.1, 1.1, std::nan("")}) {
    CHECK_THROWS_AS(poisson_gaussian_rdp(rate, 1, 2), std::invalid_argument);
    CHECK_THROWS_AS(poisson_rdp(rate, curve, 2, poisson_bound::tight), std::invalid_argument);
    CHECK_THROWS_AS(fixed_size_rdp(rate, curve, infinity, 2), std::invalid_argument);
  }
  for (const double alpha : {1.5, 2.5, 1.0, 20000.0}) {
    CHECK_THROWS_AS(poisson_rdp(0.1, curve, alpha, poisson_bound::general), std::invalid_argument);
    CHECK_THROWS_AS(fixed_size_rdp(0.1, curve, infinity, alpha), std::invalid_argument);
    CHECK_THROWS_AS(fixed_size_gaussian_rdp(0.1, 1, alpha), std::invalid_argument);
  }
  CHECK_THROWS_AS(pure_dp_rdp(-1, 2), std::invalid_argument);
  CHECK_THROWS_AS(randomized_response_rdp(0, 2, 2), std::invalid_argument);
  CHECK_THROWS_AS(randomized_response_rdp(0.5, 1, 2), std::invalid_argument);
  CHECK_THROWS_AS(rdp({.noise = laplace_noise{1}, .sampling = fixed_size_sample{1, 2}}, 2), std::invalid_argument);
}

namespace {

using point = std::array<long double, 2>;

/// E_r[(|p - q| / r)^j] for Gaussians of these centres in the plane and standard deviation sigma, by the trapezoidal
/// rule.
long double ternary_moment(const point& p, const point& q, const point& r, long double sigma, int j) {
  const auto log_ratio = [&](const point& a, long double x, long double y) {  // log of a's density over r's
    const auto squares = [&](const point& c) { return (x - c[0]) * (x - c[0]) + (y - c[1]) * (y - c[1]); };
    return (squares(r) - squares(a)) / (2 * sigma * sigma);
  };
  // Where (p / r)^j r is largest: its centre is r + j (p - r).
  const long double reach = 9 * sigma + static_cast<long double>(j), h = sigma / 6;
  long double sum = 0;
  for (long double x = r[0] - reach; x <= r[0] + reach; x += h) {
    for (long double y = r[1] - reach; y <= r[1] + reach; y += h) {
      const long double own = ((x - r[0]) * (x - r[0]) + (y - r[1]) * (y - r[1])) / (2 * sigma * sigma);
      sum += std::pow(std::abs(std::exp(log_ratio(p, x, y)) - std::exp(log_ratio(q, x, y))), j) * std::exp(-own);
    }
  }
  return sum * h * h / (2 * std::acos(-1.0L) * sigma * sigma);
}

/// A law on the line: the mean of a noise law around each of the centres, or of the outcomes of randomised response.
struct mixture {
  std::vector<long double> centres;
  long double operator()(long double x, const std::function<long double(long double)>& noise) const {
    long double sum = 0;
    for (const long double c : centres) sum += noise(x - c);
    return sum / static_cast<long double>(centres.size());
  }
};

/// What is released of three units of which `size` are seen: all sums over subsets.
mixture sums_of_subsets(const std::array<long double, 3>& units, int size) {
  if (size == 1) return {{units[0], units[1], units[2]}};
  return {{units[0] + units[1], units[0] + units[2], units[1] + units[2]}};
}

/// The Renyi divergence of order a between the releases of two triples of units, by the trapezoidal rule.
long double divergence_of_triples(const std::array<long double, 3>& one, const std::array<long double, 3>& other,
                                  int size, long double a, long double width,
                                  const std::function<long double(long double)>& noise) {
  const mixture p = sums_of_subsets(one, size), q = sums_of_subsets(other, size);
  const long double h = width / 32, reach = 14 * width + 10;
  long double sum = 0;
  for (long double x = -reach; x <= reach; x += h) {
    const long double at_q = q(x, noise);
    if (at_q > 0) sum += std::pow(p(x, noise) / at_q, a) * at_q;
  }
  return std::log(sum * h) / (a - 1);
}

}  // namespace

TEST_CASE("fixed size: the terms bound |p - q|^j / r^j of triples of Gaussians, integrated directly") {
  // All three at most 1 apart: on a line, in the corners of a triangle, and in between.
  const long double root = std::sqrt(3.0L) / 2;
  const std::vector<std::array<point, 3>> triples = {{{{0, 0}, {1, 0}, {0, 0}}},
                                                     {{{0, 0}, {1, 0}, {0.5L, 0}}},
                                                     {{{1, 0}, {0, 0}, {0.5L, root}}},
                                                     {{{1, 0}, {0.5L, root}, {0, 0}}},
                                                     {{{0.2L, 0}, {0.9L, 0}, {0, 0.3L}}}};
  for (const double sigma : {0.8, 2.0, 8.0}) {
    detail::gaussian_differences differences(sigma);
    for (const int j : {2, 3, 4, 5, 6}) {
      const long double bound = std::exp(detail::fixed_size_gaussian_log_term(differences, sigma, j));
      long double largest = 0;
      for (const auto& [p, q, r] : triples) largest = std::max(largest, ternary_moment(p, q, r, sigma, j));
      CAPTURE(sigma, j, static_cast<double>(largest), static_cast<double>(bound));
      CHECK(largest <= bound);
      CHECK(bound <= 6 * largest);  // and the bound is no other formula's
    }
  }
}

TEST_CASE("fixed size: the curve bounds the divergence of releases of three units, integrated directly") {
  // One or two of three units are seen; the first is exchanged. Values lie in [0, 1], so that an exchange moves a sum
  // by at most 1. The trapezoidal rule is exact to 1e-12 for Gaussian noise and to 1e-4 for Laplace noise, whose
  // density has corners.
  const std::array<long double, 3> values{0, 0.4L, 1};
  std::vector<std::array<long double, 3>> pairs_of_others;
  for (const long double b : values)
    for (const long double c : values) pairs_of_others.push_back({0, b, c});
  double closest = 0;
  for (const int size : {1, 2}) {
    const fixed_size_sample seen{static_cast<std::uint64_t>(size), 3};
    for (const double scale : {0.7, 1.5, 4.0}) {
      const auto gaussian = [scale](long double x) {
        return std::exp(-x * x / (2 * static_cast<long double>(scale) * scale)) /
               (static_cast<long double>(scale) * std::sqrt(2 * std::acos(-1.0L)));
      };
      const auto laplace = [scale](long double x) {
        return std::exp(-std::abs(x) / scale) / (2 * static_cast<long double>(scale));
      };
      for (const double alpha : {1.3, 2.0, 2.5, 3.0, 5.0, 9.0}) {
        const double gaussian_bound =
            rdp({.noise = gaussian_noise{scale}, .sampling = seen, .relation = neighbours::replace}, alpha);
        const double laplace_bound =
            rdp({.noise = laplace_noise{scale}, .sampling = seen, .relation = neighbours::replace}, alpha);
        for (auto others : pairs_of_others) {
          for (const auto& [from, to] : {std::pair{0.0L, 1.0L}, std::pair{1.0L, 0.0L}, std::pair{0.3L, 1.0L}}) {
            std::array<long double, 3> one = others, other = others;
            one[0] = from;
            other[0] = to;
            CAPTURE(size, scale, alpha, static_cast<double>(others[1]), static_cast<double>(others[2]),
                    static_cast<double>(from));
            const auto by_gaussian =
                static_cast<double>(divergence_of_triples(one, other, size, alpha, scale, gaussian));
            CHECK(by_gaussian <= gaussian_bound * (1 + 1e-10));
            CHECK(static_cast<double>(divergence_of_triples(one, other, size, alpha, scale, laplace)) <=
                  laplace_bound * (1 + 1e-3));
            closest = std::max(closest, by_gaussian / gaussian_bound);
          }
        }
        // Four times the noise has a curve that the divergence exceeds: the bound is not merely large.
        if (alpha == 2 && size == 2) {
          const double quarter =
              rdp({.noise = gaussian_noise{4 * scale}, .sampling = seen, .relation = neighbours::replace}, alpha);
          CHECK(static_cast<double>(divergence_of_triples({0, 0, 0}, {1, 0, 0}, size, alpha, scale, gaussian)) >
                quarter);
        }
      }
    }
  }
  CHECK(closest > 0.15);
}

TEST_CASE("fixed size: randomised response on three units, summed over all outcomes") {
  // The unit seen answers truthfully with probability 1 - noise, and else with one of the buckets at random.
  for (const double noise : {0.1, 0.5, 0.9}) {
    for (const double alpha : {1.5, 2.0, 3.0, 7.0}) {
      const double bound = rdp({.noise = randomized_response{noise, 3},
                                .sampling = fixed_size_sample{1, 3},
                                .relation = neighbours::replace},
                               alpha);
      double largest = 0;
      for (int b = 0; b < 3; ++b) {
        for (int c = 0; c < 3; ++c) {
          wide moment = 0;
          for (int answer = 0; answer < 3; ++answer) {
            const auto chance = [&](int unit) {
              return wide(noise) / 3 + (unit == answer ? 1 - wide(noise) : wide(0));
            };
            const wide p = (chance(0) + chance(b) + chance(c)) / 3, q = (chance(1) + chance(b) + chance(c)) / 3;
            moment += pow(p / q, wide(alpha)) * q;
          }
          largest = std::max(largest, static_cast<double>(log(moment) / (wide(alpha) - 1)));
        }
      }
      CAPTURE(noise, alpha, largest, bound);
      CHECK(largest <= bound);
      CHECK(bound <= 4 * largest);
    }
  }
}
