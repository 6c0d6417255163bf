// SPDX-License-Identifier: Apache-2.0
// Figures 2 to 10 of Wang et al. (A model-agnostic approach to differentially private topic mining, 2022) on a corpus with
// users; topicdp.sh starts it.
//   topicdp FOLDER quick|full DOCWORD VOCAB USERS
// Tables are printed and written to FOLDER as CSV, with plots in SVG.
//
// Half of the users stand for a public corpus, from which neighbours are drawn, and topics of the other half are released.
// All words are in the matrix, the V most frequent ones (a public list), where the paper shows the most probable words of
// each topic, whose choice tells of the data. What the paper calls L1 is the mean l2 distance of a row, and is so named
// here. Distances are of released topics, whose rows are distributions; the paper's are of the noisy matrix before that, of
// which the RMSE is the standard deviation of the noise, shown beside them. All sensitivities are the order statistic that
// gamma needs among 49 pairs, where Algorithm 1 takes the largest of 285 (gamma = 0.1) to 9498 (0.02): a larger one. Kendall's tau-b is over all words, 1 for the
// same order.

#include <dplda/dplda.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <unistd.h>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/svg_plot.hpp"
#include "../support/table.hpp"

namespace {

using namespace dplda;
using dplda_benchmarks::axis_scale;
using dplda_benchmarks::digits;
using dplda_benchmarks::plot_line;
using dplda_benchmarks::rows;
using dplda_benchmarks::show;

constexpr double delta = 1e-4;
constexpr const char* topicdp_published = "TopicDP, Renyi noise as published";
constexpr const char* mvg_sampled = "MVG, sampled sensitivity";

struct sizes {
  std::uint64_t pairs;
  std::size_t repeats;
  std::vector<double> epsilons;
  std::vector<std::pair<std::size_t, std::size_t>> matrices;  // topics, words
};

using learner = std::function<topic_model<>(const corpus&, random_source&)>;
struct engine {
  std::string name;
  std::function<learner(std::size_t topics)> make;
};

std::vector<engine> engines() {
  return {
      {"svi, whole corpus a step",
       [](std::size_t k) -> learner {
         return [k](const corpus& docs, random_source& random) {
           return svi<>({.topics = k, .passes = 30, .batch_size = 0, .threads = 1}).fit(docs, random);
         };
       }},
      {"gibbs, mean of 20 states",
       [](std::size_t k) -> learner {
         return [k](const corpus& docs, random_source& random) {
           return gibbs<>({.topics = k, .burn_in = 40, .samples = 20, .spacing = 2, .threads = 1}).fit(docs, random);
         };
       }},
      {"svi, minibatches",
       [](std::size_t k) -> learner {
         return [k](const corpus& docs, random_source& random) {
           return svi<>({.topics = k, .passes = 3, .threads = 1}).fit(docs, random);
         };
       }},
      {"gibbs, last state", [](std::size_t k) -> learner {
         return [k](const corpus& docs, random_source& random) {
           return gibbs<>({.topics = k, .burn_in = 60, .samples = 0, .threads = 1}).fit(docs, random);
         };
       }}};
}

/// An engine's topics for the private half, and how far they move.
struct experiment {
  corpus open, secret;
  learner fit;
  topic_model<> truth, reference;
  sampled_sensitivity sensitivity;

