// SPDX-License-Identifier: Apache-2.0
// Table 3 and Figures 1 to 6 of Huang and Chen (SUB-LDA, 2021); sub_lda.sh starts it.
//   sub_lda DATA FOLDER [--full] [NAME VALUE]...
// reads docword.NAME.txt and vocab.NAME.txt of DATA for the corpora nips and 20news, prints tables, and writes them as
// CSV files, with plots in SVG, to FOLDER. Names, their defaults and what --full makes of them (0: all):
//   tokens 200000 (0)   documents at random until they have so many     words 1000 (0)  the most frequent ones
//   sweeps 60 (100)     step 40 (20)  from one number of topics to the next, 20 to 100
//   threshold 1, settled 4   of the rule (9)                             seed 1
// The paper has 100 sweeps and all tokens and words; it does not say its priors, its clipping bound, its rule (9), nor
// on which documents perplexity is taken. Here: tau 0.1, beta 0.01, no clipping; "training" is perplexity of the
// documents learned from, "held out" document completion on others. Figures 3 to 6 have noise once a sweep, since noise
// at each visit as printed leaves no topics (see the table of noise).

#include <dplda/dplda.hpp>
#include <dplda/published/sub_lda.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../support/corpora.hpp"
#include "../support/svg_plot.hpp"
#include "../support/table.hpp"

