// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/detail/numbers.hpp>
#include <dplda/core/rounding.hpp>

#include "support/catch.hpp"

#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

using dplda::detail::read_double;
using dplda::detail::standard_reads_doubles;

namespace {

// Both converters where the standard library has one, else the other twice.
using standard = std::bool_constant<standard_reads_doubles>;
using fallback = std::false_type;

std::string printed(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

template <class Way>
bool reads(std::string_view text, double expected) {
  double value = 42;
  const std::errc error = read_double<Way::value>(text, value);
  return error == std::errc{} && std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(expected);
}

template <class Way>
bool refuses(std::string_view text, std::errc reason) {
  double value = 42;
  return read_double<Way::value>(text, value) == reason && value == 42;
}

}  // namespace

TEMPLATE_TEST_CASE("a double that is printed and read again has the same bits", "[core][numbers]", standard, fallback) {
  std::mt19937_64 bits(1);
  std::size_t checked = 0, wrong = 0;
  for (int i = 0; i < 200000; ++i) {
    // All exponents; every fourth number is subnormal or nearly so.
    const std::uint64_t raw = bits();
    const double value = std::bit_cast<double>(i % 4 == 0 ? raw & 0x801fffffffffffff : raw);
    if (!std::isfinite(value)) continue;
    ++checked;
    char long_form[64];
    const int length = std::snprintf(long_form, sizeof long_form, "%.25e", value);
    wrong += !reads<TestType>(printed(value), value) ||
             !reads<TestType>({long_form, static_cast<std::size_t>(length)}, value);
  }
  CHECK(checked > 190000);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("a decimal number becomes the nearest double, ties to even", "[core][numbers]", standard, fallback) {
  CHECK(reads<TestType>("0", 0.0));
  CHECK(reads<TestType>("-0", -0.0));
  CHECK(reads<TestType>("-0e999999999999", -0.0));
  CHECK(reads<TestType>(".5", 0.5));
  CHECK(reads<TestType>("5.", 5.0));
  CHECK(reads<TestType>("1E+2", 100.0));
  CHECK(reads<TestType>("9007199254740993", 9007199254740992.0));  // 2^53 + 1: a tie
  CHECK(reads<TestType>("9007199254740995", 9007199254740996.0));  // 2^53 + 3: a tie
  CHECK(reads<TestType>("9007199254740993.00000000000000000000000000000000000000000001", 9007199254740994.0));
  CHECK(reads<TestType>("1.00000000000000011102230246251565404", 1.0));  // 1 + 2^-53, less a bit
  CHECK(reads<TestType>("1.00000000000000011102230246251565405", 1.0000000000000002));
  CHECK(reads<TestType>("2.2250738585072011e-308", 0x0.fffffffffffffp-1022));
  CHECK(reads<TestType>("1.7976931348623157e308", std::numeric_limits<double>::max()));
  CHECK(reads<TestType>("5e-324", std::numeric_limits<double>::denorm_min()));
  CHECK(reads<TestType>("3e-324", std::numeric_limits<double>::denorm_min()));
  CHECK(reads<TestType>("inf", std::numeric_limits<double>::infinity()));
  CHECK(reads<TestType>("-inf", -std::numeric_limits<double>::infinity()));
  double value = 0;
  CHECK(read_double<TestType::value>("nan", value) == std::errc{});
  CHECK(std::isnan(value));
  CHECK(reads<TestType>("0." + std::string(2000, '0') + "1e2001", 1.0));
  CHECK(reads<TestType>(std::string(400, '9') + "e-400", 1.0));
}

TEMPLATE_TEST_CASE("a number out of range is refused", "[core][numbers]", standard, fallback) {
  for (const std::string_view text : {"1e309", "-1e400", "1.7976931348623159e308", "2e-324", "-1e-400", "0.001e-330",
                                      "1e99999999999999999999", "1e-99999999999999999999"}) {
    CAPTURE(text);
    CHECK(refuses<TestType>(text, std::errc::result_out_of_range));
  }
}

TEMPLATE_TEST_CASE("a text that is not a number is refused as a whole", "[core][numbers]", standard, fallback) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv,    "-"sv,      "."sv,   "-."sv,  "+1"sv,    " 1"sv,    "1 "sv,    "\t1"sv,     "--1"sv,
        "1e"sv,  "1e+"sv,    "e5"sv,  "1,5"sv, "1.2.3"sv, "0x10"sv,  "0x1p3"sv, "1f"sv,      "infinity"sv,
        "INF"sv, "nan(1)"sv, "NaN"sv, "in"sv,  "1\0"sv,   "\0001"sv, "1_000"sv, "\xD9\xA1"sv}) {
    CAPTURE(text);
    CHECK(refuses<TestType>(text, std::errc::invalid_argument));
  }
}

TEST_CASE("both converters agree on random texts", "[core][numbers]") {
  std::mt19937_64 bits(2);
  constexpr std::string_view letters = "0123456789012345678900..eE+-";
  std::size_t numbers = 0, different = 0;
  for (int i = 0; i < 300000; ++i) {
    std::string text;
    for (std::uint64_t length = bits() % 24; length > 0; --length) text += letters[bits() % letters.size()];
    double a = 42, b = 42;
    const std::errc first = read_double<standard::value>(text, a), second = read_double<fallback::value>(text, b);
    different += first != second || std::bit_cast<std::uint64_t>(a) != std::bit_cast<std::uint64_t>(b);
    numbers += first == std::errc{};
  }
  CHECK(numbers > 1000);
  CHECK(different == 0);
}

TEMPLATE_TEST_CASE("the process's locale does not affect reading", "[core][numbers]", standard, fallback) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "German"}) {
    if (std::setlocale(LC_ALL, name) != nullptr) break;  // one with a decimal comma, where the machine has one
  }
  CHECK(reads<TestType>("1.5", 1.5));
  CHECK(refuses<TestType>("1,5", std::errc::invalid_argument));
  std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("counts are published in two digits, and small ones in one") {
  using dplda::rounded_count;
  for (const auto& [exact, published] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0},
                                                                                             {1, 1},
                                                                                             {9, 9},
                                                                                             {10, 10},
                                                                                             {14, 10},
                                                                                             {57, 60},
                                                                                             {95, 100},
                                                                                             {99, 100},
                                                                                             {104, 100},
                                                                                             {105, 110},
                                                                                             {1234, 1200},
                                                                                             {1250, 1300},
                                                                                             {123456, 120000},
                                                                                             {999999, 1000000}}) {
    CHECK(rounded_count(exact) == published);
    CHECK(rounded_count(published) == published);
  }
  CHECK(rounded_count(std::numeric_limits<std::uint64_t>::max()) == 18'000'000'000'000'000'000u);
}
