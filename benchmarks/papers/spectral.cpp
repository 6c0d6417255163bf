// SPDX-License-Identifier: Apache-2.0
// Figures 2 to 4 of DeCarolis et al. (An end-to-end differentially private LDA using a spectral algorithm, 2020), with the
// proven modes beside the paper's configurations; spectral.sh starts it.
//   spectral figure2 FOLDER CORPORA                      50 words, 5 topics: error of the topics against epsilon
//   spectral figure3 FOLDER DOCWORD VOCAB                8000 words: held-out perplexity against epsilon, time and memory
//   spectral figure4 FOLDER DOCWORD VOCAB                sigma_k and gamma_s against the number of topics
//   spectral large FOLDER WORDS                          time and memory of a private fit with so many words
// Tables are printed and written to FOLDER as CSV, with plots in SVG.
// Errors are l1 distances of a topic from the true one that stands for it, the mean over topics. The paper reports sums
// over topics, and its documents have 100,000 tokens and more; here they have 100 (in one corpus of Figure 2: 50).

#include <dplda/dplda.hpp>
#include <dplda/published/decarolis_spectral.hpp>
#include <dplda/published/park_svi.hpp>

#include <sys/resource.h>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct setting {
  std::size_t topics;
  double alpha0;
  budget total;
  std::size_t fit_iterations = private_spectral_options{}.fit_iterations;  // of private_spectral's final fit, at most
};

/// A learner by name: topics from documents, or nothing where it refuses to release.
struct learner {
  std::string name;
  std::function<std::optional<topic_model<>>(const corpus&, const setting&, random_source&)> fit;
};

std::optional<topic_model<>> clipped(const corpus& docs, const setting& s, random_source& random, neighbours relation,
                                     moment_clipping clipping) {
  return private_spectral({.topics = s.topics,
                           .units = docs.size(),
                           .words = docs.words(),
                           .relation = relation,
                           .alpha0 = s.alpha0,
                           .clipping = clipping,
                           .fit_iterations = s.fit_iterations},
                          s.total)
      .fit(docs, random)
      .value();
}

// Words repeat in these documents as LDA says, so repetitions count in full.
private_svi variational(const corpus& docs, const setting& s, const ledger& before) {
  return private_svi({.topics = s.topics,
                      .units = docs.size(),
                      .words = docs.words(),
                      .repetition = 1,
                      .alpha = s.alpha0 / static_cast<double>(s.topics),
                      .before = before},
                     s.total);
}

// Half of epsilon for the start is about 28 % of the budget, as a share of 1/z^2.
topic_model<> started(const corpus& docs, const setting& s, random_source& random) {
  const private_spectral first({.topics = s.topics, .units = docs.size(), .words = docs.words(), .alpha0 = s.alpha0},
                               {.epsilon = s.total.epsilon / 2, .delta = s.total.delta});
  const auto start = first.fit(docs, random);
  return variational(docs, s, first.plan().ledger).fit(start, docs, random).value();
}

