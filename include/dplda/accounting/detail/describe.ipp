// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_DESCRIBE_IPP
#define DPLDA_ACCOUNTING_DETAIL_DESCRIBE_IPP

// Bodies of accounting/describe.hpp.

#include <dplda/accounting/describe.hpp>
#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>

#include <string>
#include <variant>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::string nested_ledger::words(const number_style& style) const {
  std::string all;
  for (const auto& [event, count] : (**this).entries()) {
    if (!all.empty()) all += "; ";
    if (count > 1) all += std::to_string(count) + " times ";
    all += describe(event.noise, style) + ", on " + describe(event.sampling, style);
  }
  return all;
}

DPLDA_INLINE std::string describe(const mechanism& noise, const number_style& style) {
  return std::visit(
      [&]<class Mechanism>(const Mechanism& n) { return detail::mechanism_entry<Mechanism>::words(n, style); }, noise);
}

DPLDA_INLINE std::string describe(const sampling& sample, const number_style& style) {
  return std::visit(
      [&]<class Sampling>(const Sampling& s) { return detail::sampling_entry<Sampling>::words(s, style); }, sample);
}

}  // namespace dplda::inline v0_1

#endif
