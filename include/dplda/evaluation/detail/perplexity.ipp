// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_PERPLEXITY_IPP
#define DPLDA_EVALUATION_DETAIL_PERPLEXITY_IPP

// Bodies of evaluation/perplexity.hpp.

#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/evaluation/perplexity.hpp>

#include <cstring>
#include <span>
#include <string>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE std::vector<document_score> scores_of_all(std::vector<document_score> own,
                                                       const process_group& processes) {
  std::vector<document_score> all = std::move(own);
  if (!processes.alone()) {
    const auto bytes = std::as_bytes(std::span(all));
    const std::vector<std::string> parts =
        processes.gather({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    all.clear();
    for (const std::string& part : parts) {
      const std::size_t before = all.size();
      all.resize(before + part.size() / sizeof(document_score));
      if (!part.empty()) std::memcpy(all.data() + before, part.data(), part.size());
    }
  }
  detail::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return all;
}

DPLDA_INLINE topic_model<double> unigram_of(const std::vector<std::uint64_t>& counts, const vocabulary_ptr& words,
                                            double smoothing) {
  std::uint64_t tokens = 0;
  for (const std::uint64_t count : counts) tokens += count;
  require(smoothing >= 0 && std::isfinite(smoothing), "unigram_model", "smoothing", smoothing,
          "must be non-negative and finite");
  require(!counts.empty() && (tokens > 0 || smoothing > 0), "unigram_model", "number of training tokens", tokens,
          "must be positive if smoothing is 0 or the vocabulary is empty");
  topic_model<double>::matrix phi(1, static_cast<Eigen::Index>(counts.size()));
  const double total = static_cast<double>(tokens) + smoothing * static_cast<double>(counts.size());
  for (std::size_t w = 0; w < counts.size(); ++w) {
    phi(0, static_cast<Eigen::Index>(w)) = (static_cast<double>(counts[w]) + smoothing) / total;
  }
  return topic_model<double>(std::move(phi), words);
}

}  // namespace detail

DPLDA_INLINE topic_model<double> unigram_model(const corpus& train, double smoothing) {
  return detail::unigram_of(word_counts(train), train.vocab(), smoothing);
}

DPLDA_INLINE perplexity_result unigram_perplexity(const corpus& train, const corpus& docs,
                                                  const perplexity_options& options, double smoothing) {
  std::vector<std::uint64_t> counts = word_counts(train);
  options.processes.sum(counts);
  return document_completion_perplexity(detail::unigram_of(counts, train.vocab(), smoothing), docs, options);
}

}  // namespace dplda::inline v0_1

#endif
