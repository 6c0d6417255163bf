// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_COHERENCE_HPP
#define DPLDA_EVALUATION_COHERENCE_HPP

// Coherence: how often the top words of each topic occur together in a reference corpus. It counts documents, not
// tokens.

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

/// For each topic, the number of documents that contain both the words of ranks i and j.
class co_occurrence {
 public:
  co_occurrence(const char* function, std::span<const ranked_words> topics, const corpus& docs) {
    struct place {
      std::size_t topic, rank;
    };
    std::vector<std::vector<place>> places(docs.words());
    for (std::size_t k = 0; k < topics.size(); ++k) {
      for (std::size_t rank = 0; rank < topics[k].size(); ++rank) {
        require(topics[k][rank] < docs.words(), function, text("word ", rank, " of topic ", k), topics[k][rank],
                text("must be below the corpus's number of words, ", docs.words()));
        places[topics[k][rank]].push_back({k, rank});
      }
      counts_.emplace_back(topics[k].size() * (topics[k].size() + 1) / 2, 0);
    }
    // A document contains few of these words, and only pairs within a topic are needed.
    std::vector<std::vector<std::size_t>> found(topics.size());
    std::vector<std::size_t> touched;
    for (std::size_t d = 0; d < docs.size(); ++d) {
      for (const word_id word : docs[d].words) {
        for (const place& p : places[word]) {
          if (found[p.topic].empty()) touched.push_back(p.topic);
          found[p.topic].push_back(p.rank);
        }
      }
      for (const std::size_t k : touched) {
        for (const std::size_t i : found[k]) {
          for (const std::size_t j : found[k]) {
            if (j <= i) ++counts_[k][index(i, j)];
          }
        }
        found[k].clear();
      }
      touched.clear();
    }
  }

  /// Documents with both words of a topic; with i == j, documents with the word.
  double operator()(std::size_t topic, std::size_t i, std::size_t j) const {
    return static_cast<double>(counts_[topic][index(std::max(i, j), std::min(i, j))]);
  }

 private:
  static std::size_t index(std::size_t larger, std::size_t smaller) { return larger * (larger + 1) / 2 + smaller; }

  std::vector<std::vector<std::uint64_t>> counts_;
};

inline coherence_result with_mean(std::vector<double> topics) {
  double sum = 0;
  for (const double value : topics) sum += value;
  const double mean = topics.empty() ? 0 : sum / static_cast<double>(topics.size());
  return {std::move(topics), mean};
}

}  // namespace detail

/// UMass coherence, the sum over pairs of Mimno et al. 2011 as in eq. (4) of Manzonelli et al. 2024:
///
///     coherence(t) = sum_(m=2..M) sum_(l<m) log((D(v_m, v_l) + 1) / D(v_l)),
///
/// where D counts documents and v_1, ..., v_M are the topic's words, most probable first; higher is better. If no
/// document contains the conditioning word, the pair counts log(1 / documents), the least possible value, instead of
/// dividing by 0. Topics of fewer than two words score 0. Throws std::invalid_argument if a word is not in the corpus's
/// vocabulary.
inline coherence_result umass_coherence(std::span<const ranked_words> topics, const corpus& docs,
                                        umass_denominator denominator = umass_denominator::higher_ranked) {
  const detail::co_occurrence documents("umass_coherence", topics, docs);
  const double all = static_cast<double>(std::max<std::size_t>(1, docs.size()));
  std::vector<double> values(topics.size(), 0);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    for (std::size_t m = 1; m < topics[k].size(); ++m) {
      for (std::size_t l = 0; l < m; ++l) {
        const std::size_t given = denominator == umass_denominator::higher_ranked ? l : m;
        const double holding = documents(k, given, given);
        values[k] += std::log((documents(k, m, l) + 1) / (holding > 0 ? holding : all));
      }
    }
  }
  return detail::with_mean(std::move(values));
}

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
inline coherence_result npmi_coherence(std::span<const ranked_words> topics, const corpus& docs) {
  const detail::co_occurrence documents("npmi_coherence", topics, docs);
  const double all = static_cast<double>(docs.size());
  std::vector<double> values(topics.size(), 0);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    const std::size_t size = topics[k].size();
    for (std::size_t i = 1; i < size; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double both = documents(k, i, j);
        if (both == 0) {
          values[k] -= 1;
        } else if (both == all) {
          values[k] += 1;
        } else {
          const double information = std::log(both * all / (documents(k, i, i) * documents(k, j, j)));
          values[k] += std::clamp(information / std::log(all / both), -1.0, 1.0);
        }
      }
    }
    if (size > 1) values[k] /= static_cast<double>(size * (size - 1) / 2);
  }
  return detail::with_mean(std::move(values));
}

/// NPMI coherence of the model's `words_per_topic` most probable words.
/// Throws std::invalid_argument if the model and the documents have different vocabularies.
template <class Real>
coherence_result npmi_coherence(const topic_model<Real>& model, const corpus& docs, std::size_t words_per_topic = 10) {
  detail::require_same_vocabulary("npmi_coherence", docs.vocab(), model.vocab());
  return npmi_coherence(top_word_lists(model, words_per_topic), docs);
}

}  // namespace dplda::inline v0_1

#endif
