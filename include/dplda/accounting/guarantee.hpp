// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_GUARANTEE_HPP
#define DPLDA_ACCOUNTING_GUARANTEE_HPP

#include <dplda/accounting/event.hpp>
#include <dplda/core/detail/numbers.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace dplda {

/// What may be spent.
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

/// Whether an argument stands behind the numbers, or only the paper that printed them.
enum class basis { proven, as_published };

/// What was proven (or claimed) of a release.
struct guarantee {
  double epsilon;
  double delta;
  privacy_unit unit = privacy_unit::document;
  neighbours relation = neighbours::add_remove;
  dplda::accountant accountant = accountant::best;
  dplda::basis basis = basis::proven;
  /// Why an `as_published` claim is not a proof; empty where it is one.
  std::string caveat = {};
  /// For random differential privacy: the probability over the data that the numbers do not hold.
  std::optional<double> gamma = {};
  /// The noise came from a seed: reproducible, and void against who knows the seed.
  bool seeded = false;

  bool operator==(const guarantee&) const = default;
};

namespace detail {

/// x >= 0 in five digits, rounded up: a promise must not be printed smaller than it is.
inline std::string rounded_up(double x) {
  for (double raised = x;; raised += std::max(x * 1e-5, std::numeric_limits<double>::denorm_min())) {
    char text[32];
    char* const end = std::to_chars(text, text + sizeof text, raised, std::chars_format::general, 5).ptr;
    double printed = 0;
    read_double({text, end}, printed);
    if (!(printed < x)) return std::string(text, end);
  }
}

}  // namespace detail

/// The guarantee as sentences that a data-protection officer can read; numbers are rounded up to five digits.
inline std::ostream& operator<<(std::ostream& out, const guarantee& g) {
  const bool proven = g.basis == basis::proven;
  out << "(epsilon = " << detail::rounded_up(g.epsilon) << ", delta = " << detail::rounded_up(g.delta)
      << ") differential privacy "
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
  if (g.gamma) out << " This holds except with probability " << detail::rounded_up(*g.gamma) << " over the data.";
  out << " Accountant: " << g.accountant << '.';
  if (!proven) out << " Why it is not a proof: " << g.caveat;
  if (g.seeded) out << " The noise came from a known seed: for experiments only, not private.";
  return out;
}

}  // namespace dplda

#endif
