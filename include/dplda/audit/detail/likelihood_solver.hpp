// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_DETAIL_LIKELIHOOD_SOLVER_HPP
#define DPLDA_AUDIT_DETAIL_LIKELIHOOD_SOLVER_HPP

#include <dplda/core/detail/pack.hpp>
#include <dplda/inference/document_kernels.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#define DPLDA_KERNELS <dplda/audit/detail/gram_kernels.inl>
#include <dplda/core/detail/for_each_isa.hpp>

namespace dplda::inline v0_1::detail {

/// gram(i, j) = column_i . column_j for j <= i, from `count` consecutive columns of `size` numbers. A row of the result
/// has `count` numbers. Precondition: size is a multiple of the lanes.
inline void gram_matrix(const double* columns, std::size_t count, std::size_t size, double* gram) {
  wide_isa_runs() ? wide_isa::gram_matrix(columns, count, size, gram)
                  : own_isa::gram_matrix(columns, count, size, gram);
}

/// Maximises f(theta) = sum_w n_w log(sum_k theta_k row_wk) over the simplex, one document after the other, in its own
/// work space; each thread has its own solver.
///
/// A few steps of expectation maximisation find the topics that matter. Newton's method then works on these: it
/// maximises F(x) = f(x) - n sum_k x_k over x >= 0, whose maximum is that of f (scaling x to sum 1 never lowers F), by
/// quadratic models with an active set. F is self-concordant, so few steps suffice. Where a Newton step would not
/// ascend, a step of expectation maximisation, which always does, replaces it.
class likelihood_solver {
 public:
  explicit likelihood_solver(std::size_t topics) : topics_(topics), stride_(padded<double>(topics)) {
    std::fill_n(zeros_.ensure(stride_), stride_, 0.0);
    for (auto* buffer : {&theta_, &trial_, &next_, &direction_}) buffer->ensure(stride_);
    weights_.ensure(2 * stride_);
  }

  /// Reserves room for a document of `words` words; add fills in the rows and counts.
  void start(std::size_t words) {
    const std::size_t room = padded<double>(words);
    rows_.ensure(room * stride_);
    counts_.ensure(room);
    inverse_roots_.ensure(room);
    ratios_.ensure(room);
    std::fill_n(rest_.ensure(room), room, 0.0);
    words_ = 0;
    tokens_ = 0;
  }

  /// Adds a word of the document: `stride` numbers, at least one positive, 0 beyond the topics.
  void add(const double* row, double count) {
    std::copy_n(row, stride_, rows_.data() + words_ * stride_);
    inverse_roots_.data()[words_] = 1 / std::sqrt(count);
    counts_.data()[words_++] = count;
    tokens_ += count;
  }

  /// Maximises until the gap is at most `tolerance`, or 1e-14 of the tokens, which is the limit set by rounding.
  /// Precondition: a word was added.
  void solve(double tolerance) {
    tolerance = std::max(tolerance, 1e-14 * tokens_);
    padded_words_ = padded<double>(words_);
    std::fill(rows_.data() + words_ * stride_, rows_.data() + padded_words_ * stride_, 1.0);
    std::fill(counts_.data() + words_, counts_.data() + padded_words_, 0.0);
    double* theta = theta_.data();
    std::fill_n(theta, stride_, 0.0);
    std::fill_n(theta, topics_, 1 / static_cast<double>(topics_));
    evaluate(theta);
    steps_ = 1;
    for (int i = 0; i < em_steps && gap() > tolerance; ++i) expectation_maximisation();
    if (gap() <= tolerance) return;
    leave_out_fading_topics();
    double best = gap();
    for (int since = 0; gap() > tolerance && steps_ < most_steps;) {
      if (since >= patience || !newton()) {
        for (int i = 0; i < em_steps; ++i) expectation_maximisation();
        since = 0;
      }
      ++since;
      if (gap() <= best / 2) {
        best = gap();
        since = 0;
      }
    }
  }

  std::size_t stride() const noexcept { return stride_; }
  std::span<const double> theta() const { return {theta_.data(), topics_}; }
  int steps() const noexcept { return steps_; }

  /// f(theta).
  double value() const {
    double sum = 0;
    for (std::size_t n = 0; n < words_; ++n) sum += counts_.data()[n] * std::log(counts_.data()[n] / ratios_.data()[n]);
    return sum;
  }

