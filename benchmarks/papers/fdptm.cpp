// SPDX-License-Identifier: Apache-2.0
// Figures 3 and 4 of Manzonelli et al. 2024 (fully private topic models) with learners that are proven, and how a budget
// is best divided: fdptm DATA FOLDER [SEEDS] reads docword.NAME.txt, vocab.NAME.txt and users.NAME.txt of tweetrumors and
// airtweets in DATA and writes tables and plots to FOLDER.

#include <dplda/dplda.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "../support/corpora.hpp"
#include "../support/svg_plot.hpp"
#include "../support/table.hpp"

namespace {

using namespace dplda_benchmarks;
namespace fs = std::filesystem;

constexpr double delta = 1e-5;
const std::vector<double> epsilons{1, 3, 5, 10};

struct mean_and_deviation {
  double sum = 0, squares = 0, count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  double deviation() const {
    return count < 2 ? 0 : std::sqrt(std::max(0.0, squares - sum * sum / count) / (count - 1));
  }
};

/// Words at epsilon_1, topics of them at epsilon_2 (0: without privacy), each with its delta: the paper's setting.
struct outcome {
  mean_and_deviation words, umass;
  double joint = 0;  ///< the price of both at 2 delta
};

outcome two_stages(const dplda::corpus& docs, double first, double second, std::uint64_t seeds) {
  const dplda::vocabulary_selector selector({}, {.epsilon = first, .delta = delta});
  outcome result;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto random = dplda::seeded_random(seed);
    const auto words = selector.fit(docs, random);
    const dplda::corpus kept = docs.restrict_to(words.value());
    const auto topics = [&] {
      if (second == 0) return dplda::gibbs({.topics = 5}).fit(kept, random);
      const dplda::private_svi learner(
          {.topics = 5, .units = docs.size(), .words = kept.words(), .background_share = 0.1},
          {.epsilon = second, .delta = delta});
      dplda::ledger both = words.ledger();
      both.append(learner.plan().ledger);
      result.joint = price(both, 2 * delta).epsilon;
      return learner.fit(with_public_words(kept), random).value();
    }();
    result.words.add(static_cast<double>(kept.words()));
    result.umass.add(dplda::umass_coherence(topics, kept).mean);
  }
  return result;
}

void figure_3(const dplda::corpus& docs, const fs::path& folder, std::uint64_t seeds) {
  rows table{{"epsilon_1", "words", "coherence", "deviation", "paper"}};
  plot_line line{.name = "topics without privacy", .x = epsilons, .y = {}};
  for (const double epsilon : epsilons) {
    const outcome found = two_stages(docs, epsilon, 0, seeds);
    line.y.push_back(found.umass.mean());
    table.push_back({digits(epsilon), whole(found.words.mean()), digits(found.umass.mean()),
                     digits(found.umass.deviation(), 2), ""});
  }
  mean_and_deviation plain;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto random = dplda::seeded_random(seed);
    plain.add(dplda::umass_coherence(dplda::gibbs({.topics = 5}).fit(docs, random), docs).mean);
  }
  table.push_back({"all words", whole(static_cast<double>(docs.words())), digits(plain.mean()),
                   digits(plain.deviation(), 2), "-1117"});
  show(folder / "fdptm_figure_3.csv",
       "Figure 3. UMass coherence (eq. 4) of topics of privately selected words. The paper prints one number, that of "
       "all words; Figure 4 has none.",
       table);
  write_svg(folder / "fdptm_figure_3.svg",
            {.title = "tweetrumors, 5 topics: private words", .x_label = "epsilon 1", .y_label = "UMass coherence"},
            {line, {"all words", {1, 10}, {plain.mean(), plain.mean()}, true}});
}

void figure_4(const dplda::corpus& docs, const fs::path& folder, std::uint64_t seeds) {
  rows table{{"epsilon_1", "epsilon_2", "both together", "words", "coherence", "deviation"}};
  plot_line by_words{.name = "epsilon 1, epsilon 2 = 3", .x = epsilons, .y = {}};
  plot_line by_topics{.name = "epsilon 2, epsilon 1 = 3", .x = epsilons, .y = {}};
  const auto measure = [&](double first, double second, plot_line& line) {
    const outcome found = two_stages(docs, first, second, seeds);
    line.y.push_back(found.umass.mean());
    table.push_back({digits(first), digits(second), digits(found.joint, 3), whole(found.words.mean()),
                     digits(found.umass.mean()), digits(found.umass.deviation(), 2)});
  };
  for (const double epsilon : epsilons) measure(epsilon, 3, by_words);
  for (const double epsilon : epsilons) measure(3, epsilon, by_topics);
  show(folder / "fdptm_figure_4.csv",
       "Figure 4. UMass coherence (eq. 4) of private topics of private words; both together at delta = 2e-5.", table);
  write_svg(folder / "fdptm_figure_4.svg",
            {.title = "tweetrumors, 5 topics: private words and topics",
             .x_label = "epsilon that varies",
             .y_label = "UMass coherence"},
            {by_words, by_topics});
}

