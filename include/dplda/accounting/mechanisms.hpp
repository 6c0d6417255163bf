// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_MECHANISMS_HPP
#define DPLDA_ACCOUNTING_MECHANISMS_HPP

// The mechanisms that a ledger can hold, and the table of what is known of each.
//
// To add a mechanism: write its struct, its entry (detail/mechanism_entry.hpp lists what one holds), and its name in
// the variant `mechanism` at the end. Ledgers, accountants, files and reports then know it.
//
// Claim, for each entry: what it returns holds for every mechanism of this kind and all neighbouring corpora.
// Preconditions: a multiplier is noise divided by sensitivity, under the neighbours of the event.
// Argument: with each formula in rdp_curves.hpp, zcdp.hpp, gaussian.hpp, own_analysis.hpp and detail/pld_pair.hpp.
// Test: tests/accounting/event_test.cpp, and the tests of the accountants.

#include <dplda/accounting/detail/discrete_gaussian_pair.hpp>
#include <dplda/accounting/detail/mechanism_entry.hpp>
#include <dplda/accounting/detail/replaced_gaussian.hpp>
#include <dplda/accounting/detail/sampled_gaussian.hpp>
#include <dplda/accounting/gaussian.hpp>
#include <dplda/accounting/own_analysis.hpp>
#include <dplda/accounting/rdp_formulas.hpp>
#include <dplda/accounting/selection.hpp>
#include <dplda/accounting/zcdp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

namespace dplda::inline v0_1 {

/// Gaussian noise; the multiplier is the standard deviation divided by the l2 sensitivity.
struct gaussian_noise {
  double multiplier;
  bool operator==(const gaussian_noise&) const = default;
};

template <>
struct detail::mechanism_entry<gaussian_noise> {
  static constexpr std::string_view name = "Gaussian", kind = "gaussian";
  static constexpr std::tuple fields{field{"multiplier", &gaussian_noise::multiplier}};
  static std::string words(const gaussian_noise& n, const number_style& style) {
    return "Gaussian, multiplier " + style.nearest(n.multiplier);
  }
  static void check(const gaussian_noise& n, const char* function) {
    check_positive(function, "Gaussian noise multiplier", n.multiplier);
  }
  static double rho(const gaussian_noise& n) { return gaussian_rho(n.multiplier); }
  static double rdp(const gaussian_noise& n, double alpha) { return gaussian_rdp(n.multiplier, alpha); }
  static double epsilon(const gaussian_noise& n, double delta) { return gaussian_epsilon(n.multiplier, delta); }
  static double mu(const gaussian_noise& n) { return 1 / n.multiplier; }
  static base_pair pair(const gaussian_noise& n) {
    const double slope = 1 / n.multiplier;
    return {.kind = loss_pair::shape::gaussian, .slope = slope, .variation = std::erf(slope * sqrt_half / 2)};
  }
  static base_pair poisson_replace_pair(const gaussian_noise& n) {
    const double slope = 1 / n.multiplier / 2;
    return {.kind = loss_pair::shape::two_sided, .slope = slope, .variation = std::erf(slope * sqrt_half)};
  }
  static double poisson_log_moment(const gaussian_noise& n, double rate, double alpha) {
    return sampled_gaussian_moment(rate, n.multiplier, alpha).log_upper();
  }
  static double poisson_replace_log_moment(const gaussian_noise& n, double rate, double alpha) {
    return replaced_gaussian_log_moment(rate, 1 / n.multiplier / 2, alpha);
  }
  class fixed_size_terms {
   public:
    explicit fixed_size_terms(const gaussian_noise& n) : multiplier_(n.multiplier), differences_(n.multiplier) {}
    double operator()(double j) { return fixed_size_gaussian_log_term(differences_, multiplier_, j); }

