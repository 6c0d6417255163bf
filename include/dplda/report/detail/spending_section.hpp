// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_SPENDING_SECTION_HPP
#define DPLDA_REPORT_DETAIL_SPENDING_SECTION_HPP

#include <dplda/accounting/describe.hpp>
#include <dplda/report/accountants.hpp>
#include <dplda/report/detail/writer.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace dplda::inline v0_1::detail::page {

/// Numbers of an event as HTML.
inline constexpr number_style html_numbers{[](double x) { return powers(significant(x)); },
                                           [](double x) { return upper(x); }};

inline void writer::spending() {
  open_section("spending", "What was spent");
  const auto entries = content_.ledger.entries();
  if (entries.empty()) {
    out_ << "<p>No ledger: nothing was released with noise.</p>\n</section>\n";
    return;
  }
  out_
      << "<p>The call that drew the noise wrote each line. The multiplier is the noise scale divided by the largest "
         "change that "
      << one_unit(entries.front().event.unit) << " can make.</p>\n"
      << "<div class=\"scroll\"><table class=\"stack\" id=\"ledger\"><caption>The ledger</caption><thead><tr><th "
         "scope=\"col\">released</th><th scope=\"col\">noise</th><th scope=\"col\">computed from</th><th scope=\"col\" "
         "class=\"number\">times</th></tr></thead><tbody>\n";
  for (const dplda::ledger::entry& entry : entries) {
    out_ << "<tr><th scope=\"row\">" << (entry.event.label.empty() ? "(no label)" : escaped(entry.event.label))
         << "</th><td data-name=\"noise\">" << dplda::describe(entry.event.noise, html_numbers)
         << "</td><td data-name=\"computed from\">" << dplda::describe(entry.event.sampling, html_numbers)
         << "</td><td class=\"number\" data-name=\"times\">" << entry.count << "</td></tr>\n";
  }
  out_ << "</tbody></table></div>\n";
  if (content_.claim) accountants(*content_.claim);
  out_ << "</section>\n";
}

inline void writer::accountants(const dplda::guarantee& claim) {
  std::vector<accountant_price> each = prices(content_.ledger, claim.delta);
  // The best is one of the others.
  std::erase_if(each, [](const accountant_price& price) { return price.by.accountant == accountant::best; });
  double longest = std::isfinite(claim.epsilon) ? claim.epsilon : 0;
  for (const accountant_price& price : each)
    if (std::isfinite(price.epsilon.upper)) longest = std::max(longest, price.epsilon.upper);
  const bool proven = claim.basis == basis::proven;
  out_ << "<div class=\"scroll\"><table class=\"stack\" id=\"accountants\"><caption>What each accountant proves "
          "at delta = "
       << upper(claim.delta)
       << (claim_status() == verdict_kind::seeded ? ". With secret noise all of these bounds would hold"
           : claim.assumes_fixed_plans            ? ". All of these bounds hold, if the assumption above is true"
                                                  : ". All of these bounds hold")
       << "; the smallest is the tightest."
       << (proven ? "" : " They price the noise that was drawn; the claim is unproven for other reasons.")
       << "</caption><thead><tr><th scope=\"col\">accountant</th><th scope=\"col\" class=\"number\">epsilon is at "
          "most</th><th scope=\"col\"><span class=\"hidden\">bar</span></th><th scope=\"col\" class=\"number\">and "
          "at least</th><th scope=\"col\">how it counts</th></tr></thead><tbody>\n";
  for (const auto& [by, epsilon] : each) {
    const bool picked = by.accountant == claim.accountant && proven;
    out_ << "<tr" << (picked ? " class=\"picked\"" : "") << "><th scope=\"row\">" << by.title
         << (picked ? " <span title=\"the accountant of the guarantee\">✓</span>" : "")
         << "</th><td class=\"number\" data-name=\"at most\">"
         << (std::isfinite(epsilon.upper) ? upper(epsilon.upper) : "no bound") << "</td><td>";
    bar(std::isfinite(epsilon.upper) ? epsilon.upper : 0, longest, picked);
    out_ << "</td><td class=\"number\" data-name=\"at least\">" << (epsilon.lower > 0 ? lower(epsilon.lower) : "")
         << "</td><td class=\"small muted\">" << by.how_it_counts << "</td></tr>\n";
  }
  out_ << "<tr><th scope=\"row\">" << (proven ? "Guarantee" : "Claim") << "</th><td class=\"number\" data-name=\"at "
       << "most\">" << upper(claim.epsilon) << "</td><td>";
  bar(std::isfinite(claim.epsilon) ? claim.epsilon : 0, longest, true);
  out_ << "</td><td></td><td class=\"small muted\">"
       << (proven ? std::string("by the accountant: ") + title_of(claim.accountant)
                  : std::string("as the paper computes it"))
       << "</td></tr>\n</tbody></table></div>\n";
}

inline void writer::bar(double value, double longest, bool picked) {
  out_ << "<svg class=\"bar\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect "
          "class=\"track\" width=\"100\" height=\"4\"/><rect class=\"fill"
       << (picked ? " pick" : "") << "\" width=\"" << with_decimals(longest > 0 ? 100 * value / longest : 0, 2)
       << "\" height=\"4\"/></svg>";
}

}  // namespace dplda::inline v0_1::detail::page

#endif
