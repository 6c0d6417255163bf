// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_CALIBRATION_HPP
#define DPLDA_ACCOUNTING_CALIBRATION_HPP

// How much noise a budget requires, and how large a sample or how many steps it allows.
//
// Claim: the ledger made with the value returned costs at most the budget under the given accountant.
// Preconditions: make_ledger(x) returns the ledger of what will be done with x, and the same one at every call. The
//   claim does not need costs to rise with the rate and the steps and to fall with the noise; only the optimality of
//   the value does.
// Argument: the value returned was itself priced, and its price is within the budget; nothing is interpolated. For pld
//   and best, the search starts where the much cheaper rdp meets the budget, and uses wide bounds first: a lower bound
//   above the budget decides; otherwise the bounds are narrowed.
// Test: tests/accounting/calibration_test.cpp

#include <dplda/accounting/accountant.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace dplda::inline v0_1 {

struct calibration_options {
  /// The relative distance of the value from the best one. A number of steps is exact if this is less than one step.
  double tolerance = 1e-4;
  /// How far apart the bounds of pld may be. The default is that of ledger_epsilon and price, so they agree that the
  /// budget is met.
  pld_options accuracy = {};
};

namespace detail {

/// Parameters as scales x: the larger x, the smaller the price.
struct scale_range {
  double least, most, start;
};

/// The price of the ledger at a parameter, as its distance from the budget.
template <class MakeLedger>
class budget_gap {
 public:
  budget_gap(const MakeLedger& make, const budget& target, const calibration_options& options, const char* function)
      : make_(make), target_(target), options_(options) {
    require(target.epsilon >= 0 && target.epsilon < infinite, function, "epsilon", target.epsilon,
            "must be at least 0 and finite");
    require_delta(target.delta, function);
    require(options.tolerance > 0 && options.tolerance < 1, function, "tolerance", options.tolerance,
            "must lie in (0, 1)");
  }

  /// log(epsilon / target); at most 0 if and only if the budget is met.
  template <class Parameter>
  double operator()(Parameter parameter, accountant rule) const {
    const ledger book = make_(parameter);
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

  /// Throws: even the most private parameter does not meet the budget.
  template <class Parameter>
  [[noreturn]] void refuse(const char* function, std::string_view which, Parameter limit, Parameter other,
                           accountant rule) const {
    const ledger book = make_(limit), compared = make_(other);
    const double epsilon = ledger_epsilon(book, target_.delta, rule, options_.accuracy).upper;
    const double delta = ledger_delta(book, target_.epsilon, rule, options_.accuracy).upper;
    const auto entries = book.entries();
    const auto same = std::count_if(entries.begin(), entries.end(), [&](const ledger::entry& e) {
      const auto others = compared.entries();
      return std::find(others.begin(), others.end(), e) != others.end();
    });
    throw std::invalid_argument(text(
        "dplda::", function, ": no ", which, ' ', limit, " meets epsilon = ", target_.epsilon,
        " at delta = ", target_.delta, ", accountant ", rule, ": there the ledger still costs ",
        epsilon < infinite ? text("epsilon = ", epsilon, ", the smallest that can be met at this delta")
                           : text("more than any epsilon at this delta"),
        "; at this epsilon it costs delta = ", delta,
        same > 0 ? text("; of its ", entries.size(), " entries ", same, " do not change with the parameter") : ""));
  }

 private:
  const MakeLedger& make_;
  budget target_;
  calibration_options options_;
};

/// A scale at which excess(x) <= 0 was computed, within `tolerance` of the least one, or nothing. `factor` > 1 is the
/// first step from the start towards the other side of the root; steps grow.
template <class Excess>
std::optional<double> meeting_scale(const Excess& excess, const scale_range& range, double at_start, double factor,
                                    double tolerance) {
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
template <class Excess>
std::optional<double> calibrated_scale(const Excess& excess, scale_range range, accountant rule, double tolerance) {
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

/// The smallest noise multiplier z in [1e-6, 1e8] for which make_ledger(z) costs at most the budget. Throws
/// std::invalid_argument if there is none (the message says which budget could be met), and on an epsilon that is
/// negative or infinite, a delta outside [0, 1] or a tolerance outside (0, 1). The functions below throw likewise.
template <class MakeLedger>
double smallest_noise(const MakeLedger& make_ledger, const budget& target, accountant rule = accountant::best,
                      const calibration_options& options = {}) {
  const char* const function = "smallest_noise";
  const detail::budget_gap gap(make_ledger, target, options, function);
  const detail::scale_range range{1e-6, 1e8, 1};
  const auto found =
      detail::calibrated_scale([&](double z, accountant each) { return gap(z, each); }, range, rule, options.tolerance);
  if (!found) gap.refuse(function, "noise multiplier up to", range.most, range.most / 2, rule);
  return *found;
}

/// The largest sampling rate q in [1e-12, 1] for which make_ledger(q) costs at most the budget.
template <class MakeLedger>
double largest_rate(const MakeLedger& make_ledger, const budget& target, accountant rule = accountant::best,
                    const calibration_options& options = {}) {
  const char* const function = "largest_rate";
  const detail::budget_gap gap(make_ledger, target, options, function);
  const detail::scale_range range{1, 1e12, 100};
  const auto rate_at = [](double x) { return 1 / x; };
  const auto found = detail::calibrated_scale([&](double x, accountant each) { return gap(rate_at(x), each); }, range,
                                              rule, options.tolerance);
  if (!found) gap.refuse(function, "sampling rate down to", rate_at(range.most), 2 * rate_at(range.most), rule);
  return rate_at(*found);
}

/// The largest number of steps k in [1, 1e15] for which make_ledger(k) costs at most the budget.
template <class MakeLedger>
std::uint64_t most_steps(const MakeLedger& make_ledger, const budget& target, accountant rule = accountant::best,
                         const calibration_options& options = {}) {
  const char* const function = "most_steps";
  const detail::budget_gap gap(make_ledger, target, options, function);
  constexpr std::uint64_t limit = 1'000'000'000'000'000;
  const detail::scale_range range{1 / static_cast<double>(limit), 1, 0.01};
  const auto steps_at = [&](double x) { return std::min(limit, static_cast<std::uint64_t>((1 + 1e-15) / x)); };
  // Neighbouring scales have the same number of steps, which is priced once.
  std::uint64_t met = 0, failed = limit + 1, last = 0;
  double at_last = 0;
  accountant last_rule = rule;
  const auto excess = [&](double x, accountant each) {
    const std::uint64_t steps = steps_at(x);
    if (steps != last || each != last_rule) at_last = gap(steps, each);
    last = steps;
    last_rule = each;
    if (each == rule) (at_last <= 0 ? met : failed) = at_last <= 0 ? std::max(met, steps) : std::min(failed, steps);
    return at_last;
  };
  const auto found = detail::calibrated_scale(excess, range, rule, options.tolerance);
  if (!found) gap.refuse(function, "number of steps down to", std::uint64_t{1}, std::uint64_t{2}, rule);
  while (met + 1 < failed && static_cast<double>(failed - met) > options.tolerance * static_cast<double>(met)) {
    const std::uint64_t middle = met + (failed - met) / 2;
    (gap(middle, rule) <= 0 ? met : failed) = middle;
  }
  return met;
}

}  // namespace dplda::inline v0_1

#endif
