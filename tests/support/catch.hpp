// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_CATCH_HPP
#define DPLDA_TESTS_SUPPORT_CATCH_HPP

// Makes Catch2 2 and 3 available under the names of version 3. Tests use only what both offer: TEST_CASE,
// TEMPLATE_TEST_CASE, SECTION, GENERATE, INFO, CAPTURE, CHECK, REQUIRE, their _THROWS_AS, _THROWS_WITH and _THAT forms,
// Catch::Approx, and from Catch::Matchers: ContainsSubstring, StartsWith, EndsWith, Matches, WithinAbs, WithinRel,
// WithinULP.

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>

#else

#include <catch2/catch.hpp>

#include <string>

namespace Catch {
using Detail::Approx;
namespace Matchers {
inline auto ContainsSubstring(const std::string& text, CaseSensitive::Choice sensitivity = CaseSensitive::Yes) {
  return Contains(text, sensitivity);
}
}  // namespace Matchers
}  // namespace Catch

#endif

#endif
