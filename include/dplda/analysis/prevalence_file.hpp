// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_PREVALENCE_FILE_HPP
#define DPLDA_ANALYSIS_PREVALENCE_FILE_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/analysis/prevalence.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/json.hpp>
#include <dplda/mechanisms/release.hpp>

#include <filesystem>
#include <string>

// Prevalence on disk: as JSON, with its guarantee and ledger, and as a table for spreadsheets.

namespace dplda::inline v0_1 {

/// What is recorded beside a measured prevalence. All of it is published: put nothing private in here.
struct prevalence_details {
  guarantee own;                     ///< the cost beside that of the topics (private_prevalence::own)
  std::string model_sha256 = {};     ///< of the topics' model.json, as in their release.json; empty: unknown
  json_value::object settings = {};  ///< names and values, in the order in which they are shown
  std::string booked = {};           ///< the id of the entry in a budget book; empty: none
};

/// Measurement, intervals, guarantee and ledger.
json_value prevalence_json(const release<prevalence>& measured, const prevalence_details& details);

/// A line for each group and topic: group, units, whether the group tells anything, topic, share, and both intervals.
std::string prevalence_csv(const prevalence& measured);

/// Prevalence as it was saved.
struct saved_prevalence {
  release<prevalence> measured;
  prevalence_details details;
};

/// Reads what prevalence_json made; intervals are computed again. Throws parse_error if the file cannot be read, is
/// something else, misses a part, or holds an impossible number, and if a guarantee does not follow from the ledger.
saved_prevalence read_prevalence(const std::filesystem::path& path);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/analysis/detail/prevalence_file.ipp>
#endif

#endif
