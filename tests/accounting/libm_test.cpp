// SPDX-License-Identifier: Apache-2.0
// What accounting/detail/safe_side.hpp assumes of the mathematical library and of the rounding mode.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/amplification.hpp>
#include <dplda/accounting/calibration.hpp>
#include <dplda/accounting/composition.hpp>
#include <dplda/accounting/conversion.hpp>
#include <dplda/accounting/filter.hpp>
#include <dplda/accounting/rdp.hpp>
#include <dplda/mechanisms/sparse_histogram.hpp>

#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include <algorithm>
#include <array>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace dplda;
using wide = boost::multiprecision::cpp_bin_float_50;

/// How far `value` is from the truth, in units in the last place of the truth.
double error_in_ulps(double value, const wide& truth) {
  const double nearest = std::abs(static_cast<double>(truth));
  const int exponent = std::max(std::ilogb(nearest), std::numeric_limits<double>::min_exponent - 1);
  return static_cast<double>(abs(wide(value) - truth) / ldexp(wide(1), exponent - 52));
}

/// A function as the library calls it, the truth, and the arguments that the accountants give it.
struct measured_function {
  const char* name;
  double (*own)(double);
  wide (*truth)(const wide&);
  double low, high;
  bool logarithmic;  // arguments spread evenly in their logarithm; else themselves
};

wide wide_erf(const wide& x) { return boost::math::erf(x); }
wide wide_erfc(const wide& x) { return boost::math::erfc(x); }
wide wide_expm1(const wide& x) { return boost::multiprecision::expm1(x); }
wide wide_log1p(const wide& x) { return boost::multiprecision::log1p(x); }
wide wide_exp(const wide& x) { return exp(x); }
wide wide_log(const wide& x) { return log(x); }
wide wide_tanh(const wide& x) { return boost::multiprecision::expm1(2 * x) / (exp(2 * x) + 1); }
wide wide_sinh(const wide& x) { return (boost::multiprecision::expm1(x) - boost::multiprecision::expm1(-x)) / 2; }
wide wide_cosh(const wide& x) { return (exp(x) + exp(-x)) / 2; }
wide wide_asinh(const wide& x) {
  const wide square = x * x;
  return boost::multiprecision::log1p(x + square / (1 + sqrt(1 + square)));
}

template <double (*function)(double)>
double negated(double x) {
  return function(-x);
}
template <wide (*function)(const wide&)>
wide negated_truth(const wide& x) {
  return function(-x);
}

double own_exp(double x) { return std::exp(x); }
double own_log(double x) { return std::log(x); }
double own_expm1(double x) { return std::expm1(x); }
double own_log1p(double x) { return std::log1p(x); }
double own_erf(double x) { return std::erf(x); }
double own_erfc(double x) { return std::erfc(x); }
double own_tanh(double x) { return std::tanh(x); }
double own_sinh(double x) { return std::sinh(x); }
double own_cosh(double x) { return std::cosh(x); }
double own_asinh(double x) { return std::asinh(x); }

constexpr std::array functions{
    measured_function{"exp", own_exp, wide_exp, -745, 709, false},
    measured_function{"exp", negated<own_exp>, negated_truth<wide_exp>, 1e-20, 40, true},
    measured_function{"log", own_log, wide_log, 1e-307, 1e307, true},
    measured_function{"log", own_log, wide_log, 0.5, 2, false},
    measured_function{"expm1", own_expm1, wide_expm1, 1e-300, 709, true},
    measured_function{"expm1", negated<own_expm1>, negated_truth<wide_expm1>, 1e-300, 800, true},
    measured_function{"log1p", own_log1p, wide_log1p, 1e-300, 1e300, true},
    measured_function{"log1p", negated<own_log1p>, negated_truth<wide_log1p>, 1e-300, 0.9999999, true},
    measured_function{"erf", own_erf, wide_erf, 1e-10, 6, true},
    measured_function{"erfc", own_erfc, wide_erfc, -6, 26, false},
    measured_function{"erfc", own_erfc, wide_erfc, 1e-10, 3, true},
    measured_function{"tanh", own_tanh, wide_tanh, 1e-10, 20, true},
    measured_function{"sinh", own_sinh, wide_sinh, 1e-10, 300, true},
    measured_function{"cosh", own_cosh, wide_cosh, 1e-10, 300, true},
    measured_function{"asinh", own_asinh, wide_asinh, 1e-10, 1e200, true}};

/// The rounding mode while it lives.
class rounding {
 public:
  explicit rounding(int mode) { std::fesetround(mode); }
  ~rounding() { std::fesetround(FE_TONEAREST); }
  rounding(const rounding&) = delete;
  rounding& operator=(const rounding&) = delete;
};

}  // namespace

