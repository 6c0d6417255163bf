// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_CSV_READER_HPP
#define DPLDA_IO_DETAIL_CSV_READER_HPP

#include <dplda/io/detail/text_reader.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dplda::inline v0_1::detail {

struct table_row {
  std::vector<std::string> cells = {};
  bool quoted = false;         ///< one of its cells is quoted
  bool several_lines = false;  ///< a quoted cell holds a line feed
};

enum class csv_outcome { row, end, quote_not_closed, text_after_quote };

/// Reads the next row of a table (RFC 4180). A quote within a cell that does not begin with one is text. Line ends in
/// cells become LF.
inline csv_outcome next_csv_row(text_reader& in, char separator, table_row& row) {
  row = {};
  std::optional<std::string_view> line = in.next_line();
  if (!line) return csv_outcome::end;
  for (std::string_view rest = *line;;) {
    std::string& cell = row.cells.emplace_back();
    if (!rest.starts_with('"')) {
      const std::size_t size = rest.find(separator);
      cell = rest.substr(0, size);
      if (size == std::string_view::npos) return csv_outcome::row;
      rest.remove_prefix(size + 1);
      continue;
    }
    row.quoted = true;
    rest.remove_prefix(1);
    for (;;) {
      const std::size_t quote = rest.find('"');
      cell.append(rest.substr(0, quote));
      if (quote == std::string_view::npos) {
        line = in.next_line();
        if (!line) return csv_outcome::quote_not_closed;
        rest = *line;
        cell += '\n';
        row.several_lines = true;
        continue;
      }
      rest.remove_prefix(quote + 1);
      if (!rest.starts_with('"')) break;
      cell += '"';
      rest.remove_prefix(1);
    }
    if (rest.empty()) return csv_outcome::row;
    if (rest.front() != separator) return csv_outcome::text_after_quote;
    rest.remove_prefix(1);
  }
}

}  // namespace dplda::inline v0_1::detail

#endif
