// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_ACCOUNTANT_IPP
#define DPLDA_ACCOUNTING_DETAIL_ACCOUNTANT_IPP

// Bodies of accounting/accountant.hpp, which has their claim, argument and test.

#include <dplda/accounting/accountant.hpp>
#include <dplda/accounting/detail/canonical.hpp>
#include <dplda/accounting/detail/guarantee_of.hpp>
#include <dplda/accounting/detail/one_gaussian.hpp>
#include <dplda/accounting/detail/priced_uses.hpp>
#include <dplda/accounting/rdp.hpp>
#include <dplda/accounting/zcdp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE double selection_epsilon(const run_count_law& law, const nested_ledger& run, double delta) {
  const double base = ledger_epsilon(*run, std::min(1.0, lowered(delta / law.mean))).upper;
  if (base == infinite) return infinite;
  const auto profile = [&](double e) {
    return ledger_delta(*run, e, accountant::best, {.relative_width = 0.01}).upper;
  };
  const bool poisson = law.power == 0;
  const double bound = run.remembered(poisson ? -1 : law.odds,
                                      [&] { return poisson ? profile(0) : likelihood_bound(law.odds, profile, base); });
  return raised(base + (poisson ? law.mean : law.power) * bound);
}

struct zcdp_total {
  double rho = 0;
  double reserved_delta = 0;
};

inline zcdp_total total_rho(const canonical_ledger& book) {
  zcdp_total total;
  for (const auto& [event, count] : book.uses()) {
    const auto uses = static_cast<double>(count);
    std::visit(
        [&]<class Mechanism>(const Mechanism& noise) {
          total.rho += uses * mechanism_entry<Mechanism>::rho(noise);
          total.reserved_delta += uses * delta_of(noise);
        },
        event.noise);
  }
  const double ulps = 16 + 2 * book.size();
  if (total.rho > 0) total.rho = raised(total.rho, ulps);
  if (total.reserved_delta > 0) total.reserved_delta = raised(total.reserved_delta, ulps);
  return total;
}

/// Whether the largest losses of all events have one direction. A dominating pair may have its own in another one, or a
/// smaller one in this.
inline bool attain_epsilons(const canonical_ledger& book) {
  return std::none_of(book.uses().begin(), book.uses().end(),
                      [](const auto& use) { return std::holds_alternative<dominating_pair>(use.event.noise); });
}

/// Whether the delta of linear composition is known to exceed `delta`: its epsilon does at twice that.
inline bool linear_exceeds(const canonical_ledger& book, double epsilon, double delta) {
  return delta <= 0.5 && linear_epsilon(book, 2 * delta) > epsilon;
}

/// The smallest delta found in [e^-690, 1] at which epsilon_of(delta) <= epsilon. Preconditions: epsilon_of decreases,
/// and is 0 at delta = 1.
template <class EpsilonOf>
double inverse_in_log_delta(const EpsilonOf& epsilon_of, double epsilon, double tolerance) {
  constexpr double span = 690;
  const auto delta_at = [](double x) { return x >= span ? 1 : std::exp(x - span); };
  const auto excess = [&](double x) { return epsilon_of(delta_at(x)) - epsilon; };
  const double at_least = excess(0);
  return delta_at(at_least <= 0 ? 0 : fulfilling_end(excess, 0, at_least, span, -epsilon, tolerance));
}

}  // namespace detail

DPLDA_INLINE composed_loss::composed_loss(const ledger& book, accountant rule, const pld_options& accuracy)
    : labels_(detail::guarantee_of(book, 0, 0, rule)), plain_(book), rule_(rule), accuracy_(accuracy) {
  detail::check(accuracy, "composed_loss");
}

DPLDA_INLINE detail::ledger_losses& composed_loss::losses() {
  if (!losses_) losses_.emplace(plain_);
  return *losses_;
}

DPLDA_INLINE bool composed_loss::accurate(const certified_bounds& found) const {
  return detail::narrow(found, accuracy_.relative_width, accuracy_.absolute_width);
}