   private:
    double multiplier_;
    gaussian_differences differences_;
  };
};

/// Laplace noise; the multiplier is the scale divided by the l1 sensitivity.
struct laplace_noise {
  double multiplier;
  bool operator==(const laplace_noise&) const = default;
};

template <>
struct detail::mechanism_entry<laplace_noise> {
  static constexpr std::string_view name = "Laplace", kind = "laplace";
  static constexpr std::tuple fields{field{"multiplier", &laplace_noise::multiplier}};
  static std::string words(const laplace_noise& n, const number_style& style) {
    return "Laplace, multiplier " + style.nearest(n.multiplier);
  }
  static void check(const laplace_noise& n, const char* function) {
    check_positive(function, "Laplace noise multiplier", n.multiplier);
  }
  static double rho(const laplace_noise& n) { return laplace_rho(n.multiplier); }
  static double rdp(const laplace_noise& n, double alpha) { return laplace_rdp(n.multiplier, alpha); }
  static double pure_epsilon(const laplace_noise& n) { return raised(1 / n.multiplier); }
  static base_pair pair(const laplace_noise& n) {
    const double y = 1 / n.multiplier;
    return {.kind = loss_pair::shape::laplace,
            .slope = 2 * y,
            .atoms = {{-y, -std::log(2.0)}, {y, -std::log(2.0) - y}},
            .variation = -std::expm1(-y / 2)};
  }
  static constexpr double poisson_factor = 1;
};

/// Gaussian noise on any number of integers (Canonne, Kamath, Steinke 2020); only its zero-concentrated privacy is
/// claimed.
struct discrete_gaussian_noise {
  double multiplier;
  bool operator==(const discrete_gaussian_noise&) const = default;
};

template <>
struct detail::mechanism_entry<discrete_gaussian_noise> {
  static constexpr std::string_view name = "discrete Gaussian", kind = "discrete_gaussian";
  static constexpr std::tuple fields{field{"multiplier", &discrete_gaussian_noise::multiplier}};
  static std::string words(const discrete_gaussian_noise& n, const number_style& style) {
    return "discrete Gaussian, multiplier " + style.nearest(n.multiplier);
  }
  static void check(const discrete_gaussian_noise& n, const char* function) {
    check_positive(function, "discrete Gaussian noise multiplier", n.multiplier);
  }
  static double rho(const discrete_gaussian_noise& n) { return discrete_gaussian_rho(n.multiplier); }
  static double rdp(const discrete_gaussian_noise& n, double alpha) { return gaussian_rdp(n.multiplier, alpha); }
  static constexpr double poisson_factor = 3;
};

/// Gaussian noise on one integer, of mass proportional to e^(-x^2 / (2 sigma^2)), where a unit changes the integer by at
/// most `sensitivity`.
struct integer_gaussian_noise {
  double sigma;
  std::uint64_t sensitivity = 1;
  bool operator==(const integer_gaussian_noise&) const = default;
};

template <>
struct detail::mechanism_entry<integer_gaussian_noise> {
  static constexpr std::string_view name = "discrete Gaussian on one integer", kind = "integer_gaussian";
  static constexpr std::tuple fields{field{"sigma", &integer_gaussian_noise::sigma},
                                     field{"sensitivity", &integer_gaussian_noise::sensitivity}};
  static std::string words(const integer_gaussian_noise& n, const number_style& style) {
    return "discrete Gaussian on one integer, sigma " + style.nearest(n.sigma) + ", sensitivity " +
           std::to_string(n.sensitivity);
  }
  static void check(const integer_gaussian_noise& n, const char* function) {
    check_positive(function, "sigma of discrete Gaussian noise", n.sigma);
    require(n.sensitivity >= 1 && n.sensitivity <= std::uint64_t{1} << 52, function, "sensitivity", n.sensitivity,
            "must lie in [1, 2^52]");
    check_positive(function, "discrete Gaussian noise multiplier", multiplier(n));
  }
  static double rho(const integer_gaussian_noise& n) { return discrete_gaussian_rho(multiplier(n)); }
  static double rdp(const integer_gaussian_noise& n, double alpha) { return gaussian_rdp(multiplier(n), alpha); }
  static std::optional<base_pair> pair(const integer_gaussian_noise& n) {
    return discrete_gaussian_pair(n.sigma, n.sensitivity);
  }
  static constexpr double poisson_factor = 3;

