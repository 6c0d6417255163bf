// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_MOMENTS_HPP
#define DPLDA_INFERENCE_SPECTRAL_MOMENTS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The weights of the products of lower moments in M2 and M3: a = alpha0/(alpha0+1), b = alpha0/(alpha0+2),
/// c = 2 alpha0^2/((alpha0+1)(alpha0+2)).
struct moment_weights {
  double a = 0;
  double b = 0;
  double c = 0;

  /// Precondition: alpha0 >= 0; infinity gives the limits 1, 1, 2.
  static moment_weights of(double alpha0) {
    const double a = 1 / (1 + 1 / alpha0), b = 1 / (1 + 2 / alpha0);
    return {a, b, 2 * a * b};
  }
};

/// The moments of a corpus that hold LDA's parameters, never as an array of words x words.
///
/// For a document of counts x and length l >= 3
///   m1 = x/l,  m2 = (xx' - diag x)/(l(l-1)),
///   m3 = [x^(3) - S(diag x, x) + 2 sum_v x_v e_v^(3)]/(l(l-1)(l-2)),  S(X, u)_ijk = X_ij u_k + X_ik u_j + X_jk u_i,
/// are the frequencies of its words, ordered pairs and ordered triples of distinct tokens. With averages over N documents
///   M1 = avg m1,  M2 = avg m2 - a M1 M1',  M3 = avg m3 - b S(avg m2, M1) + c M1^(3)
/// (moment_products::plug_in; for `unbiased` a product of averages is replaced by the average of the product over pairs
/// or triples of distinct documents). Under LDA, with topics mu_i and alpha0 = sum alpha_i, their expectations are
///   M2 = sum_i alpha_i/(alpha0(alpha0+1)) mu_i mu_i',  M3 = sum_i 2 alpha_i/(alpha0(alpha0+1)(alpha0+2)) mu_i^(3)
/// (Anandkumar et al., A spectral algorithm for latent Dirichlet allocation, 2012).
///
/// A document of fewer than three tokens has no triple and adds nothing to any of the three.
class spectral_moments {
 public:
  /// Reads the corpus and keeps what the moments need. `count` is N. 0 stands for the number of documents with at least
  /// three tokens; another number is a public one, which includes documents that add nothing.
  /// Throws std::invalid_argument if alpha0 is not positive and finite, the vocabulary is empty, no document has three
  /// tokens and no count is given, count is smaller than the number of documents with three tokens, or products are
  /// `unbiased` and N < 3.
  spectral_moments(const corpus& docs, double alpha0, moment_products products = moment_products::unbiased,
                   std::size_t count = 0, std::size_t threads = 0)
      : docs_(docs), weights_(moment_weights::of(alpha0)), products_(products), threads_(thread_count(threads)) {
    detail::require_alpha0(alpha0, "spectral_moments");
    detail::require(docs.words() > 0, "spectral_moments", "vocabulary", "empty", "must have at least 1 word");
    lengths_.resize(docs.size());
    for (std::size_t d = 0; d < docs.size(); ++d) {
      const std::uint64_t length = docs[d].length();
      lengths_[d] = length >= 3 ? static_cast<double>(length) : 0;
      used_ += length >= 3 ? 1 : 0;
    }
    detail::require(used_ >= 1 || count > 0, "spectral_moments", "number of documents with at least 3 tokens", used_,
                    "must be at least 1");
    detail::require(count == 0 || count >= used_, "spectral_moments", "count", count,
                    detail::text("must be at least the number of documents with at least 3 tokens, ", used_));
    count_ = count == 0 ? used_ : count;
    detail::require(products == moment_products::plug_in || count_ >= 3, "spectral_moments", "count", count_,
                    "must be at least 3 for averages over distinct documents");
    transpose();
    const auto n = static_cast<double>(count_);
    first_ = by_word([&](double l) { return 1 / (n * l); });
    pair_diagonal_ = by_word([&](double l) { return pair_weight(l); });
  }

  std::size_t words() const noexcept { return docs_.words(); }
  /// N.
  std::size_t count() const noexcept { return count_; }
  /// Number of documents with at least three tokens.
  std::size_t used() const noexcept { return used_; }
  const moment_weights& weights() const noexcept { return weights_; }

