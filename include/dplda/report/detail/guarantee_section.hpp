// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_GUARANTEE_SECTION_HPP
#define DPLDA_REPORT_DETAIL_GUARANTEE_SECTION_HPP

#include <dplda/audit/risk.hpp>
#include <dplda/report/detail/writer.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1::detail::page {

/// The unit in short, as the object of an attacker's guess.
inline const char* given(privacy_unit unit) {
  return unit == privacy_unit::token      ? "a given word of a document"
         : unit == privacy_unit::document ? "a given document"
                                          : "a given user";
}

inline void writer::guarantee() {
  open_section("guarantee", "What is promised");
  if (!content_.claim) {
    out_ << "<p class=\"lead\">Nothing. A topic model learned without noise can reveal that somebody’s text was "
            "in the data, and can show words that only one person used.</p>\n</section>\n";
    return;
  }
  const dplda::guarantee& claim = *content_.claim;
  const bool adds = claim.relation == neighbours::add_remove;
  const double odds = std::exp(claim.epsilon);
  const char* const holds = claim_status() == verdict_kind::proven ? "changes" : "would change";
  out_ << "<p class=\"lead\">";
  if (adds) {
    out_ << "Whether " << one_unit(claim.unit) << " was in the data or not " << holds;
  } else {
    out_ << "Which content " << one_unit(claim.unit) << " had " << holds;
  }
  out_ << " the probability of any result by at most a factor of e<sup>ε</sup> = "
       << (std::isfinite(odds) ? upper(odds, 3) : "∞");
  if (claim.delta > 0) out_ << ", up to δ = " << upper(claim.delta);
  out_ << ".</p>\n";
  if (claim.assumes_fixed_plans) out_ << "<p>" << fixed_plans << "</p>\n";
  if (!claim.part.empty()) out_ << "<p>" << escaped(one_part(claim.part)) << "</p>\n";
  if (claim_status() == verdict_kind::published)
    out_ << "<p>This is what the paper claims. The rest of this section says what it would mean if it held.</p>\n";
  if (claim_status() == verdict_kind::seeded)
    out_ << "<p>The seed makes this void. The rest of this section says what the same noise would promise if it were "
            "secret.</p>\n";
  if (claim.gamma)
    out_ << "<p>This is random differential privacy: over the choice of the data, the numbers may fail to hold with "
            "probability "
         << upper(*claim.gamma) << ". Nobody can tell whether they hold for the data at hand.</p>\n";
  out_ << "<p>An attacker may know everything else: all other documents, all settings, and this program. Only the "
          "random numbers are secret. Even then:</p>\n";

  const double right = std::isfinite(odds) ? (odds + claim.delta) / (1 + odds) : 1;
  out_ << "<figure class=\"meter\"><svg viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" role=\"img\" "
          "aria-label=\"Right guesses: at least 50%, at most "
       << at_most(right) << "\"><rect class=\"track\" width=\"100\" height=\"4\"/><rect class=\"fill\" width=\""
       << with_decimals(std::clamp(200 * right - 100, 0.0, 100.0), 2) << "\" height=\"4\"/></svg>"
       << "<div><span>50%: a coin toss</span><span>100%: certainty</span></div><figcaption>Suppose a fair coin decides "
       << (adds ? "whether " : "which of two contents ") << given(claim.unit) << (adds ? " is in the data" : " has")
       << ". An attacker who guesses the outcome is right in at most <strong>" << at_most(right)
       << "</strong> of the cases.</figcaption></figure>\n";
  if (right >= 0.99)
    out_ << "<p>At this epsilon the bound alone rules out little. An audit says more about known attacks, and nothing "
            "about unknown ones.</p>\n";

  // With a delta, losses may exceed epsilon. They exceed epsilon + log 2 with probability at most 2 delta, because
  // delta >= E (1 - e^(epsilon - loss))_+.
  const double shift = claim.delta > 0 ? 2 * odds : odds;
  out_ << "<div class=\"two\">\n<div><table><caption>How far a suspicion can change"
       << (claim.delta > 0 ? "; each bound may fail with probability at most 2 δ" : "")
       << "</caption><thead><tr><th scope=\"col\" class=\"number\">before</th><th scope=\"col\" "
          "class=\"number\">after, "
          "at least</th><th scope=\"col\" class=\"number\">at most</th></tr></thead><tbody>";
  for (const double before : {0.001, 0.01, 0.1, 0.5, 0.9}) {
    const double up = 1 / (1 + (1 - before) / before / shift), down = 1 / (1 + (1 - before) / before * shift);
    out_ << "<tr><td class=\"number\">" << significant(100 * before) << "%</td><td class=\"number\">" << at_least(down)
         << "</td><td class=\"number\">" << at_most(up) << "</td></tr>";
  }
  out_ << "</tbody></table></div>\n<div><table><caption>The share of members an attack can find, by the share of "
          "others it accuses wrongly; delta is included</caption><thead><tr><th scope=\"col\" class=\"number\">wrongly "
          "accused</th><th "
          "scope=\"col\" "
          "class=\"number\">rightly accused, at most</th></tr></thead><tbody>";
  for (const double wrongly : {0.0, 0.001, 0.01, 0.1}) {
    out_ << "<tr><td class=\"number\">" << (wrongly > 0 ? significant(100 * wrongly) + "%" : "nobody")
         << "</td><td class=\"number\">" << at_most(largest_detection(budget{claim.epsilon, claim.delta}, wrongly))
         << "</td></tr>";
  }
  out_ << "</tbody></table></div>\n</div>\n";
  not_promised(claim);
  out_ << "</section>\n";
}

