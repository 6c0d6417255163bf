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
#include <vector>

namespace dplda::inline v0_1::detail {

/// The family of priors; the released values choose among them.
class shrinkage_family {
 public:
  /// Tabulated at first use, the same for all threads.
  static const shrinkage_family& get();

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
  shrinkage_family();

  std::vector<gamma_shrinkage> members_;
};

/// Noisy counts of words, all with noise of one standard deviation.
struct noisy_words {
  Eigen::VectorXd counts;
  double noise;
};

/// The word distribution behind noisy counts: empirical Bayes with one prior mean for all words.
Eigen::VectorXd word_distribution(const Eigen::VectorXd& counts, const Eigen::VectorXd& noise);

Eigen::VectorXd word_distribution(const noisy_words& background);

/// A running mean of released tables, and the topics behind it.
///
/// Tables are topics x words. Each word's column was multiplied by the word's weight before noise was added. Later
/// tables, made with better topics, count more: the table of step t has weight t.
class noisy_topics {
 public:
  /// Preconditions: at least one topic and one word, weights positive.
  noisy_topics(std::size_t topics, noisy_words background, Eigen::VectorXd word_weights);

  /// As it was after `tables` tables, with their mean and its variance.
  noisy_topics(Eigen::MatrixXd mean, double variance, std::size_t tables, noisy_words background,
               Eigen::VectorXd word_weights);

  /// Adds the next table, with the topics of one word side by side, and its noise's standard deviation.
  void add(std::span<const double> table, double noise);

  const Eigen::MatrixXd& mean() const noexcept { return mean_; }
  const noisy_words& background() const noexcept { return background_; }
  const Eigen::VectorXd& word_weights() const noexcept { return weights_; }
  /// The variance of the noise on each cell of the mean.
  double variance() const noexcept { return variance_; }

  /// The noise on the mean of this many tables divided by the noise on one.
  static double noise_left(double tables) { return std::sqrt((4 * tables + 2) / (3 * tables * (tables + 1))); }

  /// Phi: each cell is shrunk toward its topic's share of the word's background count, by empirical Bayes.
  Eigen::MatrixXd topics() const;

 private:
  // Topics' sizes: their noisy sums, but at least a tenth of the mean, because a topic cannot recover from zero.
  static Eigen::VectorXd topic_totals(const Eigen::MatrixXd& table);

  // The words' distribution from both estimates: the background's counts and the sums over topics.
  Eigen::VectorXd joint_background(const Eigen::MatrixXd& table, const Eigen::VectorXd& noise) const;

  Eigen::MatrixXd mean_;
  noisy_words background_;
  Eigen::VectorXd weights_;
  double variance_ = 0;
  std::size_t tables_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/noisy_topics.ipp>
#endif

#endif
