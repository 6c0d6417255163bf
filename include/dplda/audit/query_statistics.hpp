// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_QUERY_STATISTICS_HPP
#define DPLDA_AUDIT_QUERY_STATISTICS_HPP

// What a membership attack computes from a topic model for a document (Manzonelli, Zhang and Vadhan 2024, section 3.3
// and appendix C): how well the topics can explain it at best, and statistics of the topic proportions that do so.

#include <dplda/audit/detail/likelihood_solver.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// The topic proportions under which a document is most probable.
struct topic_fit {
  Eigen::VectorXd theta;      ///< uniform if no word of the document is possible
  double log_likelihood = 0;  ///< natural logarithm, all tokens; 0 for an empty document
  /// The maximum is at most log_likelihood + gap, up to rounding (some 1e-16 of log_likelihood and of the tokens).
  double gap = 0;
  std::uint64_t impossible_tokens = 0;
};

struct likelihood_options {
  double tolerance = 1e-8;  ///< the largest gap, up to 10^6 tokens
  /// The probability of a token whose word is not in the model's vocabulary or has probability 0 under every topic.
  /// With 0, the log likelihood of its document is minus infinity, which no attack can use.
  double impossible = 1e-12;
};

/// Fits documents to the topics of a model by
///
///     zeta(Phi, d) = max over theta of sum_w n_w log(sum_k theta_k Phi_kw)   (eq. (3) of the paper above),
///
/// a concave problem, solved to a certified gap in microseconds: detail/likelihood_solver.hpp has the bound and the
/// method. Deterministic. Setting up takes the time and memory of copying the model.
template <class Real = double>
class document_likelihood {
 public:
  /// Throws std::invalid_argument if tolerance is not positive, or impossible outside [0, 1].
  explicit document_likelihood(const topic_model<Real>& model, const likelihood_options& options = {})
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

  /// The fit of a document whose words are numbered as in the model's vocabulary; those beyond it are impossible.
  topic_fit operator()(const document& doc) const {
    detail::likelihood_solver solver(topics_);
    return solve(solver, doc, [](word_id word) { return word; });
  }

  /// Calls visit(d, fit) for each document of a corpus. If its vocabulary is not the model's, words are matched by
  /// spelling.
  template <class Visit>
  void operator()(const corpus& docs, Visit&& visit) const {
    detail::likelihood_solver solver(topics_);
    const bool same = docs.vocab() == vocab_ || *docs.vocab() == *vocab_;
    std::vector<word_id> number(same ? 0 : docs.words());
    for (word_id w = 0; w < number.size(); ++w) number[w] = vocab_->find(docs.vocab()->word(w)).value_or(absent);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      visit(d, solve(solver, docs[d], [&](word_id word) { return same ? word : number[word]; }));
    }
  }

 private:
  static constexpr word_id absent = std::numeric_limits<word_id>::max();

  template <class NumberOf>
  topic_fit solve(detail::likelihood_solver& solver, const document& doc, NumberOf&& number_of) const {
    topic_fit fit;
    solver.start(doc.size());
    bool possible = false;
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const std::size_t word = number_of(doc.words[n]);
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

  likelihood_options options_;
  vocabulary_ptr vocab_;
  std::size_t topics_;
  std::vector<double> largest_log_;  // minus infinity for a word that no topic makes
  Eigen::MatrixXd rows_;             // topics (padded) x words
};

/// zeta: the statistic that the paper proposes. It rises if the document was in the training data.
inline double zeta(const topic_fit& fit) { return fit.log_likelihood; }

/// sum_k theta_k log theta_k: 0 for a single topic, -log K for equal shares.
inline double negative_entropy(const topic_fit& fit) {
  double sum = 0;
  for (const double share : fit.theta) sum += share > 0 ? share * std::log(share) : 0;
  return sum;
}

/// log(m / (1 - m)) of the largest share m. 1 - m counts as at least 1e-9, so the result is finite.
inline double logit_maximum(const topic_fit& fit) {
  const double most = fit.theta.maxCoeff();
  return std::log(most) - std::log(std::max(1 - most, 1e-9));
}

/// The standard deviation of the shares.
inline double standard_deviation(const topic_fit& fit) {
  return std::sqrt((fit.theta.array() - fit.theta.mean()).square().mean());
}

/// A number that should be higher for members.
using fit_statistic = std::function<double(const topic_fit&)>;

/// Computes statistics of all documents under a model. Attacks accept any callable of this form: query(model, docs)
/// returns a matrix with a row for each document and a column for each statistic.
class fit_query {
 public:
  /// Throws std::invalid_argument if there are no statistics.
  fit_query(std::initializer_list<fit_statistic> statistics = {zeta}, const likelihood_options& options = {})
      : statistics_(statistics), options_(options) {
    detail::require(!statistics_.empty(), "fit_query", "number of statistics", 0, "must be at least 1");
  }

  /// Throws std::invalid_argument as document_likelihood does.
  template <class Real>
  Eigen::MatrixXd operator()(const topic_model<Real>& model, const corpus& docs) const {
    Eigen::MatrixXd values(static_cast<Eigen::Index>(docs.size()), static_cast<Eigen::Index>(statistics_.size()));
    document_likelihood<Real>(model, options_)(docs, [&](std::size_t d, const topic_fit& fit) {
      for (std::size_t s = 0; s < statistics_.size(); ++s) {
        values(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(s)) = statistics_[s](fit);
      }
    });
    return values;
  }

 private:
  std::vector<fit_statistic> statistics_;
  likelihood_options options_;
};

}  // namespace dplda::inline v0_1

#endif
