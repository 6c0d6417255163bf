// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_OUTPUT_PERTURBATION_SENSITIVITY_SAMPLING_HPP
#define DPLDA_OUTPUT_PERTURBATION_SENSITIVITY_SAMPLING_HPP

// Estimates by sampling how far topics move when one unit of a corpus is replaced (Rubinstein and Alda, Pain-free
// random differential privacy with sensitivity sampling, 2017; Wang et al., A model-agnostic approach to differentially
// private topic mining, 2022, Algorithm 1).
//
// Claim: let D and D' be corpora of `units` units that differ in one, all units independent draws from the distribution
//   that was sampled. Then the topics of D and D' are further apart than value() with a probability of at most gamma.
//   That probability is over D, D' and the sampled pairs together. It is not a share of users: the unusual unit moves
//   topics further, and it is the same one each time.
// Preconditions: the learner's result is a function of corpus and random source. The data have the distribution that
//   was sampled; nothing can check that. If units are drawn from the private data, value() is a function of these data,
//   and so is the noise that is scaled by it; nothing is proven then.
// Argument: all fits use one seed, and all corpora are numbered and ordered in the same way, by slots (topic_dp does
//   the same before the fit that it releases). So the learner is one fixed function f, and the distances of the sampled
//   pairs and of (D, D') are h + 1 independent draws from one distribution. Each is equally likely to be the j-th
//   smallest, so the last one exceeds the k-th smallest of the others with a probability of at most 1 - k/(h + 1), for
//   any distribution, ties included. That is at most gamma for k >= (1 - gamma)(h + 1), so h = ceil(1/gamma) - 1 pairs
//   are enough: 9 for gamma = 0.1 and 49 for 0.02. The Dvoretzky-Kiefer-Wolfowitz inequality, by which Algorithm 1
//   chooses h and k = h, needs 285 and 9498.
// Topics have no order. Without a reference, the distance is the smallest over all orders of the rows. That is right
// for
//   a release that puts the rows in a uniformly random order first: both releases are then mixtures over the same
//   orders, and divergences are jointly convex. With a public reference, f matches its topics to the reference, and the
//   distance is row by row. The former needs nothing public and is never larger than the latter, so it is the default.
// Test: tests/output_perturbation/sensitivity_sampling_test.cpp (coverage of the claim for a known distribution).

#include <dplda/accounting/published.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/inference/learner.hpp>
#include <dplda/mechanisms/units.hpp>
#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace dplda::inline v0_1 {

/// How many pairs of neighbours are tried, and which of their distances is taken.
enum class sampling_rule {
  exchangeable,  ///< the k-th smallest of h, k = ceil((1 - gamma)(h + 1)): what the claim needs
  published      ///< h and k of Algorithm 1, by the Lambert W function: many more pairs, and the largest distance
};

/// Which pairs of neighbours to try.
struct sensitivity_options {
  double gamma = 0.1;
  sampling_rule rule = sampling_rule::exchangeable;
  /// h; 0: the fewest that the rule allows. With more pairs the result varies less.
  std::uint64_t pairs = 0;
  privacy_unit unit = privacy_unit::user;
  /// The (public) number of units in the data; 0: the number of units to draw from.
  std::size_t units = 0;
  /// Whether the units to draw from are public. If they are the private data, as in the paper's experiments, leave it
  /// false: the result must then stay secret too, and the guarantee says that nothing is proven.
  bool public_law = false;
  /// Topics (declare_public) whose rows the learner's topics are matched to.
  std::optional<public_topics> reference = {};
  std::size_t threads = 0;  ///< pairs run in parallel, so give the learner threads = 1; never changes the result
};

/// A sampled sensitivity, with all settings that a release must share.
struct sampled_sensitivity {
  double value = 0;  ///< in the Frobenius norm
  double gamma = 1;
  std::uint64_t pairs = 0;
  std::uint64_t rank = 0;  ///< value is the rank-th smallest distance
  std::size_t topics = 0, words = 0, units = 0;
  privacy_unit unit = privacy_unit::user;
  bool public_law = false;
  std::uint64_t seed = 0;  ///< of the learner, in all fits
  std::optional<public_topics> reference = {};
  std::vector<double> distances = {};  ///< of all pairs, ascending
};

/// How far the sampling has come.
struct sampling_progress : progress {
  double seconds_left = 0;  ///< at the pace so far
};

/// Called after each pair, by one thread at a time. To stop the sampling, throw: there is no result from fewer pairs,
/// because the slowest pairs may be those that differ most.
using sampling_observer = std::function<void(const sampling_progress&)>;

/// The least h with 1/(h + 1) <= gamma. Throws std::invalid_argument unless 0 < gamma < 1 and h is below 10^9.
std::uint64_t fewest_pairs(double gamma);

/// The least k with k/(h + 1) >= 1 - gamma. Throws std::invalid_argument if h is less than fewest_pairs(gamma).
std::uint64_t sensitivity_rank(double gamma, std::uint64_t pairs);

