// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_RATIO_PRIOR_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_RATIO_PRIOR_HPP

#include <dplda/core/config.hpp>

#include <Eigen/Core>

#include <array>
#include <cstddef>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Numbers of which noisy values were released: the values, the standard deviation of each one's normal noise, and what
/// is expected of each before its value is seen. All have the same size; noise and expected numbers are positive.
struct noisy_numbers {
  Eigen::VectorXd values, noise, expected;
};

/// Empirical Bayes for non-negative numbers x, given y = x + noise and an expected number m for each. The prior of the
/// ratio x / m is not assumed to have a shape: it is a mixture of narrow normal components at ratios from 1/1024 to 512,
/// a factor of 1.53 apart, whose weights are fitted to the values by maximum likelihood (EM). There is a prior for
/// each class of expected numbers, because rare words may be less predictable than frequent ones. (The classes do not
/// depend on a number's own noise: if that was chosen after a first look at the number, as word weights are, classes of
/// it would be classes of the values.) Two things keep the prior from following the noise: the mean ratio is 1 in each
/// class, exactly, and a class also counts 20 numbers that are divided as in the best prior of Gamma shape.
///
/// Claim: it costs no privacy. Preconditions: values are releases, and noise and expected numbers are public or computed
/// from releases. Argument: nothing else is read, so all of it is post-processing. Test:
/// tests/inference/ratio_prior_test.cpp.
class ratio_prior {
 public:
  /// Fits the weights. Of a class with more than 4,000 numbers, every n-th is used. The number of threads changes no bit.
  explicit ratio_prior(const noisy_numbers& numbers, std::size_t threads = 1);

  /// E[x | y]. Preconditions: noise > 0, expected > 0.
  double mean(double value, double noise, double expected) const;

  /// E[x | y] for each of the numbers.
  Eigen::VectorXd means(const noisy_numbers& numbers, std::size_t threads = 1) const;

 private:
  static constexpr std::size_t classes = 7, ratios = 32;
  static constexpr double step = 19 * 0.69314718055994531 / (ratios - 1);  // between logarithms of centres
  static constexpr double width = 0.3;  // a component's standard deviation divided by its centre: neighbours overlap
  using weights = Eigen::Array<double, ratios, 1>;

  static const weights& centres();
  std::size_t class_of(double expected) const;
  // The density of a value, in units of its noise, under each component, up to a common factor.
  static weights likelihoods(double value, double noise, double expected);
  static weights gamma_weights(double shape);
  // The weights of a class, from its numbers' likelihoods.
  static weights fit(const std::vector<weights>& likely);
  // The weights proportional to these counts, tilted so that the mean ratio is 1.
  static weights with_mean_one(const weights& counts);

  double usual_noise_;
  std::array<weights, classes> weights_;
};

}  // namespace dplda::inline v0_1::detail

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/ratio_prior.ipp>
#endif

#endif