DPLDA_INLINE certified_bounds composed_loss::epsilon_by(accountant rule, double delta) {
  const detail::canonical_ledger& book = plain_;
  switch (rule) {
    case accountant::linear: {
      const double upper = detail::linear_epsilon(book, delta);
      if (delta > 0 || !(upper < detail::infinite) || !detail::attain_epsilons(book)) return {0, upper};
      // A small rate turns an ulp of an epsilon below 700 into 700 ulps of the amplified one.
      return {detail::lowered(upper, 1e5 + 8 * book.size()), upper};
    }
    case accountant::advanced:
      return {0, detail::advanced_epsilon(book, delta)};
    case accountant::optimal:
      return {0, detail::optimal_epsilon(book, delta)};
    case accountant::zcdp: {
      const auto [rho, reserved] = detail::total_rho(book);
      const double left = reserved > 0 ? detail::lowered(delta - reserved, 4) : delta;
      return {0, left > 0 || (rho == 0 && reserved == 0) ? zcdp_epsilon(rho, left) : detail::infinite};
    }
    case accountant::rdp:
      return {0, rdp_accountant(book).epsilon(delta)};
    case accountant::gaussian:
      return detail::one_gaussian_epsilon(detail::as_one_gaussian(book), delta);
    default:
      return losses().epsilon(delta, accuracy_);
  }
}

DPLDA_INLINE certified_bounds composed_loss::delta_by(accountant rule, double epsilon) {
  const detail::canonical_ledger& book = plain_;
  if (rule == accountant::linear || rule == accountant::advanced || rule == accountant::optimal) {
    // Pure mechanisms cost no delta once the sum of their epsilons is covered.
    if (detail::linear_epsilon(book, 0) <= epsilon) return {0, 0};
    const auto epsilon_of = [&](double delta) {
      if (delta == 1) return 0.0;
      return rule == accountant::linear ? detail::linear_epsilon(book, delta) : detail::advanced_epsilon(book, delta);
    };
    const double found = detail::inverse_in_log_delta(epsilon_of, epsilon, 1e-10);
    return {0, rule == accountant::optimal ? detail::optimal_delta(book, epsilon, found) : found};
  }
  switch (rule) {
    case accountant::zcdp: {
      const auto [rho, reserved] = detail::total_rho(book);
      const double sum = zcdp_delta(rho, epsilon) + reserved;
      return {0, std::min(1.0, reserved > 0 ? detail::raised(sum, 2) : sum)};
    }
    case accountant::rdp:
      return {0, rdp_accountant(book).delta(epsilon)};
    case accountant::gaussian:
      return detail::one_gaussian_delta(detail::as_one_gaussian(book), epsilon);
    default:
      return losses().delta(epsilon, accuracy_);
  }
}

DPLDA_INLINE composed_loss::ruled_bounds composed_loss::epsilon_and_rule(double delta) {
  if (plain_.empty() || delta == 1) return {{0, 0}, rule_};
  if (rule_ != accountant::best) return {epsilon_by(rule_, delta), rule_};
  ruled_bounds best{epsilon_by(accountant::gaussian, delta), accountant::gaussian};
  if (best.bounds.upper < detail::infinite) return best;
  best = {epsilon_by(accountant::linear, delta), accountant::linear};
  if (delta == 0 && detail::attain_epsilons(plain_)) return best;
  const auto add = [&](const certified_bounds& bounds, accountant each) {
    if (bounds.upper < best.bounds.upper) best.accountant = each;
    best.bounds = {std::max(best.bounds.lower, bounds.lower), std::min(best.bounds.upper, bounds.upper)};
  };
  if (best.bounds.upper == 0) return best;
  add(epsilon_by(accountant::pld, delta), accountant::pld);
  best.bounds.lower = std::min(best.bounds.lower, best.bounds.upper);
  if (best.accountant == accountant::pld && accurate(best.bounds)) return best;
  for (const accountant each : {accountant::advanced, accountant::zcdp, accountant::rdp}) {
    if (best.bounds.upper == 0) return best;
    add(epsilon_by(each, delta), each);
  }
  add({0, detail::optimal_epsilon(plain_, delta, best.bounds.upper)}, accountant::optimal);
  best.bounds.lower = std::min(best.bounds.lower, best.bounds.upper);
  return best;
}

