// SPDX-License-Identifier: Apache-2.0
// Table 3 and Figures 1 to 6 of Huang and Chen (SUB-LDA, 2021); sub_lda.sh starts it.
//   sub_lda DATA FOLDER [SETTING VALUE]...
// prints tables and writes results in long form (CSV) and plots (SVG) to FOLDER. Settings, their defaults and, in brackets,
// those of the paper (0: all):
//   corpora nips,20news   of DATA
//   tokens 200000 (0)   documents at random up to this many tokens      words 1000 (0)  the most frequent ones
//   sweeps 60 (100)     step 40 (20)  from one number of topics to the next, 20 to 100
//   threshold 1, settled 4   of the rule (9)                             seed 1
// The paper has 100 sweeps and all tokens and words; it does not state its priors, its clipping bound, its rule (9) or
// the documents that perplexity is computed on. Here: tau 0.1, beta 0.01, no clipping; "training" is perplexity of the
// documents learned from, "token" document completion on others, "type" the same by distinct words. Figures 3 to 6 have
// noise once a sweep, since noise at each visit as printed leaves no topics (see the table of noise).

#include <dplda/dplda.hpp>
#include <dplda/published/sub_lda.hpp>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda::published;
using namespace dplda_benchmarks;

constexpr double ratios[] = {0.1, 0.3, 0.5, 0.7, 0.9, 1};

void table_3(const task& asked) {
  struct printed_row {
    std::uint64_t sweeps;
    double divergence, total;
  };
  const printed_row printed[] = {{92, 0.05, 4.6},   {83, 0.73, 59.86}, {70, 1.18, 82.6},
                                 {66, 1.48, 97.86}, {61, 1.63, 99.43}, {42, 2, 84}};
  results table({"gamma"});
  for (std::size_t i = 0; i < std::size(ratios); ++i) {
    const sub_lda gaussian({.sweeps = printed[i].sweeps, .gamma = ratios[i]});
    const sub_lda laplace({.sweeps = printed[i].sweeps, .gamma = ratios[i], .noise = gibbs_noise::laplace});
    const auto base = [&](double l) { return noise_divergence(gibbs_noise::gaussian, gaussian.plan().scale, l); };
    const run_of run{.corpus = "", .learner = "sub_lda", .further = {digits(ratios[i])}};
    table.add(run, "sweeps", static_cast<double>(printed[i].sweeps));
    table.add(run, "printed", printed[i].divergence);
    if (ratios[i] < 1) table.add(run, "sum_to_13", sub_lda_divergence(14, ratios[i], base, sub_lda_sum::table));
    table.add(run, "equation_3", gaussian.plan().divergence);
    table.add(run, "laplace", laplace.plan().divergence);
    table.add(run, "printed_total", printed[i].total);
    table.add(run, "equation_3_total", gaussian.accumulated_loss(printed[i].sweeps));
    table.add(run, "epsilon_at_1e-5", gaussian.guarantee().epsilon);
  }
  table.write(asked.folder / "sub_lda_table_3.csv");
  table.show(
      "Table 3. Divergence of order 14 of a sweep and of all, sigma^2 = 3.5; epsilon at its best order. The printed "
      "figures leave out the last term of equation (3).",
      {.rows = {"gamma"}, .columns = {"metric"}});
}

