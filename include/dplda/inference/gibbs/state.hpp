// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_STATE_HPP
#define DPLDA_INFERENCE_GIBBS_STATE_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace dplda::inline v0_1 {

class hdp;
class hdp_state;

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
  std::span<const std::uint32_t> assignments(std::size_t d) const;
  /// Tokens of `word` in `topic`. Precondition: both exist.
  std::uint32_t count(word_id word, std::size_t topic) const;
  /// Tokens in each topic.
  Eigen::VectorXd topic_totals() const;

  /// The posterior mean of a document's topic proportions, given the assignments. Precondition: d < docs().size().
  Eigen::VectorXd theta(std::size_t d) const;

  /// The topics averaged over the samples; before the first sample, those of the last state. Each state contributes the
  /// posterior mean given its assignments, phi_kw = (n_wk + eta_w) / (n_k + sum eta).
  topic_model<Real> model() const;

  /// Perplexity of the training documents under the last state, exp(-sum log(sum_k theta_dk phi_kw) / tokens). It falls
  /// while the sampler finds topics, and then flattens. Infinite without tokens.
  double perplexity(std::size_t threads = 0) const;

  /// log p(words, assignments | alpha, eta), with proportions and topics integrated out (Griffiths and Steyvers 2004):
  ///   sum_d log [Gamma(A) / Gamma(A + n_d) prod_k Gamma(alpha_k + n_dk) / Gamma(alpha_k)]
  /// + sum_k log [Gamma(H) / Gamma(H + n_k) prod_w Gamma(eta_w + n_wk) / Gamma(eta_w)],  A = sum alpha, H = sum eta.
  double log_likelihood() const;

  /// The training perplexity after each sweep of the burn-in, if options.calm_threshold is positive.
  const std::vector<double>& trace() const noexcept { return trace_; }

 private:
  template <class>
  friend class gibbs;
  friend class hdp;
  friend class hdp_state;

  gibbs_state() = default;

  // Rows of counts start where packs do.
  struct alignas(32) count_pack {
    std::int32_t counts[8] = {};
  };

  std::int32_t* counts() { return reinterpret_cast<std::int32_t*>(word_topics_.data()); }
  const std::int32_t* counts() const { return reinterpret_cast<const std::int32_t*>(word_topics_.data()); }

  void add_phi(typename topic_model<Real>::matrix& phi) const;

  void take_sample();

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

#ifndef DPLDA_COMPILED
#include <dplda/inference/gibbs/detail/state.ipp>
#endif

#endif