namespace {

using namespace dplda;
using namespace dplda::published;
using dplda_benchmarks::axis_scale;
using dplda_benchmarks::digits;
using dplda_benchmarks::plot_line;
using dplda_benchmarks::rows;
using dplda_benchmarks::show;
using dplda_benchmarks::whole;

using settings = std::map<std::string, double>;

constexpr double ratios[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1};

void table_3(const std::filesystem::path& folder) {
  struct printed_row {
    std::uint64_t sweeps;
    double divergence, total;
  };
  const printed_row printed[] = {{92, 0.05, 4.6},   {83, 0.73, 59.86}, {70, 1.18, 82.6},
                                 {66, 1.48, 97.86}, {61, 1.63, 99.43}, {42, 2, 84}};
  rows out{{"gamma", "Iter", "printed", "sum to l = 13", "equation (3)", "Laplace", "printed total",
            "equation (3) total", "epsilon at delta 1e-5"}};
  for (std::size_t i = 0; i < std::size(ratios); ++i) {
    const sub_lda gaussian({.sweeps = printed[i].sweeps, .gamma = ratios[i]});
    const sub_lda laplace({.sweeps = printed[i].sweeps, .gamma = ratios[i], .noise = gibbs_noise::laplace});
    const auto base = [&](double l) { return noise_divergence(gibbs_noise::gaussian, gaussian.plan().scale, l); };
    const double to_13 = sub_lda_divergence(14, ratios[i], base, sub_lda_sum::table);
    out.push_back({digits(ratios[i]), std::to_string(printed[i].sweeps), digits(printed[i].divergence),
                   ratios[i] < 1 ? digits(to_13) : "", digits(gaussian.plan().divergence),
                   digits(laplace.plan().divergence), digits(printed[i].total),
                   digits(gaussian.accumulated_loss(printed[i].sweeps)), digits(gaussian.guarantee().epsilon, 3)});
  }
  show(folder / "sub_lda_table_3.csv",
       "Table 3. Divergence of order 14 of a sweep and of all, sigma^2 = 3.5; epsilon at its best order. The printed "
       "figures leave out the last term of equation (3).",
       out);
}

void figure_1(const std::filesystem::path& folder) {
  struct curve {
    std::uint64_t alpha;
    double sigma;
    std::string name;
  };
  const auto draw = [&](const std::string& name, const std::string& title, const std::vector<curve>& curves) {
    rows out{{"gamma"}};
    std::vector<plot_line> lines;
    std::vector<std::vector<std::string>> columns;
    for (const sub_lda_sum sum : {sub_lda_sum::equation, sub_lda_sum::table}) {
      const bool cut = sum == sub_lda_sum::table;
      for (const curve& c : curves) {
        const auto base = [&](double l) { return noise_divergence(gibbs_noise::gaussian, c.sigma, l); };
        plot_line line{c.name + (cut ? ", cut" : ""), {}, {}, cut};
        double most = 0, where = 0;
        for (int i = 1; i <= 400; ++i) {
          const double gamma = i / 400.0, value = efficiency_privacy(c.alpha, gamma, base, sum);
          if (value > most) {
            most = value;
            where = gamma;
          }
          if (!cut && i % 20 != 0) continue;
          line.x.push_back(gamma);
          line.y.push_back(value);
        }
        lines.push_back(line);
        out.front().push_back(line.name);
        std::vector<std::string> column;
        for (const double gamma : ratios) column.push_back(digits(efficiency_privacy(c.alpha, gamma, base, sum)));
        column.push_back(digits(where, 3));
        columns.push_back(column);
      }
    }
    for (std::size_t i = 0; i <= std::size(ratios); ++i) {
      out.push_back({i < std::size(ratios) ? digits(ratios[i]) : "largest at"});
      for (const auto& column : columns) out.back().push_back(column[i]);
    }
    show(folder / (name + ".csv"), "Figure 1. " + title + ", which makes the extremum that the paper sees.", out);
    write_svg(folder / (name + ".svg"),
              {.title = title,
               .x_label = "subsampling ratio",
               .y_label = "efficiency-privacy function I",
               .y_scale = axis_scale::logarithmic},
              lines);
  };
  const double sigma = std::sqrt(3.5);
  draw("sub_lda_figure_1_order", "I(gamma) by order; cut: the last term of (3) left out",
       {{6, sigma, "order 6"}, {10, sigma, "order 10"}, {14, sigma, "order 14"}});
  draw("sub_lda_figure_1_noise", "I(gamma) by noise at order 14; cut: the last term of (3) left out",
       {{14, sigma, "sigma 1.87"}, {14, 2.5, "sigma 2.5"}, {14, 4, "sigma 4"}});
}

/// What one fit gave.
struct run {
  sub_lda_trace trace;
  double held_out = 0;
  double training() const { return trace.perplexity.back(); }
};

class experiment {
 public:
  experiment(std::string name, const corpus& all, const settings& values, std::filesystem::path folder)
      : name_(std::move(name)), values_(values), folder_(std::move(folder)) {
    const auto words = static_cast<std::size_t>(values_.at("words"));
    const corpus docs = words > 0 ? most_frequent_words(all, words) : all;
    auto bits = seeded_random(seed()).stream("documents");
    data_ = train_test_split(docs, bits, {.share = 0.1, .most = 300, .min_tokens = 10});
    const double wanted = values_.at("tokens");
    if (wanted > 0) {
      std::vector<std::size_t> order(data_.train.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      shuffle(std::span(order), bits);
      double tokens = 0;
      std::size_t taken = 0;
      while (taken < order.size() && tokens < wanted)
        tokens += static_cast<double>(data_.train[order[taken++]].length());
      order.resize(taken);
      data_.train = data_.train.select(order);
    }
    for (double k = 20; k <= 100; k += values_.at("step")) topics_.push_back(static_cast<std::size_t>(k));
    std::printf("\n## %s: %zu documents, %zu words, %llu tokens; %zu held out; unigram %.0f held out\n", name_.c_str(),
                data_.train.size(), data_.train.words(), static_cast<unsigned long long>(data_.train.tokens()),
                data_.test.size(), unigram_perplexity(data_.train, data_.test).perplexity);
  }

  const std::string& name() const { return name_; }

  void figure_2() const {
    for (const bool as_printed : {true, false}) {
      const std::string file = "sub_lda_figure_2_" + name_ + (as_printed ? "_as_printed" : "_each_sweep");
      const std::string title = "Speed-up on " + name_ + (as_printed ? ", noise as printed" : ", noise once a sweep");
      rows out{{"gamma"}};
      std::vector<plot_line> lines;
      std::vector<std::vector<double>> seconds;
      for (const std::size_t k : topics_) {
        out.front().insert(out.front().end(), {"K = " + std::to_string(k), "s a sweep"});
        lines.push_back({"K = " + std::to_string(k), {}, {}});
        seconds.emplace_back();
        for (const double gamma : ratios) {
          seconds.back().push_back(
              sweep_seconds({.topics = k,
                             .gamma = gamma,
                             .timing = as_printed ? noise_timing::as_printed : noise_timing::each_sweep}));
        }
      }
      for (std::size_t i = 0; i < std::size(ratios); ++i) {
        out.push_back({digits(ratios[i])});
        for (std::size_t j = 0; j < topics_.size(); ++j) {
          const double ratio = ratio_to_hdp_lda(seconds[j][i], seconds[j].back());
          out.back().insert(out.back().end(), {digits(ratio, 3), digits(seconds[j][i], 3)});
          lines[j].x.push_back(ratios[i]);
          lines[j].y.push_back(ratio);
        }
      }
      lines.push_back({"1 - gamma", {0.1, 1}, {0.9, 0}, true});
      show(folder_ / (file + ".csv"), "Figure 2. " + title + ": ratio (7) and CPU time.", out);
      write_svg(folder_ / (file + ".svg"),
                {.title = title, .x_label = "subsampling ratio", .y_label = "speed-up ratio (7)"}, lines);
    }
  }

  /// The grid of topics and ratios, from which Figures 3 to 5 are drawn.
  void fit_grid() {
    for (const std::size_t k : topics_) {
      for (const double gamma : ratios) {
        grid_[{k, gamma}] = fit({.topics = k, .gamma = gamma, .timing = noise_timing::each_sweep});
      }
    }
  }

  void figure_3() const {
    rows out{{"gamma"}};
    std::vector<plot_line> lines;
    for (const std::size_t k : topics_) {
      out.front().insert(out.front().end(), {"K = " + std::to_string(k), "held out", "training"});
      lines.push_back({"K = " + std::to_string(k), {}, {}});
    }
    for (const double gamma : ratios) {
      out.push_back({digits(gamma)});
      for (std::size_t j = 0; j < topics_.size(); ++j) {
        const run &sub = grid_.at({topics_[j], gamma}), &hdp = grid_.at({topics_[j], 1.0});
        const double ratio = ratio_to_hdp_lda(sub.held_out, hdp.held_out);
        out.back().insert(out.back().end(), {digits(ratio, 3), whole(sub.held_out), whole(sub.training())});
        lines[j].x.push_back(gamma);
        lines[j].y.push_back(ratio);
      }
    }
    show(folder_ / ("sub_lda_figure_3_" + name_ + ".csv"),
         "Figure 3. Perplexity on " + name_ + ": ratio (8) of held-out perplexities, and perplexities.", out);
    write_svg(folder_ / ("sub_lda_figure_3_" + name_ + ".svg"),
              {.title = "Perplexity ratio on " + name_ + " after " + whole(values_.at("sweeps")) + " sweeps",
               .x_label = "subsampling ratio",
               .y_label = "perplexity ratio (8), held out"},
              lines);
  }

  /// Figure 4, and Table 3 with the sweeps that the rule (9) takes here.
  void figure_4() const {
    const std::size_t k = topics_.back();
    rows out{{"gamma", "sweeps by rule (9)", "training", "last", "equation (3) total", "epsilon at delta 1e-5"}};
    std::vector<plot_line> lines;
    for (const double gamma : ratios) {
      const std::vector<double>& trace = grid_.at({k, gamma}).trace.perplexity;
      lines.push_back(traced("gamma = " + digits(gamma), grid_.at({k, gamma}), false));
      detail::convergence_rule settled(values_.at("threshold"), static_cast<std::size_t>(values_.at("settled")));
      std::size_t sweeps = 0;
      bool fulfilled = false;
      while (sweeps < trace.size() && !fulfilled) fulfilled = settled(trace[sweeps++]);
      const sub_lda learner({.sweeps = sweeps, .gamma = gamma});
      out.push_back({digits(gamma), (fulfilled ? "" : "over ") + std::to_string(sweeps), whole(trace[sweeps - 1]),
                     whole(trace.back()), digits(learner.accumulated_loss(sweeps)),
                     digits(learner.guarantee().epsilon, 3)});
    }
    show(folder_ / ("sub_lda_figure_4_" + name_ + ".csv"),
         "Figure 4 and Table 3 as measured. Training perplexity on " + name_ + ", K = " + std::to_string(k) +
             ", threshold " + digits(values_.at("threshold")) + ", s = " + digits(values_.at("settled")) + ".",
         out);
    write_svg(folder_ / ("sub_lda_figure_4_" + name_ + ".svg"),
              {.title = "Convergence on " + name_ + ", K = " + std::to_string(k),
               .x_label = "sweeps",
               .y_label = "training perplexity"},
              lines);
  }

  /// The lines of Figure 5: training and held-out perplexity at the largest number of topics.
  std::vector<plot_line> figure_5() const {
    std::vector<plot_line> lines{{name_ + ", training", {}, {}}, {name_ + ", held out", {}, {}}};
    for (const double gamma : ratios) {
      const run& one = grid_.at({topics_.back(), gamma});
      for (plot_line& line : lines) line.x.push_back(gamma);
      lines[0].y.push_back(one.training());
      lines[1].y.push_back(one.held_out);
    }
    return lines;
  }

  void figure_6() const {
    struct method {
      std::string name;
      double gamma, q, eta;
    };
    const std::vector<method> methods{{"uniform 0.1", 0.1, 0, 1},
                                      {"q = 0.5, eta = 1", 0.1, 0.5, 1},
                                      {"q = 0.5, eta = 0.5", 0.1, 0.5, 0.5},
                                      {"q = 0.8, eta = 0.5", 0.1, 0.8, 0.5},
                                      {"uniform 0.2", 0.2, 0, 1},
                                      {"uniform 0.25", 0.25, 0, 1},
                                      {"uniform 0.4", 0.4, 0, 1}};
    rows out{
        {"method", "gamma", "v", "tokens a sweep", "training", "held out", "largest ratio", "epsilon at delta 1e-5"}};
    std::vector<plot_line> lines;
    for (const method& m : methods) {
      const sub_lda_options options{.topics = 20,
                                    .sweeps = sweeps(),
                                    .gamma = m.gamma,
                                    .timing = noise_timing::each_sweep,
                                    .frequent_share = m.q,
                                    .size_ratio = m.eta};
      const sub_lda learner(options);
      const run one = fit(options);
      double visited = 0;
      for (const std::uint64_t count : one.trace.visited) visited += static_cast<double>(count);
      visited /= static_cast<double>(one.trace.visited.size()) * static_cast<double>(data_.train.tokens());
      out.push_back({m.name, digits(m.gamma), m.q > 0 ? digits(1 / (m.q * m.eta)) : "", digits(visited, 3),
                     whole(one.training()), whole(one.held_out), digits(learner.plan().ratio),
                     digits(learner.guarantee().epsilon, 3)});
      lines.push_back(traced(m.name, one, m.gamma > 0.1));
    }
    show(folder_ / ("sub_lda_figure_6_" + name_ + ".csv"),
         "Figure 6. Adaptive subsampling on " + name_ + ", K = 20; dashed in the plot: uniform, with the same claims.",
         out);
    write_svg(folder_ / ("sub_lda_figure_6_" + name_ + ".svg"),
              {.title = "Adaptive subsampling on " + name_ + ", K = 20, gamma = 0.1",
               .x_label = "sweeps",
               .y_label = "training perplexity"},
              lines);
  }

  /// What the readings of algorithm 1 come to.
  void noise() const {
    struct reading {
      const char* name;
      gibbs_noise noise;
      noise_timing timing;
      double epsilon;
    };
    constexpr reading readings[] = {{"no noise", gibbs_noise::gaussian, noise_timing::each_sweep, 1e12},
                                    {"each sweep", gibbs_noise::gaussian, noise_timing::each_sweep, 2},
                                    {"each sweep, Laplace", gibbs_noise::laplace, noise_timing::each_sweep, 2},
                                    {"each token", gibbs_noise::gaussian, noise_timing::each_token, 2},
                                    {"as printed", gibbs_noise::gaussian, noise_timing::as_printed, 2}};
    rows out{{"gamma"}};
    std::vector<plot_line> lines;
    for (const reading& r : readings) {
      out.front().push_back(r.name);
      lines.push_back({r.name, {}, {}});
    }
    for (const double gamma : ratios) {
      out.push_back({digits(gamma)});
      for (std::size_t j = 0; j < std::size(readings); ++j) {
        const reading& r = readings[j];
        const double perplexity =
            fit({.topics = 20, .gamma = gamma, .noise = r.noise, .timing = r.timing, .epsilon = r.epsilon}).held_out;
        out.back().push_back(whole(perplexity));
        lines[j].x.push_back(gamma);
        lines[j].y.push_back(perplexity);
      }
    }
    lines.push_back(
        {"unigram", {0.1, 1}, std::vector<double>(2, unigram_perplexity(data_.train, data_.test).perplexity), true});
    show(folder_ / ("sub_lda_noise_" + name_ + ".csv"),
         "Held-out perplexity on " + name_ + " by the time at which counts get noise, K = 20.", out);
    write_svg(folder_ / ("sub_lda_noise_" + name_ + ".svg"),
              {.title = "When counts get noise, " + name_ + ", K = 20",
               .x_label = "subsampling ratio",
               .y_label = "held-out perplexity"},
              lines);
  }

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(values_.at("seed")); }
  std::uint64_t sweeps() const { return static_cast<std::uint64_t>(values_.at("sweeps")); }

