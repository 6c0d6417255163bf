// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_PLD_IPP
#define DPLDA_ACCOUNTING_DETAIL_PLD_IPP

// Bodies of accounting/pld.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/pld_pair.hpp>
#include <dplda/accounting/pld.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void check(const pld_options& options, std::string_view function) {
  require(options.relative_width > 0, function, "options.relative_width", options.relative_width, "must be positive");
  require(options.absolute_width >= 0, function, "options.absolute_width", options.absolute_width,
          "must be at least 0");
  require(options.max_points >= 1024 && options.max_points <= (std::size_t{1} << 26), function, "options.max_points",
          options.max_points, "must lie in [1024, 2^26]");
}

inline loss_limits limits_of(std::span<const counted_pair> pairs) {
  loss_limits limits;
  limits.ulps = largest_loss_ulps(pairs);
  for (const pld_direction direction : {pld_direction::remove, pld_direction::add}) {
    double largest = 0, log_finite = 0;
    for (const auto& [pair, count] : pairs) {
      const bool remove = direction == pld_direction::remove || pair.symmetric;
      largest += count * std::max(0.0, pair.largest_loss(direction));
      log_finite += count * std::log1p(-std::min(1.0, remove ? pair.p_infinite : pair.q_infinite));
    }
    limits.largest = std::max(limits.largest, largest);
    limits.infinite_above = std::max(limits.infinite_above, -std::expm1(log_finite));
  }
  // Two functions, and the roundings of the sum. Infinite losses of pairs that are not attained are no lower bound.
  const bool exact = std::all_of(pairs.begin(), pairs.end(), [](const counted_pair& c) { return !c.pair.below; });
  limits.infinite_below = exact ? lowered(limits.infinite_above, 8 * libm) : 0;
  limits.infinite_above = limits.infinite_above > 0 ? std::min(1.0, raised(limits.infinite_above, 8 * libm)) : 0;
  for (const auto& [pair, count] : pairs) {
    limits.variation += raised(count * pair.total_variation);
    limits.loss_error += raised(count * pair.loss_error);
  }
  return limits;
}

inline bool all_symmetric(std::span<const counted_pair> pairs) {
  return std::all_of(pairs.begin(), pairs.end(), [](const counted_pair& c) { return c.pair.symmetric; });
}

/// The bounds of the worse direction.
inline certified_bounds pld_bounds(pair_runs& runs, pld_query query) {
  const std::span<const counted_pair> pairs = runs.pairs;
  const bool symmetric = all_symmetric(pairs);
  const certified_bounds removed = known_bounds(runs.removed, query), added = known_bounds(runs.added, query);
  const certified_bounds known =
      symmetric ? removed
                : certified_bounds{std::max(removed.lower, added.lower), std::max(removed.upper, added.upper)};
  if (narrow(known, query)) return known;
  std::deque<pld_search> searches;
  searches.emplace_back(pairs, pld_direction::remove, query, runs.removed);
  if (!searches.front().narrow()) searches.front().refine();
  if (!symmetric) {
    query.known = std::max(query.known, searches.front().bounds().lower);
    searches.emplace_back(pairs, pld_direction::add, query, runs.added);
  }
  while (true) {
    certified_bounds worst{0, 0};
    for (const pld_search& s : searches)
      worst = {std::max(worst.lower, s.bounds().lower), std::max(worst.upper, s.bounds().upper)};
    bool refined = false;
    for (pld_search& s : searches) {
      if (s.narrow() || s.exhausted() || s.bounds().upper <= worst.lower) continue;
      s.refine();
      refined = true;
    }
    if (!refined) return worst;
  }
}

DPLDA_INLINE ledger_losses::ledger_losses(const canonical_ledger& book) {
  auto pairs = pairs_of(book);
  if (!pairs) return;
  supported_ = true;
  limits_ = limits_of(*pairs);
  const bool apart =
      std::any_of(pairs->begin(), pairs->end(), [](const counted_pair& c) { return !c.pair.is_attained(); });
  if (apart) dominating_ = pair_runs{*pairs};
  attained_.pairs = apart ? attained(std::move(*pairs)) : std::move(*pairs);
}

