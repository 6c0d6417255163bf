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
    for (std::size_t i = begin; i < end; ++i) {
      const std::span<const std::size_t> documents = units.documents(batch[i]);
      if (documents.size() == 1) {
        add_document(docs[documents.front()], word_weights, workers_[w], sums[w]);
      } else {
        add_documents(docs, documents, word_weights, workers_[w], sums[w]);
      }
    }
  });
  for (std::size_t w = 1; w < threads(); ++w) sums[0].merge(sums[w]);
}

template <class Method>
void topic_statistics<Method>::add_document(const document& doc, const Eigen::VectorXd& word_weights, worker& own,
                                            accumulator& sums) const {
  own.factors.resize(doc.size());
  for (std::size_t n = 0; n < doc.size(); ++n)
    own.factors[n] = word_weights[static_cast<Eigen::Index>(doc.words[n])] * own.repeated.weight(doc.counts[n]);
  method_.divide(doc, doc.id, own.factors, own.own, own.topics, own.document);
  sums.add(doc.words, std::span<const std::uint32_t>(own.topics), std::span<const double>(own.document));
}

template <class Method>
void topic_statistics<Method>::add_documents(const corpus& docs, std::span<const std::size_t> documents,
                                             const Eigen::VectorXd& word_weights, worker& own,
                                             accumulator& sums) const {
  own.repeated.look_at(docs, documents);
  own.values.assign(own.repeated.words().size() * topics_, 0.0);
  for (const std::size_t d : documents) {
    const document doc = docs[d];
    own.factors.resize(doc.size());
    for (std::size_t n = 0; n < doc.size(); ++n)
      own.factors[n] = word_weights[static_cast<Eigen::Index>(doc.words[n])] * own.repeated.factor(doc.words[n]);
    method_.divide(doc, doc.id, own.factors, own.own, own.topics, own.document);
    const double* from = own.document.data();
    for (const word_id word : doc.words) {
      double* to = own.values.data() + own.repeated.place(word) * topics_;
      for (const std::uint32_t k : own.topics) to[k] += *from++;
    }
  }
  sums.add(own.repeated.words(), std::span<const std::uint32_t>(all_), std::span<const double>(own.values));
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
