// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_RDP_CURVES_HPP
#define DPLDA_ACCOUNTING_RDP_CURVES_HPP

// Renyi differential privacy of one use of a mechanism, at any real order alpha > 1.
//
// Claim: for neighbouring corpora the divergence D_alpha of the two output distributions, in either direction, is at
// most the value returned; for rdp_curve after an event of probability `reserved_delta()` is set aside.
// Preconditions: noise multipliers are noise / sensitivity under the event's own neighbours.
// Argument, by mechanism:
// - Gaussian alpha / (2 z^2), Laplace (Mironov 2017, Prop 6). Discrete Gaussian: 1/(2 z^2)-zCDP (Canonne, Kamath,
//   Steinke 2020). Randomised response directly. Any epsilon-DP pair is a post-processing of binary randomised response
//   of the same epsilon (Kairouz, Oh, Viswanath 2015), so its curve is the pure one's; an (epsilon, delta)-DP pair is
//   one of it and, with chance delta, a confession, which is set aside.
// - Poisson sampling at rate q, add/remove. Given the rest of the sample, the pair is (1 - q) M0 + q M1 against M0; the
//   moment is jointly convex, so the worst rest bounds the mixture. Gaussian: Mironov, Talwar and Zhang 2019, whose
//   Theorem 5 (a reflection exchanges M0 and M1) makes this direction the worse one. Randomised response and
//   (epsilon, delta): all outcomes summed, both directions; post-processing commutes with mixing. Others: Zhu and Wang
//   2019, factor 3 on the terms l >= 3, or 1 for Laplace noise, which has the reflection and is pure besides.
// - Poisson sampling, replace, Gaussian: joint convexity over (rest, whether taken) leaves the unsampled value.
// - Samples of fixed size, replace: Wang, Balle and Kasiviswanathan 2019, Theorem 9; Gaussian noise takes Theorem 27
//   for each term that it makes smaller. Pure mechanisms also have amplified epsilon (Balle, Barthe, Gaboardi 2018,
//   Theorem 9), and (epsilon, delta) with delta > 0 has that alone.
// - Always: joint convexity bounds the moment by 1 - q + q (unsampled moment), and so by the unsampled one. Sums over
//   integer orders are joined by chords of the convex (alpha - 1) D_alpha.
// - Arithmetic: positive sums only. Each moment is raised by its error bound: for unsampled noise 64 ulps or less; for
//   sums 8 alpha ulps, for the sampled Gaussian 1e-12, for its forward differences 1e-13, relative to the excess of the
//   moment over 1; all of them plus 3 libm ulps of the largest exponent that went into the dominant term. In the range
//   q >= 1e-9, 0.05 <= sigma <= 1e4, alpha <= 1e6 values are within 1e-9 of what they bound, unless alpha log q and
//   alpha^2 / (2 sigma^2) exceed 1e6 and cancel.
// Test: tests/accounting/rdp_curves_test.cpp

#include <dplda/accounting/detail/renyi_moments.hpp>
#include <dplda/accounting/detail/sampled_gaussian.hpp>
#include <dplda/accounting/detail/sampled_sums.hpp>
#include <dplda/accounting/event.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <variant>
#include <vector>

