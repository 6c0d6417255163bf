// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_VOCABULARY_HPP
#define DPLDA_IO_VOCABULARY_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>

namespace dplda::inline v0_1 {

/// Reads a vocabulary: a word on each line, word id 0 first. Lines end in LF or CR LF, a byte order mark at the
/// beginning and empty lines at the end are skipped, and a word may hold blanks. `name` stands for the file in
/// messages. Throws parse_error on an empty line, a word that occurs twice, a control character, a second byte order
/// mark at the beginning, or invalid UTF-8.
vocabulary_ptr read_vocabulary(std::istream& in, const std::string& name);

/// As above; throws parse_error also if the file cannot be read.
vocabulary_ptr read_vocabulary(const std::filesystem::path& path);

/// Writes what read_vocabulary reads back, word for word.
/// Throws std::invalid_argument, before anything is written, if a word could not be read back: if it holds a control
/// character or invalid UTF-8, or if the first word begins with a byte order mark; std::runtime_error if the stream
/// fails.
void write_vocabulary(std::ostream& out, const vocabulary& words);

/// As above, with the file's name in the error.
void write_vocabulary(const std::filesystem::path& path, const vocabulary& words);

namespace detail {

/// The origin as release.json and model.json name it.
const char* name_of(word_origin origin);

/// The origin of this name. Throws std::invalid_argument if there is none.
word_origin origin_of(const std::string& name);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/vocabulary.ipp>
#endif

#endif
