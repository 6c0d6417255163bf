// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_STATISTICS_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_STATISTICS_IPP

// Bodies of inference/private_topics/detail/topic_statistics.hpp.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/private_topics/detail/topic_statistics.hpp>

#include <numeric>

namespace dplda::inline v0_1 {

namespace detail {

template <class Method>
topic_statistics<Method>::topic_statistics(const Eigen::VectorXd& alpha, const typename Method::options& options,
                                           const repeated_words& repeated, std::size_t threads)
    : topics_(static_cast<std::size_t>(alpha.size())), all_(topics_), method_(alpha, options) {
  std::iota(all_.begin(), all_.end(), std::uint32_t{0});
  for (std::size_t i = 0; i < threads; ++i) workers_.push_back({method_.make_worker(), repeated});
}

template <class Method>
void topic_statistics<Method>::add(const corpus& docs, const privacy_units& units, std::span<const std::size_t> batch,
                                   const Eigen::VectorXd& word_weights, std::vector<accumulator>& sums) {
  parallel_for(batch.size(), 16, threads(), [&](std::size_t begin, std::size_t end, std::size_t w) {
    worker& own = workers_[w];
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const std::size_t> documents = units.documents(batch[i]);
      own.repeated.look_at(docs, documents);
      // One document: its own topics. Several: all topics, since each document has its own.
      own.values.clear();
      for (const std::size_t d : documents) divide(docs[d], word_weights, documents.size() == 1, own);
      const std::vector<std::uint32_t>& columns = documents.size() == 1 ? own.topics : all_;
      sums[w].add(own.repeated.words(), std::span(columns), std::span<const double>(own.values));
    }
  });
  for (std::size_t w = 1; w < threads(); ++w) sums[0].merge(sums[w]);
}

template <class Method>
void topic_statistics<Method>::divide(const document& doc, const Eigen::VectorXd& word_weights, bool alone,
                                      worker& own) const {
  method_.divide(doc, doc.id, own.own, own.topics, own.document);
  const std::size_t width = alone ? own.topics.size() : topics_;
  own.values.resize(own.repeated.words().size() * width);
  const double* from = own.document.data();
  for (std::size_t n = 0; n < doc.size(); ++n, from += own.topics.size()) {
    const double factor = word_weights[static_cast<Eigen::Index>(doc.words[n])] * own.repeated.factor(doc.words[n]);
    double* to = own.values.data() + own.repeated.place(doc.words[n]) * width;
    for (std::size_t j = 0; j < own.topics.size(); ++j) to[alone ? j : own.topics[j]] += factor * from[j];
  }
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
