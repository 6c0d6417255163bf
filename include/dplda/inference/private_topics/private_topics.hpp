// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_PRIVATE_TOPICS_HPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_PRIVATE_TOPICS_HPP

// The private learner that variational inference (svi/private_svi.hpp) and Gibbs sampling (gibbs/private_gibbs.hpp)
// share: everything except how a document's tokens are divided among given topics.
//
// Claim: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the plan, with the epsilon and
//   delta of guarantee(), which is known before a document is read.
// Preconditions: options and budget are public, and were fixed before anything of options.before was seen (otherwise
//   see mechanisms/detail/premises.hpp). The vocabulary is public, or a release pays for it. Under `replace` the number
//   of units is public and is options.units. Nobody sees anything of the run but the release and states. Whether a state
//   is looked at may depend on earlier states, and on nothing else of the data. A state that was looked at and then
//   abandoned still counts as spent, with the whole of its plan's ledger.
// Argument: the data are read in two places, both accumulators (mechanisms/accumulator.hpp): once for the words'
//   background distribution, and once in each step for the table of expected topic counts. In both, a unit's
//   contribution is a function of its own documents, of earlier releases and, if the method draws, of bits named by its
//   documents' ids, bit for bit. Each document's tokens are divided in their own work space, given the released topics
//   (detail/topic_statistics.hpp), from the same start for all, and how long that takes depends on that document alone.
//   Given the bits, a unit's contribution is a fixed vector, so the claim holds for each value of them and on average.
//   Batches are drawn by coins under a secret key (mechanisms/poisson_sampler.hpp) or as a uniform subset, sums are
//   scaled by the expected batch size, and the number of steps is fixed. Everything else (averages, shrinkage, topics,
//   word weights) is computed from releases and their known noise. The price of the planned ledger under the chosen
//   accountant is the guarantee. A state is a part of what the whole fit would show, and the decision to look at one
//   depends on such parts alone. That is post-processing of the whole, so the guarantee of the plan covers it. A
//   release has all steps: if the observer stops a fit, the fit throws, because the step at which it stopped could show
//   what the observer knew of the data (core/progress.hpp).
// Test: tests/inference/private_topics_test.cpp (grey-box audits, ledger against plan, for both methods).

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/private_topics/detail/topic_statistics.hpp>
#include <dplda/inference/private_topics/plan.hpp>
#include <dplda/inference/private_topics/state.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/fixed_size_sampler.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/random/continuous.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

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
  private_topics for_words(std::size_t words) const {
    private_topics other = *this;
    other.options_.words = other.task_.words = words;
    other.options_.background_share = plan_.background_share;
    other.task_.validate();
    other.plan_ = plan_.for_words(words);
    return other;
  }

  /// Learns topics over a public vocabulary. The observer sees only step numbers. If it stops the fit, fit throws
  /// fit_stopped.
  /// Throws std::invalid_argument if the vocabulary is not public (declare_public) or does not have options().words
  /// words, if the unit is the user but the corpus has no users, if two documents that are units have the same id, or,
  /// under `replace`, if there are not options().units units.
  release<topic_model<>> fit(const divided_corpus& docs, random_source& random, const observer& watch = {}) const {
    return finish(begin(docs, random), random, watch);
  }

  /// The same, starting from topics that another private learner released (private_spectral, say), over their words.
  /// Also throws std::invalid_argument if options().before does not contain their ledger, if their vocabulary or number
  /// differs, or if their words are not public and options().background_share is left to the planner.
  release<topic_model<>> fit(const release<topic_model<>>& first, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const {
    return finish(begin(first, docs, random), random, watch);
  }

  /// The same over privately chosen words (vocabulary_selector): all other words are dropped from the documents. Also
  /// throws std::invalid_argument if options().before does not contain their ledger, or if options().background_share
  /// is left to the planner. fully_private_topics does all of this.
  release<topic_model<>> fit(const release<vocabulary_ptr>& words, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const {
    return finish(begin(words, docs.restrict_to(words.value()), random), random, watch);
  }

  /// The state before the first step: the words' background is released, the topics are random. Throws as fit does.
  private_topics_state start(const divided_corpus& docs, random_source& random) const {
    return begin(docs, random).state;
  }

  /// The state before the first step from released topics. Throws as fit does.
  private_topics_state start(const release<topic_model<>>& first, const divided_corpus& docs,
                             random_source& random) const {
    return begin(first, docs, random).state;
  }

  /// The state before the first step over released words, which must be the corpus's. Throws as fit does.
  private_topics_state start(const release<vocabulary_ptr>& words, const divided_corpus& docs,
                             random_source& random) const {
    return begin(words, docs, random).state;
  }

  /// Does the remaining steps. After an interruption, pass a fresh source. If the observer stops it, the state is that
  /// of the last step, and a later call continues from there. Throws as fit does, and std::invalid_argument if the
  /// state does not belong to this plan: it must have spent what the plan says.
  release<topic_model<>> resume(private_topics_state& state, const divided_corpus& all, random_source& random,
                                const observer& watch = {}) const {
    const divided_corpus divided = task_.divided(all);
    const corpus& docs = divided.docs();
    const privacy_units& units = divided.units();
    check(state, docs);
    const std::size_t threads = thread_count(options_.threads);
    detail::topic_statistics<Method> statistics(alpha(), options_.document,
                                                detail::repeated_words(options_.words, options_.repetition), threads);
    std::vector<accumulator> sums;
    for (std::size_t i = 0; i < threads; ++i) sums.emplace_back(plan_.table);
    std::vector<double> table(sums.front().cells());
    std::vector<std::size_t> everyone(units.size());
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    while (state.steps_ < plan_.steps) {
      statistics.use(state.phi_, random);
      if (plan_.rate < 1) {
        unit_batch batch = draw(units, random);
        statistics.add(docs, units, batch.positions(), state.table_.word_weights(), sums);
        sums.front().publish(std::move(batch), random, state.ledger_, std::span(table), threads);
      } else {
        statistics.add(docs, units, everyone, state.table_.word_weights(), sums);
        sums.front().publish(random, state.ledger_, std::span(table), threads);
      }
      for (double& cell : table) cell /= plan_.rate;
      state.table_.add(table, sums.front().noise() / plan_.rate);
      state.phi_ = state.table_.topics();
      ++state.steps_;
      detail::tell(watch, {state.steps_, plan_.steps});
    }
    return release<topic_model<>>(topic_model<>(state.phi_, docs.vocab(), alpha()), plan_.guarantee, state.ledger_);
  }

 private:
  /// A fit that has begun: its documents in units, and its state.
  struct begun {
    divided_corpus docs;
    private_topics_state state;
  };

  begun begin(const divided_corpus& docs, random_source& random) const {
    return begin_with(docs, random, task_.spent_before(docs),
                      [&](const Eigen::VectorXd& words) { return random_topics(words, random); });
  }

  begun begin(const release<topic_model<>>& first, const divided_corpus& docs, random_source& random) const {
    dplda::ledger spent = task_.spent_before(first);
    detail::require(first.value().topics() == options_.topics && *first.value().vocab() == *docs.docs().vocab(),
                    Method::name, "the start", "of another size",
                    "must have the plan's topics and the corpus's vocabulary");
    if (first.value().vocab()->origin() != word_origin::public_list) require_share_for_released_words();
    return begin_with(
        docs.restrict_to(first.value().vocab()), random, std::move(spent), [&](const Eigen::VectorXd& words) {
          Eigen::MatrixXd phi = 0.9 * first.value().phi();  // a word that a topic lacks may still enter it
          phi.rowwise() += 0.1 * words.transpose();
          return phi;
        });
  }

  begun begin(const release<vocabulary_ptr>& words, const divided_corpus& docs, random_source& random) const {
    dplda::ledger spent = task_.spent_before(words);
    require_share_for_released_words();
    detail::require_same_vocabulary(Method::name, docs.docs().vocab(), words.value());
    return begin_with(docs, random, std::move(spent),
                      [&](const Eigen::VectorXd& background) { return random_topics(background, random); });
  }

  template <class Topics>
  begun begin_with(const divided_corpus& all, random_source& random, dplda::ledger spent, const Topics& topics) const {
    const divided_corpus docs = task_.divided(all);
    detail::noisy_words background = release_background(docs.docs(), docs.units(), random, spent);
    const Eigen::VectorXd words = detail::word_distribution(background);
    Eigen::VectorXd weights =
        (words.array() * static_cast<double>(options_.words) + 0.05).pow(-options_.word_weight).matrix();
    Eigen::MatrixXd phi = topics(words);
    Eigen::MatrixXd table = Eigen::MatrixXd::Zero(phi.rows(), phi.cols());
    return {docs,
            private_topics_state({std::move(phi), std::move(table), 0, std::move(background.counts), background.noise,
                                  std::move(weights), settings(docs.docs()), 0, std::move(spent)})};
  }

  release<topic_model<>> finish(begun fit, random_source& random, const observer& watch) const {
    return resume(fit.state, fit.docs, random, watch);
  }

  private_topics_plan planned(const budget& total) const {
    validate();
    return detail::topics_planner(task_, options_, total).plan(total);
  }

  void validate() const {
    task_.validate();
    const char* const function = Method::name;
    const options_type& o = options_;
    detail::require(o.rate == 0 || (o.rate >= 1e-9 && o.rate <= 1), function, "rate", o.rate,
                    "must lie in [1e-9, 1], or be 0 for the planner's");
    detail::require(o.clip > 0 && std::isfinite(o.clip), function, "clip", o.clip, "must be positive and finite");
    detail::require(o.background_share >= 0 && o.background_share < 1, function, "background_share", o.background_share,
                    "must lie in (0, 1), or be 0 for the planner's");
    detail::require(o.word_weight >= 0 && o.word_weight <= 1, function, "word_weight", o.word_weight,
                    "must lie in [0, 1]");
    detail::require(o.repetition >= 0 && o.repetition <= 1, function, "repetition", o.repetition, "must lie in [0, 1]");
    detail::require(o.alpha >= 1e-100 && o.alpha <= 1e100, function, "alpha", o.alpha, "must lie in [1e-100, 1e100]");
    Method::validate(o.document);
  }

  // The planner would derive the noise from the number of words. That number is a release, and events must not depend
  // on it.
  void require_share_for_released_words() const {
    detail::require(options_.background_share > 0, Method::name, "background_share", options_.background_share,
                    "must be fixed before words are chosen privately: plan the learner first, then call for_words(n) "
                    "for n chosen words");
  }

  Eigen::VectorXd alpha() const {
    return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(options_.topics), options_.alpha);
  }

  /// A hash (FNV-1a) of what all steps of a fit must share besides the noise. It detects mistakes, not attacks.
  std::uint64_t settings(const corpus& docs) const {
    std::uint64_t hash = 0xcbf29ce484222325u;
    const auto add = [&](std::uint64_t part) { hash = (hash ^ part) * 0x100000001b3u; };
    for (const char* c = Method::name; *c != 0; ++c) add(static_cast<unsigned char>(*c));
    for (const double number : {options_.clip, options_.word_weight, options_.repetition, options_.alpha})
      add(std::bit_cast<std::uint64_t>(number));
    for (std::size_t v = 0; v < docs.words(); ++v) {
      for (const char c : docs.vocab()->word(static_cast<word_id>(v))) add(static_cast<unsigned char>(c));
      add(256);
    }
    return hash;
  }

  void check(const private_topics_state& state, const corpus& docs) const {
    detail::require(static_cast<std::size_t>(state.phi_.rows()) == options_.topics &&
                        static_cast<std::size_t>(state.phi_.cols()) == options_.words && state.steps_ <= plan_.steps,
                    Method::name, "the state", "of another fit", "must have the plan's topics, words and steps");
    detail::require(state.settings_ == settings(docs), Method::name, "the state", "of another fit",
                    "must have the same method, vocabulary, clip, weights and prior");
    dplda::ledger expected = options_.before;
    expected.record(plan_.background.event());
    if (state.steps_ > 0) expected.record(plan_.table.event(), state.steps_);
    detail::require(std::ranges::equal(state.ledger_.entries(), expected.entries()), Method::name, "the state's ledger",
                    "another", "must hold what this plan spends in that many steps");
  }

  unit_batch draw(const privacy_units& units, random_source& random) const {
    if (const auto* const fixed = std::get_if<fixed_size_sample>(&plan_.table.options().sampling))
      return fixed_size_sampler(fixed->size, fixed->population).draw(units, random);
    return poisson_sampler(plan_.rate).draw(units, random);
  }

  detail::noisy_words release_background(const corpus& docs, const privacy_units& units, random_source& random,
                                         dplda::ledger& spent) const {
    accumulator sums(plan_.background);
    std::vector<std::uint32_t> words;
    std::vector<double> counts;
    detail::repeated_words repeated(options_.words, options_.repetition);
    for (std::size_t u = 0; u < units.size(); ++u) {
      words.clear();
      counts.clear();
      repeated.look_at(docs, units.documents(u));
      for (const std::size_t d : units.documents(u)) {
        const document doc = docs[d];
        words.insert(words.end(), doc.words.begin(), doc.words.end());
        for (std::size_t n = 0; n < doc.size(); ++n) counts.push_back(doc.counts[n] * repeated.factor(doc.words[n]));
      }
      sums.add(std::span<const std::uint32_t>(words), std::span<const double>(counts));
    }
    detail::noisy_words background{Eigen::VectorXd(static_cast<Eigen::Index>(options_.words)), sums.noise()};
    sums.publish(random, spent, std::span<double>(background.counts.data(), options_.words), options_.threads);
    return background;
  }

  // The background with noise of a third on each word: topics must differ, or they stay equal.
  Eigen::MatrixXd random_topics(const Eigen::VectorXd& words, random_source& random) const {
    const random_source source = random.fork();
    Eigen::MatrixXd phi(static_cast<Eigen::Index>(options_.topics), words.size());
    for (Eigen::Index v = 0; v < words.size(); ++v) {
      chacha20 bits = source.stream("private_topics.start", static_cast<std::uint64_t>(v));
      for (Eigen::Index k = 0; k < phi.rows(); ++k) phi(k, v) = words[v] * std::exp(log_gamma_variate(bits, 10));
    }
    phi.array().colwise() /= phi.rowwise().sum().array().eval();
    return phi;
  }

  options_type options_;
  private_task task_;
  private_topics_plan plan_;
};

}  // namespace dplda::inline v0_1

#endif
