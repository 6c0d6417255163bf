// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_CALIBRATION_IPP
#define DPLDA_ACCOUNTING_DETAIL_CALIBRATION_IPP

// Bodies of accounting/calibration.hpp, which has their claim, argument and test.

#include <dplda/accounting/calibration.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace dplda::inline v0_1 {

namespace detail {

/// Parameters as scales x: the larger x, the smaller the price.
struct scale_range {
  double least, most, start;
};

/// The price of a ledger as its distance from the budget.
class budget_gap {
 public:
  budget_gap(const budget& target, const calibration_options& options, const char* function);

  /// log(epsilon / target); at most 0 if and only if the budget is met.
  double operator()(const ledger& book, accountant rule) const;

  /// Throws: even `limit`, the most private parameter, whose ledger is `book`, does not meet the budget. `compared` is
  /// the ledger of another parameter.
  [[noreturn]] void refuse(std::string_view which, double limit, const ledger& book, const ledger& compared,
                           accountant rule) const;

 private:
  budget target_;
  calibration_options options_;
  const char* function_;
};

DPLDA_INLINE budget_gap::budget_gap(const budget& target, const calibration_options& options, const char* function)
    : target_(target), options_(options), function_(function) {
  require(target.epsilon >= 0 && target.epsilon < infinite, function, "epsilon", target.epsilon,
          "must be at least 0 and finite");
  require_delta(target.delta, function);
  require(options.tolerance > 0 && options.tolerance < 1, function, "tolerance", options.tolerance,
          "must lie in (0, 1)");
}

DPLDA_INLINE double budget_gap::operator()(const ledger& book, accountant rule) const {
  certified_bounds cost{0, 0};
  if (rule == accountant::pld || rule == accountant::best) {
    pld_options wide = options_.accuracy;
    wide.relative_width = std::max(wide.relative_width, 0.02);
    cost = ledger_epsilon(book, target_.delta, rule, wide);
  }
  // A lower bound above the budget decides. That the budget is met must be confirmed at the requested accuracy.
  if (cost.lower <= target_.epsilon) cost = ledger_epsilon(book, target_.delta, rule, options_.accuracy);
  if (cost.upper <= target_.epsilon) return cost.upper == 0 ? -infinite : std::log(cost.upper / target_.epsilon);
  return std::max(std::numeric_limits<double>::min(), std::log(cost.upper / target_.epsilon));
}

DPLDA_INLINE void budget_gap::refuse(std::string_view which, double limit, const ledger& book, const ledger& compared,
                                     accountant rule) const {
  const double epsilon = ledger_epsilon(book, target_.delta, rule, options_.accuracy).upper;
  const double delta = ledger_delta(book, target_.epsilon, rule, options_.accuracy).upper;
  const auto entries = book.entries();
  const auto same = std::count_if(entries.begin(), entries.end(), [&](const ledger::entry& e) {
    const auto others = compared.entries();
    return std::find(others.begin(), others.end(), e) != others.end();
  });
  throw std::invalid_argument(
      text("dplda::", function_, ": no ", which, ' ', limit, " meets epsilon = ", target_.epsilon,
           " at delta = ", target_.delta, ", accountant ", rule, ": there the ledger still costs ",
           epsilon < infinite ? text("epsilon = ", epsilon, ", the smallest that can be met at this delta")
                              : text("more than any epsilon at this delta"),
           "; at this epsilon it costs delta = ", delta,
           same > 0 ? text("; of its ", entries.size(), " entries ", same, " do not change with the parameter") : ""));
}

/// A scale at which excess(x) <= 0 was computed, within `tolerance` of the least one, or nothing. `factor` > 1 is the
/// first step from the start towards the other side of the root; steps grow.
DPLDA_INLINE std::optional<double> meeting_scale(real_function excess, const scale_range& range, double at_start,
                                                 double factor, double tolerance) {
  double lo = range.start, hi = range.start, at_lo = at_start, at_hi = at_start;
  while (at_hi > 0) {
    if (hi >= range.most) return std::nullopt;
    lo = hi;
    at_lo = at_hi;
    at_hi = excess(hi = std::min(range.most, hi * factor));
    factor = std::min(16.0, factor * factor);
  }
  while (at_lo <= 0) {
    if (lo <= range.least) return lo;
    hi = lo;
    at_hi = at_lo;
    at_lo = excess(lo = std::max(range.least, lo / factor));
    factor = std::min(16.0, factor * factor);
  }
  return fulfilling_end(excess, lo, at_lo, hi, at_hi, tolerance);
}

/// The same for excess(x, rule). Costly accountants start where the Renyi accountant meets the budget, with steps that
/// follow its price.
DPLDA_INLINE std::optional<double> calibrated_scale(function_ref<double(double, accountant)> excess, scale_range range,
                                                    accountant rule, double tolerance) {
  const auto by = [&](accountant each) { return [&excess, each](double x) { return excess(x, each); }; };
  double factor = 2;
  if (rule == accountant::pld || rule == accountant::best) {
    const auto fast = by(accountant::rdp);
    if (const auto root = meeting_scale(fast, range, fast(range.start), factor, 1e-3)) {
      range.start = *root;
      constexpr double step = 0.05;
      const double slope = (fast(*root * std::exp(-step)) - fast(*root)) / step, at_start = excess(*root, rule);
      const double distance = std::abs(at_start) / slope;
      factor = std::isfinite(distance) && distance > 0 ? std::exp(std::min(1.02 * distance + tolerance, 1.0)) : 1.1;
      return meeting_scale(by(rule), range, at_start, factor, tolerance);
    }
  }
  return meeting_scale(by(rule), range, excess(range.start, rule), factor, tolerance);
}

}  // namespace detail

