// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_TENSOR_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_TENSOR_IPP

// Bodies of inference/spectral/tensor.hpp.

#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/tensor.hpp>
#include <dplda/random/continuous.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE symmetric_tensor::symmetric_tensor(std::size_t k)
    : entries_(static_cast<Eigen::Index>(k * k), static_cast<Eigen::Index>(k)) {
  detail::require(k >= 1, "symmetric_tensor", "size", k, "must be at least 1");
  entries_.setZero();
}

DPLDA_INLINE double symmetric_tensor::operator()(std::size_t a, std::size_t b, std::size_t c) const {
  return entries_(static_cast<Eigen::Index>(a + size() * b), static_cast<Eigen::Index>(c));
}

DPLDA_INLINE void symmetric_tensor::set(std::size_t a, std::size_t b, std::size_t c, double value) {
  at(a, b, c) = at(a, c, b) = at(b, a, c) = at(b, c, a) = at(c, a, b) = at(c, b, a) = value;
}

DPLDA_INLINE void symmetric_tensor::add_cube(const Eigen::VectorXd& u, double weight) {
  for (Eigen::Index c = 0; c < u.size(); ++c) {
    for (Eigen::Index b = 0; b < u.size(); ++b) {
      detail::add_scaled(weight * u[c] * u[b], u.data(), column(b, c), u.size());
    }
  }
}

DPLDA_INLINE void symmetric_tensor::add_symmetrised(const Eigen::MatrixXd& x, const Eigen::VectorXd& u, double weight) {
  for (Eigen::Index c = 0; c < u.size(); ++c) {
    for (Eigen::Index b = 0; b < u.size(); ++b) {
      detail::add_scaled(weight * u[c], &x(0, b), column(b, c), u.size());
      detail::add_scaled(weight * u[b], &x(0, c), column(b, c), u.size());
      detail::add_scaled(weight * x(b, c), u.data(), column(b, c), u.size());
    }
  }
}

DPLDA_INLINE Eigen::MatrixXd symmetric_tensor::contract(const Eigen::VectorXd& v) const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(v.size(), v.size());
  for (Eigen::Index c = 0; c < v.size(); ++c) detail::add_scaled(v[c], &entries_(0, c), sum.data(), sum.size());
  return sum;
}

DPLDA_INLINE double& symmetric_tensor::at(std::size_t a, std::size_t b, std::size_t c) {
  return entries_(static_cast<Eigen::Index>(a + size() * b), static_cast<Eigen::Index>(c));
}

namespace detail {

DPLDA_INLINE packed_tensor::packed_tensor(const symmetric_tensor& tensor)
    : columns_(tensor.entries().cols(), tensor.entries().cols() * (tensor.entries().cols() + 1) / 2) {
  const Eigen::Index k = columns_.rows();
  // Those of one c are neighbours on both sides.
  for (Eigen::Index c = 0; c < k; ++c) {
    std::copy_n(&tensor.entries()(0, c), k * (c + 1), &columns_(0, c * (c + 1) / 2));
  }
}

DPLDA_INLINE void packed_tensor::add_cube(const Eigen::VectorXd& u, double weight) {
  double* column = columns_.data();
  for (Eigen::Index c = 0; c < size(); ++c) {
    for (Eigen::Index b = 0; b <= c; ++b, column += size()) {
      add_scaled(weight * u[c] * u[b], u.data(), column, size());
    }
  }
}

DPLDA_INLINE Eigen::MatrixXd packed_tensor::apply(const Eigen::MatrixXd& frame) const {
  Eigen::MatrixXd pairs(columns_.cols(), frame.cols());
  for (Eigen::Index j = 0; j < frame.cols(); ++j) {
    const double* const v = &frame(0, j);
    double* pair = &pairs(0, j);
    for (Eigen::Index c = 0; c < size(); pair += ++c) {
      const double twice = 2 * v[c];
      for (Eigen::Index b = 0; b < c; ++b) pair[b] = twice * v[b];
      pair[c] = v[c] * v[c];
    }
  }
  return multiplied(columns_, pairs);
}

}  // namespace detail

DPLDA_INLINE Eigen::MatrixXd symmetric_tensor::apply(const Eigen::MatrixXd& frame) const {
  return detail::packed_tensor(*this).apply(frame);
}

