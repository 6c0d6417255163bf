// SPDX-License-Identifier: Apache-2.0
// Figures 2 to 10, 12 and 13 of Wang et al. (A model-agnostic approach to differentially private topic mining, 2022) on a corpus with
// users; topicdp.sh starts it.
//   topicdp DATA FOLDER [corpus airtweets] [quick 0]
// Tables are printed; results go to FOLDER in long form (CSV), with plots in SVG.
//
// A twentieth of the users is held out, and released topics are scored on its documents. Half of the others stand for a
// public corpus, from which neighbours are drawn, and topics of the other half are released.
// All words are in the matrix, the V most frequent ones (a public list), where the paper shows the most probable words of
// each topic, whose choice reveals the data. What the paper calls L1 is the mean l2 distance of a row, and is so named
// here. Distances are of released topics, whose rows are distributions; the paper's are of the noisy matrix before
// that, whose RMSE is the standard deviation of the noise, shown beside them. All sensitivities are the order statistic
// that gamma needs among 49 pairs, where Algorithm 1 takes the largest of 285 (gamma = 0.1) to 9498 (0.02): a larger
// one. Kendall's tau-b is over all words, 1 for the same order.

#include <dplda/dplda.hpp>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

constexpr double delta = 1e-4;
constexpr const char* topicdp_published = "topicdp_renyi_as_published";
constexpr const char* mvg_sampled = "mvg_sampled";

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

template <class Learner, class Options>
engine engine_of(const std::string& name, Options options) {
  return {name, [options](std::size_t topics) -> learner {
            Options own = options;
            own.topics = topics;
            return [own](const corpus& docs, random_source& random) { return Learner(own).fit(docs, random); };
          }};
}

std::vector<engine> engines() {
  return {
      engine_of<svi<>>("svi_whole_corpus", svi_options{.passes = 30, .batch_size = 0, .threads = 1}),
      engine_of<lsi>("lsi", lsi_options{.threads = 1}),
      engine_of<hdp>("hdp", hdp_options{.most_topics = 40, .start_topics = 20, .burn_in = 60, .threads = 1}),
      engine_of<gibbs<>>("gibbs_mean_of_20", gibbs_options{.burn_in = 40, .samples = 20, .spacing = 2, .threads = 1}),
      engine_of<svi<>>("svi_minibatches", svi_options{.passes = 3, .threads = 1}),
      engine_of<gibbs<>>("gibbs_last_state", gibbs_options{.burn_in = 60, .samples = 0, .threads = 1})};
}

/// An engine's topics for the private half, and how far they move.
struct experiment {
  corpus open, secret, held_out;
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
  const auto [rest, held_out] =
      train_test_split(most_frequent_words(all, words), bits, {.share = 0.05, .unit = split_unit::user});
  const auto [open, secret] = random_halves(rest, bits, split_unit::user);
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
  return {open,       secret, held_out, fit, fitted(fit, secret, sensitivity.seed), fitted(fit, open, sensitivity.seed),
          sensitivity};
}

/// The noise on an entry, releases of several seeds, and the topics to compare them with.
struct outcome {
  double noise;
  topic_model<> truth;
  std::vector<topic_model<>> released;
};

struct method {
  std::string name;
  std::function<outcome(const experiment&, double epsilon, double gamma, std::size_t repeats)> run;
};

/// Several releases of one plan.
outcome release_all(const topic_dp& plan, const learner& fit, const corpus& docs, const topic_model<>& truth,
                    std::size_t repeats) {
  outcome all{plan.plan().noise, truth, {}};
  for (std::size_t i = 0; i < repeats; ++i) {
    random_source random = seeded_random(100 + i);
    all.released.push_back(plan.fit(fit, docs, random).value());
  }
  return all;
}

