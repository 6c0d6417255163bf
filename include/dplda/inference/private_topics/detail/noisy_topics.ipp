// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_NOISY_TOPICS_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_NOISY_TOPICS_IPP

// Bodies of inference/private_topics/detail/noisy_topics.hpp.

#include <dplda/inference/private_topics/detail/noisy_topics.hpp>

#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE const shrinkage_family& shrinkage_family::get() {
  static const shrinkage_family family;
  return family;
}

DPLDA_INLINE shrinkage_family::shrinkage_family() {
  for (const double shape : {0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4}) members_.emplace_back(shape);
}

DPLDA_INLINE Eigen::VectorXd word_distribution(const Eigen::VectorXd& counts, const Eigen::VectorXd& noise) {
  const double mean = std::max(counts.mean(), noise.mean() / static_cast<double>(counts.size()));
  const gamma_shrinkage& prior = shrinkage_family::get().fit([&](auto&& visit) {
    for (Eigen::Index v = 0; v < counts.size(); ++v) visit(counts[v], noise[v], mean);
  });
  Eigen::VectorXd words(counts.size());
  for (Eigen::Index v = 0; v < counts.size(); ++v) words[v] = prior.mean(counts[v], noise[v], mean);
  return words / words.sum();
}

DPLDA_INLINE Eigen::VectorXd word_distribution(const noisy_words& background) {
  return word_distribution(background.counts, Eigen::VectorXd::Constant(background.counts.size(), background.noise));
}

DPLDA_INLINE noisy_topics::noisy_topics(std::size_t topics, noisy_words background, Eigen::VectorXd word_weights)
    : mean_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(topics), word_weights.size())),
      background_(std::move(background)),
      weights_(std::move(word_weights)) {}

DPLDA_INLINE noisy_topics::noisy_topics(Eigen::MatrixXd mean, double variance, std::size_t tables,
                                        noisy_words background, Eigen::VectorXd word_weights)
    : mean_(std::move(mean)),
      background_(std::move(background)),
      weights_(std::move(word_weights)),
      variance_(variance),
      tables_(tables) {}

DPLDA_INLINE void noisy_topics::add(std::span<const double> table, double noise) {
  ++tables_;
  const double share = 2 / (static_cast<double>(tables_) + 1);
  mean_ += share * (Eigen::Map<const Eigen::MatrixXd>(table.data(), mean_.rows(), mean_.cols()) - mean_);
  variance_ = (1 - share) * (1 - share) * variance_ + share * share * noise * noise;
}

DPLDA_INLINE Eigen::MatrixXd noisy_topics::topics() const {
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

DPLDA_INLINE Eigen::VectorXd noisy_topics::topic_totals(const Eigen::MatrixXd& table) {
  Eigen::VectorXd totals = table.rowwise().sum();
  const double least = std::max(1.0, totals.cwiseMax(0).mean()) / 10;
  return totals.cwiseMax(least);
}

DPLDA_INLINE Eigen::VectorXd noisy_topics::joint_background(const Eigen::MatrixXd& table,
                                                            const Eigen::VectorXd& noise) const {
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

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
