// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_VARIATIONAL_METHOD_HPP
#define DPLDA_INFERENCE_SVI_DETAIL_VARIATIONAL_METHOD_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How a document's tokens are divided among given topics by variational inference.
struct variational_options {
  std::size_t iterations = 30;  ///< at most this many updates of a document's posterior
  double tolerance = 1e-2;      ///< a document is done when its gamma moves by less than this per topic
};

namespace detail {

template <class Real>
class document_solver;

/// The method of topic_statistics that takes the expected topic counts of the mean-field posterior.
class variational_method {
 public:
  using options = variational_options;
  static constexpr const char* name = "private_svi";

  static void validate(const options& o);

  /// Work space of a thread.
  using worker = document_solver<float>;

  variational_method(Eigen::VectorXd alpha, const options& o) : alpha_(std::move(alpha)), options_(o) {}

  worker make_worker() const;

  void use(const Eigen::MatrixXd& phi, random_source&);

  /// Lists the topics that hold at least a thousandth of a token (less, if the tolerance is small), and writes their
  /// expected tokens times the word's factor for one word of the document after the other.
  void divide(const document& doc, std::uint64_t, std::span<const double> factors, worker& own,
              std::vector<std::uint32_t>& topics, std::vector<double>& to) const;

 private:
  Eigen::VectorXd alpha_;
  options options_;
  Eigen::MatrixXf rows_;  // topics (padded) x words, each column's largest entry 1
};

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/svi/detail/variational_method.ipp>
#endif

#endif
