// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_DETAIL_FIELDS_HPP
#define DPLDA_ACCOUNTING_DETAIL_FIELDS_HPP

// What mechanisms and samplings have in common for files and for readers: named fields, and words.

#include <dplda/core/config.hpp>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

/// How `describe` writes the numbers of an event: rounded to nearest, and (for what is promised) rounded up.
struct number_style {
  std::string (*nearest)(double);
  std::string (*rounded_up)(double);
};

namespace detail {

/// A parameter of a mechanism or sampling: its name in JSON, and the member (a double, a std::uint64_t,
/// a nested_ledger, or a number_list).
template <class Owner, class Value>
struct field {
  std::string_view name;
  Value Owner::*member;
};
template <class Owner, class Value>
field(const char*, Value Owner::*) -> field<Owner, Value>;

/// Appends the fields of a value as bits, so that equal values have equal bits.
template <class Value, class... Fields>
void append_bits(const Value& value, const std::tuple<Fields...>& fields, std::vector<std::uint64_t>& bits) {
  const auto append = [&](const auto& number) {
    if constexpr (std::is_same_v<std::decay_t<decltype(number)>, double>) {
      bits.push_back(std::bit_cast<std::uint64_t>(number + 0.0));  // -0 is 0
    } else if constexpr (requires { number.append_bits(bits); }) {
      number.append_bits(bits);
    } else {
      bits.push_back(number);
    }
  };
  std::apply([&](const auto&... each) { (append(value.*each.member), ...); }, fields);
}

/// std::variant<Wrap<A>, Wrap<B>, ...> for std::variant<A, B, ...>.
template <template <class> class Wrap, class Variant>
struct wrapped_variant;
template <template <class> class Wrap, class... Types>
struct wrapped_variant<Wrap, std::variant<Types...>> {
  using type = std::variant<Wrap<Types>...>;
};

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
