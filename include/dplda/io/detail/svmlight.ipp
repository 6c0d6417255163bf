// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_SVMLIGHT_IPP
#define DPLDA_IO_DETAIL_SVMLIGHT_IPP

// Bodies of io/svmlight.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/byte_range.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/svmlight.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

inline void check_svmlight_options(const svmlight_options& options) {
  require(options.first_index <= 1, "svmlight_options", "first_index", options.first_index, "must be 0 or 1");
}

/// Skips a label, which ends at a blank, a comment or the line's end.
inline void skip_svmlight_label(text_reader& reader) {
  for (int c = reader.peek(); c > ' ' && c != '#'; c = reader.peek()) {
    if (c == ':') reader.refuse("expected a label in front of the first index, found ':'");
    reader.skip();
  }
}

inline void skip_to_line_end(text_reader& reader) {
  for (int c = reader.peek(); c != text_reader::end_of_file && c != '\n'; c = reader.peek()) reader.skip();
}

/// Reads all documents.
inline void read_svmlight_lines(text_reader& reader, implied_vocabulary& words, corpus_builder& builder,
                                const svmlight_options& options) {
  for (reader.skip_blank_lines(); !reader.at_end(); reader.skip_blank_lines()) {
    const bool comment_only = reader.peek() == '#';
    skip_svmlight_label(reader);
    reader.skip_blanks();
    if (reader.peek() == 'q') {
      for (const char c : std::string_view("qid:")) reader.expect(c);
      reader.number("a query number");
      reader.skip_blanks();
    }
    while (reader.peek() >= '0' && reader.peek() <= '9') {
      const std::uint64_t word = words.read_id(reader, options.first_index,
                                               " (svmlight_options{.first_index = 0} is for files that count from 0)");
      reader.expect(':');
      builder.add(static_cast<word_id>(word), static_cast<std::uint32_t>(reader.number("a count", 0, 0xFFFFFFFFu)));
      reader.skip_blanks();
    }
    if (!comment_only) end_document(builder, reader);
    if (reader.peek() == '#') skip_to_line_end(reader);
    reader.end_of_line();
  }
}

}  // namespace detail

DPLDA_INLINE corpus read_svmlight(std::istream& in, const std::string& name, vocabulary_ptr vocab,
                                  const user_list* users, const svmlight_options& options) {
  detail::check_svmlight_options(options);
  detail::text_reader reader(in, name);
  detail::implied_vocabulary words(std::move(vocab));
  corpus_builder builder;
  detail::read_svmlight_lines(reader, words, builder, options);
  return detail::build_with_users(builder, words.get(reader), users);
}

DPLDA_INLINE corpus_part read_svmlight_part(std::istream& in, const std::string& name, const input_part& part,
                                            vocabulary_ptr vocab, const svmlight_options& options) {
  detail::check_svmlight_options(options);
  detail::check_part(part);
  detail::require(vocab != nullptr, "read_svmlight_part", "vocab", "null", "must be given");
  const detail::byte_range range = detail::lines_of_part(in, name, detail::size_to_cut(in, name), part);
  corpus_part read{.name = name, .words_are_given = true};
  read.found.docs = detail::read_range(in, name, range, [&](std::istream& lines, std::size_t first_line) {
    detail::text_reader reader(lines, name, first_line);
    detail::implied_vocabulary words(vocab);
    corpus_builder builder;
    detail::read_svmlight_lines(reader, words, builder, options);
    return builder.build(vocab);
  });
  return read;
}

DPLDA_INLINE corpus read_svmlight(const std::filesystem::path& path, const detail::optional_path& vocab,
                                  const detail::optional_path& users, const svmlight_options& options) {
  return detail::read_with_companions(
      path, vocab, users,
      [&](std::istream& in, const std::string& name, vocabulary_ptr words, const user_list* owners) {
        return read_svmlight(in, name, std::move(words), owners, options);
      });
}

DPLDA_INLINE void write_svmlight(std::ostream& out, const corpus& docs, const svmlight_options& options) {
  detail::check_svmlight_options(options);
  detail::text_writer text(out);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    text << '0';
    for (std::size_t n = 0; n < doc.size(); ++n) {
      text << ' ' << std::uint64_t{doc.words[n]} + options.first_index << ':' << std::uint64_t{doc.counts[n]};
    }
    text << '\n';
  }
  text.finish();
}

DPLDA_INLINE void write_svmlight(const std::filesystem::path& path, const corpus& docs,
                                 const svmlight_options& options) {
  detail::check_svmlight_options(options);
  write_file(path, [&](std::ostream& out) { write_svmlight(out, docs, options); });
}

}  // namespace dplda::inline v0_1

#endif
