// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_TOPIC_STATISTICS_HPP
#define DPLDA_INFERENCE_DETAIL_TOPIC_STATISTICS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/detail/repeated_words.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::detail {

/// Adds, for each unit of a batch, the number of its tokens of each word in each topic to an accumulator, repeated words
/// counting less.
///
/// Method divides a document's tokens among topics; what it makes of a document must be a function of that document, the
/// topics in use and the bits named by the document's id alone:
///   use(phi, random)               prepares for these topics, which come from releases
///   divide(doc, id, worker, to)    writes a number of tokens for each topic, for one word after the other
template <class Method>
class topic_statistics {
 public:
  /// Preconditions: alpha positive, options valid, threads at least 1.
  topic_statistics(const Eigen::VectorXd& alpha, const typename Method::options& options,
                   const repeated_words& repeated, std::size_t threads)
      : topics_(static_cast<std::size_t>(alpha.size())), method_(alpha, options) {
    for (std::size_t i = 0; i < threads; ++i) workers_.push_back({method_.make_worker(), repeated});
  }

  std::size_t threads() const noexcept { return workers_.size(); }

  /// The topics: topics x words, no column zero.
  void use(const Eigen::MatrixXd& phi, random_source& random) { method_.use(phi, random); }

  /// Adds these units to sums[0]; the others are work space of the other threads and end up empty. A word's counts are
  /// multiplied by its weight.
  void add(const corpus& docs, const privacy_units& units, std::span<const std::size_t> batch,
           const Eigen::VectorXd& word_weights, std::vector<accumulator>& sums) {
    parallel_for(batch.size(), 16, threads(), [&](std::size_t begin, std::size_t end, std::size_t w) {
      worker& own = workers_[w];
      for (std::size_t i = begin; i < end; ++i) {
        own.repeated.look_at(docs, units.documents(batch[i]));
        own.values.assign(own.repeated.words().size() * topics_, 0.0);
        for (const std::size_t d : units.documents(batch[i])) divide(docs[d], word_weights, own);
        sums[w].add(own.repeated.words(), std::span<const double>(own.values));
      }
    });
    for (std::size_t w = 1; w < threads(); ++w) sums[0].merge(sums[w]);
  }

 private:
  struct worker {
    typename Method::worker own;
    repeated_words repeated;
    std::vector<double> values = {};    // of the unit: topics of one word side by side
    std::vector<double> document = {};  // the same of one document
  };

  void divide(const document& doc, const Eigen::VectorXd& word_weights, worker& own) const {
    own.document.resize(doc.size() * topics_);
    method_.divide(doc, doc.id, own.own, own.document.data());
    const double* from = own.document.data();
    for (std::size_t n = 0; n < doc.size(); ++n, from += topics_) {
      const double factor = word_weights[static_cast<Eigen::Index>(doc.words[n])] * own.repeated.factor(doc.words[n]);
      double* to = own.values.data() + own.repeated.place(doc.words[n]) * topics_;
      for (std::size_t k = 0; k < topics_; ++k) to[k] += factor * from[k];
    }
  }

  std::size_t topics_;
  Method method_;
  std::vector<worker> workers_;
};

}  // namespace dplda::detail

#endif
