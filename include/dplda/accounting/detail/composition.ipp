// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_COMPOSITION_IPP
#define DPLDA_ACCOUNTING_DETAIL_COMPOSITION_IPP

// Bodies of accounting/detail/composition.hpp.

#include <dplda/accounting/composition.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace dplda::inline v0_1 {

namespace detail {

inline void require_part(const budget& part, std::string_view function) {
  require(part.epsilon >= 0 && part.epsilon < infinite, function, "epsilon", part.epsilon,
          "must be at least 0 and finite");
  require_delta(part.delta, function);
}

/// k log(1 - delta), rounded down: the function and four roundings.
inline double log_survival(double delta, std::uint64_t count) {
  const double value = static_cast<double>(count) * std::log1p(-delta);
  return value * (1 + (libm + 2) * ulp);
}

/// 1 - e^log_survival (1 - pure), rounded up.
inline double total_delta(double log_survival, double pure) {
  if (log_survival == 0) return pure;
  return std::min(1.0, raised(-std::expm1(log_survival + std::log1p(-pure))));
}

/// The largest pure part that total_delta allows, rounded down; negative if there is none.
inline double pure_share(double log_survival, double delta_total) {
  if (log_survival == 0) return delta_total;
  const double left = delta_total - raised(-std::expm1(log_survival));
  return left <= 0 ? left : lowered(left / raised(std::exp(log_survival)));
}

}  // namespace detail

DPLDA_INLINE budget linear_composition(std::span<const repeated_budget> parts) {
  budget total{0, 0};
  for (const auto& [part, count] : parts) {
    detail::require_part(part, "linear_composition");
    total.epsilon += static_cast<double>(count) * part.epsilon;
    total.delta += static_cast<double>(count) * part.delta;
  }
  const double ulps = 2 * static_cast<double>(parts.size()) + 2;
  if (total.epsilon > 0) total.epsilon = detail::raised(total.epsilon, ulps);
  if (total.delta > 0) total.delta = std::min(1.0, detail::raised(total.delta, ulps));
  return total;
}

DPLDA_INLINE budget linear_composition(const budget& part, std::uint64_t count) {
  const repeated_budget parts[] = {{part, count}};
  return linear_composition(parts);
}

DPLDA_INLINE budget advanced_composition(const budget& part, std::uint64_t count, double slack, advanced_mean mean) {
  const char* const function = "advanced_composition";
  detail::require_part(part, function);
  detail::require_count(count, function);
  detail::require(slack > 0 && slack <= 1, function, "slack", slack, "must lie in (0, 1]");
  const auto k = static_cast<double>(count);
  const double epsilon = part.epsilon;
  const double drift = mean == advanced_mean::dwork_roth ? std::expm1(epsilon) : std::tanh(epsilon / 2);
  const double total = k * epsilon * drift + std::sqrt(-2 * k * std::log(slack)) * epsilon;
  return {epsilon == 0 ? 0 : detail::raised(total),
          std::min(1.0, part.delta == 0 ? slack : detail::raised(k * part.delta + slack, 4))};
}

DPLDA_INLINE double advanced_composition_epsilon(const budget& part, std::uint64_t count, double delta_total,
                                                 advanced_mean mean) {
  const char* const function = "advanced_composition_epsilon";
  detail::require_part(part, function);
  detail::require_count(count, function);
  detail::require_delta(delta_total, function, "delta_total");
  const double used = part.delta == 0 ? 0 : detail::raised(static_cast<double>(count) * part.delta, 4);
  const double slack = used == 0 ? delta_total : detail::lowered(delta_total - used, 4);
  return slack > 0 ? advanced_composition(part, count, slack, mean).epsilon : detail::infinite;
}

DPLDA_INLINE double optimal_composition_delta(const budget& part, std::uint64_t count, double epsilon_total) {
  const char* const function = "optimal_composition_delta";
  detail::require_part(part, function);
  detail::require_count(count, function);
  detail::require_epsilon(epsilon_total, function, "epsilon_total");
  const double pure = detail::probability_above(detail::log_delta_of_responses(part.epsilon, count, epsilon_total));
  return detail::total_delta(detail::log_survival(part.delta, count), pure);
}

DPLDA_INLINE double optimal_composition_epsilon(const budget& part, std::uint64_t count, double delta_total) {
  const char* const function = "optimal_composition_epsilon";
  detail::require_part(part, function);
  detail::require_count(count, function);
  detail::require_delta(delta_total, function, "delta_total");
  if (delta_total == 1) return 0;
  if (count == 1 && part.delta == delta_total) return part.epsilon;
  const double pure = detail::pure_share(detail::log_survival(part.delta, count), delta_total);
  if (pure < 0) return detail::infinite;
  if (part.epsilon == 0) return 0;
  const double most = linear_composition(part, count).epsilon;
  const double wanted = detail::log_below(pure);
  const auto excess = [&](double total) { return detail::log_delta_of_responses(part.epsilon, count, total) - wanted; };
  if (pure == 0) return most;
  const double at_zero = excess(0);
  return at_zero <= 0 ? 0 : detail::fulfilling_end(excess, 0, at_zero, most, -detail::infinite, 1e-12);
}

DPLDA_INLINE heterogeneous_composition::heterogeneous_composition(std::span<const repeated_budget> parts)
    : losses_(groups_of(parts)) {
  for (const auto& [part, count] : parts) {
    if (count > 0) log_survival_ += detail::log_survival(part.delta, count);
  }
  log_survival_ *= 1 + static_cast<double>(parts.size()) * detail::ulp;
}

DPLDA_INLINE double heterogeneous_composition::delta(double epsilon_total) const {
  detail::require_epsilon(epsilon_total, "heterogeneous_composition::delta", "epsilon_total");
  return detail::total_delta(log_survival_, losses_.delta(epsilon_total));
}

DPLDA_INLINE double heterogeneous_composition::epsilon(double delta_total) const {
  detail::require_delta(delta_total, "heterogeneous_composition::epsilon", "delta_total");
  if (delta_total == 1) return 0;
  const double pure = detail::pure_share(log_survival_, delta_total);
  if (pure < 0) return detail::infinite;
  const double most = losses_.greatest();
  if (pure == 0) return most;
  const double wanted = detail::log_below(pure);
  const auto excess = [&](double total) { return detail::log_above(losses_.delta(total)) - wanted; };
  const double at_zero = excess(0);
  if (at_zero <= 0) return 0;
  const double at_most = excess(most);
  return at_most > 0 ? most : detail::fulfilling_end(excess, 0, at_zero, most, at_most, 1e-12);
}

DPLDA_INLINE std::vector<detail::response_group> heterogeneous_composition::groups_of(
    std::span<const repeated_budget> parts) {
  std::vector<detail::response_group> groups;
  for (const auto& [part, count] : parts) {
    detail::require_part(part, "heterogeneous_composition");
    if (count > 0 && part.epsilon > 0) groups.push_back({part.epsilon, count});
  }
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.epsilon < b.epsilon; });
  std::vector<detail::response_group> merged;
  for (const auto& group : groups) {
    if (!merged.empty() && merged.back().epsilon == group.epsilon) {
      detail::require(group.count <= ~std::uint64_t{0} - merged.back().count, "heterogeneous_composition", "count",
                      group.count, "makes the total exceed 2^64 - 1");
      merged.back().count += group.count;
    } else {
      merged.push_back(group);
    }
  }
  return merged;
}

}  // namespace dplda::inline v0_1

#endif
