// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_LEARNERS_HPP
#define DPLDA_BENCHMARKS_SUPPORT_LEARNERS_HPP

// The learners of the frontier benchmark. A learner joins by one line in frontier_learners().

#include <dplda/dplda.hpp>
#include <dplda/published/decarolis_spectral.hpp>
#include <dplda/published/hdp_lda.hpp>
#include <dplda/published/park_svi.hpp>
#include <dplda/published/rdp_lda.hpp>
#include <dplda/published/sub_lda.hpp>
#include <dplda/published/zhu_lda.hpp>

#include "corpora.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dplda_benchmarks {

/// The basis of a learner's privacy.
enum class claim {
  none,                   ///< not private: the reference for the others
  proven,                 ///< for documents or users
  as_published,           ///< for documents, as its paper claims
  as_published_per_token  ///< for single tokens, as its paper claims
};

/// Documents over public words, and the requested settings.
struct frontier_case {
  const dplda::corpus& docs;
  dplda::privacy_unit unit;
  std::size_t topics;
  std::vector<dplda::public_text> known = {};  ///< for learners that take public text
};

/// Topics of a case at a budget (which claim::none ignores) from a seed; nothing if it refuses to release.
using frontier_fit =
    std::function<std::optional<dplda::topic_model<>>(const frontier_case&, const dplda::budget&, std::uint64_t seed)>;

struct frontier_learner {
  std::string name;
  claim kind;
  frontier_fit fit;

  /// Methods as published have no form for users.
  bool applies_to(dplda::privacy_unit unit) const {
    return unit == dplda::privacy_unit::document || kind == claim::none || kind == claim::proven;
  }
};

/// A private learner of the library. Its options are the planner's, except those given here; 0 topics: the case's.
template <class Learner>
frontier_fit private_fit(typename Learner::options_type options = {.topics = 0}) {
  return [options](const frontier_case& c, const dplda::budget& total, std::uint64_t seed) {
    auto own = options;
    if (own.topics == 0) own.topics = c.topics;
    own.units = dplda::privacy_units(c.docs, c.unit).size();
    own.words = c.docs.words();
    own.unit = c.unit;
    if constexpr (requires { own.public_texts; }) own.public_texts = c.known;
    auto random = dplda::seeded_random(seed);
    return std::optional(Learner(own, total).fit(c.docs, random).value());
  };
}

/// private_svi near topics that svi learned from the first public text, 40,000 documents of it at most; nothing if there
/// is no public text.
inline std::optional<dplda::topic_model<>> guided_fit(const frontier_case& c, const dplda::budget& total,
                                                      std::uint64_t seed) {
  if (c.known.empty()) return std::nullopt;
  const dplda::corpus& text = c.known.front().docs();
  auto random = dplda::seeded_random(7);
  auto topics =
      dplda::svi<>({.topics = c.topics}).fit(text.slice(0, std::min<std::size_t>(text.size(), 40000)), random);
  return private_fit<dplda::private_svi>(
      {.topics = c.topics, .public_topics = dplda::declare_public(std::move(topics))})(c, total, seed);
}

/// A fit whose topics may give words a probability of 0.
inline frontier_fit smoothed_fit(const frontier_fit& fit) {
  return [fit](const frontier_case& c, const dplda::budget& total, std::uint64_t seed) {
    const auto model = fit(c, total, seed);
    return model ? std::optional(smoothed(*model)) : std::nullopt;
  };
}

inline std::optional<dplda::topic_model<>> plain_svi(const frontier_case& c, const dplda::budget&, std::uint64_t seed) {
  auto random = dplda::seeded_random(seed);
  return dplda::svi<>({.topics = c.topics}).fit(c.docs, random);
}

inline std::optional<dplda::topic_model<>> plain_gibbs(const frontier_case& c, const dplda::budget&,
                                                       std::uint64_t seed) {
  auto random = dplda::seeded_random(seed);
  return dplda::gibbs<>({.topics = c.topics}).fit(c.docs, random);
}

/// private_svi at a budget so large that its noise is nothing: what its shrinkage and weights are worth without privacy.
inline std::optional<dplda::topic_model<>> no_noise_fit(const frontier_case& c, const dplda::budget&,
                                                        std::uint64_t seed) {
  return private_fit<dplda::private_svi>()({c.docs, c.unit, c.topics}, {.epsilon = 1e4, .delta = 1e-5}, seed);
}

/// Noise on the output of svi.
inline std::optional<dplda::topic_model<>> output_noise_fit(const frontier_case& c, const dplda::budget& total,
                                                            std::uint64_t seed) {
  auto random = dplda::seeded_random(seed);
  return dplda::topic_dp({.topics = c.topics, .words = c.docs.words(), .unit = c.unit}, total)
      .fit(dplda::svi<>({.topics = c.topics}), c.docs, random)
      .value();
}

