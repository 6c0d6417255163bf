// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_REPORT_IPP
#define DPLDA_REPORT_DETAIL_REPORT_IPP

// Bodies of report/report.hpp.

#include <dplda/report/report.hpp>

namespace dplda::inline v0_1 {

DPLDA_INLINE report_content report_content_of(const topic_model<>& model, const release_record& record) {
  report_content content{.topics = model,
                         .claim = record.claim,
                         .ledger = record.ledger,
                         .command = record.details.command,
                         .units = record.details.stated_units(),
                         .stands_out = record.details.stands_out,
                         .remarks = record.details.remarks};
  if (!record.details.title.empty()) content.title = record.details.title;
  for (const auto& [name, value] : record.details.shown_settings())
    content.settings.emplace_back(name, value.is<std::string>() ? value.as<std::string>() : value.dump());
  return content;
}

DPLDA_INLINE void add_prevalence(report_content& content, const release<prevalence>& measured) {
  detail::require(measured.value().topics() == content.topics.topics(), "add_prevalence", "number of topics",
                  measured.value().topics(), "must be that of the page's topics");
  detail::require(measured.ledger().contains(content.ledger), "add_prevalence", "the ledger", "another",
                  "must contain that of the page's topics");
  if (content.claim) {
    content.claim = measured.guarantee();
    content.ledger = measured.ledger();
  }
  content.prevalence = measured.value();
}

DPLDA_INLINE std::string report_html(const release<topic_model<>>& topics, const release_details& details) {
  release_record record{topics.guarantee(), topics.ledger(), details, {}};
  record.details.remarks = topics.remarks();
  return report_html(report_content_of(topics.value(), record));
}

}  // namespace dplda::inline v0_1

#endif
