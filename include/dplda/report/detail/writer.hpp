// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_WRITER_HPP
#define DPLDA_REPORT_DETAIL_WRITER_HPP

#include <dplda/io/json.hpp>
#include <dplda/report/content.hpp>
#include <dplda/report/detail/html_text.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

// The page, section by section. A member that writes a section is defined in the header named for it; frame.hpp has the
// rest.

namespace dplda::inline v0_1::detail::page {

/// The unit as the subject of a sentence.
inline const char* one_unit(privacy_unit unit) {
  switch (unit) {
    case privacy_unit::token:
      return "one single word of a document";
    case privacy_unit::document:
      return "one document";
    case privacy_unit::user:
      break;
  }
  return "one user, with all documents of theirs,";
}

class writer {
 public:
  explicit writer(const report_content& content) : content_(content) { out_.imbue(std::locale::classic()); }
  std::string page();

 private:
  enum class verdict_kind { proven, published, seeded, none };
  /// What stands behind the claim. Whether an attack refuted it is refuted().
  verdict_kind claim_status() const;
  bool refuted() const { return content_.audit && content_.audit->report && content_.audit->report->refuted(); }

  /// What the claim assumes, and why it may promise too little: a sentence for each.
  std::vector<std::string> to_weigh() const;

  void head();
  void verdict();
  void key_figures();
  void settings();
  void open_section(const char* id, const char* title, bool secret = false);
  /// A bar as long as value / longest.
  void bar(double value, double longest, bool picked);

  void guarantee();
  void not_promised(const dplda::guarantee& claim);

  void spending();
  void accountants(const dplda::guarantee& claim);

  /// The topics' shares: as they were measured, or under the model's prior.
  Eigen::VectorXd shares() const;
  void topics();
  /// The topic's number and, if it has one, its name.
  std::string topic_html(std::size_t topic) const;
  void draw_map(const Eigen::MatrixX2d& points, const Eigen::VectorXd& shares);
  /// The script's data: the words it can show, their shares, and the topics that use them.
  json_value data() const;
  void comparison();
  void beside(const char* name, const std::vector<std::string>& words, const std::vector<std::string>& others);

  void prevalence();
  void draw_bars(std::size_t topic);
  void draw_trend(std::size_t topic);

  void audit();
  void verdict_of_audit(const audit_report& report);
  void draw_roc(const std::vector<roc_line>& curves, const audit_report* claim);

  const report_content& content_;
  std::ostringstream out_;
};

}  // namespace dplda::inline v0_1::detail::page

#endif
