// SPDX-License-Identifier: Apache-2.0
// Topics of a year of letters: twelve fits, each going on from the last, beside twelve fits of their own and one fit at
// the end, all with the same guarantee for each letter; or, with `users` 1, for each user, of whom all write in every month,
// under one budget for the year. See monthly.sh.
//   monthly DATA FOLDER [SETTING VALUE]...

#include <dplda/dplda.hpp>

#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

struct year {
  corpus letters, held_out;
  std::size_t months, topics, steps;
  budget each;
  bool users;  ///< whether letter i of each month is by user i
};

private_svi_options options_of(const year& data, std::size_t letters) {
  return {.topics = data.topics,
          .units = letters,
          .words = data.letters.words(),
          .unit = data.users ? privacy_unit::user : privacy_unit::document,
          .steps = data.steps};
}

// The same letters, of which number i of each month is by user i.
corpus by_users(const corpus& letters, std::size_t months) {
  const std::size_t users = letters.size() / months;
  corpus_builder builder;
  std::vector<user_id> owners;
  for (std::size_t d = 0; d < users * months; ++d) {
    for (std::size_t n = 0; n < letters[d].size(); ++n) builder.add(letters[d].words[n], letters[d].counts[n]);
    builder.end_document();
    owners.push_back(static_cast<user_id>(d % users));
  }
  builder.set_users(std::move(owners), users);
  return declare_unpruned(builder.build(letters.vocab()));
}

void add(results& table, run_of run, const year& data, const std::string& learner, std::size_t month,
         const topic_model<>& model) {
  run.learner = learner;
  run.further = {std::to_string(month)};
  random_source random = seeded_random(run.seed + 1000);
  add_scores(table, run, score(model, data.held_out, random));
}

// For users losses add up. This is what all months until this one may cost, so that all have the same noise.
budget budget_until(std::size_t month, const year& data) {
  const double part = static_cast<double>(month) / static_cast<double>(data.months);
  const double noise = gaussian_multiplier(data.each.epsilon, data.each.delta) / std::sqrt(part);
  return {gaussian_epsilon(noise, data.each.delta), data.each.delta};
}

// The fit of each month, which goes on from the last one or not.
void months(results& table, const run_of& run, const year& data, bool goes_on) {
  const std::size_t letters = data.letters.size() / data.months;
  private_svi_options options = options_of(data, letters);
  for (std::size_t month = 1; month <= data.months; ++month) {
    random_source random = seeded_random(run.seed * 100 + month);
    const budget so_far = data.users ? budget_until(month, data) : data.each;
    const private_svi learner(options, so_far);
    const auto topics = learner.fit(data.letters.slice((month - 1) * letters, month * letters), random);
    // The planner takes all that is spent so far for this month's.
    if (data.users) options.background_share = learner.plan().background_share;
    if (month == 1 || month == 3 || month == 6 || month == data.months)
      add(table, run, data, goes_on ? "update" : "own fits", month, topics.value());
    if (data.users) options.before = topics.ledger();
    if (!goes_on) continue;
    if (data.users) {
      options.earlier = earlier_topics(topics);
    } else {
      options.earlier = declare_disjoint(topics, "month " + std::to_string(month + 1));
    }
  }
}

void add_seed(results& table, const task& asked, const corpus& all, std::uint64_t seed) {
  const run_of run{asked.with.text("corpus"), "", asked.with.number("epsilon"), seed, {""}};
  const auto random = seeded_random(seed);
  auto bits = random.stream("held out");
  const auto [train, held_out] = train_test_split(all, bits, {.share = 0.1, .most = 1000, .min_tokens = 10});
  std::vector<std::size_t> order(train.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order), bits);
  order.resize(std::min(order.size(), asked.with.count("letters")));
  const bool users = asked.with.on("users");
  const corpus letters = train.select(order);
  const year data{users ? by_users(letters, asked.with.count("months")) : letters,
                  held_out,
                  asked.with.count("months"),
                  asked.with.count("topics"),
                  asked.with.count("steps"),
                  {asked.with.number("epsilon"), 1e-6},
                  users};
  months(table, run, data, true);
  months(table, run, data, false);
  run_of words = run;
  words.further = {std::to_string(data.months)};
  add_unigram(table, words, data.letters, held_out);
  random_source at_end = seeded_random(seed), plain = seeded_random(seed);
  add(table, run, data, "svi without noise", data.months, svi<>({.topics = data.topics}).fit(data.letters, plain));
  add(table, run, data, "one fit at the end", data.months,
      private_svi(options_of(data, data.letters.size() / (users ? data.months : 1)), data.each)
          .fit(data.letters, at_end)
          .value());
}

void run(const task& asked) {
  const corpus all = most_frequent_words(read_named(asked.data, asked.with.text("corpus")), asked.with.count("words"));
  results table({"month"});
  const std::uint64_t first = asked.with.count("first_seed"), last = first + asked.with.count("seeds") - 1;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    add_seed(table, asked, all, seed);
    table.write(asked.folder / "monthly.csv");
  }
  for (const char* const metric : {"type", "control_type", "token", "npmi"})
    table.show(asked.with.text("corpus") + ", " + asked.with.text("letters") + " letters in " +
                   asked.with.text("months") + " months, " + asked.with.text("words") + " words, " +
                   asked.with.text("topics") + " topics, epsilon " + asked.with.text("epsilon") +
                   (asked.with.on("users") ? " for each user, all year" : " for each letter") + ", seeds " +
                   std::to_string(first) + " to " + std::to_string(last) + ": " + metric,
               {.rows = {"learner"}, .columns = {"month"}, .where = {{"metric", metric}}});
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(argc, argv,
                  {{"corpus", "imdb"},
                   {"letters", "36000"},
                   {"months", "12"},
                   {"words", "1500"},
                   {"topics", "20"},
                   {"steps", "10"},
                   {"epsilon", "4"},
                   {"users", "0"},
                   {"first_seed", "21"},
                   {"seeds", "3"}},
                  run);
}