DPLDA_INLINE certified_bounds composed_loss::epsilon(double delta) {
  detail::require_delta(delta, "composed_loss::epsilon");
  return epsilon_and_rule(delta).bounds;
}

DPLDA_INLINE certified_bounds composed_loss::delta(double epsilon) {
  detail::require_epsilon(epsilon, "composed_loss::delta");
  return best_delta(epsilon, false);
}

DPLDA_INLINE std::vector<certified_bounds> composed_loss::deltas(std::span<const double> epsilons) {
  for (const double epsilon : epsilons) detail::require_epsilon(epsilon, "composed_loss::deltas");
  std::vector<certified_bounds> found(epsilons.size());
  for (std::size_t i = 0; i < epsilons.size(); ++i) found[i] = best_delta(epsilons[i], true);
  return found;
}

/// `from_runs`: pld only reads what it computed before, and bounds are not made as close as asked for.
DPLDA_INLINE certified_bounds composed_loss::best_delta(double epsilon, bool from_runs) {
  // No epsilon covers the delta of opaque events.
  if (plain_.empty() || epsilon == detail::infinite)
    return {0, std::min(1.0, detail::total_rho(plain_).reserved_delta)};
  const bool read = from_runs && (rule_ == accountant::best || rule_ == accountant::pld) && losses().supported();
  if (rule_ == accountant::pld && read) return losses().known_delta(epsilon, accuracy_);
  if (rule_ != accountant::best) return delta_by(rule_, epsilon);
  certified_bounds best = delta_by(accountant::gaussian, epsilon);
  if (best.upper < 1) return best;
  if (read) {
    const certified_bounds known = losses().known_delta(epsilon, accuracy_);
    if (known.upper <= 1.01 * known.lower || detail::linear_exceeds(plain_, epsilon, known.upper)) return known;
    return {known.lower, std::max(known.lower, std::min(known.upper, delta_by(accountant::linear, epsilon).upper))};
  }
  for (const accountant each :
       {accountant::linear, accountant::pld, accountant::advanced, accountant::zcdp, accountant::rdp}) {
    if (best.upper == 0) return best;
    const certified_bounds bounds = delta_by(each, epsilon);
    best = {std::max(best.lower, bounds.lower), std::min(best.upper, bounds.upper)};
    best.lower = std::min(best.lower, best.upper);
    if (detail::narrow(best, accuracy_.relative_width, 0)) return best;
  }
  // Uses that share the whole delta have the smallest epsilons. If even those exceed, no other share can win.
  if (best.upper > 0 && !detail::priced_uses(plain_, best.upper, 1).optimal_exceeds(epsilon))
    best.upper = std::min(best.upper, delta_by(accountant::optimal, epsilon).upper);
  best.lower = std::min(best.lower, best.upper);
  return best;
}

DPLDA_INLINE ledger_price composed_loss::price(double delta) {
  detail::require_delta(delta, "price");
  const ruled_bounds found = epsilon_and_rule(delta);
  ledger_price priced{labels_, found.bounds.lower, accurate(found.bounds)};
  priced.epsilon = found.bounds.upper;
  priced.delta = delta;
  priced.accountant = found.accountant;
  return priced;
}

DPLDA_INLINE certified_bounds ledger_epsilon(const ledger& book, double delta, accountant rule,
                                             const pld_options& accuracy) {
  return composed_loss(book, rule, accuracy).epsilon(delta);
}

DPLDA_INLINE certified_bounds ledger_delta(const ledger& book, double epsilon, accountant rule,
                                           const pld_options& accuracy) {
  return composed_loss(book, rule, accuracy).delta(epsilon);
}

DPLDA_INLINE ledger_price price(const ledger& book, double delta, accountant rule, const pld_options& accuracy) {
  return composed_loss(book, rule, accuracy).price(delta);
}

}  // namespace dplda::inline v0_1

#endif
