// SPDX-License-Identifier: Apache-2.0
// Privately selected vocabularies, at epsilon 1, 3, 5 and 10 and delta 1e-5; vocabulary.sh starts it.
//   vocabulary DATA FOLDER [SETTING VALUE]...
// Settings: corpora tweetrumors,airtweets   of DATA; a corpus with users is taken per user
//           seeds 5                         for each selector
//           topics 10                       of svi over the selected words, scored on held-out documents; 0: none
// For each selector: the number of words, the share of held-out tokens that they cover, and scores of topics over them.
// Words are selected from all documents; topics are learned from 5000 at most that are not held out. Perplexities of
// different vocabularies do not compare; their ratio to that of word frequencies does.

#include <dplda/dplda.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include "../support/corpora.hpp"
#include "../support/program.hpp"
#include "../support/results.hpp"
#include "../support/score.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace {

using namespace dplda_benchmarks;

struct entry {
  const char* name;
  dplda::vocabulary_options options;
};

void add_topics(results& table, const run_of& run, std::size_t topics, const dplda::corpus& train,
                const dplda::corpus& test) {
  auto random = dplda::seeded_random(run.seed);
  const auto model = dplda::svi<>({.topics = topics}).fit(train, random);
  const scores found = score(model, test, random, {.reference = &train});
  add_scores(table, run, found);
  const auto unigram = dplda::unigram_model(each_word_once(train));
  table.add(run, "type_over_unigram", found.type / type_completion_perplexity(unigram, test).perplexity);
}

void run(const task& asked) {
  using enum dplda::vocabulary_method;
  const entry methods[] = {{"count_laplace", {.method = count_laplace, .words_per_unit = 30}},
                           {"weighted_laplace", {.method = weighted_laplace, .words_per_unit = 100}},
                           {"weighted_gaussian", {.method = weighted_gaussian}},
                           {"policy_laplace", {.method = policy_laplace, .words_per_unit = 100, .cap_margin = 3}},
                           {"policy_gaussian", {.method = policy_gaussian}},
                           {"frequency_first", {.method = frequency_first, .words_per_unit = 100, .cap_margin = 3}},
                           {"frequency_first_as_published",
                            {.method = frequency_first, .cap_margin = 3, .basis = dplda::basis::as_published}},
                           {"rounds", {.method = rounds}},
                           {"informed_rounds", {.method = informed_rounds}}};
  results table;
  for (const std::string& name : asked.with.list("corpora")) {
    const dplda::corpus docs = read_named(asked.data, name);
    const bool users = docs.has_users();
    auto bits = dplda::seeded_random(0).stream("held out");
    const auto kind = users ? dplda::split_unit::user : dplda::split_unit::document;
    const auto [rest, test] = train_test_split(docs, bits, {.share = 0.1, .most = 500, .unit = kind});
    const dplda::corpus train = random_sample(rest, std::min<std::size_t>(5000, rest.size()), bits);
    for (const entry& method : methods) {
      for (const double epsilon : {1.0, 3.0, 5.0, 10.0}) {
        dplda::vocabulary_options options = method.options;
        options.unit = users ? dplda::privacy_unit::user : dplda::privacy_unit::document;
        const dplda::vocabulary_selector selector(options, {.epsilon = epsilon, .delta = 1e-5});
        for (std::uint64_t seed = 0; seed < asked.with.count("seeds"); ++seed) {
          auto random = dplda::seeded_random(seed);
          const run_of one{.corpus = name, .learner = method.name, .epsilon = epsilon, .seed = seed};
          const auto words = selector.fit(docs, random).value();
          const dplda::corpus scored = test.restrict_to(words);
          table.add(one, "words", static_cast<double>(words->size()));
          table.add(one, "coverage", static_cast<double>(scored.tokens()) / static_cast<double>(test.tokens()));
          if (asked.with.on("topics") && words->size() > asked.with.count("topics"))
            add_topics(table, one, asked.with.count("topics"), train.restrict_to(words), scored);
        }
      }
    }
    table.show(name + ", per " + (users ? "user" : "document") + ", delta = 1e-5: words released",
               {.rows = {"learner"}, .columns = {"epsilon"}, .where = {{"corpus", name}, {"metric", "words"}}});
    table.show(name + ": share of held-out tokens that they cover",
               {.rows = {"learner"},
                .columns = {"epsilon"},
                .where = {{"corpus", name}, {"metric", "coverage"}},
                .significant = 3});
    table.write(asked.folder / "vocabulary.csv");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(argc, argv, settings{{"corpora", "tweetrumors,airtweets"}, {"seeds", "5"}, {"topics", "10"}}, run);
}
