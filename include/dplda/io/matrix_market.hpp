// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_MATRIX_MARKET_HPP
#define DPLDA_IO_MATRIX_MARKET_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/users.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

// Counts in the Matrix Market exchange format: rows are documents, columns are words. The first line is
// "%%MatrixMarket matrix coordinate integer general", or with "real" in place of "integer" if all values are whole
// numbers all the same, as scipy.io.mmwrite and gensim write them. Lines that begin with % are comments. Then come the
// numbers of rows, columns and entries, on one line, and a line for each entry: row and column, counted from 1, and a
// value from 0 to 2^32 - 1.
//
// Lines end in LF or CR LF; blank lines may follow the last entry. Entries may come in any order; repeated ones are added
// up. Rows without an entry are empty documents. Dense arrays, patterns, complex values and symmetric matrices are
// refused.
//
// Counts do not tell whether words were dropped because of other documents when the file was made, as is usual for
// published corpora. Private learners therefore ask for declare_unpruned(docs) (core/corpus.hpp).

namespace dplda::inline v0_1 {

/// Reads a corpus from a stream; `name` stands for the file in messages. Without a vocabulary the words are called w0,
/// w1, ... Throws parse_error as read_uci does, and if the matrix is of another kind or a value is not a whole number.
/// The corpus is kept where `storage` says.
corpus read_matrix_market(std::istream& in, const std::string& name, vocabulary_ptr vocab = nullptr,
                          const user_list* users = nullptr, const corpus_storage& storage = {});

/// Reads a part of a corpus, as read_uci_part does: rows must be in their order, as scipy.io.mmwrite and gensim write them.
corpus_part read_matrix_market_part(std::istream& in, const std::string& name, const input_part& part,
                                    vocabulary_ptr vocab = nullptr, const corpus_storage& storage = {});

/// Reads a corpus from files: counts and, if given, words and document owners (see read_users).
/// Throws parse_error as above, and if a file cannot be read.
corpus read_matrix_market(const std::filesystem::path& path, const detail::optional_path& vocab = {},
                          const detail::optional_path& users = {});

/// Writes the counts of a corpus. Throws std::runtime_error if the stream fails.
void write_matrix_market(std::ostream& out, const corpus& docs);

/// As above, with the file's name in the error.
void write_matrix_market(const std::filesystem::path& path, const corpus& docs);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/matrix_market.ipp>
#endif

#endif
