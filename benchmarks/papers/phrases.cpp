// SPDX-License-Identifier: Apache-2.0
// Phrases: which are released, and what they do to topics at equal epsilon. See phrases.sh.
//   phrases TEXTS FOLDER [SETTING VALUE]...        TEXTS has a text on each line

#include <dplda/dplda.hpp>

#include "../support/program.hpp"
#include "../support/results.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using namespace dplda_benchmarks;

std::vector<std::string_view> parts_of(std::string_view phrase) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = phrase.find('_');
    parts.push_back(phrase.substr(0, end));
    if (end == std::string_view::npos) return parts;
    phrase.remove_prefix(end + 1);
  }
}

// The same documents, in which the words inside phrases do not count.
corpus without_inner_words(const corpus& docs) {
  const vocabulary& words = *docs.vocab();
  corpus_builder builder;
  std::vector<std::uint32_t> counts(docs.words());
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n) counts[docs[d].words[n]] = docs[d].counts[n];
    for (std::size_t n = 0; n < docs[d].size(); ++n) {
      const std::string_view word = words.word(docs[d].words[n]);
      if (word.find('_') == std::string_view::npos) continue;
      for (const std::string_view part : parts_of(word)) {
        if (const auto id = words.find(part)) counts[*id] -= docs[d].counts[n];
      }
    }
    for (const word_id word : docs[d].words) builder.add(word, counts[word]);
    builder.end_document();
  }
  return declare_unpruned(builder.build(docs.vocab()));
}

// Topics as topics of words alone, so that those with phrases and without can be compared: what a topic gives to a phrase
// goes to each of its words.
topic_model<> as_words(const topic_model<>& topics, const vocabulary_ptr& words) {
  Eigen::MatrixXd phi = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(topics.topics()),
                                                  static_cast<Eigen::Index>(words->size()), 1e-9);
  for (word_id v = 0; v < topics.words(); ++v) {
    for (const std::string_view part : parts_of(topics.vocab()->word(v))) {
      if (const auto id = words->find(part)) phi.col(static_cast<Eigen::Index>(*id)) += topics.phi().col(v);
    }
  }
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  return topic_model<>(std::move(phi), words, topics.alpha());
}

struct fit_of {
  std::string learner;
  topic_model<> topics;
};

void run(const task& asked) {
  std::vector<std::string> all, train, held_out;
  std::ifstream in(asked.data);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  results table;
  const double epsilon = asked.with.number("epsilon"), delta = 1e-6;
  const std::size_t topics = asked.with.count("topics"), longest = asked.with.count("longest");
  const tokenizer_options tokens{.stop_words = english_stop_words()};
  const std::uint64_t first = asked.with.count("first_seed"), last = first + asked.with.count("seeds") - 1;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    random_source random = seeded_random(seed);
    auto coins = random.stream("held out");
    train.clear();
    held_out.clear();
    for (const std::string& text : all) (uniform_below(coins, 20) == 0 ? held_out : train).push_back(text);
    const ordered_texts ours = ordered_from_texts(train, tokens), others = ordered_from_texts(held_out, tokens);
    std::vector<fit_of> fits;
    const auto fit = [&](const std::string& name, const phrase_selector& selector, const release<vocabulary_ptr>& words,
                         const corpus& docs) {
      private_svi_options options{.topics = topics,
                                  .units = train.size(),
                                  .words = 3000,
                                  .steps = asked.with.count("steps"),
                                  .before = selector.plan().ledger};
      const private_svi learner = private_svi(options, {epsilon, delta}).for_words(words.value()->size());
      fits.push_back({name, learner.fit(words, docs, random).value()});
    };
    const phrase_selector only_words({.longest = 1}, {0.6 * epsilon, delta / 2}),
        phrases({.longest = longest}, {0.6 * epsilon, delta / 2});
    const auto words = only_words.fit(ours, random), longer = phrases.fit(ours, random);
    const corpus joined = with_phrases(ours, longer.value());
    fit("words", only_words, words, with_phrases(ours, words.value()));
    fit("phrases without their words", phrases, longer, without_inner_words(joined));
    fit("phrases and their words", phrases, longer, joined);

    // Scores on other documents, of words alone in all cases.
    std::vector<std::string> common;
    std::vector<std::size_t> sizes(longest);
    for (word_id v = 0; v < longer.value()->size(); ++v) {
      const std::string_view word = longer.value()->word(v);
      ++sizes[parts_of(word).size() - 1];
      if (words.value()->find(word)) common.emplace_back(word);
    }
    const vocabulary_ptr known = declare_public(std::make_shared<const vocabulary>(common));
    const corpus as_bag = with_phrases(others, known);
    for (const auto& [learner, model] : fits) {
      const run_of run{"texts", learner, epsilon, seed};
      const topic_model<> plain = as_words(model, known);
      auto shuffling = seeded_random(seed + 1000);
      const topic_model<> control = shuffled_topics(plain, shuffling);
      table.add(run, "words released", static_cast<double>(learner == "words" ? words.value()->size() : sizes[0]));
      table.add(run, "phrases released",
                learner == "words" ? 0 : static_cast<double>(longer.value()->size() - sizes[0]));
      table.add(run, "type", type_completion_perplexity(plain, as_bag).perplexity);
      table.add(run, "control_type", type_completion_perplexity(control, as_bag).perplexity);
      table.add(run, "npmi as words", npmi_coherence(plain, as_bag).mean);
      double shown = 0;
      for (std::size_t k = 0; k < topics; ++k) {
        for (const weighted_word& word : top_words(model, k, 10))
          shown += model.vocab()->word(word.word).find('_') != std::string_view::npos;
      }
      table.add(run, "phrases among 10 words of a topic", shown / static_cast<double>(topics));
    }
    table.write(asked.folder / "phrases.csv");
    if (seed != first) continue;
    std::printf("seed %llu: words %zu; phrases of two words %zu", static_cast<unsigned long long>(seed), sizes[0],
                longest > 1 ? sizes[1] : 0);
    for (std::size_t n = 3; n <= longest; ++n) std::printf(", of %zu %zu", n, sizes[n - 1]);
    std::printf("\n");
    std::size_t shown = 0;
    for (word_id v = 0; v < longer.value()->size(); ++v) {
      const std::string word(longer.value()->word(v));
      if (std::ranges::count(word, '_') > 0 && shown++ % 40 == 0) std::printf("  %s\n", word.c_str());
    }
    print_topics(std::cout, fits[2].topics);
  }
  table.show(std::to_string(all.size()) + " texts, epsilon " + asked.with.text("epsilon") + " in all, " +
                 asked.with.text("topics") + " topics, seeds " + std::to_string(first) + " to " + std::to_string(last),
             {.rows = {"metric"}, .columns = {"learner"}});
}

}  // namespace

int main(int argc, char** argv) {
  return run_task(
      argc, argv,
      {{"epsilon", "2"}, {"topics", "20"}, {"longest", "3"}, {"steps", "10"}, {"first_seed", "21"}, {"seeds", "3"}},
      run);
}
