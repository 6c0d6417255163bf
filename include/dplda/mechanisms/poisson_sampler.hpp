// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_POISSON_SAMPLER_HPP
#define DPLDA_MECHANISMS_POISSON_SAMPLER_HPP

// Claim: draw() takes each unit independently with a probability of at most the rate in event(), and which units it
//   took follows from secret bits alone. That is the sampling under which Poisson amplification is proven.
// Preconditions: the source is secret; nobody is told which units, or how many, were taken; what is made of them is
//   scaled by the expected number, not by the drawn one. ChaCha20's bits stand for independent ones, so the claim is
//   computational: it holds against attackers who cannot tell them apart.
// Argument: each draw forks a key of its own. The decision on a unit is a comparison of one word of ChaCha20 under that
//   key, the word numbered by the unit's id, with floor(rate 2^64) (random/bernoulli.hpp). Ids are distinct
//   (privacy_units checks it), so the words are distinct words of one stream: independent, and the same for a unit
//   whether others are there or not. A rate below the accounted one is covered: what a sample of rate q' <= q gives is a
//   mixture of what a sample of rate q gives and of what no sample gives, and divergences are jointly convex.
// Test: tests/mechanisms/poisson_sampler_test.cpp.

#include <dplda/mechanisms/units.hpp>
#include <dplda/random/bernoulli.hpp>
#include <dplda/random/source.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Draws secret batches that include each unit with a fixed probability, independently of the others.
class poisson_sampler {
 public:
  /// Throws std::invalid_argument unless 0 < rate <= 1.
  explicit poisson_sampler(double rate) : rate_(checked(rate)), taken_(rate) {}

  /// The sampling as the ledger records it.
  poisson_sample event() const noexcept { return {rate_}; }

  /// A batch for one release.
  unit_batch draw(const privacy_units& units, random_source& random) const {
    chacha20 words = random.fork().stream("sample");
    std::vector<std::size_t> batch;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      words.seek(units.id(unit));
      if (taken_(words)) batch.push_back(unit);
    }
    return unit_batch(std::move(batch), event(), units.unit(), random.seeded());
  }

 private:
  static double checked(double rate) {
    detail::require(rate > 0 && rate <= 1, "poisson_sampler", "rate", rate, "must lie in (0, 1]");
    return rate;
  }

  double rate_;
  coin taken_;
};

}  // namespace dplda::inline v0_1

#endif
