// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_RATIO_PRIOR_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_RATIO_PRIOR_IPP

// Bodies of inference/private_topics/detail/ratio_prior.hpp, which has their claim, argument and test.

#include <dplda/core/parallel.hpp>
#include <dplda/core/vector_math.hpp>
#include <dplda/inference/private_topics/detail/ratio_prior.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE const ratio_prior::weights& ratio_prior::centres() {
  static const weights all = (weights::LinSpaced(ratios, 0, ratios - 1) * step - 10 * std::log(2.0)).exp();
  return all;
}

DPLDA_INLINE std::size_t ratio_prior::class_of(double expected) const {
  const double octaves = std::log2(expected / usual_noise_);
  return static_cast<std::size_t>(std::clamp(std::floor(octaves / 2) + 3, 0.0, classes - 1.0));
}

DPLDA_INLINE ratio_prior::weights ratio_prior::likelihoods(double value, double noise, double expected) {
  const weights at = centres() * (expected / noise);
  const weights variance = 1 + (width * at).square();
  weights likely = -(value / noise - at).square() / (2 * variance);
  likely -= likely.maxCoeff();
  const std::span<double> all(likely.data(), ratios);
  vector_exp<double>(all, all);
  return likely / variance.sqrt();
}

DPLDA_INLINE ratio_prior::weights ratio_prior::gamma_weights(double shape) {
  weights w = weights::Zero();
  // The density of log x times the step of log x; what lies below the first centre belongs to it.
  const double logs = shape * std::log(shape) - std::lgamma(shape);
  for (Eigen::Index j = 0; j < w.size(); ++j)
    w[j] = std::exp(logs + shape * std::log(centres()[j]) - shape * centres()[j]) * step;
  w[0] += std::exp(logs + shape * (std::log(centres()[0]) - step / 2)) / shape;
  return with_mean_one(w / w.sum() + 1e-12);
}

DPLDA_INLINE ratio_prior::weights ratio_prior::with_mean_one(const weights& counts) {
  // The most likely weights of mean 1 are n_j / (n + t (r_j - 1)). Their mean falls in t.
  const double n = counts.sum();
  const weights excess = centres() - 1;
  double low = -n / excess.maxCoeff(), high = n;
  for (int i = 0; i < 60; ++i) {
    const double t = (low + high) / 2;
    ((counts * excess / (n + t * excess)).sum() > 0 ? low : high) = t;
  }
  const weights w = counts / (n + (low + high) / 2 * excess);
  return w / w.sum();
}

DPLDA_INLINE ratio_prior::weights ratio_prior::fit(const std::vector<weights>& likely) {
  weights start = weights::Zero();
  double best = -std::numeric_limits<double>::infinity();
  for (const double shape : {0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6}) {
    const weights tried = gamma_weights(shape);
    double score = 0;
    for (const weights& each : likely) score += std::log((each * tried).sum());
    if (score > best) {
      best = score;
      start = tried;
    }
  }
  weights w = start;
  for (int i = 0; i < 30 && !likely.empty(); ++i) {
    weights counts = 20 * start;
    for (const weights& each : likely) {
      const weights share = each * w;
      counts += share / share.sum();
    }
    w = with_mean_one(counts);
  }
  return w;
}

DPLDA_INLINE ratio_prior::ratio_prior(const noisy_numbers& numbers, std::size_t threads)
    : usual_noise_(numbers.noise.size() > 0 ? numbers.noise.mean() : 1) {
  constexpr std::size_t most = 4000;
  std::array<std::vector<Eigen::Index>, classes> members;
  for (Eigen::Index i = 0; i < numbers.values.size(); ++i) members[class_of(numbers.expected[i])].push_back(i);
  parallel_for(classes, 1, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t c = begin; c < end; ++c) {
      const std::size_t every = (members[c].size() + most - 1) / most;
      std::vector<weights> likely;
      for (std::size_t i = 0; i < members[c].size(); i += every) {
        const Eigen::Index at = members[c][i];
        likely.push_back(likelihoods(numbers.values[at], numbers.noise[at], numbers.expected[at]));
      }
      weights_[c] = fit(likely);
    }
  });
}

DPLDA_INLINE double ratio_prior::mean(double value, double noise, double expected) const {
  const weights at = centres() * (expected / noise), spread = (width * at).square();
  const weights share = likelihoods(value, noise, expected) * weights_[class_of(expected)];
  // Each component's own posterior mean lies between its centre and the value. No number becomes 0 or less.
  const weights means = ((at + spread * (value / noise)) / (1 + spread)).max(at / 10);
  return noise * (share * means).sum() / share.sum();
}

DPLDA_INLINE Eigen::VectorXd ratio_prior::means(const noisy_numbers& numbers, std::size_t threads) const {
  Eigen::VectorXd all(numbers.values.size());
  parallel_for(static_cast<std::size_t>(all.size()), 256, threads,
               [&](std::size_t begin, std::size_t end, std::size_t) {
                 for (auto i = static_cast<Eigen::Index>(begin); i < static_cast<Eigen::Index>(end); ++i)
                   all[i] = mean(numbers.values[i], numbers.noise[i], numbers.expected[i]);
               });
  return all;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
