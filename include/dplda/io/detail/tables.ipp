// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TABLES_IPP
#define DPLDA_IO_DETAIL_TABLES_IPP

// Bodies of io/tables.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/byte_range.hpp>
#include <dplda/io/detail/csv_reader.hpp>
#include <dplda/io/detail/file_ending.hpp>
#include <dplda/io/detail/label_collector.hpp>
#include <dplda/io/detail/text_collector.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/user_collector.hpp>
#include <dplda/io/encoding_error.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/tables.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

/// The rows of a table or of JSON lines, cut to the columns asked for.
class row_reader {
 public:
  /// Reads the header. The columns from position `may_be_null` on may be null in JSON.
  row_reader(std::istream& in, const std::string& name, table_format format, std::vector<std::string> columns,
             std::size_t may_be_null, std::size_t first_line)
      : in_(in, name, first_line), format_(format), columns_(std::move(columns)), may_be_null_(may_be_null) {
    if (in_.peek() == 0xFF || in_.peek() == 0xFE) throw encoding_error(name, 1, "expected UTF-8, found UTF-16");
    if (format != table_format::json_lines) read_header();
  }

  /// The line where the last row begins and, for messages, the row as a spreadsheet numbers it.
  std::size_t line() const noexcept { return line_; }
  std::string place() const { return format_ == table_format::json_lines ? "" : text("row ", number_, ", "); }
  /// Where it begins in the stream.
  std::uint64_t position() const noexcept { return position_; }
  std::string place(const std::string& column) const { return text(place(), "column \"", column, "\": "); }

  /// The next row's cells, in the order of the columns asked for; false at the end.
  bool next(std::vector<std::string>& cells) {
    cells.resize(columns_.size());
    return format_ == table_format::json_lines ? next_object(cells) : next_row(cells);
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const { throw parse_error(in_.name(), line_, expected); }

  void read_header() {
    line_ = 1;
    const auto first = in_.next_line();
    if (!first) refuse("expected a header with the names of the columns, found the end of the file");
    const std::string header(*first);
    const std::string separators = format_ == table_format::tsv ? "\t" : ",;";
    std::vector<std::string> names;
    for (const char separator : separators) {
      std::vector<std::string> found = header_names(header, separator);
      const auto there = [&](const std::string& column) { return std::ranges::count(found, column) > 0; };
      const bool all = std::ranges::all_of(columns_, there);
      if (all || found.size() > names.size()) {
        names = std::move(found);
        separator_ = separator;
      }
      if (all) break;
    }
    size_ = names.size();
    for (const std::string& column : columns_) {
      const auto times = std::ranges::count(names, column);
      if (times == 0) refuse(text("expected a column \"", column, "\", found the columns ", listed(names)));
      if (times > 1) refuse(text("expected one column \"", column, "\", found ", times));
      wanted_.push_back(static_cast<std::size_t>(std::ranges::find(names, column) - names.begin()));
    }
  }

  std::vector<std::string> header_names(const std::string& header, char separator) const {
    std::istringstream text(header);
    text_reader reader(text, in_.name());
    table_row row;
    if (next_csv_row(reader, separator, row) != csv_outcome::row) row.cells = {header};
    for (std::string& name : row.cells) {
      while (name.ends_with(' ')) name.pop_back();
      name.erase(0, name.find_first_not_of(' '));
    }
    return std::move(row.cells);
  }

  static std::string listed(std::span<const std::string> names) {
    constexpr std::size_t most = 20;
    std::string list;
    for (const std::string& name : names.first(std::min(most, names.size())))
      list += text(list.empty() ? "" : ", ", '"', name, '"');
    return names.size() > most ? list + ", ..." : list;
  }

  bool next_row(std::vector<std::string>& cells) {
    ++number_;
    const std::size_t begins = in_.line();
    position_ = in_.position();
    const csv_outcome outcome = next_csv_row(in_, separator_, row_);
    line_ = begins;
    if (outcome == csv_outcome::end) return false;
    if (outcome == csv_outcome::quote_not_closed)
      refuse(text(place(), "column ", row_.cells.size(),
                  ": expected a quote that ends the cell, found the end of the file"));
    if (outcome == csv_outcome::text_after_quote)
      refuse(text(place(), "column ", row_.cells.size(),
                  ": expected the end of the cell after its quote; a quote within a cell in quotes is written twice"));
    if (row_.cells.size() != size_) {
      if (row_.cells.size() == 1 && row_.cells.front().empty() && !row_.quoted && only_empty_lines_follow())
        return false;
      refuse(text(place(), "expected ", size_, " cells, as in the header, found ", row_.cells.size()));
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) cells[i] = std::move(row_.cells[wanted_[i]]);
    return true;
  }

  bool only_empty_lines_follow() {
    while (const auto line = in_.next_line())
      if (!line->empty()) return false;
    return true;
  }

  bool next_object(std::vector<std::string>& cells) {
    std::optional<std::string_view> found;
    do {
      found = in_.next_line();
      line_ = in_.last_line();
    } while (found && found->find_first_not_of(" \t") == std::string_view::npos);
    if (!found) return false;
    const json_value object = json_value::parse(*found, text(in_.name(), ':', line_));
    if (!object.is<json_value::object>()) refuse(text("expected an object, found ", object.kind()));
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const json_value* const value = object.find(columns_[i]);
      if (value == nullptr) refuse(text("expected \"", columns_[i], "\", found an object without it"));
      if (const auto* const words = value->get_if<std::string>()) {
        cells[i] = *words;
      } else if (value->is<double>()) {
        cells[i] = value->dump();
      } else if (i >= may_be_null_ && value->is_null()) {
        cells[i].clear();
      } else {
        refuse(text("\"", columns_[i], "\": expected text or a number, found ", value->kind()));
      }
    }
    return true;
  }