  /// M1.
  const Eigen::VectorXd& first() const noexcept { return first_; }

  /// M2 X, in time O(entries * columns). Precondition: one row per word.
  detail::tall_matrix second(const detail::tall_matrix& x) const {
    const auto n = static_cast<double>(count_);
    const bool unbiased = products_ == moment_products::unbiased;
    // The average over pairs of distinct documents is -a (N^2 M1 M1' - sum m1 m1')/(N(N-1)); its second part joins the
    // documents' own xx'.
    const double own = unbiased ? weights_.a / (n * (n - 1)) : 0;
    const double product = unbiased ? weights_.a * n / (n - 1) : weights_.a;
    detail::tall_matrix rows = project(x);
    for (std::size_t d = 0; d < lengths_.size(); ++d) {
      const double l = lengths_[d];
      if (l > 0) scale_row(rows, d, pair_weight(l) + own / (l * l));
    }
    const Eigen::MatrixXd mean = detail::inner_product(column(first_), x, threads_);
    detail::tall_matrix result = gather(rows);
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

  /// M3(W, W, W) for a matrix W of one row per word and k columns, in time O(entries k + (N + V) k^3) and memory
  /// O((N + V) k + k^3).
  symmetric_tensor third(const detail::tall_matrix& w) const {
    const auto n = static_cast<double>(count_);
    const bool unbiased = products_ == moment_products::unbiased;
    const double b = weights_.b, c = weights_.c;
    const double pairs = unbiased ? b / (n * (n - 1)) : 0, triples = unbiased ? 2 * c / (n * (n - 1) * (n - 2)) : 0;
    const auto triple = [&](double l) { return 1 / (n * l * (l - 1) * (l - 2)); };
    const auto mixed = [&](double l) { return triple(l) + pairs / (l * l * (l - 1)); };

    // With y = W'x and w_v the rows of W, a document adds
    //   cube y^(3) - mixed S(sum_v x_v w_v w_v', y) + 2 triple sum_v x_v w_v^(3),
    // where the last two are sums over words: x_v mixed y is gathered by word first.
    const detail::tall_matrix y = project(w);
    Eigen::VectorXd cube = Eigen::VectorXd::Zero(y.rows()), pair = cube, square = cube;
    detail::tall_matrix scaled = y;
    for (std::size_t d = 0; d < lengths_.size(); ++d) {
      const double l = lengths_[d];
      if (!(l > 0)) continue;
      const auto row = static_cast<Eigen::Index>(d);
      cube[row] = triple(l) + 3 * pairs / (l * l * (l - 1)) + triples / (l * l * l);
      pair[row] = pair_weight(l);
      square[row] = 1 / (l * l);
      scale_row(scaled, d, mixed(l));
    }
    const detail::tall_matrix z = gather(scaled);
    const Eigen::VectorXd diagonal = by_word([&](double l) { return 2 * triple(l); });

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

 private:
  static constexpr std::size_t grain = 256;

  static void scale_row(detail::tall_matrix& matrix, std::size_t row, double factor) {
    detail::scale(factor, matrix.data() + static_cast<Eigen::Index>(row) * matrix.cols(), matrix.cols());
  }

  static Eigen::Map<const detail::tall_matrix> column(const Eigen::VectorXd& v) { return {v.data(), v.size(), 1}; }

  double pair_weight(double l) const { return 1 / (static_cast<double>(count_) * l * (l - 1)); }

  // Stores each word's entries side by side, so that one thread writes each sum over documents, in one order.
  void transpose() {
    begin_.assign(docs_.words() + 1, 0);
    for (std::size_t d = 0; d < docs_.size(); ++d) {
      if (!(lengths_[d] > 0)) continue;
      for (const word_id word : docs_[d].words) ++begin_[word + 1];
    }
    for (std::size_t v = 0; v < docs_.words(); ++v) begin_[v + 1] += begin_[v];
    documents_.resize(begin_.back());
    counts_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t d = 0; d < docs_.size(); ++d) {
      if (!(lengths_[d] > 0)) continue;
      const document doc = docs_[d];
      for (std::size_t n = 0; n < doc.size(); ++n) {
        const std::size_t place = next[doc.words[n]]++;
        documents_[place] = d;
        counts_[place] = doc.counts[n];
      }
    }
  }

  /// sum_d weight(l_d) x_d.
  template <class Weight>
  Eigen::VectorXd by_word(const Weight& weight) const {
    std::vector<double> weights(lengths_.size(), 0);
    for (std::size_t d = 0; d < weights.size(); ++d) {
      if (lengths_[d] > 0) weights[d] = weight(lengths_[d]);
    }
    Eigen::VectorXd sums(static_cast<Eigen::Index>(words()));
    for (std::size_t v = 0; v < words(); ++v) {
      double sum = 0;
      for (std::size_t e = begin_[v]; e < begin_[v + 1]; ++e) sum += counts_[e] * weights[documents_[e]];
      sums[static_cast<Eigen::Index>(v)] = sum;
    }
    return sums;
  }

  /// The rows x_d' matrix of the documents; 0 for those that are too short.
  detail::tall_matrix project(const detail::tall_matrix& matrix) const {
    const Eigen::Index size = matrix.cols();
    detail::tall_matrix rows = detail::tall_matrix::Zero(static_cast<Eigen::Index>(docs_.size()), size);
    parallel_for(docs_.size(), grain, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t d = begin; d < end; ++d) {
        if (!(lengths_[d] > 0)) continue;
        const document doc = docs_[d];
        double* const row = rows.data() + static_cast<Eigen::Index>(d) * size;
        detail::add_counted_rows(doc.words.data(), doc.counts.data(), doc.size(), matrix.data(),
                                 static_cast<std::size_t>(size), row);
      }
    });
    return rows;
  }

  /// The rows sum_d x_dv rows_d of the words.
  detail::tall_matrix gather(const detail::tall_matrix& rows) const {
    const Eigen::Index size = rows.cols();
    detail::tall_matrix sums = detail::tall_matrix::Zero(static_cast<Eigen::Index>(words()), size);
    parallel_for(words(), 64, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t v = begin; v < end; ++v) {
        double* const sum = sums.data() + static_cast<Eigen::Index>(v) * size;
        detail::add_counted_rows(documents_.data() + begin_[v], counts_.data() + begin_[v], begin_[v + 1] - begin_[v],
                                 rows.data(), static_cast<std::size_t>(size), sum);
      }
    });
    return sums;
  }

  /// sum_i weights_i row_i row_i'.
  Eigen::MatrixXd weighted_square(const detail::tall_matrix& rows, const Eigen::VectorXd& weights) const {
    detail::tall_matrix scaled = rows;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) scale_row(scaled, static_cast<std::size_t>(i), weights[i]);
    return detail::inner_product(rows, scaled, threads_);
  }

  /// Sets `tensor` to sum_d cube_d y_d^(3) + sum_v [diagonal_v w_v^(3) - S(w_v w_v', z_v)]. Each slice is one task's; in
  /// slice a the entries (a, b, c) with b, c >= a are enough, and they are P + P' for
  ///   P = sum_d y_d (cube_d/2 y_da y_d)' + sum_v w_v ((diagonal_v w_va - z_va)/2 w_v - w_va z_v)'.
  void fill(symmetric_tensor& tensor, const detail::tall_matrix& y, const Eigen::VectorXd& cube,
            const detail::tall_matrix& w, const detail::tall_matrix& z, const Eigen::VectorXd& diagonal) const {
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

  corpus docs_;
  moment_weights weights_;
  moment_products products_;
  std::size_t threads_;
  std::size_t used_ = 0;
  std::size_t count_ = 0;
  std::vector<double> lengths_;     // 0: shorter than three tokens
  std::vector<std::size_t> begin_;  // of each word's entries
  std::vector<std::size_t> documents_;
  std::vector<std::uint32_t> counts_;
  Eigen::VectorXd first_;
  Eigen::VectorXd pair_diagonal_;  // avg x/(l(l-1))
};

}  // namespace dplda::inline v0_1

#endif
