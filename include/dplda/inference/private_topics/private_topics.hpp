// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_PRIVATE_TOPICS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_PRIVATE_TOPICS_HPP

// The private learner that variational inference (svi/private_svi.hpp) and Gibbs sampling (gibbs/private_gibbs.hpp)
// share: everything except how a document's tokens are divided among given topics.
//
// Claim: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the plan, with the epsilon and
//   delta of guarantee(), which is known before a document is read.
// Preconditions: options and budget are public, and were fixed before anything of options.before was seen (otherwise
//   see mechanisms/detail/premises.hpp). The vocabulary is public, or a release pays for it. Public texts and topics are
//   public (inference/public_text.hpp). Earlier topics are of other documents, or `before` pays for them
//   (inference/earlier_topics.hpp). Under `replace` the number of units is public and is options.units. Nobody sees
//   anything of the run but the release and states. Whether a state is looked at may depend on earlier states, and on
//   nothing else of the data. A state that was looked at and then abandoned still counts as spent, with the whole of its
//   plan's ledger.
// Argument: the data are read in three places, all accumulators (mechanisms/accumulator.hpp): twice for the words'
//   background distribution, the second time with weights that follow from the first release; once, if there are public
//   topics, for how well they predict the documents (detail/topic_gain.hpp), which decides whether they are used; and
//   once in each step for the table of expected topic counts. Each time, a unit's contribution is a function of its own
//   documents, of earlier releases, of public values and of bits named by its documents' ids, bit for bit. Each
//   document's tokens are divided in their own work space, given the released topics (detail/topic_statistics.hpp), from
//   the same start for all, and how long that takes depends on that document alone.
//   Given the bits, a unit's contribution is a fixed vector, so the claim holds for each value of them and on average.
//   Batches are drawn by coins under a secret key (mechanisms/poisson_sampler.hpp), by rounds in which each unit
//   has one secret step (mechanisms/allocation_sampler.hpp), or as a uniform subset, sums are
//   scaled by the expected batch size, and the number of steps is fixed. Everything else (averages, shrinkage, topics,
//   word weights) is computed from releases and their known noise. The price of the planned ledger under the chosen
//   accountant is the guarantee. A state is a part of what the whole fit would show, and the decision to look at one
//   depends on such parts alone. That is post-processing of the whole, so the guarantee of the plan covers it. A
//   release has all steps: if the observer stops a fit, the fit throws, because the step at which it stopped could show
//   what the observer knew of the data (core/progress.hpp).
// Test: tests/inference/private_topics_test.cpp (grey-box audits, ledger against plan, for both methods).

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/private_topics/plan.hpp>
#include <dplda/inference/private_topics/state.hpp>
#include <dplda/mechanisms/release.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace dplda::inline v0_1 {

/// Learns topics with differential privacy.
///
/// Each step estimates the table of expected topic counts over all units, releases it with noise, and takes the topics
/// for the next step from the mean of all tables so far, shrunk by empirical Bayes. Method divides a document's tokens
/// among topics: see detail::topic_statistics.
template <class Method>
class private_topics {
 public:
  using options_type = private_topics_options<typename Method::options>;

  /// Plans. Throws std::invalid_argument if an option is out of its range, or if the budget cannot be met.
  private_topics(options_type options, const budget& total)
      : options_(std::move(options)), task_(task_of(Method::name, options_)), plan_(planned(total)) {}

  const options_type& options() const noexcept { return options_; }
  const private_topics_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// The same learner for another number of words. Steps, noise and events stay as planned, so the words may have been
  /// released since. Throws std::invalid_argument if words is 0.
  private_topics for_words(std::size_t words) const;

  /// Learns topics over a public vocabulary or, if there is options().earlier, over the words of these topics: all
  /// others are then dropped. The observer sees only step numbers. If it stops the fit, fit throws
  /// fit_stopped.
  /// Throws std::invalid_argument if the vocabulary is not public (declare_public) or does not have options().words
  /// words, if the unit is the user but the corpus has no users, if two documents that are units have the same id, if the
  /// documents are also given as public text, or, under `replace`, if there are not options().units units.
  release<topic_model<>> fit(const divided_corpus& docs, random_source& random, const observer& watch = {}) const;