namespace dplda {

namespace detail {

inline void check_order(const char* function, double alpha) {
  require_rounding_to_nearest(function);
  require(alpha > 1 && alpha <= std::numeric_limits<double>::max(), function, "order alpha", alpha,
          "must exceed 1 and be finite");
}
inline void check_integer_order(const char* function, double alpha) {
  require_rounding_to_nearest(function);
  require(alpha >= 2 && alpha <= largest_sum_order && alpha == std::floor(alpha), function, "order alpha", alpha,
          "must be an integer in [2, 10000]");
}
inline void check_positive(const char* function, const char* name, double value) {
  require(value > 0 && value <= std::numeric_limits<double>::max(), function, name, value,
          "must be positive and finite");
}
inline void check_rate(const char* function, double rate) {
  require(rate > 0 && rate <= 1, function, "sampling rate", rate, "must lie in (0, 1]");
}

/// The binary randomised response that every pure epsilon-DP mechanism post-processes.
inline two_answers worst_pure(double epsilon) { return {-softplus(epsilon), epsilon}; }

inline two_answers answers_of(const randomized_response& response) {
  const double low = response.noise / static_cast<double>(response.buckets);
  return {std::log(low), std::log1p((1 - response.noise) / low)};
}

}  // namespace detail

/// Gaussian noise: alpha / (2 multiplier^2). Throws std::invalid_argument unless multiplier > 0 and alpha > 1, finite;
/// so do all functions below.
inline double gaussian_rdp(double multiplier, double alpha) {
  detail::check_positive("gaussian_rdp", "multiplier", multiplier);
  detail::check_order("gaussian_rdp", alpha);
  return detail::raised(alpha / multiplier / multiplier / 2);
}

/// Laplace noise of scale multiplier * (l1 sensitivity).
inline double laplace_rdp(double multiplier, double alpha) {
  detail::check_positive("laplace_rdp", "multiplier", multiplier);
  detail::check_order("laplace_rdp", alpha);
  const double s = 1 / multiplier, b = alpha - 1;
  if (s == detail::infinite) return s;
  // The moment is (a e^(b s) + b e^(-a s)) / (2 a - 1); its excess has no linear part in s.
  if (b * s > 30) {
    const double rest = std::log1p(-b / (alpha + b)) + std::log1p(b / alpha * std::exp(-(alpha + b) * s));
    return std::min(detail::raised(s), detail::divergence_above(b * s + rest, b));
  }
  const double excess = (alpha * detail::expm1_minus(b * s) + b * detail::expm1_minus(-alpha * s)) / (alpha + b);
  return std::min(detail::raised(s), detail::divergence_above(std::log1p(detail::raised(excess, 64)), b));
}

/// Any epsilon-DP mechanism: the curve of binary randomised response, the worst of them. epsilon >= 0, finite.
inline double pure_dp_rdp(double epsilon, double alpha) {
  detail::require(epsilon >= 0 && epsilon <= std::numeric_limits<double>::max(), "pure_dp_rdp", "epsilon", epsilon,
                  "must be at least 0 and finite");
  detail::check_order("pure_dp_rdp", alpha);
  if (epsilon == 0) return 0;
  const double b = alpha - 1;
  return std::min(detail::raised(epsilon),
                  detail::divergence_above(detail::two_answers_log_moment(detail::worst_pure(epsilon), 1, 0, b), b));
}

/// Randomised response over `buckets` values, as the event of that name. noise in (0, 1], buckets >= 2.
inline double randomized_response_rdp(double noise, std::uint64_t buckets, double alpha) {
  const randomized_response response{noise, buckets};
  check(privacy_event{.noise = response});
  detail::check_order("randomized_response_rdp", alpha);
  const detail::two_answers answers = detail::answers_of(response);
  if (answers.spread == 0) return 0;
  const double b = alpha - 1;
  return std::min(detail::raised(answers.spread),
                  detail::divergence_above(detail::two_answers_log_moment(answers, 1, 0, b), b));
}

/// Gaussian noise on a Poisson sample, add/remove. rate in (0, 1].
inline double poisson_gaussian_rdp(double rate, double multiplier, double alpha) {
  detail::check_rate("poisson_gaussian_rdp", rate);
  const double unsampled = gaussian_rdp(multiplier, alpha);
  if (rate == 1) return unsampled;
  detail::sampled_gaussian_moment moment(rate, multiplier, alpha);
  return std::min(unsampled, detail::divergence_above(moment.log_upper(), alpha - 1));
}

/// Which of Zhu and Wang's bounds: `general` for any mechanism, `tight` for those with a proof (Gaussian, Laplace,
/// randomised response).
enum class poisson_bound { general, tight };

/// Any mechanism on a Poisson sample, add/remove, at an integer order in [2, 10000]; `curve(l)` bounds its own
/// divergence of order l in both directions. The published bound as it stands, even where it exceeds the unsampled.
template <class Curve>
double poisson_rdp(double rate, Curve&& curve, double alpha, poisson_bound bound) {
  detail::check_rate("poisson_rdp", rate);
  detail::check_integer_order("poisson_rdp", alpha);
  if (rate == 1 && bound == poisson_bound::tight) return curve(alpha);
  const double factor = bound == poisson_bound::tight ? 1 : 3;
  if (rate == 1) return detail::raised(curve(alpha) + (alpha < 3 ? 0 : std::log(factor) / (alpha - 1)));
  return detail::divergence_above(detail::poisson_log_moment(rate, curve, alpha, factor), alpha - 1);
}

/// Any mechanism on a sample of fixed size, replace, at an integer order in [2, 10000] (Theorem 9); rate = size /
/// population, `epsilon_infinity` the mechanism's pure epsilon or infinity. The published bound as it stands.
template <class Curve>
double fixed_size_rdp(double rate, Curve&& curve, double epsilon_infinity, double alpha) {
  detail::check_rate("fixed_size_rdp", rate);
  detail::check_integer_order("fixed_size_rdp", alpha);
  const auto term = [&](double j) { return detail::fixed_size_log_term(curve, epsilon_infinity, j); };
  return detail::divergence_above(detail::fixed_size_log_moment(rate, alpha, term), alpha - 1);
}

/// Gaussian noise on a sample of fixed size, replace, at an integer order in [2, 10000] (Theorem 27, termwise the
/// smaller of it and Theorem 9).
inline double fixed_size_gaussian_rdp(double rate, double multiplier, double alpha) {
  detail::check_rate("fixed_size_gaussian_rdp", rate);
  detail::check_positive("fixed_size_gaussian_rdp", "multiplier", multiplier);
  detail::check_integer_order("fixed_size_gaussian_rdp", alpha);
  detail::gaussian_differences differences(multiplier);
  const auto term = [&](double j) { return detail::fixed_size_gaussian_log_term(differences, multiplier, j); };
  return detail::divergence_above(detail::fixed_size_log_moment(rate, alpha, term), alpha - 1);
}

/// Of a sampled mechanism, the smallest bound that this header has, or the theorem alone that is known by its name:
/// MTZ, Zhu and Wang, Theorem 27 or 9 of WBK. For comparison with other accountants.
enum class rdp_bounds { smallest, published };

/// The curve of one use of an event. Not const, since it remembers what later orders need again; copies are
/// independent.
class rdp_curve {
 public:
  /// Throws std::invalid_argument on an event without meaning (see check).
  explicit rdp_curve(const privacy_event& event, rdp_bounds bounds = rdp_bounds::smallest)
      : event_(event), published_(bounds == rdp_bounds::published), differences_(1) {
    check(event);
    if (const auto* sample = std::get_if<poisson_sample>(&event.sampling)) {
      rate_ = sample->rate;
    } else if (const auto* subset = std::get_if<fixed_size_sample>(&event.sampling)) {
      rate_ = static_cast<double>(subset->size) / static_cast<double>(subset->population);
      rate_ = std::min(1.0, subset->size < subset->population ? detail::raised(rate_, 4) : 1.0);
      if (const auto* noise = std::get_if<gaussian_noise>(&event.noise)) {
        differences_ = detail::gaussian_differences(noise->multiplier);
      }
    }
    if (const auto* opaque = std::get_if<approximate_dp>(&event.noise)) {
      reserved_ = opaque->delta == 0 ? 0 : detail::raised(rate_ * opaque->delta);
    }
  }

