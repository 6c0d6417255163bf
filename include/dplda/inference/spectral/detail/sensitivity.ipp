// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_SENSITIVITY_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_SENSITIVITY_IPP

// Bodies of inference/spectral/sensitivity.hpp, which has their claim, argument and test.

#include <dplda/accounting/detail/safe_side.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/inference/spectral/detail/dense.hpp>
#include <dplda/inference/spectral/moments.hpp>
#include <dplda/inference/spectral/sensitivity.hpp>

#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE double per_document(double value, std::size_t count, const char* function) {
  require(count >= 1, function, "count", count, "must be at least 1");
  return raised(value / static_cast<double>(count), 32);
}

inline moment_weights weights_for(double alpha0, const char* function) {
  require(alpha0 >= 0, function, "alpha0", alpha0, "must be at least 0");
  return moment_weights::of(alpha0);
}

inline void require_positive(double value, const char* name, const char* function) {
  require(value > 0 && std::isfinite(value), function, name, value, "must be positive and finite");
}

inline void require_bound(double value, const char* name, const char* function) {
  require(value >= 0, function, name, value, "must be at least 0");
}

}  // namespace detail

DPLDA_INLINE double average_sensitivity(std::size_t count) {
  return detail::per_document(std::sqrt(2.0), count, "average_sensitivity");
}

DPLDA_INLINE double m2_l1_sensitivity(double alpha0, std::size_t count) {
  const auto w = detail::weights_for(alpha0, "m2_l1_sensitivity");
  return detail::per_document(2 + 4 * w.a, count, "m2_l1_sensitivity");
}

DPLDA_INLINE double m2_frobenius_sensitivity(double alpha0, std::size_t count) {
  const auto w = detail::weights_for(alpha0, "m2_frobenius_sensitivity");
  return detail::per_document(std::sqrt(2 + 4 * w.a * w.a), count, "m2_frobenius_sensitivity");
}

DPLDA_INLINE double m2_triangle_sensitivity(double alpha0, std::size_t count) {
  const auto w = detail::weights_for(alpha0, "m2_triangle_sensitivity");
  return detail::per_document(std::sqrt(2 + 2 * w.a * w.a), count, "m2_triangle_sensitivity");
}

DPLDA_INLINE double m2_operator_sensitivity(double alpha0, std::size_t count) {
  const double a = detail::weights_for(alpha0, "m2_operator_sensitivity").a;
  double largest = 0;
  // Tokens 0-2 are the one document, 3-5 the other, 6 the population.
  detail::for_each_pattern<7>([&](const std::array<std::size_t, 7>& words) {
    Eigen::MatrixXd d2 = Eigen::MatrixXd::Zero(7, 7);
    Eigen::VectorXd d1 = Eigen::VectorXd::Zero(7);
    for (std::size_t s = 0; s < 6; ++s) {
      const double sign = s < 3 ? 1 : -1;
      const auto i = static_cast<Eigen::Index>(words[s]);
      d1[i] += sign / 3;
      for (std::size_t t = s / 3 * 3; t < s / 3 * 3 + 3; ++t) {
        if (s != t) d2(i, static_cast<Eigen::Index>(words[t])) += sign / 6;
      }
    }
    const auto p = static_cast<Eigen::Index>(words[6]);
    for (Eigen::Index i = 0; i < 7; ++i) {
      d2(p, i) -= a * d1[i];
      d2(i, p) -= a * d1[i];
    }
    largest = std::max(largest, detail::operator_norm(d2));
  });
  // The eigenvalues' error is a small multiple of the rounding unit.
  return detail::per_document(detail::raised(largest, 1024), count, "m2_operator_sensitivity");
}

DPLDA_INLINE double m3_l1_sensitivity(double alpha0, std::size_t count) {
  const auto w = detail::weights_for(alpha0, "m3_l1_sensitivity");
  const auto n = static_cast<double>(count);
  return detail::per_document(2 + 12 * w.b + 6 * w.c + 2 * w.c / (n * n), count, "m3_l1_sensitivity");
}

DPLDA_INLINE double m3_frobenius_sensitivity(double alpha0, std::size_t count) {
  const auto [a, b, c] = detail::weights_for(alpha0, "m3_frobenius_sensitivity");
  const auto n = static_cast<double>(count);
  const double square = std::max(
      {2 + 6 * b * b + 6 * (b - c) * (b - c), 2 + 6 * b * b + 3 * c * c, 2 * (1 - 3 * b) * (1 - 3 * b) + 6 * c * c});
  return detail::per_document(std::sqrt(square) + c / (std::sqrt(2.0) * n * n), count, "m3_frobenius_sensitivity");
}

DPLDA_INLINE double whitened_tensor_sensitivity(double row_norm, double alpha0, std::size_t count) {
  detail::require_bound(row_norm, "row_norm", "whitened_tensor_sensitivity");
  return detail::raised(row_norm * row_norm * row_norm * m3_l1_sensitivity(alpha0, count), 8);
}

