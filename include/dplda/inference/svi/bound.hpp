// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_BOUND_HPP
#define DPLDA_INFERENCE_SVI_BOUND_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/gamma_functions.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/svi/detail/document_solver.hpp>
#include <dplda/inference/svi/state.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dplda::inline v0_1 {

/// The variational lower bound on log p(documents): its parts, and per token.
struct variational_bound {
  double documents = 0;      ///< E[log p(w, theta, z | beta)] - E[log q(theta, z)], summed over the documents given
  double topics = 0;         ///< E[log p(beta)] - E[log q(beta)]
  std::uint64_t tokens = 0;  ///< tokens of the documents given
  double per_word = 0;       ///< (documents * scale + topics) / (tokens * scale), scale = collection / documents given
  /// exp(-per_word): an upper bound on the collection's perplexity if the documents given are all of it, else an
  /// estimate of that bound; infinity if there are no tokens.
  double perplexity = std::numeric_limits<double>::infinity();
};

namespace detail {

/// E[log x_i] under Dirichlet(a).
Eigen::VectorXd expected_log(const Eigen::VectorXd& a);

/// E[log p(x)] - E[log q(x)] for p = Dirichlet(prior), q = Dirichlet(a): minus the divergence of q from p.
double minus_divergence(const Eigen::VectorXd& prior, const Eigen::VectorXd& a);

}  // namespace detail

/// The bound of online LDA (Hoffman, Blei and Bach 2010, eq (1) and section 3.2): each document's posterior is fitted
/// first, to `tolerance`; the documents represent a collection of `collection_size`. A plain double-precision
/// evaluation, for checking progress. Throws std::invalid_argument if the vocabularies differ, or if the
/// collection is smaller than the documents given.
template <class Real>
variational_bound online_lda_bound(const svi_state<Real>& state, const corpus& docs, std::size_t collection_size,
                                   std::size_t threads = 0, double tolerance = 1e-6) {
  detail::require_same_vocabulary("online_lda_bound", docs.vocab(), state.vocab());
  detail::require(collection_size >= docs.size(), "online_lda_bound", "collection_size", collection_size,
                  detail::text("must be at least the number of documents given, ", docs.size()));
  const auto topics = static_cast<Eigen::Index>(state.topics());
  const auto words = static_cast<Eigen::Index>(state.words());
  const std::size_t stride = detail::padded<double>(state.topics());

  // E[log beta] of each word, and exp of it relative to the word's largest.
  Eigen::MatrixXd log_beta(topics, words), rows = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(stride), words);
  const Eigen::VectorXd totals = state.lambda_totals().unaryExpr([](double x) { return detail::digamma(x); });
  Eigen::VectorXd log_gammas = Eigen::VectorXd::Zero(topics), products = Eigen::VectorXd::Zero(topics);
  for (Eigen::Index v = 0; v < words; ++v) {
    const Eigen::VectorXd lambda = state.lambda(static_cast<word_id>(v));
    log_beta.col(v) = lambda.unaryExpr([](double x) { return detail::digamma(x); }) - totals;
    rows.col(v).head(topics) = (log_beta.col(v).array() - log_beta.col(v).maxCoeff()).exp();
    products.array() += (state.eta()[v] - lambda.array()) * log_beta.col(v).array();
    for (Eigen::Index k = 0; k < topics; ++k) {
      log_gammas[k] += detail::log_gamma(lambda[k]) - detail::log_gamma(state.eta()[v]);
    }
  }
  variational_bound bound;
  for (Eigen::Index k = 0; k < topics; ++k) {
    bound.topics += products[k] + log_gammas[k] + detail::log_gamma(state.eta().sum()) -
                    detail::log_gamma(state.lambda_totals()[k]);
  }

  std::vector<double> parts(docs.size(), 0);
  parallel_for(docs.size(), 16, thread_count(threads), [&](std::size_t begin, std::size_t end, std::size_t) {
    detail::document_solver<double> solver(state.alpha(), 1000, tolerance);
    for (std::size_t d = begin; d < end; ++d) {
      const document doc = docs[d];
      solver.solve(doc, [&](word_id word) { return rows.col(static_cast<Eigen::Index>(word)).data(); });
      const Eigen::VectorXd gamma = Eigen::Map<const Eigen::VectorXd>(solver.gamma().data(), topics);
      const Eigen::VectorXd log_theta = detail::expected_log(gamma);
      parts[d] = detail::minus_divergence(state.alpha(), gamma);
      for (std::size_t n = 0; n < doc.size(); ++n) {
        const Eigen::VectorXd logs = log_theta + log_beta.col(static_cast<Eigen::Index>(doc.words[n]));
        const double largest = logs.maxCoeff();
        parts[d] += doc.counts[n] * (largest + std::log((logs.array() - largest).exp().sum()));
      }
    }
  });
  for (const double part : parts) bound.documents += part;
  bound.tokens = docs.tokens();
  if (bound.tokens > 0) {
    const double scale = static_cast<double>(collection_size) / static_cast<double>(docs.size());
    bound.per_word = (bound.documents * scale + bound.topics) / (static_cast<double>(bound.tokens) * scale);
    bound.perplexity = std::exp(-bound.per_word);
  }
  return bound;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/svi/detail/bound.ipp>
#endif

#endif