 private:
  static double multiplier(const integer_gaussian_noise& n) {
    return lowered(n.sigma / static_cast<double>(n.sensitivity), 2);
  }
};

/// The true one of `buckets` values with probability 1 - noise, otherwise a uniform one (possibly the true one).
struct randomized_response {
  double noise;
  std::uint64_t buckets = 2;
  bool operator==(const randomized_response&) const = default;
};

template <>
struct detail::mechanism_entry<randomized_response> {
  static constexpr std::string_view name = "randomized response", kind = "randomized_response";
  static constexpr std::tuple fields{field{"noise", &randomized_response::noise},
                                     field{"buckets", &randomized_response::buckets}};
  static std::string words(const randomized_response& n, const number_style& style) {
    return "randomized response, " + std::to_string(n.buckets) + " answers, noise " + style.nearest(n.noise);
  }
  static void check(const randomized_response& n, const char* function) {
    check_response(function, n.noise, n.buckets);
  }
  static bool reveals_nothing(const randomized_response& n) { return n.noise == 1; }
  static double rho(const randomized_response& n) { return pure_dp_rho(pure_epsilon(n)); }
  static double rdp(const randomized_response& n, double alpha) { return two_answers_rdp(answers(n), alpha); }
  static double rdp_limit(const randomized_response& n) { return raised(answers(n).spread); }
  static double pure_epsilon(const randomized_response& n) {
    const auto k = static_cast<double>(n.buckets);
    return n.noise == 1 ? 0 : raised(std::log1p(k * (1 - n.noise) / n.noise));
  }
  static base_pair pair(const randomized_response& n) {
    const auto [log_other, y] = answers(n);
    const double buckets = static_cast<double>(n.buckets), at_zero = (buckets - 2) * (n.noise / buckets);
    base_pair pair{.atoms = {{-y, log_other + y}, {y, log_other}}, .at_zero = at_zero, .variation = 1 - n.noise};
    if (at_zero > 0) pair.atoms.push_back({0, std::log(at_zero)});
    return pair;
  }
  static double poisson_log_moment(const randomized_response& n, double rate, double alpha) {
    return two_answers_log_moment(answers(n), rate, 0, alpha - 1);
  }

