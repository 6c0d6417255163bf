// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_ACCOUNT_TOTAL_HPP
#define DPLDA_EXAMPLES_DPLDA_ACCOUNT_TOTAL_HPP

#include <dplda/accounting/filter.hpp>
#include <dplda/accounting/ledger.hpp>

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
  double delta = 0;  ///< of the books, and of the releases' claims, added up
  std::vector<source> sources = {};
  std::vector<std::string> notes = {};  ///< what was counted otherwise than one may think
  /// Of the one book, where nothing else was named and it has a limit.
  std::optional<dplda::privacy_filter> limit = {};

  std::size_t releases() const;
  dplda::ledger with(const dplda::ledger& further) const;
};

/// Reads folders that fit wrote, release.json files, ledgers and books. A release that is in a book, or named twice, is
/// counted once where its id says so. A release whose claim is larger than what its ledger costs is counted by its
/// claim. Throws std::runtime_error if one of them has no proven cost, or if units or neighbours differ; parse_error if
/// one cannot be read.
account_total total_of(const std::vector<std::string>& files);

json_value to_json(const account_total& total);
/// What was counted, and what the total assumes.
std::string paragraphs(const account_total& total);

/// What a further release would make of it.
json_value further_json(const account_total& spent, const dplda::ledger& further, double delta);
std::string further_text(const account_total& spent, const dplda::ledger& further, double delta);

}  // namespace dplda_program

#endif
