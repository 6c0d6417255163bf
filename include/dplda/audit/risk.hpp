// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_RISK_HPP
#define DPLDA_AUDIT_RISK_HPP

// Which documents are at risk, how well that is known from few shadow models, and what a guarantee allows.
//
// Claim: (1) With the stated confidence, all intervals of documents_at_risk contain their documents' detection rates at
//   once. (2) With the same confidence, no document stands out whose statistic does not depend on membership.
//   (3) No attack that distinguishes two neighbouring datasets has a true positive rate above largest_detection at that
//   false positive rate.
// Preconditions: pairs of shadow models are independent of each other, as train_shadows makes them. (1) The statistic
//   is normal IN and normal OUT; shapiro_wilk (diagnostics.hpp) tests for violations. (2) needs no normal distribution:
//   its null hypothesis is that the two statistics of a pair may be exchanged. (3) The budget or ledger holds.
// Argument: (1) With n normal values, sqrt(n) (mean - t) / deviation has a noncentral t distribution. Its inversion
//   gives exact limits for a quantile t of the values and for P(value > t). The threshold that accuses falsely at the
//   given rate is a quantile of the values OUT. The rate's lower limit is that of P(value IN > t) at the upper limit of
//   t, its upper limit the reverse. By Bonferroni's inequality, each of these four limits gets a quarter of a
//   document's error probability, and each document gets an equal share of the total. IN and OUT may depend on each
//   other. (2) To stand out, a document needs more pairs with the higher statistic IN than fair coins give (the sign
//   test, exact), at a level divided by the number of documents. It also needs an interval above the false positive
//   rate. (3) A set of outputs that has probability a without the unit has at most e^epsilon a + delta with it, and its
//   complement gives 1 - e^-epsilon (1 - delta - a). A ledger has a delta for each epsilon: each gives a bound, so the
//   smallest of them is one too.
// What shadow models measure is not exactly what a guarantee bounds. Halves of an even number of documents have equal
//   sizes, so a half without the document has another one in its place. If F(a) is largest_detection for one unit more
//   or less, the detection rate of the shadow models is at most F(F(a)): F is concave, so averages over the other
//   documents keep the bound. A half of 2 k + 1 documents has k or k + 1. All but a share of 1 / (2 k + 1) of the
//   halves with the document are paired with halves without it of the same size; the remaining ones, of size k + 1, are
//   paired with halves of size k, for which F(a) <= F(F(a)) holds.
// Test: tests/audit/risk_test.cpp (coverage, false alarms, and that intervals of a third of the width are caught).

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/audit/lira.hpp>
#include <dplda/audit/rates.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <vector>

namespace dplda::inline v0_1 {

/// How much a model reveals about one document.
struct document_risk {
  std::size_t document = 0;  ///< its position in the corpus
  /// mean IN - mean OUT, in standard deviations OUT. It should be positive. (The Kullback-Leibler divergence, which the
  /// paper uses, is never negative, so it cannot show that the statistic rises.)
  double separation = 0;
  double divergence = 0;  ///< Kullback-Leibler, of the law IN from the law OUT
  /// The chance that a threshold detects the document if the model was trained on it. If it was not, the threshold
  /// falsely accuses it at the given rate. The estimate of the fitted laws, and an interval that holds for all
  /// documents at once.
  rate_interval detection = {};
  bool stands_out = false;  ///< whether that can be distinguished from chance
};

namespace detail {

/// The observed excess of the mean of n normal values over a threshold, in sample deviations, if the true excess is
/// `excess` true deviations: sqrt(n) times it has a noncentral t distribution, (Z + sqrt(n) excess) / S, where Z is
/// normal and S is the root of an independent chi-squared variable over its n - 1 degrees.
class excess_law {
 public:
  explicit excess_law(std::size_t values);

  /// The chance to observe at least this much, to about 1e-12: the integral over S of its density times
  /// P(Z > t S - center).
  double chance_above(double seen, double excess) const;

 private:
  double root_, half_;
  double least_, largest_;  // S is outside with a chance of 2e-25
  double log_factor_;
};

/// Limits for a detection rate, from numbers of normal values; each limit for a quantile or a rate errs with
/// probability `tail`.
class detection_limits {
 public:
  detection_limits(std::size_t with, std::size_t without, double false_positive_rate, double tail);

  rate_interval operator()(const membership_laws& laws) const;

 private:
  excess_law in_;
  double tail_, quantile_;
  double lowest_, highest_;  // limits of the threshold, in deviations OUT above the mean OUT
};

}  // namespace detail

/// The risk of each document, from its statistics under shadow models (shadows x documents) that come in pairs: of rows
/// 2j and 2j + 1, one was trained on the document and the other was not, as train_shadows makes them. Documents that
/// stand out come first, by descending lower limit. All others follow in the order of the corpus, because a rate that
/// cannot be distinguished from chance has no rank. Throws std::invalid_argument if rows do not form pairs, if there
/// are fewer than two pairs, if false_positive_rate or confidence is outside (0, 1), and as fit_laws does.
std::vector<document_risk> documents_at_risk(const Eigen::MatrixXd& statistics, const membership& members,
                                             double false_positive_rate = 0.001, double confidence = 0.95);

/// How many shadow models are needed before any of `documents` documents can stand out.
/// Throws std::invalid_argument if there is no document, or confidence is outside (0, 1).
std::size_t shadows_to_stand_out(std::size_t documents, double confidence = 0.95);

/// The largest true positive rate that differential privacy allows at a false positive rate, between neighbouring
/// datasets.
/// Throws std::invalid_argument if the rate is outside [0, 1], epsilon is negative or NaN, or delta is outside [0, 1].
double largest_detection(const budget& spent, double false_positive_rate);

/// The same for a ledger, with its unit and neighbouring relation: the least bound over its epsilons, each with its
/// delta.
/// Throws std::invalid_argument if the rate is outside [0, 1].
double largest_detection(const ledger& book, double false_positive_rate);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/risk.ipp>
#endif

#endif
