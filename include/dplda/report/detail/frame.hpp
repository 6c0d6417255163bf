// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_FRAME_HPP
#define DPLDA_REPORT_DETAIL_FRAME_HPP

#include <dplda/accounting/weaknesses.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/report/detail/audit_section.hpp>
#include <dplda/report/detail/guarantee_section.hpp>
#include <dplda/report/detail/prevalence_section.hpp>
#include <dplda/report/detail/script.hpp>
#include <dplda/report/detail/spending_section.hpp>
#include <dplda/report/detail/style.hpp>
#include <dplda/report/detail/topics_section.hpp>
#include <dplda/report/detail/writer.hpp>
#include <dplda/version.hpp>

#include <string>
#include <string_view>
#include <vector>

// The frame around the sections: the head with the verdict, and the settings.

namespace dplda::inline v0_1::detail::page {

inline std::string writer::page() {
  head();
  out_ << "<main class=\"wrap\" id=\"main\">\n";
  guarantee();
  spending();
  topics();
  if (content_.prevalence) prevalence();
  if (content_.without_privacy) comparison();
  if (content_.audit) audit();
  settings();
  out_ << "</main>\n<footer class=\"wrap\">Written by dplda " << version_string
       << ". This page is self-contained and loads nothing from any network.</footer>\n"
       << "<script type=\"application/json\" id=\"data\">" << json_html(data()) << "</script>\n<script>" << script
       << "</script>\n</body>\n</html>\n";
  return out_.str();
}

inline writer::verdict_kind writer::claim_status() const {
  if (!content_.claim) return verdict_kind::none;
  if (content_.claim->seeded || content_.ledger.seeded()) return verdict_kind::seeded;
  return content_.claim->basis == basis::proven ? verdict_kind::proven : verdict_kind::published;
}

inline void writer::head() {
  const auto hash = [](std::string_view text) { return base64_of_hex(sha256_hex(text)); };
  out_ << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
       << "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
       << hash(script) << "'; style-src 'sha256-" << hash(style) << "'; base-uri 'none'; form-action 'none'\">\n"
       << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
       << "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"dplda "
       << version_string << "\">\n<title>" << escaped(content_.title) << "</title>\n<style>" << style
       << "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#topics\">Skip to the topics</a>\n"
       << "<header class=\"wrap\">\n<p class=\"eyebrow\">Report on a topic model</p>\n<h1>" << escaped(content_.title)
       << "</h1>\n";
  verdict();
  if (content_.claim && (content_.without_privacy || content_.audit)) {
    out_ << "<div class=\"note bad\" id=\"mixed\"><strong>This page must not be published as it is.</strong><p>"
         << "Sections in a dashed frame were made from the data without noise: no guarantee covers them."
         << (claim_status() == verdict_kind::proven && !refuted()
                 ? " The guarantee covers the released topics only: publish a page of these alone."
                 : "")
         << "</p></div>\n";
  }
  key_figures();
  out_ << "<nav aria-label=\"Sections\"><ul><li><a href=\"#guarantee\">Guarantee</a></li><li><a "
          "href=\"#spending\">Spending</a></li><li><a href=\"#topics\">Topics</a></li>";
  if (content_.prevalence) out_ << "<li><a href=\"#prevalence\">Shares</a></li>";
  if (content_.without_privacy) out_ << "<li><a href=\"#comparison\">Without privacy</a></li>";
  if (content_.audit) out_ << "<li><a href=\"#audit\">Audit</a></li>";
  out_ << "<li><a href=\"#settings\">Settings</a></li></ul></nav>\n</header>\n";
}

inline std::vector<std::string> writer::to_weigh() const {
  std::vector<std::string> reasons = weaknesses(*content_.claim, content_.units);
  if (content_.claim->assumes_fixed_plans) reasons.insert(reasons.begin(), fixed_plans);
  return reasons;
}

inline void writer::verdict() {
  switch (claim_status()) {
    case verdict_kind::proven:
      if (refuted()) {
        out_ << "<div class=\"note bad\" id=\"verdict\" data-verdict=\"refuted\"><strong>Refuted by an "
                "attack</strong><p>The claim below does not hold: see the audit. Publish none of this, and tell "
                "the authors of dplda.</p></div>\n";
      } else if (content_.claim->gamma) {
        out_ << "<div class=\"note warn\" id=\"verdict\" data-verdict=\"proven\"><strong>Private for most data, "
                "with a proven guarantee</strong><p>Over the choice of the data, it may fail with probability "
             << upper(*content_.claim->gamma) << ". ";
        for (const std::string& why : to_weigh()) out_ << escaped(why) << ' ';
        out_ << "Weigh this before publishing.</p></div>\n";
      } else if (const auto reasons = to_weigh(); !reasons.empty()) {
        const bool assumes = content_.claim->assumes_fixed_plans, weak = reasons.size() > (assumes ? 1u : 0u);
        out_ << "<div class=\"note warn\" id=\"verdict\" data-verdict=\"proven\"><strong>Proven"
             << (assumes ? " under an assumption" : "") << (weak ? ", but the promise is weak" : "") << "</strong><p>";
        for (const std::string& why : reasons) out_ << escaped(why) << ' ';
        out_ << "Weigh this before publishing.</p></div>\n";
      } else {
        out_ << "<div class=\"note good\" id=\"verdict\" data-verdict=\"proven\"><strong>Private, with a proven "
                "guarantee</strong><p>The topics on this page may be published together with this "
                "guarantee.</p></div>\n";
      }
      break;
    case verdict_kind::published:
      out_ << "<div class=\"note warn\" id=\"verdict\" data-verdict=\"as-published\"><strong>Claimed, not "
              "proven</strong><p>A paper claims these numbers for its method. They are shown for comparison "
              "and do not justify publishing. Why this is not a proof: "
           << escaped(content_.claim->caveat) << "</p></div>\n";
      break;
    case verdict_kind::seeded:
      out_ << "<div class=\"note bad\" id=\"verdict\" data-verdict=\"seeded\"><strong>Not private: the noise came "
              "from a seed</strong><p>Anybody who knows or guesses the seed can remove the noise. This "
              "release is for experiments only. The claim below "
           << (content_.claim->basis == basis::proven ? "would hold" : "is what a paper claims")
           << " for secret noise.";
      if (content_.claim->basis == basis::as_published)
        out_ << " That would not be a proof either: " << escaped(content_.claim->caveat);
      out_ << "</p></div>\n";
      break;
    case verdict_kind::none:
      out_ << "<div class=\"note bad\" id=\"verdict\" data-verdict=\"none\"><strong>Not private: nothing is "
              "claimed</strong><p>These topics were learned without noise. Treat this page like the data: "
              "it must not be published.</p></div>\n";
  }
}

inline void writer::key_figures() {
  out_ << "<dl class=\"figures\">";
  const auto figure = [&](const char* name, const std::string& value) {
    out_ << "<div><dt>" << name << "</dt><dd>" << value << "</dd></div>";
  };
  if (content_.claim) {
    figure("epsilon", upper(content_.claim->epsilon, 3));
    figure("delta", upper(content_.claim->delta, 3));
    if (content_.claim->gamma) figure("gamma", upper(*content_.claim->gamma, 3));
    figure(claim_status() == verdict_kind::proven ? "protects each" : "unit", to_string(content_.claim->unit));
  }
  figure("topics", std::to_string(content_.topics.topics()));
  figure("words", std::to_string(content_.topics.words()));
  out_ << "</dl>\n";
}

inline void writer::open_section(const char* id, const char* title, bool secret) {
  out_ << "<section id=\"" << id << "\" aria-labelledby=\"" << id << "-title\"" << (secret ? " class=\"secret\"" : "")
       << ">\n<h2 id=\"" << id << "-title\">" << title << "</h2>\n";
  if (secret)
    out_ << "<div class=\"note bad\"><strong>Not releasable</strong><p>This section was made from the data without "
            "noise. No guarantee covers it.</p></div>\n";
}

inline void writer::settings() {
  open_section("settings", "How it was made");
  if (!content_.command.empty()) out_ << "<pre><code>" << escaped(content_.command) << "</code></pre>\n";
  out_ << "<table class=\"stack\"><tbody>\n";
  for (const auto& [name, value] : content_.settings)
    out_ << "<tr><th scope=\"row\">" << escaped(name) << "</th><td>" << escaped(value) << "</td></tr>\n";
  out_ << "<tr><th scope=\"row\">dplda (this page)</th><td>" << version_string << "</td></tr>\n</tbody></table>\n";
  if (claim_status() == verdict_kind::proven)
    out_ << "<p class=\"muted\">The same command gives different topics each time, because its noise is secret. The "
            "guarantee and the ledger of each run are the same, and each run on the same data costs as much "
            "again.</p>\n";
  out_ << "</section>\n";
}

}  // namespace dplda::inline v0_1::detail::page

#endif
