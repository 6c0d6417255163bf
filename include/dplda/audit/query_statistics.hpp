// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_QUERY_STATISTICS_HPP
#define DPLDA_AUDIT_QUERY_STATISTICS_HPP

// What a membership attack computes from a topic model for a document (Manzonelli, Zhang and Vadhan 2024, section 3.3
// and appendix C): how well the topics can explain it at best, and statistics of the topic proportions that do so.

#include <dplda/audit/detail/likelihood_solver.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <span>
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
  explicit document_likelihood(const topic_model<Real>& model, const likelihood_options& options = {});

  /// The fit of a document whose words are numbered as in the model's vocabulary; those beyond it are impossible.
  topic_fit operator()(const document& doc) const;

  /// Calls visit(d, fit) for each document of a corpus. If its vocabulary is not the model's, words are matched by
  /// spelling.
  template <class Visit>
  void operator()(const corpus& docs, Visit&& visit) const {
    detail::likelihood_solver solver(topics_);
    const bool same = docs.vocab() == vocab_ || *docs.vocab() == *vocab_;
    std::vector<word_id> number(same ? 0 : docs.words());
    for (word_id w = 0; w < number.size(); ++w) number[w] = vocab_->find(docs.vocab()->word(w)).value_or(absent);
    for (std::size_t d = 0; d < docs.size(); ++d) visit(d, solve(solver, docs[d], number));
  }

 private:
  static constexpr word_id absent = std::numeric_limits<word_id>::max();

  // numbers: of the corpus's words in the model; empty: the same.
  topic_fit solve(detail::likelihood_solver& solver, const document& doc, std::span<const word_id> numbers) const;

  likelihood_options options_;
  vocabulary_ptr vocab_;
  std::size_t topics_;
  std::vector<double> largest_log_;  // minus infinity for a word that no topic makes
  Eigen::MatrixXd rows_;             // topics (padded) x words
};

/// zeta: the statistic that the paper proposes. It rises if the document was in the training data.
inline double zeta(const topic_fit& fit) { return fit.log_likelihood; }

/// sum_k theta_k log theta_k: 0 for a single topic, -log K for equal shares.
double negative_entropy(const topic_fit& fit);

/// log(m / (1 - m)) of the largest share m. 1 - m counts as at least 1e-9, so the result is finite.
double logit_maximum(const topic_fit& fit);

/// The standard deviation of the shares.
double standard_deviation(const topic_fit& fit);

/// A number that should be higher for members.
using fit_statistic = std::function<double(const topic_fit&)>;

/// Computes statistics of all documents under a model. Attacks accept any callable of this form: query(model, docs)
/// returns a matrix with a row for each document and a column for each statistic.
class fit_query {
 public:
  /// Throws std::invalid_argument if there are no statistics.
  fit_query(std::initializer_list<fit_statistic> statistics = {zeta}, const likelihood_options& options = {});

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

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/query_statistics.ipp>
#endif

#endif
