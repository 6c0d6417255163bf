// SPDX-License-Identifier: Apache-2.0
// Figure 1 and Table 1 of Park et al. (Private topic modeling, 2016) on another corpus; park.sh starts it.
//   park DOCWORD VOCAB FOLDER [NAME VALUE]...
// prints tables and writes them as CSV files, with plots in SVG, to FOLDER. Names and their defaults:
//   documents 20000   at most so many, at random    words 1000  the most frequent ones
//   topics 10         cap 100  tokens of a document seen 0.4    documents read in all, as a share of them (the paper's)
//   epsilon 1         delta 1e-4                    seed 1
// The paper has documents 400000, words 8000, topics 100; its cap is not stated, its code has 500.
// The vocabulary, though chosen by looking, counts as public here, as it does in the paper.

#include <dplda/dplda.hpp>
#include <dplda/published/park_svi.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

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
using published::park_composition;
using published::park_sensitivity;
using published::park_svi;
using published::park_svi_options;

using settings = std::map<std::string, double>;

struct named_composition {
  const char* name;
  park_composition value;
};
constexpr named_composition compositions[] = {
    {"zCDP", park_composition::zcdp}, {"advanced", park_composition::advanced}, {"linear", park_composition::linear}};

struct named_sensitivity {
  const char* name;
  park_sensitivity value;
};
constexpr named_sensitivity sensitivities[] = {{"literal", park_sensitivity::literal},
                                               {"right", park_sensitivity::batch}};

// Probabilities of the most probable word in the paper's Table 1: the largest and the least of its four topics.
struct printed_word {
  double largest, least;
};
constexpr printed_word printed_plain{0.1811, 0.0667};
constexpr printed_word printed_private[] = {{0.0882, 0.0002}, {0.0119, 0.0001}, {0.0228, 0.0001}};

