// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_VOCABULARY_IPP
#define DPLDA_IO_DETAIL_VOCABULARY_IPP

// Bodies of io/vocabulary.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/vocabulary.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE vocabulary_ptr read_vocabulary(std::istream& in, const std::string& name) {
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

DPLDA_INLINE vocabulary_ptr read_vocabulary(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_vocabulary(in, path.string());
}

DPLDA_INLINE void write_vocabulary(std::ostream& out, const vocabulary& words) {
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

DPLDA_INLINE void write_vocabulary(const std::filesystem::path& path, const vocabulary& words) {
  write_file(path, [&](std::ostream& out) { write_vocabulary(out, words); });
}

namespace detail {

inline constexpr std::pair<word_origin, const char*> named_origins[] = {
    {word_origin::documents, "documents"}, {word_origin::public_list, "public"}, {word_origin::released, "released"}};

DPLDA_INLINE const char* name_of(word_origin origin) {
  return std::ranges::find(named_origins, origin, &std::pair<word_origin, const char*>::first)->second;
}

DPLDA_INLINE word_origin origin_of(const std::string& name) {
  for (const auto& [origin, known] : named_origins) {
    if (name == known) return origin;
  }
  throw std::invalid_argument("another origin of words");
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
