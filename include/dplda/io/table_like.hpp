// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_TABLE_LIKE_HPP
#define DPLDA_IO_TABLE_LIKE_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <filesystem>
#include <string_view>

// Files whose lines are not documents: tables (CSV, TSV) and JSON. A cell may hold line feeds, so a line may be a part of
// a document, and the first line may be a header. Read as text, they are refused: a guarantee for each line would look
// like one for each document.

namespace dplda::inline v0_1 {

/// Whether the name ends in .csv, .tsv, .json, .jsonl or .ndjson, with or without .gz.
bool named_as_table(const std::filesystem::path& path);

/// This many bytes of a file are enough to tell what it looks like.
inline constexpr std::size_t bytes_that_tell = 65536;

/// What a file looks like, judged by its beginning: "JSON" or "a table with columns"; nullptr if it may hold a document
/// on each line. It is JSON if the first line starts an object or an array. It is a table if its first
/// rows, 200 at most, have equally many cells, and if at least one of these holds: a quoted cell holds a line feed; there
/// are two cells or more, and they are divided by tabs, or all rows but the first have a quoted cell; there are three
/// cells or more, and the first row looks like a header.
const char* looks_like_table_or_json(std::string_view beginning);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/table_like.ipp>
#endif

#endif
