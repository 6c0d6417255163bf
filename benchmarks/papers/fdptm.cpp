// SPDX-License-Identifier: Apache-2.0
// Figures 3, 4 and 8 of Manzonelli et al. 2024 (fully private topic models), as in the paper (words by Carvalho et al.,
// topics by Zhu et al., both as published) and with proven learners, and the best division of a budget between words and
// topics; fdptm.sh starts it. Figure 5 is in lira.sh.
//   fdptm DATA FOLDER [seeds 10]        reads tweetrumors and airtweets of DATA
// Scores of topics are over the released words; `whole_token` is token perplexity over all words.

#include <dplda/dplda.hpp>
#include <dplda/published/zhu_lda.hpp>

#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda_benchmarks;

constexpr double delta = 1e-5;
const std::vector<double> epsilons{1, 3, 5, 10};

struct tweets {
  std::string name;
  dplda::train_test docs;
};

/// Which systems choose words and learn topics.
enum class pipeline { proven, as_published };

// The paper's words: Carvalho et al., alpha = 3.
dplda::vocabulary_options words_of(pipeline kind) {
  if (kind == pipeline::proven) return {};
  return {.method = dplda::vocabulary_method::frequency_first, .cap_margin = 3, .basis = dplda::basis::as_published};
}

// Words at `first`, topics of them at `second` (0: without privacy), each with its delta: the paper's setting. The epsilon
// of the results is the price of both at 2 delta; as published, the sum that the paper claims.
void add_two_stages(results& table, const tweets& data, const std::string& learner, pipeline kind, double first,
                    double second, std::uint64_t seeds) {
  const dplda::vocabulary_selector selector(words_of(kind), {.epsilon = first, .delta = delta});
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto random = dplda::seeded_random(seed);
    const auto words = selector.fit(data.docs.train, random);
    const dplda::corpus kept = data.docs.train.restrict_to(as_if_public(*words.value()));
    dplda::ledger both = words.ledger();
    const auto topics = [&] {
      if (second == 0) return dplda::gibbs({.topics = 5}).fit(kept, random);
      if (kind == pipeline::as_published) {
        return dplda::published::zhu_lda({.topics = 5, .tau = 0.2, .beta = 0.2, .epsilon = second})
            .fit(kept, random)
            .value();
      }
      const dplda::private_svi svi(
          {.topics = 5, .units = data.docs.train.size(), .words = kept.words(), .background_share = 0.1},
          {.epsilon = second, .delta = delta});
      both.append(svi.plan().ledger);
      return svi.fit(kept, random).value();
    }();
    const double epsilon = second == 0                      ? none
                           : kind == pipeline::as_published ? first + second
                                                            : price(both, 2 * delta).epsilon;
    const run_of run{.corpus = data.name,
                     .learner = learner,
                     .epsilon = epsilon,
                     .seed = seed,
                     .further = {digits(first), second == 0 ? "" : digits(second)}};
    table.add(run, "words", static_cast<double>(kept.words()));
    table.add(run, "umass", dplda::umass_coherence(topics, kept).mean);
    if (second != 0) table.add(run, "both_together", run.epsilon);
    const dplda::corpus scored = data.docs.test.restrict_to(topics.vocab());
    add_scores(table, run, score(topics, scored, random, {.alpha = 0, .reference = &kept}));
  }
}

const std::pair<pipeline, std::string> pipelines[] = {{pipeline::proven, "proven"},
                                                      {pipeline::as_published, "as published"}};

void figure_3(const task& asked, const tweets& data) {
  results table({"epsilon_1", "epsilon_2"});
  for (const auto& [kind, name] : pipelines) {
    for (const double epsilon : epsilons)
      add_two_stages(table, data, "private words " + name, kind, epsilon, 0, asked.with.count("seeds"));
  }
  for (std::uint64_t seed = 0; seed < asked.with.count("seeds"); ++seed) {
    auto random = dplda::seeded_random(seed);
    const auto topics = dplda::gibbs({.topics = 5}).fit(data.docs.train, random);
    const run_of run{.corpus = data.name, .learner = "all words", .seed = seed, .further = {"", ""}};
    table.add(run, "words", static_cast<double>(data.docs.train.words()));
    table.add(run, "umass", dplda::umass_coherence(topics, data.docs.train).mean);
    add_scores(table, run, score(topics, data.docs.test, random, {.alpha = 0, .reference = &data.docs.train}));
  }
  table.add({.corpus = data.name, .learner = "all words as printed", .further = {"", ""}}, "umass", -1117);
  table.write(asked.folder / "fdptm_figure_3.csv");
  table.show(
      "Figure 3: topics of privately selected words, learned without noise. umass is the paper's equation 4; the "
      "paper prints one number, that of all words.",
      {.rows = {"learner", "epsilon_1"}, .columns = {"metric"}});
  auto lines = table.lines("epsilon_1", "learner", {{"metric", "umass"}});
  write_svg(asked.folder / "fdptm_figure_8.svg",
            {.title = data.name + ": released words", .x_label = "epsilon 1", .y_label = "words"},
            table.lines("epsilon_1", "learner", {{"metric", "words"}}));
  const double all = table.of({{"metric", "umass"}, {"learner", "all words"}}).mean();
  lines.push_back({"all words", {1, 10}, {all, all}, true});
  write_svg(asked.folder / "fdptm_figure_3.svg",
            {.title = data.name + ", 5 topics: private words", .x_label = "epsilon 1", .y_label = "UMass coherence"},
            lines);
}

