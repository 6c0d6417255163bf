// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_VOCABULARY_HPP
#define DPLDA_IO_VOCABULARY_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

namespace dplda::inline v0_1 {

/// Reads a vocabulary: a word on each line, word id 0 first. Lines end in LF or CR LF, a byte order mark at the
/// beginning and empty lines at the end are skipped, and a word may hold blanks. `name` stands for the file in
/// messages. Throws parse_error on an empty line, a word that occurs twice, a control character, a second byte order
/// mark at the beginning, or invalid UTF-8.
inline vocabulary_ptr read_vocabulary(std::istream& in, const std::string& name) {
  detail::text_reader reader(in, name);
  vocabulary_builder builder;
  detail::for_each_item(reader, "a word", [&](std::string_view word) {
    const std::size_t before = builder.size();
    if (before == 0 && word.starts_with(detail::byte_order_mark)) {
      throw parse_error(name, reader.last_line(), "expected a word, found a second byte order mark");
    }
    const word_id id = builder.add(word);
    if (builder.size() == before) {
      throw parse_error(name, reader.last_line(),
                        detail::text("expected a new word, found \"", word, "\" as on line ", std::size_t{id} + 1));
    }
  });
  return builder.build();
}

/// As above; throws parse_error also if the file cannot be read.
inline vocabulary_ptr read_vocabulary(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_vocabulary(in, path.string());
}

/// Writes what read_vocabulary reads back, word for word.
/// Throws std::invalid_argument, before anything is written, if a word could not be read back: if it holds a control
/// character or invalid UTF-8, or if the first word begins with a byte order mark; std::runtime_error if the stream
/// fails.
inline void write_vocabulary(std::ostream& out, const vocabulary& words) {
  for (word_id id = 0; id < words.size(); ++id) {
    const std::string_view word = words.word(id);
    bool survives = detail::find_invalid_utf8(word) == std::string_view::npos &&
                    !(id == 0 && word.starts_with(detail::byte_order_mark));
    for (const char c : word) survives = survives && static_cast<unsigned char>(c) >= 0x20 && c != 0x7F;
    detail::require(survives, "write_vocabulary", detail::text("word ", id), detail::text("\"", word, "\""),
                    "must be UTF-8 without control characters or a byte order mark");
  }
  detail::text_writer text(out);
  for (word_id id = 0; id < words.size(); ++id) text << words.word(id) << '\n';
  text.finish();
}

/// As above, with the file's name in the error.
inline void write_vocabulary(const std::filesystem::path& path, const vocabulary& words) {
  write_file(path, [&](std::ostream& out) { write_vocabulary(out, words); });
}

}  // namespace dplda::inline v0_1

#endif