  /// An upper bound on how far f(theta) is below its maximum: for any theta', by Jensen's inequality,
  ///   f(theta') - f(theta) = sum_w n_w log(p'_w / p_w) <= n log(sum_w (n_w / n) p'_w / p_w)
  ///                        = n log(theta' . g / n) <= n log(max_k g_k / n),   g_k = sum_w n_w row_wk / p_w.
  double gap() const {
    const double most = *std::max_element(gradient(), gradient() + topics_);
    return tokens_ * std::log1p(std::max(0.0, most / tokens_ - 1));
  }

 private:
  static constexpr int em_steps = 8;       // 3 to 12 are equally fast
  static constexpr int patience = 6;       // Newton steps that may fail to halve the gap
  static constexpr int most_steps = 2000;  // far more than any tested document needed
  static constexpr double fading = 0.01;
  static constexpr std::size_t entering = 8;  // topics at once

  const double* gradient() const { return weights_.data() + stride_; }

  // The gradient at `theta`, the words' ratios, and the next point of expectation maximisation times the tokens.
  void evaluate(const double* theta) {
    std::copy_n(theta, stride_, next_.data());
    const document_problem<double> problem{rows_.data(),  counts_.data(), rest_.data(),         zeros_.data(),
                                           padded_words_, stride_,        weight_rule::expected};
    update_document<double>(problem, {next_.data(), weights_.data(), ratios_.data()});
  }

  void expectation_maximisation() {
    for (std::size_t k = 0; k < topics_; ++k) theta_.data()[k] = next_.data()[k] / tokens_;
    evaluate(theta_.data());
    ++steps_;
  }

  // Newton's method starts with few topics; a topic left out wrongly enters again because of its gradient.
  void leave_out_fading_topics() {
    double sum = 0;
    for (std::size_t k = 0; k < topics_; ++k) {
      double& share = theta_.data()[k];
      if (share < fading && gradient()[k] < tokens_) share = 0;
      sum += share;
    }
    for (std::size_t k = 0; k < topics_; ++k) theta_.data()[k] /= sum;
    evaluate(theta_.data());
    ++steps_;
  }

  // One step; false if none ascends. New topics enter together, or, if that fails, the best one alone.
  bool newton() { return newton(entering) || newton(1); }

  bool newton(std::size_t newcomers) {
    choose_support(newcomers);
    const std::size_t count = support_.size();
    double* columns = columns_.ensure(count * padded_words_);
    double* gram = gram_.ensure(count * count);
    scale_.assign(padded_words_, 0);  // sqrt(n_w) / p_w: the Hessian of -F is the Gram matrix of the scaled columns
    for (std::size_t n = 0; n < words_; ++n) scale_[n] = ratios_.data()[n] * inverse_roots_.data()[n];
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = rows_.data() + support_[i];
      for (std::size_t n = 0; n < padded_words_; ++n) columns[i * padded_words_ + n] = scale_[n] * row[n * stride_];
    }
    gram_matrix(columns, count, padded_words_, gram);
    if (!find_direction(gram, count)) return false;
    double climb = 0;
    for (std::size_t i = 0; i < count; ++i) climb += (gradient()[support_[i]] - tokens_) * direction_.data()[i];
    if (!(climb > 0)) return false;

