// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_MECHANISMS_RELEASE_HPP
#define DPLDA_MECHANISMS_RELEASE_HPP

// Claim: value() and remarks() satisfy guarantee() for the unit and the neighbours it names.
// Preconditions: both were computed only from public values and from what the mechanisms released that wrote the
//   ledger. The guarantee is the ledger's price, or, if as_published, what a paper claims.
// Argument: differential privacy is closed under post-processing. That unit, neighbours and seed of guarantee and ledger
//   agree is checked here; the price is the accountant's (accounting/accountant.hpp). Topics and words are marked as
//   released, so that nobody takes them for public and leaves out their price.
// Test: tests/mechanisms/release_test.cpp, tests/pipeline/word_origin_test.cpp.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/vocabulary.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// A value that may be published, with its guarantee and the ledger of what was spent on it. Private learners make
/// releases from the outputs of mechanisms. Anybody may make one from another by post-processing.
template <class T>
class release {
 public:
  /// Throws std::invalid_argument if the guarantee's numbers are invalid (epsilon negative or NaN, delta or gamma
  /// outside [0, 1]), if it is as_published without a caveat, if its unit or neighbours are not the ledger's, or if the
  /// ledger is empty. A seeded ledger makes a seeded guarantee, whatever the caller says. A value that is a topic_model
  /// or a vocabulary_ptr is marked as released.
  release(T value, dplda::guarantee claimed, dplda::ledger spent, std::vector<std::string> remarks = {})
      : value_(std::move(value)),
        guarantee_(std::move(claimed)),
        ledger_(std::move(spent)),
        remarks_(std::move(remarks)) {
    detail::require(guarantee_.epsilon >= 0, "release", "the guarantee's epsilon", guarantee_.epsilon,
                    "must not be negative");
    detail::require(guarantee_.delta >= 0 && guarantee_.delta <= 1, "release", "the guarantee's delta",
                    guarantee_.delta, "must lie in [0, 1]");
    detail::require(!guarantee_.gamma || (*guarantee_.gamma >= 0 && *guarantee_.gamma <= 1), "release",
                    "the guarantee's gamma", guarantee_.gamma.value_or(0), "must lie in [0, 1]");
    detail::require(guarantee_.basis == basis::proven || !guarantee_.caveat.empty(), "release",
                    "the guarantee's caveat", "empty", "must say why the claim is not proven");
    detail::require(!ledger_.empty(), "release", "the ledger", "empty", "must say what was spent on the value");
    const privacy_event& event = ledger_.entries().front().event;
    detail::require(guarantee_.unit == event.unit, "release", "the guarantee's unit", guarantee_.unit,
                    "must be the ledger's");
    detail::require(guarantee_.relation == event.relation, "release", "the guarantee's neighbours", guarantee_.relation,
                    "must be the ledger's");
    guarantee_.seeded = guarantee_.seeded || ledger_.seeded();
    using detail::as_released;  // of words; that of topics is found by their type
    if constexpr (requires { as_released(value_); }) value_ = as_released(std::move(value_));
  }

  const T& value() const& noexcept { return value_; }
  T value() && { return std::move(value_); }
  const dplda::guarantee& guarantee() const noexcept { return guarantee_; }
  const dplda::ledger& ledger() const noexcept { return ledger_; }
  /// What a reader should know about how the value came about, in sentences. Like the value, they are computed from
  /// public values and from releases that the ledger lists.
  const std::vector<std::string>& remarks() const noexcept { return remarks_; }

  /// The release of f(value()), at no further cost: f must not look at private data.
  template <class Function>
  auto map(Function&& f) const {
    using result = std::decay_t<std::invoke_result_t<Function, const T&>>;
    return release<result>(std::invoke(std::forward<Function>(f), value_), guarantee_, ledger_, remarks_);
  }

 private:
  T value_;
  dplda::guarantee guarantee_;
  dplda::ledger ledger_;
  std::vector<std::string> remarks_;
};

}  // namespace dplda::inline v0_1

#endif
