// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_LDA_C_HPP
#define DPLDA_IO_LDA_C_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <utility>

// The LDA-C format: a line for each document, `M word:count word:count ...` with M pairs, word ids from 0, counts from
// 1 to 2^32 - 1. An empty document is the line `0`. Lines end in LF or CR LF; blank lines may only stand at the end.
// Words may come in any order; repeated ones are added up.
//
// Counts do not tell whether words in few or many documents were dropped when the file was made, as is usual for
// published corpora. Private learners therefore ask for declare_unpruned(docs) (core/corpus.hpp).

namespace dplda::inline v0_1 {

/// Reads a corpus from a stream; `name` stands for the file in messages. Without a vocabulary the words are called w0,
/// w1, ... up to the largest id. Throws parse_error if the text is not as described above, if a word id is beyond the
/// vocabulary or, without one, above one million and above what a text of this size can need, or if the user list has
/// another size.
inline corpus read_lda_c(std::istream& in, const std::string& name, vocabulary_ptr vocab = nullptr,
                         const user_list* users = nullptr) {
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

/// Reads a corpus from files: counts and, if given, words and document owners (see read_users).
/// Throws parse_error as above, and if a file cannot be read.
inline corpus read_lda_c(const std::filesystem::path& path, const detail::optional_path& vocab = {},
                         const detail::optional_path& users = {}) {
  return detail::read_with_companions(
      path, vocab, users, [](std::istream& in, const std::string& name, vocabulary_ptr words, const user_list* owners) {
        return read_lda_c(in, name, std::move(words), owners);
      });
}

/// Writes the counts of a corpus. Throws std::runtime_error if the stream fails.
inline void write_lda_c(std::ostream& out, const corpus& docs) {
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

/// As above, with the file's name in the error.
inline void write_lda_c(const std::filesystem::path& path, const corpus& docs) {
  write_file(path, [&](std::ostream& out) { write_lda_c(out, docs); });
}

}  // namespace dplda::inline v0_1

#endif
