// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_AUDIT_SECTION_HPP
#define DPLDA_REPORT_DETAIL_AUDIT_SECTION_HPP

#include <dplda/audit/risk.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/report/audit_reach.hpp>
#include <dplda/report/detail/writer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace dplda::inline v0_1::detail::page {

inline constexpr std::size_t line_styles = 5;  // of curves, in the style sheet

inline std::string curve_class(std::size_t i) {
  const std::string style = std::to_string(i % line_styles);
  return "curve c" + style + " d" + style;
}
inline std::string key(const std::string& kind) {
  return "<svg class=\"key-line\" viewBox=\"0 0 32 10\" aria-hidden=\"true\"><line class=\"" + kind +
         "\" x1=\"0\" y1=\"5\" x2=\"32\" y2=\"5\"/></svg>";
}

inline double area(const roc_line& line) {
  double sum = 0;
  for (std::size_t i = 1; i < line.points.size(); ++i) {
    const auto &a = line.points[i - 1], &b = line.points[i];
    sum += (b.false_positive_rate - a.false_positive_rate) * (a.true_positive_rate + b.true_positive_rate) / 2;
  }
  return sum;
}

inline void writer::audit() {
  const audit_content& found = *content_.audit;
  open_section("audit", "Audit: attacks on the claim", true);
  const audit_report* report = found.report ? &*found.report : nullptr;
  const bool claims = report != nullptr && std::isfinite(report->claimed);
  if (report != nullptr) verdict_of_audit(*report);
  if (!found.curves.empty()) {
    out_ << "<figure class=\"roc\">";
    draw_roc(found.curves, claims ? report : nullptr);
    out_ << "<ul class=\"legend\">";
    for (std::size_t i = 0; i < found.curves.size(); ++i) {
      const roc_line& line = found.curves[i];
      out_ << "<li>" << key(curve_class(i)) << escaped(line.name) << ": " << line.members << " members, " << line.others
           << " others, area " << with_decimals(area(line), 3) << "</li>";
    }
    out_ << "<li>" << key("diagonal") << "guessing</li>";
    if (claims) out_ << "<li>" << key("bound") << "the most that the claim allows</li>";
    out_ << "</ul><figcaption>The share of members that an attack finds, against the share of others that it accuses, "
            "on logarithmic axes. At the left the attack is hardly ever wrong. A share of others below one over their "
            "number is drawn at that value. Curves are samples and may cross a line by chance; the audited epsilon "
            "takes chance into account.</figcaption></figure>\n";
  }
  out_ << "</section>\n";
}

inline void writer::verdict_of_audit(const audit_report& report) {
  const bool claims = std::isfinite(report.claimed);
  out_ << "<p class=\"lead\" id=\"audit-verdict\">";
  if (report.refuted()) {
    out_ << "The claim is refuted: an attack proves that epsilon is at least " << lower(report.audited) << ", and "
         << upper(report.claimed) << " was claimed.";
  } else if (!report.undecided.empty()) {
    out_ << "No verdict, " << escaped(report.undecided) << ".";
  } else if (claims) {
    out_ << (attack_too_small(report)
                 ? "The attack was too small to contradict the claim."
                 : "The attack does not contradict the claim. That does not prove the claim: a better "
                   "attack might find more.");
  } else {
    out_ << "Nothing is claimed; the attack proves that epsilon is at least " << lower(report.audited) << ".";
  }
  const bool limited = std::isfinite(report.provable);
  const double longest = std::max(
      {claims ? report.claimed : 0, report.audited, report.by_ledger.value_or(0), limited ? report.provable : 0});
  out_ << "</p>\n<div class=\"scroll\"><table class=\"stack\"><thead><tr><th scope=\"col\"></th><th scope=\"col\" "
          "class=\"number\">epsilon</th><th scope=\"col\"><span "
          "class=\"hidden\">bar</span></th></tr></thead><tbody><tr><th "
          "scope=\"row\">claimed, at most</th><td class=\"number\">"
       << (claims ? upper(report.claimed) : "nothing") << "</td><td>";
  bar(claims ? report.claimed : 0, longest, false);
  out_ << "</td></tr><tr><th scope=\"row\">audited, at least</th><td class=\"number\">" << lower(report.audited)
       << "</td><td>";
  bar(report.audited, longest, true);
  if (report.by_ledger) {
    out_ << "</td></tr><tr><th scope=\"row\">audited by the ledger, at least</th><td class=\"number\">"
         << lower(*report.by_ledger) << "</td><td>";
    bar(*report.by_ledger, longest, true);
  }
  if (limited) {
    out_ << "</td></tr><tr><th scope=\"row\">provable by this attack, at most</th><td class=\"number\">"
         << significant(report.provable) << "</td><td>";
    bar(report.provable, longest, false);
  }
  out_ << "</td></tr></tbody></table></div>\n<p>The auditor attacked not this very release, but a fit with the "
       << "same settings to documents of its own choice. " << escaped(content_.audit->caveat) << ' '
       << escaped(describe_reach(report))
       << (report.by_ledger
               ? " The bound by the ledger holds if nothing differs from the ledger except the scale of the "
                 "noise; if it exceeds the claim, one of the two is false."
               : "")
       << "</p>\n<p class=\"muted small\">At delta = " << powers(significant(report.delta)) << " and confidence "
       << significant(100 * report.confidence) << "%; " << escaped(report.method) << ".";
  const char* before = " Attacked with ";
  for (const auto& [name, value] : content_.audit->settings) {
    out_ << before << escaped(name) << ": " << escaped(value);
    before = ", ";
  }
  out_ << (content_.audit->settings.empty() ? "</p>\n" : ".</p>\n");
}

