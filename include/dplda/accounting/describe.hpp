// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DESCRIBE_HPP
#define DPLDA_ACCOUNTING_DESCRIBE_HPP

// Events in words, for people who read a ledger.

#include <dplda/accounting/event.hpp>
#include <dplda/accounting/guarantee.hpp>

#include <charconv>
#include <string>
#include <variant>

namespace dplda {

namespace detail {

inline std::string four_digits(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::general, 4).ptr};
}

}  // namespace detail

/// Plain text: four digits, and five where a number is rounded up.
inline constexpr number_style plain_numbers{detail::four_digits, detail::rounded_up};

/// The mechanism in a few words, as in "Gaussian, multiplier 1.5".
inline std::string describe(const mechanism& noise, const number_style& style = plain_numbers) {
  return std::visit(
      [&]<class Mechanism>(const Mechanism& n) { return detail::mechanism_entry<Mechanism>::words(n, style); }, noise);
}

/// What the mechanism saw, as in "a secret sample, each with probability 0.01".
inline std::string describe(const sampling& sample, const number_style& style = plain_numbers) {
  return std::visit(
      [&]<class Sampling>(const Sampling& s) { return detail::sampling_entry<Sampling>::words(s, style); }, sample);
}

}  // namespace dplda

#endif
