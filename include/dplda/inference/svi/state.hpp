// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SVI_STATE_HPP
#define DPLDA_INFERENCE_SVI_STATE_HPP

#include <dplda/core/topic_model.hpp>

#include <Eigen/Core>

#include <cstddef>

namespace dplda::inline v0_1 {

/// The topics' posterior q(beta_k) = Dirichlet(lambda_k) while it is learned.
///
/// lambda_vk = eta_v + scale * weights_kv. A step shrinks all of lambda - eta by a common factor and then changes only
/// the words of its batch, so its cost depends on its batch and not on topics x words.
template <class Real = double>
class svi_state {
 public:
  std::size_t topics() const noexcept { return static_cast<std::size_t>(alpha_.size()); }
  std::size_t words() const noexcept { return vocab_->size(); }
  /// Steps taken.
  std::size_t steps() const noexcept { return steps_; }
  const Eigen::VectorXd& alpha() const noexcept { return alpha_; }
  /// One number per word.
  const Eigen::VectorXd& eta() const noexcept { return eta_; }
  const vocabulary_ptr& vocab() const noexcept { return vocab_; }

  /// lambda of one word under all topics. Precondition: word < words().
  Eigen::VectorXd lambda(word_id word) const;
  /// The sum of lambda over words, for each topic.
  Eigen::VectorXd lambda_totals() const { return eta_.sum() + scale_ * totals_.array(); }

  /// The posterior mean of the topics.
  topic_model<Real> model() const& { return svi_state(*this).into_model(); }
  topic_model<Real> model() && { return into_model(); }

 private:
  template <class>
  friend class svi;

  svi_state() = default;

  // Turns the weights into Phi in place, without a second table of topics x words.
  topic_model<Real> into_model();

  Eigen::VectorXd alpha_, eta_;
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> weights_;  // topics (padded) x words
  double scale_ = 1;
  Eigen::VectorXd totals_;  // weights summed over words
  std::size_t steps_ = 0;
  Eigen::VectorXd log_theta_;   // E[log theta] summed over the documents since alpha was last fitted
  double log_theta_count_ = 0;  // and their number
  vocabulary_ptr vocab_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/svi/detail/state.ipp>
#endif

#endif
