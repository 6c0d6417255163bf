// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LEDGER_IPP
#define DPLDA_IO_DETAIL_LEDGER_IPP

// Bodies of io/ledger.hpp.

#include <dplda/io/files.hpp>
#include <dplda/io/ledger.hpp>

#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE json_value to_json(const ledger& book) {
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

DPLDA_INLINE void write_ledger(const std::filesystem::path& path, const ledger& book) {
  write_file(path, [&](std::ostream& out) { write_ledger(out, book); });
}

DPLDA_INLINE ledger ledger_from_json(const json_value& file, const std::string& name) {
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

DPLDA_INLINE ledger read_ledger(std::istream& in, const std::string& name) {
  return ledger_from_json(json_value::parse(detail::rest_of(in, name), name), name);
}

DPLDA_INLINE ledger read_ledger(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_ledger(in, path.string());
}

DPLDA_INLINE json_value to_json(const guarantee& g) {
  const char* const function = "to_json";
  detail::require(g.epsilon >= 0, function, "epsilon", g.epsilon, "must be at least 0");
  detail::require(g.delta >= 0 && g.delta <= 1, function, "delta", g.delta, "must lie in [0, 1]");
  if (g.gamma) detail::require(*g.gamma >= 0 && *g.gamma <= 1, function, "gamma", *g.gamma, "must lie in [0, 1]");
  detail::require_utf8(g.caveat, function, "caveat");
  detail::require_utf8(g.part, function, "part");
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
  // Left out where they say nothing, so that versions which do not know them read the others and refuse these.
  if (g.assumes_fixed_plans) members.emplace_back("assumes_fixed_plans", true);
  if (!g.part.empty()) members.emplace_back("part", g.part);
  return members;
}

DPLDA_INLINE void write_guarantee(const std::filesystem::path& path, const guarantee& g) {
  write_file(path, [&](std::ostream& out) { write_guarantee(out, g); });
}

DPLDA_INLINE guarantee guarantee_from_json(const json_value& file, const std::string& name) {
  detail::check_head(file, name, "dplda guarantee");
  const detail::strict_object top(file, name, "the guarantee",
                                  {"format", "format_version", "library_version", "epsilon", "delta", "unit",
                                   "neighbours", "accountant", "basis", "caveat", "gamma", "seeded"},
                                  {"assumes_fixed_plans", "part"});
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
              .seeded = top.flag("seeded"),
              .assumes_fixed_plans = top.has("assumes_fixed_plans") && top.flag("assumes_fixed_plans"),
              .part = top.has("part") ? top.text("part") : ""};
  if (top.text("basis") == "as_published") {
    g.basis = basis::as_published;
  } else if (top.text("basis") != "proven") {
    top.refuse("\"proven\" or \"as_published\" as \"basis\"");
  }
  if (!top.at("gamma").is_null()) g.gamma = within("gamma", 1);
  return g;
}

DPLDA_INLINE guarantee read_guarantee(std::istream& in, const std::string& name) {
  return guarantee_from_json(json_value::parse(detail::rest_of(in, name), name), name);
}

DPLDA_INLINE guarantee read_guarantee(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_guarantee(in, path.string());
}

}  // namespace dplda::inline v0_1

#endif