  text_reader in_;
  table_format format_;
  std::vector<std::string> columns_;
  std::size_t may_be_null_;
  std::vector<std::size_t> wanted_;
  char separator_ = ',';
  std::size_t size_ = 0;    // cells in the header
  std::size_t number_ = 1;  // of the last row; a header is row 1
  std::size_t line_ = 1;
  std::uint64_t position_ = 0;
  table_row row_;
};

inline void check_utf8(std::string_view cell, const std::string& name, std::size_t line, const std::string& place) {
  const std::size_t at = find_invalid_utf8(cell);
  if (at != std::string_view::npos)
    throw encoding_error(
        name, line,
        text(place, "expected UTF-8, found an invalid byte of value ",
             static_cast<unsigned>(static_cast<unsigned char>(cell[at])), ", byte ", at + 1, " of the cell"));
}

/// The date in a cell, unknown if it is empty.
inline calendar_date date_in(std::string_view cell, const std::string& name, std::size_t line,
                             const std::string& place) {
  const std::optional<calendar_date> date = cell.empty() ? calendar_date{} : parse_date(cell);
  if (!date)
    throw parse_error(name, line, text(place, "expected ", dates_that_are_read, ", found \"", shortened(cell), '"'));
  return *date;
}

/// The rows that begin in a range of the stream, whose first line is `first_line`.
inline labelled_corpus read_rows(std::istream& in, const std::string& name, table_format format,
                                 const table_columns& columns, const text_options& options, std::size_t first_line,
                                 const byte_range& range) {
  require(!columns.text.empty(), "read_table", "columns.text", "empty", "must name the columns of the text");
  std::vector<std::string> names = columns.text;
  for (const auto* const optional : {&columns.user, &columns.group, &columns.time})
    if (*optional) names.push_back(**optional);
  const std::size_t may_be_null = columns.text.size() + (columns.user ? 1 : 0);
  row_reader rows(in, name, format, std::move(names), may_be_null, first_line);
  text_collector texts(options);
  user_collector users(name);
  label_collector groups(name, "group", "one group counts as two");
  labelled_corpus found;
  std::vector<std::string> cells;
  std::string document;
  while (rows.next(cells)) {
    if (rows.position() >= range.end) break;
    if (rows.position() < range.begin) continue;
    auto beside = cells.begin() + static_cast<std::ptrdiff_t>(columns.text.size());
    if (columns.user) users.add(*beside++, rows.line(), rows.place(*columns.user));
    if (columns.group) {
      const std::string& group = *beside++;
      found.groups.of_document.push_back(group.empty() ? label_list::none
                                                       : groups.add(group, rows.line(), rows.place(*columns.group)));
    }
    if (columns.time) found.dates.push_back(date_in(*beside, name, rows.line(), rows.place(*columns.time)));
    document = cells.front();
    for (std::size_t i = 1; i < columns.text.size(); ++i) (document += '\n') += cells[i];
    try {
      texts.add(document, name, rows.line());
    } catch (const encoding_error&) {  // say in which cell
      for (std::size_t i = 0; i < columns.text.size(); ++i)
        check_utf8(cells[i], name, rows.line(), rows.place(columns.text[i]));
      throw;
    }
  }
  found.groups.labels = groups.finish();
  const user_list owners = users.finish();
  found.docs = texts.finish(columns.user ? &owners : nullptr);
  found.users = owners.labels;
  return found;
}

}  // namespace detail

