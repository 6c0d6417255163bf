// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_SENSITIVITY_HPP
#define DPLDA_INFERENCE_SPECTRAL_SENSITIVITY_HPP

// How far one document moves the moments of spectral LDA, and the values computed from them.
//
// Claim: let two corpora differ in one document, replaced by another, and let N be the same public count. Then their M1,
// M2 and M3 (spectral_moments, either kind of products) differ by at most what the m1_, m2_ and m3_ functions return, in
// the norm of their name. A document added or removed while N stays is the case that one of the two contributes nothing.
// Preconditions: documents of fewer than three tokens contribute nothing, and N does not depend on the documents.
// Argument: (m1, m2, m3) of a document is the average over its ordered triples of distinct tokens of those of the triple,
// symmetrised. Write d for the difference of the two documents and N dM for that of the corpora times N. Over distinct
// documents, with B1, B2 the averages of m1, m2 over the N - 1 others and C that of m1 m1' over their pairs,
//   N dM2 = d2 - a (d1 B1' + B1 d1'),  N dM3 = d3 - b [S(d2, B1) + S(B2, d1)] + c S(C, d1).
// For products of averages the same holds with the midpoint A of the two corpora in place of B, A1 A1' in place of C, and
// c d1^(3)/(4 N^2) more in dM3. Each is affine in either document and in the population (B1, B2, C), which is a mixture of
// pairs of documents, and those of pairs of tokens. A norm is convex, so its largest value is attained where both
// documents are single triples and the population is two pairs of tokens. A document that contributes nothing is no
// worse than a word that occurs nowhere else: the entries without that word are the same, and these norms only fall
// when entries are left out (in M2: rows and columns). Up to the words' names these are finitely many patterns. The
// closed forms are the maxima over them: 877 patterns of 3 + 3 + 1 tokens for M2, 115975 of 3 + 3 + 4 for M3.
// Attained by (words i, j, k, l distinct): M2: iii -> jjj, all others kkk; its operator norm by iii -> ijj, all others
// jjj. M3: iii -> jjj, and two others, which are kkk and lll, both kkk, or iii and jjj, whichever is the largest;
// exactly with averages over distinct documents.
// Test: tests/inference/spectral_sensitivity_test.cpp

#include <dplda/inference/spectral/tensor.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <cstddef>

namespace dplda::inline v0_1 {

namespace detail {

double per_document(double value, std::size_t count, const char* function);

/// Calls visit(words) for each way in which `Tokens` tokens can coincide: words[t] is the word of token t, numbered by
/// first use.
template <std::size_t Tokens, class Visit>
void for_each_pattern(const Visit& visit) {
  std::array<std::size_t, Tokens> words{}, used{};  // used[t]: number of words in tokens 0..t
  used.fill(1);
  for (;;) {
    visit(words);
    std::size_t t = Tokens;
    while (--t > 0 && words[t] == used[t - 1]) {
    }
    if (t == 0) return;
    ++words[t];
    used[t] = std::max(used[t - 1], words[t] + 1);
    for (std::size_t u = t + 1; u < Tokens; ++u) {
      words[u] = 0;
      used[u] = used[t];
    }
  }
}

}  // namespace detail

/// Any of the averages of m1, m2 and m3 by itself in l2 (Frobenius) norm: sqrt(2)/N. The alpha0 terms can be formed from
/// private averages and then cost nothing more.
double average_sensitivity(std::size_t count);

/// M1 in l1: 2/N.
inline double m1_l1_sensitivity(std::size_t count) { return detail::per_document(2, count, "m1_l1_sensitivity"); }

/// M2, sum of all entries' sizes: (2 + 4a)/N.
double m2_l1_sensitivity(double alpha0, std::size_t count);

/// M2 in Frobenius norm: sqrt(2 + 4a^2)/N.
double m2_frobenius_sensitivity(double alpha0, std::size_t count);

/// The l2 norm of M2's entries on and above the diagonal: sqrt(2 + 2a^2)/N.
double m2_triangle_sensitivity(double alpha0, std::size_t count);

/// M2 in operator norm, and so (Weyl) each of its eigenvalues: from 1.08/N at alpha0 = 0 to 2/N at infinity. All patterns
/// of tokens are tried. On a grid the largest is the one named above, [1 + 2a + sqrt(8a^2 - 4a + 5)]/(3N), but this is
/// not shown between the grid points.
double m2_operator_sensitivity(double alpha0, std::size_t count);

/// M3, sum of all entries' sizes: (2 + 12b + 6c + 2c/N^2)/N.
double m3_l1_sensitivity(double alpha0, std::size_t count);

/// M3 in Frobenius norm: [sqrt(max{2 + 6b^2 + 6(b-c)^2, 2 + 6b^2 + 3c^2, 2(1-3b)^2 + 6c^2}) + c/(sqrt(2) N^2)]/N.
double m3_frobenius_sensitivity(double alpha0, std::size_t count);

/// M3(W, W, W) in Frobenius norm for a W that is public, with rows of norm at most `row_norm`: row_norm^3 times the l1
/// sensitivity of M3, because M3 moves by a sum of entries w_i (x) w_j (x) w_k.
double whitened_tensor_sensitivity(double row_norm, double alpha0, std::size_t count);

/// The average over documents of m3(W, W, W) - b S(W' m2 W, omega) in Frobenius norm, for W and omega that are public:
/// 2 (R^3 + 3b R^2 |omega|)/N with rows of W of norm at most R. With c omega^(3) it is the whitened third moment.
double whitened_average_sensitivity(double row_norm, double omega_norm, double alpha0, std::size_t count);

// Whitening in a public basis. For U with public orthonormal columns (the leading eigenvectors of a released M2), let
// A = U' M2 U, W = U A^-1/2 with the symmetric root, T = M3(W, W, W), lambda_i, v_i the eigenpairs of T, and
// mu_i = (alpha0+2)/2 lambda_i U A^1/2 v_i. All bounds below are local: they hold if the stated bounds on the data
// hold.
//
// Claim: basis_tensor_sensitivity bounds |T - T'|_F of neighbours. eigenvector_sensitivity and topic_sensitivity are
// first-order bounds, valid for infinitely small changes only: not a proof.
// Preconditions: the eigenvalues of A and of A' are at least `smallest` > 0, those of A at most `largest`.
// Argument: T' - T = (M3' - M3)(W', W', W') + T(I+E, I+E, I+E) - T, with W' = W (I + E) and E = A^1/2 (A'^-1/2 - A^-1/2).
// |W'| <= smallest^-1/2, and |A'^-1/2 - A^-1/2| <= |A' - A| smallest^-3/2 / 2, so |E| <= eta below. The eigenvector:
// differentiate T(I, v, v) = lambda v; with P = I - vv' and kappa = |P T(I, I, v) P|, (lambda - 2 P T(I, I, v) P) dv =
// P dT(I, v, v), whose entries occur three times in the symmetric dT, so |P dT(I, v, v)| <= |dT|_F/sqrt(3). It is
// attained by a T with kappa = 0 and dT the symmetrised u (x) v (x) v, u orthogonal to v. The topic: the product rule,
// with |d A^1/2| <= |dA| smallest^-1/2 / 2. Projecting to the simplex never increases it.
// Test: tests/inference/spectral_sensitivity_test.cpp

/// Bounds on A that are needed to bound T.
struct basis_bounds {
  double smallest = 0;  ///< at most the least eigenvalue of U' M2 U, for both neighbours
  double largest = 0;   ///< at least its largest
};

/// An upper bound of |T|_F for every corpus: (1 + 3b + c) smallest^-3/2.
double tensor_norm_bound(double smallest, double alpha0);

/// |T - T'|_F <= m3_frobenius smallest^-3/2 + ((1 + eta)^3 - 1) |T|_F, eta = m2_operator sqrt(largest) smallest^-3/2 / 2.
/// `tensor_norm` bounds |T|_F; tensor_norm_bound always does.
double basis_tensor_sensitivity(const basis_bounds& bounds, double tensor_norm, double alpha0, std::size_t count);

/// kappa = |P T(I, I, v) P| in operator norm, P = I - vv'.
double eigenvector_coupling(const symmetric_tensor& tensor, const Eigen::VectorXd& v);

/// |dv_i| <= |dT|_F/(sqrt(3) (lambda_i - 2 kappa_i)), to first order; infinite where lambda_i <= 2 kappa_i. The
/// eigenvalue moves by at most |dT|_F.
double eigenvector_sensitivity(double tensor_sensitivity, double lambda, double kappa);

/// |dmu_i| in l2 <= (alpha0+2)/2 [sqrt(largest) (lambda_i |dv_i| + |dT|_F) + lambda_i m2_operator/(2 sqrt(smallest))], to
/// first order.
double topic_sensitivity(const basis_bounds& bounds, double tensor_sensitivity, double lambda, double kappa,
                         double alpha0, std::size_t count);

// As published (DeCarolis et al., An end-to-end differentially private latent Dirichlet allocation using a spectral
// algorithm, 2020, Theorems 5-7): the paper's orders, read as products of the factors that it names. Not a proof: the
// whitened tensor also moves with the whitening matrix, which is discontinuous where eigenvalues meet, and with equal
// alpha_i the gap is 0.

/// Theorem 5: delta3 (k/sigma_k)^3/2, with delta3 the sensitivity of M3 and sigma_k the k-th eigenvalue of M2.
double published_tensor_sensitivity(double delta3, std::size_t topics, double sigma_k);

/// Theorem 6: the tensor's times sqrt(k)/gap, with gap the paper's gamma_s.
double published_eigenvector_sensitivity(double delta3, std::size_t topics, double sigma_k, double gap);

/// Theorem 7: the eigenvectors' times sqrt(sigma_1).
double published_topic_sensitivity(double delta3, std::size_t topics, double sigma_1, double sigma_k, double gap);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/sensitivity.ipp>
#endif

#endif