DPLDA_INLINE certified_bounds ledger_losses::epsilon(double delta, const pld_options& options) {
  check(options, "pld_epsilon");
  if (!supported_) return {0, infinite};
  if (delta >= limits_.variation || delta == 1) return {0, 0};
  if (delta < limits_.infinite_below) return {infinite, infinite};
  const double most = limits_.most(), least = limits_.least();
  if (delta == 0) {
    if (limits_.infinite_above > 0 || limits_.largest == infinite) return {infinite, infinite};
    return {least, most};
  }
  certified_bounds bounds =
      searched({true, delta, options.relative_width, options.absolute_width, options.max_points}, most);
  if (limits_.infinite_above <= delta) bounds.upper = std::min(bounds.upper, most);
  // Near the largest loss, rounding may have raised the lower bound above it.
  return {std::min({bounds.lower, bounds.upper, least}), bounds.upper};
}

DPLDA_INLINE certified_bounds ledger_losses::delta(double epsilon, const pld_options& options) {
  check(options, "pld_delta");
  return delta_of(epsilon, {false, epsilon, options.relative_width, 0, options.max_points});
}

DPLDA_INLINE certified_bounds ledger_losses::known_delta(double epsilon, const pld_options& options) {
  // Any bounds are close enough.
  return delta_of(epsilon, {false, epsilon, options.relative_width, 1, options.max_points});
}

DPLDA_INLINE certified_bounds ledger_losses::delta_of(double epsilon, pld_query query) {
  if (!supported_) return {0, 1};
  if (limits_.variation == 0) return {0, 0};
  if (epsilon == infinite || epsilon > limits_.most()) return {limits_.infinite_below, limits_.infinite_above};
  certified_bounds bounds = searched(query, std::min(1.0, limits_.variation));
  bounds.upper = std::min(bounds.upper, limits_.variation);
  return {std::min(std::max(bounds.lower, limits_.infinite_below), bounds.upper), bounds.upper};
}

DPLDA_INLINE certified_bounds ledger_losses::searched(pld_query query, double most) {
  const std::vector<counted_pair>& pairs = attained_.pairs;
  // One pair of laws without a common outcome tells them apart for certain, whatever the others do.
  if (std::any_of(pairs.begin(), pairs.end(), [](const counted_pair& c) { return !c.pair.has_finite_losses(); }))
    return query.for_epsilon ? certified_bounds{infinite, infinite} : certified_bounds{1, 1};
  if (std::any_of(pairs.begin(), pairs.end(), [](const counted_pair& c) { return c.count > 1e12; })) return {0, most};
  try {
    certified_bounds bounds = pld_bounds(attained_, query);
    if (dominating_) {
      query.upper_only = true;
      query.known = bounds.lower;
      bounds.upper = std::max(bounds.lower, pld_bounds(*dominating_, query).upper);
    }
    return bounds;
  } catch (const lattice_too_long&) {
    return {0, most};
  }
}

}  // namespace detail

DPLDA_INLINE bool pld_supports(const ledger& book) {
  return detail::ledger_losses(detail::canonical_ledger(book)).supported();
}

DPLDA_INLINE certified_bounds pld_epsilon(const ledger& book, double delta, const pld_options& options) {
  detail::require_delta(delta, "pld_epsilon");
  return detail::ledger_losses(detail::canonical_ledger(book)).epsilon(delta, options);
}

DPLDA_INLINE certified_bounds pld_delta(const ledger& book, double epsilon, const pld_options& options) {
  detail::require_epsilon(epsilon, "pld_delta");
  return detail::ledger_losses(detail::canonical_ledger(book)).delta(epsilon, options);
}

}  // namespace dplda::inline v0_1

#endif
