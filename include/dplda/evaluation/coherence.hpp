// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_COHERENCE_HPP
#define DPLDA_EVALUATION_COHERENCE_HPP

// Coherence: how often the top words of each topic occur together in a reference corpus. It counts documents, not
// tokens.

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/topic_model.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

/// The words of one topic, most probable first.
using ranked_words = std::vector<word_id>;

/// Coherence of each topic, and the mean over topics (0 if there are none). All values are finite.
struct coherence_result {
  std::vector<double> topics;
  double mean = 0;
};

/// Which word of a pair UMass coherence conditions on. Eq. (4) of Manzonelli et al. 2024 and Mimno et al. 2011 use the
/// word of higher rank; some programs use the other.
enum class umass_denominator { higher_ranked, lower_ranked };

/// The `count` most probable words of each topic.
template <class Real>
std::vector<ranked_words> top_word_lists(const topic_model<Real>& model, std::size_t count) {
  std::vector<ranked_words> lists(model.topics());
  for (std::size_t k = 0; k < lists.size(); ++k) {
    for (const weighted_word& w : top_words(model, k, count)) lists[k].push_back(w.word);
  }
  return lists;
}

namespace detail {

coherence_result with_mean(std::vector<double> topics);

}  // namespace detail

/// UMass coherence, the sum over pairs of Mimno et al. 2011 as in eq. (4) of Manzonelli et al. 2024:
///
///     coherence(t) = sum_(m=2..M) sum_(l<m) log((D(v_m, v_l) + 1) / D(v_l)),
///
/// where D counts documents and v_1, ..., v_M are the topic's words, most probable first; higher is better. If no
/// document contains the conditioning word, the pair counts log(1 / documents), the least possible value, instead of
/// dividing by 0. Topics of fewer than two words score 0. Throws std::invalid_argument if a word is not in the corpus's
/// vocabulary.
coherence_result umass_coherence(std::span<const ranked_words> topics, const corpus& docs,
                                 umass_denominator denominator = umass_denominator::higher_ranked);

/// UMass coherence of the model's `words_per_topic` most probable words.
/// Throws std::invalid_argument if the model and the documents have different vocabularies.
template <class Real>
coherence_result umass_coherence(const topic_model<Real>& model, const corpus& docs, std::size_t words_per_topic = 10,
                                 umass_denominator denominator = umass_denominator::higher_ranked) {
  detail::require_same_vocabulary("umass_coherence", docs.vocab(), model.vocab());
  return umass_coherence(top_word_lists(model, words_per_topic), docs, denominator);
}

/// NPMI coherence: the mean over pairs of the topic's words of normalised pointwise mutual information (Bouma 2009),
///
///     npmi(v, w) = log(p(v, w) / (p(v) p(w))) / -log p(v, w),
///
/// where p is the share of documents that contain the words. In [-1, 1], 0 for independent words; higher is better. By
/// the limits, words that never occur together, or never occur, get -1, and words that all documents contain get 1.
/// Topics of fewer than two words score 0. Throws std::invalid_argument if a word is not in the corpus's vocabulary.
coherence_result npmi_coherence(std::span<const ranked_words> topics, const corpus& docs);

/// NPMI coherence of the model's `words_per_topic` most probable words.
/// Throws std::invalid_argument if the model and the documents have different vocabularies.
template <class Real>
coherence_result npmi_coherence(const topic_model<Real>& model, const corpus& docs, std::size_t words_per_topic = 10) {
  detail::require_same_vocabulary("npmi_coherence", docs.vocab(), model.vocab());
  return npmi_coherence(top_word_lists(model, words_per_topic), docs);
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/evaluation/detail/coherence.ipp>
#endif

#endif
