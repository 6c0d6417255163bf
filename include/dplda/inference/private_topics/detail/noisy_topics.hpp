// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_NOISY_TOPICS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_NOISY_TOPICS_HPP

// Topics from released tables. All of this is post-processing: it reads noisy sums and their known noise, never a
// document.

#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_topics/detail/gamma_shrinkage.hpp>
#include <dplda/inference/private_topics/detail/ratio_prior.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// The family of priors; the released values choose among them.
class shrinkage_family {
 public:
  /// Tabulated at first use, the same for all threads.
  static const shrinkage_family& get();

  /// The member under which the observed cells are most likely. each(group, visit) calls visit(y, inverse_mean) for each
  /// cell of one of the groups, in units of the noise. The number of threads changes no bit.
  template <class EachCell>
  const gamma_shrinkage& fit(std::size_t groups, std::size_t threads, EachCell&& each) const {
    const auto size = static_cast<Eigen::Index>(members_.size());
    Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(size, static_cast<Eigen::Index>(groups));
    parallel_for(groups, 16, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t g = begin; g < end; ++g) {
        each(g, [&, own = scores.col(static_cast<Eigen::Index>(g)).data()](double y, double inverse_mean) {
          const double log_inverse_mean = std::log(inverse_mean);
          for (std::size_t i = 0; i < members_.size(); ++i)
            own[i] += members_[i].log_marginal(y, inverse_mean, log_inverse_mean);
        });
      }
    });
    Eigen::Index best = 0;
    scores.rowwise().sum().maxCoeff(&best);
    return members_[static_cast<std::size_t>(best)];
  }

 private:
  shrinkage_family();

  std::vector<gamma_shrinkage> members_;
};

/// Released counts of words. Each was multiplied by the word's weight before noise was added, of one standard deviation
/// for all.
struct noisy_words {
  Eigen::VectorXd counts;
  double noise;
  Eigen::VectorXd weights;
};

/// Released counts with a noise of each word's own, in the same form.
noisy_words in_one_noise(const Eigen::VectorXd& counts, const Eigen::VectorXd& noise);

/// Released counts of the same words brought to the scale of the last release and averaged by their precision; what is
/// expected of them is left empty.
noisy_numbers averaged(std::span<const noisy_words> releases);

/// What to expect of numbers, one for each word, before their values are looked at one by one: a mixture of public word
/// frequencies (words x texts) and of equal numbers. Its weights, none negative, are fitted to the values by least
/// squares, with the variance noise^2 + expected^2. No word is expected to have less than a hundredth of the mean.
Eigen::VectorXd expected_words(const Eigen::VectorXd& values, const Eigen::VectorXd& noise,
                               const Eigen::MatrixXd& public_shares);

/// The word distribution behind released counts: their average, shrunk toward expected_words by empirical Bayes
/// (ratio_prior).
/// Precondition: at least one release; all have the same words.
Eigen::VectorXd word_distribution(std::span<const noisy_words> releases, const Eigen::MatrixXd& public_shares,
                                  std::size_t threads);

/// A running mean of released tables, and the topics behind it.
///
/// Tables are topics x words. Each word's column was multiplied by the word's weight before noise was added. Later
/// tables, made with better topics, count more: the table of step t has weight t.
class noisy_topics {
 public:
  /// Preconditions: at least one topic and one word, weights positive.
  noisy_topics(std::size_t topics, std::vector<noisy_words> background, Eigen::VectorXd word_weights);

  /// As it was after `tables` tables, with their mean and its variance.
  noisy_topics(Eigen::MatrixXd mean, double variance, std::size_t tables, std::vector<noisy_words> background,
               Eigen::VectorXd word_weights);

  /// Takes the frequencies of these words in public texts (words x texts) as known, and how much more frequent each is in
  /// each public topic than on average (topics x words; empty: not known).
  void know(Eigen::MatrixXd public_shares, Eigen::MatrixXd lifts) {
    public_shares_ = std::move(public_shares);
    lifts_ = std::move(lifts);
  }

  /// Goes on from the counts of an earlier release of other documents, over the same words: wherever the own counts are
  /// used, the average of both is, by their precision and at the scale of the own ones.
  void go_on_from(std::optional<topic_counts> earlier) { earlier_ = std::move(earlier); }

  /// All counts so far, with those that were gone on from. Precondition: at least one table.
  topic_counts counts() const;

  /// Adds the next table, with the topics of one word side by side, and its noise's standard deviation.
  void add(std::span<const double> table, double noise);

  const Eigen::MatrixXd& mean() const noexcept { return mean_; }
  /// The releases of the words' background.
  const std::vector<noisy_words>& background() const noexcept { return background_; }
  const Eigen::VectorXd& word_weights() const noexcept { return weights_; }
  /// The variance of the noise on each cell of the mean.
  double variance() const noexcept { return variance_; }

  /// The noise on the mean of this many tables divided by the noise on one.
  static double noise_left(double tables) { return std::sqrt((4 * tables + 2) / (3 * tables * (tables + 1))); }

  /// Phi: each cell is shrunk toward its topic's share of the word's background count, times its lift in public topics,
  /// by empirical Bayes. Then the cells of a word are scaled so that the word has its background probability: the
  /// background knows it better than their sum does. The number of threads changes no bit.
  Eigen::MatrixXd topics(std::size_t threads) const;

 private:
  // Topics' sizes: their noisy sums, but at least a tenth of the mean, because a topic cannot recover from zero.
  static Eigen::VectorXd topic_totals(const Eigen::MatrixXd& table);

  // The background's releases, after those that were gone on from.
  std::vector<noisy_words> all_background() const;

  // The words' distribution from all estimates: the background's counts and the sums over topics.
  Eigen::VectorXd joint_background(const topic_counts& all, std::size_t threads) const;

  Eigen::MatrixXd mean_;
  std::vector<noisy_words> background_;
  Eigen::MatrixXd public_shares_ = {}, lifts_ = {};
  Eigen::VectorXd weights_;
  std::optional<topic_counts> earlier_ = {};
  double variance_ = 0;
  std::size_t tables_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/noisy_topics.ipp>
#endif

#endif
