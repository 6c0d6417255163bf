// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TABLE_LIKE_IPP
#define DPLDA_IO_DETAIL_TABLE_LIKE_IPP

// Bodies of io/table_like.hpp.

#include <dplda/io/detail/csv_reader.hpp>
#include <dplda/io/detail/file_ending.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/table_like.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// The first complete rows of a table; none if the text is not a table.
inline std::vector<table_row> table_rows(std::string_view text, char separator, std::size_t most) {
  std::istringstream complete(std::string(text.substr(0, text.rfind('\n') + 1)));
  text_reader in(complete, "");
  std::vector<table_row> rows;
  for (table_row row; rows.size() < most; rows.push_back(std::move(row))) {
    const csv_outcome outcome = next_csv_row(in, separator, row);
    if (outcome == csv_outcome::text_after_quote) return {};
    if (outcome != csv_outcome::row) break;
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
  const std::vector<table_row> rows = table_rows(text, separator, 200);
  if (rows.size() < 2) return false;
  const std::size_t cells = rows.front().cells.size();
  if (!std::all_of(rows.begin(), rows.end(), [&](const table_row& each) { return each.cells.size() == cells; }))
    return false;
  const bool quoted = std::all_of(rows.begin() + 1, rows.end(), [](const table_row& each) { return each.quoted; });
  const bool wrapped = std::any_of(rows.begin(), rows.end(), [](const table_row& each) { return each.several_lines; });
  if (cells == 1) return wrapped;
  if (wrapped || quoted) return true;
  if (separator == '\t')
    return std::none_of(rows.begin(), rows.end(), [](const table_row& each) { return each.cells.front().empty(); });
  return cells >= 3 && rows.size() >= 3 && is_header(rows.front());
}

}  // namespace detail

DPLDA_INLINE bool named_as_table(const std::filesystem::path& path) {
  const std::string ending = detail::ending_of(path);
  for (const char* const each : {".csv", ".tsv", ".json", ".jsonl", ".ndjson"})
    if (ending == each) return true;
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
