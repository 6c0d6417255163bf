// SPDX-License-Identifier: Apache-2.0
// How many topics: fixed numbers, the public rule (topics_for), and a private selection among some, all with one guarantee
// for words and topics. See number_of_topics.sh.
//   number_of_topics DATA FOLDER [SETTING VALUE]...
// The setting `do` says what:
//   fits       scores of the corpora `corpora`, for `seeds` seeds from `first_seed` on; a corpus NAME:N is N documents of
//              NAME in random order
//   prices     the noise that one fit, all of several, and the best of a random number of fits leave

#include <dplda/dplda.hpp>

#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

constexpr double delta = 1e-6;

any_private_learner learner_of(std::size_t topics, std::uint64_t units, const budget& total) {
  return plan_learner<private_svi>({.topics = topics, .units = units, .background_share = 0.1}, nullptr, total);
}

struct fitted {
  std::string learner;
  topic_model<> topics;
};

// The topics over some of their words.
topic_model<> over(const topic_model<>& model, const vocabulary_ptr& words) {
  Eigen::MatrixXd phi(model.phi().rows(), static_cast<Eigen::Index>(words->size()));
  for (word_id v = 0; v < words->size(); ++v)
    phi.col(static_cast<Eigen::Index>(v)) =
        model.phi().col(static_cast<Eigen::Index>(*model.vocab()->find(words->word(v))));
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  return topic_model<>(std::move(phi), words, model.alpha());
}

// The words that all models have: perplexities of other words cannot be compared.
vocabulary_ptr common_words(const std::vector<fitted>& fits) {
  vocabulary_builder words;
  const vocabulary& first = *fits.front().topics.vocab();
  for (word_id v = 0; v < first.size(); ++v) {
    const auto has = [&](const fitted& fit) { return fit.topics.vocab()->find(first.word(v)).has_value(); };
    if (std::all_of(fits.begin(), fits.end(), has)) words.add(first.word(v));
  }
  return declare_public(words.build());
}

// Fits of these numbers of topics over words that are chosen once, all from one budget.
std::vector<fitted> all_released(const std::vector<std::string>& numbers, const corpus& docs, double epsilon,
                                 std::uint64_t seed) {
  const std::uint64_t units = docs.size();
  random_source random = seeded_random(seed);
  const vocabulary_selector selector({}, {0.6 * epsilon, delta / 2});
  const auto words = selector.fit(docs, random);
  const auto plan = [&](std::size_t topics, double part) {
    return private_svi({.topics = topics,
                        .units = units,
                        .words = words.value()->size(),
                        .background_share = 0.1,
                        .before = selector.plan().ledger},
                       {part, delta});
  };
  const auto price_of_all = [&](double part) {
    const private_svi each = plan(std::stoul(numbers.front()), part);
    ledger all = selector.plan().ledger;
    for (const auto& [event, count] : each.plan().ledger.entries().subspan(all.entries().size()))
      all.record(event, count * numbers.size());
    return price(all, delta).epsilon;
  };
  double low = 0.6 * epsilon, high = epsilon;
  for (int halving = 0; halving < 12; ++halving) {
    const double middle = (low + high) / 2;
    (price_of_all(middle) <= epsilon ? low : high) = middle;
  }
  std::vector<fitted> fits;
  for (const std::string& topics : numbers)
    fits.push_back({"all released", plan(std::stoul(topics), low).fit(words, docs, random).value()});
  return fits;
}

struct sample {
  corpus train, test;
};

sample sample_of(const task& asked, const std::string& name, std::uint64_t seed) {
  const std::size_t colon = name.find(':');
  auto bits = seeded_random(seed).stream("held out");
  auto [train, test] = train_test_split(read_named(asked.data, name.substr(0, colon)), bits,
                                        {.share = 0.1, .most = 1000, .min_tokens = 5});
  if (colon == std::string::npos) return {std::move(train), std::move(test)};
  auto order = seeded_random(seed).stream("sample");
  const std::size_t most = std::stoul(name.substr(colon + 1));
  return {random_sample(train, std::min(most, train.size()), order), std::move(test)};
}

