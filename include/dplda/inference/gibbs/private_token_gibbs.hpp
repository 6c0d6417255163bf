// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_PRIVATE_TOKEN_GIBBS_HPP
#define DPLDA_INFERENCE_GIBBS_PRIVATE_TOKEN_GIBBS_HPP

// Formulas, arguments, options and limits: inference/gibbs/README.md

// Claim: what fit() returns is (epsilon, delta)-DP for one token, with the epsilon and delta of guarantee(), which is
//   known before a document is read. This is the level of the noisy Gibbs samplers in print, and a weak one: what a
//   document says as a whole is not hidden.
// Preconditions: the vocabulary, the documents' number and order, all options and the budget are public. Options and
//   budget were fixed before anything of options.before was seen (otherwise see mechanisms/detail/premises.hpp). Nobody sees anything of the run but the release and states. Whether a state is looked at
//   may depend on earlier states, and on nothing else of the data. A state that was looked at and then abandoned still
//   counts as spent, with the whole of its plan's ledger.
// Argument: the data are read in each sweep by one accumulator (mechanisms/accumulator.hpp). A token of word w in
//   document m that takes part adds 1 to the count (w, z) and 1 to the count (m, z) of its topic z, a contribution of
//   norm sqrt(2); z is drawn given the released estimates of both tables, with bits that only this token uses. So given
//   those bits the contribution is a function of the token and of earlier releases. Tokens are taken by independent
//   coins (mechanisms/poisson_sampler.hpp), both tables count only the tokens taken, and sums are scaled by the rate.
//   Everything else is computed from releases. Replacing a token moves the tables by at most 2 = sqrt(2) sqrt(2).
//   The topics of a document's other tokens depend on the token only through releases. Noise on the word counts alone
//   would not achieve that: the counts of the document would pass it on.
//   A state is a part of what the whole fit would show, and when to look at one is decided from such parts: that is
//   post-processing of the whole, so the guarantee of the plan covers it. A release has all sweeps: a fit that its
//   observer stops throws, because the sweep at which it stopped could show what the observer knew of the data
//   (core/progress.hpp).
// Test: tests/inference/private_token_gibbs_test.cpp (grey-box audit, ledger against plan).

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/private_topics/detail/noisy_topics.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/release.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How to learn topics with privacy for tokens. Sizes are public.
struct private_token_gibbs_options {
  std::size_t topics = 20;
  std::uint64_t documents = 0;
  std::size_t words = 0;     ///< of the vocabulary
  std::uint64_t tokens = 0;  ///< about how many tokens; guess it, do not count it: a wrong guess costs utility only
  neighbours relation = neighbours::add_remove;
  std::size_t sweeps = 20;  ///< releases of both tables
  double rate = 1;          ///< the share of the tokens in each sweep; below 1 only for add_remove
  double alpha = 0.1;       ///< the prior of a document's topic proportions
  /// What else is spent on the same tokens from the same budget: the plan pays for it, and the ledger begins with it.
  /// Fix all options before any of its results is seen.
  dplda::ledger before = {};
  dplda::accountant accountant = accountant::best;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a fit will do and cost, decided before a document is read.
struct private_token_gibbs_plan {
  accumulator_plan tables;  ///< the release of each sweep: rows of words, then rows of documents
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

namespace detail {

/// Each token as its own document, whose user is the position of the document that it comes from. Its id is made of the
/// document, the word and the token's number among the word's tokens, so the others keep theirs when it is removed.
/// Tokens beyond 65536 of one word in one document are left out.
corpus token_corpus(const corpus& docs);

}  // namespace detail

/// A fit between two sweeps: what is known of both tables, made of releases alone. Whoever reads it has spent the whole
/// plan, even if the fit never goes on. It also tells after which sweep it was kept: publish it only if nothing but
/// earlier states decided that, neither a clock nor an observer that looked at documents.
class private_token_gibbs_state {
 public:
  std::size_t sweeps() const noexcept { return sweeps_; }
  /// What was drawn so far. Whoever looked at the state has spent the whole of its plan, plan().ledger.
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  /// The topics as they are now: topics x words.
  const Eigen::MatrixXd& phi() const noexcept { return phi_; }
  /// The tables of the last sweep as released: rows of words, then of documents, topics of a row side by side.
  const std::vector<double>& tables() const noexcept { return tables_; }

 private:
  friend class private_token_gibbs;

  private_token_gibbs_state(const private_token_gibbs_options& options, random_source& random);

  /// Updates the estimates from tables_, with this noise on each cell; both tables are of samples of this rate.
  void take_in(double noise, double rate, double tokens);

  Eigen::MatrixXd phi_;          // topics x words
  Eigen::MatrixXd in_document_;  // topics x documents: estimated tokens
  Eigen::MatrixXd document_mean_;
  std::optional<detail::noisy_topics> word_table_ = {};
  std::vector<double> tables_;
  dplda::ledger ledger_;
  std::size_t sweeps_ = 0;
};

/// Learns topics by Gibbs sampling with differential privacy for tokens. Each sweep draws the topic of every token
/// given the released counts of its word and of its document, and releases both tables of counts anew.
class private_token_gibbs {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of its range, or if the budget cannot be met.
  private_token_gibbs(private_token_gibbs_options options, const budget& total)
      : options_(std::move(options)), task_(task()), plan_(planned(total)) {}

  const private_token_gibbs_options& options() const noexcept { return options_; }
  const private_token_gibbs_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Learns topics over a public vocabulary. The observer sees only sweep numbers. If it stops the fit, fit throws
  /// fit_stopped. Throws std::invalid_argument if the vocabulary is not public (declare_public), or if the corpus does
  /// not have options().documents documents and options().words words.
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {}) const;

  /// The state before the first sweep: random topics, nothing spent.
  private_token_gibbs_state start(random_source& random) const { return private_token_gibbs_state(options_, random); }

  /// Does the remaining sweeps. If the observer stops it, the state is that of the last sweep, and a later call
  /// continues from there. Throws as fit does, and std::invalid_argument if the state has not spent what this plan
  /// spends in that many sweeps.
  release<topic_model<>> resume(private_token_gibbs_state& state, const corpus& docs, random_source& random,
                                const observer& watch = {}) const;

 private:
  void validate() const;

  private_task task() const;

  accumulator_options tables(double multiplier) const;

  private_token_gibbs_plan planned(const budget& total) const;

  void check(const private_token_gibbs_state& state) const;

  corpus tokens_of(const corpus& docs) const;

  /// Draws the topics of these tokens and adds them to sums[0]; the other sums are work space.
  void count(const corpus& tokens, const privacy_units& units, std::span<const std::size_t> batch,
             const private_token_gibbs_state& known, const random_source& random, std::vector<accumulator>& sums) const;

  private_token_gibbs_options options_;
  private_task task_;
  private_token_gibbs_plan plan_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/gibbs/detail/private_token_gibbs.ipp>
#endif

#endif
