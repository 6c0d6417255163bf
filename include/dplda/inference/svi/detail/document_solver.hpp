// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_DETAIL_DOCUMENT_SOLVER_HPP
#define DPLDA_INFERENCE_SVI_DETAIL_DOCUMENT_SOLVER_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/prefetch.hpp>
#include <dplda/inference/document_kernels.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Fits gamma = alpha + the expected tokens of each topic to one document after the other, by coordinate ascent
/// (Hoffman, Blei and Bach 2010, algorithm 2), until an update moves gamma by less than `tolerance` per topic. It has
/// its own work space; each thread has one solver.
///
/// Most topics soon have almost no tokens of a document. While they do, the others are updated alone, with the share of
/// the rest held fixed; this is coordinate ascent too. Updates of all topics come first, last and in between, and only
/// they end the fit.
template <class Real>
class document_solver {
 public:
  /// Preconditions: alpha positive, iterations at least 1.
  document_solver(const Eigen::VectorXd& alpha, std::size_t iterations, double tolerance,
                  weight_rule rule = weight_rule::expected_log)
      : topics_(static_cast<std::size_t>(alpha.size())),
        stride_(padded<Real>(topics_)),
        iterations_(iterations),
        tolerance_(static_cast<Real>(tolerance)),
        rule_(rule) {
    std::fill_n(all_.alpha.ensure(stride_), stride_, Real(1));
    std::transform(alpha.begin(), alpha.end(), all_.alpha.data(), [](double a) { return static_cast<Real>(a); });
    all_.ensure_topics(stride_);
    busy_.ensure_topics(stride_);
  }

  /// Fits the document's posterior. row_of(word) points to the word's `stride` relative probabilities, or is null for a
  /// word that has none; such words are left out. The answers below hold until the next call.
  template <class RowOf>
  void solve(const document& doc, RowOf&& row_of) {
    const Real tokens = gather(doc, row_of);
    for (std::size_t k = 0; k < stride_; ++k) {
      all_.gamma.data()[k] = all_.alpha.data()[k] + tokens / static_cast<Real>(topics_);
    }
    const Real enough = tolerance_ * static_cast<Real>(topics_);
    std::size_t left = iterations_;
    for (std::size_t run = 4;; run = 1) {
      for (; run > 0; --run) {
        const Real moved = update(all_, stride_);
        if (--left == 0 || !(moved >= enough)) return;
      }
      if (left > 1 && choose_busy()) left = update_busy(left, enough / 2);
    }
  }

  std::size_t stride() const noexcept { return stride_; }
  /// The Dirichlet parameters of the document's topic proportions.
  std::span<const Real> gamma() const { return {all_.gamma.data(), topics_}; }
  /// document_answer::weights, padding included.
  std::span<const Real> weights() const { return {all_.weights.data(), stride_}; }
  /// The rows of the words that have some, in their order, `stride` apart.
  const Real* rows() const { return all_.rows.data(); }
  /// document_answer::ratios for the words that have rows, in their order.
  std::span<const Real> ratios() const { return {ratios_.data(), words_}; }

 private:
  // A problem over some of the topics.
  struct part {
    aligned_buffer<Real> alpha, gamma, weights, rows, rest;

    void ensure_topics(std::size_t stride) {
      alpha.ensure(stride);
      gamma.ensure(stride);
      weights.ensure(2 * stride);
    }
  };

  // Copies the words' rows and counts. Returns the number of tokens that have rows.
  template <class RowOf>
  Real gather(const document& doc, RowOf&& row_of) {
    const std::size_t room = padded<Real>(doc.size());
    Real* rows = all_.rows.ensure(room * stride_);
    Real* counts = counts_.ensure(room);
    ratios_.ensure(room);
    words_ = 0;
    Real tokens = 0;
    constexpr std::size_t ahead = 4;
    for (std::size_t n = 0; n < doc.size(); ++n) {
      if (n + ahead < doc.size()) {
        if (const Real* next = row_of(doc.words[n + ahead])) prefetch(next, stride_);
      }
      const Real* row = row_of(doc.words[n]);
      if (row == nullptr) continue;
      std::copy_n(row, stride_, rows + words_ * stride_);
      counts[words_++] = static_cast<Real>(doc.counts[n]);
      tokens += static_cast<Real>(doc.counts[n]);
    }
    padded_words_ = padded<Real>(words_);
    std::fill(rows + words_ * stride_, rows + padded_words_ * stride_, Real(1));
    std::fill(counts + words_, counts + padded_words_, Real(0));
    std::fill_n(all_.rest.ensure(room), padded_words_, Real(0));
    return tokens;
  }

  document_problem<Real> problem(const part& p, std::size_t stride) const {
    return {p.rows.data(), counts_.data(), p.rest.data(), p.alpha.data(), padded_words_, stride, rule_};
  }

  Real update(part& p, std::size_t stride) {
    const document_answer<Real> answer{p.gamma.data(), p.weights.data(), ratios_.data()};
    return update_document(problem(p, stride), answer);
  }

  // Lists the topics that hold at least `tolerance` tokens. Returns whether it pays to work on them alone. The others
  // together cannot move by more than the tolerance allows all topics.
  bool choose_busy() {
    busy_topics_.clear();
    for (std::size_t k = 0; k < topics_; ++k) {
      if (all_.gamma.data()[k] - all_.alpha.data()[k] >= tolerance_) busy_topics_.push_back(k);
    }
    return 2 * padded<Real>(busy_topics_.size()) <= stride_;
  }

  // Updates the busy topics alone until they move by less than `enough`, but leaves one update for all topics. Returns
  // the number of updates left.
  std::size_t update_busy(std::size_t left, Real enough) {
    const std::size_t stride = std::max(padded<Real>(busy_topics_.size()), lanes<Real>);
    std::fill_n(busy_.alpha.data(), stride, Real(1));
    std::fill_n(busy_.gamma.data(), stride, Real(1));
    Real* rows = busy_.rows.ensure(padded_words_ * stride);
    std::fill_n(rows, padded_words_ * stride, Real(0));
    Real* others = all_.weights.data();
    for (std::size_t j = 0; j < busy_topics_.size(); ++j) {
      const std::size_t k = busy_topics_[j];
      busy_.alpha.data()[j] = all_.alpha.data()[k];
      busy_.gamma.data()[j] = all_.gamma.data()[k];
      others[k] = 0;
    }
    for (std::size_t n = 0; n < padded_words_; ++n) {
      const Real* row = all_.rows.data() + n * stride_;
      for (std::size_t j = 0; j < busy_topics_.size(); ++j) rows[n * stride + j] = row[busy_topics_[j]];
    }
    dot_rows(problem(all_, stride_), others, busy_.rest.ensure(padded_words_));
    while (left > 1) {
      --left;
      if (!(update(busy_, stride) >= enough)) break;
    }
    for (std::size_t j = 0; j < busy_topics_.size(); ++j) all_.gamma.data()[busy_topics_[j]] = busy_.gamma.data()[j];
    return left;
  }

  std::size_t topics_, stride_, iterations_;
  Real tolerance_;
  weight_rule rule_;
  std::size_t words_ = 0, padded_words_ = 0;
  part all_, busy_;
  std::vector<std::size_t> busy_topics_;
  aligned_buffer<Real> counts_, ratios_;
};

}  // namespace dplda::inline v0_1::detail

#endif
