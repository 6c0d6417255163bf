// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_TABLE_HPP
#define DPLDA_BENCHMARKS_SUPPORT_TABLE_HPP

// Tables of results, as Markdown on the screen and as CSV files.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace dplda_benchmarks {

using rows = std::vector<std::vector<std::string>>;

inline std::string digits(double value, int significant = 4) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", significant, value);
  return text;
}

inline std::string whole(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f", value);
  return text;
}

/// Shows a table as Markdown and writes it as CSV, there without commas in cells; the first row is its head.
inline void show(const std::filesystem::path& file, const std::string& title, const rows& table) {
  std::ofstream csv(file);
  std::printf("\n%s\n\n", title.c_str());
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::string line = "|", rule = "|";
    for (std::size_t j = 0; j < table[i].size(); ++j) {
      line += ' ' + table[i][j] + " |";
      rule += " --- |";
      std::string cell = table[i][j];
      cell.erase(std::remove(cell.begin(), cell.end(), ','), cell.end());
      csv << (j == 0 ? "" : ",") << cell;
    }
    csv << '\n';
    std::puts(line.c_str());
    if (i == 0) std::puts(rule.c_str());
  }
  std::fflush(stdout);
  if (!csv.flush()) throw std::runtime_error("could not write " + file.string());
}

}  // namespace dplda_benchmarks

#endif
