// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_LEDGER_HPP
#define DPLDA_IO_LEDGER_HPP

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/io/detail/ledger_json.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>

#include <cmath>
#include <filesystem>
#include <istream>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

// Ledgers and guarantees as JSON, for records and reports. What is read equals what was written, bit for bit. Every
// member is required and unknown members are refused: a ledger must be understood completely before it is priced.
// Whole numbers above 2^53, which other JSON readers would round, are written as text; so is an infinite epsilon.

namespace dplda::inline v0_1 {

/// A ledger as a JSON object. Throws std::invalid_argument if a label is not UTF-8.
inline json_value to_json(const ledger& book) {
  json_value unit = nullptr, relation = nullptr;
  if (!book.empty()) {
    unit = detail::text(book.entries().front().event.unit);
    relation = detail::text(book.entries().front().event.relation);
  }
  json_value::object members = detail::json_head("dplda ledger");
  members.emplace_back("seeded", book.seeded());
  members.emplace_back("unit", std::move(unit));
  members.emplace_back("neighbours", std::move(relation));
  members.emplace_back("entries", detail::entries_json(book, "to_json"));
  return members;
}

/// Writes a ledger. Throws std::invalid_argument if a label is not UTF-8, and std::runtime_error if the stream fails.
inline void write_ledger(std::ostream& out, const ledger& book) { detail::write_json(out, to_json(book)); }

/// As above, with the file's name in the error.
inline void write_ledger(const std::filesystem::path& path, const ledger& book) {
  write_file(path, [&](std::ostream& out) { write_ledger(out, book); });
}

/// The ledger that a JSON object holds; `name` stands for its file in messages. Throws parse_error, with the
/// place, if it is invalid: another format or version, missing or unknown members, unknown kinds, or numbers or
/// pairings that ledger::record refuses.
inline ledger ledger_from_json(const json_value& file, const std::string& name) {
  detail::check_head(file, name, "dplda ledger");
  const detail::strict_object top(
      file, name, "the ledger",
      {"format", "format_version", "library_version", "seeded", "unit", "neighbours", "entries"});
  top.text("library_version");
  const auto* entries = top.at("entries").get_if<json_value::array>();
  if (entries == nullptr) top.refuse("a list as \"entries\"");
  ledger book;
  if (top.flag("seeded")) book.mark_seeded();
  if (entries->empty()) {
    if (!top.at("unit").is_null() || !top.at("neighbours").is_null())
      top.refuse("null as \"unit\" and \"neighbours\" without entries");
    return book;
  }
  detail::read_entries(top, "entries", "entry ", detail::read_unit(top), detail::read_neighbours(top), book);
  return book;
}

/// Reads a ledger. Throws parse_error as ledger_from_json does, and with the line where the text is not JSON.
inline ledger read_ledger(std::istream& in, const std::string& name) {
  return ledger_from_json(json_value::parse(detail::rest_of(in, name), name), name);
}

/// As above; throws parse_error also if the file cannot be read.
inline ledger read_ledger(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_ledger(in, path.string());
}

/// A guarantee as a JSON object. Throws std::invalid_argument if its epsilon is negative or NaN, its delta or gamma
/// outside [0, 1], or its caveat not UTF-8.
inline json_value to_json(const guarantee& g) {
  const char* const function = "to_json";
  detail::require(g.epsilon >= 0, function, "epsilon", g.epsilon, "must be at least 0");
  detail::require(g.delta >= 0 && g.delta <= 1, function, "delta", g.delta, "must lie in [0, 1]");
  if (g.gamma) detail::require(*g.gamma >= 0 && *g.gamma <= 1, function, "gamma", *g.gamma, "must lie in [0, 1]");
  detail::require_utf8(g.caveat, function, "caveat");
  json_value::object members = detail::json_head("dplda guarantee");
  members.emplace_back("epsilon", std::isinf(g.epsilon) ? json_value("infinity") : json_value(g.epsilon));
  members.emplace_back("delta", g.delta);
  members.emplace_back("unit", detail::text(g.unit));
  members.emplace_back("neighbours", detail::text(g.relation));
  members.emplace_back("accountant", detail::text(g.accountant));
  members.emplace_back("basis", g.basis == basis::proven ? "proven" : "as_published");
  members.emplace_back("caveat", g.caveat);
  members.emplace_back("gamma", g.gamma ? json_value(*g.gamma) : json_value(nullptr));
  members.emplace_back("seeded", g.seeded);
  return members;
}

/// Writes a guarantee. Throws std::invalid_argument as to_json does, and std::runtime_error if the stream fails.
inline void write_guarantee(std::ostream& out, const guarantee& g) { detail::write_json(out, to_json(g)); }

/// As above, with the file's name in the error.
inline void write_guarantee(const std::filesystem::path& path, const guarantee& g) {
  write_file(path, [&](std::ostream& out) { write_guarantee(out, g); });
}

/// The guarantee that a JSON object holds. Throws parse_error as ledger_from_json does.
inline guarantee guarantee_from_json(const json_value& file, const std::string& name) {
  detail::check_head(file, name, "dplda guarantee");
  const detail::strict_object top(file, name, "the guarantee",
                                  {"format", "format_version", "library_version", "epsilon", "delta", "unit",
                                   "neighbours", "accountant", "basis", "caveat", "gamma", "seeded"});
  top.text("library_version");
  const auto within = [&](std::string_view key, double most) {
    const double value = top.number(key);
    if (!(value >= 0 && value <= most)) top.refuse("a number from 0 to ", most, " as \"", key, '"');
    return value;
  };
  const bool infinite = top.at("epsilon") == json_value("infinity");
  guarantee g{.epsilon = infinite ? std::numeric_limits<double>::infinity()
                                  : within("epsilon", std::numeric_limits<double>::max()),
              .delta = within("delta", 1),
              .unit = detail::read_unit(top),
              .relation = detail::read_neighbours(top),
              .accountant = top.one_of("accountant",
                                       {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp,
                                        accountant::rdp, accountant::gaussian, accountant::pld, accountant::best}),
              .caveat = top.text("caveat"),
              .seeded = top.flag("seeded")};
  if (top.text("basis") == "as_published") {
    g.basis = basis::as_published;
  } else if (top.text("basis") != "proven") {
    top.refuse("\"proven\" or \"as_published\" as \"basis\"");
  }
  if (!top.at("gamma").is_null()) g.gamma = within("gamma", 1);
  return g;
}

/// Reads a guarantee. Throws parse_error as read_ledger does.
inline guarantee read_guarantee(std::istream& in, const std::string& name) {
  return guarantee_from_json(json_value::parse(detail::rest_of(in, name), name), name);
}

/// As above; throws parse_error also if the file cannot be read.
inline guarantee read_guarantee(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_guarantee(in, path.string());
}

}  // namespace dplda::inline v0_1

#endif
