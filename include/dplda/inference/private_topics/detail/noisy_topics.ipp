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

DPLDA_INLINE Eigen::VectorXd expected_words(const Eigen::VectorXd& values, const Eigen::VectorXd& noise,
                                            const Eigen::MatrixXd& public_shares) {
  const Eigen::Index texts = public_shares.cols(), words = values.size();
  const double size = static_cast<double>(words), mean = std::max(values.mean(), noise.mean() / size);
  Eigen::MatrixXd parts = Eigen::MatrixXd::Constant(words, texts + 1, mean);
  if (texts > 0) parts.leftCols(texts) = size * mean * public_shares;
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(texts + 1, 1 / static_cast<double>(texts + 1));
  for (int i = 0; i < 20 && texts > 0; ++i) {
    const Eigen::VectorXd trust = (noise.array().square() + (parts * weights).array().square()).inverse();
    Eigen::MatrixXd products(texts + 1, texts + 1);
    Eigen::VectorXd sums(texts + 1);
    for (Eigen::Index j = 0; j <= texts; ++j) {
      const Eigen::VectorXd trusted = trust.cwiseProduct(parts.col(j));
      for (Eigen::Index other = 0; other <= texts; ++other) products(other, j) = trusted.dot(parts.col(other));
      sums[j] = trusted.dot(values);
    }
    for (int sweep = 0; sweep < 50; ++sweep) {
      for (Eigen::Index j = 0; j <= texts; ++j) {
        if (!(products(j, j) > 0)) continue;
        const double others = products.col(j).dot(weights) - products(j, j) * weights[j];
        weights[j] = std::max(j == texts ? 0.01 : 0.0, (sums[j] - others) / products(j, j));
      }
    }
  }
  const Eigen::VectorXd expected = parts * weights;
  return (expected * (mean / expected.mean())).cwiseMax(mean / 100);
}

DPLDA_INLINE noisy_words in_one_noise(const Eigen::VectorXd& counts, const Eigen::VectorXd& noise) {
  const double least = noise.minCoeff();
  Eigen::VectorXd weights = least * noise.cwiseInverse();
  return {counts.cwiseProduct(weights), least, std::move(weights)};
}

inline double total_of(const noisy_words& each) {
  return std::max(1.0, (each.counts.array() / each.weights.array()).sum());
}

DPLDA_INLINE noisy_numbers averaged(std::span<const noisy_words> releases) {
  const double total = total_of(releases.back());
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(releases.back().counts.size()), precision = sum;
  for (const noisy_words& each : releases) {
    const double scale = total / total_of(each);
    const Eigen::ArrayXd own = (each.weights.array() / (scale * each.noise)).square();
    sum += own * scale * each.counts.array() / each.weights.array();
    precision += own;
  }
  return {sum / precision, precision.rsqrt(), {}};
}

DPLDA_INLINE Eigen::VectorXd word_distribution(std::span<const noisy_words> releases,
                                               const Eigen::MatrixXd& public_shares, std::size_t threads) {
  noisy_numbers words = averaged(releases);
  words.expected = expected_words(words.values, words.noise, public_shares);
  const Eigen::VectorXd shrunk = ratio_prior(words, threads).means(words, threads);
  return shrunk / shrunk.sum();
}

DPLDA_INLINE noisy_topics::noisy_topics(std::size_t topics, std::vector<noisy_words> background,
                                        Eigen::VectorXd word_weights)
    : mean_(Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(topics), word_weights.size())),
      background_(std::move(background)),
      weights_(std::move(word_weights)) {}

DPLDA_INLINE noisy_topics::noisy_topics(Eigen::MatrixXd mean, double variance, std::size_t tables,
                                        std::vector<noisy_words> background, Eigen::VectorXd word_weights)
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

