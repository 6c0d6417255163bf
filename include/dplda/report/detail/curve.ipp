// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_DETAIL_CURVE_IPP
#define DPLDA_REPORT_DETAIL_CURVE_IPP

// Bodies of report/curve.hpp.

#include <dplda/report/curve.hpp>

#include <algorithm>
#include <cmath>
#include <locale>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// One diagram: a frame of 320 by 240 at `left`, and lines in units of it.
class svg_diagram {
 public:
  svg_diagram(std::ostream& out, double left) : out_(out), left_(left) {
    out_ << "<rect x=\"" << left_ << "\" y=\"30\" width=\"320\" height=\"240\" fill=\"none\" stroke=\"#888\"/>\n";
  }

  void line(const std::vector<std::pair<double, double>>& points, const char* colour) {
    out_ << "<polyline fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"1.5\" points=\"";
    for (const auto& [x, y] : points)
      out_ << left_ + 320 * std::clamp(x, 0.0, 1.0) << ',' << 270 - 240 * std::clamp(y, 0.0, 1.0) << ' ';
    out_ << "\"/>\n";
  }

  void words(double x, double y, const char* anchor, const std::string& text) {
    out_ << "<text x=\"" << left_ + x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\">" << text
         << "</text>\n";
  }

 private:
  std::ostream& out_;
  double left_;
};

}  // namespace detail

DPLDA_INLINE std::string curve_svg(const trade_off_curve& curve) {
  constexpr double lowest = -12;  // of log10 delta
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out.precision(5);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"320\" viewBox=\"0 0 800 320\" "
         "font-family=\"sans-serif\" font-size=\"12\">\n";
  const double end = curve.points().back().epsilon;
  detail::svg_diagram deltas(out, 60);
  detail::svg_diagram missed(out, 460);
  std::vector<std::pair<double, double>> above, below;
  const auto height = [&](double delta) { return delta > 0 ? 1 - std::log10(delta) / lowest : 0.0; };
  for (const auto& [epsilon, delta] : curve.points()) {
    above.emplace_back(epsilon / end, height(delta.upper));
    below.emplace_back(epsilon / end, height(delta.lower));
  }
  deltas.line(below, "#9ab");
  deltas.line(above, "#036");
  above.clear();
  below.clear();
  for (int i = 0; i <= 100; ++i) {
    const double alarms = i / 100.0;
    const certified_bounds share = curve.missed(alarms);
    above.emplace_back(alarms, share.upper);
    below.emplace_back(alarms, share.lower);
  }
  missed.line(above, "#9ab");
  missed.line(below, "#036");
  missed.line({{0, 1}, {1, 0}}, "#ccc");
  std::ostringstream last;
  last.imbue(std::locale::classic());
  last.precision(3);
  last << end;
  deltas.words(0, 286, "middle", "0");
  deltas.words(320, 286, "middle", last.str());
  deltas.words(160, 304, "middle", "epsilon");
  deltas.words(-6, 36, "end", "1");
  deltas.words(-6, 270, "end", "1e-12");
  deltas.words(160, 20, "middle", "delta at each epsilon");
  missed.words(0, 286, "middle", "0");
  missed.words(320, 286, "middle", "1");
  missed.words(160, 304, "middle", "false alarms of a test for one unit");
  missed.words(-6, 36, "end", "1");
  missed.words(160, 20, "middle", "share that the test misses, at least (grey: a blind guess)");
  out << "</svg>\n";
  return out.str();
}

}  // namespace dplda::inline v0_1

#endif