class experiment {
 public:
  experiment(const corpus& all, const settings& values, std::filesystem::path folder)
      : values_(values), folder_(std::move(folder)) {
    auto bits = seeded_random(seed()).stream("documents");
    const std::size_t wanted = std::min(all.size(), static_cast<std::size_t>(values_.at("documents")));
    const corpus docs =
        most_frequent_words(random_sample(all, wanted, bits), static_cast<std::size_t>(values_.at("words")));
    data_ = train_test_split(docs, bits, {.share = 0.1, .most = 1000, .min_tokens = 10});
    seen_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(values_.at("seen") * size())));
    for (const std::uint64_t batch : {10u, 20u, 50u, 100u, 200u, 400u, 1000u, 4000u}) {
      if (batch < seen_) batches_.push_back(batch);
    }
    batches_.push_back(seen_);
    std::printf("%zu documents, %zu words, %llu tokens; %zu held out; uniform %zu, unigram %.0f\n", data_.train.size(),
                data_.train.words(), static_cast<unsigned long long>(data_.train.tokens()), data_.test.size(),
                data_.train.words(), unigram());
  }

  // What the plans say: no document is read for this.
  void noise() const {
    rows out{{"batch", "steps", "sigma zCDP", "advanced", "linear", "price zCDP", "advanced", "linear", "price literal",
              "lambda right", "lambda literal"}};
    std::vector<plot_line> lines;
    for (const auto& composition : compositions) lines.push_back({composition.name, {}, {}});
    for (const std::uint64_t batch : batches_) {
      std::vector<std::string> multipliers, prices;
      for (std::size_t i = 0; i < std::size(compositions); ++i) {
        const auto plan = learner(batch, compositions[i].value, park_sensitivity::batch).plan();
        multipliers.push_back(digits(plan.step.multiplier));
        prices.push_back(digits(plan.cost.epsilon, 3));
        lines[i].x.push_back(static_cast<double>(batch));
        lines[i].y.push_back(plan.step.multiplier);
      }
      std::vector<std::string> row{std::to_string(batch), std::to_string(steps(batch))};
      row.insert(row.end(), multipliers.begin(), multipliers.end());
      row.insert(row.end(), prices.begin(), prices.end());
      const auto literal = learner(batch, park_composition::zcdp, park_sensitivity::literal).plan();
      const auto right = learner(batch, park_composition::zcdp, park_sensitivity::batch).plan();
      const double share = size() / static_cast<double>(batch);
      row.insert(row.end(),
                 {digits(literal.cost.epsilon, 3), digits(right.noise * share), digits(literal.noise * share)});
      out.push_back(row);
    }
    show(folder_ / "park_noise.csv",
         "Noise and its price. Sigma over the sensitivity N/S, the price of the right one (the literal one: of zCDP), "
         "and the noise on a cell of lambda.",
         out);
    write_svg(folder_ / "park_noise.svg",
              {.title = "Noise of a step, epsilon = " + digits(values_.at("epsilon")),
               .x_label = "documents in a minibatch",
               .y_label = "noise over sensitivity",
               .x_scale = axis_scale::logarithmic,
               .y_scale = axis_scale::logarithmic},
              lines);
  }

  void figure_1() const {
    rows out{{"batch", "non-private", "literal zCDP", "literal advanced", "literal linear", "right zCDP",
              "right advanced", "right linear"}};
    std::vector<plot_line> lines{{"non-private", {}, {}}};
    for (const auto& sensitivity : sensitivities) {
      for (const auto& composition : compositions) {
        lines.push_back({std::string(composition.name) + ", " + sensitivity.name, {}, {}});
      }
    }
    for (const std::uint64_t batch : batches_) {
      std::vector<std::string> row{std::to_string(batch)};
      const auto note = [&](std::size_t line, double perplexity) {
        row.push_back(digits(perplexity));
        lines[line].x.push_back(static_cast<double>(batch));
        lines[line].y.push_back(perplexity);
      };
      note(0, score(plain(batch)));
      std::size_t line = 1;
      for (const auto& sensitivity : sensitivities) {
        for (const auto& composition : compositions) {
          note(line++, score(fit(learner(batch, composition.value, sensitivity.value), 0)));
        }
      }
      out.push_back(row);
    }
    show(folder_ / "park_figure_1.csv",
         "Figure 1. Held-out perplexity (document completion). The paper prints no numbers for it.", out);
    const auto draw = [&](const char* file, const std::string& title, std::size_t first) {
      const std::vector<double> ends{static_cast<double>(batches_.front()), static_cast<double>(batches_.back())};
      std::vector<plot_line> shown{lines[0], lines[first], lines[first + 1], lines[first + 2]};
      for (std::size_t i = 0; i < std::size(compositions); ++i) shown[i + 1].name = compositions[i].name;
      shown.push_back({"unigram", ends, std::vector<double>(2, unigram()), true});
      shown.push_back({"uniform", ends, std::vector<double>(2, static_cast<double>(data_.train.words())), true});
      write_svg(folder_ / file,
                {.title = title + ", epsilon = " + digits(values_.at("epsilon")),
                 .x_label = "documents in a minibatch",
                 .y_label = "perplexity",
                 .x_scale = axis_scale::logarithmic},
                shown);
    };
    draw("park_figure_1_literal.svg", "Sensitivity N/D as printed (not private)", 1);
    draw("park_figure_1_right.svg", "Sensitivity N/S", 4);
  }

  // The paper's Table 1 is at half the budget.
  void table_1() const {
    const std::uint64_t batch = std::min<std::uint64_t>(100, seen_);
    const budget half{values_.at("epsilon") / 2, values_.at("delta")};
    rows out{{"non-private", ""}},
        top{{"method", "heaviest topic", "middle topic", "paper: largest of four topics", "least"}};
    std::vector<topic_model<>> models;
    const auto note = [&](const std::string& method, topic_model<> model, const printed_word& paper) {
      top.push_back({method, digits(words_of(model, false).front().probability, 2),
                     digits(words_of(model, true).front().probability, 2), digits(paper.largest), digits(paper.least)});
      models.push_back(std::move(model));
    };
    note("non-private", plain(batch), printed_plain);
    for (const auto& sensitivity : sensitivities) {
      for (std::size_t i = 0; i < std::size(compositions); ++i) {
        const auto options = learner_options(batch, compositions[i].value, sensitivity.value);
        const std::string method = std::string(compositions[i].name) + ' ' + sensitivity.name;
        note(method, fit(park_svi(options, half), models.size()), printed_private[i]);
        out.front().insert(out.front().end(), {method, ""});
      }
    }
    for (const bool middle : {false, true}) {
      std::vector<std::vector<weighted_word>> columns;
      for (const topic_model<>& model : models) columns.push_back(words_of(model, middle));
      for (std::size_t i = 0; i < columns.front().size(); ++i) {
        std::vector<std::string> row;
        for (const auto& column : columns) {
          row.emplace_back(data_.train.vocab()->word(column[i].word));
          row.push_back(digits(column[i].probability, 2));
        }
        out.push_back(row);
      }
    }
    show(folder_ / "park_table_1.csv",
         "Table 1. Top words at epsilon = " + digits(half.epsilon) + ", minibatches of " + std::to_string(batch) +
             ": the topic with the heaviest top words, then the middle one. Uniform would be " +
             digits(1 / static_cast<double>(data_.train.words()), 2) + ".",
         out);
    show(folder_ / "park_table_1_top.csv",
         "Table 1, probability of the most probable word, beside the paper's (epsilon = 0.5, 8000 words, 100 topics).",
         top);
  }

 private:
  std::uint64_t seed() const { return static_cast<std::uint64_t>(values_.at("seed")); }
  double size() const { return static_cast<double>(data_.train.size()); }
  std::uint64_t steps(std::uint64_t batch) const { return std::max<std::uint64_t>(1, seen_ / batch); }
  double unigram() const { return unigram_perplexity(data_.train, data_.test).perplexity; }
  std::size_t topics() const { return static_cast<std::size_t>(values_.at("topics")); }

  park_svi_options learner_options(std::uint64_t batch, park_composition composition,
                                   park_sensitivity sensitivity) const {
    return {.topics = topics(),
            .documents = data_.train.size(),
            .batch = batch,
            .steps = steps(batch),
            .length_cap = static_cast<std::uint64_t>(values_.at("cap")),
            .composition = composition,
            .sensitivity = sensitivity};
  }

  park_svi learner(std::uint64_t batch, park_composition composition, park_sensitivity sensitivity) const {
    return park_svi(learner_options(batch, composition, sensitivity), {values_.at("epsilon"), values_.at("delta")});
  }

  // Methods with the same number have the same noise but for its size, so that they compare well.
  topic_model<> fit(const park_svi& learner, std::size_t method) const {
    auto random = seeded_random(100 * seed() + method);
    return learner.fit(data_.train, random).value();
  }

  // The non-private engine with the same priors, batches, steps and rates.
  topic_model<> plain(std::uint64_t batch) const {
    auto random = seeded_random(seed());
    const double prior = 1 / static_cast<double>(topics());
    const svi learner({.topics = topics(),
                       .passes = static_cast<std::size_t>(std::ceil(values_.at("seen"))),
                       .batch_size = static_cast<std::size_t>(batch),
                       .alpha = prior,
                       .eta = prior,
                       .tau0 = 1025,
                       .kappa = 0.7});
    return learner.fit(data_.train, random, [&](const progress& now) { return now.step >= steps(batch); });
  }

  double score(const topic_model<>& model) const {
    return document_completion_perplexity(model, data_.test, {.alpha = 0.1}).perplexity;
  }

  // The top words of the topic in which they weigh most, or of the middle one.
  static std::vector<weighted_word> words_of(const topic_model<>& model, bool middle) {
    std::vector<std::pair<double, std::size_t>> weights;
    for (std::size_t k = 0; k < model.topics(); ++k) {
      double weight = 0;
      for (const weighted_word& word : top_words(model, k, 10)) weight += word.probability;
      weights.emplace_back(-weight, k);
    }
    std::sort(weights.begin(), weights.end());
    return top_words(model, weights[middle ? weights.size() / 2 : 0].second, 10);
  }

  settings values_;
  std::filesystem::path folder_;
  train_test data_;
  std::uint64_t seen_ = 0;
  std::vector<std::uint64_t> batches_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    settings values{{"documents", 20000}, {"words", 1000}, {"topics", 10},  {"cap", 100},
                    {"seen", 0.4},        {"epsilon", 1},  {"delta", 1e-4}, {"seed", 1}};
    if (words.size() < 3 || words.size() % 2 == 0)
      throw std::invalid_argument("park DOCWORD VOCAB FOLDER [NAME VALUE]...");
    for (std::size_t i = 3; i < words.size(); i += 2) values.at(words[i]) = std::stod(words[i + 1]);
    std::filesystem::create_directories(words[2]);
    const experiment park(with_public_words(read_uci(words[0], words[1])), values, words[2]);
    park.noise();
    park.figure_1();
    park.table_1();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