DPLDA_INLINE std::optional<table_format> table_format_of(const std::filesystem::path& path) {
  const std::string ending = detail::ending_of(path);
  if (ending == ".csv") return table_format::csv;
  if (ending == ".tsv") return table_format::tsv;
  if (ending == ".jsonl" || ending == ".ndjson") return table_format::json_lines;
  return std::nullopt;
}

DPLDA_INLINE labelled_corpus read_labelled_table(std::istream& in, const std::string& name, table_format format,
                                                 const table_columns& columns, const text_options& options) {
  return detail::read_rows(in, name, format, columns, options, 1, {0, std::numeric_limits<std::uint64_t>::max()});
}

DPLDA_INLINE corpus_part read_table_part(std::istream& in, const std::string& name, table_format format,
                                         const table_columns& columns, const input_part& part,
                                         const text_options& options) {
  detail::check_part(part);
  detail::check_prunes_nothing(options);
  const std::uint64_t size = detail::size_to_cut(in, name);
  corpus_part read{.name = name, .words_are_given = options.vocab != nullptr};
  if (format == table_format::json_lines) {
    const detail::byte_range lines = detail::lines_of_part(in, name, size, part);
    read.found = detail::read_range(in, name, lines, [&](std::istream& stream, std::size_t first_line) {
      return detail::read_rows(stream, name, format, columns, options, first_line, {0, size + 1});
    });
  } else {
    detail::seek(in, name, 0);
    read.found = detail::read_rows(in, name, format, columns, options, 1, detail::even_share(size, part));
  }
  return read;
}

DPLDA_INLINE labelled_corpus read_labelled_table(const std::filesystem::path& path, const table_columns& columns,
                                                 const text_options& options) {
  const auto format = table_format_of(path);
  detail::require(format && path.extension() != ".gz", "read_table", "the file's name", path.string(),
                  "must end in .csv, .tsv, .jsonl or .ndjson; else give a stream and the format");
  auto in = open_to_read(path);
  return read_labelled_table(in, path.string(), *format, columns, options);
}

DPLDA_INLINE corpus read_table(std::istream& in, const std::string& name, table_format format,
                               const table_columns& columns, const text_options& options) {
  return read_labelled_table(in, name, format, columns, options).docs;
}

DPLDA_INLINE corpus read_table(const std::filesystem::path& path, const table_columns& columns,
                               const text_options& options) {
  return read_labelled_table(path, columns, options).docs;
}

}  // namespace dplda::inline v0_1

#endif
