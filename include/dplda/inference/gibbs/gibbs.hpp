// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_GIBBS_HPP
#define DPLDA_INFERENCE_GIBBS_GIBBS_HPP

// Formulas, arguments, options and limits: inference/gibbs/README.md

#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/inference/gibbs/options.hpp>
#include <dplda/inference/gibbs/state.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Latent Dirichlet allocation by collapsed Gibbs sampling (Griffiths and Steyvers 2004). Not private.
///
///     dplda::gibbs learner({.topics = 20});
///     auto random = dplda::seeded_random(42);
///     dplda::topic_model<> topics = learner.fit(docs, random);
///
/// A sweep draws the topic z of every token anew, document by document, given the topics of all other tokens:
///   P(z = k | rest) proportional to (n_dk + alpha_k) (n_wk + eta_w) / (n_k + sum eta).
/// With shards = 1 the stationary distribution of this chain is the posterior, up to the rounding of single precision
/// in the conditionals.
///
/// With shards = S > 1, documents and words are each cut into S parts, and a sweep has S rounds. In round r, task i
/// draws the tokens of part i of the documents whose words are in part (i + r) mod S. Tasks of a round share neither
/// documents nor words, so n_dk and n_wk are exact at every draw. Only n_k is approximate: a task sees the changes of
/// the others only after the round (as in Yan, Xu and Qi 2009). They move n_k by few tokens of many.
///
/// The same source and corpus give the same bits for every number of threads. (Another number of shards gives other
/// bits, and so may another processor.)
template <class Real = double>
class gibbs {
 public:
  /// Throws std::invalid_argument if an option is out of its range.
  explicit gibbs(gibbs_options options = {}) : options_(std::move(options)) { detail::validate(options_); }

  const gibbs_options& options() const noexcept { return options_; }

  /// Learns topics from all documents. After each sweep, watch(progress) or watch(progress, state) is called, whichever
  /// it takes; it stops the fit by returning true. (The state lets it follow the perplexity.) Needs 4 bytes per token
  /// and 4 for each topic of each word. Throws std::invalid_argument if the corpus has no documents, no words or more
  /// than 2^31 - 1 tokens, or if eta does not have the size of the vocabulary.
  template <class Watch = observer>
  topic_model<Real> fit(const corpus& docs, random_source& random, const Watch& watch = {}) const {
    return fit_state(docs, random, watch).model();
  }

  /// As fit, but returns the sampler's last state.
  template <class Watch = observer>
  gibbs_state<Real> fit_state(const corpus& docs, random_source& random, const Watch& watch = {}) const {
    gibbs_state<Real> state = start(docs, random);
    resume(state, watch);
    return state;
  }

  /// Continues a stopped fit; the result is the same as without the stop. With options for more sweeps or samples, it
  /// also continues a finished fit.
  template <class Watch = observer>
  void resume(gibbs_state<Real>& state, const Watch& watch = {}) const {
    const detail::kept_threads keep;
    while (state.sweeps_ < planned(state)) {
      sweep(state);
      if (learns_now(state)) fit_priors(state);
      if (state.sweeps_ <= std::min(options_.burn_in, state.burned_)) {
        end_burn_in_when_calm(state);
      } else if (begun(state) % options_.spacing == 0) {
        state.take_sample();
      }
      if (stops(watch, {state.sweeps_, planned(state)}, state)) return;
    }
  }

  /// A state before the first sweep: topics are drawn uniformly, or are those of `assignments` (in the order of
  /// gibbs_state::assignments). Throws as fit does, and std::invalid_argument if the number of assignments is neither 0
  /// nor the number of tokens, or if one is not a topic.
  gibbs_state<Real> start(const corpus& docs, random_source& random,
                          std::span<const std::uint32_t> assignments = {}) const;

  /// Draws the topic of every token once. fit does this and more: it refits priors and takes samples.
  void sweep(gibbs_state<Real>& state) const;

  /// Refits the priors that the options name to the assignments. fit does this itself now and then.
  void fit_priors(gibbs_state<Real>& state) const;

 private:
  static float to_float(double x) { return static_cast<float>(x); }

  std::size_t planned(const gibbs_state<Real>& state) const;

  // Sweeps since the burn-in.
  std::size_t begun(const gibbs_state<Real>& state) const;

  bool learns_now(const gibbs_state<Real>& state) const;

  // Eq. (9): the last `calm_sweeps` changes of the perplexity are all small.
  void end_burn_in_when_calm(gibbs_state<Real>& state) const;

  static void count_all(gibbs_state<Real>& state);

  // The beginnings of the parts of the words, chosen so that parts have nearly equal numbers of tokens, and the end.
  static std::vector<word_id> word_parts(const gibbs_state<Real>& state, std::size_t parts);

  template <class Watch>
  static bool stops(const Watch& watch, const progress& now, const gibbs_state<Real>& state) {
    if constexpr (std::is_invocable_r_v<bool, const Watch&, const progress&, const gibbs_state<Real>&>) {
      return watch(now, state);
    } else if constexpr (std::is_same_v<Watch, observer>) {
      return watch && watch(now);
    } else {
      return watch(now);
    }
  }

  gibbs_options options_;
};

gibbs(gibbs_options)->gibbs<double>;
gibbs()->gibbs<double>;

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/gibbs/detail/gibbs.ipp>
#endif

#endif