/// Distances row by row, and scores on the held-out documents.
void add_outcome(results& table, run_of run, const corpus& held_out, const outcome& found) {
  run.seed = 100;
  for (const topic_model<>& model : found.released) {
    const model_comparison c = compare_models(model, found.truth);
    table.add(run, "noise", found.noise);
    table.add(run, "l1", c.l1_mean);
    table.add(run, "l2", c.l2_mean);
    table.add(run, "rmse", c.rmse);
    table.add(run, "tau_b", c.kendall_tau_b_mean);
    random_source random = seeded_random(run.seed);
    add_scores(table, run, score(smoothed(model), held_out, random));
    ++run.seed;
  }
}

method sampled_method(const std::string& name, output_noise noise, row_repair repair = row_repair::projection) {
  return {name, [=](const experiment& e, double epsilon, double gamma, std::size_t repeats) {
            sampled_sensitivity s = e.sensitivity;
            s.gamma = gamma;
            s.value = e.sensitivity_at(gamma);
            // Keeps the order of rows, so that they can be compared; noise and topics are the same.
            s.reference = declare_public(e.truth);
            const topic_dp plan(
                {.topics = e.topics(), .words = e.words(), .sensitivity = s, .noise = noise, .repair = repair},
                {epsilon, delta});
            return release_all(
                plan, [&](const corpus&, random_source&) { return e.truth; }, e.secret, e.truth, repeats);
          }};
}

method bound_method(const std::string& name, output_noise noise) {
  return {name, [=](const experiment& e, double epsilon, double, std::size_t repeats) {
            const topic_dp plan({.topics = e.topics(), .words = e.words(), .noise = noise}, {epsilon, delta});
            return release_all(
                plan, [&](const corpus&, random_source&) { return e.truth; }, e.secret, e.truth, repeats);
          }};
}

/// The private half's topics in the order of the public half's.
topic_model<> matched_truth(const experiment& e) { return select_topics(e.truth, align_topics(e.truth, e.reference)); }

/// The bound, with a norm as of the public topics and topics averaged over parts that are matched to the public ones.
method parts_method(std::uint64_t parts) {
  return {"bound_" + std::to_string(parts) + "_parts", [=](const experiment& e, double epsilon, double, std::size_t) {
            const topic_dp plan({.topics = e.topics(),
                                 .words = e.words(),
                                 .norm = 1.3 * e.reference.phi().norm(),
                                 .parts = parts,
                                 .reference = declare_public(e.reference)},
                                {epsilon, delta});
            return release_all(plan, e.fit, e.secret, matched_truth(e), 1);
          }};
}

/// The topics of the public half, which need no private data.
method public_topics() {
  return {"public_topics", [](const experiment& e, double, double, std::size_t) {
            return outcome{0, matched_truth(e), {e.reference}};
          }};
}

std::vector<method> methods() {
  return {public_topics(),
          sampled_method("topicdp_analytic", output_noise::gaussian),
          sampled_method(topicdp_published, output_noise::renyi),
          sampled_method(mvg_sampled, output_noise::mvg),
          bound_method("bound", output_noise::gaussian),
          parts_method(50),
          bound_method("bound_laplace", output_noise::laplace)};
}

void figure2(const task& asked) {
  results table;
  for (double epsilon = 1; epsilon <= 10; epsilon += 1) {
    const run_of run{.corpus = "", .learner = "topicdp", .epsilon = epsilon};
    const double multiplier = published::topicdp_multiplier({epsilon, delta});
    table.add(run, "renyi_epsilon", published::topicdp_divergence({epsilon, delta}));
    table.add(run, "published_noise", multiplier);
    table.add(run, "analytic_noise", gaussian_multiplier(epsilon, delta));
    table.add(run, "epsilon_of_published_noise", gaussian_epsilon(multiplier, delta));
  }
  const std::string title = "Figure 2: Renyi budget of order 2, and noise over sensitivity, delta = 1e-4";
  table.write(asked.folder / "figure2.csv");
  table.show(title, {.rows = {"epsilon"}, .columns = {"metric"}});
  write_svg(asked.folder / "figure2.svg",
            {.title = title, .x_label = "epsilon", .y_label = "epsilon_R", .y_scale = axis_scale::logarithmic},
            table.lines("epsilon", "metric", {{"metric", "renyi_epsilon"}}));
}