 private:
  static two_answers answers(const randomized_response& n) { return response_answers(n.noise, n.buckets); }
};

/// Any mechanism of which only (epsilon, delta) is known; pure with delta = 0.
struct approximate_dp {
  double epsilon;
  double delta = 0;
  bool operator==(const approximate_dp&) const = default;
};

/// Stands for a mechanism of which nothing is proven: the largest cost that a ledger can hold, so no accountant reports
/// a finite epsilon at a useful delta.
inline constexpr approximate_dp nothing_proven{std::numeric_limits<double>::max(), 1 - 0x1p-53};

template <>
struct detail::mechanism_entry<approximate_dp> {
  static constexpr std::string_view name = "opaque", kind = "approximate_dp";
  static constexpr std::tuple fields{field{"epsilon", &approximate_dp::epsilon},
                                     field{"delta", &approximate_dp::delta}};
  static std::string words(const approximate_dp& n, const number_style& style) {
    return "a mechanism with epsilon " + style.rounded_up(n.epsilon) + ", delta " + style.rounded_up(n.delta);
  }
  static void check(const approximate_dp& n, const char* function) {
    require(n.epsilon >= 0 && n.epsilon <= std::numeric_limits<double>::max(), function, "epsilon", n.epsilon,
            "must be at least 0 and finite");
    require(n.delta >= 0 && n.delta < 1, function, "delta", n.delta, "must lie in [0, 1)");
  }
  static bool reveals_nothing(const approximate_dp& n) { return n.epsilon == 0 && n.delta == 0; }
  static double rho(const approximate_dp& n) { return pure_dp_rho(n.epsilon); }
  static double rdp(const approximate_dp& n, double alpha) { return pure_dp_rdp(n.epsilon, alpha); }
  static double pure_epsilon(const approximate_dp& n) { return n.epsilon; }
  static double delta(const approximate_dp& n) { return n.delta; }
  static base_pair pair(const approximate_dp& n) { return worst_pure_pair(n.epsilon, n.delta); }
  static double poisson_log_moment(const approximate_dp& n, double rate, double alpha) {
    return two_answers_log_moment(worst_pure(n.epsilon), rate, n.delta, alpha - 1);
  }
};

template <>
struct detail::mechanism_entry<dominating_pair> {
  static constexpr std::string_view name = "dominated by a pair of laws", kind = "dominating_pair";
  static constexpr std::tuple fields{field{"with", &dominating_pair::with},
                                     field{"without", &dominating_pair::without}};
  static std::string words(const dominating_pair& n, const number_style& style) {
    return "a mechanism dominated by a pair of laws on " + std::to_string(n.with.size()) + " outcomes, epsilon " +
           style.rounded_up(pure_epsilon(n)) + ", delta " + style.rounded_up(delta(n));
  }
  static void check(const dominating_pair& n, const char* function) { check_pair(n, function); }
  static bool reveals_nothing(const dominating_pair& n) { return n.with == n.without; }
  static double rho(const dominating_pair& n) { return pure_dp_rho(pure_epsilon(n)); }
  static double rdp(const dominating_pair& n, double alpha) {
    if (delta(n) > 0) return pure_dp_rdp(pure_epsilon(n), alpha);
    return divergence_above(pair_log_moment(n, 1, alpha), alpha - 1);
  }
  static double pure_epsilon(const dominating_pair& n) { return largest_loss_of(n); }
  static double delta(const dominating_pair& n) { return one_sided_mass(n); }
  static base_pair pair(const dominating_pair& n) { return base_of(n); }
  static double poisson_log_moment(const dominating_pair& n, double rate, double alpha) {
    return pair_log_moment(n, rate, alpha);
  }
};

/// rho is not known beyond the last order.
template <>
struct detail::mechanism_entry<renyi_curve> {
  static constexpr std::string_view name = "with its own Renyi curve", kind = "renyi_curve";
  static constexpr std::tuple fields{field{"orders", &renyi_curve::orders},
                                     field{"divergences", &renyi_curve::divergences}};
  static std::string words(const renyi_curve& n, const number_style& style) {
    return "a mechanism with Renyi divergences of " + std::to_string(n.orders.size()) + " orders, " +
           style.rounded_up(n.divergences[0]) + " at order " + style.nearest(n.orders[0]);
  }
  static void check(const renyi_curve& n, const char* function) { check_curve(n, function); }
  static double rho(const renyi_curve&) { return infinite; }
  static double rdp(const renyi_curve& n, double alpha) { return divergence_of(n, alpha); }
  static double epsilon(const renyi_curve& n, double delta) { return epsilon_of(n, delta); }
  static constexpr double poisson_factor = 3;
};

/// What is common to selections (accounting/selection.hpp). They have no rho: the divergence of order 1 + a grows as
/// log E[K] / a.
template <class Runs>
struct detail::mechanism_entry<best_of<Runs>> {
  static constexpr std::string_view name = "private selection";
  static constexpr bool geometric = std::is_same_v<Runs, negative_binomial_runs>;
  static constexpr std::string_view kind = geometric ? "best_of_negative_binomial_runs" : "best_of_poisson_runs";
  static constexpr auto fields = [] {
    constexpr field run{"run", &best_of<Runs>::run};
    if constexpr (geometric) {
      return std::tuple{field{"shape", &negative_binomial_runs::shape}, field{"stop", &negative_binomial_runs::stop},
                        run};
    } else {
      return std::tuple{field{"mean", &poisson_runs::mean}, run};
    }
  }();
  static std::string words(const best_of<Runs>& n, const number_style& style) {
    return "the best of about " + style.nearest(law_of(n).mean) + " runs, a secret number, each: " + n.run.words(style);
  }
  static void check(const best_of<Runs>& n, const char* function) {
    check_runs(n, function);
    require(!n.run.empty(), function, "the ledger of one run", "empty", "must hold an event");
  }
  static double rho(const best_of<Runs>&) { return infinite; }
  static double rdp(const best_of<Runs>& n, double alpha) { return selection_rdp(law_of(n), *n.run, alpha); }
  static double delta(const best_of<Runs>& n) { return selection_delta(law_of(n), *n.run); }
  static double epsilon(const best_of<Runs>& n, double delta) { return selection_epsilon(law_of(n), n.run, delta); }
  /// What an event must agree with in its unit and its neighbours, and what samples its units in its own way.
  static const nested_ledger& inside(const best_of<Runs>& n) { return n.run; }
};

using mechanism = std::variant<gaussian_noise, laplace_noise, discrete_gaussian_noise, randomized_response,
                               approximate_dp, best_of<negative_binomial_runs>, best_of<poisson_runs>,
                               integer_gaussian_noise, dominating_pair, renyi_curve>;

static_assert(detail::all_have_entries<mechanism>, "each mechanism needs a complete entry");

}  // namespace dplda::inline v0_1

#endif
