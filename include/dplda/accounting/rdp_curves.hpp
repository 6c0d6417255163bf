// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_RDP_CURVES_HPP
#define DPLDA_ACCOUNTING_RDP_CURVES_HPP

// Renyi differential privacy of one use of a mechanism, at any real order alpha > 1.
//
// Claim: for neighbouring corpora, the divergence D_alpha of the two output distributions, in either direction, is at
// most the value returned. For rdp_curve this holds once an event of probability `reserved_delta()` is set aside.
// Preconditions: noise multipliers are noise / sensitivity under the event's own neighbours.
// Argument, by mechanism:
// - Gaussian alpha / (2 z^2), Laplace (Mironov 2017, Prop 6). Discrete Gaussian: 1/(2 z^2)-zCDP (Canonne, Kamath,
//   Steinke 2020). Randomised response directly. Any epsilon-DP pair is a post-processing of binary randomised response
//   of the same epsilon (Kairouz, Oh, Viswanath 2015), so the curve of that bounds it. An (epsilon, delta)-DP pair is a
//   post-processing of the same and, with probability delta, an outcome that tells the input, which is set aside.
// - Poisson sampling at rate q, add/remove. Given the rest of the sample, the pair is (1 - q) M0 + q M1 against M0. The
//   moment is jointly convex, so the worst rest bounds the mixture. Gaussian: Mironov, Talwar and Zhang 2019; by their
//   Theorem 5 (a reflection exchanges M0 and M1) this direction is the worse one. Randomised response and
//   (epsilon, delta): all outcomes are summed, in both directions; post-processing commutes with mixing. Others: Zhu
//   and Wang 2019, with factor 3 on the terms l >= 3, or factor 1 for Laplace noise, which has the reflection too. Pure
//   mechanisms also take the moment of binary randomised response where that is smaller.
// - Poisson sampling, replace, Gaussian: the moment of the pair that dominates the event (detail/replaced_gaussian.hpp).
// - Samples of fixed size, replace: Wang, Balle and Kasiviswanathan 2019, Theorem 9; Gaussian noise takes Theorem 27
//   for each term that it makes smaller. Pure mechanisms also have an amplified epsilon (Balle, Barthe, Gaboardi 2018,
//   Theorem 9); (epsilon, delta) with delta > 0 has only that.
// - Random allocation: detail/allocation_moment.hpp, and the unsampled value, as if the batch of each unit were shown.
// - Always: joint convexity bounds the moment by 1 - q + q (unsampled moment), and so by the unsampled moment. Sums
//   over integer orders are joined by chords of the convex (alpha - 1) D_alpha.
// - Arithmetic: only positive terms are added. Each moment is raised by its error bound: at most 64 ulps for unsampled
//   noise; 8 alpha ulps for sums, 1e-12 for the sampled Gaussian and 1e-13 for its forward differences, relative to the
//   excess of the moment over 1; and in each case 3 libm ulps of the largest exponent in the dominant term. In the
//   range q >= 1e-9, 0.05 <= sigma <= 1e4, alpha <= 1e6, values are within 1e-9 of what they bound, unless alpha log q
//   and alpha^2 / (2 sigma^2) exceed 1e6 and cancel.
// Test: tests/accounting/rdp_curves_test.cpp

#include <dplda/accounting/detail/allocation_moment.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/selection_curve.hpp>
#include <dplda/accounting/event.hpp>
#include <dplda/accounting/rdp_formulas.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

/// Which bound of a sampled mechanism: the smallest one known here, or only the published theorem (Mironov, Talwar and
/// Zhang; Zhu and Wang; Theorem 27 or 9 of Wang, Balle and Kasiviswanathan). The latter is for comparison with other
/// accountants.
enum class rdp_bounds { smallest, published };

namespace detail {

/// The terms of the sum for samples of fixed size: the entry's own, or Theorem 9 of Wang, Balle and Kasiviswanathan.
template <class Mechanism>
class fixed_size_terms {
 public:
  explicit fixed_size_terms(const Mechanism& noise) : noise_(noise), limit_(rdp_limit_of(noise)) {}
  double operator()(double j) const {
    return fixed_size_log_term([&](double l) { return mechanism_entry<Mechanism>::rdp(noise_, l); }, limit_, j);
  }

 private:
  Mechanism noise_;
  double limit_;
};
template <class Mechanism>
requires requires { typename mechanism_entry<Mechanism>::fixed_size_terms; }
class fixed_size_terms<Mechanism> : public mechanism_entry<Mechanism>::fixed_size_terms {
  using mechanism_entry<Mechanism>::fixed_size_terms::fixed_size_terms;
};

/// The curve of one use of one mechanism. Remembers what later orders need again.
template <class Mechanism>
class mechanism_curve {
 public:
  mechanism_curve(const Mechanism& noise, const canonical_event& event, bool published)
      : noise_(noise), published_(published), terms_(noise) {
    rate_ = sampling_rate(event.sampling);
    poisson_ = std::holds_alternative<poisson_sample>(event.sampling);
    if (std::holds_alternative<fixed_size_sample>(event.sampling)) rate_ = std::min(1.0, raised(rate_, 4));
    if constexpr (std::is_same_v<Mechanism, gaussian_noise>) {
      const auto* const allocation = std::get_if<random_allocation>(&event.sampling);
      if (allocation != nullptr) allocated_.emplace(noise.multiplier, allocation->batches);
    }
    under_replace_ = poisson_ && event.relation == neighbours::replace;
    const double delta = delta_of(noise);
    reserved_ = delta == 0 ? 0 : raised(rate_ * delta);
  }