/// The pairs that Algorithm 1 samples, and the number that suffices.
void sample_sizes(const task& asked, std::uint64_t pairs) {
  results table({"gamma"});
  for (const double gamma : {0.02, 0.05, 0.07, 0.1, 0.12, 0.17, 0.22}) {
    const published::topicdp_samples paper = published::topicdp_sample_sizes(gamma);
    const std::uint64_t fewest = fewest_pairs(gamma);
    const run_of run{.corpus = "", .learner = "algorithm 1", .further = {digits(gamma)}};
    table.add(run, "rho", paper.rho);
    table.add(run, "pairs", static_cast<double>(paper.h));
    table.add(run, "k", static_cast<double>(paper.k));
    table.add(run, "pairs_enough", static_cast<double>(fewest));
    if (fewest <= pairs) table.add(run, "rank_here", static_cast<double>(sensitivity_rank(gamma, pairs)));
  }
  table.write(asked.folder / "sample_sizes.csv");
  table.show("Algorithm 1: pairs to sample, and the rank of the sensitivity among " + std::to_string(pairs) +
                 " pairs, where they are enough",
             {.rows = {"gamma"}, .columns = {"metric"}});
}

/// Where all methods are compared.
struct point {
  const experiment* where;
  double epsilon, gamma;
};

/// A number that the paper prints in its text, of Enron; our point that comes nearest to it.
struct printed_point {
  std::size_t point;
  std::string method;
  double l2, rmse;
};

/// A line of a figure: a label before the methods' names (empty: one engine alone), and its points.
struct engine_points {
  std::string label;
  std::vector<point> points;
};

/// One table and four plots of all methods against the column x, for one engine or several.
void figure(const task& asked, const std::string& name, const std::string& title, const std::string& x,
            const std::vector<engine_points>& engines_of, std::size_t repeats,
            const std::vector<printed_point>& printed = {}) {
  const std::vector<point>& points = engines_of.front().points;
  results table({"gamma", "entries"});
  const auto run = [&](const std::string& learner, const point& p) {
    return run_of{.corpus = asked.with.text("corpus"),
                  .learner = learner,
                  .epsilon = p.epsilon,
                  .further = {digits(p.gamma), std::to_string(p.where->topics() * p.where->words())}};
  };
  for (const engine_points& engine : engines_of) {
    for (const method& each : methods()) {
      for (const point& p : engine.points) {
        add_outcome(table, run(engine.label + each.name, p), p.where->held_out,
                    each.run(*p.where, p.epsilon, p.gamma, repeats));
      }
    }
  }
  for (const printed_point& p : printed) {
    table.add(run(p.method + " as printed", points[p.point]), "l2", p.l2);
    if (p.rmse > 0) table.add(run(p.method + " as printed", points[p.point]), "rmse", p.rmse);
  }
  table.write(asked.folder / (name + ".csv"));
  table.show(title, {.rows = {x, "learner"}, .columns = {"metric"}, .significant = 3});
  for (const auto& [metric, label] :
       {std::pair{"l2", "mean l2 distance of a row (the paper's L1)"}, std::pair{"rmse", "RMSE over all entries"},
        std::pair{"tau_b", "Kendall's tau-b"}, std::pair{"type", "held-out perplexity by types"}}) {
    write_svg(asked.folder / (name + "_" + metric + ".svg"), {.title = title, .x_label = x, .y_label = label},
              table.lines(x, "learner", {{"metric", metric}}));
  }
}

