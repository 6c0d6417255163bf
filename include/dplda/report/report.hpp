// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_REPORT_HPP
#define DPLDA_REPORT_REPORT_HPP

#include <dplda/analysis/prevalence.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/io/release_record.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/report/content.hpp>
#include <dplda/report/detail/frame.hpp>

#include <string>

// A release as one HTML page, for people responsible for its privacy and for readers of its topics.

namespace dplda::inline v0_1 {

/// The content of the page for a model and its release.json.
report_content report_content_of(const topic_model<>& model, const release_record& record);

/// Adds measured shares to the content of their topics' page, whose claim and ledger become those of both. Throws
/// std::invalid_argument if they belong to other topics: their number differs, or their ledger lacks that of the topics.
void add_prevalence(report_content& content, const release<prevalence>& measured);

/// The page: UTF-8, self-contained, without a request to any network. Titles, words, labels, settings and names may be
/// any text: it is escaped, and bytes that are not UTF-8 are replaced. Throws std::invalid_argument if a curve's rate
/// is outside [0, 1].
inline std::string report_html(const report_content& content) { return detail::page::writer(content).page(); }

/// The page of a release. For an audit or a comparison, fill a report_content.
std::string report_html(const release<topic_model<>>& topics, const release_details& details = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/report/detail/report.ipp>
#endif

#endif