namespace detail {

DPLDA_INLINE Eigen::MatrixXd random_directions(Eigen::Index size, Eigen::Index count, chacha20& bits) {
  Eigen::MatrixXd directions(size, count);
  for (Eigen::Index j = 0; j < count; ++j) {
    for (Eigen::Index i = 0; i < size; ++i) directions(i, j) = normal(bits);
    scale(1 / norm(&directions(0, j), size), &directions(0, j), size);
  }
  return directions;
}

/// The orthonormal frame nearest to these columns, X (X'X)^-1/2; where they are dependent, some frame that holds
/// their span. Precondition: square.
inline Eigen::MatrixXd nearest_frame(const Eigen::MatrixXd& columns) {
  const symmetric_eigen gram = eigen_of(multiplied(transposed(columns), columns));
  if (!(gram.values[0] > 1e-10 * gram.values[columns.cols() - 1])) return orthonormal_columns(columns);
  const Eigen::MatrixXd frame =
      multiplied(columns, apply_to_eigenvalues(gram, [](double x) { return 1 / std::sqrt(x); }));
  // A step of Newton's method, 1.5 F - 0.5 F F'F, because squaring X has halved the digits.
  Eigen::MatrixXd step = multiplied(transposed(frame), frame);
  scale(-0.5, step.data(), step.size());
  for (Eigen::Index i = 0; i < step.rows(); ++i) step(i, i) += 1.5;
  return multiplied(frame, step);
}

DPLDA_INLINE Eigen::VectorXd values_of(const Eigen::MatrixXd& frame, const Eigen::MatrixXd& applied) {
  Eigen::VectorXd values(frame.cols());
  for (Eigen::Index j = 0; j < frame.cols(); ++j) values[j] = dot(&frame(0, j), &applied(0, j), frame.rows());
  return values;
}

inline double largest_difference(const Eigen::MatrixXd& one, const Eigen::MatrixXd& two) {
  double largest = 0;
  for (Eigen::Index i = 0; i < one.size(); ++i) largest = std::max(largest, std::abs(one.data()[i] - two.data()[i]));
  return largest;
}

DPLDA_INLINE tensor_decomposition ordered(const packed_tensor& tensor, Eigen::MatrixXd frame) {
  const Eigen::VectorXd values = values_of(frame, tensor.apply(frame));
  std::vector<Eigen::Index> order(static_cast<std::size_t>(frame.cols()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Eigen::Index>(i);
  detail::stable_sort(order.begin(), order.end(),
                      [&](Eigen::Index i, Eigen::Index j) { return std::abs(values[i]) > std::abs(values[j]); });
  tensor_decomposition result{Eigen::VectorXd(values.size()), Eigen::MatrixXd::Zero(frame.rows(), frame.cols())};
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const Eigen::Index from = order[static_cast<std::size_t>(i)];
    result.values[i] = std::abs(values[from]);
    add_scaled(std::copysign(1.0, values[from]), &frame(0, from), &result.vectors(0, i), frame.rows());
  }
  return result;
}

/// An ascent of sum_i T(v_i, v_i, v_i)^2 over orthonormal frames: each step goes to the frame nearest to the gradient,
/// whose columns are 6 T(v_i, v_i, v_i) T(I, v_i, v_i).
inline Eigen::MatrixXd polished(const packed_tensor& tensor, Eigen::MatrixXd frame, const tensor_options& options) {
  for (std::size_t i = 0; i < options.iterations; ++i) {
    Eigen::MatrixXd gradient = tensor.apply(frame);
    const Eigen::VectorXd values = values_of(frame, gradient);
    for (Eigen::Index j = 0; j < values.size(); ++j) scale(values[j], &gradient(0, j), gradient.rows());
    Eigen::MatrixXd next = nearest_frame(gradient);
    const double moved = largest_difference(next, frame);
    frame = std::move(next);
    if (!(moved > options.tolerance)) break;
  }
  return frame;
}

inline Eigen::MatrixXd deflated_frame(const packed_tensor& tensor, const random_source& random,
                                      const tensor_options& options) {
  const Eigen::Index k = tensor.size();
  packed_tensor rest = tensor;
  Eigen::MatrixXd frame(k, k);
  for (Eigen::Index found = 0; found < k; ++found) {
    auto bits = random.stream("spectral.deflation", static_cast<std::uint64_t>(found));
    Eigen::MatrixXd starts = random_directions(k, static_cast<Eigen::Index>(options.restarts), bits);
    for (std::size_t i = 0; i < options.iterations; ++i) {
      Eigen::MatrixXd next = rest.apply(starts);
      for (Eigen::Index j = 0; j < next.cols(); ++j) {
        const double length = norm(&next(0, j), k);
        if (length > 0) {
          scale(1 / length, &next(0, j), k);
        } else {
          std::copy_n(&starts(0, j), k, &next(0, j));
        }
      }
      const double moved = largest_difference(next, starts);
      starts = std::move(next);
      if (!(moved > options.tolerance)) break;
    }
    const Eigen::VectorXd values = values_of(starts, rest.apply(starts));
    const Eigen::Index best = std::max_element(values.data(), values.data() + values.size()) - values.data();
    const Eigen::VectorXd vector = starts.col(best);
    std::copy_n(vector.data(), k, &frame(0, found));
    rest.add_cube(vector, -values[best]);
  }
  return frame;
}

}  // namespace detail

DPLDA_INLINE tensor_decomposition decompose(const symmetric_tensor& tensor, const random_source& random,
                                            const tensor_options& options, std::size_t threads) {
  detail::validate(options, "decompose");
  const detail::packed_tensor packed(tensor);
  if (options.method == tensor_method::deflation) {
    return detail::ordered(packed, detail::deflated_frame(packed, random, options));
  }
  const auto k = static_cast<Eigen::Index>(tensor.size());
  tensor_options rough = options;  // enough to tell which result is best
  rough.tolerance = std::max(options.tolerance, 1e-2);
  std::vector<Eigen::MatrixXd> ends(options.restarts);
  parallel_for(options.restarts, 1, threads, [&](std::size_t start, std::size_t, std::size_t) {
    Eigen::MatrixXd frame;
    if (start == 0) {
      frame = detail::deflated_frame(packed, random, rough);
    } else {
      auto bits = random.stream("spectral.frame", start);
      frame = detail::random_directions(k, k, bits);
    }
    ends[start] = detail::polished(packed, detail::nearest_frame(frame), rough);
  });
  std::size_t best = 0;
  double best_score = -1;
  for (std::size_t start = 0; start < ends.size(); ++start) {
    const Eigen::VectorXd values = detail::values_of(ends[start], packed.apply(ends[start]));
    const double score = detail::dot(values.data(), values.data(), values.size());
    if (score > best_score) {
      best = start;
      best_score = score;
    }
  }
  return detail::ordered(packed, detail::polished(packed, std::move(ends[best]), options));
}

}  // namespace dplda::inline v0_1

#endif
