// SPDX-License-Identifier: Apache-2.0
// A plot of a metric against epsilon from a long CSV file (support/results.hpp); pictures.sh starts it.
//   plot CSV CORPUS METRIC TITLE SVG
// A learner without an epsilon, such as the unigram model, is a dashed line from end to end.

#include "program.hpp"
#include "results.hpp"
#include "svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace dplda_benchmarks;
  return guarded(argv[0], [&] {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() != 5) throw std::invalid_argument("expected CSV CORPUS METRIC TITLE SVG");
    std::ifstream csv(words[0]);
    std::string line;
    std::getline(csv, line);
    if (!line.starts_with("corpus,learner,epsilon,seed,metric,value"))
      throw std::runtime_error(words[0] +
                               " is not a long table: its head must be corpus,learner,epsilon,seed,metric,value");
    results table;
    std::vector<std::string> flat;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    while (std::getline(csv, line)) {
      std::vector<std::string> cells;
      std::istringstream text(line);
      for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
      if (cells.size() < 6 || cells[0] != words[1] || cells[4] != words[2] || cells[5].empty()) continue;
      const double epsilon = cells[2].empty() ? none : std::stod(cells[2]);
      if (!std::isnan(epsilon)) {
        least = std::min(least, epsilon);
        most = std::max(most, epsilon);
      }
      table.add({.corpus = cells[0], .learner = cells[1], .epsilon = epsilon}, cells[4], std::stod(cells[5]));
      if (std::isnan(epsilon)) flat.emplace_back(cells[1]);
    }
    std::vector<plot_line> lines = table.lines("epsilon", "learner", {});
    std::sort(flat.begin(), flat.end());
    flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
    for (const std::string& learner : flat) {
      const double value = table.of({{"learner", learner}}).mean();
      lines.push_back({learner, {least, most}, {value, value}, true});
    }
    if (lines.empty()) throw std::runtime_error(words[0] + " has no " + words[2] + " of " + words[1]);
    write_svg(words[4],
              {.title = words[3],
               .x_label = "epsilon",
               .y_label = "held-out perplexity over that without privacy",
               .x_scale = axis_scale::logarithmic,
               .y_scale = axis_scale::logarithmic},
              lines);
    return 0;
  });
}
