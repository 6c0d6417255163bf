// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_MOMENTS_HPP
#define DPLDA_INFERENCE_SPECTRAL_MOMENTS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/inference/spectral/detail/blocked.hpp>
#include <dplda/inference/spectral/detail/corpus_products.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <cstddef>

namespace dplda::inline v0_1 {

/// The weights of the products of lower moments in M2 and M3: a = alpha0/(alpha0+1), b = alpha0/(alpha0+2),
/// c = 2 alpha0^2/((alpha0+1)(alpha0+2)).
struct moment_weights {
  double a = 0;
  double b = 0;
  double c = 0;

  /// Precondition: alpha0 >= 0; infinity gives the limits 1, 1, 2.
  static moment_weights of(double alpha0);
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
                   std::size_t count = 0, std::size_t threads = 0);

  std::size_t words() const noexcept { return docs_.words(); }
  /// N.
  std::size_t count() const noexcept { return count_; }
  /// Number of documents with at least three tokens.
  std::size_t used() const noexcept { return used_; }
  const moment_weights& weights() const noexcept { return weights_; }

  /// M1.
  const Eigen::VectorXd& first() const noexcept { return first_; }

  /// M2 X, in time O(entries * columns). Precondition: one row per word.
  detail::tall_matrix second(const detail::tall_matrix& x) const;

  /// M3(W, W, W) for a matrix W of one row per word and k columns, in time O(entries k + (N + V) k^3) and memory
  /// O((N + V) k + k^3).
  symmetric_tensor third(const detail::tall_matrix& w) const;

 private:
  static constexpr std::size_t grain = 256;

  static Eigen::Map<const detail::tall_matrix> column(const Eigen::VectorXd& v) { return {v.data(), v.size(), 1}; }

  double pair_weight(double l) const { return 1 / (static_cast<double>(count_) * l * (l - 1)); }

  /// sum_i weights_i row_i row_i'.
  Eigen::MatrixXd weighted_square(const detail::tall_matrix& rows, const Eigen::VectorXd& weights) const;

  /// Sets `tensor` to sum_d cube_d y_d^(3) + sum_v [diagonal_v w_v^(3) - S(w_v w_v', z_v)]. Each slice is one task's; in
  /// slice a the entries (a, b, c) with b, c >= a are enough, and they are P + P' for
  ///   P = sum_d y_d (cube_d/2 y_da y_d)' + sum_v w_v ((diagonal_v w_va - z_va)/2 w_v - w_va z_v)'.
  void fill(symmetric_tensor& tensor, const detail::tall_matrix& y, const Eigen::VectorXd& cube,
            const detail::tall_matrix& w, const detail::tall_matrix& z, const Eigen::VectorXd& diagonal) const;

  detail::corpus_products docs_;  // of at least three tokens
  moment_weights weights_;
  moment_products products_;
  std::size_t threads_;
  std::size_t used_ = 0;
  std::size_t count_ = 0;
  Eigen::VectorXd first_;
  Eigen::VectorXd pair_diagonal_;  // avg x/(l(l-1))
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/moments.ipp>
#endif

#endif