/// Park et al. with batches of 400, one pass.
inline std::optional<dplda::topic_model<>> park_fit(const frontier_case& c, const dplda::budget& total,
                                                    std::uint64_t seed) {
  const std::size_t batch = std::min<std::size_t>(400, c.docs.size());
  auto random = dplda::seeded_random(seed);
  return dplda::published::park_svi({.topics = c.topics,
                                     .documents = c.docs.size(),
                                     .batch = batch,
                                     .steps = std::max<std::size_t>(1, c.docs.size() / batch)},
                                    total)
      .fit(c.docs, random)
      .value();
}

/// DeCarolis et al. refuse if their proposed bound fails its test.
inline frontier_fit decarolis_fit(unsigned configuration, double alpha0 = 1) {
  return [=](const frontier_case& c, const dplda::budget& total,
             std::uint64_t seed) -> std::optional<dplda::topic_model<>> {
    auto random = dplda::seeded_random(seed);
    const auto result = dplda::published::decarolis_spectral({.configuration = configuration,
                                                              .topics = c.topics,
                                                              .documents = c.docs.size(),
                                                              .alpha0 = alpha0,
                                                              .eigen_tolerance = 1e-4,
                                                              .eigen_iterations = 60},
                                                             total)
                            .fit(c.docs, random);
    return result.topics ? std::optional(result.topics->value()) : std::nullopt;
  };
}

/// A Gibbs sampler with noisy counts, at the noise at which its claim for all sweeps equals the budget.
/// with(case, divergence of a sweep, budget) makes it.
template <class With>
frontier_fit fit_at_claim(With with) {
  return [with](const frontier_case& c, const dplda::budget& total, std::uint64_t seed) {
    double low = 1e-6, high = 1e6;  // of the divergence of a sweep, which the samplers turn into noise
    while (high > 1.001 * low) {
      const double middle = std::sqrt(low * high);
      (with(c, middle, total).guarantee().epsilon <= total.epsilon ? low : high) = middle;
    }
    auto random = dplda::seeded_random(seed);
    return std::optional(with(c, low, total).fit(c.docs, random).value());
  };
}

/// SUB-LDA (as it describes HDP-LDA if gamma is 1). Counts get new noise once a sweep, as the claim counts it.
inline frontier_fit sub_lda_fit(double gamma) {
  return fit_at_claim([gamma](const frontier_case& c, double divergence, const dplda::budget& total) {
    return dplda::published::sub_lda({.topics = c.topics,
                                      .gamma = gamma,
                                      .timing = dplda::published::noise_timing::each_sweep,
                                      .epsilon = divergence,
                                      .delta = total.delta});
  });
}

inline frontier_fit rdp_lda_fit() {
  return fit_at_claim([](const frontier_case& c, double divergence, const dplda::budget& total) {
    return dplda::published::rdp_lda({.topics = c.topics, .epsilon = divergence, .delta = total.delta});
  });
}

/// Zhao et al.: half of the budget for noise and half for the drawing of topics, which sets the clip.
inline std::optional<dplda::topic_model<>> hdp_lda_fit(const frontier_case& c, const dplda::budget& total,
                                                       std::uint64_t seed) {
  dplda::published::hdp_lda_options options{.topics = c.topics};
  const double sweep = total.epsilon / static_cast<double>(options.sweeps);
  options.epsilon = sweep / 2;
  options.clip = options.beta * std::expm1(sweep / 4);
  auto random = dplda::seeded_random(seed);
  return dplda::published::hdp_lda(options).fit(c.docs, random).value();
}

inline std::optional<dplda::topic_model<>> zhu_fit(const frontier_case& c, const dplda::budget& total,
                                                   std::uint64_t seed) {
  auto random = dplda::seeded_random(seed);
  return dplda::published::zhu_lda({.topics = c.topics, .epsilon = total.epsilon}).fit(c.docs, random).value();
}

inline const std::vector<frontier_learner>& frontier_learners() {
  using namespace dplda;
  static const std::vector<frontier_learner> all{
      {"svi", claim::none, plain_svi},
      {"gibbs", claim::none, plain_gibbs},
      {"svi_shrunk", claim::none, no_noise_fit},
      {"private_one_topic", claim::proven,
       private_fit<private_svi>({.topics = 1, .steps = 1, .background_share = 0.99})},
      {"private_svi", claim::proven, private_fit<private_svi>()},
      {"private_svi_guided", claim::proven, guided_fit},
      {"private_gibbs", claim::proven, private_fit<private_gibbs>()},
      {"private_spectral", claim::proven, smoothed_fit(private_fit<private_spectral>())},
      {"topic_dp", claim::proven, smoothed_fit(output_noise_fit)},
      {"park_svi", claim::as_published, park_fit},
      {"decarolis_spectral", claim::as_published, smoothed_fit(decarolis_fit(1))},
      {"zhu_lda", claim::as_published, zhu_fit},
      {"hdp_lda", claim::as_published_per_token, hdp_lda_fit},
      {"rdp_lda", claim::as_published_per_token, rdp_lda_fit()},
      {"sub_lda_1", claim::as_published_per_token, sub_lda_fit(1)},
      {"sub_lda_0.1", claim::as_published_per_token, sub_lda_fit(0.1)},
  };
  return all;
}

}  // namespace dplda_benchmarks

#endif
