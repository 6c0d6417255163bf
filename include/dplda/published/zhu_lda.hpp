// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_PUBLISHED_ZHU_LDA_HPP
#define DPLDA_PUBLISHED_ZHU_LDA_HPP

// Collapsed Gibbs sampling with noise in a last sweep, after Zhu, Li, Zhou, Xiong and Yuan (Privacy-preserving topic model
// for tagging recommender systems, Knowledge and Information Systems 46(1), 2016), as the public code of Manzonelli,
// Zhang and Vadhan (2024) has it: the learner in their FDPTM. The paper of Zhu et al. is not at hand. For reproduction and
// comparison; for topics to be used, take a proven engine.
//
// Claim: the papers': epsilon-DP for one document more or less. guarantee() is that claim, with basis::as_published.
//   Ours: none. The ledger of a release holds an event to which no accountant gives a finite epsilon.
// Why the claim is not a proof, and no claim for documents can be:
//   - The topics are computed from exact counts. A word that one document alone has leaves its probability above beta's
//     share in some topic with certainty, and so does the total number of tokens: the loss is infinite.
//   - Noise of scale 2 / epsilon is for counts that change by 2. A document changes as many counts as it has tokens.
//   - The noise enters the probabilities of each draw anew, and a document's topics depend on all of them: nothing adds
//     them up.
//   - All sweeps before the last one have no noise, and the last one starts from their counts.
// Test: tests/published/gibbs_papers_test.cpp, which also shows that a word of one document always shows.

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/mechanisms/release.hpp>
#include <dplda/published/detail/gibbs_run.hpp>
#include <dplda/published/noise_timing.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace dplda::inline v0_1::published {

/// The settings. The public code leaves tau and beta to its caller, or 1 / topics.
struct zhu_lda_options {
  std::size_t topics = 5;
  std::uint64_t sweeps = 100;  ///< without noise; one with noise follows
  double tau = 0.1;            ///< prior of a document's topic proportions
  double beta = 0.01;          ///< prior of a topic's words
  double epsilon = 1;
};

/// Zhu et al. as coded for FDPTM. In the last sweep the weight of topic k for a token of word t in document m is
///   (n_k^t + e1 + beta) / (n_k - e1 + V beta) * (n_m^k + e2 + tau) / (n_m - e2 + K tau),
/// with e1 and e2 drawn once for the token, Laplace of scale 2 / epsilon. The weights, which may be negative, are moved so
/// that the least one is 0, and then scaled to probabilities. (All topics alike: any topic.)
///
///   dplda::published::zhu_lda learner({.topics = 5, .epsilon = 3});
///   std::cout << learner.guarantee() << '\n';
///   auto random = dplda::secure_random();
///   const auto released = learner.fit(docs, random);
class zhu_lda {
 public:
  /// Plans. Throws std::invalid_argument if an option is out of range.
  explicit zhu_lda(const zhu_lda_options& options) : options_(options) {
    const char* const function = "published::zhu_lda";
    const zhu_lda_options& o = options_;
    detail::check_chain(function, o.topics, o.sweeps, o.tau, o.beta, 1);
    detail::require(o.epsilon >= 1e-6 && o.epsilon <= 1e12, function, "epsilon", o.epsilon, "must lie in [1e-6, 1e12]");
    guarantee_ = {.epsilon = o.epsilon,
                  .delta = 0,
                  .accountant = accountant::linear,
                  .basis = basis::as_published,
                  .caveat =
                      "the topics are computed from exact counts, so a word that one document alone has always shows; "
                      "no finite epsilon holds for documents."};
  }

  const zhu_lda_options& options() const noexcept { return options_; }
  /// Of the Laplace noise in the last sweep.
  double scale() const noexcept { return 2 / options_.epsilon; }
  /// The papers' claim.
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }

  /// Learns topics. The observer sees the sweeps' numbers; if it stops the fit, fit throws fit_stopped. Throws
  /// std::invalid_argument if the vocabulary is empty or not public.
  release<topic_model<>> fit(const corpus& docs, random_source& random, const observer& watch = {},
                             gibbs_trace* trace = nullptr) const {
    const zhu_lda_options& o = options_;
    detail::gibbs_run run("published::zhu_lda::fit", docs, random, o.topics, o.tau, o.beta,
                          std::numeric_limits<double>::infinity());
    detail::noisy_count_chain& chain = run.chain();
    detail::count_noise law(true, scale());
    const auto all = [](auto, auto) { return true; };
    const auto nothing = [](auto) {};
    const auto weights_of = [&](std::size_t word, std::span<double> weights) {
      const std::span<const double> e = law.draw(run.noise(), 2);
      const double prior_total = o.beta * static_cast<double>(chain.words());
      const double document = chain.document_length() - e[1] + o.tau * static_cast<double>(o.topics);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        weights[k] = (chain.count(word, k) + e[0] + o.beta) / (chain.total(k) - e[0] + prior_total) *
                     (chain.in_document(k) + e[1] + o.tau) / document;
      }
      const double least = *std::min_element(weights.begin(), weights.end());
      for (double& weight : weights) weight -= least;
      if (!(*std::max_element(weights.begin(), weights.end()) > 0)) std::fill(weights.begin(), weights.end(), 1.0);
    };
    for (std::uint64_t done = 1; done <= o.sweeps + 1; ++done) {
      const bool last = done == o.sweeps + 1;
      const std::uint64_t visited =
          last ? chain.sweep(run.topics(), all, nothing, weights_of) : chain.sweep(run.topics(), all, nothing);
      run.note(trace, visited);
      detail::tell(watch, {static_cast<std::size_t>(done), static_cast<std::size_t>(o.sweeps + 1)});
    }
    return run.released(guarantee_, 1);
  }

 private:
  zhu_lda_options options_;
  dplda::guarantee guarantee_;
};

}  // namespace dplda::inline v0_1::published

#endif
