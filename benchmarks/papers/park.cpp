// SPDX-License-Identifier: Apache-2.0
// Figure 1 and Table 1 of Park et al. (Private topic modeling, 2016) on another corpus; park.sh starts it.
//   park DATA FOLDER [SETTING VALUE]...
// prints tables and writes results in long form (CSV) and plots (SVG) to FOLDER. Settings and their defaults:
//   corpus imdb       of DATA
//   documents 20000   at most this many, at random   words 1000  the most frequent ones
//   topics 10         cap 100  tokens of a document seen 0.4    documents read in all, as a share of them (the paper's)
//   epsilon 1         delta 1e-4                    seed 1
// The paper has documents 400000, words 8000, topics 100; its cap is not stated, its code has 500.
// The vocabulary is chosen from the data, but counts as public here, as in the paper.

#include <dplda/dplda.hpp>
#include <dplda/published/park_svi.hpp>

#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;
using published::park_composition;
using published::park_sensitivity;
using published::park_svi;
using published::park_svi_options;

struct named_composition {
  const char* name;
  park_composition value;
};
constexpr named_composition compositions[] = {
    {"zcdp", park_composition::zcdp}, {"advanced", park_composition::advanced}, {"linear", park_composition::linear}};

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
  explicit experiment(const task& asked) : task_(asked) {
    const corpus all = with_public_words(read_named(asked.data, name()));
    auto bits = seeded_random(seed()).stream("documents");
    const std::size_t wanted = std::min<std::size_t>(all.size(), asked.with.count("documents"));
    const corpus docs = most_frequent_words(random_sample(all, wanted, bits), asked.with.count("words"));
    data_ = train_test_split(docs, bits, {.share = 0.1, .most = 1000, .min_tokens = 10});
    seen_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(asked.with.number("seen") * size())));
    for (const std::uint64_t batch : {10u, 20u, 50u, 100u, 200u, 400u, 1000u, 4000u}) {
      if (batch < seen_) batches_.push_back(batch);
    }
    batches_.push_back(seen_);
    std::printf("%s: %zu documents, %zu words, %llu tokens; %zu held out\n", name().c_str(), data_.train.size(),
                data_.train.words(), static_cast<unsigned long long>(data_.train.tokens()), data_.test.size());
  }

  // The plans alone: no document is read for this.
  void noise() const {
    results table({"sensitivity", "batch"});
    for (const std::uint64_t batch : batches_) {
      for (const auto& sensitivity : sensitivities) {
        for (const auto& composition : compositions) {
          const auto plan = learner(batch, composition.value, sensitivity.value).plan();
          const run_of run = at(composition.name, sensitivity.name, batch);
          table.add(run, "noise_over_sensitivity", plan.step.multiplier);
          table.add(run, "price", plan.cost.epsilon);
          table.add(run, "noise_on_lambda", plan.noise * size() / static_cast<double>(batch));
        }
      }
    }
    table.write(task_.folder / "park_noise.csv");
    table.show("Noise of a step over the sensitivity, its price (epsilon), and the noise on a cell of lambda.",
               {.rows = {"sensitivity", "batch"}, .columns = {"metric", "learner"}});
    write_svg(task_.folder / "park_noise.svg",
              {.title = "Noise of a step, epsilon = " + task_.with.text("epsilon"),
               .x_label = "documents in a minibatch",
               .y_label = "noise over sensitivity",
               .x_scale = axis_scale::logarithmic,
               .y_scale = axis_scale::logarithmic},
              table.lines("batch", "learner", {{"metric", "noise_over_sensitivity"}, {"sensitivity", "right"}}));
  }

  void figure_1() const {
    results table({"sensitivity", "batch"});
    const auto add = [&](const run_of& run, const topic_model<>& model) {
      random_source random = seeded_random(seed());
      add_scores(table, run, score(model, data_.test, random, {.reference = &data_.train}));
    };
    for (const std::uint64_t batch : batches_) {
      run_of run = at("svi", "", batch);
      run.epsilon = none;
      add(run, plain(batch));
      add_unigram(table, run, data_.train, data_.test);
      run.learner = "uniform";
      table.add(run, "token", static_cast<double>(data_.train.words()));
      for (const auto& sensitivity : sensitivities) {
        for (const auto& composition : compositions) {
          add(at(composition.name, sensitivity.name, batch),
              fit(learner(batch, composition.value, sensitivity.value), 0));
        }
      }
    }
    table.write(task_.folder / "park_figure_1.csv");
    for (const char* metric : {"token", "type", "control_type"}) {
      table.show("Figure 1: " + std::string(metric) + " perplexity. The paper prints no numbers for it.",
                 {.rows = {"batch"}, .columns = {"sensitivity", "learner"}, .where = {{"metric", metric}}});
    }
    for (const auto& [sensitivity, title] :
         {std::pair{"literal", "Sensitivity N/D as printed (not private)"}, std::pair{"right", "Sensitivity N/S"}}) {
      std::vector<plot_line> lines =
          table.lines("batch", "learner", {{"metric", "token"}, {"sensitivity", ""}, {"sensitivity", sensitivity}});
      for (plot_line& line : lines) line.dashed = line.name.starts_with("uni");
      write_svg(task_.folder / (std::string("park_figure_1_") + sensitivity + ".svg"),
                {.title = std::string(title) + ", epsilon = " + task_.with.text("epsilon"),
                 .x_label = "documents in a minibatch",
                 .y_label = "token perplexity",
                 .x_scale = axis_scale::logarithmic},
                lines);
    }
  }

  // The paper's Table 1 is at half the budget: top words of the topic in which they weigh most, and of the middle one.
  void table_1() const {
    const std::uint64_t batch = std::min<std::uint64_t>(100, seen_);
    const budget half{task_.with.number("epsilon") / 2, task_.with.number("delta")};
    results table({"sensitivity", "topic", "rank", "word"});
    std::uint64_t method = 0;
    const auto add = [&](const std::string& composition, const std::string& sensitivity, const topic_model<>& model,
                         const printed_word& paper) {
      const auto run = [&](const char* topic, std::size_t rank, const std::string& word) {
        return run_of{name(), composition, half.epsilon, seed(), {sensitivity, topic, std::to_string(rank), word}};
      };
      for (const bool middle : {false, true}) {
        const auto words = words_of(model, middle);
        for (std::size_t i = 0; i < words.size(); ++i) {
          table.add(run(middle ? "middle" : "heaviest", i + 1, std::string(data_.train.vocab()->word(words[i].word))),
                    "probability", words[i].probability);
        }
      }
      table.add(run("largest of four", 1, ""), "printed", paper.largest);
      table.add(run("least of four", 1, ""), "printed", paper.least);
      ++method;
    };
    add("svi", "", plain(batch), printed_plain);
    for (const auto& sensitivity : sensitivities) {
      for (std::size_t i = 0; i < std::size(compositions); ++i) {
        const auto options = learner_options(batch, compositions[i].value, sensitivity.value);
        add(compositions[i].name, sensitivity.name, fit(park_svi(options, half), method), printed_private[i]);
      }
    }
    table.write(task_.folder / "park_table_1.csv");
    const std::string title = "Table 1: top words at epsilon = " + digits(half.epsilon) + ", minibatches of " +
                              std::to_string(batch) + "; uniform would be " +
                              digits(1 / static_cast<double>(data_.train.words()), 2);
    table.show(title, {.rows = {"learner", "sensitivity", "topic", "word"},
                       .columns = {"metric"},
                       .where = {{"metric", "probability"}},
                       .significant = 2});
    table.show("Table 1: the most probable word, beside the paper's (epsilon = 0.5, 8000 words, 100 topics)",
               {.rows = {"learner", "sensitivity"}, .columns = {"metric", "topic"}, .where = {{"rank", "1"}}});
  }

 private:
  const std::string& name() const { return task_.with.text("corpus"); }
  std::uint64_t seed() const { return task_.with.count("seed"); }
  double size() const { return static_cast<double>(data_.train.size()); }
  std::uint64_t steps(std::uint64_t batch) const { return std::max<std::uint64_t>(1, seen_ / batch); }
  run_of at(const std::string& composition, const std::string& sensitivity, std::uint64_t batch) const {
    return {name(), composition, task_.with.number("epsilon"), seed(), {sensitivity, std::to_string(batch)}};
  }
  std::size_t topics() const { return task_.with.count("topics"); }

  park_svi_options learner_options(std::uint64_t batch, park_composition composition,
                                   park_sensitivity sensitivity) const {
    return {.topics = topics(),
            .documents = data_.train.size(),
            .batch = batch,
            .steps = steps(batch),
            .length_cap = task_.with.count("cap"),
            .composition = composition,
            .sensitivity = sensitivity};
  }

  park_svi learner(std::uint64_t batch, park_composition composition, park_sensitivity sensitivity) const {
    return park_svi(learner_options(batch, composition, sensitivity),
                    {task_.with.number("epsilon"), task_.with.number("delta")});
  }

  // Methods with the same number have the same noise except for its scale, so they compare well.
  topic_model<> fit(const park_svi& learner, std::size_t method) const {
    auto random = seeded_random(100 * seed() + method);
    return learner.fit(data_.train, random).value();
  }

  // The non-private engine with the same priors, batches, steps and rates.
  topic_model<> plain(std::uint64_t batch) const {
    auto random = seeded_random(seed());
    const double prior = 1 / static_cast<double>(topics());
    const svi learner({.topics = topics(),
                       .passes = static_cast<std::size_t>(std::ceil(task_.with.number("seen"))),
                       .batch_size = static_cast<std::size_t>(batch),
                       .alpha = prior,
                       .eta = prior,
                       .tau0 = 1025,
                       .kappa = 0.7});
    return learner.fit(data_.train, random, [&](const progress& now) { return now.step >= steps(batch); });
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

  const task& task_;
  train_test data_;
  std::uint64_t seen_ = 0;
  std::vector<std::uint64_t> batches_;
};

}  // namespace

int main(int argc, char** argv) {
  const settings defaults{{"corpus", "imdb"}, {"documents", "20000"}, {"words", "1000"},
                          {"topics", "10"},   {"cap", "100"},         {"seen", "0.4"},
                          {"epsilon", "1"},   {"delta", "1e-4"},      {"seed", "1"}};
  return run_task(argc, argv, defaults, [](const task& asked) {
    const experiment park(asked);
    park.noise();
    park.figure_1();
    park.table_1();
  });
}