  std::size_t topics() const { return truth.topics(); }
  std::size_t words() const { return truth.words(); }
  double sensitivity_at(double gamma) const {
    return sensitivity.distances[sensitivity_rank(gamma, sensitivity.pairs) - 1];
  }
};

topic_model<> fitted(const learner& fit, const corpus& docs, std::uint64_t seed) {
  random_source random = seeded_random(seed);
  return fit(docs, random);
}

experiment prepare(const corpus& all, const engine& method, std::size_t topics, std::size_t words, std::uint64_t pairs,
                   bool from_private = false) {
  auto bits = seeded_random(1).stream("halves");
  const auto [open, secret] = random_halves(most_frequent_words(all, words), bits, split_unit::user);
  const learner fit = method.make(topics);
  const double before = wall_seconds();
  random_source random = seeded_random(2);
  const auto sensitivity =
      sample_sensitivity(fit, from_private ? secret : open, random,
                         {.gamma = 1 / static_cast<double>(pairs + 1),
                          .pairs = pairs,
                          .units = privacy_units(secret, privacy_unit::user).size(),
                          .public_law = !from_private},
                         [&](const sampling_progress& now) {
                           if (isatty(STDERR_FILENO) == 0) return;
                           std::fprintf(stderr, "\r%s, %zu x %zu: pair %zu of %zu, %.0f s left ", method.name.c_str(),
                                        topics, words, now.step, now.steps, now.seconds_left);
                         });
  std::fprintf(stderr, "%s, %zu x %zu: %.1f s\n", method.name.c_str(), topics, words, wall_seconds() - before);
  return {open, secret, fit, fitted(fit, secret, sensitivity.seed), fitted(fit, open, sensitivity.seed), sensitivity};
}

struct quality {
  double noise = 0, l1 = 0, l2 = 0, rmse = 0, tau = 0;
};

/// The mean over several releases of one plan, compared row by row.
quality measure(const topic_dp& plan, const learner& fit, const experiment& e, std::size_t repeats) {
  quality q;
  q.noise = plan.plan().noise;
  const double share = 1 / static_cast<double>(repeats);
  for (std::size_t i = 0; i < repeats; ++i) {
    random_source random = seeded_random(100 + i);
    const model_comparison c = compare_models(plan.fit(fit, e.secret, random).value(), e.truth);
    q.l1 += share * c.l1_mean;
    q.l2 += share * c.l2_mean;
    q.rmse += share * c.rmse;
    q.tau += share * c.kendall_tau_b_mean;
  }
  return q;
}

struct method {
  std::string name;
  std::function<quality(const experiment&, double epsilon, double gamma, std::size_t repeats)> run;
};

method sampled_method(const std::string& name, output_noise noise, row_repair repair = row_repair::projection) {
  return {name, [=](const experiment& e, double epsilon, double gamma, std::size_t repeats) {
            sampled_sensitivity s = e.sensitivity;
            s.gamma = gamma;
            s.value = e.sensitivity_at(gamma);
            s.reference =
                e.truth;  // keeps the order of rows, so that they can be compared; noise and topics are the same
            const topic_dp plan(
                {.topics = e.topics(), .words = e.words(), .sensitivity = s, .noise = noise, .repair = repair},
                {epsilon, delta});
            return measure(
                plan, [&](const corpus&, random_source&) { return e.truth; }, e, repeats);
          }};
}

method bound_method(const std::string& name, output_noise noise) {
  return {name, [=](const experiment& e, double epsilon, double, std::size_t repeats) {
            const topic_dp plan({.topics = e.topics(), .words = e.words(), .noise = noise}, {epsilon, delta});
            return measure(
                plan, [&](const corpus&, random_source&) { return e.truth; }, e, repeats);
          }};
}

/// The bound, with a norm as of the public topics and topics averaged over parts that are matched to the public ones.
method parts_method(std::uint64_t parts) {
  return {"bound, " + std::to_string(parts) + " parts", [=](const experiment& e, double epsilon, double, std::size_t) {
            const topic_dp plan({.topics = e.topics(),
                                 .words = e.words(),
                                 .norm = 1.3 * e.reference.phi().norm(),
                                 .parts = parts,
                                 .reference = e.reference},
                                {epsilon, delta});
            experiment matched = e;
            matched.truth = select_topics(e.truth, align_topics(e.truth, e.reference));
            return measure(plan, e.fit, matched, 1);
          }};
}

/// The topics of the public half: what can be had without the private one.
method public_topics() {
  return {"public topics, no private data", [](const experiment& e, double, double, std::size_t) {
            const topic_model<> matched = select_topics(e.truth, align_topics(e.truth, e.reference));
            const model_comparison c = compare_models(e.reference, matched);
            return quality{0, c.l1_mean, c.l2_mean, c.rmse, c.kendall_tau_b_mean};
          }};
}

std::vector<method> methods() {
  return {public_topics(),
          sampled_method("TopicDP, analytic", output_noise::gaussian),
          sampled_method(topicdp_published, output_noise::renyi),
          sampled_method(mvg_sampled, output_noise::mvg),
          bound_method("bound sqrt(2 K), proven", output_noise::gaussian),
          parts_method(50),
          bound_method("Laplace, bound 2 K, proven", output_noise::laplace)};
}

void figure2(const std::filesystem::path& folder) {
  rows table{{"epsilon", "Renyi epsilon of order 2", "published noise / sensitivity", "analytic noise / sensitivity",
              "epsilon that the published noise is worth"}};
  plot_line line{.name = "order 2", .x = {}, .y = {}};
  for (double epsilon = 1; epsilon <= 10; epsilon += 1) {
    const double renyi = published::topicdp_divergence({epsilon, delta});
    const double multiplier = published::topicdp_multiplier({epsilon, delta});
    table.push_back({digits(epsilon), digits(renyi), digits(multiplier), digits(gaussian_multiplier(epsilon, delta)),
                     digits(gaussian_epsilon(multiplier, delta))});
    line.x.push_back(epsilon);
    line.y.push_back(renyi);
  }
  const std::string title = "Figure 2: Renyi budget of an epsilon, delta = 1e-4";
  show(folder / "figure2.csv", title, table);
  dplda_benchmarks::write_svg(
      folder / "figure2.svg",
      {.title = title, .x_label = "epsilon", .y_label = "epsilon_R", .y_scale = axis_scale::logarithmic}, {line});
}

/// What Algorithm 1 asks for, and what is enough.
void sample_sizes(const std::filesystem::path& folder, std::uint64_t pairs) {
  rows table{{"gamma", "rho", "h, pairs", "k", "pairs that are enough", "rank here"}};
  for (const double gamma : {0.02, 0.05, 0.07, 0.1, 0.12, 0.17, 0.22}) {
    const published::topicdp_samples paper = published::topicdp_sample_sizes(gamma);
    const std::uint64_t fewest = fewest_pairs(gamma);
    table.push_back({digits(gamma), digits(paper.rho), std::to_string(paper.h), std::to_string(paper.k),
                     std::to_string(fewest),
                     fewest <= pairs ? std::to_string(sensitivity_rank(gamma, pairs)) + " of " + std::to_string(pairs)
                                     : "too few pairs"});
  }
  show(folder / "sample_sizes.csv", "Algorithm 1: pairs to sample and the rank of the sensitivity among them", table);
}

/// A number that the paper prints in its text, of Enron; our point that comes nearest to it.
struct printed_point {
  double x;
  std::string method, l1, rmse;
};

/// One table and three plots of all methods against x. `at` gives experiment, epsilon and gamma of each point.
struct point {
  double x;
  const experiment* where;
  double epsilon, gamma;
};

void figure(const std::filesystem::path& folder, const std::string& name, const std::string& title,
            const std::string& x_label, const std::vector<point>& points, std::size_t repeats,
            const std::vector<printed_point>& printed = {}) {
  rows table{{x_label, "method", "noise on an entry", "mean row l1", "mean row l2", "RMSE", "tau-b"}};
  if (!printed.empty()) table.front().insert(table.front().end(), {"paper's L1", "paper's RMSE"});
  std::vector<plot_line> l2, rmse, tau;
  for (const method& each : methods()) {
    plot_line line{.name = each.name, .x = {}, .y = {}};
    plot_line other = line, third = line;
    for (const point& p : points) {
      const quality q = each.run(*p.where, p.epsilon, p.gamma, repeats);
      table.push_back({digits(p.x), each.name, digits(q.noise, 3), digits(q.l1, 3), digits(q.l2, 3), digits(q.rmse, 3),
                       digits(q.tau, 3)});
      if (!printed.empty()) {
        const auto found = std::find_if(printed.begin(), printed.end(), [&](const printed_point& one) {
          return one.x == p.x && one.method == each.name;
        });
        table.back().push_back(found == printed.end() ? "" : found->l1);
        table.back().push_back(found == printed.end() ? "" : found->rmse);
      }
      for (plot_line* l : {&line, &other, &third}) l->x.push_back(p.x);
      line.y.push_back(q.l2);
      other.y.push_back(q.rmse);
      third.y.push_back(q.tau);
    }
    l2.push_back(line);
    rmse.push_back(other);
    tau.push_back(third);
  }
  show(folder / (name + ".csv"), title, table);
  const auto plot = [&](const std::string& what, const std::string& label, const std::vector<plot_line>& lines) {
    dplda_benchmarks::write_svg(folder / (name + "_" + what + ".svg"),
                                {.title = title, .x_label = x_label, .y_label = label}, lines);
  };
  plot("l2", "mean l2 distance of a row (the paper's L1)", l2);
  plot("rmse", "RMSE over all entries", rmse);
  plot("tau", "Kendall's tau-b", tau);
}

/// Sensitivities of all engines: from public and from private data, by the least order of rows and row by row.
void sensitivities(const std::filesystem::path& folder, const corpus& docs, std::size_t topics, std::size_t words,
                   std::uint64_t pairs) {
  rows table{{"engine", "units drawn from", "median distance", "sensitivity, gamma 0.1", "largest", "seconds a pair"}};
  const std::vector<engine> all = engines();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const engine& each = all[i];
    for (const bool from_private : {false, true}) {
      if (from_private && i > 0) continue;
      const double before = cpu_seconds();
      const experiment e = prepare(docs, each, topics, words, pairs, from_private);
      const auto& d = e.sensitivity.distances;
      table.push_back({each.name, from_private ? "the private half" : "the public half", digits(d[d.size() / 2], 3),
                       digits(e.sensitivity_at(0.1), 3), digits(d.back(), 3),
                       digits((cpu_seconds() - before) / static_cast<double>(pairs), 2)});
    }
  }
  show(folder / "sensitivity.csv",
       "Distances of topics, one user exchanged, " + std::to_string(topics) + " x " + std::to_string(words) + ", " +
           std::to_string(pairs) + " pairs; the bound is " + digits(std::sqrt(2.0 * static_cast<double>(topics)), 3),
       table);
}

