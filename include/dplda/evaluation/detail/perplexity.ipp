// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_PERPLEXITY_IPP
#define DPLDA_EVALUATION_DETAIL_PERPLEXITY_IPP

// Bodies of evaluation/perplexity.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/evaluation/perplexity.hpp>

#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE topic_model<double> unigram_model(const corpus& train, double smoothing) {
  detail::require(smoothing >= 0 && std::isfinite(smoothing), "unigram_model", "smoothing", smoothing,
                  "must be non-negative and finite");
  detail::require(train.words() > 0 && (train.tokens() > 0 || smoothing > 0), "unigram_model",
                  "number of training tokens", train.tokens(),
                  "must be positive if smoothing is 0 or the vocabulary is empty");
  const std::vector<std::uint64_t> counts = word_counts(train);
  topic_model<double>::matrix phi(1, static_cast<Eigen::Index>(counts.size()));
  const double total = static_cast<double>(train.tokens()) + smoothing * static_cast<double>(counts.size());
  for (std::size_t w = 0; w < counts.size(); ++w) {
    phi(0, static_cast<Eigen::Index>(w)) = (static_cast<double>(counts[w]) + smoothing) / total;
  }
  return topic_model<double>(std::move(phi), train.vocab());
}

DPLDA_INLINE perplexity_result unigram_perplexity(const corpus& train, const corpus& docs,
                                                  const perplexity_options& options, double smoothing) {
  return document_completion_perplexity(unigram_model(train, smoothing), docs, options);
}

}  // namespace dplda::inline v0_1

#endif