DPLDA_INLINE topic_counts noisy_topics::counts() const {
  noisy_numbers words = averaged(all_background());
  topic_counts all{mean_ * weights_.cwiseInverse().asDiagonal(), std::sqrt(variance_) * weights_.cwiseInverse(),
                   std::move(words.values), std::move(words.noise)};
  if (!earlier_) return all;
  const double scale = total_of(background_.back()) / std::max(1.0, earlier_->words.sum());
  const Eigen::VectorXd own = all.cell_noise.array().square().inverse(),
                        old = (scale * earlier_->cell_noise).array().square().inverse(), sum = own + old;
  all.cells =
      (all.cells * own.cwiseQuotient(sum).asDiagonal() + scale * earlier_->cells * old.cwiseQuotient(sum).asDiagonal())
          .eval();
  all.cell_noise = sum.array().rsqrt();
  return all;
}

DPLDA_INLINE Eigen::MatrixXd noisy_topics::topics(std::size_t threads) const {
  topic_counts all = counts();
  const Eigen::VectorXd words = joint_background(all, threads), inverse_totals = topic_totals(all.cells).cwiseInverse();
  Eigen::MatrixXd phi = std::move(all.cells);
  // What is expected of a cell is its topic's total times the word's probability, times the lift.
  const auto inverse_mean = [&](Eigen::Index k, Eigen::Index v) {
    const double inverse = inverse_totals[k] * (all.cell_noise[v] / words[v]);
    return lifts_.size() > 0 ? inverse / lifts_(k, v) : inverse;
  };
  // Every cell is used, but not in every step: a fixed tenth of the words determines the shape well enough.
  const Eigen::Index every = phi.cols() > 1000 ? 10 : 1;
  const auto groups = static_cast<std::size_t>((phi.cols() + every - 1) / every);
  const gamma_shrinkage& prior = shrinkage_family::get().fit(groups, threads, [&](std::size_t group, auto&& visit) {
    const Eigen::Index v = static_cast<Eigen::Index>(group) * every;
    for (Eigen::Index k = 0; k < phi.rows(); ++k) visit(phi(k, v) / all.cell_noise[v], inverse_mean(k, v));
  });
  parallel_for(static_cast<std::size_t>(phi.cols()), 64, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (auto v = static_cast<Eigen::Index>(begin); v < static_cast<Eigen::Index>(end); ++v) {
      const double inverse_noise = 1 / all.cell_noise[v];
      for (Eigen::Index k = 0; k < phi.rows(); ++k)
        phi(k, v) = prior.mean(phi(k, v) * inverse_noise, inverse_mean(k, v));
      phi.col(v) *= words[v] / phi.col(v).sum();
    }
  });
  Eigen::ArrayXd sums = Eigen::ArrayXd::Zero(phi.rows());
  for (Eigen::Index v = 0; v < phi.cols(); ++v) sums += phi.col(v).array();
  const Eigen::ArrayXd inverses = sums.inverse();
  for (Eigen::Index v = 0; v < phi.cols(); ++v) phi.col(v).array() *= inverses;
  return phi;
}

DPLDA_INLINE Eigen::VectorXd noisy_topics::topic_totals(const Eigen::MatrixXd& table) {
  Eigen::VectorXd totals = Eigen::VectorXd::Zero(table.rows());
  for (Eigen::Index v = 0; v < table.cols(); ++v) totals += table.col(v);
  const double least = std::max(1.0, totals.cwiseMax(0).mean()) / 10;
  return totals.cwiseMax(least);
}

DPLDA_INLINE std::vector<noisy_words> noisy_topics::all_background() const {
  std::vector<noisy_words> releases;
  if (earlier_) releases.push_back(in_one_noise(earlier_->words, earlier_->word_noise));
  releases.insert(releases.end(), background_.begin(), background_.end());
  return releases;
}

DPLDA_INLINE Eigen::VectorXd noisy_topics::joint_background(const topic_counts& all, std::size_t threads) const {
  std::vector<noisy_words> releases = all_background();
  releases.push_back(earlier_ ? in_one_noise(all.cells.colwise().sum().transpose(),
                                             std::sqrt(static_cast<double>(mean_.rows())) * all.cell_noise)
                              : noisy_words{mean_.colwise().sum(),
                                            std::sqrt(variance_ * static_cast<double>(mean_.rows())), weights_});
  return word_distribution(releases, public_shares_, threads);
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