std::vector<learner> learners() {
  std::vector<learner> all;
  all.push_back({"not private", [](const corpus& docs, const setting& s, random_source& random) {
                   return std::optional(spectral<>({.topics = s.topics, .alpha0 = s.alpha0}).fit(docs, random));
                 }});
  all.push_back({"private_spectral", [](const corpus& docs, const setting& s, random_source& random) {
                   return clipped(docs, s, random, neighbours::add_remove, moment_clipping::chosen);
                 }});
  all.push_back({"private_spectral, replace", [](const corpus& docs, const setting& s, random_source& random) {
                   return clipped(docs, s, random, neighbours::replace, moment_clipping::chosen);
                 }});
  all.push_back({"the same without the final fit", [](const corpus& docs, setting s, random_source& random) {
                   s.fit_iterations = 0;
                   return clipped(docs, s, random, neighbours::replace, moment_clipping::chosen);
                 }});
  all.push_back(
      {"unclipped (configuration 1, proven)", [](const corpus& docs, const setting& s, random_source& random) {
         return clipped(docs, s, random, neighbours::add_remove, moment_clipping::none);
       }});
  all.push_back(
      {"unclipped (configuration 1, proven), replace", [](const corpus& docs, const setting& s, random_source& random) {
         return clipped(docs, s, random, neighbours::replace, moment_clipping::none);
       }});
  for (const unsigned configuration : {1u, 2u, 3u, 4u}) {
    all.push_back({"configuration " + std::to_string(configuration) + ", as published",
                   [configuration](const corpus& docs, const setting& s, random_source& random) {
                     const auto result = published::decarolis_spectral({.configuration = configuration,
                                                                        .topics = s.topics,
                                                                        .documents = docs.size(),
                                                                        .alpha0 = s.alpha0,
                                                                        .eigen_tolerance = 1e-4,
                                                                        .eigen_iterations = 60},
                                                                       s.total)
                                             .fit(docs, random);
                     return result.topics ? std::optional(result.topics->value()) : std::nullopt;
                   }});
  }
  all.push_back({"private_svi, repetition 1", [](const corpus& docs, const setting& s, random_source& random) {
                   return std::optional(variational(docs, s, {}).fit(docs, random).value());
                 }});
  all.push_back(
      {"variational, Park et al., as published", [](const corpus& docs, const setting& s, random_source& random) {
         const std::size_t batch = std::min<std::size_t>(400, docs.size());
         return std::optional(published::park_svi({.topics = s.topics,
                                                   .documents = docs.size(),
                                                   .batch = batch,
                                                   .steps = std::max<std::size_t>(1, docs.size() / batch)},
                                                  s.total)
                                  .fit(docs, random)
                                  .value());
       }});
  return all;
}

double error(const topic_model<>& model, const topic_model<>& truth) {
  const auto aligned = select_topics(model, align_topics(model, truth));
  double sum = 0;
  for (const double l1 : distance_per_topic(aligned, truth, topic_distance::l1)) sum += l1;
  return sum / static_cast<double>(truth.topics());
}

/// The mean of those that are numbers, and how many were not.
std::string mean_of(const std::vector<double>& values, double& mean) {
  double sum = 0;
  std::size_t found = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++found;
  }
  mean = found > 0 ? sum / static_cast<double>(found) : nothing;
  const std::size_t refused = values.size() - found;
  if (found == 0) return "no release";
  return digits(mean, 3) + (refused > 0 ? " (" + std::to_string(refused) + " refused)" : "");
}

/// Corpora of Figure 2.
struct figure2_corpora {
  std::size_t documents;
  double alpha0;
  std::uint64_t most;  // corpora: the larger ones vary less, and take longer
  std::vector<double> epsilons{0.1, 0.5, 1, 2};
  bool uneven = false;  // 50 tokens a document, and alpha_i in the ratios 1 : 2 : 3 : 4 : 5
};

synthetic_data drawn(const figure2_corpora& c, std::uint64_t seed) {
  const random_source random = seeded_random(1000 + seed);
  const auto with = [&](std::size_t documents) {
    return synthetic_lda({.documents = documents,
                          .words = 50,
                          .topics = 5,
                          .alpha = c.alpha0 / 5,
                          .topic_concentration = 0.1,
                          .zipf_exponent = 0,
                          .mean_length = 100},
                         random);
  };
  if (!c.uneven) return with(c.documents);
  synthetic_data data = with(0);
  std::vector<double> alpha, theta(5);
  for (int i = 1; i <= 5; ++i) alpha.push_back(c.alpha0 * i / 15);
  corpus_builder builder;
  for (std::size_t d = 0; d < c.documents; ++d) {
    auto bits = random.stream("uneven document", d);
    dirichlet(bits, alpha, theta);
    const Eigen::VectorXd mixed = data.model.phi().transpose() * Eigen::Map<const Eigen::VectorXd>(theta.data(), 5);
    const detail::discrete_sampler words(std::span(mixed.data(), 50));
    for (int token = 0; token < 50; ++token) builder.add(static_cast<word_id>(words(bits)));
    builder.end_document();
  }
  data.docs = builder.build(data.model.vocab());
  return data;
}