inline void writer::not_promised(const dplda::guarantee& claim) {
  const bool adds = claim.relation == neighbours::add_remove;
  out_ << "<h3>What is not promised</h3>\n<ul class=\"plain\">\n"
       << "<li>It does not hide what many have in common. A theme that many write about is visible, and what it says "
          "about people applies to people outside the data too.</li>\n";
  switch (claim.unit) {
    case privacy_unit::token:
      out_ << "<li>It hides single words, not documents or people: for a text of <i>n</i> words, epsilon is <i>n</i> "
              "times as large, and delta grows faster.</li>\n";
      break;
    case privacy_unit::document:
      out_ << "<li>It counts documents, not people. For somebody who wrote <i>k</i> of them, epsilon is <i>k</i> "
              "times as large, and delta grows faster.</li>\n";
      break;
    case privacy_unit::user:
      out_ << "<li>It counts users as the data label them. Somebody with two labels counts as two users, and text "
              "about a person counts for its author. For <i>k</i> users together, epsilon is <i>k</i> times as large, "
              "and delta grows faster.</li>\n";
  }
  out_ << "<li>The number of " << claim.unit << (adds ? "s is hidden as well" : "s is not hidden")
       << ". The settings below are treated as public, the stated number of " << claim.unit
       << (adds ? "s among them, which is rounded and must not have been counted in the data" : "s among them")
       << ". So is the list of words, unless a line of the ledger says that "
          "it was released.</li>\n"
       << "<li>It covers this release " << (claim.assumes_fixed_plans ? "and the earlier ones in its ledger" : "alone")
       << ". Every other release of the same data adds to epsilon and delta, and so "
          "does a fit that was looked at and not published.</li>\n"
       << "<li>It does not protect against somebody who can read the machine’s memory, measure its time, or take the "
          "data.</li>\n";
  if (claim.delta > 0)
    out_ << "<li>With probability delta, epsilon need not hold: all of one " << claim.unit
         << " might be revealed, and the promise would still be kept. Delta should be far below one over the number of "
         << claim.unit << "s.</li>\n";
  out_ << "<li>It says nothing about how good the topics are. Noise can put words where they do not belong.</li>\n"
       << "</ul>\n";
}

}  // namespace dplda::inline v0_1::detail::page

#endif
