// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_POISSON_SAMPLER_HPP
#define DPLDA_MECHANISMS_POISSON_SAMPLER_HPP

// Claim: draw() takes each unit independently with a probability of at most the rate in event(), and which units it
//   took follows from secret bits alone. That is the sampling under which Poisson amplification is proven.
// Preconditions: the source is secret; nobody is told which units, or how many, were taken; what is made of them is
//   scaled by the expected number, not by the drawn one.
// Argument: each draw forks a key of its own. The decision on a unit is a comparison of one word of ChaCha20 under that
//   key, the word numbered by the unit's id, with floor(rate 2^64) (random/bernoulli.hpp). Ids are distinct
//   (privacy_units checks it), so the words are different ones of one stream: independent, and the same for a unit
//   whether others are there or not. A lower rate than the accounted one is covered, as amplification grows with the
//   rate.
// Test: tests/mechanisms/poisson_sampler_test.cpp.

#include <dplda/accounting/event.hpp>
#include <dplda/core/corpus.hpp>
#include <dplda/random/bernoulli.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace dplda {

/// A corpus divided into units of privacy: each document by itself, or all documents of each user.
class privacy_units {
 public:
  /// Throws std::invalid_argument for the unit token (tokens are not drawn by document), if users are asked of a corpus
  /// without users, or if two documents have the same id, which would tie their fates together.
  privacy_units(const corpus& docs, privacy_unit unit) : documents_(docs.size()), begins_(1, 0) {
    const char* const function = "privacy_units";
    detail::require(unit != privacy_unit::token, function, "unit", unit, "must be document or user");
    // Without documents there is nobody to own them, and the neighbours of one user's corpus must not throw.
    detail::require(unit == privacy_unit::document || docs.has_users() || docs.empty(), function, "unit", unit,
                    "the corpus has no users");
    std::iota(documents_.begin(), documents_.end(), std::size_t{0});
    const auto id = [&](std::size_t d) {
      return unit == privacy_unit::user ? std::uint64_t{docs.user(d)} : docs[d].id;
    };
    std::stable_sort(documents_.begin(), documents_.end(), [&](std::size_t a, std::size_t b) { return id(a) < id(b); });
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      const std::uint64_t next = id(documents_[i]);
      if (!ids_.empty() && ids_.back() == next) {
        detail::require(unit == privacy_unit::user, function, "the id of two documents", "the same",
                        "units must be told apart to be sampled independently");
      } else {
        ids_.push_back(next);
        begins_.push_back(i);
      }
      begins_.back() = i + 1;
    }
  }

  std::size_t size() const noexcept { return ids_.size(); }
  /// The number that names the unit wherever it appears. Units are in ascending order of it.
  std::uint64_t id(std::size_t unit) const { return ids_[unit]; }
  /// Positions of the unit's documents in the corpus.
  std::span<const std::size_t> documents(std::size_t unit) const {
    return std::span(documents_).subspan(begins_[unit], begins_[unit + 1] - begins_[unit]);
  }

 private:
  std::vector<std::size_t> documents_;  // by unit
  std::vector<std::size_t> begins_;     // of each unit in documents_, and the end
  std::vector<std::uint64_t> ids_;
};

/// Draws secret batches in which each unit is with a fixed probability, independently of the others.
class poisson_sampler {
 public:
  /// Throws std::invalid_argument unless 0 < rate <= 1.
  explicit poisson_sampler(double rate) : rate_(checked(rate)), taken_(rate) {}

  /// What the ledger is told.
  poisson_sample event() const noexcept { return {rate_}; }

  /// Positions of the units that are taken, ascending.
  std::vector<std::size_t> draw(const privacy_units& units, random_source& random) const {
    chacha20 words = random.fork().stream("sample");
    std::vector<std::size_t> batch;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      words.seek(units.id(unit));
      if (taken_(words)) batch.push_back(unit);
    }
    return batch;
  }

 private:
  static double checked(double rate) {
    detail::require(rate > 0 && rate <= 1, "poisson_sampler", "rate", rate, "must lie in (0, 1]");
    return rate;
  }

  double rate_;
  coin taken_;
};

}  // namespace dplda

#endif
