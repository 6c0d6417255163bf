// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TABLES_IPP
#define DPLDA_IO_DETAIL_TABLES_IPP

// Bodies of io/tables.hpp.

#include <dplda/io/tables.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

struct table_row {
  std::vector<std::string> cells = {};
  bool quoted = false;         ///< one of its cells is quoted
  bool several_lines = false;  ///< a quoted cell holds a line feed
};

/// The first complete rows of a table (RFC 4180); none if the text is not a table.
inline std::vector<table_row> table_rows(std::string_view text, char separator, std::size_t most) {
  std::vector<table_row> rows;
  table_row now;
  std::string cell;
  const auto end_cell = [&] { now.cells.push_back(std::exchange(cell, {})); };
  std::size_t i = 0;
  while (i < text.size() && rows.size() < most) {
    if (cell.empty() && text[i] == '"') {
      now.quoted = true;
      for (++i; i < text.size(); ++i) {
        if (text[i] == '"' && !(i + 1 < text.size() && text[i + 1] == '"')) break;
        if (text[i] == '"') ++i;
        now.several_lines = now.several_lines || text[i] == '\n';
        cell += text[i];
      }
      if (i == text.size()) return rows;
      ++i;
      if (i < text.size() && text[i] == '\r') ++i;
      if (i < text.size() && text[i] != separator && text[i] != '\n') return {};
      if (cell.empty()) cell.push_back(' ');  // so that a quote after it does not begin another cell
      continue;
    }
    const char c = text[i++];
    if (c == separator) {
      end_cell();
    } else if (c == '\n') {
      if (!cell.empty() && cell.back() == '\r') cell.pop_back();
      end_cell();
      rows.push_back(std::exchange(now, {}));
    } else {
      cell += c;
    }
  }
  return rows;
}

/// Short names, all different, of up to three words.
inline bool is_header(const table_row& first) {
  std::set<std::string> names;
  for (const std::string& cell : first.cells) {
    const bool named =
        std::any_of(cell.begin(), cell.end(), [](unsigned char c) { return std::isalpha(c) || c >= 128; });
    const auto blanks = std::count(cell.begin(), cell.end(), ' ') - (cell.starts_with(' ') ? 1 : 0);
    if (!named || cell.size() > 40 || blanks > 2 || cell.find_first_of(".!?:") != std::string::npos) return false;
    names.insert(cell);
  }
  return names.size() == first.cells.size();
}

inline bool is_table(std::string_view text, char separator) {
  const std::vector<table_row> rows = table_rows(text, separator, 20);
  if (rows.size() < 2) return false;
  const std::size_t cells = rows.front().cells.size();
  if (!std::all_of(rows.begin(), rows.end(), [&](const table_row& each) { return each.cells.size() == cells; }))
    return false;
  const bool quoted = std::all_of(rows.begin() + 1, rows.end(), [](const table_row& each) { return each.quoted; });
  const bool wrapped = std::any_of(rows.begin(), rows.end(), [](const table_row& each) { return each.several_lines; });
  if (cells == 1) return wrapped && quoted;
  if (wrapped || quoted) return true;
  if (separator == '\t')
    return std::none_of(rows.begin(), rows.end(), [](const table_row& each) { return each.cells.front().empty(); });
  return cells >= 3 && rows.size() >= 3 && is_header(rows.front());
}

}  // namespace detail

DPLDA_INLINE bool named_as_table(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  for (const char* ending : {".csv", ".tsv", ".json", ".jsonl", ".ndjson"})
    if (name.ends_with(ending)) return true;
  return false;
}

DPLDA_INLINE const char* looks_like_table_or_json(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  std::string first;  // the first line that is not blank, without blanks
  for (const char c : beginning) {
    if (c == '\n' && !first.empty()) break;
    if (!std::isspace(static_cast<unsigned char>(c))) first += c;
  }
  if (first == "{" || first == "[") return "JSON";
  for (const char* start : {"{\"", "[{", "[\"", "[["})
    if (first.starts_with(start)) return "JSON";
  std::string rows(beginning);
  if (beginning.size() < bytes_that_tell && !beginning.ends_with('\n')) rows += '\n';  // the last row is whole
  for (const char separator : {'\t', ';', ','})
    if (detail::is_table(rows, separator)) return "a table with columns";
  return nullptr;
}

}  // namespace dplda::inline v0_1

#endif
