// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_AUDIT_FILE_HPP
#define DPLDA_EXAMPLES_DPLDA_AUDIT_FILE_HPP

// What `dplda audit` found, as a file that `dplda report --audit` reads.

#include <dplda/accounting/guarantee.hpp>

#include <filesystem>

#include "program.hpp"
#include "release_folder.hpp"
#include "report.hpp"

namespace dplda_program {

/// The audit as JSON, with the points of its ROC curve as counts, and the claim that was attacked.
json audit_json(const dplda::audit_report& report, const dplda::guarantee& claim, const json& settings);

/// Reads it for the report of a release. Throws parse_error if the file is none, if a number is impossible, if the
/// audit is of another claim, engine, number of topics, source of words, stop words or number of units than the
/// release's, or if nothing is claimed there.
audit_section read_audit(const std::filesystem::path& path, const release_record& release);

}  // namespace dplda_program

#endif
