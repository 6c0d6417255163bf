// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/json.hpp>

#include "io/io_support.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

using dplda::json_value;
using dplda_tests::check_refused;

namespace {

json_value read(std::string_view text) { return json_value::parse(text, "json"); }
double number(std::string_view text) { return *read(text).get_if<double>(); }
std::string string(std::string_view text) { return *read(text).get_if<std::string>(); }

}  // namespace

TEST_CASE("JSON values are read and written", "[json]") {
  const std::string text = R"({"b":[1,-2.5,true,false,null],"a":{"c":"x","":{}},"n":[]})";
  const json_value value =
      read(" \n{ \"b\" : [ 1 ,\t-2.5, true , false, null ],\r\n \"a\": {\"c\": \"x\", \"\": {}}, \"n\": [ ] } ");
  CHECK(value.dump() == text);
  CHECK(read(text) == value);
  CHECK(read(value.dump(2)) == value);
  CHECK(json_value(json_value::object{{"a", json_value::array{1, 2}}, {"b", json_value::array{}}}).dump(2) ==
        "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": []\n}");
  CHECK(value.find("a")->find("c")->get_if<std::string>() != nullptr);
  CHECK(value.find("z") == nullptr);
  CHECK(value.find("n")->find("z") == nullptr);
  CHECK(value.find("b")->get_if<json_value::array>()->size() == 5);
  CHECK(read("null").is_null());
}

TEST_CASE("numbers come back bit for bit", "[json]") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (!std::isfinite(value)) continue;
    REQUIRE(std::bit_cast<std::uint64_t>(number(json_value(value).dump())) == std::bit_cast<std::uint64_t>(value));
  }
  CHECK(number("-0") == 0);
  CHECK(std::signbit(number("-0")));
  CHECK(number("1E+2") == 100);
  CHECK(number("0.5e-1") == 0.05);
  CHECK(json_value(std::uint64_t{1} << 53).dump() == "9007199254740992");
  CHECK_THROWS_AS(json_value((std::uint64_t{1} << 53) + 2), std::invalid_argument);
  CHECK_THROWS_AS(json_value(std::numeric_limits<double>::infinity()), std::invalid_argument);
  CHECK_THROWS_AS(json_value(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST_CASE("strings are UTF-8, with all escapes", "[json]") {
  CHECK(string(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string(R"("\u0041\u00e9\u20AC\ud83d\uDE42")") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x99\x82");
  CHECK(string("\"\xC3\xA9\"") == "\xC3\xA9");
  std::string all;
  for (char c = 0; c < 127; ++c) all += c;
  CHECK(string(json_value(all).dump()) == all);
  CHECK(string(R"("\u0000")") == std::string(1, '\0'));
}

TEST_CASE("text that is not JSON is refused with its line", "[json]") {
  const auto refuse = [](const std::string& text, const std::string& why, std::size_t line = 1) {
    CAPTURE(text);
    check_refused([&] { read(text); }, line, why);
  };
  refuse("", "expected a value");
  refuse("{\n\"a\": \n}", "expected a value", 3);
  refuse("[1,]", "expected a value");
  refuse("[1 2]", "expected ',' or ']'");
  refuse("[1", "expected ',' or ']'");
  refuse("{\"a\":1,}", "expected a member's name");
  refuse("{a:1}", "expected a member's name");
  refuse("{\"a\" 1}", "expected ':'");
  refuse("{\"a\":1", "expected ',' or '}'");
  refuse("{\"a\":1,\"b\":2,\"a\":3}", "expected members of different names");
  refuse("1 1", "expected the end of the text");
  refuse("nulll", "expected the end of the text");
  refuse("nul", "expected a value");
  refuse("True", "expected a value");
  refuse("NaN", "expected a value");
  refuse("+1", "expected a value");
  refuse(".5", "expected a value");
  refuse("-", "expected a value");
  refuse("01", "without a leading 0");
  refuse("1.", "expected digits after the point");
  refuse("1e", "expected digits of an exponent");
  refuse("1e+", "expected digits of an exponent");
  refuse("1e999", "in the range of double");
  refuse("0x10", "expected the end of the text");
  refuse("\"a", "at the end of a string");
  refuse("\"a\nb\"", "expected an escape instead of a control character");
  refuse("\"\\x\"", "expected an escape sequence");
  refuse("\"\\", "expected an escape sequence");
  refuse("\"\\u12\"", "expected four hexadecimal digits");
  refuse("\"\\u12g4\"", "expected four hexadecimal digits");
  refuse("\"\\u-123\"", "expected four hexadecimal digits");
  refuse("\"\\ud83d\"", "expected a whole surrogate pair");
  refuse("\"\\ude42\"", "expected a whole surrogate pair");
  refuse("\"\\ud83d\\u0041\"", "expected the second half of a surrogate pair");
  refuse("\"\xFF\"", "expected UTF-8");
  refuse(std::string("1\0", 2), "expected the end of the text");
  refuse("\xEF\xBB\xBF{}", "expected a value");
}

TEST_CASE("nesting has a limit", "[json]") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(read(nested(65)).dump() == nested(65));
  check_refused([&] { read(nested(66)); }, 1, "at most 64 levels");
  check_refused([&] { read(std::string(1000000, '[')); }, 1, "at most 64 levels");
}

TEST_CASE("whole numbers are written in digits, and old texts keep their form", "[json]") {
  CHECK(json_value(200000).dump() == "200000");
  CHECK(json_value(2e5).dump() == "2e+05");
  CHECK(read("2e+05").dump() == "2e+05");  // so that the checksum of an old model.json still fits
  CHECK(read("200000").dump() == "200000");
  CHECK(read("-0").dump() == "-0");
  CHECK(read("9007199254740994").dump() == json_value(9007199254740994.0).dump());
  CHECK(json_value(200000) == json_value(2e5));
  CHECK(dplda::whole_number((std::uint64_t{1} << 53) + 2) == json_value("9007199254740994"));
}

TEST_CASE("members are found, set and refused by name", "[json]") {
  json_value value = json_value::object{{"a", 1}, {"b", nullptr}};
  CHECK(value.at("a").as<double>() == 1);
  value.set("c", "new");
  value.set("a", true);
  CHECK(value.dump() == R"({"a":true,"b":null,"c":"new"})");
  CHECK_THROWS_WITH(value.at("d"), Catch::Matchers::ContainsSubstring("an object with a member \"d\""));
  CHECK_THROWS_WITH(value.at("a").as<double>(),
                    Catch::Matchers::ContainsSubstring("a truth value, but must be a number"));
  json_value text = "text";
  CHECK_THROWS_WITH(text.set("x", 1), Catch::Matchers::ContainsSubstring("must be an object"));
  json_value nothing;
  nothing.set("x", 1);
  CHECK(nothing.is<json_value::object>());
}

TEST_CASE("bytes that are not UTF-8 are replaced when they are written", "[json]") {
  CHECK(json_value("a\xFF\xC3z").dump() == "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"");
  CHECK(read(json_value("\xC3").dump()) == json_value("\xEF\xBF\xBD"));
}

TEST_CASE("numbers that JSON cannot write become words or null", "[json]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(dplda::number_or_infinity(0.5) == json_value(0.5));
  CHECK(dplda::number_or_infinity(infinity) == json_value("infinity"));
  CHECK(dplda::number_or_infinity(-infinity) == json_value("-infinity"));
  CHECK(dplda::number_or_infinity(std::numeric_limits<double>::quiet_NaN()).is_null());
}
