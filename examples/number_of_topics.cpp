// SPDX-License-Identifier: Apache-2.0
// How many topics? For each number: held-out perplexity, coherence, and whether two fits find the same topics. These
// scores have no noise: no guarantee covers a number of topics, an epsilon or a choice of documents that was made by
// looking at them. Choose on public documents.

#include <dplda/corpora/split.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/coherence.hpp>
#include <dplda/evaluation/distance.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/random/source.hpp>

#include <cstdio>

int main() {
  const auto data =
      dplda::synthetic_lda({.documents = 1500, .words = 1500, .topics = 12, .alpha = 0.05}, dplda::seeded_random(1));
  auto random = dplda::seeded_random(2);
  auto bits = random.stream("held out");
  const auto [train, test] = dplda::train_test_split(data.docs, bits, {.share = 0.1});

  std::printf("topics  perplexity  NPMI   distance of two fits (l1 per topic)\n");
  for (const std::size_t topics : {3u, 6u, 12u, 24u}) {
    const dplda::svi learner({.topics = topics, .passes = 30, .batch_size = 0});
    const auto first = learner.fit(train, random), second = learner.fit(train, random);
    const auto matched = dplda::select_topics(second, dplda::align_topics(second, first));
    std::printf("%6zu %11.0f %5.2f %6.2f\n", topics, dplda::document_completion_perplexity(first, test).perplexity,
                dplda::npmi_coherence(first, train).mean, dplda::compare_models(matched, first).l1_mean);
  }
}