  /// An upper bound on the divergence of order alpha. Throws std::invalid_argument unless alpha > 1 and finite.
  double operator()(double alpha) {
    detail::check_order("rdp_curve", alpha);
    const double whole = unsampled(alpha), b = alpha - 1;
    if (rate_ == 1) return whole;
    const bool poisson = std::holds_alternative<poisson_sample>(event_.sampling);
    // The unsampled bound sets the whole delta aside, the sampled one only its share: they must not be mixed.
    if (reserved_ > 0) return detail::divergence_above(poisson ? poisson_moment(alpha) : fixed_size_moment(alpha), b);
    if (whole == 0 || whole == detail::infinite || (poisson && event_.relation == neighbours::replace)) return whole;
    if (published_) return detail::divergence_above(poisson ? poisson_moment(alpha) : fixed_size_moment(alpha), b);
    const double mixed = detail::mixed_log_moment(detail::raised(b * whole), rate_);
    const double moment = std::min(mixed, poisson ? poisson_moment(alpha) : fixed_size_moment(alpha));
    return std::min(whole, detail::divergence_above(moment, b));
  }

  /// The probability that one use sets aside before the curve holds.
  double reserved_delta() const noexcept { return reserved_; }

  /// Whether the curve is joined by chords between integer orders.
  bool piecewise() const noexcept {
    if (std::holds_alternative<fixed_size_sample>(event_.sampling)) return rate_ < 1;
    return rate_ < 1 && (std::holds_alternative<laplace_noise>(event_.noise) ||
                         std::holds_alternative<discrete_gaussian_noise>(event_.noise));
  }

