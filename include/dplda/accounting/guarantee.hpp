// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_GUARANTEE_HPP
#define DPLDA_ACCOUNTING_GUARANTEE_HPP

#include <dplda/accounting/neighbours.hpp>
#include <dplda/core/rounding.hpp>

#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace dplda::inline v0_1 {

/// An (epsilon, delta) that may be spent.
struct budget {
  double epsilon;
  double delta;
  bool operator==(const budget&) const = default;
};

/// The rule that turned a ledger into a guarantee.
enum class accountant { linear, advanced, optimal, zcdp, rdp, gaussian, pld, best };

inline std::ostream& operator<<(std::ostream& out, accountant rule) {
  switch (rule) {
    case accountant::linear:
      return out << "linear";
    case accountant::advanced:
      return out << "advanced";
    case accountant::optimal:
      return out << "optimal";
    case accountant::zcdp:
      return out << "zcdp";
    case accountant::rdp:
      return out << "rdp";
    case accountant::gaussian:
      return out << "gaussian";
    case accountant::pld:
      return out << "pld";
    case accountant::best:
      break;
  }
  return out << "best";
}

inline std::string to_string(accountant by) { return detail::text(by); }

/// Whether the numbers are proven here, or only claimed by the paper that printed them.
enum class basis { proven, as_published };

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

  bool operator==(const guarantee&) const = default;
};

/// The guarantee as sentences that a data-protection officer can read; numbers are rounded up to five digits.
inline std::ostream& operator<<(std::ostream& out, const guarantee& g) {
  const bool proven = g.basis == basis::proven;
  out << "(epsilon = " << rounded_up(g.epsilon) << ", delta = " << rounded_up(g.delta) << ") differential privacy "
      << (!proven    ? "is claimed, not proven,"
          : g.seeded ? "would hold with secret noise"
                     : "holds")
      << " for each " << g.unit << ": ";
  if (g.relation == neighbours::add_remove) {
    out << "whether one " << g.unit << " is in the data or not";
  } else {
    out << "which content one " << g.unit << " has";
  }
  out << " changes the probability of any result by at most a factor of e^epsilon, up to delta.";
  if (g.gamma) out << " This holds except with probability " << rounded_up(*g.gamma) << " over the data.";
  out << " Accountant: " << g.accountant << '.';
  if (!proven) out << " Why it is not a proof: " << g.caveat;
  if (g.seeded) out << " The noise came from a known seed: for experiments only, not private.";
  return out;
}

}  // namespace dplda::inline v0_1

#endif