inline void writer::draw_roc(const std::vector<roc_line>& curves, const audit_report* claim) {
  std::size_t most = 10;
  for (const roc_line& line : curves) {
    most = std::max({most, line.members, line.others});
    for (const auto& point : line.points) {
      for (const double rate : {point.false_positive_rate, point.true_positive_rate})
        require(rate >= 0 && rate <= 1, "report_html", "a curve's rate", rate, "must lie in [0, 1]");
    }
  }
  const int decades = std::clamp(static_cast<int>(std::ceil(std::log10(static_cast<double>(most)) - 1e-9)), 1, 6);
  const double left = 52, top = 14, side = 320, low = -decades;
  const auto place = [&](double rate) { return rate > 0 ? std::max(0.0, 1 - std::log10(rate) / low) * side : 0; };
  const auto x = [&](double rate) { return with_decimals(left + place(rate), 1); };
  const auto y = [&](double rate) { return with_decimals(top + side - place(rate), 1); };
  out_ << "<svg viewBox=\"0 0 400 390\" role=\"img\" aria-label=\"ROC curve: true positive rate against false "
          "positive rate, both logarithmic\">";
  for (int decade = 0; decade <= decades; ++decade) {
    const double rate = std::pow(10, -decade);
    const std::string label = significant(100 * rate) + "%";
    out_ << "<path class=\"grid\" d=\"M" << x(rate) << ' ' << top << "v" << side << "M" << left << ' ' << y(rate) << "h"
         << side << "\"/><text text-anchor=\"middle\" x=\"" << x(rate) << "\" y=\"" << top + side + 17 << "\">" << label
         << "</text><text text-anchor=\"end\" dominant-baseline=\"central\" x=\"" << left - 6 << "\" y=\"" << y(rate)
         << "\">" << label << "</text>";
  }
  out_ << "<text text-anchor=\"middle\" x=\"" << left + side / 2 << "\" y=\"" << top + side + 40
       << "\">others accused wrongly</text><text x=\"" << left + 6 << "\" y=\"" << top + 15
       << "\">members found</text><path class=\"diagonal\" d=\"M" << left << ' ' << top + side << "l" << side << ' '
       << -side << "\"/>";
  if (claim != nullptr) {
    std::string bound;
    for (int i = 0; i <= 160; ++i) {
      const double rate = std::pow(10, low * (1 - i / 160.0));
      bound.append(i == 0 ? "M" : "L").append(x(rate)).append(" ");
      bound.append(y(largest_detection(budget{claim->claimed, claim->delta}, rate)));
    }
    out_ << "<path class=\"beyond\" d=\"" << bound << "V" << top << "H" << left << "Z\"/><path class=\"bound\" d=\""
         << bound << "\"/>";
  }
  for (std::size_t i = 0; i < curves.size(); ++i) {
    std::string path, last;
    const double finest = curves[i].others > 0 ? 1 / static_cast<double>(curves[i].others) : 0;
    for (const auto& point : curves[i].points) {
      if (point.true_positive_rate == 0) continue;  // below any logarithmic axis
      const std::string at = x(std::max(point.false_positive_rate, finest)) + ' ' + y(point.true_positive_rate);
      if (at == last) continue;
      path.append(path.empty() ? "M" : "L").append(at);
      last = at;
    }
    out_ << "<path class=\"" << curve_class(i) << "\" d=\"" << path << "\"/>";
  }
  out_ << "</svg>";
}

}  // namespace dplda::inline v0_1::detail::page

#endif
