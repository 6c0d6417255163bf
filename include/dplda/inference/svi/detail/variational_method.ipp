// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_VARIATIONAL_METHOD_IPP
#define DPLDA_INFERENCE_SVI_DETAIL_VARIATIONAL_METHOD_IPP

// Bodies of inference/svi/detail/variational_method.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>
#include <dplda/inference/svi/detail/variational_method.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void variational_method::validate(const options& o) {
  require(o.iterations >= 1, name, "document.iterations", o.iterations, "must be at least 1");
  require(o.tolerance >= 0 && std::isfinite(o.tolerance), name, "document.tolerance", o.tolerance,
          "must be finite and not negative");
}

DPLDA_INLINE variational_method::worker variational_method::make_worker() const {
  return worker(alpha_, options_.iterations, options_.tolerance);
}

DPLDA_INLINE void variational_method::use(const Eigen::MatrixXd& phi, random_source&) {
  rows_.setZero(static_cast<Eigen::Index>(padded<float>(static_cast<std::size_t>(phi.rows()))), phi.cols());
  for (Eigen::Index v = 0; v < rows_.cols(); ++v)
    rows_.col(v).head(phi.rows()) = (phi.col(v) / phi.col(v).maxCoeff()).cast<float>();
}

DPLDA_INLINE void variational_method::divide(const document& doc, std::uint64_t, std::span<const double> factors,
                                             worker& own, std::vector<std::uint32_t>& topics,
                                             std::vector<double>& to) const {
  own.solve(doc, [&](word_id word) { return rows_.col(static_cast<Eigen::Index>(word)).data(); });
  const double least = std::min(options_.tolerance, 1e-2) / 10;
  topics.clear();
  for (std::size_t k = 0; k < own.gamma().size(); ++k) {
    if (static_cast<double>(own.gamma()[k]) - alpha_[static_cast<Eigen::Index>(k)] >= least)
      topics.push_back(static_cast<std::uint32_t>(k));
  }
  to.resize(doc.size() * topics.size());
  const float* const weights = own.weights().data();
  double* next = to.data();
  for (std::size_t n = 0; n < doc.size(); ++n) {
    const float* const row = own.rows() + n * own.stride();
    const double factor = factors[n] * static_cast<double>(own.ratios()[n]);
    for (const std::uint32_t k : topics) *next++ = factor * static_cast<double>(weights[k] * row[k]);
  }
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
