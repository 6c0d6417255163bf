// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_WEAKNESSES_HPP
#define DPLDA_ACCOUNTING_WEAKNESSES_HPP

#include <dplda/accounting/guarantee.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// Why a guarantee that holds may still promise too little: a sentence for each reason, for people. `units` is about how
/// many documents or users there are; 0 if nobody said.
std::vector<std::string> weaknesses(const guarantee& claim, std::uint64_t units);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/accounting/detail/weaknesses.ipp>
#endif

#endif
