// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_LDA_C_HPP
#define DPLDA_IO_LDA_C_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/parts.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

// The LDA-C format: a line for each document, `M word:count word:count ...` with M pairs, word ids from 0, counts from
// 1 to 2^32 - 1. An empty document is the line `0`. Lines end in LF or CR LF; blank lines may only stand at the end.
// Words may come in any order; repeated ones are added up.
//
// Counts do not tell whether words were dropped because of other documents when the file was made, as is usual for
// published corpora. Private learners therefore ask for declare_unpruned(docs) (core/corpus.hpp).

namespace dplda::inline v0_1 {

/// Reads a corpus from a stream; `name` stands for the file in messages. Without a vocabulary the words are called w0,
/// w1, ... up to the largest id. Throws parse_error if the text is not as described above, if a word id is beyond the
/// vocabulary or, without one, above one million and above what a text of this size can need, or if the user list has
/// another size.
corpus read_lda_c(std::istream& in, const std::string& name, vocabulary_ptr vocab = nullptr,
                  const user_list* users = nullptr);

/// Reads a part of a corpus, from a stream that is at its beginning and can seek: the lines that begin in the
/// part's even share of the bytes. Throws as above, and std::invalid_argument if the vocabulary is null.
corpus_part read_lda_c_part(std::istream& in, const std::string& name, const input_part& part, vocabulary_ptr vocab);

/// Reads a corpus from files: counts and, if given, words and document owners (see read_users).
/// Throws parse_error as above, and if a file cannot be read.
corpus read_lda_c(const std::filesystem::path& path, const detail::optional_path& vocab = {},
                  const detail::optional_path& users = {});

/// Writes the counts of a corpus. Throws std::runtime_error if the stream fails.
void write_lda_c(std::ostream& out, const corpus& docs);

/// As above, with the file's name in the error.
void write_lda_c(const std::filesystem::path& path, const corpus& docs);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/lda_c.ipp>
#endif

#endif