/// I(gamma) by equation (3), and without its last term, which gives the extremum that the paper sees.
void figure_1(const task& asked) {
  struct curve {
    std::uint64_t alpha;
    double sigma;
    std::string name;
  };
  const auto draw = [&](const std::string& name, const std::string& title, const std::vector<curve>& curves) {
    results table({"gamma"});
    for (const curve& c : curves) {
      const auto base = [&](double l) { return noise_divergence(gibbs_noise::gaussian, c.sigma, l); };
      for (const sub_lda_sum sum : {sub_lda_sum::equation, sub_lda_sum::table}) {
        for (int i = 1; i <= 80; ++i) {
          const double gamma = i / 80.0;
          table.add(
              {.corpus = "", .learner = c.name + (sum == sub_lda_sum::table ? " cut" : ""), .further = {digits(gamma)}},
              "efficiency_privacy", efficiency_privacy(c.alpha, gamma, base, sum));
        }
      }
    }
    table.write(asked.folder / (name + ".csv"));
    std::vector<plot_line> lines = table.lines("gamma", "learner", {});
    for (plot_line& line : lines) line.dashed = line.name.ends_with("cut");
    column_values some;
    for (const double gamma : ratios) some.emplace_back("gamma", digits(gamma));
    table.show("Figure 1. " + title, {.rows = {"gamma"}, .columns = {"learner"}, .where = some});
    write_svg(asked.folder / (name + ".svg"),
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

class experiment {
 public:
  experiment(const task& asked, std::string name) : task_(asked), name_(std::move(name)) {
    const corpus all = with_public_words(read_named(asked.data, name_));
    const std::size_t words = asked.with.count("words");
    auto bits = seeded_random(seed()).stream("documents");
    data_ = train_test_split(words > 0 ? most_frequent_words(all, words) : all, bits,
                             {.share = 0.1, .most = 300, .min_tokens = 10});
    if (const std::uint64_t wanted = asked.with.count("tokens"); wanted > 0) {
      std::vector<std::size_t> order(data_.train.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      shuffle(std::span(order), bits);
      std::uint64_t tokens = 0;
      std::size_t taken = 0;
      while (taken < order.size() && tokens < wanted) tokens += data_.train[order[taken++]].length();
      order.resize(taken);
      data_.train = data_.train.select(order);
    }
    for (std::size_t k = 20; k <= 100; k += asked.with.count("step")) topics_.push_back(k);
    std::printf("\n## %s: %zu documents, %zu words, %llu tokens; %zu held out\n", name_.c_str(), data_.train.size(),
                data_.train.words(), static_cast<unsigned long long>(data_.train.tokens()), data_.test.size());
  }

  void figure_2() const {
    results table({"topics", "gamma"});
    for (const bool as_printed : {true, false}) {
      const noise_timing timing = as_printed ? noise_timing::as_printed : noise_timing::each_sweep;
      const std::string learner = as_printed ? "noise as printed" : "noise once a sweep";
      for (const std::size_t k : topics_) {
        const double whole = sweep_seconds({.topics = k, .gamma = 1, .timing = timing});
        for (const double gamma : ratios) {
          const double seconds = gamma == 1 ? whole : sweep_seconds({.topics = k, .gamma = gamma, .timing = timing});
          const run_of run{name_, learner, none, seed(), {std::to_string(k), digits(gamma)}};
          table.add(run, "seconds_a_sweep", seconds);
          table.add(run, "speed_up", ratio_to_hdp_lda(seconds, whole));
        }
      }
      std::vector<plot_line> lines = table.lines("gamma", "topics", {{"metric", "speed_up"}, {"learner", learner}});
      for (plot_line& line : lines) line.name = "K = " + line.name;
      lines.push_back({"1 - gamma", {0.1, 1}, {0.9, 0}, true});
      draw(as_printed ? "figure_2_as_printed" : "figure_2_each_sweep", "Speed-up on " + name_ + ", " + learner,
           "speed-up ratio (7)", lines);
    }
    table.write(file("figure_2"));
    table.show("Figure 2. Speed-up on " + name_ + ": ratio (7) and CPU seconds.",
               {.rows = {"learner", "gamma"}, .columns = {"topics", "metric"}, .significant = 3});
  }

  /// Figures 3 to 5, and Table 3 with the sweeps that the rule (9) takes here, from a grid of topics and ratios.
  void figures_3_to_5() const {
    results table({"topics", "gamma"}), traces({"topics", "gamma", "sweep"});
    add_unigram(table, {.corpus = name_, .learner = "", .seed = seed(), .further = {"", ""}}, data_.train, data_.test);
    for (const std::size_t k : topics_) {
      double whole = 0;
      for (std::size_t i = std::size(ratios); i-- > 0;) {
        const std::vector<std::string> further{std::to_string(k), digits(ratios[i])};
        const run_of run{name_, "sub_lda", none, seed(), further};
        const auto [trace, found] = fit({.topics = k, .gamma = ratios[i], .timing = noise_timing::each_sweep});
        if (ratios[i] == 1) whole = found.token;
        add_scores(table, run, found);
        table.add(run, "training", trace.perplexity.back());
        table.add(run, "ratio_8", ratio_to_hdp_lda(found.token, whole));
        if (k == topics_.back()) {
          add_rule_9(table, run, trace.perplexity, ratios[i]);
          add_trace(traces, run, trace.perplexity);
        }
      }
    }
    table.write(file("figure_3_to_5"));
    traces.write(file("figure_4_traces"));
    for (const char* metric : {"ratio_8", "token", "type", "control_type", "training"}) {
      table.show("Figure 3. " + name_ + ": " + metric,
                 {.rows = {"gamma"}, .columns = {"topics"}, .where = {{"metric", metric}, {"learner", "sub_lda"}}});
    }
    const std::string most = std::to_string(topics_.back());
    table.show("Figures 4 and 5 and Table 3 as measured, " + name_ + ", K = " + most,
               {.rows = {"gamma"}, .columns = {"metric"}, .where = {{"topics", most}}});
    std::vector<plot_line> lines = table.lines("gamma", "topics", {{"metric", "ratio_8"}});
    for (plot_line& line : lines) line.name = "K = " + line.name;
    draw("figure_3", "Perplexity ratio on " + name_, "perplexity ratio (8), held out", lines);
    draw("figure_5", "Perplexity on " + name_ + " after the last sweep, K = " + most, "perplexity",
         table.lines("gamma", "metric", {{"topics", most}, {"metric", "training"}, {"metric", "token"}}));
    draw_traces("figure_4", "Convergence on " + name_ + ", K = " + most, traces.lines("sweep", "gamma", {}));
  }

  void figure_6() const {
    struct method {
      std::string name;
      double gamma, q, eta;
    };
    const std::vector<method> methods{{"uniform 0.1", 0.1, 0, 1},       {"q 0.5 eta 1", 0.1, 0.5, 1},
                                      {"q 0.5 eta 0.5", 0.1, 0.5, 0.5}, {"q 0.8 eta 0.5", 0.1, 0.8, 0.5},
                                      {"uniform 0.2", 0.2, 0, 1},       {"uniform 0.25", 0.25, 0, 1},
                                      {"uniform 0.4", 0.4, 0, 1}};
    results table({"gamma"}), traces({"gamma", "sweep"});
    for (const method& m : methods) {
      const sub_lda_options options{.topics = 20,
                                    .sweeps = task_.with.count("sweeps"),
                                    .gamma = m.gamma,
                                    .timing = noise_timing::each_sweep,
                                    .frequent_share = m.q,
                                    .size_ratio = m.eta};
      const sub_lda learner(options);
      const auto [trace, found] = fit(options);
      over_seeds visited;
      for (const std::uint64_t count : trace.visited) visited.add(static_cast<double>(count));
      const run_of run{name_, m.name, learner.guarantee().epsilon, seed(), {digits(m.gamma)}};
      if (m.q > 0) table.add(run, "v", 1 / (m.q * m.eta));
      table.add(run, "share_of_tokens_a_sweep", visited.mean() / static_cast<double>(data_.train.tokens()));
      table.add(run, "training", trace.perplexity.back());
      table.add(run, "largest_ratio", learner.plan().ratio);
      add_scores(table, run, found);
      add_trace(traces, run, trace.perplexity);
    }
    table.write(file("figure_6"));
    traces.write(file("figure_6_traces"));
    table.show("Figure 6. Adaptive subsampling on " + name_ + ", K = 20, and uniform with the same claims",
               {.rows = {"learner", "epsilon"}, .columns = {"metric"}});
    draw_traces("figure_6", "Adaptive subsampling on " + name_ + ", K = 20, gamma = 0.1",
                traces.lines("sweep", "learner", {}));
  }

  /// The results of the readings of algorithm 1.
  void noise() const {
    struct reading {
      const char* name;
      gibbs_noise noise;
      noise_timing timing;
      double epsilon;
    };
    constexpr reading readings[] = {{"no noise", gibbs_noise::gaussian, noise_timing::each_sweep, 1e12},
                                    {"each sweep", gibbs_noise::gaussian, noise_timing::each_sweep, 2},
                                    {"each sweep Laplace", gibbs_noise::laplace, noise_timing::each_sweep, 2},
                                    {"each token", gibbs_noise::gaussian, noise_timing::each_token, 2},
                                    {"as printed", gibbs_noise::gaussian, noise_timing::as_printed, 2}};
    results table({"gamma"});
    for (const double gamma : ratios) {
      run_of run{.corpus = name_, .learner = "", .seed = seed(), .further = {digits(gamma)}};
      add_unigram(table, run, data_.train, data_.test);
      for (const reading& r : readings) {
        run.learner = r.name;
        add_scores(
            table, run,
            fit({.topics = 20, .gamma = gamma, .noise = r.noise, .timing = r.timing, .epsilon = r.epsilon}).second);
      }
    }
    table.write(file("noise"));
    for (const char* metric : {"token", "type", "control_type"}) {
      table.show("Perplexity on " + name_ + " by the time at which counts get noise, K = 20: " + metric,
                 {.rows = {"gamma"}, .columns = {"learner"}, .where = {{"metric", metric}}});
    }
    draw("noise", "When counts get noise, " + name_ + ", K = 20", "token perplexity",
         table.lines("gamma", "learner", {{"metric", "token"}}));
  }

 private:
  std::uint64_t seed() const { return task_.with.count("seed"); }
  std::filesystem::path file(const std::string& what, const char* kind = ".csv") const {
    return task_.folder / ("sub_lda_" + what + "_" + name_ + kind);
  }

  void draw(const std::string& what, const std::string& title, const std::string& label,
            const std::vector<plot_line>& lines) const {
    write_svg(file(what, ".svg"), {.title = title, .x_label = "subsampling ratio", .y_label = label}, lines);
  }

  void draw_traces(const std::string& what, const std::string& title, std::vector<plot_line> lines) const {
    for (plot_line& line : lines) line.dashed = true;  // no mark for each sweep
    write_svg(file(what, ".svg"), {.title = title, .x_label = "sweeps", .y_label = "training perplexity"}, lines);
  }

  std::pair<sub_lda_trace, scores> fit(sub_lda_options options) const {
    options.sweeps = task_.with.count("sweeps");
    sub_lda_trace trace;
    auto random = seeded_random(seed());
    const auto released = sub_lda(options).fit(data_.train, random, {}, &trace);
    return {trace, score(released.value(), data_.test, random, {.alpha = 0, .reference = &data_.train})};
  }

  /// The sweeps that the rule (9) takes, and what they cost.
  void add_rule_9(results& table, const run_of& run, const std::vector<double>& trace, double gamma) const {
    dplda::detail::convergence_rule settled(task_.with.number("threshold"), task_.with.count("settled"));
    std::size_t sweeps = 0;
    bool fulfilled = false;
    while (sweeps < trace.size() && !fulfilled) fulfilled = settled(trace[sweeps++]);
    const sub_lda learner({.sweeps = sweeps, .gamma = gamma});
    table.add(run, "sweeps_by_rule_9", static_cast<double>(sweeps));
    table.add(run, "rule_9_fulfilled", fulfilled ? 1 : 0);
    table.add(run, "training_by_rule_9", trace[sweeps - 1]);
    table.add(run, "equation_3_total", learner.accumulated_loss(sweeps));
    table.add(run, "epsilon_at_1e-5", learner.guarantee().epsilon);
  }

  static void add_trace(results& traces, run_of run, const std::vector<double>& trace) {
    run.further.emplace_back();
    for (std::size_t i = 0; i < trace.size(); ++i) {
      run.further.back() = std::to_string(i + 1);
      traces.add(run, "training", trace[i]);
    }
  }

  /// CPU time of the shortest of some sweeps, the first one aside.
  double sweep_seconds(sub_lda_options options) const {
    options.sweeps = 8;
    double least = std::numeric_limits<double>::infinity(), before = 0;
    auto random = seeded_random(seed());
    sub_lda(options).fit(data_.train, random, [&](const progress& now) {
      const double time = cpu_seconds();
      if (now.step > 1) least = std::min(least, time - before);
      before = time;
      return false;
    });
    return least;
  }

  const task& task_;
  std::string name_;
  train_test data_;
  std::vector<std::size_t> topics_;
};

}  // namespace

int main(int argc, char** argv) {
  const settings defaults{{"corpora", "nips,20news"}, {"tokens", "200000"}, {"words", "1000"},
                          {"sweeps", "60"},           {"step", "40"},       {"threshold", "1"},
                          {"settled", "4"},           {"seed", "1"}};
  return run_task(argc, argv, defaults, [](const task& asked) {
    table_3(asked);
    figure_1(asked);
    for (const std::string& name : asked.with.list("corpora")) {
      const experiment one(asked, name);
      one.figure_2();
      one.noise();
      one.figures_3_to_5();
      one.figure_6();
    }
  });
}
