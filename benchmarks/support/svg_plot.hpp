// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_SVG_PLOT_HPP
#define DPLDA_BENCHMARKS_SUPPORT_SVG_PLOT_HPP

// Line plots as SVG files, for the benchmarks' figures.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda_benchmarks {

enum class axis_scale { linear, logarithmic };

/// One line of a plot. Points that are not finite are left out, as are those not above 0 on a logarithmic axis.
struct plot_line {
  std::string name;
  std::vector<double> x, y;
  bool dashed = false;
};

struct plot_options {
  std::string title, x_label, y_label;
  axis_scale x_scale = axis_scale::linear, y_scale = axis_scale::linear;
  double width = 720, height = 440;
};

namespace plotting {

inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else {
      result += c;
    }
  }
  return result;
}

inline std::string number(double value, const char* format = "%.6g") {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// One axis: from values to places on the paper, and where its ticks are.
class plot_axis {
 public:
  plot_axis(double least, double most, axis_scale scale, double from, double to) : scale_(scale), from_(from), to_(to) {
    if (!(least <= most)) {
      least = 1;
      most = 10;
    }
    scale == axis_scale::logarithmic ? logarithmic_ticks(least, most) : linear_ticks(least, most);
  }

  bool shows(double value) const { return std::isfinite(value) && (scale_ == axis_scale::linear || value > 0); }
  double place(double value) const {
    return from_ + (to_ - from_) * (measure(value) - measure(low_)) / (measure(high_) - measure(low_));
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  double measure(double value) const { return scale_ == axis_scale::logarithmic ? std::log10(value) : value; }

  void linear_ticks(double least, double most) {
    const double room = most > least ? most - least : std::max(1.0, std::abs(most));
    const double rough = room / 5, power = std::pow(10, std::floor(std::log10(rough)));
    const double step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
    low_ = std::floor(least / step) * step;
    const auto count = static_cast<int>(std::max(1.0, std::ceil((most - low_) / step - 1e-9)));
    high_ = low_ + count * step;
    for (int i = 0; i <= count; ++i) {
      const double tick = low_ + i * step;
      ticks_.push_back(std::abs(tick) < step * 1e-9 ? 0 : tick);
    }
  }

  // Ticks at 1, 2 and 5 times powers of ten, or at the powers alone where that is many.
  void logarithmic_ticks(double least, double most) {
    low_ = least / 1.15;
    high_ = most * 1.15;
    const bool narrow = std::log10(high_ / low_) < 4;
    for (double power = std::pow(10, std::floor(std::log10(low_))); power <= high_; power *= 10) {
      for (const double factor : {1.0, 2.0, 5.0}) {
        const double tick = power * factor;
        if (tick >= low_ && tick <= high_ && (narrow || factor == 1)) ticks_.push_back(tick);
      }
    }
  }

  axis_scale scale_;
  double from_, to_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

inline plot_axis axis_of(const std::vector<plot_line>& lines, std::vector<double> plot_line::*values, axis_scale scale,
                         double from, double to) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const plot_line& line : lines) {
    for (const double value : line.*values) {
      if (!std::isfinite(value) || (scale == axis_scale::logarithmic && value <= 0)) continue;
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
  return plot_axis(least, most, scale, from, to);
}

}  // namespace plotting

/// The plot as the text of an SVG file. Lines differ by colour and by the shape of their points.
inline std::string svg_plot(const plot_options& options, const std::vector<plot_line>& lines) {
  using plotting::escaped, plotting::number;
  // Colours that people with any kind of colour vision can tell apart (Okabe and Ito, and two more).
  static const char* const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                        "#56b4e9", "#000000", "#777777", "#8c510a"};
  const double left = 78, top = 44, bottom = options.height - 56, right = options.width - 190;
  std::size_t longest = 0;  // of the names, which stand on the right, about 7 units a letter
  for (const plot_line& line : lines) longest = std::max(longest, line.name.size());
  const double width = std::max(options.width, right + 60 + 7 * static_cast<double>(longest));
  const plotting::plot_axis x = plotting::axis_of(lines, &plot_line::x, options.x_scale, left, right);
  const plotting::plot_axis y = plotting::axis_of(lines, &plot_line::y, options.y_scale, bottom, top);
  const auto at = [](const char* name, double value) { return std::string(" ") + name + "=\"" + number(value) + '"'; };
  const auto text = [&](double h, double v, const std::string& words, const std::string& more) {
    return "<text" + at("x", h) + at("y", v) + more + '>' + escaped(words) + "</text>\n";
  };
  const auto stroke = [&](double x1, double y1, double x2, double y2, const std::string& style) {
    return "<line" + at("x1", x1) + at("y1", y1) + at("x2", x2) + at("y2", y2) + style + "/>\n";
  };
  const auto mark = [&](std::size_t shape, double h, double v, const std::string& colour) {
    const std::string fill = " fill=\"" + colour + "\"/>\n";
    if (shape % 3 == 0) return "<circle" + at("cx", h) + at("cy", v) + at("r", 3.5) + fill;
    if (shape % 3 == 1)
      return "<rect" + at("x", h - 3.2) + at("y", v - 3.2) + at("width", 6.4) + at("height", 6.4) + fill;
    return "<path d=\"M" + number(h) + ' ' + number(v - 4.2) + " L" + number(h + 4) + ' ' + number(v + 3.2) + " L" +
           number(h - 4) + ' ' + number(v + 3.2) + " Z\"" + fill;
  };

  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + at("width", width) + at("height", options.height) +
                    " viewBox=\"0 0 " + number(width) + ' ' + number(options.height) +
                    "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n";
  svg += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += text(left, 24, options.title, " font-size=\"15\"");
  for (const double tick : x.ticks()) {
    svg += stroke(x.place(tick), bottom, x.place(tick), top, " stroke=\"#e4e4e4\"");
    svg += text(x.place(tick), bottom + 18, number(tick), " text-anchor=\"middle\"");
  }
  for (const double tick : y.ticks()) {
    svg += stroke(left, y.place(tick), right, y.place(tick), " stroke=\"#e4e4e4\"");
    svg += text(left - 8, y.place(tick) + 4, number(tick), " text-anchor=\"end\"");
  }
  svg += stroke(left, bottom, right, bottom, " stroke=\"#222\"") + stroke(left, bottom, left, top, " stroke=\"#222\"");
  svg += text((left + right) / 2, options.height - 14, options.x_label, " text-anchor=\"middle\"");
  svg += text(18, (top + bottom) / 2, options.y_label,
              " text-anchor=\"middle\" transform=\"rotate(-90 18 " + number((top + bottom) / 2) + ")\"");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const plot_line& line = lines[i];
    const std::string colour = colours[i % std::size(colours)];
    const std::string style = " fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"2\"" +
                              (line.dashed ? " stroke-dasharray=\"6 4\"" : "");
    std::string points, marks;
    for (std::size_t n = 0; n < std::min(line.x.size(), line.y.size()); ++n) {
      if (!x.shows(line.x[n]) || !y.shows(line.y[n])) continue;
      const double h = x.place(line.x[n]), v = y.place(line.y[n]);
      // Not "" + number(h): g++ 12 warns of an overlap (-Wrestrict) that is not there.
      points.append(points.empty() ? "" : " ").append(number(h)).append(",").append(number(v));
      if (!line.dashed) marks += mark(i, h, v, colour);
    }
    svg += "<polyline points=\"" + points + '"' + style + "/>\n" + marks;
    const double row = top + 12 + 22 * static_cast<double>(i);
    svg += stroke(right + 16, row, right + 44, row, style);
    if (!line.dashed) svg += mark(i, right + 30, row, colour);
    svg += text(right + 50, row + 4, line.name, "");
  }
  return svg + "</svg>\n";
}

/// Writes the plot to a file. Throws std::runtime_error if that fails.
inline void write_svg(const std::filesystem::path& file, const plot_options& options,
                      const std::vector<plot_line>& lines) {
  std::ofstream out(file);
  out << svg_plot(options, lines);
  if (!out.flush()) throw std::runtime_error("could not write " + file.string());
}

}  // namespace dplda_benchmarks

#endif
