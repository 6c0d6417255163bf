// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORPORA_SYNTHETIC_HPP
#define DPLDA_CORPORA_SYNTHETIC_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
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
  explicit discrete_sampler(std::span<const double> weights);

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

/// A Poisson value: the number of arrivals at rate 1 until time `mean`. Time is linear in the mean, as for drawing the
/// tokens.
template <BitGenerator64 Generator>
std::uint64_t poisson(Generator& bits, double mean) {
  std::uint64_t arrivals = 0;
  for (double time = -std::log(uniform_open(bits)); time < mean; time -= std::log(uniform_open(bits))) ++arrivals;
  return arrivals;
}

void check(const synthetic_options& options);

}  // namespace detail

/// Draws a corpus from latent Dirichlet allocation (Blei, Ng and Jordan 2003) with Zipf-like topics; its words are
/// "w0", "w1", ... Each topic and each document has its own random stream: a larger corpus begins with the same
/// documents. Throws std::invalid_argument if an option is out of range.
synthetic_data synthetic_lda(const synthetic_options& options, const random_source& random);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/corpora/detail/synthetic.ipp>
#endif

#endif