DPLDA_INLINE double smallest_noise(detail::function_ref<ledger(double)> make_ledger, const budget& target,
                                   accountant rule, const calibration_options& options) {
  const detail::budget_gap gap(target, options, "smallest_noise");
  const detail::scale_range range{1e-6, 1e8, 1};
  const auto excess = [&](double z, accountant each) { return gap(make_ledger(z), each); };
  const auto found = detail::calibrated_scale(excess, range, rule, options.tolerance);
  if (!found)
    gap.refuse("noise multiplier up to", range.most, make_ledger(range.most), make_ledger(range.most / 2), rule);
  return *found;
}

DPLDA_INLINE double largest_rate(detail::function_ref<ledger(double)> make_ledger, const budget& target,
                                 accountant rule, const calibration_options& options) {
  const detail::budget_gap gap(target, options, "largest_rate");
  const detail::scale_range range{1, 1e12, 100};
  const auto rate_at = [](double x) { return 1 / x; };
  const auto excess = [&](double x, accountant each) { return gap(make_ledger(rate_at(x)), each); };
  const auto found = detail::calibrated_scale(excess, range, rule, options.tolerance);
  const double least = rate_at(range.most);
  if (!found) gap.refuse("sampling rate down to", least, make_ledger(least), make_ledger(2 * least), rule);
  return rate_at(*found);
}

DPLDA_INLINE std::uint64_t most_steps(detail::function_ref<ledger(std::uint64_t)> make_ledger, const budget& target,
                                      accountant rule, const calibration_options& options) {
  const detail::budget_gap gap(target, options, "most_steps");
  constexpr std::uint64_t limit = 1'000'000'000'000'000;
  const detail::scale_range range{1 / static_cast<double>(limit), 1, 0.01};
  const auto steps_at = [&](double x) { return std::min(limit, static_cast<std::uint64_t>((1 + 1e-15) / x)); };
  // Neighbouring scales have the same number of steps, which is priced once.
  std::uint64_t met = 0, failed = limit + 1, last = 0;
  double at_last = 0;
  accountant last_rule = rule;
  const auto excess = [&](double x, accountant each) {
    const std::uint64_t steps = steps_at(x);
    if (steps != last || each != last_rule) at_last = gap(make_ledger(steps), each);
    last = steps;
    last_rule = each;
    if (each == rule) (at_last <= 0 ? met : failed) = at_last <= 0 ? std::max(met, steps) : std::min(failed, steps);
    return at_last;
  };
  const auto found = detail::calibrated_scale(excess, range, rule, options.tolerance);
  if (!found) gap.refuse("number of steps down to", 1, make_ledger(1), make_ledger(2), rule);
  while (met + 1 < failed && static_cast<double>(failed - met) > options.tolerance * static_cast<double>(met)) {
    const std::uint64_t middle = met + (failed - met) / 2;
    (gap(make_ledger(middle), rule) <= 0 ? met : failed) = middle;
  }
  return met;
}

}  // namespace dplda::inline v0_1

#endif