void figure_4(const task& asked, const tweets& data) {
  results table({"epsilon_1", "epsilon_2"});
  std::vector<plot_line> lines;
  for (const auto& [kind, name] : pipelines) {
    const std::string words = "epsilon_2 is 3 " + name, topics = "epsilon_1 is 3 " + name;
    for (const double epsilon : epsilons)
      add_two_stages(table, data, words, kind, epsilon, 3, asked.with.count("seeds"));
    for (const double epsilon : epsilons)
      add_two_stages(table, data, topics, kind, 3, epsilon, asked.with.count("seeds"));
    for (const auto& line : table.lines("epsilon_1", "learner", {{"metric", "umass"}, {"learner", words}}))
      lines.push_back(line);
    for (const auto& line : table.lines("epsilon_2", "learner", {{"metric", "umass"}, {"learner", topics}}))
      lines.push_back(line);
  }
  table.write(asked.folder / "fdptm_figure_4.csv");
  table.show(
      "Figure 4: private topics of private words; both_together is epsilon at delta = 2e-5. As published, it is the "
      "paper's sum, and nothing is proven: the topics of Zhu et al. have no finite epsilon.",
      {.rows = {"learner", "epsilon_1", "epsilon_2"}, .columns = {"metric"}});
  write_svg(asked.folder / "fdptm_figure_4.svg",
            {.title = data.name + ", 5 topics: private words and topics",
             .x_label = "epsilon that varies",
             .y_label = "UMass coherence"},
            lines);
}

/// Perplexity over all words of the corpus: all words that were not released share their mass in held-out text equally.
/// `inside` is the perplexity of the released words.
double whole_perplexity(double inside, const dplda::corpus& kept, const dplda::corpus& test) {
  const auto all = static_cast<double>(test.tokens()), known = static_cast<double>(kept.tokens());
  const double missing = (all - known + 0.5) / (all + 1);
  const double others = static_cast<double>(test.words() - kept.words()) + 1;
  return std::exp((1 - missing) * (std::log(inside) - std::log(1 - missing)) + missing * std::log(others / missing));
}

void division(const task& asked, const std::string& corpus) {
  const std::string name = name_at_hand(asked.data, corpus);
  const dplda::corpus docs = read_named(asked.data, name);
  const auto unit = docs.has_users() ? dplda::privacy_unit::user : dplda::privacy_unit::document;
  auto bits = dplda::seeded_random(3).stream("held out");
  const auto [train, test] = dplda::train_test_split(docs, bits, {.share = 0.1});
  const std::size_t units = dplda::privacy_units(train, unit).size();
  results table({"topics", "share"});
  for (const std::size_t topics : {5u, 20u}) {
    for (const double epsilon : {1.0, 3.0, 10.0}) {
      for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
        const dplda::fully_private_topics<> learner({.vocabulary = {.unit = unit},
                                                     .topics = {.topics = topics, .units = units, .unit = unit},
                                                     .vocabulary_share = share},
                                                    {.epsilon = epsilon, .delta = delta});
        for (std::uint64_t seed = 0; seed < asked.with.count("seeds"); ++seed) {
          auto random = dplda::seeded_random(seed);
          const auto model = learner.fit(train, random).value();
          const dplda::corpus kept = test.restrict_to(model.vocab()), learned = train.restrict_to(model.vocab());
          const run_of run{name, "fully_private_topics", epsilon, seed, {std::to_string(topics), digits(share)}};
          const scores found = score(model, kept, random, {.alpha = 0, .reference = &learned});
          table.add(run, "words", static_cast<double>(model.words()));
          table.add(run, "whole_token", whole_perplexity(found.token, kept, test));
          add_scores(table, run, found);
        }
      }
    }
  }
  table.write(asked.folder / ("fdptm_division_" + name + ".csv"));
  table.show("How to divide a budget, " + name + ": share is that of the words.",
             {.rows = {"topics", "epsilon", "share"}, .columns = {"metric"}});
  std::vector<plot_line> lines;
  for (const std::string topics : {"5", "20"}) {
    for (plot_line line : table.lines("share", "epsilon", {{"metric", "whole_token"}, {"topics", topics}})) {
      line.name = topics + " topics, epsilon " + line.name;
      lines.push_back(line);
    }
  }
  write_svg(asked.folder / ("fdptm_division_" + name + ".svg"),
            {.title = name + ": perplexity over all words",
             .x_label = "share of the budget for words",
             .y_label = "perplexity",
             .y_scale = axis_scale::logarithmic},
            lines);
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(argc, argv, settings{{"seeds", "10"}}, [](const task& asked) {
    const std::string name = name_at_hand(asked.data, "tweetrumors");
    auto bits = dplda::seeded_random(3).stream("held out");
    const tweets data{name, train_test_split(read_named(asked.data, name), bits, {.share = 0.1})};
    figure_3(asked, data);
    figure_4(asked, data);
    division(asked, "tweetrumors");
    division(asked, "airtweets");
  });
}
