// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/function_ref.hpp>

#include "support/catch.hpp"

#include <string>
#include <type_traits>

namespace {

using dplda::detail::function_ref;

double half(double x) { return x / 2; }

int length(function_ref<int(const std::string&)> measure) { return measure("four"); }

}  // namespace

TEST_CASE("function_ref calls what it refers to, and does not copy it", "[core]") {
  int calls = 0;
  auto counter = [calls, &seen = calls]() mutable { return seen = ++calls; };
  const function_ref<int()> reference = counter;
  const function_ref<int()> copy = reference;
  CHECK(reference() == 1);
  CHECK(copy() == 2);  // the counter's own state has moved on
  CHECK(calls == 2);

  const auto twice = [](double x) { return 2 * x; };
  CHECK(dplda::detail::real_function(twice)(3) == 6);
  CHECK(dplda::detail::real_function(half)(3) == 1.5);
  CHECK(dplda::detail::real_function(&half)(3) == 1.5);
  CHECK(length([](const std::string& text) { return static_cast<int>(text.size()); }) == 4);

  STATIC_REQUIRE(std::is_convertible_v<double (&)(double), dplda::detail::real_function>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<std::string (*)(double), dplda::detail::real_function>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<int, dplda::detail::real_function>);
}
