// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENTS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_MOMENTS_IPP

// Bodies of inference/spectral/moments.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/moments.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE moment_weights moment_weights::of(double alpha0) {
  const double a = 1 / (1 + 1 / alpha0), b = 1 / (1 + 2 / alpha0);
  return {a, b, 2 * a * b};
}

DPLDA_INLINE spectral_moments::spectral_moments(const corpus& docs, double alpha0, moment_products products,
                                                std::size_t count, std::size_t threads)
    : docs_(docs, 3, threads),
      weights_(moment_weights::of(alpha0)),
      products_(products),
      threads_(thread_count(threads)) {
  detail::require_alpha0(alpha0, "spectral_moments");
  detail::require(docs.words() > 0, "spectral_moments", "vocabulary", "empty", "must have at least 1 word");
  used_ = static_cast<std::size_t>(
      std::count_if(docs_.lengths().begin(), docs_.lengths().end(), [](double l) { return l > 0; }));
  detail::require(used_ >= 1 || count > 0, "spectral_moments", "number of documents with at least 3 tokens", used_,
                  "must be at least 1");
  detail::require(count == 0 || count >= used_, "spectral_moments", "count", count,
                  detail::text("must be at least the number of documents with at least 3 tokens, ", used_));
  count_ = count == 0 ? used_ : count;
  detail::require(products == moment_products::plug_in || count_ >= 3, "spectral_moments", "count", count_,
                  "must be at least 3 for averages over distinct documents");
  const auto n = static_cast<double>(count_);
  first_ = docs_.by_word([&](double l) { return 1 / (n * l); });
  pair_diagonal_ = docs_.by_word([&](double l) { return pair_weight(l); });
}

DPLDA_INLINE detail::tall_matrix spectral_moments::second(const detail::tall_matrix& x) const {
  const auto n = static_cast<double>(count_);
  const bool unbiased = products_ == moment_products::unbiased;
  // The average over pairs of distinct documents is -a (N^2 M1 M1' - sum m1 m1')/(N(N-1)); its second part joins the
  // documents' own xx'.
  const double own = unbiased ? weights_.a / (n * (n - 1)) : 0;
  const double product = unbiased ? weights_.a * n / (n - 1) : weights_.a;
  detail::tall_matrix rows = docs_.project(x);
  for (std::size_t d = 0; d < docs_.lengths().size(); ++d) {
    const double l = docs_.lengths()[d];
    if (l > 0) detail::scale_row(rows, d, pair_weight(l) + own / (l * l));
  }
  const Eigen::MatrixXd mean = detail::inner_product(column(first_), x, threads_);
  detail::tall_matrix result = docs_.gather(rows);
  parallel_for(words(), grain, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto row = static_cast<Eigen::Index>(v);
      double* const sum = result.data() + row * x.cols();
      detail::add_scaled(-pair_diagonal_[row], x.data() + row * x.cols(), sum, x.cols());
      detail::add_scaled(-product * first_[row], mean.data(), sum, x.cols());
    }
  });
  return result;
}