  /// The same, starting from topics that another private learner released (private_spectral, say), over their words.
  /// Also throws std::invalid_argument if options().before does not contain their ledger, if their vocabulary or number
  /// differs, or if their words are not public and options().background_share is left to the planner.
  release<topic_model<>> fit(const release<topic_model<>>& first, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const;

  /// The same over privately chosen words (vocabulary_selector): all other words are dropped from the documents. Also
  /// throws std::invalid_argument if options().before does not contain their ledger, or if options().background_share
  /// is left to the planner. fully_private_topics does all of this.
  release<topic_model<>> fit(const release<vocabulary_ptr>& words, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const;

  /// The state before the first step: the words' background is released, the topics are random. Throws as fit does.
  private_topics_state start(const divided_corpus& docs, random_source& random) const;

  /// The state before the first step from released topics. Throws as fit does.
  private_topics_state start(const release<topic_model<>>& first, const divided_corpus& docs,
                             random_source& random) const;

  /// The state before the first step over released words, which must be the corpus's. Throws as fit does.
  private_topics_state start(const release<vocabulary_ptr>& words, const divided_corpus& docs,
                             random_source& random) const;

  /// Does the remaining steps. After an interruption, pass a fresh source. If the observer stops it, the state is that
  /// of the last step, and a later call continues from there. Throws as fit does, and std::invalid_argument if the
  /// state does not belong to this plan: it must have spent what the plan says.
  release<topic_model<>> resume(private_topics_state& state, const divided_corpus& all, random_source& random,
                                const observer& watch = {}) const;

 private:
  /// A fit that has begun: its documents in units, and its state.
  struct begun {
    divided_corpus docs;
    private_topics_state state;
  };

  begun begin(const divided_corpus& docs, random_source& random) const;

  begun begin(const release<topic_model<>>& first, const divided_corpus& docs, random_source& random) const;

  begun begin(const release<vocabulary_ptr>& words, const divided_corpus& docs, random_source& random) const;

  template <class Topics>
  begun begin_with(const divided_corpus& all, random_source& random, dplda::ledger spent, const Topics& topics) const;

  release<topic_model<>> finish(begun fit, random_source& random, const observer& watch) const;

  private_topics_plan planned(const budget& total) const;

  void validate() const;

  // The planner would derive the noise from the number of words. That number is a release, and events must not depend
  // on it.
  void require_share_for_released_words() const;

  Eigen::VectorXd alpha() const;

  /// A hash (FNV-1a) of what all steps of a fit must share besides the noise. It detects mistakes, not attacks.
  std::uint64_t settings(const corpus& docs) const;

  void check(const private_topics_state& state, const corpus& docs) const;

  unit_batch draw(const privacy_units& units, random_source& random) const;

  // The words' counts, multiplied by weights, with noise.
  detail::noisy_words release_background(const accumulator_plan& plan, Eigen::VectorXd weights,
                                         const divided_corpus& docs, random_source& random, dplda::ledger& spent) const;

  // Rare words have larger weights, because they need less noise.
  Eigen::VectorXd weights_of(const Eigen::VectorXd& words) const;

  // Topics to start from, mixed with the words' background: a word that a topic lacks may still enter it. Words beyond
  // the topics' are new.
  static Eigen::MatrixXd started_from(const topic_model<>& first, const Eigen::VectorXd& words);

  // The counts of the earlier topics over these words; empty if there are none.
  std::optional<topic_counts> earlier_counts(const vocabulary& words) const;

  // The lifts of these words in the public topics; empty if there are none.
  Eigen::MatrixXd lifts(const vocabulary& words) const;

  // The sum of topic_gain over the units, with noise, divided by the noise's standard deviation.
  double release_gain(const Eigen::MatrixXd& lifts, const Eigen::VectorXd& words, const divided_corpus& docs,
                      random_source& random, dplda::ledger& spent) const;

  // The background, or topics with these lifts over it, with noise of a third on each word: topics must differ, or they
  // stay equal.
  Eigen::MatrixXd random_topics(const Eigen::VectorXd& words, const Eigen::MatrixXd& lifts,
                                random_source& random) const;

  options_type options_;
  private_task task_;
  private_topics_plan plan_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/private_topics/detail/private_topics.ipp>
#endif

#endif