void figure2(const std::filesystem::path& folder, std::uint64_t corpora) {
  std::vector<figure2_corpora> settings{
      {10'000, 1, corpora}, {10'000, 0.1, corpora}, {10'000, 5, corpora}, {100'000, 1, 2}};
  if (corpora > 1) {
    settings.push_back({100'000, 0.1, 2});
    settings.push_back({100'000, 5, 2});
    settings.push_back({.documents = 500'000, .alpha0 = 1, .most = 1, .epsilons = {1}, .uneven = true});
    settings.push_back({500'000, 1, 1});
  }
  std::vector<learner> all = learners();
  all.push_back({"private_svi from private_spectral", started});
  for (const figure2_corpora& c : settings) {
    const std::uint64_t count = std::min(c.most, corpora);
    rows table{{"learner"}};
    for (const double epsilon : c.epsilons) table[0].push_back("epsilon " + digits(epsilon));
    std::vector<plot_line> lines;
    std::vector<synthetic_data> data;
    for (std::uint64_t seed = 1; seed <= count; ++seed) data.push_back(drawn(c, seed));
    for (const learner& each : all) {
      plot_line line{.name = each.name, .x = c.epsilons, .y = {}, .dashed = each.name.ends_with("published")};
      table.push_back({each.name});
      for (const double epsilon : c.epsilons) {
        std::vector<double> errors;
        for (std::uint64_t seed = 1; seed <= count; ++seed) {
          random_source random = seeded_random(seed);
          const setting s{5, c.alpha0, {.epsilon = epsilon, .delta = 1e-5}};
          const auto model = each.fit(data[seed - 1].docs, s, random);
          errors.push_back(model ? error(*model, data[seed - 1].model) : nothing);
        }
        double mean = nothing;
        table.back().push_back(mean_of(errors, mean));
        line.y.push_back(mean);
      }
      lines.push_back(line);
    }
    const std::string name =
        "figure2_" + std::to_string(c.documents) + "_" + digits(c.alpha0) + (c.uneven ? "_uneven" : "");
    const std::string title = "Figure 2: " + std::to_string(c.documents) + " documents" +
                              (c.uneven ? " of 50 tokens, alpha 1 : 2 : 3 : 4 : 5" : "") +
                              ", alpha0 = " + digits(c.alpha0) + ", delta = 1e-5, " + std::to_string(count) +
                              (count == 1 ? " corpus" : " corpora") + ", l1 a topic";
    show(folder / (name + ".csv"), title, table);
    if (c.epsilons.size() == 1) continue;  // a point is no line
    dplda_benchmarks::write_svg(folder / (name + ".svg"),
                                {.title = title,
                                 .x_label = "epsilon",
                                 .y_label = "l1 distance of a topic",
                                 .x_scale = axis_scale::logarithmic,
                                 .y_scale = axis_scale::logarithmic},
                                lines);
  }
}

double peak_megabytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

void figure3(const std::filesystem::path& folder, const corpus& all) {
  const std::vector<double> epsilons{0.5, 2, 8};
  const std::size_t topics = 10;
  auto bits = seeded_random(1).stream("held out");
  const corpus some = random_sample(most_frequent_words(all, 8000), std::min<std::size_t>(51'000, all.size()), bits);
  const auto [train, test] = train_test_split(some, bits, {.share = 0.1, .most = 1000, .min_tokens = 10});
  const std::string title =
      "Figure 3: " + std::to_string(train.words()) + " words, " + std::to_string(train.size()) + " documents, " +
      std::to_string(topics) +
      " topics, alpha0 = 0.01, delta = 1e-4, at most 100 steps of the final fit, held-out perplexity, a "
      "tenth uniform; unigram " +
      digits(unigram_perplexity(train, test).perplexity);
  rows table{{"learner"}};
  for (const double epsilon : epsilons) table[0].push_back("epsilon " + digits(epsilon));
  table[0].push_back("seconds of a fit");
  std::vector<plot_line> lines;
  for (const learner& each : learners()) {
    plot_line line{.name = each.name, .x = epsilons, .y = {}, .dashed = each.name.ends_with("published")};
    table.push_back({each.name});
    double seconds = 0;
    for (const double epsilon : epsilons) {
      random_source random = seeded_random(2);
      const double before = wall_seconds();
      const auto model = each.fit(train, {topics, 0.01, {.epsilon = epsilon, .delta = 1e-4}, 100}, random);
      seconds = std::max(seconds, wall_seconds() - before);
      line.y.push_back(model ? document_completion_perplexity(smoothed(*model), test, {.alpha = 0.1}).perplexity
                             : nothing);
      table.back().push_back(model ? digits(line.y.back()) : "no release");
      std::fprintf(stderr, "%s, epsilon %g: %s, %.1f s, %.0f MB so far\n", each.name.c_str(), epsilon,
                   table.back().back().c_str(), seconds, peak_megabytes());
    }
    table.back().push_back(digits(seconds, 3));
    lines.push_back(line);
  }
  show(folder / "figure3.csv", title, table);
  std::printf("\nPeak memory of all of it: %.0f MB\n", peak_megabytes());
  dplda_benchmarks::write_svg(
      folder / "figure3.svg",
      {.title = title, .x_label = "epsilon", .y_label = "perplexity", .x_scale = axis_scale::logarithmic}, lines);
}

void figure4(const std::filesystem::path& folder, const corpus& docs) {
  rows table{
      {"topics", "sigma_k of M2", "private lower bound, epsilon 1", "gamma_s", "private lower bound, epsilon 1"}};
  plot_line sigma{.name = "sigma_k", .x = {}, .y = {}}, gap{.name = "gamma_s", .x = {}, .y = {}};
  for (const std::size_t topics : {5u, 10u, 20u, 30u, 50u}) {
    random_source random = seeded_random(1);
    const auto state = spectral<>({.topics = topics, .alpha0 = 1}).fit_state(docs, random);
    const auto result =
        published::decarolis_spectral({.configuration = 4, .topics = topics, .documents = docs.size(), .alpha0 = 1},
                                      {.epsilon = 1, .delta = 1e-5})
            .fit(docs, random);
    const double k = static_cast<double>(topics), smallest = state.second().values[state.second().values.size() - 1];
    const double distance = published::eigenvalue_gap(state.decomposition().values);
    table.push_back({std::to_string(topics), digits(smallest), digits(result.sigma_k), digits(distance),
                     result.sigma_k > 0 ? digits(result.gap) : "no release"});
    sigma.x.push_back(k);
    sigma.y.push_back(smallest);
    gap.x.push_back(k);
    gap.y.push_back(distance);
  }
  const std::string title =
      "Figure 4: " + std::to_string(docs.words()) + " words, " + std::to_string(docs.size()) + " documents, alpha0 = 1";
  show(folder / "figure4.csv", title, table);
  dplda_benchmarks::write_svg(
      folder / "figure4.svg",
      {.title = title, .x_label = "number of topics", .y_label = "", .y_scale = axis_scale::logarithmic}, {sigma, gap});
}

void large(const std::filesystem::path& folder, std::size_t words) {
  const synthetic_data data =
      synthetic_lda({.documents = 20'000, .words = words, .topics = 10, .mean_length = 100}, seeded_random(1));
  const double data_memory = peak_megabytes(), before = wall_seconds();
  random_source random = seeded_random(2);
  private_spectral({.topics = 10, .units = 20'000, .words = words, .fit_iterations = 10}, {.epsilon = 1, .delta = 1e-5})
      .fit(data.docs, random, [&](const progress& p) {
        std::fprintf(stderr, "step %zu of %zu: %.1f s\n", p.step, p.steps, wall_seconds() - before);
        return false;
      });
  show(folder / ("large_" + std::to_string(words) + ".csv"), "A private fit, 20,000 documents, 10 topics",
       {{"words", "seconds", "peak memory, MB", "before the fit, MB"},
        {std::to_string(words), digits(wall_seconds() - before, 3), digits(peak_megabytes()), digits(data_memory)}});
}

int run(const std::vector<std::string>& arguments) {
  const std::size_t count = arguments.size();
  if (count >= 2) std::filesystem::create_directories(arguments[1]);
  if (count == 3 && arguments[0] == "figure2") {
    figure2(arguments[1], std::stoull(arguments[2]));
  } else if (count == 4 && arguments[0] == "figure3") {
    figure3(arguments[1], with_public_words(read_uci(arguments[2], arguments[3])));
  } else if (count == 4 && arguments[0] == "figure4") {
    figure4(arguments[1], with_public_words(read_uci(arguments[2], arguments[3])));
  } else if (count == 3 && arguments[0] == "large") {
    large(arguments[1], std::stoull(arguments[2]));
  } else {
    std::fprintf(stderr, "spectral figure2 | figure3 | figure4 | large: see the head of spectral.cpp\n");
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 1;
  }
}
