// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_USERS_HPP
#define DPLDA_IO_USERS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>

#include <filesystem>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// The owner of each document, in the documents' order. Labels are numbered as they first appear.
struct user_list {
  std::vector<user_id> of_document;
  vocabulary_ptr labels = std::make_shared<const vocabulary>();  ///< the label of user u is labels->word(u)
  std::string name = "users";                                    ///< stands for the list in messages
};

/// Reads a user file: the label of the owner of document d on line d + 1, a number or any other text. Lines end in LF
/// or CR LF; a byte order mark at the beginning and empty lines at the end are skipped. Throws parse_error on an empty
/// line, a control character, a blank at the beginning or the end of a line, or invalid UTF-8: "Ann" and "Ann " would be
/// two users, each with only a part of Ann's documents.
user_list read_users(std::istream& in, const std::string& name);

/// As above; throws parse_error also if the file cannot be read.
user_list read_users(const std::filesystem::path& path);

/// Writes the user numbers of a corpus, one per line. Reading them numbers the users again in order of appearance; the
/// numbers of a corpus that was read whole stay the same. Throws std::invalid_argument if its documents have no
/// owners, and std::runtime_error if the stream fails.
void write_users(std::ostream& out, const corpus& docs);

/// As above, with the file's name in the error.
void write_users(const std::filesystem::path& path, const corpus& docs);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/users.ipp>
#endif

#endif
