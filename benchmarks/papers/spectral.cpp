// SPDX-License-Identifier: Apache-2.0
// Figures 2 to 4 of DeCarolis et al. (An end-to-end differentially private LDA using a spectral algorithm, 2020), with the
// proven modes beside the paper's configurations; spectral.sh starts it.
//   spectral DATA FOLDER [SETTING VALUE]...
// The setting `do` says what:
//   figure2    50 words, 5 topics, `corpora` corpora: error of the topics against epsilon, and scores
//   figure3    8000 words of imdb: scores against epsilon, time and memory
//   figure4    sigma_k and gamma_s against the number of topics, on nips
//   large      time and memory of a private fit with `words` words
// Tables are printed; results go to FOLDER in long form (CSV), with plots in SVG.
// recovery_l1 is the l1 distance of a topic from its matched true topic, the mean over topics. The paper reports
// sums over topics, and its documents have 100,000 tokens and more; here they have 100 (in one corpus of Figure 2: 50).

#include <dplda/dplda.hpp>
#include <dplda/published/decarolis_spectral.hpp>
#include <dplda/published/park_svi.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/learners.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

struct setting {
  std::size_t topics;
  double alpha0;
  budget total;
  std::uint64_t seed = 0;
  std::size_t fit_iterations = private_spectral_options{}.fit_iterations;  // of private_spectral's final fit, at most
};

/// A named learner: topics from documents, or nothing if it refuses to release.
struct learner {
  std::string name;
  std::function<std::optional<topic_model<>>(const corpus&, const setting&)> fit;
};

