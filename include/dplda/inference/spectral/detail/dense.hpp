// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_DENSE_HPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_DENSE_HPP

// Dense matrices. All products go through two functions of plain types, and what is too small for them is a plain loop:
// Eigen compiles each kind of expression anew, and its decompositions for seconds.

#include <dplda/core/detail/pack.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace dplda::inline v0_1::detail {

/// A matrix for the kernels, with the distances from one row and from one column to the next. Inputs are only read.
struct product_view {
  double* data;
  std::size_t row;
  std::size_t column;
};

}  // namespace dplda::inline v0_1::detail

#define DPLDA_KERNELS <dplda/inference/spectral/detail/product_kernels.inl>
#include <dplda/core/detail/for_each_isa.hpp>

namespace dplda::inline v0_1::detail {

/// c += a b for `rows` x `columns` sums over `depth`. Precondition: rows of a and c are neighbours in memory.
inline void add_product(const product_view& c, const product_view& a, const product_view& b, std::size_t rows,
                        std::size_t columns, std::size_t depth) {
  wide_isa_runs() ? wide_isa::add_product(c, a, b, rows, columns, depth)
                  : own_isa::add_product(c, a, b, rows, columns, depth);
}

/// sum += sum_n counts_n rows_(ids_n) of rows of `columns` numbers.
template <class Id>
void add_counted_rows(const Id* ids, const std::uint32_t* counts, std::size_t size, const double* rows,
                      std::size_t columns, double* sum) {
  wide_isa_runs() ? wide_isa::add_counted_rows(ids, counts, size, rows, columns, sum)
                  : own_isa::add_counted_rows(ids, counts, size, rows, columns, sum);
}

/// Part of a column-major matrix: pointer, rows, columns, stride.
using const_block = Eigen::Map<const Eigen::MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>>;
using mutable_block = Eigen::Map<Eigen::MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>>;

template <class Block>
product_view kernel_view(const Block& m) {
  return {const_cast<double*>(m.data()), 1, static_cast<std::size_t>(m.outerStride())};
}

/// c += a b.
inline void add_multiplied(mutable_block c, const const_block& a, const const_block& b) {
  add_product(kernel_view(c), kernel_view(a), kernel_view(b), static_cast<std::size_t>(c.rows()),
              static_cast<std::size_t>(c.cols()), static_cast<std::size_t>(a.cols()));
}

/// c += a b'.
inline void add_multiplied_transposed(mutable_block c, const const_block& a, const const_block& b) {
  const product_view turned = {const_cast<double*>(b.data()), static_cast<std::size_t>(b.outerStride()), 1};
  add_product(kernel_view(c), kernel_view(a), turned, static_cast<std::size_t>(c.rows()),
              static_cast<std::size_t>(c.cols()), static_cast<std::size_t>(a.cols()));
}

inline const_block whole(const Eigen::MatrixXd& m) {
  return {m.data(), m.rows(), m.cols(), Eigen::OuterStride<>(m.rows())};
}
inline mutable_block whole(Eigen::MatrixXd& m) {
  return {m.data(), m.rows(), m.cols(), Eigen::OuterStride<>(m.rows())};
}

/// a b.
inline Eigen::MatrixXd multiplied(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  add_multiplied(whole(c), whole(a), whole(b));
  return c;
}

inline Eigen::MatrixXd transposed(const Eigen::MatrixXd& m) { return m.transpose(); }

/// y += weight x.
inline void add_scaled(double weight, const double* x, double* y, Eigen::Index size) {
  Eigen::Map<Eigen::VectorXd>(y, size) += weight * Eigen::Map<const Eigen::VectorXd>(x, size);
}

/// x'y, summed in an order that depends on the size alone.
inline double dot(const double* x, const double* y, Eigen::Index size) {
  double sums[4] = {0, 0, 0, 0};
  Eigen::Index i = 0;
  for (; i + 4 <= size; i += 4) {
    for (Eigen::Index j = 0; j < 4; ++j) sums[j] += x[i + j] * y[i + j];
  }
  for (; i < size; ++i) sums[0] += x[i] * y[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline double norm(const double* x, Eigen::Index size) { return std::sqrt(dot(x, x, size)); }

inline void scale(double factor, double* x, Eigen::Index size) {
  for (Eigen::Index i = 0; i < size; ++i) x[i] *= factor;
}

/// The eigenvalues of a symmetric matrix, smallest first, and its orthonormal eigenvectors.
struct symmetric_eigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};

/// Turns the symmetric matrix of a's lower triangle into a tridiagonal one, Q' a Q, by Householder's reflections (Golub
/// and Van Loan, Matrix computations, section 8.3.1). Destroys a.
inline Eigen::MatrixXd tridiagonalise(Eigen::MatrixXd& a, Eigen::VectorXd& diagonal, Eigen::VectorXd& beside) {
  const Eigen::Index n = a.rows();
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(n), image(n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    const Eigen::Index size = n - i - 1;
    double* const v = &a(i + 1, i);
    const double rest = dot(v + 1, v + 1, size - 1), first = v[0];
    beside[i] = first;
    if (!(rest > 0)) continue;
    // I - weight v v' takes the column to a multiple of its first axis.
    const double length = -std::copysign(std::sqrt(first * first + rest), first), weight = (length - first) / length;
    beside[i] = length;
    weights[i] = weight;
    v[0] = 1;
    scale(1 / (first - length), v + 1, size - 1);
    double* const p = image.data();
    std::fill_n(p, size, 0.0);
    for (Eigen::Index j = 0; j < size; ++j) {
      const double* const column = &a(i + 1 + j, i + 1 + j);
      p[j] += column[0] * v[j] + dot(column + 1, v + j + 1, size - j - 1);
      add_scaled(v[j], column + 1, p + j + 1, size - j - 1);
    }
    scale(weight, p, size);
    add_scaled(-0.5 * weight * dot(p, v, size), v, p, size);
    for (Eigen::Index j = 0; j < size; ++j) {
      double* const column = &a(i + 1 + j, i + 1 + j);
      add_scaled(-p[j], v + j, column, size - j);
      add_scaled(-v[j], p + j, column, size - j);
    }
  }
  diagonal = a.diagonal();
  Eigen::MatrixXd q = Eigen::MatrixXd::Identity(n, n);
  for (Eigen::Index i = n - 1; i-- > 0;) {
    if (weights[i] == 0) continue;
    const Eigen::Index size = n - i - 1;
    const double* const v = &a(i + 1, i);
    for (Eigen::Index j = i + 1; j < n; ++j) {
      double* const column = &q(i + 1, j);
      add_scaled(-weights[i] * dot(v, column, size), v, column, size);
    }
  }
  return q;
}

/// A step of the QR method with Wilkinson's shift on rows first to last of a tridiagonal matrix (Golub and Van Loan,
/// algorithm 8.3.2), whose rotations are also done to the columns of q.
inline void qr_step(Eigen::VectorXd& d, Eigen::VectorXd& e, Eigen::MatrixXd& q, Eigen::Index first, Eigen::Index last) {
  const double half = (d[last - 1] - d[last]) / 2, corner = e[last - 1];
  const double shift =
      d[last] - corner / (half / corner + std::copysign(std::hypot(half / corner, 1.0), half / corner));
  double x = d[first] - shift, z = e[first];
  for (Eigen::Index i = first; i < last && z != 0; ++i) {
    const double square = x * x + z * z, r = square > 1e-280 ? std::sqrt(square) : std::hypot(x, z), c = x / r,
                 s = z / r;
    if (i > first) e[i - 1] = r;
    const double top = c * d[i] + s * e[i], right = c * e[i] + s * d[i + 1], left = c * e[i] - s * d[i],
                 low = c * d[i + 1] - s * e[i];
    d[i] = c * top + s * right;
    d[i + 1] = c * low - s * left;
    e[i] = x = c * left + s * low;
    if (i + 1 < last) {
      z = s * e[i + 1];
      e[i + 1] *= c;
    }
    double *const one = &q(0, i), *const two = &q(0, i + 1);
    for (Eigen::Index j = 0; j < q.rows(); ++j) {
      const double before = one[j];
      one[j] = c * before + s * two[j];
      two[j] = c * two[j] - s * before;
    }
  }
}

/// Reads the lower triangle. Precondition: not empty.
inline symmetric_eigen eigen_of(Eigen::MatrixXd matrix) {
  const Eigen::Index n = matrix.rows();
  double largest = 0;  // by which the matrix is divided, so that no square overflows
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) largest = std::max(largest, std::abs(matrix(i, j)));
  }
  if (!(largest > 0 && largest <= std::numeric_limits<double>::max())) largest = 1;
  for (Eigen::Index j = 0; j < n; ++j) scale(1 / largest, &matrix(j, j), n - j);
  Eigen::VectorXd d(n), e = Eigen::VectorXd::Zero(n);
  Eigen::MatrixXd q = tridiagonalise(matrix, d, e);
  // Two or three steps per eigenvalue are usual; only NaN takes all of them.
  Eigen::Index last = n - 1;
  for (Eigen::Index step = 0; last > 0 && step < 60 * n; ++step) {
    for (Eigen::Index i = 0; i < last; ++i) {
      const double least = std::numeric_limits<double>::epsilon() * (std::abs(d[i]) + std::abs(d[i + 1]));
      if (std::abs(e[i]) <= std::max(least, std::numeric_limits<double>::min())) e[i] = 0;
    }
    while (last > 0 && e[last - 1] == 0) --last;
    if (last == 0) break;
    Eigen::Index first = last - 1;
    while (first > 0 && e[first - 1] != 0) --first;
    qr_step(d, e, q, first, last);
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index least = std::min_element(d.data() + i, d.data() + n) - d.data();
    if (least == i) continue;
    std::swap(d[i], d[least]);
    std::swap_ranges(&q(0, i), &q(0, i) + n, &q(0, least));
  }
  scale(largest, d.data(), n);
  return {std::move(d), std::move(q)};
}

