// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DESCRIBE_HPP
#define DPLDA_ACCOUNTING_DESCRIBE_HPP

// Events in words, for people who read a ledger.

#include <dplda/accounting/event.hpp>
#include <dplda/core/rounding.hpp>

#include <string>

namespace dplda::inline v0_1 {

/// Plain text: four digits, and five where a number is rounded up.
inline constexpr number_style plain_numbers{[](double x) { return significant(x); },
                                            [](double x) { return rounded_up(x); }};

/// The mechanism in a few words, as in "Gaussian, multiplier 1.5".
std::string describe(const mechanism& noise, const number_style& style = plain_numbers);

/// What the mechanism saw, as in "a secret sample, each with probability 0.01".
std::string describe(const sampling& sample, const number_style& style = plain_numbers);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/describe.ipp>
#endif

#endif