DPLDA_INLINE symmetric_tensor spectral_moments::third(const detail::tall_matrix& w) const {
  const auto n = static_cast<double>(count_);
  const bool unbiased = products_ == moment_products::unbiased;
  const double b = weights_.b, c = weights_.c;
  const double pairs = unbiased ? b / (n * (n - 1)) : 0, triples = unbiased ? 2 * c / (n * (n - 1) * (n - 2)) : 0;
  const auto triple = [&](double l) { return 1 / (n * l * (l - 1) * (l - 2)); };
  const auto mixed = [&](double l) { return triple(l) + pairs / (l * l * (l - 1)); };

  // With y = W'x and w_v the rows of W, a document adds
  //   cube y^(3) - mixed S(sum_v x_v w_v w_v', y) + 2 triple sum_v x_v w_v^(3),
  // where the last two are sums over words: x_v mixed y is gathered by word first.
  const detail::tall_matrix y = docs_.project(w);
  Eigen::VectorXd cube = Eigen::VectorXd::Zero(y.rows()), pair = cube, square = cube;
  detail::tall_matrix scaled = y;
  for (std::size_t d = 0; d < docs_.lengths().size(); ++d) {
    const double l = docs_.lengths()[d];
    if (!(l > 0)) continue;
    const auto row = static_cast<Eigen::Index>(d);
    cube[row] = triple(l) + 3 * pairs / (l * l * (l - 1)) + triples / (l * l * l);
    pair[row] = pair_weight(l);
    square[row] = 1 / (l * l);
    detail::scale_row(scaled, d, mixed(l));
  }
  const detail::tall_matrix z = docs_.gather(scaled);
  const Eigen::VectorXd diagonal = docs_.by_word([&](double l) { return 2 * triple(l); });

  symmetric_tensor result(static_cast<std::size_t>(w.cols()));
  fill(result, y, cube, w, z, diagonal);

  const Eigen::VectorXd mean = detail::inner_product(w, column(first_), threads_);
  Eigen::MatrixXd second = weighted_square(y, pair);
  detail::add_scaled(-1, weighted_square(w, pair_diagonal_).data(), second.data(), second.size());
  if (unbiased) {
    result.add_symmetrised(second, mean, -b * n / (n - 1));
    result.add_cube(mean, c * n * n / ((n - 1) * (n - 2)));
    result.add_symmetrised(weighted_square(y, square), mean, -c / ((n - 1) * (n - 2)));
  } else {
    result.add_symmetrised(second, mean, -b);
    result.add_cube(mean, c);
  }
  return result;
}

DPLDA_INLINE Eigen::MatrixXd spectral_moments::weighted_square(const detail::tall_matrix& rows,
                                                               const Eigen::VectorXd& weights) const {
  detail::tall_matrix scaled = rows;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) detail::scale_row(scaled, static_cast<std::size_t>(i), weights[i]);
  return detail::inner_product(rows, scaled, threads_);
}

DPLDA_INLINE void spectral_moments::fill(symmetric_tensor& tensor, const detail::tall_matrix& y,
                                         const Eigen::VectorXd& cube, const detail::tall_matrix& w,
                                         const detail::tall_matrix& z, const Eigen::VectorXd& diagonal) const {
  const std::size_t k = tensor.size();
  std::vector<Eigen::MatrixXd> slices(k);
  parallel_for(k, 1, threads_, [&](std::size_t task, std::size_t, std::size_t) {
    const auto a = static_cast<Eigen::Index>(task), width = static_cast<Eigen::Index>(k) - a;
    Eigen::MatrixXd half = Eigen::MatrixXd::Zero(width, width), right;
    // half += sum_i left_i right_i' over the columns from a on, where set(i, right_i) is told the row and its place.
    const auto add = [&](const detail::tall_matrix& left, const auto& set) {
      constexpr Eigen::Index rows = 512;
      for (Eigen::Index first = 0; first < left.rows(); first += rows) {
        const Eigen::Index size = std::min(rows, left.rows() - first);
        right.resize(width, size);
        for (Eigen::Index i = 0; i < size; ++i) set(first + i, &right(0, i));
        detail::add_multiplied_transposed(detail::whole(half), detail::rows_of(left.rightCols(width), first, size),
                                          detail::whole(std::as_const(right)));
      }
    };
    add(y, [&](Eigen::Index d, double* to) {
      const double factor = cube[d] / 2 * y(d, a);
      for (Eigen::Index j = 0; j < width; ++j) to[j] = factor * y(d, a + j);
    });
    add(w, [&](Eigen::Index v, double* to) {
      const double own = (diagonal[v] * w(v, a) - z(v, a)) / 2, other = -w(v, a);
      for (Eigen::Index j = 0; j < width; ++j) to[j] = own * w(v, a + j) + other * z(v, a + j);
    });
    slices[task] = std::move(half);
  });
  for (std::size_t a = 0; a < k; ++a) {
    for (std::size_t b = a; b < k; ++b) {
      for (std::size_t c = b; c < k; ++c) {
        const auto i = static_cast<Eigen::Index>(b - a), j = static_cast<Eigen::Index>(c - a);
        tensor.set(a, b, c, slices[a](i, j) + slices[a](j, i));
      }
    }
  }
}

}  // namespace dplda::inline v0_1

#endif
