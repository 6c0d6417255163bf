// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_STATE_HPP
#define DPLDA_INFERENCE_GIBBS_STATE_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/gibbs/detail/sweep_kernels.hpp>
#include <dplda/inference/prior.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// A Gibbs sampler between two sweeps: the topic of every token, the counts that follow from them, and the average of
/// the samples taken so far. A copy continues exactly as the original does.
template <class Real = double>
class gibbs_state {
 public:
  std::size_t topics() const noexcept { return static_cast<std::size_t>(alpha_.size()); }
  std::size_t words() const noexcept { return docs_.words(); }
  /// Sweeps made.
  std::size_t sweeps() const noexcept { return sweeps_; }
  /// Number of states in the average.
  std::size_t samples() const noexcept { return samples_; }
  const Eigen::VectorXd& alpha() const noexcept { return alpha_; }
  /// One number per word.
  const Eigen::VectorXd& eta() const noexcept { return eta_; }
  const vocabulary_ptr& vocab() const noexcept { return docs_.vocab(); }
  /// The training documents.
  const corpus& docs() const noexcept { return docs_; }

  /// The topic of each token: documents in their order, in each the words in theirs, a word's tokens side by side.
  std::span<const std::uint32_t> assignments() const noexcept { return topic_of_; }
  /// The same for one document. Precondition: d < docs().size().
  std::span<const std::uint32_t> assignments(std::size_t d) const {
    return assignments().subspan(token_begin_[d], token_begin_[d + 1] - token_begin_[d]);
  }
  /// Tokens of `word` in `topic`. Precondition: both exist.
  std::uint32_t count(word_id word, std::size_t topic) const {
    return static_cast<std::uint32_t>(counts()[word * stride_ + topic]);
  }
  /// Tokens in each topic.
  Eigen::VectorXd topic_totals() const {
    return Eigen::Map<const Eigen::VectorXi>(totals_.data(), alpha_.size()).template cast<double>();
  }

  /// The posterior mean of a document's topic proportions, given the assignments. Precondition: d < docs().size().
  Eigen::VectorXd theta(std::size_t d) const {
    Eigen::VectorXd n = alpha_;
    for (const std::uint32_t topic : assignments(d)) n[static_cast<Eigen::Index>(topic)] += 1;
    return n / n.sum();
  }

  /// The topics averaged over the samples; before the first sample, those of the last state. Each state contributes the
  /// posterior mean given its assignments, phi_kw = (n_wk + eta_w) / (n_k + sum eta).
  topic_model<Real> model() const {
    typename topic_model<Real>::matrix phi = phi_sum_;
    if (samples_ == 0) {
      phi.setZero(alpha_.size(), static_cast<Eigen::Index>(words()));
      add_phi(phi);
    }
    const Eigen::VectorXd sums = phi.template cast<double>().rowwise().sum();
    for (Eigen::Index v = 0; v < phi.cols(); ++v) {
      for (Eigen::Index k = 0; k < phi.rows(); ++k) {
        phi(k, v) = static_cast<Real>(static_cast<double>(phi(k, v)) / sums[k]);
      }
    }
    return topic_model<Real>(std::move(phi), docs_.vocab(), alpha_);
  }

  /// Perplexity of the training documents under the last state, exp(-sum log(sum_k theta_dk phi_kw) / tokens). It falls
  /// while the sampler finds topics, and then flattens. Infinite without tokens.
  double perplexity(std::size_t threads = 0) const {
    if (topic_of_.empty()) return std::numeric_limits<double>::infinity();
    std::vector<double> scores(docs_.size());
    const Eigen::ArrayXd inverses = 1 / (topic_totals().array() + eta_.sum());
    parallel_for(docs_.size(), 64, thread_count(threads), [&](std::size_t begin, std::size_t end, std::size_t) {
      std::vector<float> factors(stride_, 0.0f);
      for (std::size_t d = begin; d < end; ++d) {
        const document doc = docs_[d];
        const Eigen::ArrayXd mixed = theta(d).array() * inverses;
        for (Eigen::Index k = 0; k < mixed.size(); ++k)
          factors[static_cast<std::size_t>(k)] = static_cast<float>(mixed[k]);
        for (std::size_t n = 0; n < doc.size(); ++n) {
          const std::int32_t* row = counts() + std::size_t{doc.words[n]} * stride_;
          const auto eta = static_cast<float>(eta_[doc.words[n]]);
          const float p = detail::mixed_probability(row, factors.data(), eta, stride_);
          scores[d] += doc.counts[n] * std::log(static_cast<double>(p));
        }
      }
    });
    const double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
    return std::exp(-sum / static_cast<double>(topic_of_.size()));
  }

