// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_UCI_HPP
#define DPLDA_IO_UCI_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/users.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

// The UCI bag-of-words format. Three lines hold the numbers of documents D, words V and entries N; then N lines follow,
// each with a document number from 1 to D, a word number from 1 to V, and a count from 1 to 2^32 - 1. A second file
// lists the words.
//
// Lines end in LF or CR LF; blank lines may follow the last entry. Documents that have no entry are empty. Repeated
// (document, word) pairs are added up. Entries grouped by ascending document are read straight into the corpus; any
// other order is accepted too, and needs three times the memory while it is read.
//
// Counts do not tell whether words were dropped because of other documents when the file was made, as is usual for
// published corpora. Private learners therefore ask for declare_unpruned(docs) (core/corpus.hpp).

namespace dplda::inline v0_1 {

/// Reads a corpus from a stream; `name` stands for the file in messages. Without a vocabulary the words are called w0,
/// w1, ... Throws parse_error if the text is not as described above, if it ends early or late, if the vocabulary or the
/// user list has another size, or if D or V is above one million and above what a text of this size can need. (For a
/// pipe, whose size is not known, the bytes read so far count as its size.) The corpus is kept where `storage` says.
corpus read_uci(std::istream& in, const std::string& name, vocabulary_ptr vocab = nullptr,
                const user_list* users = nullptr, const corpus_storage& storage = {});

/// Reads a part of a corpus, from a stream that is at its beginning and can seek: the documents of the lines in
/// the part's even share of the bytes. Entries must be in the order of documents; others are refused by one part at least, with
/// a parse_error that says so. Throws as above; in_whole checks the number of entries.
corpus_part read_uci_part(std::istream& in, const std::string& name, const input_part& part,
                          vocabulary_ptr vocab = nullptr, const corpus_storage& storage = {});

/// Reads a corpus from files: counts and, if given, words and document owners (see read_users).
/// Throws parse_error as above, and if a file cannot be read.
corpus read_uci(const std::filesystem::path& docword, const detail::optional_path& vocab = {},
                const detail::optional_path& users = {});

/// Writes the counts of a corpus. Throws std::runtime_error if the stream fails.
void write_uci(std::ostream& out, const corpus& docs);

/// Writes a corpus to files: counts and, on request, words and document owners.
/// Throws std::runtime_error if a file cannot be written, and std::invalid_argument as write_vocabulary and write_users
/// do.
void write_uci(const std::filesystem::path& docword, const corpus& docs, const detail::optional_path& vocab = {},
               const detail::optional_path& users = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/uci.ipp>
#endif

#endif
