// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_TABLES_HPP
#define DPLDA_IO_TABLES_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/io/labels.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/text.hpp>

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <vector>

// Documents in the rows of a table (CSV, TSV) or in lines of JSON.

namespace dplda::inline v0_1 {

enum class table_format {
  csv,        ///< cells divided by commas or by semicolons, in quotes where they need them (RFC 4180)
  tsv,        ///< the same, divided by tabs
  json_lines  ///< a JSON object on each line
};

/// The format that a name says: .csv, .tsv, or .jsonl and .ndjson, with or without .gz; nothing for others.
std::optional<table_format> table_format_of(const std::filesystem::path& path);

/// Which columns to read, by their names in the header; in JSON, by the names of members.
struct table_columns {
  std::vector<std::string> text;          ///< the text of a document: one column, or several (subject and body)
  std::optional<std::string> user = {};   ///< who wrote it; without it, owners are unknown
  std::optional<std::string> group = {};  ///< its group, such as a department
  std::optional<std::string> time = {};   ///< its date, as parse_date reads it
};

/// Reads a table whose rows are documents. The text of several columns is joined by line feeds; an empty text is an empty
/// document. Tables: the first line is the header; cells in quotes may hold separators, line feeds and doubled quotes;
/// lines end in LF or CR LF; a byte order mark is skipped, and so are empty lines at the end if there are two columns or
/// more. The cells of a CSV are divided by the character, comma or semicolon, by which the header has the columns. JSON:
/// texts and numbers are read; empty lines are skipped.
/// Throws std::invalid_argument if no column is named for the text, or on wrong options, and parse_error, with the line,
/// the row as a spreadsheet numbers it, and the column: if a column is missing or occurs twice; if a row has more or
/// fewer cells than the header; on a quote that is not closed, or is followed by something else than a separator; if a
/// user is missing or is what read_users refuses; on a group that has a blank at an end, a control character or invalid
/// UTF-8; on a date that parse_date does not read; on JSON that is no object, lacks a column, or has something else in
/// it; on text in UTF-16; and on invalid UTF-8, as read_text does. Nothing is returned then, not even the rows before.
/// An empty cell is no group and an unknown date; null in JSON is an empty cell there.
labelled_corpus read_labelled_table(std::istream& in, const std::string& name, table_format format,
                                    const table_columns& columns, const text_options& options = {});

/// As above, for a file whose name says the format. Throws std::invalid_argument if it does not, or if it ends in .gz.
labelled_corpus read_labelled_table(const std::filesystem::path& path, const table_columns& columns,
                                    const text_options& options = {});

/// Reads a part of a table, from a stream that is at its beginning and can seek: of lines of JSON those that begin in the
/// part's even share of the bytes; of the rows of a table likewise. Because a line feed may stand in a cell, the
/// rows before are looked at, too, though they are not cut into words: JSON is quicker to read in parts. Throws as
/// read_labelled_table and read_text_part do.
corpus_part read_table_part(std::istream& in, const std::string& name, table_format format,
                            const table_columns& columns, const input_part& part, const text_options& options = {});

/// The documents alone. Throws as read_labelled_table does.
corpus read_table(std::istream& in, const std::string& name, table_format format, const table_columns& columns,
                  const text_options& options = {});

/// The same for a file, whose name says the format. Throws std::invalid_argument if it does not, or if it ends in .gz.
corpus read_table(const std::filesystem::path& path, const table_columns& columns, const text_options& options = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/tables.ipp>
#endif

#endif