/// Perplexity over all words of the corpus: a word that was not released has an equal part of the mass that held-out
/// text has for all of these.
double whole_perplexity(const dplda::topic_model<>& topics, const dplda::corpus& test) {
  const dplda::corpus kept = test.restrict_to(topics.vocab());
  const auto all = static_cast<double>(test.tokens()), known = static_cast<double>(kept.tokens());
  const double missing = (all - known + 0.5) / (all + 1);
  const double others = static_cast<double>(test.words() - kept.words()) + 1;
  const double inside = std::log(dplda::document_completion_perplexity(topics, kept).perplexity);
  return std::exp((1 - missing) * (inside - std::log(1 - missing)) + missing * std::log(others / missing));
}

void division(const dplda::corpus& docs, const std::string& name, dplda::privacy_unit unit, const fs::path& folder,
              std::uint64_t seeds) {
  auto random = dplda::seeded_random(3);
  auto bits = random.stream("held out");
  const auto [train, test] = dplda::train_test_split(docs, bits, {.share = 0.1});
  const std::size_t units = dplda::privacy_units(train, unit).size();
  rows table{{"topics", "epsilon", "share of words", "words", "perplexity", "NPMI"}};
  std::vector<plot_line> lines;
  for (const std::size_t topics : {5u, 20u}) {
    for (const double epsilon : {1.0, 3.0, 10.0}) {
      plot_line& line = lines.emplace_back();
      line.name = std::to_string(topics) + " topics, epsilon " + digits(epsilon);
      for (const double share : {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}) {
        const dplda::fully_private_topics<> learner({.vocabulary = {.unit = unit},
                                                     .topics = {.topics = topics, .units = units, .unit = unit},
                                                     .vocabulary_share = share},
                                                    {.epsilon = epsilon, .delta = delta});
        mean_and_deviation words, perplexity, npmi;
        for (std::uint64_t seed = 0; seed < seeds; ++seed) {
          auto source = dplda::seeded_random(seed);
          const auto released = learner.fit(train, source).value();
          words.add(static_cast<double>(released.words()));
          perplexity.add(whole_perplexity(released, test));
          npmi.add(dplda::npmi_coherence(released, train.restrict_to(released.vocab())).mean);
        }
        line.x.push_back(share);
        line.y.push_back(perplexity.mean());
        table.push_back({std::to_string(topics), digits(epsilon), digits(share), whole(words.mean()),
                         whole(perplexity.mean()), digits(npmi.mean(), 2)});
      }
    }
  }
  show(folder / ("fdptm_division_" + name + ".csv"),
       "How to divide a budget, " + name + ". Perplexity over all words, NPMI coherence.", table);
  write_svg(folder / ("fdptm_division_" + name + ".svg"),
            {.title = name + ": perplexity over all words",
             .x_label = "share of epsilon for words",
             .y_label = "perplexity",
             .y_scale = axis_scale::logarithmic},
            lines);
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: fdptm DATA FOLDER [SEEDS]\n");
    return 2;
  }
  const fs::path data = argv[1], folder = argv[2];
  const std::uint64_t seeds = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 10;
  fs::create_directories(folder);
  const auto read = [&](const std::string& name, bool users) {
    const fs::path docword = data / ("docword." + name + ".txt"), vocab = data / ("vocab." + name + ".txt");
    return users ? dplda::read_uci(docword, vocab, data / ("users." + name + ".txt")) : dplda::read_uci(docword, vocab);
  };
  const dplda::corpus tweets = read("tweetrumors", false), airlines = read("airtweets", true);
  figure_3(tweets, folder, seeds);
  figure_4(tweets, folder, seeds);
  division(tweets, "tweetrumors", dplda::privacy_unit::document, folder, seeds);
  division(airlines, "airtweets", dplda::privacy_unit::user, folder, seeds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fdptm: %s\n", error.what());
    return 1;
  }
}
