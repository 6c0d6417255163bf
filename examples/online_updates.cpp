// SPDX-License-Identifier: Apache-2.0
// Documents that arrive month by month: topics learn from each month, and are scored on the next.

#include <dplda/core/corpus.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/random/source.hpp>

#include <cstdio>

int main() {
  constexpr std::size_t months = 12, letters = 1500;
  const auto [docs, truth, theta, outliers] =
      dplda::synthetic_lda({.documents = months * letters, .words = 2000, .topics = 15}, dplda::seeded_random(1));

  const dplda::svi learner({.topics = 15, .tau0 = 1});
  auto random = dplda::seeded_random(2);
  auto topics = learner.start(docs.vocab(), random, dplda::word_counts(docs.slice(0, letters)));
  for (std::size_t month = 0; month + 1 < months; ++month) {
    const dplda::corpus arrived = docs.slice(month * letters, (month + 1) * letters);
    for (std::size_t day = 0; day < 30; ++day) {
      learner.partial_fit(topics, arrived.slice(day * letters / 30, (day + 1) * letters / 30), docs.size());
    }
    const dplda::corpus next = docs.slice((month + 1) * letters, (month + 2) * letters);
    std::printf("after month %2zu: perplexity of the next month's letters %.0f\n", month + 1,
                dplda::document_completion_perplexity(topics.model(), next, {.threads = 0}).perplexity);
  }
  std::printf(
      "with the topics that the letters were drawn from: %.0f\n",
      dplda::document_completion_perplexity(truth, docs.slice((months - 1) * letters, docs.size()), {.threads = 0})
          .perplexity);
}
