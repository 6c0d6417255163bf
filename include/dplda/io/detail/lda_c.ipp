// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LDA_C_IPP
#define DPLDA_IO_DETAIL_LDA_C_IPP

// Bodies of io/lda_c.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/byte_range.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/lda_c.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

/// Reads documents up to an empty line.
inline void read_lda_c_lines(text_reader& reader, implied_vocabulary& words, corpus_builder& builder) {
  reader.skip_blanks();
  while (reader.peek() != text_reader::end_of_file && reader.peek() != '\n' && reader.peek() != '\r') {
    const std::uint64_t pairs = reader.number("the number of words of a document");
    for (std::uint64_t n = 0; n < pairs; ++n) {
      const std::uint64_t word = words.read_id(reader, 0);
      reader.expect(':');
      builder.add(static_cast<word_id>(word), static_cast<std::uint32_t>(reader.number("a count", 1, 0xFFFFFFFFu)));
    }
    end_document(builder, reader);
    reader.end_of_line();
    reader.skip_blanks();
  }
}

inline void expect_no_more_documents(text_reader& reader) {
  reader.skip_blank_lines();
  if (!reader.at_end()) reader.refuse("expected no document after an empty line");
}

}  // namespace detail

DPLDA_INLINE corpus read_lda_c(std::istream& in, const std::string& name, vocabulary_ptr vocab,
                               const user_list* users) {
  detail::text_reader reader(in, name);
  detail::implied_vocabulary words(std::move(vocab));
  corpus_builder builder;
  detail::read_lda_c_lines(reader, words, builder);
  detail::expect_no_more_documents(reader);
  return detail::build_with_users(builder, words.get(reader), users);
}

DPLDA_INLINE corpus_part read_lda_c_part(std::istream& in, const std::string& name, const input_part& part,
                                         vocabulary_ptr vocab) {
  detail::check_part(part);
  detail::require(vocab != nullptr, "read_lda_c_part", "vocab", "null", "must be given");
  const std::uint64_t size = detail::size_to_cut(in, name);
  const detail::byte_range range = detail::lines_of_part(in, name, size, part);
  corpus_part read{.name = name, .words_are_given = true};
  bool ended = false;  // by an empty line, after which no other part may have a document either
  read.found.docs = detail::read_range(in, name, range, [&](std::istream& lines, std::size_t first_line) {
    detail::text_reader reader(lines, name, first_line);
    detail::implied_vocabulary words(vocab);
    corpus_builder builder;
    detail::read_lda_c_lines(reader, words, builder);
    ended = !reader.at_end();
    detail::expect_no_more_documents(reader);
    return builder.build(vocab);
  });
  if (ended) {
    detail::read_range(in, name, {range.end, size}, [&](std::istream& rest, std::size_t first_line) {
      detail::text_reader reader(rest, name, first_line);
      detail::expect_no_more_documents(reader);
      return true;
    });
  }
  return read;
}

DPLDA_INLINE corpus read_lda_c(const std::filesystem::path& path, const detail::optional_path& vocab,
                               const detail::optional_path& users) {
  return detail::read_with_companions(
      path, vocab, users, [](std::istream& in, const std::string& name, vocabulary_ptr words, const user_list* owners) {
        return read_lda_c(in, name, std::move(words), owners);
      });
}

DPLDA_INLINE void write_lda_c(std::ostream& out, const corpus& docs) {
  detail::text_writer text(out);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    text << std::uint64_t{doc.size()};
    for (std::size_t n = 0; n < doc.size(); ++n) {
      text << ' ' << std::uint64_t{doc.words[n]} << ':' << std::uint64_t{doc.counts[n]};
    }
    text << '\n';
  }
  text.finish();
}

DPLDA_INLINE void write_lda_c(const std::filesystem::path& path, const corpus& docs) {
  write_file(path, [&](std::ostream& out) { write_lda_c(out, docs); });
}

}  // namespace dplda::inline v0_1

#endif