/// Figures 12 and 13: the ten most probable words of four topics, and their probabilities before and after noise.
void keywords(const task& asked, const experiment& e) {
  results table({"topic", "rank", "word"});
  sampled_sensitivity s = e.sensitivity;
  s.gamma = 0.1;
  s.value = e.sensitivity_at(0.1);
  s.reference = declare_public(e.truth);
  const topic_dp plan({.topics = e.topics(), .words = e.words(), .sensitivity = s, .noise = output_noise::renyi},
                      {10, delta});
  random_source random = seeded_random(100);
  const auto released = plan.fit([&](const corpus&, random_source&) { return e.truth; }, e.secret, random).value();
  for (const std::size_t topic : {1u, 3u, 4u, 8u}) {  // the paper's topics 2, 4, 5 and 9 of Enron, counted from 1
    if (topic >= e.topics()) continue;
    std::vector<plot_line> lines{{"without noise", {}, {}}, {"with noise", {}, {}}};
    const auto words = top_words(e.truth, topic, 10);
    for (std::size_t rank = 0; rank < words.size(); ++rank) {
      const double noisy =
          released.phi()(static_cast<Eigen::Index>(topic), static_cast<Eigen::Index>(words[rank].word));
      const run_of run{.corpus = asked.with.text("corpus"),
                       .learner = topicdp_published,
                       .epsilon = 10,
                       .seed = 100,
                       .further = {std::to_string(topic + 1), std::to_string(rank + 1),
                                   std::string(e.truth.vocab()->word(words[rank].word))}};
      table.add(run, "probability", words[rank].probability);
      table.add(run, "released", noisy);
      for (const auto& [line, value] : {std::pair{0, words[rank].probability}, std::pair{1, noisy}}) {
        lines[static_cast<std::size_t>(line)].x.push_back(static_cast<double>(rank + 1));
        lines[static_cast<std::size_t>(line)].y.push_back(value);
      }
    }
    write_svg(asked.folder / ("figure12_13_topic_" + std::to_string(topic + 1) + ".svg"),
              {.title = "Figures 12 and 13: topic " + std::to_string(topic + 1) + ", epsilon = 10",
               .x_label = "keyword, by rank",
               .y_label = "probability"},
              lines);
  }
  table.write(asked.folder / "figure12_13.csv");
  table.show("Figures 12 and 13: probabilities of the ten first words of four topics, epsilon = 10, gamma = 0.1",
             {.rows = {"topic", "rank", "word"}, .columns = {"metric"}, .significant = 3});
}

/// Sensitivities of all engines, from public and from private data.
void sensitivities(const task& asked, const corpus& docs, std::size_t topics, std::size_t words, std::uint64_t pairs) {
  results table({"units_from"});
  const std::vector<engine> all = engines();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const bool from_private : {false, true}) {
      if (from_private && i > 0) continue;
      const double before = cpu_seconds();
      const experiment e = prepare(docs, all[i], topics, words, pairs, from_private);
      const auto& d = e.sensitivity.distances;
      const run_of run{.corpus = asked.with.text("corpus"),
                       .learner = all[i].name,
                       .further = {from_private ? "private half" : "public half"}};
      table.add(run, "median", d[d.size() / 2]);
      table.add(run, "sensitivity_0.1", e.sensitivity_at(0.1));
      table.add(run, "largest", d.back());
      table.add(run, "seconds_a_pair", (cpu_seconds() - before) / static_cast<double>(pairs));
    }
  }
  table.write(asked.folder / "sensitivity.csv");
  table.show("Distances of topics, one user exchanged, " + std::to_string(topics) + " x " + std::to_string(words) +
                 ", " + std::to_string(pairs) + " pairs; the bound is " +
                 digits(std::sqrt(2.0 * static_cast<double>(topics)), 3),
             {.rows = {"learner", "units_from"}, .columns = {"metric"}, .significant = 3});
}

/// Both ways of making noisy rows distributions.
void repairs(const task& asked, const experiment& e, std::size_t repeats) {
  results table;
  for (const double epsilon : {0.1, 1.0, 3.0, 10.0}) {
    for (const auto& [repair, name] :
         {std::pair{row_repair::projection, "projection"}, std::pair{row_repair::clamp, "clamp_and_divide"}}) {
      add_outcome(table, {.corpus = asked.with.text("corpus"), .learner = name, .epsilon = epsilon}, e.held_out,
                  sampled_method(name, output_noise::gaussian, repair).run(e, epsilon, 0.1, repeats));
    }
  }
  table.write(asked.folder / "repair.csv");
  table.show("Noisy rows as distributions, sampled sensitivity, analytic noise",
             {.rows = {"epsilon", "learner"}, .columns = {"metric"}, .significant = 3});
}

