// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_NOISY_TOPICS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_NOISY_TOPICS_HPP

// Topics from released tables. All of this is post-processing: it reads noisy sums and their known noise, never a
// document.

#include <dplda/inference/private_topics/detail/gamma_shrinkage.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The family of priors; the released values choose among them.
class shrinkage_family {
 public:
  /// Tabulated at first use, the same for all threads.
  static const shrinkage_family& get() {
    static const shrinkage_family family;
    return family;
  }

  /// The member under which the observed cells are most likely. each(visit) calls visit(y, noise, mean) for every cell.
  template <class EachCell>
  const gamma_shrinkage& fit(EachCell&& each) const {
    std::vector<double> scores(members_.size());
    each([&](double y, double noise, double mean) {
      for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += members_[i].log_marginal(y, noise, mean);
    });
    return members_[static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())];
  }

 private:
  shrinkage_family() {
    for (const double shape : {0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4}) members_.emplace_back(shape);
  }

  std::vector<gamma_shrinkage> members_;
};

/// Noisy counts of words, all with noise of one standard deviation.
struct noisy_words {
  Eigen::VectorXd counts;
  double noise;
};

/// The word distribution behind noisy counts: empirical Bayes with one prior mean for all words.
inline Eigen::VectorXd word_distribution(const Eigen::VectorXd& counts, const Eigen::VectorXd& noise) {
  const double mean = std::max(counts.mean(), noise.mean() / static_cast<double>(counts.size()));
  const gamma_shrinkage& prior = shrinkage_family::get().fit([&](auto&& visit) {
    for (Eigen::Index v = 0; v < counts.size(); ++v) visit(counts[v], noise[v], mean);
  });
  Eigen::VectorXd words(counts.size());
  for (Eigen::Index v = 0; v < counts.size(); ++v) words[v] = prior.mean(counts[v], noise[v], mean);
  return words / words.sum();
}

inline Eigen::VectorXd word_distribution(const noisy_words& background) {
  return word_distribution(background.counts, Eigen::VectorXd::Constant(background.counts.size(), background.noise));
}

/// A running mean of released tables, and the topics behind it.
///
/// Tables are topics x words. Each word's column was multiplied by the word's weight before noise was added. Later
/// tables, made with better topics, count more: the table of step t has weight t.
class noisy_topics {
 public:
  /// Preconditions: at least one topic and one word, weights positive.
  noisy_topics(std::size_t topics, noisy_words background, Eigen::VectorXd word_weights)
      : mean_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(topics), word_weights.size())),
        background_(std::move(background)),
        weights_(std::move(word_weights)) {}

  /// As it was after `tables` tables, with their mean and its variance.
  noisy_topics(Eigen::MatrixXd mean, double variance, std::size_t tables, noisy_words background,
               Eigen::VectorXd word_weights)
      : mean_(std::move(mean)),
        background_(std::move(background)),
        weights_(std::move(word_weights)),
        variance_(variance),
        tables_(tables) {}

  /// Adds the next table, with the topics of one word side by side, and its noise's standard deviation.
  void add(std::span<const double> table, double noise) {
    ++tables_;
    const double share = 2 / (static_cast<double>(tables_) + 1);
    mean_ += share * (Eigen::Map<const Eigen::MatrixXd>(table.data(), mean_.rows(), mean_.cols()) - mean_);
    variance_ = (1 - share) * (1 - share) * variance_ + share * share * noise * noise;
  }

  const Eigen::MatrixXd& mean() const noexcept { return mean_; }
  const noisy_words& background() const noexcept { return background_; }
  const Eigen::VectorXd& word_weights() const noexcept { return weights_; }
  /// The variance of the noise on each cell of the mean.
  double variance() const noexcept { return variance_; }

  /// The noise on the mean of this many tables divided by the noise on one.
  static double noise_left(double tables) { return std::sqrt((4 * tables + 2) / (3 * tables * (tables + 1))); }

  /// Phi: each cell is shrunk toward its topic's share of the word's background count, by empirical Bayes.
  Eigen::MatrixXd topics() const {
    const Eigen::VectorXd noise = std::sqrt(variance_) * weights_.cwiseInverse();  // of each cell of a word
    Eigen::MatrixXd phi = mean_ * weights_.cwiseInverse().asDiagonal();
    const Eigen::VectorXd totals = topic_totals(phi), words = joint_background(phi, noise);
    const gamma_shrinkage& prior = shrinkage_family::get().fit([&](auto&& visit) {
      // Every cell is used, but not in every step: a fixed tenth of the words determines the shape well enough.
      for (Eigen::Index v = 0; v<phi.cols(); v += phi.cols()> 1000 ? 10 : 1) {
        for (Eigen::Index k = 0; k < phi.rows(); ++k) visit(phi(k, v), noise[v], totals[k] * words[v]);
      }
    });
    for (Eigen::Index v = 0; v < phi.cols(); ++v) {
      for (Eigen::Index k = 0; k < phi.rows(); ++k) {
        phi(k, v) = prior.mean(phi(k, v), noise[v], totals[k] * words[v]);
      }
    }
    phi.array().colwise() /= phi.rowwise().sum().array().eval();
    return phi;
  }

 private:
  // Topics' sizes: their noisy sums, but at least a tenth of the mean, because a topic cannot recover from zero.
  static Eigen::VectorXd topic_totals(const Eigen::MatrixXd& table) {
    Eigen::VectorXd totals = table.rowwise().sum();
    const double least = std::max(1.0, totals.cwiseMax(0).mean()) / 10;
    return totals.cwiseMax(least);
  }

  // The words' distribution from both estimates: the background's counts and the sums over topics.
  Eigen::VectorXd joint_background(const Eigen::MatrixXd& table, const Eigen::VectorXd& noise) const {
    const Eigen::VectorXd sums = table.colwise().sum();
    const double scale = std::max(1.0, sums.sum()) / std::max(1.0, background_.counts.sum());
    Eigen::VectorXd counts(sums.size()), noises(sums.size());
    for (Eigen::Index v = 0; v < sums.size(); ++v) {
      const double first = scale * background_.noise, second = noise[v] * std::sqrt(static_cast<double>(table.rows()));
      const double a = 1 / (first * first), b = 1 / (second * second);
      counts[v] = (a * scale * background_.counts[v] + b * sums[v]) / (a + b);
      noises[v] = 1 / std::sqrt(a + b);
    }
    return word_distribution(counts, noises);
  }

  Eigen::MatrixXd mean_;
  noisy_words background_;
  Eigen::VectorXd weights_;
  double variance_ = 0;
  std::size_t tables_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif
