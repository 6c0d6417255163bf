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
#include <variant>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE double selection_epsilon(const run_count_law& law, const nested_ledger& run, double delta) {
  const double base = ledger_epsilon(*run, lowered(delta / law.mean)).upper;
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

/// Bounds, and the accountant that gave the upper one.
struct ruled_bounds {
  certified_bounds bounds;
  dplda::accountant accountant;
};

inline certified_bounds epsilon_by(const canonical_ledger& book, double delta, accountant rule,
                                   const pld_options& accuracy) {
  switch (rule) {
    case accountant::linear: {
      const double upper = linear_epsilon(book, delta);
      if (delta > 0 || !(upper < infinite)) return {0, upper};
      // A small rate turns an ulp of an epsilon below 700 into 700 ulps of the amplified one.
      return {lowered(upper, 1e5 + 8 * book.size()), upper};
    }
    case accountant::advanced:
      return {0, advanced_epsilon(book, delta)};
    case accountant::optimal:
      return {0, optimal_epsilon(book, delta)};
    case accountant::zcdp: {
      const auto [rho, reserved] = total_rho(book);
      const double left = reserved > 0 ? lowered(delta - reserved, 4) : delta;
      return {0, left > 0 || (rho == 0 && reserved == 0) ? zcdp_epsilon(rho, left) : infinite};
    }
    case accountant::rdp:
      return {0, rdp_accountant(book).epsilon(delta)};
    case accountant::gaussian:
      return one_gaussian_epsilon(as_one_gaussian(book), delta);
    default:
      return ledger_losses(book).epsilon(delta, accuracy);
  }
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

inline certified_bounds delta_by(const canonical_ledger& book, double epsilon, accountant rule,
                                 const pld_options& accuracy) {
  if (rule == accountant::linear || rule == accountant::advanced || rule == accountant::optimal) {
    // Pure mechanisms cost no delta once the sum of their epsilons is covered.
    if (linear_epsilon(book, 0) <= epsilon) return {0, 0};
    const auto epsilon_of = [&](double delta) {
      if (delta == 1) return 0.0;
      return rule == accountant::linear ? linear_epsilon(book, delta) : advanced_epsilon(book, delta);
    };
    const double found = inverse_in_log_delta(epsilon_of, epsilon, 1e-10);
    return {0, rule == accountant::optimal ? optimal_delta(book, epsilon, found) : found};
  }
  switch (rule) {
    case accountant::zcdp: {
      const auto [rho, reserved] = total_rho(book);
      const double sum = zcdp_delta(rho, epsilon) + reserved;
      return {0, std::min(1.0, reserved > 0 ? raised(sum, 2) : sum)};
    }
    case accountant::rdp:
      return {0, rdp_accountant(book).delta(epsilon)};
    case accountant::gaussian:
      return one_gaussian_delta(as_one_gaussian(book), epsilon);
    default:
      return ledger_losses(book).delta(epsilon, accuracy);
  }
}

inline ruled_bounds epsilon_and_rule(const ledger& book, double delta, accountant rule, const pld_options& accuracy) {
  const canonical_ledger plain(book);
  if (plain.empty() || delta == 1) return {{0, 0}, rule};
  if (rule != accountant::best) return {epsilon_by(plain, delta, rule, accuracy), rule};
  ruled_bounds best{epsilon_by(plain, delta, accountant::gaussian, accuracy), accountant::gaussian};
  if (best.bounds.upper < infinite) return best;
  best = {epsilon_by(plain, delta, accountant::linear, accuracy), accountant::linear};
  if (delta == 0) return best;
  const auto add = [&](const certified_bounds& bounds, accountant each) {
    if (bounds.upper < best.bounds.upper) best.accountant = each;
    best.bounds = {std::max(best.bounds.lower, bounds.lower), std::min(best.bounds.upper, bounds.upper)};
  };
  for (const accountant each : {accountant::advanced, accountant::zcdp, accountant::rdp, accountant::pld}) {
    if (best.bounds.upper == 0) return best;
    add(epsilon_by(plain, delta, each, accuracy), each);
  }
  add({0, optimal_epsilon(plain, delta, best.bounds.upper)}, accountant::optimal);
  best.bounds.lower = std::min(best.bounds.lower, best.bounds.upper);
  return best;
}

}  // namespace detail

DPLDA_INLINE certified_bounds ledger_epsilon(const ledger& book, double delta, accountant rule,
                                             const pld_options& accuracy) {
  detail::require_delta(delta, "ledger_epsilon");
  return detail::epsilon_and_rule(book, delta, rule, accuracy).bounds;
}

DPLDA_INLINE certified_bounds ledger_delta(const ledger& book, double epsilon, accountant rule,
                                           const pld_options& accuracy) {
  detail::require_epsilon(epsilon, "ledger_delta");
  const detail::canonical_ledger plain(book);
  // No epsilon covers the delta of opaque events.
  if (plain.empty() || epsilon == detail::infinite) return {0, std::min(1.0, detail::total_rho(plain).reserved_delta)};
  if (rule != accountant::best) return detail::delta_by(plain, epsilon, rule, accuracy);
  certified_bounds best = detail::delta_by(plain, epsilon, accountant::gaussian, accuracy);
  if (best.upper < 1) return best;
  for (const accountant each :
       {accountant::linear, accountant::advanced, accountant::zcdp, accountant::rdp, accountant::pld}) {
    if (best.upper == 0) return best;
    const certified_bounds bounds = detail::delta_by(plain, epsilon, each, accuracy);
    best = {std::max(best.lower, bounds.lower), std::min(best.upper, bounds.upper)};
  }
  // Uses that share the whole delta have the smallest epsilons. If even those exceed, no other share can win.
  if (best.upper > 0 && !detail::priced_uses(plain, best.upper, 1).optimal_exceeds(epsilon))
    best.upper = std::min(best.upper, detail::delta_by(plain, epsilon, accountant::optimal, accuracy).upper);
  best.lower = std::min(best.lower, best.upper);
  return best;
}

DPLDA_INLINE guarantee price(const ledger& book, double delta, accountant rule) {
  detail::require_delta(delta, "price");
  const detail::ruled_bounds found = detail::epsilon_and_rule(book, delta, rule, {});
  return detail::guarantee_of(book, found.bounds.upper, delta, found.accountant);
}

}  // namespace dplda::inline v0_1

#endif
