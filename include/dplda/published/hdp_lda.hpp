// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_HDP_LDA_HPP
#define DPLDA_PUBLISHED_HDP_LDA_HPP

// Noisy collapsed Gibbs sampling as Zhao et al. published it (HDP-LDA: Latent Dirichlet allocation model training with
// differential privacy, IEEE TIFS 16, 2021), for reproduction and comparison. We have it from its abstract, from Huang
// and Chen's description, and from the public code of Manzonelli et al. For topics to be used, take a proven engine.
//
// Claim: the paper's: a sweep costs epsilon_L for Laplace noise of scale 2 / epsilon_L on the counts n_k^t, which it
//   clips to C, and 2 log(C / beta + 1) for the drawing of topics ("inherent privacy"); T sweeps are
//   T (epsilon_L + 2 log(C / beta + 1))-DP for exchanging one token. guarantee() is that claim, with
//   basis::as_published. Ours: none. The ledger of a release holds an event to which no accountant gives a finite
//   epsilon.
// Why the paper's claim is not a proof:
//   - The loss of drawing counts one token, whose weights (n + beta) lie between beta and C + beta. But the counts n_m^k
//     of topics in a document get no noise, so an exchanged token changes how all other tokens of its document are
//     drawn, and each of them would have to be paid for.
//   - The sums of a topic over its words also change, for all documents.
//   - With noise at each visit of a token (noise_timing::as_printed, as in the public code), counts are released as often
//     as a word is visited, but the claim counts one release a sweep.
// Test: tests/published/gibbs_papers_test.cpp.

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/detail/gibbs_run.hpp>
#include <dplda/published/noise_timing.hpp>
#include <dplda/random/source.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dplda::inline v0_1::published {

/// The loss of a sweep as HDP-LDA counts it.
struct hdp_lda_loss {
  double noise;     ///< epsilon_L
  double inherent;  ///< 2 log(C / beta + 1), of drawing topics; SUB-LDA leaves it out
  double sum() const noexcept { return noise + inherent; }
};

/// The settings. We know no defaults of the paper; those of priors are SUB-LDA's.
struct hdp_lda_options {
  std::size_t topics = 100;
  std::uint64_t sweeps = 100;
  double tau = 0.1;    ///< prior of a document's topic proportions
  double beta = 0.01;  ///< prior of a topic's words
  double clip = 10;    ///< C, the upper bound of noisy counts
  double epsilon = 1;  ///< epsilon_L, for the noise of a sweep
  noise_timing timing = noise_timing::each_sweep;
};

/// Zhao et al.
///
///   dplda::published::hdp_lda learner({.topics = 50, .epsilon = 10});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class hdp_lda {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range; clip must be finite.
  explicit hdp_lda(const hdp_lda_options& options) : options_(options) {
    const char* const function = "published::hdp_lda";
    const hdp_lda_options& o = options_;
    detail::check_chain(function, o.topics, o.sweeps, o.tau, o.beta, o.clip);
    detail::require(o.clip <= 1e12, function, "clip", o.clip, "must be at most 1e12: the claim needs it");
    detail::require(o.epsilon >= 1e-6 && o.epsilon <= 1e12, function, "epsilon", o.epsilon, "must lie in [1e-6, 1e12]");
    guarantee_ = {.epsilon = static_cast<double>(o.sweeps) * sweep_loss().sum(),
                  .delta = 0,
                  .unit = privacy_unit::token,
                  .relation = neighbours::replace,
                  .accountant = accountant::linear,
                  .basis = basis::as_published,
                  .caveat = caveat()};
  }

  const hdp_lda_options& options() const noexcept { return options_; }
  /// Of the Laplace noise on a count.
  double scale() const noexcept { return 2 / options_.epsilon; }
  hdp_lda_loss sweep_loss() const { return {options_.epsilon, 2 * std::log1p(options_.clip / options_.beta)}; }
  /// The paper's claim for all sweeps.
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// Learns topics from the noisy counts after the last sweep. The observer sees the sweeps' numbers; if it stops the
  /// fit, fit throws fit_stopped. Throws std::invalid_argument if the vocabulary is empty or not public.
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {},
                             gibbs_trace* trace = nullptr) const {
    const hdp_lda_options& o = options_;
    detail::gibbs_run run("published::hdp_lda::fit", docs, random, o.topics, o.tau, o.beta, o.clip);
    detail::count_noise law(true, scale());
    for (std::uint64_t done = 1; done <= o.sweeps; ++done) {
      const std::uint64_t visited = run.sweep(
          o.timing, [&](std::size_t) { return law.draw(run.noise(), o.topics); }, [](auto, auto) { return true; });
      run.note(trace, visited);
      detail::tell(watch, {static_cast<std::size_t>(done), static_cast<std::size_t>(o.sweeps)});
    }
    return run.released(guarantee_, o.sweeps);
  }

 private:
  std::string caveat() const {
    std::string reasons =
        "the counts of topics in a document get no noise, so one token may change how the topics of all others are "
        "drawn, but the drawing of one is counted";
    if (options_.timing != noise_timing::each_sweep)
      reasons += ", and counts are released with new noise at every visit of a token but priced once a sweep";
    return reasons + "; nothing is proven about it.";
  }

  hdp_lda_options options_;
  dplda::guarantee guarantee_;
};

}  // namespace dplda::inline v0_1::published

#endif
