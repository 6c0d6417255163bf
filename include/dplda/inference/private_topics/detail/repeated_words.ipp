// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_REPEATED_WORDS_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_REPEATED_WORDS_IPP

// Bodies of inference/private_topics/detail/repeated_words.hpp.

#include <dplda/inference/private_topics/detail/repeated_words.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE repeated_words::repeated_words(std::size_t words, double power)
    : factors_(words), places_(words), power_(power) {
  for (std::size_t n = 0; n < small_.size(); ++n) small_[n] = std::pow(static_cast<double>(n), power_ - 1);
}

DPLDA_INLINE double repeated_words::weight(double tokens) const {
  return tokens < static_cast<double>(small_.size()) ? small_[static_cast<std::size_t>(tokens)]
                                                     : std::pow(tokens, power_ - 1);
}

DPLDA_INLINE void repeated_words::look_at(const corpus& docs, std::span<const std::size_t> documents) {
  for (const word_id word : words_) factors_[word] = 0;
  words_.clear();
  for (const std::size_t d : documents) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      double& total = factors_[doc.words[n]];
      if (total == 0) {
        places_[doc.words[n]] = static_cast<std::uint32_t>(words_.size());
        words_.push_back(doc.words[n]);
      }
      total += doc.counts[n];
    }
  }
  for (const word_id word : words_) factors_[word] = weight(factors_[word]);
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