std::optional<topic_model<>> clipped(const corpus& docs, const setting& s, neighbours relation,
                                     moment_clipping clipping) {
  random_source random = seeded_random(s.seed);
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
topic_model<> started(const corpus& docs, const setting& s) {
  random_source random = seeded_random(s.seed);
  const private_spectral first({.topics = s.topics, .units = docs.size(), .words = docs.words(), .alpha0 = s.alpha0},
                               {.epsilon = s.total.epsilon / 2, .delta = s.total.delta});
  const auto start = first.fit(docs, random);
  return variational(docs, s, first.plan().ledger).fit(start, docs, random).value();
}

std::vector<learner> learners() {
  std::vector<learner> all;
  all.push_back({"spectral", [](const corpus& docs, const setting& s) {
                   random_source random = seeded_random(s.seed);
                   return std::optional(spectral<>({.topics = s.topics, .alpha0 = s.alpha0}).fit(docs, random));
                 }});
  const auto private_form = [&](const std::string& name, neighbours relation, moment_clipping clipping,
                                bool final_fit) {
    all.push_back({name, [=](const corpus& docs, setting s) {
                     if (!final_fit) s.fit_iterations = 0;
                     return clipped(docs, s, relation, clipping);
                   }});
  };
  private_form("private_spectral", neighbours::add_remove, moment_clipping::chosen, true);
  private_form("private_spectral_replace", neighbours::replace, moment_clipping::chosen, true);
  private_form("private_spectral_replace_no_final_fit", neighbours::replace, moment_clipping::chosen, false);
  private_form("unclipped_configuration_1", neighbours::add_remove, moment_clipping::none, true);
  private_form("unclipped_configuration_1_replace", neighbours::replace, moment_clipping::none, true);
  const auto published_form = [&](const std::string& name, const auto& make) {
    all.push_back({name, [=](const corpus& docs, const setting& s) {
                     return make(s)({docs, privacy_unit::document, s.topics}, s.total, s.seed);
                   }});
  };
  for (const unsigned configuration : {1u, 2u, 3u, 4u}) {
    published_form("configuration_" + std::to_string(configuration) + "_as_published",
                   [configuration](const setting& s) { return decarolis_fit(configuration, s.alpha0); });
  }
  all.push_back({"private_svi", [](const corpus& docs, const setting& s) {
                   random_source random = seeded_random(s.seed);
                   return std::optional(variational(docs, s, {}).fit(docs, random).value());
                 }});
  published_form("park_svi_as_published", [](const setting&) { return frontier_fit(park_fit); });
  return all;
}

/// Corpora of Figure 2.
struct figure2_corpora {
  std::size_t documents;
  double alpha0;
  std::uint64_t most;  // corpora: the larger ones vary less, and take longer
  std::vector<double> epsilons{0.1, 0.5, 1, 2};
  bool uneven = false;  // 50 tokens a document, and alpha_i in the ratios 1 : 2 : 3 : 4 : 5
};

synthetic_data drawn(const figure2_corpora& c, std::uint64_t seed, std::size_t documents) {
  const random_source random = seeded_random(1000 + seed);
  const auto with = [&](std::size_t count) {
    return synthetic_lda({.documents = count,
                          .words = 50,
                          .topics = 5,
                          .alpha = c.alpha0 / 5,
                          .topic_concentration = 0.1,
                          .zipf_exponent = 0,
                          .mean_length = 100},
                         random);
  };
  if (!c.uneven) return with(documents);
  synthetic_data data = with(0);
  std::vector<double> alpha, theta(5);
  for (int i = 1; i <= 5; ++i) alpha.push_back(c.alpha0 * i / 15);
  corpus_builder builder;
  for (std::size_t d = 0; d < documents; ++d) {
    auto bits = random.stream("uneven document", d);
    dirichlet(bits, alpha, theta);
    const Eigen::VectorXd mixed = data.model.phi().transpose() * Eigen::Map<const Eigen::VectorXd>(theta.data(), 5);
    const detail::discrete_sampler words(std::span(mixed.data(), 50));
    for (int token = 0; token < 50; ++token) builder.add(static_cast<word_id>(words(bits)));
    builder.end_document();
  }
  data.docs = declare_unpruned(builder.build(data.model.vocab()));
  return data;
}

void figure2(const task& asked) {
  const std::uint64_t corpora = asked.with.count("corpora");
  std::vector<figure2_corpora> cases{
      {10'000, 1, corpora}, {10'000, 0.1, corpora}, {10'000, 5, corpora}, {100'000, 1, 2}};
  if (corpora > 1) {
    cases.push_back({100'000, 0.1, 2});
    cases.push_back({100'000, 5, 2});
    cases.push_back({.documents = 500'000, .alpha0 = 1, .most = 1, .epsilons = {1}, .uneven = true});
    cases.push_back({500'000, 1, 1});
  }
  std::vector<learner> all = learners();
  all.push_back({"private_svi_from_private_spectral", started});
  results table({"documents", "alpha0", "tokens"});
  for (const figure2_corpora& c : cases) {
    const std::uint64_t count = std::min(c.most, corpora);
    const std::string documents = std::to_string(c.documents), alpha0 = digits(c.alpha0),
                      tokens = c.uneven ? "50" : "100";
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
      // A larger corpus begins with the same documents; the ones after them are held out.
      const synthetic_data data = drawn(c, seed, c.documents + 500);
      std::vector<std::size_t> first(c.documents), last(500);
      std::iota(first.begin(), first.end(), std::size_t{0});
      std::iota(last.begin(), last.end(), c.documents);
      const corpus train = data.docs.select(first), test = data.docs.select(last);
      for (const learner& each : all) {
        for (const double epsilon : c.epsilons) {
          const auto model = each.fit(train, {5, c.alpha0, {.epsilon = epsilon, .delta = 1e-5}, seed});
          random_source random = seeded_random(seed);
          const scores found = model ? score(smoothed(*model), test, random, {.reference = &train}) : scores{};
          const run_of run{"synthetic", each.name, epsilon, seed, {documents, alpha0, tokens}};
          add_scores(table, run, found);
          table.add(run, "recovery_l1", model ? recovery_l1(*model, data.model) : none);
        }
      }
    }
    const column_values here{{"documents", documents}, {"alpha0", alpha0}, {"tokens", tokens}};
    const std::string title = "Figure 2: " + documents + " documents of " + tokens + " tokens, alpha0 = " + alpha0 +
                              (c.uneven ? " in the ratios 1 : 2 : 3 : 4 : 5" : "") +
                              ", delta = 1e-5, corpora: " + std::to_string(count);
    for (const std::string metric : {"recovery_l1", "type", "control_type"}) {
      column_values where = here;
      where.emplace_back("metric", metric);
      table.show(title + ", " + metric,
                 {.rows = {"learner"}, .columns = {"epsilon"}, .where = where, .significant = 3});
      if (metric != "recovery_l1" || c.epsilons.size() == 1) continue;  // a point is no line
      std::vector<plot_line> lines = table.lines("epsilon", "learner", where);
      for (plot_line& line : lines) line.dashed = line.name.ends_with("published");
      write_svg(asked.folder / ("figure2_" + documents + "_" + alpha0 + ".svg"),
                {.title = title,
                 .x_label = "epsilon",
                 .y_label = "l1 distance of a topic",
                 .x_scale = axis_scale::logarithmic,
                 .y_scale = axis_scale::logarithmic},
                lines);
    }
    table.write(asked.folder / "figure2.csv");
  }
}

void figure3(const task& asked) {
  const corpus all = with_public_words(read_named(asked.data, "imdb"));
  const std::size_t topics = 10;
  auto bits = seeded_random(1).stream("held out");
  const corpus some = random_sample(most_frequent_words(all, 8000), std::min<std::size_t>(51'000, all.size()), bits);
  const auto [train, test] = train_test_split(some, bits, {.share = 0.1, .most = 1000, .min_tokens = 10});
  results table;
  add_unigram(table, {.corpus = "imdb", .learner = "", .seed = 2}, train, test);
  for (const learner& each : learners()) {
    for (const double epsilon : {0.5, 2.0, 8.0}) {
      const double before = wall_seconds();
      const auto model = each.fit(train, {topics, 0.01, {.epsilon = epsilon, .delta = 1e-4}, 2, 100});
      const run_of run{.corpus = "imdb", .learner = each.name, .epsilon = epsilon, .seed = 2};
      table.add(run, "seconds", wall_seconds() - before);
      random_source random = seeded_random(2);
      add_scores(table, run, model ? score(smoothed(*model), test, random, {.reference = &train}) : scores{});
    }
  }
  table.add({.corpus = "imdb", .learner = "all", .seed = 2}, "peak_megabytes", peak_megabytes());
  table.write(asked.folder / "figure3.csv");
  const std::string title = "Figure 3: " + std::to_string(train.words()) + " words, " + std::to_string(train.size()) +
                            " documents, 10 topics, alpha0 = 0.01, delta = 1e-4, a tenth uniform";
  for (const std::string metric : {"token", "type", "control_type", "seconds"}) {
    table.show(title + ", " + metric, {.rows = {"learner"}, .columns = {"epsilon"}, .where = {{"metric", metric}}});
  }
  write_svg(asked.folder / "figure3.svg",
            {.title = title, .x_label = "epsilon", .y_label = "token perplexity", .x_scale = axis_scale::logarithmic},
            table.lines("epsilon", "learner", {{"metric", "token"}}));
}

void figure4(const task& asked) {
  const std::string name = name_at_hand(asked.data, "nips");
  const corpus docs = with_public_words(read_named(asked.data, name));
  results table({"topics"});
  for (const std::size_t topics : {5u, 10u, 20u, 30u, 50u}) {
    random_source random = seeded_random(1);
    const auto state = spectral<>({.topics = topics, .alpha0 = 1}).fit_state(docs, random);
    const auto result =
        published::decarolis_spectral({.configuration = 4, .topics = topics, .documents = docs.size(), .alpha0 = 1},
                                      {.epsilon = 1, .delta = 1e-5})
            .fit(docs, random);
    const run_of plain{.corpus = name, .learner = "spectral", .seed = 1, .further = {std::to_string(topics)}};
    const run_of bound{name, "private lower bound", 1, 1, {std::to_string(topics)}};
    table.add(plain, "sigma_k", state.second().values[state.second().values.size() - 1]);
    table.add(plain, "gamma_s", published::eigenvalue_gap(state.decomposition().values));
    table.add(bound, "sigma_k", result.sigma_k);
    table.add(bound, "gamma_s", result.sigma_k > 0 ? result.gap : none);
  }
  const std::string title =
      "Figure 4: " + std::to_string(docs.words()) + " words, " + std::to_string(docs.size()) + " documents, alpha0 = 1";
  table.write(asked.folder / "figure4.csv");
  table.show(title, {.rows = {"topics"}, .columns = {"metric", "learner"}});
  write_svg(asked.folder / "figure4.svg",
            {.title = title, .x_label = "number of topics", .y_label = "", .y_scale = axis_scale::logarithmic},
            table.lines("topics", "metric", {{"learner", "spectral"}}));
}

void large(const task& asked) {
  const std::size_t words = asked.with.count("words");
  const synthetic_data data =
      synthetic_lda({.documents = 20'000, .words = words, .topics = 10, .mean_length = 100}, seeded_random(1));
  const double data_memory = peak_megabytes(), before = wall_seconds();
  random_source random = seeded_random(2);
  private_spectral({.topics = 10, .units = 20'000, .words = words, .fit_iterations = 10}, {.epsilon = 1, .delta = 1e-5})
      .fit(data.docs, random);
  results table({"words"});
  const run_of run{"synthetic", "private_spectral", 1, 2, {std::to_string(words)}};
  table.add(run, "seconds", wall_seconds() - before);
  table.add(run, "peak_megabytes", peak_megabytes());
  table.add(run, "megabytes_before", data_memory);
  table.write(asked.folder / ("large_" + std::to_string(words) + ".csv"));
  table.show("A private fit, 20,000 documents, 10 topics", {.rows = {"words"}, .columns = {"metric"}});
}

}  // namespace

int main(int argc, char** argv) {
  const settings defaults{{"do", "figure2"}, {"corpora", "5"}, {"words", "8000"}};
  return run_task(argc, argv, defaults, [](const task& asked) {
    const std::map<std::string, void (*)(const task&)> all{
        {"figure2", figure2}, {"figure3", figure3}, {"figure4", figure4}, {"large", large}};
    all.at(asked.with.text("do"))(asked);
  });
}
