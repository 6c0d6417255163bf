// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_REPORT_WRITER_HPP
#define DPLDA_EXAMPLES_DPLDA_REPORT_WRITER_HPP

// The page, section by section: report.cpp has its frame, report_guarantee.cpp, report_spending.cpp, report_topics.cpp
// and report_audit.cpp what their names say.

#include <dplda/io/detail/json.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include "report.hpp"
#include "report_text.hpp"

namespace dplda_program::page {

using dplda::detail::json;

/// "one user, with all documents of theirs,".
const char* one(dplda::privacy_unit unit);

/// The largest true positive rate at a false positive rate that (epsilon, delta) allows.
double most_caught(double epsilon, double delta, double false_positives);

class writer {
 public:
  explicit writer(const report_content& content);
  std::string page();

 private:
  enum class verdict_kind { proven, published, seeded, none };
  verdict_kind status() const;
  bool refuted() const { return content_.audit && content_.audit->report && content_.audit->report->refuted(); }

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

  void topics();
  void draw_map(const Eigen::MatrixX2d& points, const Eigen::VectorXd& shares);
  /// What the script needs: the words that it can show, their shares, and in which topics they are used.
  json data() const;
  void comparison();
  void beside(const char* name, const std::vector<std::string>& words, const std::vector<std::string>& others);

  void audit();
  void verdict_of_audit(const dplda::audit_report& report);
  void draw_roc(const std::vector<roc_line>& curves, const dplda::audit_report* claim);

  const report_content& content_;
  std::ostringstream out_;
};

}  // namespace dplda_program::page

#endif
