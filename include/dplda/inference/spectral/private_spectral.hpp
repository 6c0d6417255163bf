// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_PRIVATE_SPECTRAL_HPP
#define DPLDA_INFERENCE_SPECTRAL_PRIVATE_SPECTRAL_HPP

// Formulas, arguments, options and limits: inference/spectral/README.md

// Claim: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the plan, with the epsilon and
//   delta of guarantee(), which is known before a document is read.
// Preconditions: options and budget are public, and were fixed before anything of options.before was seen (otherwise
//   see mechanisms/detail/premises.hpp). The vocabulary is public, or a release pays for it; under `replace` the number
//   of units is public and is options.units. Nobody sees anything of the run but the release.
// Argument: the data are read for at most five sums, each of them an accumulator's (mechanisms/accumulator.hpp) with noise
//   on every cell, over all units: the words' frequencies, the histogram of the sizes of m2, m2 itself, and the same two
//   of m3 in a basis. A unit contributes a function of its own documents and of earlier releases, bit for bit
//   (detail/moment_sums.hpp). The queries follow from releases: the clip norms from the two histograms, the whitened
//   basis from m1 and m2, and the choice between it and the orthonormal basis from m2 and the second histogram. So
//   composition is adaptive. Multipliers are not: the noise scales with the clip norms, and the events are fixed before
//   a document is read. Given any earlier outputs, each sum is then a Gaussian mechanism with its planned multiplier,
//   and Gaussian mechanisms compose adaptively as if they were chosen beforehand (Dong, Roth and Su, Gaussian
//   differential privacy, 2022, section 3). The ledger is that of the plan, and its price is the guarantee. Everything
//   after the last sum is post-processing. There is no local sensitivity and no propose-test-release: whatever the
//   eigenvalues of the second moment are, the tensor's contributions are clipped in the basis.
// Test: tests/inference/private_spectral_test.cpp (grey-box audits of all sums of replayed fits, the bits of fits that
//   differ in what must not count, ledger against plan).

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/inference/spectral/options.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/random/source.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dplda::inline v0_1 {

/// How a unit's moments are clipped.
enum class moment_clipping {
  chosen,  ///< clip norms are chosen from noisy histograms: nearly all units stay unclipped, and the noise is small
  none  ///< no unit is ever shortened, and the third moment's noise is that of all words' triples: configuration 1 of
        ///< DeCarolis et al. (2020), with one release of the second moment. Exactly so under `add_remove`; under
        ///< `replace` the third moment gets sqrt(2) times the noise that it needs
};

/// Options of private spectral LDA. Public sizes come first.
struct private_spectral_options {
  std::size_t topics = 20;
  /// The public number of units (documents or users), or a guess of it: a wrong guess costs utility, not privacy. Under
  /// add_remove it must not be counted in the data.
  std::uint64_t units = 0;
  /// The size of the vocabulary, which must be public or released.
  std::size_t words = 0;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  double alpha0 = 1;  ///< sum of the Dirichlet parameters of a document's topic proportions; a public guess
  moment_clipping clipping = moment_clipping::chosen;
  /// The shares of the budget for the words' frequencies, for each of the two histograms (if clip norms are chosen), and
  /// for the tensor; the second moment has the rest. They are shares of 1/z^2: Gaussian releases with noise multipliers
  /// z_i cost as much as a single release with 1/z^2 = sum of 1/z_i^2.
  double first_share = 0.05;
  double histogram_share = 0.02;
  double third_share = 0.2;
  /// At most this many steps in the fit of topics to the noisy moments; 0: the plain method of moments.
  std::size_t fit_iterations = 1000;
  /// What else is spent on the same data from the same budget: on a statistic of your own, on the vocabulary. The plan
  /// pays for it, and the release's ledger begins with it.
  /// Fix all options before any of its results is seen.
  dplda::ledger before = {};
  dplda::accountant accountant = accountant::best;
  tensor_options tensor = {};
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a fit will do and its guarantee, computed before the fit.
struct private_spectral_plan {
  accumulator_plan first;         ///< words' frequencies
  accumulator_plan pair_sizes;    ///< a histogram of sizes, if clip norms are chosen
  accumulator_plan second;        ///< pairs of words; the clip norm, here 1, is chosen in the fit
  accumulator_plan triple_sizes;  ///< a histogram of sizes, if clip norms are chosen
  accumulator_plan third;         ///< triples in the basis; the clip norm likewise
  dplda::ledger ledger;
  dplda::guarantee guarantee;

  /// The same sums with the same noise and events for another number of words. Throws std::invalid_argument if words is
  /// 0.
  private_spectral_plan for_words(std::size_t words) const;

  /// What will be done, in words.
  plan_figures figures() const;
};

/// Learns topics with differential privacy by the method of moments.
///
///     dplda::private_spectral learner({.topics = 5, .units = 10000, .words = 200}, {.epsilon = 1, .delta = 1e-6});
///     std::cout << learner.guarantee() << '\n';
///     auto random = dplda::secure_random();
///     dplda::release<dplda::topic_model<>> topics = learner.fit(docs, random);
///
/// The second moment of the words of a document is released with noise, its leading eigenvectors make a basis, and the
/// third moment is released in that basis. The topics of these moments are then fitted to all three. Documents of fewer
/// than three tokens contribute nothing.
/// It works best with many documents and few words (a few hundred, say), because each pair of words in the second
/// moment gets noise.
class private_spectral {
 public:
  using options_type = private_spectral_options;

  /// Plans. Throws std::invalid_argument if an option is out of its range, or if the budget cannot be met.
  private_spectral(private_spectral_options options, const budget& total)
      : options_(std::move(options)), task_(task_of("private_spectral", options_)), plan_(planned(total)) {}

  const private_spectral_options& options() const noexcept { return options_; }
  const private_spectral_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// The same learner for another number of words: noise and events stay as planned. Throws std::invalid_argument if
  /// there are fewer words than topics or more than 60000.
  private_spectral for_words(std::size_t words) const;

  /// Learns topics over a public vocabulary. The observer is called after each of five steps (words, pairs, whitening,
  /// triples, topics). If it stops the fit, fit throws fit_stopped.
  /// Throws std::invalid_argument if the vocabulary is not public (declare_public) or does not have options().words
  /// words, if the unit is the user but the corpus has no users, if two documents that are units have the same id, or,
  /// under `replace`, if there are not options().units units.
  release<topic_model<>> fit(const divided_corpus& docs, random_source& random, const observer& watch = {}) const;

  /// The same over privately chosen words (vocabulary_selector): all other words are dropped from the documents. Also
  /// throws std::invalid_argument if options().before does not contain their ledger.
  release<topic_model<>> fit(const release<vocabulary_ptr>& words, const divided_corpus& docs, random_source& random,
                             const observer& watch = {}) const;

 private:
  release<topic_model<>> fit_after(dplda::ledger spent, const divided_corpus& all, random_source& random,
                                   const observer& watch) const;

  void validate() const;

  bool clip_is_chosen() const { return options_.clipping == moment_clipping::chosen; }

  double second_share() const;

  // All units are read, so costs add up as 1/z^2, and each sum has its share of that.
  struct sums_of {
    accumulator_options first, pair_sizes, second, triple_sizes, third;
  };
  sums_of sums(double z) const;

  dplda::ledger book(double z) const;

  private_spectral_plan planned(const budget& total) const;

  // The number of units that may be clipped: as many as the noise of a histogram could hide, but at most three in ten.
  double histogram_limit() const;

  private_spectral_options options_;
  private_task task_;
  private_spectral_plan plan_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/spectral/detail/private_spectral.ipp>
#endif

#endif
