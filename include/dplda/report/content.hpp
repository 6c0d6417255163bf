// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_CONTENT_HPP
#define DPLDA_REPORT_CONTENT_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/analysis/prevalence.hpp>
#include <dplda/audit/audit.hpp>
#include <dplda/core/topic_model.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the report of a release shows.

namespace dplda::inline v0_1 {

/// A ROC curve to draw: its points from (0, 0) to (1, 1), both rates ascending.
struct roc_line {
  struct point {
    double false_positive_rate = 0;
    double true_positive_rate = 0;
  };
  std::string name;  ///< of the attack
  std::vector<point> points;
  std::size_t members = 0;  ///< documents or runs that the attack should call members
  std::size_t others = 0;   ///< documents or runs that it should not call members
};

/// The results of attacks on the learner. They saw the data without noise, so the page marks this as not releasable.
struct audit_content {
  std::optional<dplda::audit_report> report = {};  ///< empty: only curves are shown
  std::vector<roc_line> curves = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< of the attack: name and value, in order
  std::string caveat = {};                                         ///< what the attack leaves out, in a sentence
};

/// All that the page shows. Missing parts are left out; without a claim, the whole page is marked as not private.
/// Settings are printed as they are: give only what may be released (no private number of documents).
struct report_content {
  std::string title = "Topics";
  topic_model<> topics;
  std::vector<std::string> names = {};  ///< of the topics, in their order (read_topic_names); empty: none
  std::optional<dplda::guarantee> claim = {};
  dplda::ledger ledger = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< name and value, in order
  std::string command = {};                                        ///< that made the release; empty if unknown
  std::uint64_t units = 0;              ///< stated, approximate number of documents or users; 0 if unknown
  std::optional<bool> stands_out = {};  ///< whether the topics differ by more than noise explains; empty: not compared
  std::vector<std::string> remarks = {};  ///< of the release (release::remarks)
  /// The shares of the topics, all of them or in groups: claim and ledger must cover them too (add_prevalence).
  std::optional<dplda::prevalence> prevalence = {};
  /// Topics of the same data without privacy, shown topic by topic beside the release: align them first. The page marks
  /// them as not releasable.
  std::optional<dplda::topic_model<>> without_privacy = {};
  std::optional<audit_content> audit = {};
};

/// Shown if stands_out is false.
inline constexpr const char* not_standing_out =
    "These topics do not clearly stand out from noise: documents without any topics could have given topics that "
    "differ as much. Rely on word frequencies only. More text, a larger epsilon or fewer topics would help.";
/// Shown if stands_out is empty.
inline constexpr const char* not_compared =
    "These topics were not compared with noise, so it is not known whether they differ by more than noise explains.";
/// Shown if the model has placeholders instead of words (fully_private_topics).
inline constexpr const char* words_are_missing =
    "At this epsilon, fewer words than topics could be released. Words such as '(no word 1)' are placeholders without "
    "meaning. More text, a larger epsilon, or a public list of words would help.";

}  // namespace dplda::inline v0_1

#endif