  run fit(sub_lda_options options) const {
    options.sweeps = sweeps();
    run result;
    auto random = seeded_random(seed());
    const auto released = sub_lda(options).fit(data_.train, random, {}, &result.trace);
    result.held_out = document_completion_perplexity(released.value(), data_.test).perplexity;
    return result;
  }

  /// Training perplexity by sweep, with some sweeps left out where points are drawn.
  static plot_line traced(const std::string& name, const run& one, bool dashed) {
    const std::vector<double>& trace = one.trace.perplexity;
    plot_line line{name, {}, {}, dashed};
    for (std::size_t i = 0; i < trace.size(); ++i) {
      if (!dashed && i > 4 && (i + 1) % 5 != 0 && i + 1 < trace.size()) continue;
      line.x.push_back(static_cast<double>(i + 1));
      line.y.push_back(trace[i]);
    }
    return line;
  }

  /// CPU time of the shortest of some sweeps, the first one aside.
  double sweep_seconds(sub_lda_options options) const {
    options.sweeps = 8;
    double least = std::numeric_limits<double>::infinity(), before = 0;
    auto random = seeded_random(seed());
    sub_lda(options).fit(data_.train, random, [&](const progress& now) {
      const double time = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
      if (now.step > 1) least = std::min(least, time - before);
      before = time;
      return false;
    });
    return least;
  }

