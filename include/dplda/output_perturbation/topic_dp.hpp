// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_TOPIC_DP_HPP
#define DPLDA_OUTPUT_PERTURBATION_TOPIC_DP_HPP

// Formulas, arguments, options and limits: output_perturbation/README.md

// Private topics from any learner: noise on all of its topic matrix (Wang et al., A model-agnostic approach to
// differentially private topic mining, 2022, Algorithm 2).
//
// Claim, without a sampled sensitivity: what fit() returns is (epsilon, delta)-DP for the unit and the neighbours of the
//   plan, with the epsilon and delta of guarantee(), whatever the learner does.
// Claim, with one: the paper's, random differential privacy: the above except with probability gamma, see
//   sensitivity_sampling.hpp. guarantee() has gamma and basis::as_published. The ledger holds what is certain: where the
//   law was public, noise over the largest distance that any two topic matrices have (an honest epsilon, and a large one);
//   where it was the private data, an event that no accountant gives a finite epsilon.
// Preconditions: options and budget are public. All of them but the reference were fixed before anything of
//   options.before was seen (otherwise see mechanisms/detail/premises.hpp). The reference is public, or a
//   release that options.before pays for. The options object is built after such a release was seen, so the budget,
//   topics, norm, parts, noise, unit and relation must have been fixed before that. So must `words`, unless the
//   reference is over released words: then it is their number, on which no event depends. The vocabulary is public,
//   or it is that of a released reference (noise on the probabilities of words does not hide which words there are).
//   The learner gives options.topics topics for every corpus, and reads nothing of the data but the corpus that it is
//   given. Nobody sees it at work: neither its time nor its exceptions. With a sampled sensitivity the learner is the
//   one that was sampled.
// Argument: the data are read by the learner alone, and its output leaves by bounded_output only. Rows are distributions,
//   so the matrix of K of them has no negative entries, an l2 norm of at most sqrt(K) and an l1 norm of K; two are at most
//   sqrt(2 K), or 2 K, apart, which bounded_output enforces on the integers. With `parts`, each unit's part follows from
//   its id and secret bits. Each part is a corpus of its own units, numbered anew, so it reveals nothing about other
//   units. All parts are fitted with the same seed, and neighbours differ in one part. With a sampled sensitivity S,
//   the noise is z S, where z is right for sensitivity 1; S is raised by a millionth for the rounding of distances and
//   integers, and without a reference the rows are put in random order first. The rest is post-processing. The
//   learner's prior is not released.
// Test: tests/output_perturbation/topic_dp_test.cpp.

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/bounded_output.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/output_perturbation/noisy_rows.hpp>
#include <dplda/output_perturbation/sensitivity_sampling.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

/// How the noise follows from the budget.
enum class output_noise {
  gaussian,  ///< the least Gaussian noise
  renyi,     ///< Gaussian noise by a Renyi divergence of order 2, as published: valid, but 1.5 to 17 times too much
  mvg,       ///< Gaussian noise by the condition of Chanyaswad et al. (2018), see published::mvg_noise: far too much
  laplace    ///< Laplace noise by the l1 norm, pure: delta is not used
};

/// How to release topics. Public sizes come first.
struct topic_dp_options {
  std::size_t topics = 20;
  /// The size of the (public) vocabulary.
  std::size_t words = 0;
  privacy_unit unit = privacy_unit::user;
  /// With a sampled sensitivity, `replace` only.
  neighbours relation = neighbours::replace;
  /// From sample_sensitivity; empty: the bound that holds for any learner.
  std::optional<sampled_sensitivity> sensitivity = {};
  output_noise noise = output_noise::gaussian;
  /// The next three are for the bound. The norm of a topic matrix, l2 (for Laplace noise l1); longer ones are clipped
  /// to it. 0: sqrt(topics) (Laplace: topics), which no matrix exceeds and few come near.
  double norm = 0;
  /// The units are divided among this many parts, and the topics of the parts are averaged: this divides the noise by
  /// parts.
  std::uint64_t parts = 1;
  /// Topics to whose rows the learner's topics are matched; needed for more than one part. They are public
  /// (declare_public), or a release of the same data whose ledger is in `before`. Fix all other options before such a
  /// release is seen.
  std::optional<std::variant<public_topics, release<topic_model<>>>> reference = {};
  /// For the bound: what else is spent on the same data from the same budget. The plan pays for it, and the release's
  /// ledger begins with it.
  dplda::ledger before = {};
  row_repair repair = row_repair::projection;
  std::size_t threads = 0;  ///< 0: as many as the machine runs at once; never changes the result
};

/// What a release will do and promise, computed before a document is read.
struct topic_dp_plan {
  bounded_output_plan output;
  double sensitivity;  ///< of the averaged topics, in the norm of the noise
  double noise;        ///< standard deviation (Laplace: scale) on each probability, before rows are repaired
  dplda::ledger ledger;
  dplda::guarantee guarantee;
};

