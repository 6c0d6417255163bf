// SPDX-License-Identifier: Apache-2.0
#include "booking.hpp"

#include <dplda/core/rounding.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <utility>
#include <variant>
#include <vector>

#include "interrupts.hpp"

namespace dplda_program {

namespace {

/// Rounded down to `digits` significant digits.
double rounded_down(double value, int digits) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
  const double down = std::stod(number(std::floor(value / unit) * unit, digits));
  return down <= value ? down : std::stod(number((std::floor(value / unit) - 1) * unit, digits));
}

double opaque_delta(const dplda::ledger& plan) {
  double sum = 0;
  for (const auto& [event, count] : plan.entries()) {
    if (const auto* opaque = std::get_if<dplda::approximate_dp>(&event.noise))
      sum += opaque->delta * static_cast<double>(count);
  }
  return sum;
}

}  // namespace

void add_book_option(CLI::App& command, std::string& path) {
  command
      .add_option(
          "--book", path,
          "The budget book of these documents (see dplda book): the release is written to it before noise is "
          "drawn, and refused if it would exceed the book's limit. Name it in every release of the same documents, "
          "even "
          "in those that you do not publish. Without --delta, a book with a limit lowers the default to the share of "
          "its delta that goes with epsilon, if that is less")
      ->type_name("FILE")
      ->group("Privacy");
}

double booked_delta(const std::string& path, double epsilon, double otherwise) {
  const auto book = dplda::budget_book::open(path);
  if (!book.limit()) return otherwise;
  const double share = std::min(1.0, epsilon / book.limit()->promise().epsilon);
  return std::min(otherwise, share * share * book.delta());
}

dplda::ledger without(const dplda::ledger& whole, const dplda::ledger& part) {
  dplda::ledger rest;
  std::vector<dplda::ledger::entry> gone(part.entries().begin(), part.entries().end());
  for (auto [event, count] : whole.entries()) {
    for (auto& [other, times] : gone) {
      if (other != event) continue;
      const std::uint64_t both = std::min(count, times);
      count -= both;
      times -= both;
    }
    if (count > 0) rest.record(event, count);
  }
  if (whole.seeded()) rest.mark_seeded();
  return rest;
}

booking::booking(const std::string& path, std::string what, dplda::ledger planned, const dplda::budget& asked,
                 bool seeded, planner plan_for)
    : book_([&] {
        if (seeded)
          throw usage_error(
              "noise from --seed protects nobody, so a book cannot count it; leave out --seed, or, for an experiment "
              "that is never published, --book");
        return dplda::budget_book::open(path);
      }()),
      path_(path),
      what_(std::move(what)),
      planned_(std::move(planned)),
      asked_(asked),
      plan_for_(std::move(plan_for)) {
  const dplda::privacy_event& event = planned_.entries().front().event;
  if (event.unit != book_.unit() || event.relation != book_.relation()) {
    std::ostringstream units;
    units << path << ": is the book of another unit, " << book_.unit() << " instead of " << event.unit
          << ", and losses of different units do not add up; choose one unit for all releases of these documents";
    throw usage_error(units.str());
  }
}

/// Whether more is left than rounding errors.
bool booking::has_thresholds_left() const {
  return book_.limit()->left().opaque_delta > 1e-9 * book_.limit()->options().reserved_delta;
}

/// The largest budget of this kind that the limit admits: the largest delta that the thresholds may have, and then the
/// largest epsilon, to three digits. Empty if not even a 1024th of the epsilon is admitted, or no delta is left.
std::optional<dplda::budget> booking::admitted_budget() const {
  dplda::budget found = asked_;
  const double thresholds = opaque_delta(planned_), left = book_.limit()->left().opaque_delta;
  if (thresholds > left * (1 + 1e-12)) {
    if (!has_thresholds_left()) return {};
    found.delta = rounded_down(asked_.delta * (left / thresholds), 3);
  }
  const auto admits = [&](double epsilon) {
    try {
      return book_.admits(plan_for_({epsilon, found.delta}));
    } catch (const usage_error&) {
      return false;
    }
  };
  if (admits(asked_.epsilon)) return found;
  double low = asked_.epsilon / 1024, high = asked_.epsilon;
  if (!admits(low)) return {};
  while (high > low * 1.0005) {
    const double middle = std::sqrt(low * high);
    (admits(middle) ? low : high) = middle;
  }
  found.epsilon = rounded_down(low, 3);
  if (!admits(found.epsilon)) found.epsilon = low;
  return found;
}

