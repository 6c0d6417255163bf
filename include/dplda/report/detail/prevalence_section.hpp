// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_PREVALENCE_SECTION_HPP
#define DPLDA_REPORT_DETAIL_PREVALENCE_SECTION_HPP

#include <dplda/analysis/prevalence.hpp>
#include <dplda/report/detail/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

// The shares of topics in groups: a small picture for each topic, with bars or, for groups in order, with lines.

namespace dplda::inline v0_1::detail::page {

inline constexpr std::size_t named_by = 4;  // words that name a topic

inline std::string percent_of(double share) { return with_decimals(100 * share, share < 0.0995 ? 1 : 0) + '%'; }

/// A name of at most so many letters.
inline std::string shortened(const std::string& name, std::size_t letters) {
  const std::string sound = clean(name);
  std::size_t seen = 0, end = 0;
  for (; end < sound.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(sound[end]) & 0xC0u) != 0x80u;  // not inside of a letter
    if (begins && seen++ == letters) break;
  }
  return escaped(end == sound.size() ? sound : sound.substr(0, end) + "…");
}

inline void writer::prevalence() {
  const dplda::prevalence& found = *content_.prevalence;
  const bool parts = found.groups() > 1;
  open_section("prevalence", parts ? "Topics in groups" : "How large the topics are");
  out_ << "<p>A share is the mean part of a " << (content_.claim ? to_string(content_.claim->unit) : "unit")
       << " that the topic explains: each counts once, however long it is. The shares were measured once, with noise, "
          "and the guarantee on this page covers them. "
          "Dark: the 95% interval for the documents at hand, which only noise moves. Light: the 95% interval for all "
          "that might have been written, of which these are a sample. Of a hundred intervals, five are wrong.</p>\n";
  if (parts) {
    out_ << "<table class=\"stack\"><thead><tr><th scope=\"col\">group</th><th scope=\"col\" class=\"number\">about so "
            "many</th></tr></thead><tbody>\n";
    for (std::size_t g = 0; g < found.groups(); ++g)
      out_ << "<tr><th scope=\"row\">" << escaped(found.get().groups[g])
           << "</th><td class=\"number\" data-name=\"about so many\">"
           << (found.tells(g) ? std::to_string(rounded_count(static_cast<std::uint64_t>(found.units(g))))
                              : std::string("too few to tell"))
           << "</td></tr>\n";
    out_ << "</tbody></table>\n";
  }
  out_ << "<div class=\"multiples\">\n";
  for (std::size_t k = 0; k < found.topics(); ++k) {
    out_ << "<figure><figcaption><strong>Topic " << k << "</strong>";
    for (const auto& w : top_words(content_.topics, k, named_by))
      out_ << ' ' << word_html(content_.topics.vocab()->word(w.word));
    out_ << "</figcaption>";
    if (found.get().ordered && parts) {
      draw_trend(k);
    } else {
      draw_bars(k);
    }
    out_ << "</figure>\n";
  }
  out_ << "</div>\n</section>\n";
}

