// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_MEASUREMENT_HPP
#define DPLDA_EXAMPLES_DPLDA_MEASUREMENT_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/io/json.hpp>

#include <functional>
#include <optional>
#include <string>

#include "booking.hpp"
#include "engines.hpp"

namespace dplda_program {

/// The plan of something that is measured about released topics, at a cost beside theirs.
struct measurement_plan {
  std::string what;  ///< as the book calls it
  dplda::guarantee own, together;
  dplda::ledger ledger;
  std::function<dplda::ledger(const dplda::budget&)> with_budget;  ///< the ledger for another budget
  dplda::json_value::object figures;                               ///< for a dry run
  std::string widths;                                              ///< in words
};

/// A measurement from a budget, in a book if one is named.
class measurement {
 public:
  /// Throws as booking does.
  measurement(measurement_plan plan, const std::string& book, const budget_options& spending);

  /// Says what the measurement will cost and how wide intervals will be. Returns false after a dry run, which ends there.
  /// Throws usage_error if the book does not admit the measurement.
  bool announce(bool dry_run, bool as_json) const;
  /// Writes it to the book, directly before noise is drawn. Returns the id of the entry; empty without a book.
  std::string spend() { return book_ ? book_->spend() : std::string(); }
  /// Throws if something else was spent, so that nothing is published.
  void check_spent(const dplda::ledger& spent) const {
    if (book_) book_->check_spent(spent);
  }

  const measurement_plan& plan() const { return plan_; }
  /// What the file says of budget and units.
  dplda::json_value::object settings() const;

 private:
  measurement_plan plan_;
  const budget_options& spending_;
  std::optional<booking> book_;
};

/// Takes the delta that goes with the book, if one is named and no delta was asked for.
void take_delta_of(const std::string& book, budget_options& spending);

/// A sentence for results whose noise came from a known seed; empty for others.
std::string seeded_warning(const budget_options& spending);

}  // namespace dplda_program

#endif
