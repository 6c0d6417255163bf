// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_VARIATIONAL_METHOD_HPP
#define DPLDA_INFERENCE_DETAIL_VARIATIONAL_METHOD_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/inference/detail/document_solver.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace dplda {

/// How a document's tokens are divided among given topics by variational inference.
struct variational_options {
  std::size_t iterations = 30;  ///< at most this many updates of a document's posterior
  double tolerance = 1e-2;      ///< a document is done when its gamma moves by less than this a topic
};

namespace detail {

/// The method of topic_statistics that takes the expected topic counts of the mean-field posterior.
class variational_method {
 public:
  using options = variational_options;
  static constexpr const char* name = "private_svi";

  static void validate(const options& o) {
    require(o.iterations >= 1, name, "document.iterations", o.iterations, "must be at least 1");
    require(o.tolerance >= 0 && std::isfinite(o.tolerance), name, "document.tolerance", o.tolerance,
            "must be finite and not negative");
  }

  /// Work space of a thread.
  using worker = document_solver<double>;

  variational_method(Eigen::VectorXd alpha, const options& o) : alpha_(std::move(alpha)), options_(o) {}

  worker make_worker() const { return worker(alpha_, options_.iterations, options_.tolerance); }

  void use(const Eigen::MatrixXd& phi, random_source&) {
    rows_.setZero(static_cast<Eigen::Index>(padded<double>(static_cast<std::size_t>(phi.rows()))), phi.cols());
    for (Eigen::Index v = 0; v < rows_.cols(); ++v) rows_.col(v).head(phi.rows()) = phi.col(v) / phi.col(v).maxCoeff();
  }

  /// Writes the expected tokens of each topic, for one word of the document after the other.
  void divide(const document& doc, std::uint64_t, worker& own, double* to) const {
    own.solve(doc, [&](word_id word) { return rows_.col(static_cast<Eigen::Index>(word)).data(); });
    const auto topics = static_cast<std::size_t>(alpha_.size());
    const double* weights = own.weights().data();
    for (std::size_t n = 0; n < doc.size(); ++n, to += topics) {
      const double* row = rows_.col(static_cast<Eigen::Index>(doc.words[n])).data();
      const double ratio = own.ratios()[n];
      for (std::size_t k = 0; k < topics; ++k) to[k] = weights[k] * row[k] * ratio;
    }
  }

 private:
  Eigen::VectorXd alpha_;
  options options_;
  Eigen::MatrixXd rows_;  // topics (padded) x words, each column's largest entry 1
};

}  // namespace detail
}  // namespace dplda

#endif
