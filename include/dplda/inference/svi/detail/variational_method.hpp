// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_VARIATIONAL_METHOD_HPP
#define DPLDA_INFERENCE_SVI_DETAIL_VARIATIONAL_METHOD_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How a document's tokens are divided among given topics by variational inference.
struct variational_options {
  std::size_t iterations = 30;  ///< at most this many updates of a document's posterior
  double tolerance = 1e-2;      ///< a document is done when its gamma moves by less than this per topic
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

  /// Lists the topics that hold at least a thousandth of a token (less, if the tolerance is small), and writes their
  /// expected tokens for one word of the document after the other.
  void divide(const document& doc, std::uint64_t, worker& own, std::vector<std::uint32_t>& topics,
              std::vector<double>& to) const {
    own.solve(doc, [&](word_id word) { return rows_.col(static_cast<Eigen::Index>(word)).data(); });
    const double least = std::min(options_.tolerance, 1e-2) / 10;
    topics.clear();
    for (std::size_t k = 0; k < own.gamma().size(); ++k) {
      if (own.gamma()[k] - alpha_[static_cast<Eigen::Index>(k)] >= least)
        topics.push_back(static_cast<std::uint32_t>(k));
    }
    to.resize(doc.size() * topics.size());
    double* next = to.data();
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const double* row = own.rows() + n * own.stride();
      const double ratio = own.ratios()[n];
      for (const std::uint32_t k : topics) *next++ = own.weights()[k] * row[k] * ratio;
    }
  }

 private:
  Eigen::VectorXd alpha_;
  options options_;
  Eigen::MatrixXd rows_;  // topics (padded) x words, each column's largest entry 1
};

}  // namespace detail
}  // namespace dplda::inline v0_1

#endif
