// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_BOOKING_HPP
#define DPLDA_EXAMPLES_DPLDA_BOOKING_HPP

#include <dplda/accounting/ledger.hpp>
#include <dplda/io/budget_book.hpp>

#include <functional>
#include <optional>
#include <string>

#include "program.hpp"

namespace CLI {
class App;
}

namespace dplda_program {

/// Adds --book, which names the book that a release is written to.
void add_book_option(CLI::App& command, std::string& path);

/// The delta of a release without --delta: `otherwise`, but with a limited book at most the share of its delta that
/// goes with epsilon. Costs add up nearly in squares, so the book admits about (limit / epsilon)^2 such releases, and
/// each gets (epsilon / limit)^2 of delta. Throws as budget_book::open does.
double booked_delta(const std::string& path, double epsilon, double otherwise);

/// The events of a ledger that are not those of a part of it. Precondition: whole.contains(part).
dplda::ledger without(const dplda::ledger& whole, const dplda::ledger& part);

/// A planned release, and the book that it is written to.
class booking {
 public:
  /// What the release would cost with another budget; throws usage_error if that cannot be met.
  using planner = std::function<dplda::ledger(const dplda::budget&)>;

  /// Opens the book. Throws parse_error and std::runtime_error as budget_book::open does, and usage_error if the noise
  /// comes from a seed or the book is about another unit.
  booking(const std::string& path, std::string what, dplda::ledger planned, const dplda::budget& asked, bool seeded,
          planner plan_for);

  /// Throws usage_error if the book's limit does not admit the release, with the budget that it would admit.
  void check_admitted() const;
  /// Writes the release to the book and returns the id of the entry. To be called directly before noise is drawn.
  /// Throws as check_admitted and budget_book::spend do; the release must not be made then.
  std::string spend();
  /// Goes on with a release that an earlier run wrote to the book. Throws std::invalid_argument unless the book has this
  /// entry, with the planned ledger.
  void take_up(const std::string& id);
  /// budget_book::confirm: throws if the ledger that was spent is not the booked one, so that nothing is published.
  void check_spent(const dplda::ledger& spent) const;

  /// What holds for the book with the release in it, for people and for machines.
  std::string outlook() const;
  json_value outlook_json() const;

 private:
  bool has_thresholds_left() const;
  std::optional<dplda::budget> admitted_budget() const;

  dplda::budget_book book_;
  std::string path_, what_, id_;  // id_: of the entry, once it is spent
  dplda::ledger planned_;
  dplda::budget asked_;
  planner plan_for_;
};

}  // namespace dplda_program

#endif
