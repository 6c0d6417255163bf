// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_RESULTS_HPP
#define DPLDA_BENCHMARKS_SUPPORT_RESULTS_HPP

// Results in long form: one number per row, with the columns corpus, learner, epsilon, seed, metric, value, and then
// the benchmark's own variables. CSV files hold them as they are; tables and plots are views with means over seeds.

#include "svg_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda_benchmarks {

/// A missing value: a learner refused to release, or has no epsilon.
inline constexpr double none = std::numeric_limits<double>::quiet_NaN();

inline std::string digits(double value, int significant = 4) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", significant, value);
  return text;
}

/// A metric's values for the seeds.
class over_seeds {
 public:
  void add(double value) {
    if (std::isnan(value)) return;
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  bool empty() const { return count_ == 0; }
  double mean() const { return count_ == 0 ? none : sum_ / count_; }
  /// The standard deviation; none for a single seed.
  double deviation() const {
    return count_ < 2 ? none : std::sqrt(std::max(0.0, squares_ - sum_ * sum_ / count_) / (count_ - 1));
  }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

/// One fit, or another thing that a metric describes.
struct run_of {
  std::string corpus, learner;
  double epsilon = none;
  std::uint64_t seed = 0;
  std::vector<std::string> further = {};  ///< as the columns of the results
};

/// Selects results for a table or a plot: those that have, in each named column, one of the given texts.
using column_values = std::vector<std::pair<std::string, std::string>>;

struct table_view {
  std::vector<std::string> rows, columns;
  column_values where = {};
  int significant = 4;
};

class results {
 public:
  explicit results(std::vector<std::string> further = {}) : names_{"corpus", "learner", "epsilon", "seed", "metric"} {
    names_.insert(names_.end(), further.begin(), further.end());
  }

  void add(const run_of& run, const std::string& metric, double value) {
    if (run.further.size() + 5 != names_.size())
      throw std::logic_error("results: expected " + std::to_string(names_.size() - 5) + " further columns");
    std::vector<std::string> cells{run.corpus, run.learner, std::isnan(run.epsilon) ? "" : digits(run.epsilon, 6),
                                   std::to_string(run.seed), metric};
    cells.insert(cells.end(), run.further.begin(), run.further.end());
    for (const std::string& cell : cells) {
      if (cell.find_first_of(",\"\n") != std::string::npos)
        throw std::logic_error("results: \"" + cell + "\" has a comma, a quotation mark or a line break");
    }
    rows_.push_back({std::move(cells), value});
  }

  /// Writes the long table. A missing value is an empty cell.
  void write(const std::filesystem::path& file) const {
    std::ofstream csv(file);
    csv << "corpus,learner,epsilon,seed,metric,value";
    for (std::size_t i = 5; i < names_.size(); ++i) csv << ',' << names_[i];
    csv << '\n';
    for (const auto& [cells, value] : rows_) {
      for (std::size_t i = 0; i < 5; ++i) csv << cells[i] << ',';
      if (!std::isnan(value)) csv << digits(value, 10);
      for (std::size_t i = 5; i < names_.size(); ++i) csv << ',' << cells[i];
      csv << '\n';
    }
    if (!csv.flush()) throw std::runtime_error("could not write " + file.string());
  }

  /// Prints a Markdown table of means over seeds, with standard deviations in brackets if there are several. A column
  /// is headed by its values; numbers also get the name of their column.
  void show(const std::string& title, const table_view& view) const {
    std::vector<std::vector<std::string>> row_keys, column_keys;
    std::map<std::pair<std::size_t, std::size_t>, over_seeds> cells;
    for (const row* one : matching(view.where)) {
      const std::size_t r = position(row_keys, key(*one, view.rows)),
                        c = position(column_keys, key(*one, view.columns));
      cells[{r, c}].add(one->value);
    }
    std::printf("\n%s\n\n|", title.c_str());
    for (const std::string& name : view.rows) std::printf(" %s |", name.c_str());
    for (const auto& values : column_keys) {
      std::string head;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].empty()) continue;
        const bool number = values[i].find_first_not_of("0123456789.e+-") == std::string::npos;
        head += (head.empty() ? "" : ", ") + (number ? view.columns[i] + " " + values[i] : values[i]);
      }
      std::printf(" %s |", head.c_str());
    }
    std::printf("\n|");
    for (std::size_t i = 0; i < view.rows.size() + column_keys.size(); ++i) std::printf(" --- |");
    std::printf("\n");
    for (std::size_t r = 0; r < row_keys.size(); ++r) {
      std::printf("|");
      for (const std::string& cell : row_keys[r]) std::printf(" %s |", cell.c_str());
      for (std::size_t c = 0; c < column_keys.size(); ++c) {
        const auto found = cells.find({r, c});
        std::printf(" %s |", found == cells.end() ? "" : text(found->second, view.significant).c_str());
      }
      std::printf("\n");
    }
    std::fflush(stdout);
  }

  /// Means over seeds against a column of numbers, one line for each value of another column.
  std::vector<plot_line> lines(const std::string& x, const std::string& series, const column_values& where) const {
    std::vector<std::vector<std::string>> names;
    std::vector<std::map<double, over_seeds>> points;
    for (const row* one : matching(where)) {
      const std::string at = key(*one, {x}).front();
      if (at.empty()) continue;
      const std::size_t line = position(names, key(*one, {series}));
      points.resize(names.size());
      points[line][std::stod(at)].add(one->value);
    }
    std::vector<plot_line> all;
    for (std::size_t i = 0; i < names.size(); ++i) {
      plot_line& line = all.emplace_back(plot_line{.name = names[i].front(), .x = {}, .y = {}});
      for (const auto& [at, values] : points[i]) {
        line.x.push_back(at);
        line.y.push_back(values.mean());
      }
    }
    return all;
  }

  /// The mean over all that match.
  over_seeds of(const column_values& where) const {
    over_seeds values;
    for (const row* one : matching(where)) values.add(one->value);
    return values;
  }

 private:
  struct row {
    std::vector<std::string> cells;  // as names_
    double value;
  };

  std::size_t column(const std::string& name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) throw std::logic_error("results: no column " + name);
    return static_cast<std::size_t>(found - names_.begin());
  }

  std::vector<std::string> key(const row& one, const std::vector<std::string>& columns) const {
    std::vector<std::string> values;
    for (const std::string& name : columns) values.push_back(one.cells[column(name)]);
    return values;
  }

  std::vector<const row*> matching(const column_values& where) const {
    std::vector<const row*> found;
    for (const row& one : rows_) {
      std::map<std::string, bool> fits;
      for (const auto& [name, text] : where) fits[name] = fits[name] || one.cells[column(name)] == text;
      if (std::all_of(fits.begin(), fits.end(), [](const auto& each) { return each.second; })) found.push_back(&one);
    }
    return found;
  }

  static std::size_t position(std::vector<std::vector<std::string>>& keys, const std::vector<std::string>& wanted) {
    const auto found = std::find(keys.begin(), keys.end(), wanted);
    if (found != keys.end()) return static_cast<std::size_t>(found - keys.begin());
    keys.push_back(wanted);
    return keys.size() - 1;
  }

  static std::string text(const over_seeds& values, int significant) {
    if (values.empty()) return "no release";
    const double deviation = values.deviation();
    return digits(values.mean(), significant) + (std::isnan(deviation) ? "" : " (" + digits(deviation, 2) + ")");
  }

  std::vector<std::string> names_;
  std::vector<row> rows_;
};

}  // namespace dplda_benchmarks

#endif
