// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_EXACT_LDA_HPP
#define DPLDA_TESTS_SUPPORT_EXACT_LDA_HPP

// The exact likelihood of a tiny document under LDA, by summing over all topics^tokens assignments.

#include <dplda/core/topic_model.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

namespace dplda_tests {

/// log p(tokens | phi, alpha), with theta integrated out: p(z) = Gamma(A) / Gamma(A + N) prod_k Gamma(alpha_k + n_k) /
/// Gamma(alpha_k) with A the sum of alpha, and p(w | z) = prod_n phi(z_n, w_n). The model must know its alpha.
inline double exact_log_likelihood(const dplda::topic_model<double>& model, const std::vector<dplda::word_id>& tokens) {
  const std::size_t topics = model.topics();
  const Eigen::VectorXd& alpha = model.alpha();
  std::vector<std::size_t> z(tokens.size(), 0);
  double total = 0;
  for (bool more = true; more;) {
    Eigen::VectorXd n = Eigen::VectorXd::Zero(alpha.size());
    double words = 1;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      n[static_cast<Eigen::Index>(z[i])] += 1;
      words *= model.phi()(static_cast<Eigen::Index>(z[i]), static_cast<Eigen::Index>(tokens[i]));
    }
    double log_p = std::lgamma(alpha.sum()) - std::lgamma(alpha.sum() + static_cast<double>(tokens.size()));
    for (Eigen::Index k = 0; k < alpha.size(); ++k) log_p += std::lgamma(alpha[k] + n[k]) - std::lgamma(alpha[k]);
    total += std::exp(log_p) * words;
    more = false;
    for (std::size_t& topic : z) {  // the next assignment, as an odometer counts
      if (++topic < topics) {
        more = true;
        break;
      }
      topic = 0;
    }
  }
  return std::log(total);
}

/// log p(word | observed, phi, alpha) of one more token.
inline double exact_log_predictive(const dplda::topic_model<double>& model, std::vector<dplda::word_id> observed,
                                   dplda::word_id word) {
  const double before = exact_log_likelihood(model, observed);
  observed.push_back(word);
  return exact_log_likelihood(model, observed) - before;
}

}  // namespace dplda_tests

#endif
