// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_REPORT_AUDIT_REACH_HPP
#define DPLDA_REPORT_AUDIT_REACH_HPP

#include <dplda/audit/audit.hpp>

#include <cstddef>
#include <string>

namespace dplda::inline v0_1 {

/// The largest attacks that describe_reach() considers.
inline constexpr std::size_t most_canaries = 100'000, most_runs = 1'000'000;

/// Whether the attack could not have refuted the claim even with every guess right.
bool attack_too_small(const audit_report& report);

/// The largest epsilon that the attack could have proven, and about how large an attack must be to exceed the claim
/// (what an attack can prove does not always rise with its size); empty if not known.
std::string describe_reach(const audit_report& report);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/report/detail/audit_reach.ipp>
#endif

#endif