void add_seed(results& table, const task& asked, const std::string& name, std::uint64_t seed) {
  const double epsilon = asked.with.number("epsilon");
  const sample docs = sample_of(asked, name, seed);
  const std::uint64_t units = docs.train.size();
  std::vector<fitted> fits;
  const auto fit = [&](const std::string& learner, std::size_t topics) {
    random_source random = seeded_random(seed);  // the same words for all
    fits.push_back({learner, learner_of(topics, units, {epsilon, delta}).fit(docs.train, random).value()});
  };
  for (const std::string& topics : asked.with.list("topics")) fit("K = " + topics, std::stoul(topics));
  const std::size_t by_rule = topics_for(static_cast<double>(units), epsilon);
  fit("public rule", by_rule);
  const std::vector<std::string> candidates = asked.with.list("candidates");
  const selected_topics selection(
      [&](std::size_t plan, const budget& part) { return learner_of(std::stoul(candidates[plan]), units, part); },
      {.plans = candidates.size(), .units = units}, {epsilon, delta});
  random_source random = seeded_random(seed);
  const selected_model chosen = selection.fit(docs.train, random);
  fits.push_back({"selected", chosen.topics.value()});

  const vocabulary_ptr words = common_words(fits);
  const corpus held_out = docs.test.restrict_to(words);
  run_of run{name, "", epsilon, seed};
  // Of all that are released, the best by the held-out documents: no private choice is better.
  std::vector<fitted> candidate_fits = all_released(candidates, docs.train, epsilon, seed);
  const auto held_out_score = [&](const fitted& each) {
    return type_completion_perplexity(over(each.topics, words), held_out).perplexity;
  };
  fits.push_back(*std::ranges::min_element(candidate_fits, {}, held_out_score));
  add_unigram(table, run, docs.train.restrict_to(words), held_out);
  for (const fitted& each : fits) {
    run.learner = each.learner;
    random_source shuffling = seeded_random(seed + 1000);
    add_scores(table, run, score(over(each.topics, words), held_out, shuffling));
    table.add(run, "topics", static_cast<double>(each.topics.topics()));
    table.add(run, "words", static_cast<double>(each.topics.words()));
  }
}

void fits(const task& asked) {
  results table;
  const std::uint64_t first = asked.with.count("first_seed"), last = first + asked.with.count("seeds") - 1;
  for (const std::string& name : asked.with.list("corpora")) {
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      add_seed(table, asked, name, seed);
      table.write(asked.folder / "number_of_topics.csv");
    }
  }
  for (const char* const metric : {"type", "control_type", "npmi", "topics", "words"})
    table.show("epsilon " + asked.with.text("epsilon") + ", seeds " + std::to_string(first) + " to " +
                   std::to_string(last) + ": " + metric,
               {.rows = {"learner"}, .columns = {"corpus"}, .where = {{"metric", metric}}});
}

// The least multiplier of Gaussian noise at which this ledger is within epsilon.
template <class Book>
double multiplier_of(const Book& book, double epsilon) {
  return smallest_noise(book, {epsilon, delta});
}

void prices(const task&) {
  results table({"fits"});
  const auto fit = [](double z) { return privacy_event{.noise = gaussian_noise{z}, .label = "a fit"}; };
  for (const double epsilon : {1.0, 2.0, 4.0}) {
    const double one = gaussian_multiplier(epsilon, delta);
    const vocabulary_selector words({}, {0.6 * epsilon, delta / 2});
    for (const int count : {2, 3, 4, 5}) {
      run_of run{"", "all released", epsilon, 0, {std::to_string(count)}};
      const auto all = [&](double z) {
        ledger book;
        book.record(fit(z), static_cast<std::uint64_t>(count));
        return book;
      };
      table.add(run, "noise", multiplier_of(all, epsilon) / one);
      for (const double factor : {1.0, 1.5, 2.0}) {
        const negative_binomial_runs runs = runs_with_mean(factor * count);
        const auto best = [&](double z) {
          ledger each, book;
          each.record(fit(z));
          book.record({.noise = best_of{runs, nested_ledger(each)}, .label = "selected"});
          return book;
        };
        // Words once, for six tenths of epsilon; then topics, once or selected.
        const auto after_words = [&](const ledger& topics) {
          ledger book = words.plan().ledger;
          book.append(topics);
          return book;
        };
        const auto topics_once = [&](double z) {
          ledger book;
          book.record(fit(z));
          return after_words(book);
        };
        run.learner = "words once and then best of " + digits(factor) + " runs for each";
        table.add(run, "noise",
                  multiplier_of([&](double z) { return after_words(best(z)); }, epsilon) /
                      multiplier_of(topics_once, epsilon));
        run.learner = "best of " + digits(factor) + " runs for each";
        table.add(run, "noise", multiplier_of(best, epsilon) / one);
        // A geometric number of runs, each of a plan drawn at random, leaves this plan out with probability E[q^K].
        const double q = 1 - 1.0 / count;
        table.add(run, "best plan drawn", 1 - runs.stop * q / (1 - (1 - runs.stop) * q));
      }
    }
  }
  for (const char* const metric : {"noise", "best plan drawn"})
    table.show(std::string(metric) + (*metric == 'n' ? ", over that of one fit" : ""),
               {.rows = {"epsilon", "learner"}, .columns = {"fits"}, .where = {{"metric", metric}}});
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(argc, argv,
                  {{"do", "fits"},
                   {"corpora", "imdb:20000,20newsall,kos"},
                   {"topics", "5,10,20,40"},
                   {"candidates", "5,10,20"},
                   {"epsilon", "2"},
                   {"first_seed", "31"},
                   {"seeds", "3"}},
                  [](const task& asked) { return asked.with.text("do") == "prices" ? prices(asked) : fits(asked); });
}
