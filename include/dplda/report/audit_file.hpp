// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_AUDIT_FILE_HPP
#define DPLDA_REPORT_AUDIT_FILE_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/audit/audit.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/report/content.hpp>

#include <filesystem>

// The result of an audit, as a file that the report of the release can show.

namespace dplda::inline v0_1 {

/// The result of an audit as JSON, with the points of its ROC curve as counts, and the claim and settings of the fit
/// that was attacked. An audit is not for release; its stated number of units is rounded all the same, to be that of the
/// release.
json_value audit_json(const audit_report& report, const guarantee& claim, const json_value::object& settings);

/// Reads the output of audit_json from a file, for the report of a release. Throws parse_error if the file is no audit,
/// if a number is impossible, if claim, engine, number of topics, source of words, stop words or number of units differ
/// from the release's, or if the release claims nothing.
audit_content read_audit(const std::filesystem::path& path, const release_record& release);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/report/detail/audit_file.ipp>
#endif

#endif