/// Releases the topics that any learner finds.
///
///   // docs is over a public list of words (declare_public)
///   const dplda::topic_dp plan({.topics = 10, .words = docs.words()}, {.epsilon = 1, .delta = 1e-6});
///   std::cout << plan.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   dplda::release<dplda::topic_model<>> topics = plan.fit(dplda::svi({.topics = 10}), docs, random);
///
/// The noise is on every probability, so topic_dp suits only few topics of few words and large budgets. For topics to
/// be used, take private_svi or private_spectral, which add noise where a unit contributes little.
class topic_dp {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range, if options that exclude each other are combined, if
  /// the sampled sensitivity is zero or of other topics, words or units, or if the budget cannot be met.
  topic_dp(topic_dp_options options, const budget& total) : options_(std::move(options)), plan_(planned(total)) {}

  const topic_dp_options& options() const noexcept { return options_; }
  const topic_dp_plan& plan() const noexcept { return plan_; }
  const dplda::guarantee& guarantee() const noexcept { return plan_.guarantee; }

  /// Learns topics and releases them with noise; give the learner threads = 1 if there are parts. Throws
  /// std::invalid_argument if the vocabulary is not public (declare_public), does not have options().words words or is
  /// not the reference's, if the unit is the user but the corpus has no users, if two documents that are units have the
  /// same id, if the number of units is not that of the sampled sensitivity, or if the learner does not return
  /// options().topics topics; and what the learner throws. Nothing is released then.
  template <TopicLearner Learner>
  release<topic_model<>> fit(const Learner& learner, const corpus& docs, random_source& random) const {
    const char* const function = "topic_dp::fit";
    detail::require_one_process(function, random);
    detail::require(docs.words() == options_.words, function, "size of the vocabulary", docs.words(),
                    detail::text("must be the planned ", options_.words));
    const topic_model<>* const given = reference_topics();
    if (given != nullptr) detail::require_same_vocabulary(function, docs.vocab(), given->vocab());
    if (released_reference() == nullptr) detail::require_public_words(function, *docs.vocab());
    const privacy_units units(docs, options_.unit);
    detail::require(!sampled() || units.size() == options_.sensitivity->units, function, "number of units",
                    units.size(), "must be that of the corpora that were sampled");
    const random_source key = random.fork();
    const std::uint64_t seed = sampled() ? options_.sensitivity->seed : key.stream("topic_dp.learner")();
    const bool matched = sampled() && options_.sensitivity->reference;
    const topic_model<>* const reference = matched ? &options_.sensitivity->reference->value() : given;
    bounded_output output(plan_.output);
    std::mutex guard;
    const auto add = [&](const corpus& part) {
      if (part.empty()) return;  // counts as zero; learners refuse it
      const topic_model<> model = detail::seeded_fit(learner, part, seed, reference);
      detail::require(model.topics() == options_.topics && model.words() == options_.words, function,
                      "the learner's topics", detail::text(model.topics(), " x ", model.words()),
                      detail::text("must be ", options_.topics, " x ", options_.words));
      const topic_model<>::matrix phi = sampled() && !reference ? in_random_order(model.phi(), key) : model.phi();
      const std::lock_guard lock(guard);
      output.add({phi.data(), output.cells()});
    };
    const std::vector<std::vector<std::size_t>> parts = divide(units, key);
    parallel_for(parts.size(), 1, thread_count(options_.threads),
                 [&](std::size_t i, std::size_t, std::size_t) { add(detail::corpus_of_units(docs, units, parts[i])); });
    dplda::ledger spent = options_.before;
    if (const auto* const earlier = released_reference(); earlier != nullptr && earlier->ledger().seeded())
      spent.mark_seeded();
    topic_model<>::matrix noisy(static_cast<Eigen::Index>(options_.topics), static_cast<Eigen::Index>(options_.words));
    output.publish(random, spent, std::span<double>(noisy.data(), output.cells()), options_.threads);
    record_unproven(spent);
    noisy /= static_cast<double>(options_.parts);
    noisy = repaired_rows(std::move(noisy), options_.repair);
    return release<topic_model<>>(topic_model<>(std::move(noisy), docs.vocab()), plan_.guarantee, std::move(spent));
  }

 private:
  bool sampled() const { return options_.sensitivity.has_value(); }

  const release<topic_model<>>* released_reference() const;
  const topic_model<>* reference_topics() const;

  void validate(const budget& total) const;

  topic_dp_plan planned(const budget& total) const;

  // Noise divided by sensitivity.
  double multiplier(const budget& total, const bounded_output_options& output, double sensitivity) const;

  dplda::ledger book(bounded_output_options output, double multiplier) const;

  void record_unproven(dplda::ledger& spent) const;

  dplda::guarantee random_guarantee(const budget& total) const;

  static topic_model<>::matrix in_random_order(const topic_model<>::matrix& phi, const random_source& key);

  /// The units of each part.
  std::vector<std::vector<std::size_t>> divide(const privacy_units& units, const random_source& key) const;

  topic_dp_options options_;
  topic_dp_plan plan_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/output_perturbation/detail/topic_dp.ipp>
#endif

#endif
