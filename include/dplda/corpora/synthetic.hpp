// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_SYNTHETIC_HPP
#define DPLDA_CORPORA_SYNTHETIC_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How document lengths vary around their mean. Every document has at least one token.
enum class length_law {
  fixed,      ///< the mean, rounded
  poisson,    ///< standard deviation sqrt(mean)
  log_normal  ///< heavy-tailed like real text; `length_spread` is the standard deviation of the logarithm
};

/// Options of a synthetic corpus.
///
/// Word v (from 0) has the background weight b_v = (v + 1)^-zipf_exponent, so small ids are frequent words. Topic k is
/// phi_kv ∝ b_v g_kv with independent g_kv ~ Gamma(topic_concentration, 1): topics differ, more so for small
/// concentrations, while a word's frequency over all topics follows the background. With zipf_exponent = 0 topics are
/// draws from the symmetric Dirichlet distribution of plain LDA.
struct synthetic_options {
  std::size_t documents = 1000;
  std::size_t words = 1000;
  std::size_t topics = 10;
  double alpha = 0.1;  ///< Dirichlet parameter of a document's topic proportions, for each topic
  double topic_concentration = 0.1;
  double zipf_exponent = 1;
  double mean_length = 100;
  length_law length = length_law::poisson;
  double length_spread = 0.7;
  std::size_t users = 0;          ///< 0: documents have no owners
  double user_zipf_exponent = 0;  ///< user u owns a document with probability ∝ (u + 1)^-this; 0: all users alike
  double outliers = 0;      ///< probability that a document is an outlier: uniform over the rarest tenth of the words
  bool keep_theta = false;  ///< also return the topic proportions (documents x topics doubles)
};

/// A synthetic corpus and its ground truth.
struct synthetic_data {
  corpus docs;
  topic_model<double> model;  ///< the topics that the documents were drawn from, with the true alpha
  Eigen::MatrixXd theta;      ///< documents x topics if kept, else empty; an outlier has no topics, its row is 0
  std::vector<std::size_t> outliers;  ///< positions of the outlying documents, ascending
};

namespace detail {

/// Draws from a finite distribution by searching its cumulative sums.
class discrete_sampler {
 public:
  /// Weights need not sum to 1. Precondition: none is negative, at least one is positive.
  explicit discrete_sampler(std::span<const double> weights) : sums_(weights.size()) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sums_[i] = sum += weights[i];
      if (weights[i] > 0) last_ = i;
    }
  }

  template <BitGenerator64 Generator>
  std::size_t operator()(Generator& bits) const {
    const double point = uniform_open(bits) * sums_.back();
    const auto above = std::upper_bound(sums_.begin(), sums_.end(), point);
    // Rounding may lift the product to the full sum.
    return std::min(last_, static_cast<std::size_t>(above - sums_.begin()));
  }

 private:
  std::vector<double> sums_;
  std::size_t last_ = 0;
};

/// The weights 1, 2^-exponent, 3^-exponent, ...
inline std::vector<double> zipf_weights(std::size_t count, double exponent) {
  std::vector<double> weights(count);
  for (std::size_t i = 0; i < count; ++i) weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  return weights;
}

/// A Poisson value: the number of arrivals at rate 1 until time `mean`. Time is linear in the mean, as for drawing the
/// tokens.
template <BitGenerator64 Generator>
std::uint64_t poisson(Generator& bits, double mean) {
  std::uint64_t arrivals = 0;
  for (double time = -std::log(uniform_open(bits)); time < mean; time -= std::log(uniform_open(bits))) ++arrivals;
  return arrivals;
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

inline void check(const synthetic_options& options) {
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

/// Draws a corpus from latent Dirichlet allocation (Blei, Ng and Jordan 2003) with Zipf-like topics; its words are
/// "w0", "w1", ... Each topic and each document has its own random stream: a larger corpus begins with the same
/// documents. Throws std::invalid_argument if an option is out of range.
inline synthetic_data synthetic_lda(const synthetic_options& options, const random_source& random) {
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