/// Both ways of making noisy rows distributions.
void repairs(const std::filesystem::path& folder, const experiment& e, std::size_t repeats) {
  rows table{{"epsilon", "repair", "mean row l1", "mean row l2", "RMSE", "tau-b"}};
  for (const double epsilon : {0.1, 1.0, 3.0, 10.0}) {
    for (const auto& [repair, name] :
         {std::pair{row_repair::projection, "projection"}, std::pair{row_repair::clamp, "clamp and divide"}}) {
      const quality q = sampled_method("", output_noise::gaussian, repair).run(e, epsilon, 0.1, repeats);
      table.push_back({digits(epsilon), name, digits(q.l1, 3), digits(q.l2, 3), digits(q.rmse, 3), digits(q.tau, 3)});
    }
  }
  show(folder / "repair.csv", "Noisy rows as distributions, sampled sensitivity, analytic noise", table);
}

void run(const std::filesystem::path& folder, bool quick, const corpus& docs) {
  const sizes size =
      quick ? sizes{19, 5, {1, 3, 5, 10}, {{2, 10}, {5, 25}, {10, 50}}}
            : sizes{49, 20, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {{2, 10}, {4, 20}, {6, 30}, {8, 40}, {10, 50}, {10, 200}}};
  const std::vector<double> gammas =
      quick ? std::vector<double>{0.05, 0.12, 0.22} : std::vector<double>{0.02, 0.07, 0.12, 0.17, 0.22};
  std::printf(
      "%zu documents, %zu users, delta = 1e-4; %llu pairs of neighbours for each sensitivity. The paper prints the "
      "ends of Figures 4a, 5a and 5b only, of Enron, and of the noisy matrix before its rows are distributions, whose "
      "RMSE is our noise on an entry.\n",
      docs.size(), docs.users(), static_cast<unsigned long long>(size.pairs));
  figure2(folder);
  sample_sizes(folder, size.pairs);
  sensitivities(folder, docs, 10, 50, size.pairs);
  const std::vector<engine> all = engines();
  std::vector<experiment> grid;
  for (const auto& [topics, words] : size.matrices) grid.push_back(prepare(docs, all[0], topics, words, size.pairs));
  const auto standard = std::find_if(grid.begin(), grid.end(), [](const experiment& e) { return e.words() == 50; });
  repairs(folder, *standard, size.repeats);
  const experiment other = prepare(docs, all[1], 10, 50, size.pairs);

  const auto against_epsilon = [&](const experiment& e) {
    std::vector<point> points;
    for (const double epsilon : size.epsilons) points.push_back({epsilon, &e, epsilon, 0.1});
    return points;
  };
  const auto against_gamma = [&](const experiment& e) {
    std::vector<point> points;
    for (const double gamma : gammas) points.push_back({gamma, &e, 3, gamma});
    return points;
  };
  const auto against_size = [&](double epsilon) {
    std::vector<point> points;
    for (const experiment& e : grid) points.push_back({static_cast<double>(e.topics() * e.words()), &e, epsilon, 0.1});
    return points;
  };
  figure(folder, "figure3_7a", "Figures 3 and 7a: svi, 10 x 50, gamma = 0.1", "epsilon", against_epsilon(*standard),
         size.repeats);
  figure(folder, "figure4_7b",
         "Figures 4 and 7b: svi, 10 x 50, epsilon = 3; the paper's of 10 x 10, gamma = 0.02 and 0.22", "gamma",
         against_gamma(*standard), size.repeats,
         {{gammas.front(), topicdp_published, "8.4426", ""},
          {gammas.back(), topicdp_published, "0.1389", ""},
          {gammas.front(), mvg_sampled, "6475.0496", ""},
          {gammas.back(), mvg_sampled, "4.8034", ""}});
  figure(folder, "figure5_7c",
         "Figures 5 and 7c: svi, epsilon = 3, gamma = 0.1; the paper's of 2 x 2 and 10 x 10 entries", "entries",
         against_size(3), size.repeats,
         {{20, topicdp_published, "0.0179", "0.0122"},
          {500, topicdp_published, "0.8954", "0.2838"},
          {20, mvg_sampled, "0.0794", "0.0562"},
          {500, mvg_sampled, "77.1487", "24.3965"}});
  figure(folder, "figure6_7d", "Figures 6 and 7d: svi, epsilon = 5, gamma = 0.1", "entries", against_size(5),
         size.repeats);
  figure(folder, "figure9a_10a", "Figures 9a and 10a: gibbs, 10 x 50, gamma = 0.1", "epsilon", against_epsilon(other),
         size.repeats);
  figure(folder, "figure9b_10b", "Figures 9b and 10b: gibbs, 10 x 50, epsilon = 3", "gamma", against_gamma(other),
         size.repeats);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.size() != 5 || (arguments[1] != "quick" && arguments[1] != "full")) {
      std::fprintf(stderr, "topicdp FOLDER quick|full DOCWORD VOCAB USERS: see the head of topicdp.cpp\n");
      return 2;
    }
    std::filesystem::create_directories(arguments[0]);
    run(arguments[0], arguments[1] == "quick", with_public_words(read_uci(arguments[2], arguments[3], arguments[4])));
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