TEST_CASE("elementary functions err by at most the 8 ulps that the accountants assume", "[exact]") {
  std::mt19937_64 bits(12);
  constexpr int samples = 10000;
  for (const measured_function& f : functions) {
    const double low = f.logarithmic ? std::log(f.low) : f.low, high = f.logarithmic ? std::log(f.high) : f.high;
    std::uniform_real_distribution<double> within(low, high);
    double worst = 0, where = 0;
    for (int i = 0; i < samples; ++i) {
      const double drawn = within(bits), x = f.logarithmic ? std::exp(drawn) : drawn;
      const double error = error_in_ulps(f.own(x), f.truth(wide(x)));
      if (!(error <= worst)) {
        worst = error;
        where = x;
      }
    }
    std::printf("%-6s %10.3g .. %-10.3g largest error %.2f ulps, at %.17g\n", f.name, f.low, f.high, worst, where);
    CAPTURE(f.name, f.low, f.high, where);
    CHECK(worst <= detail::libm);
    CHECK(worst > 0.4);  // nothing is measured where no error is seen
  }
}

TEST_CASE("the measure of errors counts ulps") {
  CHECK(error_in_ulps(1, wide(1)) == 0);
  CHECK(error_in_ulps(1 + 3 * 0x1p-52, wide(1)) == 3);
  CHECK(error_in_ulps(1.5 - 9 * 0x1p-52, wide(1.5)) == 9);
  CHECK(error_in_ulps(5 * 0x1p-1074, wide(2 * 0x1p-1074)) == 3);
}

TEST_CASE("log of a mixture keeps its digits at every rate, and for losses beyond the doubles") {
  std::mt19937_64 bits(13);
  const auto between = [&](double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(bits));
  };
  double worst = 0;
  for (int i = 0; i < 3000; ++i) {
    const double rate = i % 2 == 0 ? between(1e-290, 1) : 1 - between(1e-15, 1);
    const double y = i % 3 == 0 ? between(1e-10, 2000) : i % 3 == 1 ? -between(1e-10, 800) : between(690, 710);
    if (rate == 1) continue;
    const wide truth = boost::multiprecision::log1p(wide(rate) * boost::multiprecision::expm1(wide(y)));
    const double error = static_cast<double>(abs(wide(detail::log_mixture(rate, y)) - truth) / abs(truth));
    CAPTURE(rate, y, error);
    CHECK(error <= (3 * detail::libm + 4) * detail::ulp);
    worst = std::max(worst, error);
  }
  CHECK(worst > 0.2 * detail::ulp);
  CHECK(detail::log_mixture(0.25, -detail::infinite) == Catch::Approx(std::log(0.75)).epsilon(1e-14));
  CHECK(detail::log_mixture(1, -3) == -3);
}

