// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LDA_C_IPP
#define DPLDA_IO_DETAIL_LDA_C_IPP

// Bodies of io/lda_c.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/lda_c.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE corpus read_lda_c(std::istream& in, const std::string& name, vocabulary_ptr vocab,
                               const user_list* users) {
  detail::text_reader reader(in, name);
  detail::implied_vocabulary words(std::move(vocab));
  corpus_builder builder;
  reader.skip_blanks();
  while (reader.peek() != detail::text_reader::end_of_file && reader.peek() != '\n' && reader.peek() != '\r') {
    const std::uint64_t pairs = reader.number("the number of words of a document");
    for (std::uint64_t n = 0; n < pairs; ++n) {
      const std::uint64_t word = words.read_id(reader, 0);
      reader.expect(':');
      builder.add(static_cast<word_id>(word), static_cast<std::uint32_t>(reader.number("a count", 1, 0xFFFFFFFFu)));
    }
    detail::end_document(builder, reader);
    reader.end_of_line();
    reader.skip_blanks();
  }
  reader.skip_blank_lines();
  if (!reader.at_end()) reader.refuse("expected no document after an empty line");
  return detail::build_with_users(builder, words.get(reader), users);
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
