// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_STATE_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_STATE_HPP

// Claim: a state holds nothing of the data but what its ledger says was released.
// Preconditions, argument, test: inference/private_topics/private_topics.hpp, the only code that computes states from
//   data.

#include <dplda/accounting/ledger.hpp>
#include <dplda/inference/private_topics/detail/noisy_topics.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

template <class Method>
class private_topics;

/// A fit between two steps. It is computed from releases alone, and can be saved (io/checkpoint.hpp). Reading it spends
/// the whole plan, even if the fit never continues. It also shows at which step it was saved: publish it only if
/// earlier states alone decided that, neither a clock nor an observer that looked at documents.
class private_topics_state {
 public:
  /// The parts of a state, for saving.
  struct parts {
    Eigen::MatrixXd phi;         ///< the topics as they are now: topics x words
    Eigen::MatrixXd table;       ///< the weighted mean of the tables that were released; the last one counts most
    double table_variance;       ///< of the noise on each of its cells
    Eigen::VectorXd background;  ///< the words' noisy counts, as first released
    double background_noise;     ///< the standard deviation of the noise on each
    /// The second release of the words' counts, which were multiplied by background_weights before noise was added.
    Eigen::VectorXd weighted_background;
    double weighted_noise;
    Eigen::VectorXd background_weights;
    Eigen::VectorXd word_weights;  ///< of the tables
    double gain;                   ///< by public topics, with noise, in standard deviations of the noise; 0: none
    std::uint64_t settings;        ///< a hash of method, vocabulary and options that the next steps must share
    std::size_t steps;             ///< steps done
    dplda::ledger ledger;
  };

  /// Throws std::invalid_argument if sizes do not match, numbers are beyond 1e100, or phi is not a distribution over
  /// words for each topic.
  explicit private_topics_state(parts p);

  parts get() const;

  /// Steps done.
  std::size_t steps() const noexcept { return steps_; }
  /// What was drawn so far. Looking at the state spends the whole plan, plan().ledger.
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  /// Whether public topics are used: they were given, and as far as a noisy sum tells, they predict the documents better
  /// than word frequencies do.
  bool uses_public_topics() const noexcept { return is_gain(gain_); }
  /// The topics as they are now: topics x words.
  const Eigen::MatrixXd& phi() const noexcept { return phi_; }
  /// The weighted mean of the tables that were released, of the same shape; the last one counts most.
  const Eigen::MatrixXd& table() const noexcept { return table_.mean(); }

 private:
  template <class Method>
  friend class private_topics;

  static bool is_gain(double gain) { return gain > 1; }
  static std::vector<detail::noisy_words> releases_of(const parts& p);

  detail::noisy_topics table_;
  Eigen::MatrixXd phi_;
  dplda::ledger ledger_;
  double gain_;
  std::uint64_t settings_;
  std::size_t steps_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/state.ipp>
#endif

#endif
