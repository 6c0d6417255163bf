// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_STATISTICS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_TOPIC_STATISTICS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/inference/private_topics/detail/repeated_words.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Adds, for each unit of a batch, the number of its tokens of each word in each topic to an accumulator. Repeated
/// words count less.
///
/// Method divides a document's tokens among topics. Its result for a document must be a function of that document, the
/// topics in use and the bits named by the document's id alone:
///   use(phi, random)                      prepares for these topics, which come from releases
///   divide(doc, id, factors, worker, topics, to)   lists topics, ascending, and writes a number of tokens times the
///                                         word's factor for each of them, for one word after the other; topics not
///                                         listed have almost none
template <class Method>
class topic_statistics {
 public:
  /// Preconditions: alpha positive, options valid, threads at least 1.
  topic_statistics(const Eigen::VectorXd& alpha, const typename Method::options& options,
                   const repeated_words& repeated, std::size_t threads);

  std::size_t threads() const noexcept { return workers_.size(); }

  /// The topics: topics x words, no column zero.
  void use(const Eigen::MatrixXd& phi, random_source& random) { method_.use(phi, random); }

  /// Adds these units to sums[0]; the other sums are work space of the other threads and end up empty. A word's counts
  /// are multiplied by its weight.
  void add(const corpus& docs, const privacy_units& units, std::span<const std::size_t> batch,
           const Eigen::VectorXd& word_weights, std::vector<accumulator>& sums);

 private:
  struct worker {
    typename Method::worker own;
    repeated_words repeated;
    std::vector<double> factors = {};        // of one document's words
    std::vector<std::uint32_t> topics = {};  // of one document
    std::vector<double> document = {};       // what it has of them, one word after the other
    std::vector<double> values = {};         // of a unit of several documents: all topics of one word side by side
  };

  void add_document(const document& doc, const Eigen::VectorXd& word_weights, worker& own, accumulator& sums) const;
  void add_documents(const corpus& docs, std::span<const std::size_t> documents, const Eigen::VectorXd& word_weights,
                     worker& own, accumulator& sums) const;

  std::size_t topics_;
  std::vector<std::uint32_t> all_;  // all topics
  Method method_;
  std::vector<worker> workers_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/topic_statistics.ipp>
#endif

#endif