  std::string name_;
  settings values_;
  std::filesystem::path folder_;
  train_test data_;
  std::vector<std::size_t> topics_;
  std::map<std::pair<std::size_t, double>, run> grid_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  try {
    settings values{{"tokens", 200000}, {"words", 1000}, {"sweeps", 60}, {"step", 40},
                    {"threshold", 1},   {"settled", 4},  {"seed", 1}};
    const auto full = std::find(words.begin(), words.end(), "--full");
    if (full != words.end()) {
      for (const auto& [name, value] : settings{{"tokens", 0}, {"words", 0}, {"sweeps", 100}, {"step", 20}})
        values[name] = value;
      words.erase(full);
    }
    if (words.size() < 2 || words.size() % 2 == 1)
      throw std::invalid_argument("sub_lda DATA FOLDER [--full] [NAME VALUE]...");
    for (std::size_t i = 2; i < words.size(); i += 2) values.at(words[i]) = std::stod(words[i + 1]);
    const std::filesystem::path data = words[0], folder = words[1];
    std::filesystem::create_directories(folder);
    table_3(folder);
    figure_1(folder);
    std::vector<plot_line> perplexities;
    for (const std::string name : {"nips", "20news"}) {
      const corpus docs = read_uci(data / ("docword." + name + ".txt"), data / ("vocab." + name + ".txt"));
      experiment one(name, with_public_words(docs), values, folder);
      one.figure_2();
      one.noise();
      one.fit_grid();
      one.figure_3();
      one.figure_4();
      one.figure_6();
      for (const plot_line& line : one.figure_5()) perplexities.push_back(line);
    }
    rows out{{"gamma"}};
    for (const plot_line& line : perplexities) out.front().push_back(line.name);
    for (std::size_t i = 0; i < std::size(ratios); ++i) {
      out.push_back({digits(ratios[i])});
      for (const plot_line& line : perplexities) out.back().push_back(whole(line.y[i]));
    }
    show(folder / "sub_lda_figure_5.csv", "Figure 5. Perplexity at the largest number of topics.", out);
    write_svg(folder / "sub_lda_figure_5.svg",
              {.title = "Perplexity after the last sweep", .x_label = "subsampling ratio", .y_label = "perplexity"},
              perplexities);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