  /// log p(words, assignments | alpha, eta), with proportions and topics integrated out (Griffiths and Steyvers 2004):
  ///   sum_d log [Gamma(A) / Gamma(A + n_d) prod_k Gamma(alpha_k + n_dk) / Gamma(alpha_k)]
  /// + sum_k log [Gamma(H) / Gamma(H + n_k) prod_w Gamma(eta_w + n_wk) / Gamma(eta_w)],  A = sum alpha, H = sum eta.
  double log_likelihood() const {
    const auto rise = [](double a, double n) { return n > 0 ? detail::log_gamma(a + n) - detail::log_gamma(a) : 0.0; };
    const double alpha_sum = alpha_.sum(), eta_sum = eta_.sum();
    double sum = 0;
    Eigen::VectorXd n(alpha_.size());
    for (std::size_t d = 0; d < docs_.size(); ++d) {
      n.setZero();
      for (const std::uint32_t topic : assignments(d)) n[static_cast<Eigen::Index>(topic)] += 1;
      for (Eigen::Index k = 0; k < n.size(); ++k) sum += rise(alpha_[k], n[k]);
      sum -= rise(alpha_sum, n.sum());
    }
    for (word_id w = 0; w < words(); ++w) {
      for (std::size_t k = 0; k < topics(); ++k) sum += rise(eta_[w], count(w, k));
    }
    for (const double total : topic_totals()) sum -= rise(eta_sum, total);
    return sum;
  }

  /// The training perplexity after each sweep of the burn-in, if options.calm_threshold is positive.
  const std::vector<double>& trace() const noexcept { return trace_; }

 private:
  template <class>
  friend class gibbs;

  gibbs_state() = default;

  // Rows of counts start where packs do.
  struct alignas(32) count_pack {
    std::int32_t counts[8] = {};
  };

  std::int32_t* counts() { return reinterpret_cast<std::int32_t*>(word_topics_.data()); }
  const std::int32_t* counts() const { return reinterpret_cast<const std::int32_t*>(word_topics_.data()); }

  void add_phi(typename topic_model<Real>::matrix& phi) const {
    const Eigen::VectorXd inverses = 1 / (topic_totals().array() + eta_.sum());
    for (Eigen::Index v = 0; v < phi.cols(); ++v) {
      const std::int32_t* row = counts() + static_cast<std::size_t>(v) * stride_;
      for (Eigen::Index k = 0; k < phi.rows(); ++k) phi(k, v) += static_cast<Real>((row[k] + eta_[v]) * inverses[k]);
    }
  }

  void take_sample() {
    if (samples_ == 0) phi_sum_.setZero(alpha_.size(), static_cast<Eigen::Index>(words()));
    add_phi(phi_sum_);
    ++samples_;
  }

  corpus docs_;
  Eigen::VectorXd alpha_, eta_;
  std::size_t stride_ = 0;                // topics, padded
  std::vector<std::size_t> token_begin_;  // of each document and the end
  std::vector<std::uint32_t> topic_of_;
  std::vector<count_pack> word_topics_;    // words x stride
  std::vector<std::uint64_t> used_packs_;  // words x a bit for each pack of counts: whether one is not 0; or empty
  std::vector<std::int32_t> totals_;       // stride
  std::vector<word_id> word_bounds_;       // of the shards' words, once they are known
  typename topic_model<Real>::matrix phi_sum_;
  std::size_t sweeps_ = 0, samples_ = 0;
  std::size_t burned_ = std::numeric_limits<std::size_t>::max();  // sweeps at the end of the burn-in
  std::vector<double> trace_;
  std::shared_ptr<const random_source> random_;
};

}  // namespace dplda::inline v0_1

#endif
