// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/errors.hpp>

#include "support/catch.hpp"

#include <locale>
#include <stdexcept>
#include <string>

using Catch::Matchers::Equals;

TEST_CASE("require names the function, the argument, its value and the bound", "[core][errors]") {
  CHECK_NOTHROW(dplda::detail::require(true, "f", "x", 3, "must be even"));
  CHECK_THROWS_AS(dplda::detail::require(false, "f", "x", 3, "must be even"), std::invalid_argument);
  CHECK_THROWS_WITH(dplda::detail::require(false, "f", "x", 3, "must be even"),
                    Equals("dplda::f: x is 3, but must be even"));
}

TEST_CASE("Messages do not change with the program's locale", "[core][errors]") {
  struct grouping : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new grouping));
  const std::string text = dplda::detail::text(1234567, ' ', 0.5);
  std::locale::global(before);
  CHECK(text == "1234567 0.5");
}

TEST_CASE("parse_error knows its file and line", "[core][errors]") {
  const dplda::parse_error here("words.txt", 7, "expected a word");
  CHECK(here.file() == "words.txt");
  CHECK(here.line() == 7);
  CHECK(std::string(here.what()) == "words.txt:7: expected a word");
  CHECK(std::string(dplda::parse_error("phi.npy", 0, "expected a matrix").what()) == "phi.npy: expected a matrix");
}