    double step = 1;
    for (int tries = 0; tries < 12; ++tries) {
      std::copy_n(theta_.data(), stride_, trial_.data());
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) {
        double& share = trial_.data()[support_[i]];
        share = std::max(0.0, share + step * direction_.data()[i]);
        sum += share;
      }
      for (std::size_t k = 0; k < topics_; ++k) trial_.data()[k] /= sum;
      evaluate(trial_.data());
      ++steps_;
      double slope = 0;
      for (std::size_t i = 0; i < count; ++i) slope += (gradient()[support_[i]] / sum - tokens_) * direction_.data()[i];
      if (slope >= -0.5 * climb) {
        std::copy_n(trial_.data(), stride_, theta_.data());
        return true;
      }
      step *= std::isfinite(slope) ? std::clamp(climb / (climb - slope), 0.1, 0.7) : 0.1;
    }
    evaluate(theta_.data());
    return false;
  }

  // The topics with positive theta, and those at 0 that would raise the likelihood fastest.
  void choose_support(std::size_t newcomers) {
    support_.clear();
    free_.clear();
    for (std::size_t k = 0; k < topics_; ++k) {
      if (theta_.data()[k] > 0) {
        support_.push_back(k);
      } else if (gradient()[k] > tokens_) {
        free_.push_back(k);
      }
    }
    newcomers = std::min(newcomers, free_.size());
    std::partial_sort(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(newcomers), free_.end(),
                      [&](std::size_t a, std::size_t b) { return gradient()[a] > gradient()[b]; });
    support_.insert(support_.end(), free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(newcomers));
  }

  // direction_ = the step from theta to the end of a path in theta >= 0 along which the quadratic model ascends:
  // towards the model's maximum over the free topics until one reaches 0, then with that topic fixed at 0, and so on.
  bool find_direction(const double* gram, std::size_t count) {
    double most = 0;
    point_.resize(count);
    free_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      most = std::max(most, gram[i * count + i]);
      point_[i] = theta_.data()[support_[i]];
      free_[i] = i;
    }
    const double ridge = 1e-12 * most;
    const auto entry = [&](std::size_t i, std::size_t j) { return j <= i ? gram[i * count + j] : gram[j * count + i]; };
    while (!free_.empty()) {
      const std::size_t m = free_.size();
      double* factor = factor_.ensure(m * m);
      solution_.resize(m);
      for (std::size_t a = 0; a < m; ++a) {
        const std::size_t i = free_[a];
        double right = gradient()[support_[i]] - tokens_;
        for (std::size_t j = 0; j < count; ++j) right -= entry(i, j) * (point_[j] - theta_.data()[support_[j]]);
        solution_[a] = right;
        for (std::size_t b = 0; b <= a; ++b) factor[a * m + b] = entry(i, free_[b]);
        factor[a * m + a] += ridge;
      }
      if (!solve_positive(factor, m, solution_.data())) return false;
      double share = 1;
      std::size_t first = m;  // to reach 0
      for (std::size_t a = 0; a < m; ++a) {
        const double now = point_[free_[a]];
        if (!(now + solution_[a] < 0) || !(now < -solution_[a] * share)) continue;
        share = now / -solution_[a];
        first = a;
      }
      std::size_t left = 0;
      for (std::size_t a = 0; a < m; ++a) {
        double& now = point_[free_[a]];
        now += share * solution_[a];
        if (a == first || (now <= 0 && solution_[a] < 0)) {
          now = 0;
        } else {
          free_[left++] = free_[a];
        }
      }
      free_.resize(left);
      if (first == m) break;
    }
    for (std::size_t i = 0; i < count; ++i) direction_.data()[i] = point_[i] - theta_.data()[support_[i]];
    return true;
  }

  // Solves by Cholesky's factorisation, in place; false if the matrix is not positive definite.
  static bool solve_positive(double* lower, std::size_t m, double* x) {
    for (std::size_t i = 0; i < m; ++i) {
      double* row = lower + i * m;
      for (std::size_t j = 0; j <= i; ++j) {
        const double* other = lower + j * m;
        double sum = row[j];
        for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
        if (j < i) {
          row[j] = sum / other[j];
        } else {
          if (!(sum > 0)) return false;
          row[i] = std::sqrt(sum);
        }
      }
      double sum = x[i];
      for (std::size_t k = 0; k < i; ++k) sum -= row[k] * x[k];
      x[i] = sum / row[i];
    }
    for (std::size_t i = m; i-- > 0;) {
      double sum = x[i];
      for (std::size_t k = i + 1; k < m; ++k) sum -= lower[k * m + i] * x[k];
      x[i] = sum / lower[i * m + i];
    }
    return true;
  }

  std::size_t topics_, stride_;
  std::size_t words_ = 0, padded_words_ = 0;
  double tokens_ = 0;
  int steps_ = 0;
  aligned_buffer<double> rows_, counts_, inverse_roots_, ratios_, rest_, zeros_, theta_, trial_, next_, weights_,
      direction_;
  aligned_buffer<double> columns_, gram_, factor_;
  std::vector<double> scale_, point_, solution_;
  std::vector<std::size_t> support_, free_;
};

}  // namespace dplda::inline v0_1::detail

#endif
