// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_JSON_HPP
#define DPLDA_IO_JSON_HPP

#include <dplda/core/errors.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {
class json_parser;
}

/// A JSON value (RFC 8259): null, a truth value, a number, text, an array or an object. Objects keep the order of their
/// members. Numbers are doubles, so integers are exact up to 2^53.
///
///     dplda::json_value::object record{{"title", "Letters"}, {"topics", 20}};
///     record.emplace_back("alpha", dplda::json_value::array{0.1, 0.2});
///     std::cout << dplda::json_value(record).dump(2) << '\n';
///     const auto read = dplda::json_value::parse(text, "record.json");
///     const double topics = read.at("topics").as<double>();
class json_value {
 public:
  using member = std::pair<std::string, json_value>;
  using array = std::vector<json_value>;
  using object = std::vector<member>;

  json_value(std::nullptr_t = nullptr) {}
  template <std::same_as<bool> Bool>
  json_value(Bool b) : value_(b) {}
  /// Throws std::invalid_argument if the number is not finite, or an integer beyond 2^53.
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>) json_value(Number number)
      : value_(static_cast<double>(number)), whole_(std::is_integral_v<Number>) {
    const double magnitude = std::abs(static_cast<double>(number));
    detail::require(whole_ ? magnitude <= largest_whole : std::isfinite(magnitude), "json_value", "number", number,
                    "must be finite, and an integer at most 2^53 in magnitude");
  }
  json_value(std::string text) : value_(std::move(text)) {}
  json_value(std::string_view text) : value_(std::string(text)) {}
  json_value(const char* text) : value_(std::string(text)) {}
  json_value(array items) : value_(std::move(items)) {}
  json_value(object members) : value_(std::move(members)) {}

  bool is_null() const noexcept { return value_.index() == 0; }
  /// Whether it is a value of this type: bool, double, std::string, array or object.
  template <class T>
  bool is() const noexcept {
    return std::holds_alternative<T>(value_);
  }
  /// The value as bool, double, std::string, array or object; null if it has another type.
  template <class T>
  const T* get_if() const noexcept {
    return std::get_if<T>(&value_);
  }
  /// The same; throws std::invalid_argument, naming both types, if it has another type.
  template <class T>
  const T& as() const {
    const T* const value = get_if<T>();
    detail::require(value != nullptr, "json_value::as", "the value", kind(),
                    std::string("must be ") + json_value(T()).kind());
    return *value;
  }

  /// The member of this name; null if this is not an object or has no such member.
  const json_value* find(std::string_view key) const;
  /// The same; throws std::invalid_argument, with the name, if there is none.
  const json_value& at(std::string_view key) const;
  /// Sets the member of this name: in its place, or after all others if it is new. Null becomes an object. Throws
  /// std::invalid_argument if this is anything else.
  void set(std::string_view key, json_value value);

  /// What kind of value it is, for messages: "null", "a truth value", "a number", "text", "an array" or "an object".
  const char* kind() const noexcept;

  /// Reads a whole text. Throws parse_error on anything that is not JSON, invalid UTF-8, a number beyond double, a name
  /// that occurs twice in an object, and nesting deeper than 64. `name` stands for the file in messages.
  static json_value parse(std::string_view text, const std::string& name);

  /// The value as text: on one line, or with `indent` blanks a level. Doubles are written so that reading gives the
  /// same bits. Bytes of strings that are not UTF-8 are each replaced by U+FFFD.
  std::string dump(int indent = 0) const;

  friend bool operator==(const json_value& a, const json_value& b) { return a.value_ == b.value_; }

 private:
  friend class detail::json_parser;
  static constexpr double largest_whole = 9007199254740992.0;  // 2^53

  void write(std::string& out, int indent, int depth) const;

  std::variant<std::nullptr_t, bool, double, std::string, array, object> value_;
  bool whole_ = false;  // a number written in digits only, without an exponent
};

/// A whole number, as text if it is above 2^53, which other readers of JSON would round.
json_value whole_number(std::uint64_t value);

/// A number; for numbers that JSON cannot write, the text "infinity" or "-infinity", and null for NaN.
json_value number_or_infinity(double number);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/json.ipp>
#endif

#endif
