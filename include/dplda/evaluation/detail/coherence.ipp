// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_COHERENCE_IPP
#define DPLDA_EVALUATION_DETAIL_COHERENCE_IPP

// Bodies of evaluation/coherence.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/evaluation/coherence.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace dplda::inline v0_1 {

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

DPLDA_INLINE coherence_result with_mean(std::vector<double> topics) {
  double sum = 0;
  for (const double value : topics) sum += value;
  const double mean = topics.empty() ? 0 : sum / static_cast<double>(topics.size());
  return {std::move(topics), mean};
}

}  // namespace detail

DPLDA_INLINE coherence_result umass_coherence(std::span<const ranked_words> topics, const corpus& docs,
                                              umass_denominator denominator) {
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

DPLDA_INLINE coherence_result npmi_coherence(std::span<const ranked_words> topics, const corpus& docs) {
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

}  // namespace dplda::inline v0_1

#endif
