// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_GUARANTEE_HPP
#define DPLDA_ACCOUNTING_GUARANTEE_HPP

#include <dplda/accounting/neighbours.hpp>

#include <optional>
#include <ostream>
#include <string>

namespace dplda::inline v0_1 {

/// An (epsilon, delta) that may be spent. Both are published, so neither may be computed from the data: a delta of one
/// over the exact number of documents tells that number.
struct budget {
  double epsilon;
  double delta;
  bool operator==(const budget&) const = default;
};

/// The rule that turned a ledger into a guarantee.
enum class accountant { linear, advanced, optimal, zcdp, rdp, gaussian, pld, best };

std::ostream& operator<<(std::ostream& out, accountant rule);

inline std::string to_string(accountant by) { return detail::text(by); }

/// Whether the numbers are proven here, or only claimed by the paper that printed them.
enum class basis { proven, as_published };

/// What the price of several releases assumes (mechanisms/detail/premises.hpp).
inline constexpr const char* fixed_plans =
    "This covers several releases. It assumes that no budget, no option, and no decision to make a further release was "
    "chosen from the results of an earlier one. A budget book with a limit needs no such assumption.";

/// What a guarantee for one part of the data leaves out.
std::string one_part(const std::string& rule);

/// What is proven, or claimed, of a release.
struct guarantee {
  double epsilon;
  double delta;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  dplda::accountant accountant = accountant::best;
  dplda::basis basis = basis::proven;
  /// Why an `as_published` claim is not a proof; empty if it is proven.
  std::string caveat = {};
  /// For random differential privacy: the probability, over random data, that the numbers do not hold.
  std::optional<double> gamma = {};
  /// The noise came from a seed: reproducible, but void against anyone who knows the seed.
  bool seeded = false;
  /// It covers several releases, and holds only if fixed_plans is true.
  bool assumes_fixed_plans = false;
  /// Not empty: it holds for the units of one part of the data only, which this public rule describes. The release goes
  /// on from releases of other parts, whose cost it leaves out (inference/earlier_topics.hpp).
  std::string part = {};

  bool operator==(const guarantee&) const = default;
};

/// The guarantee as sentences that a data-protection officer can read; numbers are rounded up to five digits.
std::ostream& operator<<(std::ostream& out, const guarantee& g);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/guarantee.ipp>
#endif

#endif