 private:
  double unsampled(double alpha) const {
    return std::visit(
        detail::overloaded{
            [&](const gaussian_noise& n) { return gaussian_rdp(n.multiplier, alpha); },
            [&](const laplace_noise& n) { return laplace_rdp(n.multiplier, alpha); },
            [&](const discrete_gaussian_noise& n) { return gaussian_rdp(n.multiplier, alpha); },
            [&](const randomized_response& n) { return randomized_response_rdp(n.noise, n.buckets, alpha); },
            [&](const approximate_dp& n) { return pure_dp_rdp(n.epsilon, alpha); }},
        event_.noise);
  }

  /// The divergence of order infinity, without the reserved delta.
  double epsilon_infinity() const {
    return std::visit(
        detail::overloaded{[](const gaussian_noise&) { return detail::infinite; },
                           [](const laplace_noise& n) { return detail::raised(1 / n.multiplier); },
                           [](const discrete_gaussian_noise&) { return detail::infinite; },
                           [](const randomized_response& n) { return detail::raised(detail::answers_of(n).spread); },
                           [](const approximate_dp& n) { return n.epsilon; }},
        event_.noise);
  }

  /// The j-th of the numbers that the sums of an event share, j >= 2.
  template <class Compute>
  double remembered(double j, const Compute& compute) {
    const auto index = static_cast<std::size_t>(j) - 2;
    while (shared_.size() <= index) shared_.push_back(compute(static_cast<double>(shared_.size()) + 2));
    return shared_[index];
  }

  double poisson_sum(double alpha, double factor) {
    const auto divergence = [&](double l) { return remembered(l, [&](double m) { return unsampled(m); }); };
    return detail::chord_log_moment(alpha,
                                    [&](double n) { return detail::poisson_log_moment(rate_, divergence, n, factor); });
  }

  double poisson_moment(double alpha) {
    const double b = alpha - 1;
    return std::visit(
        detail::overloaded{[&](const gaussian_noise& n) {
                             return detail::sampled_gaussian_moment(rate_, n.multiplier, alpha).log_upper();
                           },
                           [&](const laplace_noise&) {
                             if (published_) return poisson_sum(alpha, 1);
                             const double pure =
                                 detail::two_answers_log_moment(detail::worst_pure(epsilon_infinity()), rate_, 0, b);
                             return std::min(pure, poisson_sum(alpha, 1));
                           },
                           [&](const discrete_gaussian_noise&) { return poisson_sum(alpha, 3); },
                           [&](const randomized_response& n) {
                             return detail::two_answers_log_moment(detail::answers_of(n), rate_, 0, b);
                           },
                           [&](const approximate_dp& n) {
                             return detail::two_answers_log_moment(detail::worst_pure(n.epsilon), rate_, n.delta, b);
                           }},
        event_.noise);
  }

  double fixed_size_moment(double alpha) {
    const double b = alpha - 1, pure = epsilon_infinity();
    double moment = detail::infinite;
    if (pure < detail::infinite && !(published_ && reserved_ == 0)) {
      const double amplified = detail::raised(detail::log_mixture(rate_, pure));
      moment = detail::two_answers_log_moment(detail::worst_pure(amplified), 1, 0, b);
    }
    if (reserved_ > 0) return moment;
    const auto* noise = std::get_if<gaussian_noise>(&event_.noise);
    const auto compute = [&](double j) {
      return noise != nullptr ? detail::fixed_size_gaussian_log_term(differences_, noise->multiplier, j)
                              : detail::fixed_size_log_term([&](double l) { return unsampled(l); }, pure, j);
    };
    const auto term = [&](double j) { return remembered(j, compute); };
    return std::min(moment, detail::chord_log_moment(
                                alpha, [&](double n) { return detail::fixed_size_log_moment(rate_, n, term); }));
  }

  privacy_event event_;
  bool published_;
  double rate_ = 1;
  double reserved_ = 0;
  detail::gaussian_differences differences_;
  std::vector<double> shared_;
};

/// The divergence of order alpha of one use of an event; see rdp_curve.
inline double rdp(const privacy_event& event, double alpha) { return rdp_curve(event)(alpha); }

}  // namespace dplda

#endif