void run(const task& asked) {
  const bool quick = asked.with.on("quick");
  const corpus docs = with_public_words(read_named(asked.data, asked.with.text("corpus")));
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
  figure2(asked);
  sample_sizes(asked, size.pairs);
  sensitivities(asked, docs, 10, 50, size.pairs);
  const std::vector<engine> all = engines();
  std::vector<experiment> grid;
  for (const auto& [topics, words] : size.matrices) grid.push_back(prepare(docs, all[0], topics, words, size.pairs));
  const auto standard = std::find_if(grid.begin(), grid.end(), [](const experiment& e) { return e.words() == 50; });
  repairs(asked, *standard, size.repeats);
  const experiment by_lsi = prepare(docs, all[1], 10, 50, size.pairs),
                   by_hdp = prepare(docs, all[2], 10, 50, size.pairs);

  const auto against_epsilon = [&](const experiment& e) {
    std::vector<point> points;
    for (const double epsilon : size.epsilons) points.push_back({&e, epsilon, 0.1});
    return points;
  };
  const auto against_gamma = [&](const experiment& e) {
    std::vector<point> points;
    for (const double gamma : gammas) points.push_back({&e, 3, gamma});
    return points;
  };
  const auto against_size = [&](double epsilon) {
    std::vector<point> points;
    for (const experiment& e : grid) points.push_back({&e, epsilon, 0.1});
    return points;
  };
  const std::size_t last = gammas.size() - 1, large = static_cast<std::size_t>(standard - grid.begin());
  figure(asked, "figure3_7a", "Figures 3 and 7a: svi, 10 x 50, gamma = 0.1", "epsilon",
         {{"", against_epsilon(*standard)}}, size.repeats);
  figure(asked, "figure4_7b",
         "Figures 4 and 7b: svi, 10 x 50, epsilon = 3; the paper's of 10 x 10, gamma = 0.02 and 0.22", "gamma",
         {{"", against_gamma(*standard)}}, size.repeats,
         {{0, topicdp_published, 8.4426, 0},
          {last, topicdp_published, 0.1389, 0},
          {0, mvg_sampled, 6475.0496, 0},
          {last, mvg_sampled, 4.8034, 0}});
  figure(asked, "figure5_7c",
         "Figures 5 and 7c: svi, epsilon = 3, gamma = 0.1; the paper's of 2 x 2 and 10 x 10 entries", "entries",
         {{"", against_size(3)}}, size.repeats,
         {{0, topicdp_published, 0.0179, 0.0122},
          {large, topicdp_published, 0.8954, 0.2838},
          {0, mvg_sampled, 0.0794, 0.0562},
          {large, mvg_sampled, 77.1487, 24.3965}});
  figure(asked, "figure6_7d", "Figures 6 and 7d: svi, epsilon = 5, gamma = 0.1", "entries", {{"", against_size(5)}},
         size.repeats);
  const auto of_both = [&](const auto& against) {
    return std::vector<engine_points>{{"lsi ", against(by_lsi)}, {"hdp ", against(by_hdp)}};
  };
  figure(asked, "figure9a_10a", "Figures 9a and 10a: LSI and HDP, 10 x 50, gamma = 0.1", "epsilon",
         of_both(against_epsilon), size.repeats);
  figure(asked, "figure9b_10b", "Figures 9b and 10b: LSI and HDP, 10 x 50, epsilon = 3", "gamma",
         of_both(against_gamma), size.repeats);
  keywords(asked, *standard);
}

}  // namespace

int main(int argc, char** argv) { return run_task(argc, argv, settings{{"corpus", "airtweets"}, {"quick", "0"}}, run); }