namespace detail {

/// The topics of a corpus as a function of corpus, seed and reference: fits with the same seed draw the same numbers.
template <TopicLearner Learner>
topic_model<> seeded_fit(const Learner& learner, const corpus& docs, std::uint64_t seed,
                         const topic_model<>* reference) {
  random_source random = seeded_random(seed);
  const topic_model<> model = watched_fit(learner, docs, random, {});
  return reference ? select_topics(model, align_topics(model, *reference)) : model;
}

/// The Frobenius norm of a - b, or the least one over all orders of the rows of b.
double topics_apart(const topic_model<>& a, const topic_model<>& b, bool any_order);

/// A corpus of these units, perhaps with repetitions, numbered anew: document n of slot s has the id (s, n), and user s
/// owns it.
corpus corpus_of_units(const corpus& law, const privacy_units& units, const std::vector<std::size_t>& slots);

}  // namespace detail

/// Algorithm 1: draws pairs of neighbouring corpora, learns the topics of both, and takes a high order statistic of the
/// distances. The units of a corpus are independent uniform draws from those of `law`; its neighbour has another draw
/// in one random place. Two fits for each pair. The same bits for every number of threads.
///
///   const dplda::svi learner({.topics = 10, .batch_size = 0, .threads = 1});
///   const auto sensitivity = dplda::sample_sensitivity(learner, public_docs, random, {.units = 5000, .public_law = true});
///
/// Learners whose result jumps (minibatches that are drawn anew when the number of documents changes, Gibbs chains) have a
/// large sensitivity that no user causes; batch variational inference has a small one.
/// Throws std::invalid_argument if gamma or pairs are out of range (fewest_pairs, published::topicdp_sample_sizes), if
/// there are no units to draw from or 2^32 - 1 or more to draw, if the unit is the token, if the unit is the user but
/// documents have no users, or if the learner's numbers of topics differ; and what learner and observer throw.
template <TopicLearner Learner>
sampled_sensitivity sample_sensitivity(const Learner& learner, const corpus& law, random_source& random,
                                       const sensitivity_options& options = {}, const sampling_observer& watch = {}) {
  const char* const function = "sample_sensitivity";
  sampled_sensitivity result;
  result.gamma = options.gamma;
  if (options.rule == sampling_rule::published) {
    const published::topicdp_samples sizes = published::topicdp_sample_sizes(options.gamma);
    detail::require(options.pairs == 0 || options.pairs >= sizes.h, function, "pairs", options.pairs,
                    detail::text("must be at least ", sizes.h, ", the h of Algorithm 1"));
    result.pairs = result.rank = std::max(options.pairs, sizes.h);
  } else {
    result.pairs = options.pairs > 0 ? options.pairs : fewest_pairs(options.gamma);
    result.rank = sensitivity_rank(options.gamma, result.pairs);
  }
  detail::require(options.unit != privacy_unit::token, function, "unit", options.unit, "must be document or user");
  const privacy_units units(law, options.unit);
  detail::require(units.size() > 0, function, "number of units to draw from", 0, "must be at least 1");
  result.units = options.units > 0 ? options.units : units.size();
  detail::require(result.units < 0xFFFFFFFFu, function, "units", result.units, "must be below 2^32 - 1");
  result.unit = options.unit;
  result.public_law = options.public_law;
  result.reference = options.reference;
  detail::require_one_process(function, random);
  const random_source key = random.fork();
  result.seed = key.stream("sensitivity.learner")();
  result.distances.resize(result.pairs);

  std::mutex guard;
  std::size_t done = 0;
  const auto start = std::chrono::steady_clock::now();
  parallel_for(result.pairs, 1, thread_count(options.threads), [&](std::size_t i, std::size_t, std::size_t) {
    chacha20 bits = key.stream("sensitivity.pair", i);
    std::vector<std::size_t> slots(result.units);
    for (std::size_t& slot : slots) slot = static_cast<std::size_t>(uniform_below(bits, units.size()));
    const auto fit = [&] {
      return detail::seeded_fit(learner, detail::corpus_of_units(law, units, slots), result.seed,
                                options.reference ? &options.reference->value() : nullptr);
    };
    const topic_model<> one = fit();
    const auto place = static_cast<std::size_t>(uniform_below(bits, slots.size()));
    slots[place] = static_cast<std::size_t>(uniform_below(bits, units.size()));
    const topic_model<> other = fit();
    result.distances[i] = detail::topics_apart(one, other, !options.reference);
    const std::lock_guard lock(guard);
    ++done;
    result.topics = one.topics();
    result.words = one.words();
    if (!watch) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const double pace = seconds / static_cast<double>(done);
    watch({{done, static_cast<std::size_t>(result.pairs)}, pace * static_cast<double>(result.pairs - done)});
  });
  std::sort(result.distances.begin(), result.distances.end());
  result.value = result.distances[result.rank - 1];
  return result;
}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/output_perturbation/detail/sensitivity_sampling.ipp>
#endif

#endif
