// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_HDP_HPP
#define DPLDA_INFERENCE_GIBBS_HDP_HPP

// Formulas, options and limits: inference/gibbs/README.md

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/prior.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

/// A concentration of the hierarchical Dirichlet process: fixed, or drawn anew in each sweep under a Gamma prior.
struct hdp_concentration {
  double value = 1;     ///< fixed at this, or starts there
  bool learned = true;  ///< drawn anew in each sweep
  double shape = 1;     ///< of the Gamma prior
  double rate = 1;
};

/// Settings of the hierarchical Dirichlet process. A fit makes burn_in + samples * spacing sweeps.
struct hdp_options {
  /// Topics of the result: the largest ones, and topics without tokens if fewer were found. 0: as many as were found.
  std::size_t topics = 0;
  std::size_t most_topics =
      150;  ///< at a time; far more than will be found, because the rest of the process shares one
  /// The tokens' first topics are drawn among this many. Rather too many: topics merge more easily than they split.
  std::size_t start_topics = 50;
  std::size_t burn_in = 300;                ///< sweeps before the first sample
  std::size_t samples = 10;                 ///< topics are averaged over this many states; 0: those of the last state
  std::size_t spacing = 5;                  ///< sweeps per sample
  hdp_concentration gamma = {.rate = 0.1};  ///< of topics in the corpus: the larger, the more topics
  hdp_concentration alpha = {};             ///< of topics in a document
  dirichlet_prior eta = 0.05;               ///< prior of a topic's words: one number, or one per word
  std::size_t shards = 1;                   ///< as in gibbs_options
  std::size_t threads = 0;                  ///< 0: as many as the machine runs at once; never changes the result
};

/// A sampler between two sweeps. A copy continues exactly as the original does.
class hdp_state {
 public:
  /// The topic of every token, and the counts. Topics have most_topics numbers; those without tokens are free.
  const gibbs_state<>& tokens() const noexcept { return tokens_; }
  /// Topics that have tokens.
  std::size_t found() const noexcept { return found_; }
  double gamma() const noexcept { return gamma_; }
  double alpha() const noexcept { return alpha_; }
  /// The share of each topic in the corpus's distribution of topics. Free topics hold parts of what is left.
  const Eigen::VectorXd& weights() const noexcept { return weights_; }

  /// The topics, largest first, averaged over the samples since each topic was last free, with the Dirichlet prior
  /// alpha * weight of a document's topics. `topics` as in hdp_options.
  topic_model<> model(std::size_t topics = 0) const;

 private:
  friend class hdp;

  hdp_state() = default;

  gibbs_state<> tokens_;
  double gamma_ = 1, alpha_ = 1;
  std::size_t found_ = 0;
  Eigen::VectorXd weights_;
  Eigen::MatrixXd count_sums_;  // most_topics x words, over the samples since a topic was last free
  Eigen::VectorXd prior_sums_, samples_of_;
};

/// Topics of a hierarchical Dirichlet process, which finds out how many there are (Teh, Jordan, Beal and Blei 2006).
/// Not private.
///
///     dplda::hdp learner;
///     auto random = dplda::seeded_random(42);
///     dplda::topic_model<> topics = learner.fit(docs, random);
///
/// The corpus has infinitely many topics with weights beta ~ GEM(gamma), a document's proportions are
/// Dirichlet(alpha beta), and a topic's words Dirichlet(eta). A sweep draws, each given the rest,
///   1. the topic z of every token, as gibbs does with the prior alpha beta_k: P(z = k) proportional to
///      (n_dk + alpha beta_k) (n_wk + eta_w) / (n_k + sum eta);
///   2. the tables of the Chinese restaurant franchise, m_dk: the number of successes in n_dk trials of probability
///      alpha beta_k / (alpha beta_k + i), i = 0, 1, ...;
///   3. the concentrations gamma and alpha (Escobar and West 1995; Teh et al., appendix A);
///   4. beta: (beta_1, ..., beta_K, rest) ~ Dirichlet(m_1, ..., m_K, gamma) over the K topics with tokens.
/// The rest is then broken among the free numbers by stick breaking, and a token that draws one opens a new topic. This
/// is the posterior's own law of the weights of unseen topics, so the chain is exact but for the last free number, which
/// stands for all topics beyond: with F free numbers about (gamma / (1 + gamma))^(F - 1) of the rest.
///
/// The same source and corpus give the same bits for every number of threads, as with gibbs.
class hdp {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit hdp(hdp_options options = {});

  const hdp_options& options() const noexcept { return options_; }

  /// Learns topics from all documents. The observer sees the sweeps' numbers and stops the fit by returning true. If
  /// found() comes near most_topics, give more. Throws as gibbs::fit does.
  topic_model<> fit(const corpus& docs, random_source& random, const observer& watch = {}) const;

  /// As fit, but returns the sampler's last state.
  hdp_state fit_state(const corpus& docs, random_source& random, const observer& watch = {}) const;

  /// A state before the first sweep.
  hdp_state start(const corpus& docs, random_source& random) const;

  /// Steps 1 to 4, once.
  void sweep(hdp_state& state) const;

 private:
  // What step 2 counts for a topic, or for all.
  struct tables {
    std::vector<std::uint64_t> of_topic;
    std::uint64_t all = 0;
    double alpha_shape = 0, alpha_rate = 0;  // of alpha's conditional law, without its prior
  };
  tables draw_tables(const hdp_state& state) const;
  void draw_weights(hdp_state& state) const;
  static void take_sample(hdp_state& state);

  hdp_options options_;
  gibbs<> sampler_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/gibbs/detail/hdp.ipp>
#endif

#endif
