// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_DETAIL_GIBBS_RUN_HPP
#define DPLDA_PUBLISHED_DETAIL_GIBBS_RUN_HPP

// Claim: none. The releases of these samplers hold an event to which no accountant gives a finite epsilon.
// Test: tests/published/{sub_lda,gibbs_papers}_test.cpp

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/detail/gibbs_chain.hpp>
#include <dplda/published/noise_timing.hpp>
#include <dplda/random/source.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Checks the settings that all of these samplers have.
inline void check_chain(const char* function, std::size_t topics, std::uint64_t sweeps, double tau, double beta,
                        double clip) {
  require(topics >= 1 && topics <= 1'000'000, function, "topics", topics, "must lie in [1, 1000000]");
  require(sweeps >= 1, function, "sweeps", sweeps, "must be at least 1");
  require(tau > 0 && tau <= 1e6, function, "tau", tau, "must lie in (0, 1000000]");
  require(beta > 0 && beta <= 1e6, function, "beta", beta, "must lie in (0, 1000000]");
  require(clip > 0, function, "clip", clip, "must be positive");
}

/// One fit of a published Gibbs sampler: the chain and its random bits. Noise has its own bits, so as the noise tends to 0
/// the chain becomes the one without noise.
class gibbs_run {
 public:
  /// Throws std::invalid_argument if the vocabulary is empty or not public, or if there are too many tokens.
  gibbs_run(const char* function, const corpus& docs, random_source& random, std::size_t topics, double tau,
            double beta, double clip)
      : gibbs_run(checked(function, docs, random), random.seeded(), random.fork(), topics, tau, beta, clip) {}

  noisy_count_chain& chain() noexcept { return chain_; }
  chacha20& coins() noexcept { return coins_; }
  chacha20& topics() noexcept { return topics_; }
  chacha20& noise() noexcept { return noise_; }

  /// One sweep over the tokens that are taken. draw(word) gives noise for the counts of a word.
  template <class Draw, class Taken>
  std::uint64_t sweep(published::noise_timing timing, const Draw& draw, const Taken& taken) {
    const auto renew = [&](std::size_t word) {
      chain_.renew_noise(word, timing == published::noise_timing::as_printed, draw(word));
    };
    if (timing == published::noise_timing::each_sweep) {
      for (std::size_t word = 0; word < chain_.words(); ++word) renew(word);
    }
    return chain_.sweep(topics_, taken, [&](std::size_t word) {
      if (timing != published::noise_timing::each_sweep) renew(word);
    });
  }

  /// Of the training documents, by equation (2) with the noisy counts.
  double perplexity() { return chain_.training_perplexity(chain_.phi()); }

  /// Adds a sweep to the trace, if there is one.
  void note(published::gibbs_trace* trace, std::uint64_t visited) {
    if (trace == nullptr) return;
    trace->perplexity.push_back(perplexity());
    trace->visited.push_back(visited);
  }

  /// Topics by equation (2), with what a paper claims for them.
  release<topic_model<>> released(guarantee claim, std::uint64_t sweeps) const {
    ledger spent;
    spent.record({nothing_proven, all_units{}, claim.unit, claim.relation, "noisy counts, nothing proven"}, sweeps);
    if (seeded_) spent.mark_seeded();
    const Eigen::MatrixXd phi = chain_.phi();
    const Eigen::VectorXd prior = Eigen::VectorXd::Constant(phi.rows(), tau_);
    return release<topic_model<>>(topic_model<>(phi, docs_.vocab(), prior), std::move(claim), spent);
  }

 private:
  gibbs_run(const corpus& docs, bool seeded, const random_source& source, std::size_t topics, double tau, double beta,
            double clip)
      : docs_(docs),
        seeded_(seeded),
        tau_(tau),
        start_(source.stream("sub_lda.start")),
        coins_(source.stream("sub_lda.sample")),
        topics_(source.stream("sub_lda.topics")),
        noise_(source.stream("sub_lda.noise")),
        chain_(docs_, topics, tau, beta, clip, start_) {}

  static const corpus& checked(const char* function, const corpus& docs, const random_source& random) {
    require_one_process(function, random);
    require(docs.words() > 0, function, "vocabulary", "empty", "must have at least 1 word");
    require_public_words(function, *docs.vocab());
    require(docs.tokens() <= 0x7FFFFFFFu, function, "number of tokens", docs.tokens(), "must be at most 2147483647");
    return docs;
  }

  corpus docs_;
  bool seeded_;
  double tau_;
  chacha20 start_, coins_, topics_, noise_;
  noisy_count_chain chain_;
};

}  // namespace dplda::inline v0_1::detail

#endif
