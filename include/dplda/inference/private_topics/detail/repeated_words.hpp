// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_REPEATED_WORDS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_REPEATED_WORDS_HPP

#include <dplda/core/corpus.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The distinct words of a unit's documents, and the lower weight of repeated words: n tokens of a word in all of the
/// unit's documents count as n^power. A unit's contribution has a bounded norm, and a few repeated words would leave no
/// room for the others.
class repeated_words {
 public:
  /// Precondition: 0 <= power <= 1.
  repeated_words(std::size_t words, double power);

  /// The weight of a token of a word that the unit has this often, at least once.
  double weight(double tokens) const;

  /// Looks at the documents of a unit.
  void look_at(const corpus& docs, std::span<const std::size_t> documents);

  /// The words that the unit uses, each once.
  std::span<const word_id> words() const { return words_; }
  /// Which of these a word is.
  std::size_t place(word_id word) const { return places_[word]; }
  /// The weight of a token of this word.
  double factor(word_id word) const { return factors_[word]; }

 private:
  std::array<double, 64> small_;  // the factors of small numbers of tokens
  std::vector<double> factors_;
  std::vector<std::uint32_t> places_;
  std::vector<word_id> words_ = {};
  double power_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/repeated_words.ipp>
#endif

#endif
