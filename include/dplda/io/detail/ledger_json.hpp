// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LEDGER_JSON_HPP
#define DPLDA_IO_DETAIL_LEDGER_JSON_HPP

#include <dplda/accounting/event.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/version.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <istream>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dplda::inline v0_1::detail {

inline constexpr int ledger_format_version = 1;

/// A JSON object with known members; errors say where they are.
class strict_object {
 public:
  /// Throws parse_error unless the value is an object with exactly these members, of which `optional` may be missing.
  strict_object(const json_value& value, const std::string& file, std::string where,
                std::initializer_list<std::string_view> keys, std::initializer_list<std::string_view> optional = {})
      : value_(value), file_(file), where_(std::move(where)) {
    const auto* members = value.get_if<json_value::object>();
    if (members == nullptr) refuse("an object");
    for (const std::string_view key : keys) {
      if (value.find(key) == nullptr) refuse("a member \"", key, "\"");
    }
    for (const json_value::member& m : *members) {
      const auto named = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), m.first) != names.end();
      };
      if (!named(keys) && !named(optional)) refuse("no member \"", m.first, "\"");
    }
  }

  template <class... Expected>
  [[noreturn]] void refuse(const Expected&... expected) const {
    throw parse_error(file_, 0, detail::text("expected ", expected..., " in ", where_));
  }

  bool has(std::string_view key) const { return value_.find(key) != nullptr; }
  const json_value& at(std::string_view key) const { return *value_.find(key); }
  std::string inside(std::string_view key) const { return detail::text(where_, ", \"", key, '"'); }
  const std::string& file() const { return file_; }

  double number(std::string_view key) const { return *typed<double>(key, "a number"); }
  std::vector<double> numbers(std::string_view key) const {
    std::vector<double> read;
    for (const json_value& value : *typed<json_value::array>(key, "a list of numbers")) {
      const double* number = value.get_if<double>();
      if (number == nullptr) refuse("a list of numbers as \"", key, '"');
      read.push_back(*number);
    }
    return read;
  }
  bool flag(std::string_view key) const { return *typed<bool>(key, "true or false"); }
  const std::string& text(std::string_view key) const { return *typed<std::string>(key, "text"); }

  std::uint64_t whole(std::string_view key) const {
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    std::uint64_t read = 0;
    if (const auto* value = at(key).get_if<double>()) {
      if (*value >= 0 && *value <= static_cast<double>(exact) && *value == std::floor(*value))
        return static_cast<std::uint64_t>(*value);
    } else if (const auto* digits = at(key).get_if<std::string>()) {
      const char* const end = digits->data() + digits->size();
      const auto result = std::from_chars(digits->data(), end, read);
      if (result.ec == std::errc() && result.ptr == end && digits->front() != '0' && read > exact) return read;
    }
    refuse("a whole number, as text if above 2^53, as \"", key, '"');
  }

  /// The one of `values` whose printed form is the member.
  template <class Value>
  Value one_of(std::string_view key, std::initializer_list<Value> values) const {
    for (const Value value : values) {
      if (detail::text(value) == text(key)) return value;
    }
    refuse("a known value instead of \"", text(key), "\" as \"", key, '"');
  }

 private:
  template <class T>
  const T* typed(std::string_view key, std::string_view kind) const {
    const T* value = at(key).get_if<T>();
    if (value == nullptr) refuse(kind, " as \"", key, '"');
    return value;
  }

  const json_value& value_;
  const std::string& file_;
  std::string where_;
};

inline privacy_unit read_unit(const strict_object& object) {
  return object.one_of("unit", {privacy_unit::token, privacy_unit::document, privacy_unit::user});
}
inline neighbours read_neighbours(const strict_object& object) {
  return object.one_of("neighbours", {neighbours::add_remove, neighbours::replace});
}

inline json_value::array entries_json(const ledger& book, std::string_view function);
inline void read_entries(const strict_object& parent, std::string_view key, const std::string& place, privacy_unit unit,
                         neighbours relation, ledger& book);

/// A mechanism or sampling as its kind and its fields, by their entry in the tables of accounting/.
template <template <class> class Entry, class Variant>
json_value kind_and_fields(const Variant& variant) {
  return std::visit(
      []<class Kind>(const Kind& value) {
        json_value::object members{{"kind", std::string(Entry<Kind>::kind)}};
        const auto write = [&](const auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(value.*field.member)>, double>) {
            members.emplace_back(std::string(field.name), value.*field.member);
          } else if constexpr (std::is_same_v<std::decay_t<decltype(value.*field.member)>, nested_ledger>) {
            members.emplace_back(std::string(field.name), entries_json(*(value.*field.member), "write_ledger"));
          } else if constexpr (std::is_same_v<std::decay_t<decltype(value.*field.member)>, number_list>) {
            json_value::array numbers;
            for (const double x : (value.*field.member).numbers()) numbers.emplace_back(x);
            members.emplace_back(std::string(field.name), std::move(numbers));
          } else {
            members.emplace_back(std::string(field.name), whole_number(value.*field.member));
          }
        };
        std::apply([&](const auto&... fields) { (write(fields), ...); }, Entry<Kind>::fields);
        return json_value(std::move(members));
      },
      variant);
}

inline json_value mechanism_json(const mechanism& noise) { return kind_and_fields<mechanism_entry>(noise); }
inline json_value sampling_json(const sampling& sample) { return kind_and_fields<sampling_entry>(sample); }

/// The "kind" of an object whose other members depend on it.
inline std::string kind_of(const json_value& value, const strict_object& parent, std::string_view key) {
  const json_value* kind = value.find("kind");
  const auto* name = kind == nullptr ? nullptr : kind->get_if<std::string>();
  if (name == nullptr) parent.refuse("an object with text as \"kind\" as \"", key, '"');
  return *name;
}

/// What a list of entries does not say of each.
struct whose_event {
  privacy_unit unit;
  neighbours relation;
};

/// Reads one kind of a mechanism or sampling.
template <class Kind, class... Fields>
Kind read_fields(const json_value& value, const strict_object& entry, const std::string& where,
                 const whose_event& whose, const std::tuple<Fields...>& fields) {
  return std::apply(
      [&](const auto&... each) {
        [[maybe_unused]] const strict_object object(value, entry.file(), where, {"kind", each.name...});
        Kind read{};
        [[maybe_unused]] const auto set = [&](const auto& field) {
          if constexpr (std::is_same_v<std::decay_t<decltype(read.*field.member)>, double>) {
            read.*field.member = object.number(field.name);
          } else if constexpr (std::is_same_v<std::decay_t<decltype(read.*field.member)>, nested_ledger>) {
            ledger inside;
            read_entries(object, field.name, detail::text(where, ", entry "), whose.unit, whose.relation, inside);
            read.*field.member = std::move(inside);
          } else if constexpr (std::is_same_v<std::decay_t<decltype(read.*field.member)>, number_list>) {
            read.*field.member = object.numbers(field.name);
          } else {
            read.*field.member = object.whole(field.name);
          }
        };
        (set(each), ...);
        return read;
      },
      fields);
}

/// The kind of the variant that member `key` of the entry holds, by the tables of accounting/.
template <template <class> class Entry, class... Kinds>
void read_kind(const strict_object& entry, std::string_view key, const whose_event& whose,
               std::variant<Kinds...>& read) {
  const json_value& value = entry.at(key);
  const std::string kind = kind_of(value, entry, key), where = entry.inside(key);
  const auto is = [&]<class Kind>(const Kind*) {
    if (kind != Entry<Kind>::kind) return false;
    read = read_fields<Kind>(value, entry, where, whose, Entry<Kind>::fields);
    return true;
  };
  if (!(is(static_cast<const Kinds*>(nullptr)) || ...))
    entry.refuse("a known kind of ", key, " instead of \"", kind, '"');
}

inline mechanism read_mechanism(const strict_object& entry, const whose_event& whose) {
  mechanism noise;
  read_kind<mechanism_entry>(entry, "noise", whose, noise);
  return noise;
}
inline sampling read_sampling(const strict_object& entry, const whose_event& whose) {
  sampling sample;
  read_kind<sampling_entry>(entry, "sampling", whose, sample);
  return sample;
}

inline void require_utf8(std::string_view words, std::string_view function, std::string_view argument) {
  require(find_invalid_utf8(words) == std::string_view::npos, function, argument, "not UTF-8",
          "only UTF-8 can be written as JSON");
}

/// The entries of a ledger, without unit and neighbours. Throws std::invalid_argument if a label is not UTF-8.
inline json_value::array entries_json(const ledger& book, std::string_view function) {
  json_value::array entries;
  for (const auto& [event, count] : book.entries()) {
    require_utf8(event.label, function, "label");
    entries.push_back(json_value::object{{"label", event.label},
                                         {"noise", mechanism_json(event.noise)},
                                         {"sampling", sampling_json(event.sampling)},
                                         {"count", whole_number(count)}});
  }
  return entries;
}

/// Reads the output of entries_json into a ledger; `place` stands before the number of an entry in messages.
inline void read_entries(const strict_object& parent, std::string_view key, const std::string& place, privacy_unit unit,
                         neighbours relation, ledger& book) {
  const auto* entries = parent.at(key).get_if<json_value::array>();
  if (entries == nullptr) parent.refuse("a list as \"", key, '"');
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const strict_object entry((*entries)[i], parent.file(), detail::text(place, i + 1),
                              {"label", "noise", "sampling", "count"});
    try {
      book.record({read_mechanism(entry, {unit, relation}), read_sampling(entry, {unit, relation}), unit, relation,
                   entry.text("label")},
                  entry.whole("count"));
    } catch (const std::invalid_argument& error) {
      entry.refuse("a valid event (", error.what(), ')');
    }
  }
}

inline json_value::object json_head(std::string_view format) {
  return {
      {"format", std::string(format)}, {"format_version", ledger_format_version}, {"library_version", version_string}};
}

/// Throws parse_error unless format and version are those written here.
inline void check_head(const json_value& value, const std::string& file, std::string_view format) {
  const json_value* found = value.find("format");
  const auto* name = found == nullptr ? nullptr : found->get_if<std::string>();
  if (name == nullptr || *name != format) throw parse_error(file, 0, text("expected the format \"", format, '"'));
  const json_value* version = value.find("format_version");
  if (version == nullptr || !(*version == json_value(ledger_format_version)))
    throw parse_error(file, 0, text("expected format version ", ledger_format_version));
}

inline void write_json(std::ostream& out, const json_value& value) {
  out << value.dump(2) << '\n' << std::flush;
  check_stream(out);
}

}  // namespace dplda::inline v0_1::detail

#endif
