// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_TABLES_HPP
#define DPLDA_EXAMPLES_DPLDA_TABLES_HPP

// Files whose lines are not documents: tables (CSV, TSV) and JSON. A cell may hold line feeds, so a line may be a part of
// a document, and the first line may be a header. They are refused, since a guarantee for each line would look like one
// for each document.

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace dplda_program {

/// Whether the name ends in .csv, .tsv, .json, .jsonl or .ndjson, with .gz behind it or not.
bool named_as_table(const std::filesystem::path& path);

/// So many bytes of a file tell what it looks like.
inline constexpr std::size_t bytes_that_tell = 65536;

/// What the beginning of a file with a document on each line looks like, if that is something else: "JSON" or "a table
/// with columns"; else nullptr. It is JSON if the first line starts an object or an array. It is a table if its first
/// rows, 20 at most, have equally many cells, and if at least one of these holds: cells are divided by tabs; a quoted cell
/// holds a line feed; all rows but the first have a quoted cell; there are three cells or more, and the first row looks
/// like a header.
const char* looks_like(std::string_view beginning);

}  // namespace dplda_program

#endif
