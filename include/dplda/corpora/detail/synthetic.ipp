// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_DETAIL_SYNTHETIC_IPP
#define DPLDA_CORPORA_DETAIL_SYNTHETIC_IPP

// Bodies of corpora/synthetic.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/random/continuous.hpp>

#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE discrete_sampler::discrete_sampler(std::span<const double> weights) : sums_(weights.size()) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sums_[i] = sum += weights[i];
    if (weights[i] > 0) last_ = i;
  }
}

/// The weights 1, 2^-exponent, 3^-exponent, ...
inline std::vector<double> zipf_weights(std::size_t count, double exponent) {
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  return weights;
}

template <BitGenerator64 Generator>
std::uint64_t draw_length(Generator& bits, const synthetic_options& options) {
  double length = options.mean_length;
  if (options.length == length_law::poisson) {
    length = static_cast<double>(poisson(bits, options.mean_length));
  } else if (options.length == length_law::log_normal) {
    const double s = options.length_spread;
    length = options.mean_length * std::exp(s * normal(bits) - s * s / 2);
  }
  return static_cast<std::uint64_t>(std::clamp(std::round(length), 1.0, 4294967295.0));
}

inline topic_model<double> draw_topics(const synthetic_options& options, const random_source& random) {
  const auto rows = static_cast<Eigen::Index>(options.topics), columns = static_cast<Eigen::Index>(options.words);
  topic_model<double>::matrix phi(rows, columns);
  for (Eigen::Index k = 0; k < rows; ++k) {
    auto bits = random.stream("synthetic topic", static_cast<std::uint64_t>(k));
    // In logarithms, because Gamma values of small shape underflow.
    for (Eigen::Index v = 0; v < columns; ++v) {
      phi(k, v) = log_gamma_variate(bits, options.topic_concentration) -
                  options.zipf_exponent * std::log(static_cast<double>(v + 1));
    }
    phi.row(k) = (phi.row(k).array() - phi.row(k).maxCoeff()).exp();
    phi.row(k) /= phi.row(k).sum();
  }
  return topic_model<double>(std::move(phi), declare_public(numbered_vocabulary(options.words)),
                             Eigen::VectorXd::Constant(rows, options.alpha));
}

DPLDA_INLINE void check(const synthetic_options& options) {
  constexpr const char* name = "synthetic_lda";
  const auto positive = [](double x) { return x > 0 && std::isfinite(x); };
  const auto non_negative = [](double x) { return x >= 0 && std::isfinite(x); };
  require(options.words >= 1 && options.words < 0xFFFFFFFFu, name, "words", options.words, "must be in [1, 2^32 - 2]");
  require(options.topics >= 1, name, "topics", options.topics, "must be at least 1");
  require(positive(options.alpha), name, "alpha", options.alpha, "must be positive and finite");
  require(positive(options.topic_concentration), name, "topic_concentration", options.topic_concentration,
          "must be positive and finite");
  require(non_negative(options.zipf_exponent), name, "zipf_exponent", options.zipf_exponent,
          "must be non-negative and finite");
  require(positive(options.mean_length) && options.mean_length <= 1e9, name, "mean_length", options.mean_length,
          "must be in (0, 1e9]");
  require(non_negative(options.length_spread), name, "length_spread", options.length_spread,
          "must be non-negative and finite");
  require(options.users <= 0xFFFFFFFFu, name, "users", options.users, "must be below 2^32");
  require(non_negative(options.user_zipf_exponent), name, "user_zipf_exponent", options.user_zipf_exponent,
          "must be non-negative and finite");
  require(options.outliers >= 0 && options.outliers <= 1, name, "outliers", options.outliers, "must be in [0, 1]");
}

}  // namespace detail

DPLDA_INLINE synthetic_data synthetic_lda(const synthetic_options& options, const random_source& random) {
  detail::check(options);
  synthetic_data result{{}, detail::draw_topics(options, random), {}, {}};
  std::vector<detail::discrete_sampler> words_of;
  for (Eigen::Index k = 0; k < result.model.phi().rows(); ++k) {
    const Eigen::VectorXd row = result.model.phi().row(k);
    words_of.emplace_back(std::span(row.data(), options.words));
  }
  const detail::discrete_sampler owners(detail::zipf_weights(options.users, options.user_zipf_exponent));
  const std::vector<double> alpha(options.topics, options.alpha);
  std::vector<double> theta(options.topics);
  if (options.keep_theta) {
    result.theta =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(options.documents), static_cast<Eigen::Index>(options.topics));
  }
  const std::size_t rare_words = (options.words + 9) / 10;

  corpus_builder builder;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < options.documents; ++d) {
    auto bits = random.stream("synthetic document", d);
    if (options.users > 0) users.push_back(static_cast<user_id>(owners(bits)));
    const bool outlier = uniform_open(bits) < options.outliers;
    const std::uint64_t length = detail::draw_length(bits, options);
    if (outlier) {
      result.outliers.push_back(d);
      for (std::uint64_t i = 0; i < length; ++i) {
        builder.add(static_cast<word_id>(options.words - 1 - uniform_below(bits, rare_words)));
      }
    } else {
      dirichlet(bits, alpha, theta);
      const detail::discrete_sampler topics(theta);
      for (std::uint64_t i = 0; i < length; ++i) builder.add(static_cast<word_id>(words_of[topics(bits)](bits)));
      if (options.keep_theta) {
        for (std::size_t k = 0; k < theta.size(); ++k) {
          result.theta(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(k)) = theta[k];
        }
      }
    }
    builder.end_document();
  }
  if (options.users > 0) builder.set_users(std::move(users), options.users);
  result.docs = declare_unpruned(builder.build(result.model.vocab()));
  return result;
}

}  // namespace dplda::inline v0_1

#endif