  double operator()(double alpha) {
    const double whole = unsampled(alpha), b = alpha - 1;
    if (allocated_) return std::min(whole, allocated(alpha));
    if (rate_ == 1) return whole;
    // The unsampled bound sets the whole delta aside and the sampled one only a share, so they must not be mixed.
    if (reserved_ > 0) return divergence_above(sampled_moment(alpha), b);
    if (whole == 0 || whole == infinite || (under_replace_ && published_)) return whole;
    if (published_) return divergence_above(sampled_moment(alpha), b);
    const double mixed = mixed_log_moment(raised(b * whole), rate_);
    return std::min(whole, divergence_above(std::min(mixed, sampled_moment(alpha)), b));
  }

  double reserved_delta() const noexcept { return reserved_; }
  bool piecewise() const noexcept {
    return allocated_.has_value() || (rate_ < 1 && !(poisson_ && HasPoissonMoment<Mechanism>));
  }

 private:
  using entry = mechanism_entry<Mechanism>;

  double unsampled(double alpha) const { return entry::rdp(noise_, alpha); }
  double sampled_moment(double alpha) { return poisson_ ? poisson_moment(alpha) : fixed_size_moment(alpha); }

  /// The j-th of the numbers that the sums of an event share, j >= 2.
  double remembered(double j, real_function compute) {
    const auto index = static_cast<std::size_t>(j) - 2;
    while (shared_.size() <= index) shared_.push_back(compute(static_cast<double>(shared_.size()) + 2));
    return shared_[index];
  }

  double allocated(double alpha) const {
    if (alpha > allocation_moments::orders) return infinite;
    const double removed = chord_log_moment(alpha, [&](double n) { return allocated_->log_moment(n); });
    return std::max(divergence_above(removed, alpha - 1), allocated_->divergence_if_added(alpha));
  }

  double poisson_moment(double alpha) {
    if constexpr (HasPoissonReplacePair<Mechanism>) {
      if (under_replace_) return entry::poisson_replace_log_moment(noise_, rate_, alpha);
    }
    if constexpr (HasPoissonMoment<Mechanism>) {
      return entry::poisson_log_moment(noise_, rate_, alpha);
    } else {
      const auto divergence = [&](double l) { return remembered(l, [&](double m) { return unsampled(m); }); };
      const double sum = chord_log_moment(
          alpha, [&](double n) { return poisson_log_moment(rate_, divergence, n, entry::poisson_factor); });
      const double limit = rdp_limit_of(noise_);
      if (published_ || limit == infinite) return sum;
      return std::min(two_answers_log_moment(worst_pure(limit), rate_, 0, alpha - 1), sum);
    }
  }

  double fixed_size_moment(double alpha) {
    const double limit = rdp_limit_of(noise_);
    double moment = infinite;
    if (limit < infinite && !(published_ && reserved_ == 0)) {
      const double amplified = raised(log_mixture(rate_, limit));
      moment = two_answers_log_moment(worst_pure(amplified), 1, 0, alpha - 1);
    }
    if (reserved_ > 0) return moment;
    const auto term = [&](double j) { return remembered(j, terms_); };
    return std::min(moment, chord_log_moment(alpha, [&](double n) { return fixed_size_log_moment(rate_, n, term); }));
  }

  Mechanism noise_;
  bool published_, poisson_ = false, under_replace_ = false;
  double rate_ = 1, reserved_ = 0;
  std::optional<allocation_moments> allocated_ = {};
  fixed_size_terms<Mechanism> terms_;
  std::vector<double> shared_;
};

template <class Runs>
class mechanism_curve<best_of<Runs>> : public selection_curve {
 public:
  mechanism_curve(const best_of<Runs>& noise, const canonical_event&, bool)
      : selection_curve(law_of(static_cast<const Runs&>(noise)), *noise.run) {}
};

}  // namespace detail

/// The curve of one use of an event. Calls are not const: a curve remembers numbers that later orders need. Copies are
/// independent.
class rdp_curve {
 public:
  /// Throws std::invalid_argument on an invalid event (see check).
  explicit rdp_curve(const privacy_event& event, rdp_bounds bounds = rdp_bounds::smallest)
      : rdp_curve(detail::checked(event), bounds) {}
  /// For events that were checked before.
  explicit rdp_curve(const detail::canonical_event& event, rdp_bounds bounds = rdp_bounds::smallest)
      : curve_(curve_of(event, bounds)) {}

  /// An upper bound on the divergence of order alpha. Throws std::invalid_argument unless alpha > 1 and finite.
  double operator()(double alpha);

  /// The probability that one use sets aside before the curve holds.
  double reserved_delta() const noexcept;

  /// Whether the curve is joined by chords between integer orders.
  bool piecewise() const noexcept;

 private:
  using any_curve = detail::wrapped_variant<detail::mechanism_curve, mechanism>::type;

  static any_curve curve_of(const detail::canonical_event& event, rdp_bounds bounds);

  any_curve curve_;
};

struct detail::selection_curve::counted {
  rdp_curve curve;
  double count;
};

/// The divergence of order alpha of one use of an event; see rdp_curve.
inline double rdp(const privacy_event& event, double alpha) { return rdp_curve(event)(alpha); }

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/rdp_curves.ipp>
#include <dplda/accounting/detail/selection_curve.ipp>
#endif

#endif