DPLDA_INLINE double whitened_average_sensitivity(double row_norm, double omega_norm, double alpha0, std::size_t count) {
  const char* const function = "whitened_average_sensitivity";
  detail::require_bound(row_norm, "row_norm", function);
  detail::require_bound(omega_norm, "omega_norm", function);
  const auto w = detail::weights_for(alpha0, function);
  return detail::per_document(2 * row_norm * row_norm * (row_norm + 3 * w.b * omega_norm), count, function);
}

DPLDA_INLINE double tensor_norm_bound(double smallest, double alpha0) {
  detail::require_positive(smallest, "smallest", "tensor_norm_bound");
  const auto w = detail::weights_for(alpha0, "tensor_norm_bound");
  return detail::raised((1 + 3 * w.b + w.c) / (smallest * std::sqrt(smallest)));
}

DPLDA_INLINE double basis_tensor_sensitivity(const basis_bounds& bounds, double tensor_norm, double alpha0,
                                             std::size_t count) {
  const char* const function = "basis_tensor_sensitivity";
  detail::require_positive(bounds.smallest, "smallest", function);
  detail::require(bounds.largest >= bounds.smallest, function, "largest", bounds.largest,
                  "must be at least the smallest eigenvalue");
  detail::require_bound(tensor_norm, "tensor_norm", function);
  const double power = bounds.smallest * std::sqrt(bounds.smallest);
  const double eta = m2_operator_sensitivity(alpha0, count) * std::sqrt(bounds.largest) / (2 * power);
  return detail::raised(m3_frobenius_sensitivity(alpha0, count) / power + eta * (3 + eta * (3 + eta)) * tensor_norm);
}

DPLDA_INLINE double eigenvector_coupling(const symmetric_tensor& tensor, const Eigen::VectorXd& v) {
  const auto k = static_cast<Eigen::Index>(tensor.size());
  Eigen::MatrixXd rest = Eigen::MatrixXd::Identity(k, k);
  for (Eigen::Index j = 0; j < k; ++j) detail::add_scaled(-v[j], v.data(), &rest(0, j), k);
  return detail::operator_norm(detail::multiplied(rest, detail::multiplied(tensor.contract(v), rest)));
}

DPLDA_INLINE double eigenvector_sensitivity(double tensor_sensitivity, double lambda, double kappa) {
  detail::require_bound(tensor_sensitivity, "tensor_sensitivity", "eigenvector_sensitivity");
  detail::require_bound(kappa, "kappa", "eigenvector_sensitivity");
  const double gap = lambda - 2 * kappa;
  return gap > 0 ? detail::raised(tensor_sensitivity / (std::sqrt(3.0) * gap)) : detail::infinite;
}

DPLDA_INLINE double topic_sensitivity(const basis_bounds& bounds, double tensor_sensitivity, double lambda,
                                      double kappa, double alpha0, std::size_t count) {
  const char* const function = "topic_sensitivity";
  detail::require_positive(bounds.smallest, "smallest", function);
  detail::require(bounds.largest >= bounds.smallest, function, "largest", bounds.largest,
                  "must be at least the smallest eigenvalue");
  detail::require_positive(lambda, "lambda", function);
  detail::require_alpha0(alpha0, function);
  const double vector = eigenvector_sensitivity(tensor_sensitivity, lambda, kappa);
  const double root = m2_operator_sensitivity(alpha0, count) / (2 * std::sqrt(bounds.smallest));
  return detail::raised((alpha0 + 2) / 2 *
                        (std::sqrt(bounds.largest) * (lambda * vector + tensor_sensitivity) + lambda * root));
}

DPLDA_INLINE double published_tensor_sensitivity(double delta3, std::size_t topics, double sigma_k) {
  const char* const function = "published_tensor_sensitivity";
  detail::require_bound(delta3, "delta3", function);
  detail::require(topics >= 1, function, "topics", topics, "must be at least 1");
  detail::require_positive(sigma_k, "sigma_k", function);
  return delta3 * std::pow(static_cast<double>(topics) / sigma_k, 1.5);
}

DPLDA_INLINE double published_eigenvector_sensitivity(double delta3, std::size_t topics, double sigma_k, double gap) {
  detail::require_positive(gap, "gap", "published_eigenvector_sensitivity");
  return published_tensor_sensitivity(delta3, topics, sigma_k) * std::sqrt(static_cast<double>(topics)) / gap;
}

DPLDA_INLINE double published_topic_sensitivity(double delta3, std::size_t topics, double sigma_1, double sigma_k,
                                                double gap) {
  detail::require_positive(sigma_1, "sigma_1", "published_topic_sensitivity");
  return published_eigenvector_sensitivity(delta3, topics, sigma_k, gap) * std::sqrt(sigma_1);
}

}  // namespace dplda::inline v0_1

#endif