TEST_CASE("every pricing function refuses a rounding mode other than to nearest") {
  ledger book;
  book.record({.noise = gaussian_noise{1}, .sampling = poisson_sample{0.01}}, 10);
  const budget part{0.1, 1e-6};
  const std::vector<repeated_budget> parts{{part, 3}};
  const heterogeneous_composition composed(parts);
  const rdp_accountant renyi(book);
  odometer spent;
  spent.spend(book.entries().front().event);
  const auto make = [](double z) {
    ledger plan;
    plan.record({.noise = gaussian_noise{z}});
    return plan;
  };
  const auto curve = [](double order) { return order / 2; };
  const std::vector<repeated_gaussian> gaussians{{1, 2}};
  using pricing = std::pair<const char*, std::function<void()>>;
  const std::vector<pricing> functions_that_price{
      {"price", [&] { (void)price(book, 1e-5); }},
      {"ledger_epsilon", [&] { (void)ledger_epsilon(book, 1e-5); }},
      {"ledger_delta", [&] { (void)ledger_delta(book, 1); }},
      {"pld_epsilon", [&] { (void)pld_epsilon(book, 1e-5); }},
      {"pld_delta", [&] { (void)pld_delta(book, 1); }},
      {"rdp_accountant::rdp", [&] { (void)renyi.rdp(2); }},
      {"rdp_accountant::epsilon", [&] { (void)renyi.epsilon(1e-5); }},
      {"rdp_accountant::delta", [&] { (void)renyi.delta(1); }},
      {"odometer::epsilon", [&] { (void)spent.epsilon(1e-5); }},
      {"privacy_filter",
       [&] {
         privacy_filter({1, 1e-5});
       }},
      {"filter_order",
       [&] {
         (void)filter_order(book, {1, 1e-5});
       }},
      {"smallest_noise",
       [&] {
         (void)smallest_noise(make, {1, 1e-5});
       }},
      {"gaussian_log_delta", [&] { (void)gaussian_log_delta(1, 1); }},
      {"gaussian_delta", [&] { (void)gaussian_delta(1, 1); }},
      {"gaussian_epsilon", [&] { (void)gaussian_epsilon(1, 1e-5); }},
      {"gaussian_multiplier", [&] { (void)gaussian_multiplier(1, 1e-5); }},
      {"composed_gaussian_multiplier", [&] { (void)composed_gaussian_multiplier(gaussians); }},
      {"classic_gaussian_multiplier", [&] { (void)classic_gaussian_multiplier(0.5, 1e-5); }},
      {"amplify_by_poisson_sampling", [&] { (void)amplify_by_poisson_sampling(part, 0.1, neighbours::add_remove); }},
      {"amplify_by_sampling_without_replacement",
       [&] { (void)amplify_by_sampling_without_replacement(part, 1, 10, neighbours::replace); }},
      {"amplify_by_sampling_with_replacement",
       [&] {
         (void)amplify_by_sampling_with_replacement(0.1, 2, 10, neighbours::replace, [](std::uint64_t) { return 0.1; });
       }},
      {"linear_composition", [&] { (void)linear_composition(part, 3); }},
      {"advanced_composition", [&] { (void)advanced_composition(part, 3, 1e-6); }},
      {"advanced_composition_epsilon", [&] { (void)advanced_composition_epsilon(part, 3, 1e-4); }},
      {"optimal_composition_delta", [&] { (void)optimal_composition_delta(part, 3, 0.2); }},
      {"optimal_composition_epsilon", [&] { (void)optimal_composition_epsilon(part, 3, 1e-4); }},
      {"heterogeneous_composition", [&] { heterogeneous_composition{parts}; }},
      {"heterogeneous_composition::delta", [&] { (void)composed.delta(0.2); }},
      {"heterogeneous_composition::epsilon", [&] { (void)composed.epsilon(1e-4); }},
      {"rdp_budget", [&] { (void)rdp_budget(2, 1, 1e-5, rdp_conversion::exact); }},
      {"rdp_epsilon", [&] { (void)rdp_epsilon(2, 1, 1e-5, rdp_conversion::exact); }},
      {"rdp_log_delta", [&] { (void)rdp_log_delta(2, 1, 1, rdp_conversion::exact); }},
      {"rdp_delta", [&] { (void)rdp_delta(2, 1, 1, rdp_conversion::exact); }},
      {"bretagnolle_huber_delta", [&] { (void)bretagnolle_huber_delta(1); }},
      {"gaussian_rho", [&] { (void)gaussian_rho(1); }},
      {"discrete_gaussian_rho", [&] { (void)discrete_gaussian_rho(1); }},
      {"pure_dp_rho", [&] { (void)pure_dp_rho(1); }},
      {"laplace_rho", [&] { (void)laplace_rho(1); }},
      {"zcdp_log_delta", [&] { (void)zcdp_log_delta(1, 1); }},
      {"zcdp_delta", [&] { (void)zcdp_delta(1, 1); }},
      {"zcdp_epsilon", [&] { (void)zcdp_epsilon(1, 1e-5); }},
      {"zcdp_budget", [&] { (void)zcdp_budget(1, 1e-5); }},
      {"gaussian_rdp", [&] { (void)gaussian_rdp(1, 2); }},
      {"laplace_rdp", [&] { (void)laplace_rdp(1, 2); }},
      {"pure_dp_rdp", [&] { (void)pure_dp_rdp(1, 2); }},
      {"randomized_response_rdp", [&] { (void)randomized_response_rdp(0.5, 2, 2); }},
      {"poisson_gaussian_rdp", [&] { (void)poisson_gaussian_rdp(0.1, 1, 2); }},
      {"poisson_rdp", [&] { (void)poisson_rdp(0.1, curve, 2, poisson_bound::general); }},
      {"fixed_size_rdp", [&] { (void)fixed_size_rdp(0.1, curve, detail::infinite, 2); }},
      {"fixed_size_gaussian_rdp", [&] { (void)fixed_size_gaussian_rdp(0.1, 1, 2); }},
      {"rdp", [&] { (void)rdp(book.entries().front().event, 2); }},
      {"sparse_histogram_plan",
       [&] { sparse_histogram_plan({.noise_multiplier = 1, .delta = 1e-5, .cells_per_unit = 4}); }}};
  for (const auto& [name, call] : functions_that_price) {
    CAPTURE(name);
    CHECK_NOTHROW(call());
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::string message;
      try {
        const rounding other(mode);
        call();
      } catch (const std::runtime_error& refused) {
        message = refused.what();
      }
      CHECK(message.find("the floating-point rounding mode is not to nearest") != std::string::npos);
    }
  }
}
