// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_SVMLIGHT_HPP
#define DPLDA_IO_SVMLIGHT_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/parts.hpp>

#include <cstdint>
#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

// The SVMlight (libsvm) format with whole counts: a line for each document, `label index:count index:count ... #
// comment`. Indices count from 1, or from 0 where the options say so; counts lie below 2^32, and a count of 0 is
// ignored. The label, and a `qid:number` after it, are skipped. An empty document is a label alone; blank lines and
// comment lines are not documents. Lines end in LF or CR LF. Indices may come in any order; repeated ones are added
// up.
//
// Counts do not tell whether words were dropped because of other documents when the file was made, as is usual for
// published corpora. Private learners therefore ask for declare_unpruned(docs) (core/corpus.hpp).

namespace dplda::inline v0_1 {

/// How indices map to words. A file that counts from 0 and has no index 0 looks like one that counts from 1, so the
/// user has to say which it is.
struct svmlight_options {
  std::uint32_t first_index = 1;  ///< the index of word 0: 1, or 0 as scikit-learn's dump_svmlight_file has it
};

/// Reads a corpus from a stream; `name` stands for the file in messages. Without a vocabulary the words are called w0,
/// w1, ... up to the largest index. Throws parse_error if the text is not as described above, if an index is beyond the
/// vocabulary or, without one, above one million and above what a text of this size can need, or if the user list has
/// another size; std::invalid_argument on wrong options.
corpus read_svmlight(std::istream& in, const std::string& name, vocabulary_ptr vocab = nullptr,
                     const user_list* users = nullptr, const svmlight_options& options = {});

/// Reads a part of a corpus, from a stream that is at its beginning and can seek: the lines that begin in the
/// part's even share of the bytes. Throws as above, and std::invalid_argument if the vocabulary is null.
corpus_part read_svmlight_part(std::istream& in, const std::string& name, const input_part& part, vocabulary_ptr vocab,
                               const svmlight_options& options = {});

/// Reads a corpus from files: counts and, if given, words and document owners (see read_users).
/// Throws as above, and parse_error if a file cannot be read.
corpus read_svmlight(const std::filesystem::path& path, const detail::optional_path& vocab = {},
                     const detail::optional_path& users = {}, const svmlight_options& options = {});

/// Writes the counts of a corpus, with the label 0.
/// Throws std::runtime_error if the stream fails, and std::invalid_argument on wrong options.
void write_svmlight(std::ostream& out, const corpus& docs, const svmlight_options& options = {});

/// As above, with the file's name in the error. Wrong options are refused before a file is made.
void write_svmlight(const std::filesystem::path& path, const corpus& docs, const svmlight_options& options = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/svmlight.ipp>
#endif

#endif
