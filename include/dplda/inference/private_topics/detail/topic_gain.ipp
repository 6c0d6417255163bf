// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_GAIN_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_GAIN_IPP

// Bodies of inference/private_topics/detail/topic_gain.hpp.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/private_topics/detail/topic_gain.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

DPLDA_INLINE topic_gain::topic_gain(const Eigen::MatrixXd& phi, Eigen::VectorXd words, const vocabulary_ptr& vocab,
                                    const Eigen::VectorXd& alpha, random_source& random)
    : topics_(phi, vocab, alpha),
      words_(std::move(words)),
      infer_(topics_, {.estimator = theta_estimator::em}),
      random_(random.fork()) {}

DPLDA_INLINE double topic_gain::operator()(const corpus& docs, std::span<const std::size_t> unit) const {
  if (unit.empty()) return 0;
  auto bits = random_.stream("private_topics.gain", docs[unit.front()].id);
  const document doc = docs[unit[uniform_below(bits, unit.size())]];
  if (doc.size() < 2) return 0;
  std::vector<word_id> words(doc.words.begin(), doc.words.end());
  shuffle(std::span<word_id>(words), bits);
  const auto middle = words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2);
  std::sort(words.begin(), middle);  // as in a document
  const std::vector<std::uint32_t> once(words.size() / 2, 1);
  const Eigen::VectorXd theta = infer_(document{std::span(words).first(once.size()), once, doc.id});
  double seen_by_topics = 0, seen = 0, gain = 0;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto v = static_cast<Eigen::Index>(*word);
    const double by_topics = theta.dot(topics_.phi().col(v));
    if (word < middle) {
      seen_by_topics += by_topics;
      seen += words_[v];
    } else {
      gain += std::log(by_topics / words_[v]);
    }
  }
  const double scored = static_cast<double>(words.end() - middle);
  const double each = gain / scored + std::log((1 - seen) / std::max(1 - seen_by_topics, 1e-9));
  return std::isfinite(each) ? std::clamp(each, -1.0, 1.0) : 0;
}

DPLDA_INLINE void topic_gain::add(const corpus& docs, const privacy_units& units, std::span<accumulator> sums) const {
  parallel_for(units.size(), 64, sums.size(), [&](std::size_t first, std::size_t last, std::size_t worker) {
    for (std::size_t u = first; u < last; ++u) sums[worker].add(0, (*this)(docs, units.documents(u)));
  });
  for (std::size_t i = 1; i < sums.size(); ++i) sums.front().merge(sums[i]);
}

}  // namespace dplda::inline v0_1::detail

#endif
