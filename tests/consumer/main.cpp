// SPDX-License-Identifier: Apache-2.0
// A program as a user writes it: text in, topics out.
#include <dplda/dplda.hpp>

#include <iostream>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> texts{"ferry harbour gull ferry", "harbour gull harbour", "bread baker flour",
                                       "flour bread oven baker"};
  const dplda::corpus docs = dplda::corpus_from_texts(texts);
  auto random = dplda::seeded_random(1);
  const dplda::svi learner({.topics = 2, .passes = 20, .batch_size = 0, .threads = 2});
  const dplda::topic_model<> topics = learner.fit(docs, random);
  print_topics(std::cout, topics, 3);
  return topics.topics() == 2 && topics.words() == docs.words() && std::cout.flush() ? 0 : 1;
}