/// V f(values) V'.
template <class Function>
Eigen::MatrixXd apply_to_eigenvalues(const symmetric_eigen& matrix, const Function& f) {
  const Eigen::Index n = matrix.vectors.rows();
  Eigen::MatrixXd scaled = matrix.vectors, result = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < scaled.cols(); ++i) scale(f(matrix.values[i]), &scaled(0, i), n);
  add_multiplied_transposed(whole(result), whole(std::as_const(scaled)), whole(matrix.vectors));
  return result;
}

/// The largest |eigenvalue| of a symmetric matrix.
inline double operator_norm(const Eigen::MatrixXd& symmetric) {
  const Eigen::VectorXd values = eigen_of(symmetric).values;
  return std::max(std::abs(values[0]), std::abs(values[values.size() - 1]));
}

/// An orthonormal basis whose first j columns span those of `columns`, for every j; a column that depends on those
/// before it is replaced by one that does not. Precondition: no more columns than rows.
inline Eigen::MatrixXd orthonormal_columns(Eigen::MatrixXd columns) {
  const Eigen::Index rows = columns.rows();
  Eigen::Index unit = 0;  // the next axis to try in place of a dependent column
  for (Eigen::Index j = 0; j < columns.cols(); ++j) {
    double* const column = &columns(0, j);
    for (;;) {
      const double before = norm(column, rows);
      // Twice: the second round removes what cancellation left in the first.
      for (int round = 0; round < 2; ++round) {
        for (Eigen::Index i = 0; i < j; ++i) {
          const double* const other = &columns(0, i);
          add_scaled(-dot(other, column, rows), other, column, rows);
        }
      }
      const double after = norm(column, rows);
      if (after > 1e-12 * before) {
        scale(1 / after, column, rows);
        break;
      }
      std::fill_n(column, rows, 0.0);
      column[unit++] = 1;
    }
  }
  return columns;
}

}  // namespace dplda::inline v0_1::detail

#endif
