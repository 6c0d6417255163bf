// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_TOPIC_STATISTICS_HPP
#define DPLDA_INFERENCE_DETAIL_TOPIC_STATISTICS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/detail/document_solver.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dplda::detail {

/// The E-step of private variational inference: adds, for each unit of a batch, the expected number of its tokens of
/// each word in each topic to an accumulator.
///
/// A unit's contribution is a function of its documents, the rows and the weights, which come from releases: each
/// document is solved in a work space of its own (document_solver), and a user's documents are joined in their order.
class topic_statistics {
 public:
  /// Preconditions: those of document_solver; threads at least 1.
  topic_statistics(const Eigen::VectorXd& alpha, std::size_t iterations, double tolerance, std::size_t threads)
      : topics_(static_cast<std::size_t>(alpha.size())) {
    for (std::size_t i = 0; i < threads; ++i)
      workers_.push_back({document_solver<double>(alpha, iterations, tolerance)});
  }

  std::size_t threads() const noexcept { return workers_.size(); }

  /// What a word says of its topics, relative to each other: topics x words, no column zero.
  void use(const Eigen::MatrixXd& relevance) {
    rows_.setZero(static_cast<Eigen::Index>(workers_.front().solver.stride()), relevance.cols());
    for (Eigen::Index v = 0; v < rows_.cols(); ++v) {
      rows_.col(v).head(relevance.rows()) = relevance.col(v) / relevance.col(v).maxCoeff();
    }
  }

  /// Adds these units to sums[0]; the others are work space of the other threads and end up empty. A word's counts are
  /// multiplied by its weight.
  void add(const corpus& docs, const privacy_units& units, std::span<const std::size_t> batch,
           const Eigen::VectorXd& word_weights, std::vector<accumulator>& sums) {
    parallel_for(batch.size(), 16, threads(), [&](std::size_t begin, std::size_t end, std::size_t w) {
      worker& own = workers_[w];
      for (std::size_t i = begin; i < end; ++i) {
        own.words.clear();
        own.values.clear();
        for (const std::size_t d : units.documents(batch[i])) expect(docs[d], word_weights, own);
        sums[w].add(std::span<const std::uint32_t>(own.words), std::span<const double>(own.values));
      }
    });
    for (std::size_t w = 1; w < threads(); ++w) sums[0].merge(sums[w]);
  }

 private:
  struct worker {
    document_solver<double> solver;
    std::vector<std::uint32_t> words = {};
    std::vector<double> values = {};
  };

  void expect(const document& doc, const Eigen::VectorXd& word_weights, worker& own) const {
    own.solver.solve(doc, [&](word_id word) { return rows_.col(static_cast<Eigen::Index>(word)).data(); });
    own.words.insert(own.words.end(), doc.words.begin(), doc.words.end());
    const std::size_t first = own.values.size();
    own.values.resize(first + doc.size() * topics_);
    double* to = own.values.data() + first;
    const double* weights = own.solver.weights().data();
    for (std::size_t n = 0; n < doc.size(); ++n, to += topics_) {
      const auto word = static_cast<Eigen::Index>(doc.words[n]);
      const double* row = rows_.col(word).data();
      const double factor = own.solver.ratios()[n] * word_weights[word];
      for (std::size_t k = 0; k < topics_; ++k) to[k] = weights[k] * row[k] * factor;
    }
  }

  std::size_t topics_;
  std::vector<worker> workers_;
  Eigen::MatrixXd rows_;  // topics (padded) x words, each column's largest entry 1
};

}  // namespace dplda::detail

#endif
