// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_QUERY_STATISTICS_IPP
#define DPLDA_AUDIT_DETAIL_QUERY_STATISTICS_IPP

// Bodies of audit/query_statistics.hpp.

#include <dplda/audit/query_statistics.hpp>
#include <dplda/core/errors.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

DPLDA_INLINE double negative_entropy(const topic_fit& fit) {
  double sum = 0;
  for (const double share : fit.theta) sum += share > 0 ? share * std::log(share) : 0;
  return sum;
}

DPLDA_INLINE double logit_maximum(const topic_fit& fit) {
  const double most = fit.theta.maxCoeff();
  return std::log(most) - std::log(std::max(1 - most, 1e-9));
}

DPLDA_INLINE double standard_deviation(const topic_fit& fit) {
  return std::sqrt((fit.theta.array() - fit.theta.mean()).square().mean());
}

DPLDA_INLINE fit_query::fit_query(std::initializer_list<fit_statistic> statistics, const likelihood_options& options)
    : statistics_(statistics), options_(options) {
  detail::require(!statistics_.empty(), "fit_query", "number of statistics", 0, "must be at least 1");
}

template <class Real>
document_likelihood<Real>::document_likelihood(const topic_model<Real>& model, const likelihood_options& options)
    : options_(options), vocab_(model.vocab()), topics_(model.topics()), largest_log_(model.words()) {
  const char* const function = "document_likelihood";
  detail::require(options.tolerance > 0, function, "tolerance", options.tolerance, "must be positive");
  detail::require(options.impossible >= 0 && options.impossible <= 1, function, "impossible", options.impossible,
                  "must lie in [0, 1]");
  // A word's row is scaled to a maximum of 1, so that its probabilities may be arbitrarily small.
  rows_.setZero(static_cast<Eigen::Index>(detail::padded<double>(topics_)), model.phi().cols());
  for (Eigen::Index v = 0; v < rows_.cols(); ++v) {
    const auto row = model.phi().col(v).template cast<double>();
    const double largest = row.maxCoeff();
    largest_log_[static_cast<std::size_t>(v)] = std::log(largest);
    if (largest > 0) rows_.col(v).head(row.size()) = row / largest;
  }
}

template <class Real>
topic_fit document_likelihood<Real>::operator()(const document& doc) const {
  detail::likelihood_solver solver(topics_);
  return solve(solver, doc, {});
}

template <class Real>
topic_fit document_likelihood<Real>::solve(detail::likelihood_solver& solver, const document& doc,
                                           std::span<const word_id> numbers) const {
  topic_fit fit;
  solver.start(doc.size());
  bool possible = false;
  for (std::size_t n = 0; n < doc.size(); ++n) {
    const std::size_t word = numbers.empty() ? doc.words[n] : numbers[doc.words[n]];
    if (word >= largest_log_.size() || std::isinf(largest_log_[word])) {
      fit.impossible_tokens += doc.counts[n];
      continue;
    }
    possible = true;
    solver.add(rows_.col(static_cast<Eigen::Index>(word)).data(), doc.counts[n]);
    fit.log_likelihood += doc.counts[n] * largest_log_[word];
  }
  if (fit.impossible_tokens > 0) {
    fit.log_likelihood += static_cast<double>(fit.impossible_tokens) * std::log(options_.impossible);
  }
  const auto topics = static_cast<Eigen::Index>(topics_);
  if (possible) {
    solver.solve(options_.tolerance);
    fit.theta = Eigen::Map<const Eigen::VectorXd>(solver.theta().data(), topics);
    fit.log_likelihood += solver.value();
    fit.gap = solver.gap();
  } else {
    fit.theta.setConstant(topics, 1 / static_cast<double>(topics_));
  }
  return fit;
}

}  // namespace dplda::inline v0_1

#endif