void booking::check_admitted() const {
  if (book_.admits(planned_)) return;
  const dplda::budget total{book_.limit()->promise().epsilon, book_.delta()};
  const auto smaller = admitted_budget();
  std::string remedy = "too little is left for such a release; what was released before may be used further at no cost";
  if (smaller) {
    remedy = "this release would be admitted with --epsilon " + number(smaller->epsilon, 10);
    if (smaller->delta != asked_.delta) remedy += " --delta " + number(smaller->delta, 10);
  } else if (opaque_delta(planned_) > 0 && !has_thresholds_left()) {
    remedy =
        "no delta is left for thresholds of words that are chosen privately; a public list (--vocabulary) needs none";
  }
  throw usage_error(path_ + ": would exceed its limit, epsilon = " + number(total.epsilon) +
                    " at delta = " + number(total.delta) + "; " + remedy);
}

std::string booking::spend() {
  try {
    const deferred_interrupts whole;
    id_ = book_.spend(what_, planned_);
    set_booked();
  } catch (const dplda::budget_exceeded&) {  // others have spent since the book was opened
    book_ = dplda::budget_book::open(path_);
    check_admitted();
    throw;
  }
  check_interrupts();
  return id_;
}

void booking::take_up(const std::string& id) {
  book_.confirm(id, planned_);
  id_ = id;
  set_booked();
}

void booking::check_spent(const dplda::ledger& spent) const { book_.confirm(id_, spent); }

std::string booking::outlook() const {
  std::ostringstream text;
  if (!book_.limit()) {
    const dplda::guarantee before = book_.guarantee(), with_this = book_.guarantee(planned_);
    text << paragraph("The book holds ", book_.entries().size(),
                      " releases that together cost epsilon = ", dplda::rounded_up(before.epsilon),
                      " at delta = ", number(before.delta),
                      "; with this one, epsilon = ", dplda::rounded_up(with_this.epsilon), ". ",
                      with_this.assumes_fixed_plans ? dplda::fixed_plans : "");
    return text.str();
  }
  text << paragraph("The book holds ", book_.entries().size(),
                    " releases. Its limit, epsilon = ", number(book_.limit()->promise().epsilon),
                    " at delta = ", number(book_.delta()),
                    book_.limit()->within() ? ", holds for all of them together, however they were chosen. It "
                                            : ", is exceeded. It ",
                    book_.admits(planned_) ? "admits this release." : "does not admit this release.");
  if (book_.admits(planned_)) return text.str();
  if (const auto smaller = admitted_budget())
    text << paragraph("It would be admitted with epsilon = ", number(smaller->epsilon, 10),
                      ", delta = ", number(smaller->delta, 10), '.');
  return text.str();
}

json_value booking::outlook_json() const {
  const dplda::guarantee with_this = book_.guarantee(planned_);
  const bool admitted = book_.admits(planned_);
  const auto smaller = admitted ? std::optional<dplda::budget>(asked_) : admitted_budget();
  return json_value::object{
      {"entries", book_.entries().size()},
      {"delta", book_.delta()},
      {"epsilon_before", dplda::number_or_infinity(book_.guarantee().epsilon)},
      {"epsilon_with_this", dplda::number_or_infinity(with_this.epsilon)},
      {"assumes_fixed_plans", with_this.assumes_fixed_plans},
      {"limit", book_.limit() ? json_value(book_.limit()->promise().epsilon) : json_value(nullptr)},
      {"admitted", admitted},
      {"admitted_with", smaller
                            ? json_value(json_value::object{{"epsilon", smaller->epsilon}, {"delta", smaller->delta}})
                            : json_value(nullptr)}};
}

}  // namespace dplda_program
