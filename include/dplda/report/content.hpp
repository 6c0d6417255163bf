// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_CONTENT_HPP
#define DPLDA_REPORT_CONTENT_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/audit.hpp>
#include <dplda/core/topic_model.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What the report of a release shows.

namespace dplda {

/// A ROC curve to be drawn: its points from (0, 0) to (1, 1), both rates ascending.
struct roc_line {
  struct point {
    double false_positive_rate = 0;
    double true_positive_rate = 0;
  };
  std::string name;  ///< of the attack
  std::vector<point> points;
  std::size_t members = 0;  ///< documents, or runs, of which the attack should say "member"
  std::size_t others = 0;
};

/// What attacks on the learner found. They saw the data without noise, so the page marks this as not releasable.
struct audit_section {
  std::optional<dplda::audit_report> report = {};
  std::vector<roc_line> curves = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< of the attack: name and value, in order
  std::string caveat = {};                                         ///< what the attack leaves out, in a sentence
};

/// All that the page shows. What is not given is left out; without a claim, all of the page is marked as not private.
/// Settings are printed as they are: give only what may be released (no number of documents that is private).
struct report_content {
  std::string title = "Topics";
  topic_model<> topics;
  std::optional<dplda::guarantee> claim = {};
  dplda::ledger ledger = {};
  std::vector<std::pair<std::string, std::string>> settings = {};  ///< name and value, in order
  std::string command = {};                                        ///< that made the release; empty if unknown
  std::uint64_t units = 0;  ///< about how many documents or users there are, as was stated; 0 if unknown
  std::optional<bool> stands_out =
      {};  ///< whether the topics differ by more than noise explains; nothing: not compared
  /// Topics of the same data without privacy, topic k beside the release's topic k: align them first. The page marks
  /// them as not releasable.
  std::optional<dplda::topic_model<>> without_privacy = {};
  std::optional<audit_section> audit = {};
};

/// What is said of topics that do not stand out,
inline constexpr const char* not_standing_out =
    "These topics do not clearly stand out from noise: documents without any topics could have given topics that "
    "differ as much. Rely on word frequencies only. More text, a larger epsilon or fewer topics would help.";
/// of topics of which that is not known,
inline constexpr const char* not_compared =
    "These topics were not compared with noise, so it is not known whether they differ by more than noise explains.";
/// and of a model in which placeholders stand for words (fully_private_topics).
inline constexpr const char* words_are_missing =
    "Fewer words than topics may be shown at this epsilon. Words such as '(no word 1)' are placeholders that stand for "
    "nothing. More text, a larger epsilon, or a public list of words would help.";

}  // namespace dplda

#endif
