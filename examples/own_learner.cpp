// SPDX-License-Identifier: Apache-2.0
// A private learner of your own, in the pipeline and under attack: topics around public seed words, from a noisy table.

#include <dplda/audit/audit.hpp>
#include <dplda/inference/private_learner.hpp>
#include <dplda/io/stop_words.hpp>
#include <dplda/io/text.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "support/letters.hpp"

struct seeding {
  using options_type = dplda::private_task;
  static constexpr const char* name = "seeded_topics";
  static constexpr std::string_view seeds[] = {"bus", "noise", "trees"};
  static dplda::accumulator_options table(const options_type& task, double z) {
    return task.sum(task.words, task.topics, z, "words of seeded topics");
  }
  static void record(const options_type& task, double z, dplda::ledger& to) { to.record(table(task, z).event()); }
  // Each unit adds its words to the topic whose seed occurs in the most documents of that unit: a function of it alone.
  static dplda::topic_model<> learn(const options_type& task, double z, const dplda::divided_corpus& docs,
                                    dplda::random_source& random, dplda::ledger& spent, const dplda::observer&) {
    dplda::accumulator sums(table(task, z));
    for (std::size_t u = 0; u < docs.units().size(); ++u) {
      std::vector<std::uint32_t> words;
      std::vector<double> counts, seen(std::size(seeds));
      for (const std::size_t d : docs.units().documents(u)) {
        const dplda::document doc = docs.docs()[d];
        words.insert(words.end(), doc.words.begin(), doc.words.end());
        counts.insert(counts.end(), doc.counts.begin(), doc.counts.end());
        for (const std::uint32_t word : doc.words)
          for (std::size_t k = 0; k < seen.size(); ++k) seen[k] += docs.docs().vocab()->word(word) == seeds[k];
      }
      const auto most = std::max_element(seen.begin(), seen.end());
      if (*most > 0) sums.add<double>(words, std::vector{static_cast<std::uint32_t>(most - seen.begin())}, counts);
    }
    const std::vector<double> noisy = sums.publish(random, spent, task.threads);
    const auto rows = static_cast<Eigen::Index>(task.topics), columns = static_cast<Eigen::Index>(task.words);
    Eigen::MatrixXd phi = Eigen::Map<const Eigen::MatrixXd>(noisy.data(), rows, columns).cwiseMax(1e-3);
    phi.array().colwise() /= phi.rowwise().sum().array().eval();
    return {phi, docs.docs().vocab()};
  }
};

int main() {
  std::vector<std::string> texts;
  for (const auto& letter : dplda_examples::city_letters(10000)) texts.push_back(letter.text);
  const dplda::corpus docs = dplda::corpus_from_texts(texts, {.tokens = {.stop_words = dplda::english_stop_words()}});
  const dplda::fully_private_topics<dplda::private_learner<seeding>> learner({.topics = {.topics = 3, .units = 10000}},
                                                                             {.epsilon = 2, .delta = 1e-6});
  auto random = dplda::secure_random();
  print_topics(std::cout, learner.fit(docs, random).value(), 7);
  std::cout << learner.guarantee() << "\nNot for release: " << audit(learner, docs, random) << '\n';
}