inline void writer::draw_bars(std::size_t topic) {
  const dplda::prevalence& found = *content_.prevalence;
  const bool parts = found.groups() > 1;
  double longest = 0.01;
  for (std::size_t g = 0; g < found.groups(); ++g)
    if (found.tells(g)) longest = std::max(longest, found.interval(g, topic).high);
  const double left = parts ? 96 : 4, width = 250 - left, step = 18;
  const auto x = [&](double share) { return with_decimals(left + width * share / longest, 1); };
  out_ << "<svg viewBox=\"0 0 300 " << step * static_cast<double>(found.groups()) + 2
       << "\" role=\"img\" aria-label=\"Shares of topic " << topic << "\">";
  for (std::size_t g = 0; g < found.groups(); ++g) {
    const double top = step * static_cast<double>(g), middle = top + step / 2;
    if (parts)
      out_ << "<text class=\"label\" x=\"" << left - 6 << "\" y=\"" << middle << "\">"
           << shortened(found.get().groups[g], 15) << "</text>";
    if (!found.tells(g)) {
      out_ << "<text class=\"few\" x=\"" << left << "\" y=\"" << middle << "\">too few to tell</text>";
      continue;
    }
    const share_interval noise = found.noise_interval(g, topic), both = found.interval(g, topic);
    out_ << "<rect class=\"fill\" x=\"" << left << "\" y=\"" << top + 3 << "\" width=\""
         << with_decimals(width * found.share(g, topic) / longest, 1) << "\" height=\"" << step - 6
         << "\"/><path class=\"both\" d=\"M" << x(both.low) << ' ' << middle << "H" << x(both.high)
         << "\"/><path class=\"noise\" d=\"M" << x(noise.low) << ' ' << middle << "H" << x(noise.high)
         << "\"/><text class=\"value\" x=\"298\" y=\"" << middle << "\">" << percent_of(found.share(g, topic))
         << "</text>";
  }
  out_ << "</svg>";
}

inline void writer::draw_trend(std::size_t topic) {
  const dplda::prevalence& found = *content_.prevalence;
  double longest = 0.01;
  for (std::size_t g = 0; g < found.groups(); ++g)
    if (found.tells(g)) longest = std::max(longest, found.interval(g, topic).high);
  const double left = 40, right = 290, top = 8, bottom = 110;
  const auto x = [&](std::size_t g) {
    return with_decimals(left + (right - left) * static_cast<double>(g) / static_cast<double>(found.groups() - 1), 1);
  };
  const auto y = [&](double share) { return with_decimals(bottom - (bottom - top) * share / longest, 1); };
  out_ << "<svg viewBox=\"0 0 300 132\" role=\"img\" aria-label=\"Shares of topic " << topic
       << " in order\"><path class=\"grid\" d=\"M" << left << ' ' << bottom << "H" << right << "M" << left << ' ' << top
       << "H" << right << "\"/><text class=\"label\" x=\"" << left - 5 << "\" y=\"" << top << "\">"
       << percent_of(longest) << "</text><text class=\"label\" x=\"" << left - 5 << "\" y=\"" << bottom
       << "\">0%</text><text class=\"first\" x=\"" << left << "\" y=\"125\">"
       << shortened(found.get().groups.front(), 15) << "</text><text class=\"value\" x=\"" << right << "\" y=\"125\">"
       << shortened(found.get().groups.back(), 15) << "</text>";
  // Groups that tell nothing leave gaps.
  for (std::size_t begin = 0; begin < found.groups(); ++begin) {
    if (!found.tells(begin)) continue;
    std::size_t end = begin;
    while (end < found.groups() && found.tells(end)) ++end;
    const auto band = [&](const char* kind, auto interval) {
      std::string path = "M";
      for (std::size_t g = begin; g < end; ++g)
        path.append(g == begin ? "" : "L").append(x(g)).append(" ").append(y(interval(g).high));
      for (std::size_t g = end; g-- > begin;) path.append("L").append(x(g)).append(" ").append(y(interval(g).low));
      out_ << "<path class=\"" << kind << "\" d=\"" << path << "Z\"/>";
    };
    band("both-band", [&](std::size_t g) { return found.interval(g, topic); });
    band("noise-band", [&](std::size_t g) { return found.noise_interval(g, topic); });
    std::string line;
    for (std::size_t g = begin; g < end; ++g) {
      line.append(g == begin ? "M" : "L").append(x(g)).append(" ").append(y(found.share(g, topic)));
      out_ << "<circle class=\"dot\" cx=\"" << x(g) << "\" cy=\"" << y(found.share(g, topic)) << "\" r=\"2\"/>";
    }
    out_ << "<path class=\"trend\" d=\"" << line << "\"/>";
    begin = end;
  }
  out_ << "</svg>";
}

}  // namespace dplda::inline v0_1::detail::page

#endif
