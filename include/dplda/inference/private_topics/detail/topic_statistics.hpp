// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_STATISTICS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_STATISTICS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/private_topics/detail/repeated_words.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Adds, for each unit of a batch, the number of its tokens of each word in each topic to an accumulator. Repeated
/// words count less.
///
/// Method divides a document's tokens among topics. Its result for a document must be a function of that document, the
/// topics in use and the bits named by the document's id alone:
///   use(phi, random)                      prepares for these topics, which come from releases
///   divide(doc, id, worker, topics, to)   lists topics, ascending, and writes a number of tokens for each of them, for
///                                         one word after the other; topics not listed have almost none
template <class Method>
class topic_statistics {
 public:
  /// Preconditions: alpha positive, options valid, threads at least 1.
  topic_statistics(const Eigen::VectorXd& alpha, const typename Method::options& options,
                   const repeated_words& repeated, std::size_t threads)
      : topics_(static_cast<std::size_t>(alpha.size())), all_(topics_), method_(alpha, options) {
    std::iota(all_.begin(), all_.end(), std::uint32_t{0});
    for (std::size_t i = 0; i < threads; ++i) workers_.push_back({method_.make_worker(), repeated});
  }

  std::size_t threads() const noexcept { return workers_.size(); }

  /// The topics: topics x words, no column zero.
  void use(const Eigen::MatrixXd& phi, random_source& random) { method_.use(phi, random); }

  /// Adds these units to sums[0]; the other sums are work space of the other threads and end up empty. A word's counts
  /// are multiplied by its weight.
  void add(const corpus& docs, const privacy_units& units, std::span<const std::size_t> batch,
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

 private:
  struct worker {
    typename Method::worker own;
    repeated_words repeated;
    std::vector<double> values = {};         // of the unit: the columns of one word side by side
    std::vector<std::uint32_t> topics = {};  // of one document
    std::vector<double> document = {};       // what it has of them
  };

  void divide(const document& doc, const Eigen::VectorXd& word_weights, bool alone, worker& own) const {
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

  std::size_t topics_;
  std::vector<std::uint32_t> all_;  // all topics
  Method method_;
  std::vector<worker> workers_;
};

}  // namespace dplda::inline v0_1::detail

#endif
