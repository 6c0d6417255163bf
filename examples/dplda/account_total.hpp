// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_ACCOUNT_TOTAL_HPP
#define DPLDA_EXAMPLES_DPLDA_ACCOUNT_TOTAL_HPP

#include <dplda/accounting/ledger.hpp>
#include <dplda/io/budget_book.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"

namespace dplda_program {

/// What several releases of one data set cost together.
struct account_total {
  /// A file, and how many releases in it were counted.
  struct source {
    std::string name;
    std::size_t releases = 0;
  };

  dplda::privacy_unit unit = dplda::privacy_unit::document;
  dplda::neighbours relation = dplda::neighbours::add_remove;
  dplda::ledger ledger = {};
  double delta = 0;  ///< the sum over the books and over the releases' claims
  std::vector<source> sources = {};
  std::vector<std::string> notes = {};  ///< what was counted in an unexpected way, or on trust
  /// What holds for each unit if all releases are of parts that somebody declared disjoint (inference/earlier_topics.hpp):
  /// disjoint_guarantee. The ledger is then that of a person with units in all parts.
  std::optional<dplda::guarantee> each_part = {};
  /// The book, if it is the only file and has a limit.
  std::optional<dplda::budget_book> limited = {};

  std::size_t releases() const;
  dplda::ledger with(const dplda::ledger& further) const;
  /// Whether a release's own guarantee assumes fixed plans.
  bool assumes_fixed_plans = false;
  /// Of a release that goes on from other parts, if what these cost is not counted: its part (guarantee::part).
  std::string part = {};

  /// What holds for all of them and a further release, if any: the limit of the book, or the price at `delta`.
  dplda::guarantee guarantee(const dplda::ledger& further, double at_delta) const;
};

/// Reads folders that fit wrote, release.json files, ledgers and books. A release that is in a book, or named twice, is
/// counted once if its id says so. A release that claims more than its ledger costs is counted by its
/// claim. Throws std::runtime_error if one of them has no proven cost, or if units or neighbours differ; parse_error if
/// one cannot be read.
account_total total_of(const std::vector<std::string>& files);

json_value to_json(const account_total& total);
/// What was counted, and what the limit leaves.
std::string paragraphs(const account_total& total);

/// The total with a further release.
json_value further_json(const account_total& spent, const dplda::ledger& further, double delta);
std::string further_text(const account_total& spent, const dplda::ledger& further, double delta);

}  // namespace dplda_program

#endif
