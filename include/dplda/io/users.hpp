// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_USERS_HPP
#define DPLDA_IO_USERS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/files.hpp>

#include <filesystem>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>
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
inline user_list read_users(std::istream& in, const std::string& name) {
  detail::text_reader reader(in, name);
  vocabulary_builder labels;
  user_list users;
  users.name = name;
  detail::for_each_item(reader, "a user", [&](std::string_view label) {
    if (label.front() == ' ' || label.back() == ' ')
      throw parse_error(name, reader.last_line(),
                        detail::text("expected a user without blanks at the ends, found \"", label,
                                     "\"; remove the blanks, or one person counts as two"));
    users.of_document.push_back(labels.add(label));
  });
  users.labels = labels.build();
  return users;
}

/// As above; throws parse_error also if the file cannot be read.
inline user_list read_users(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_users(in, path.string());
}

/// Writes the user numbers of a corpus, one per line. Reading them numbers the users again in order of appearance; the
/// numbers of a corpus that was read whole stay the same. Throws std::invalid_argument if its documents have no
/// owners, and std::runtime_error if the stream fails.
inline void write_users(std::ostream& out, const corpus& docs) {
  detail::require(docs.has_users() || docs.empty(), "write_users", "corpus", "without users", "must have users");
  detail::text_writer text(out);
  for (std::size_t d = 0; d < docs.size(); ++d) text << std::uint64_t{docs.user(d)} << '\n';
  text.finish();
}

/// As above, with the file's name in the error.
inline void write_users(const std::filesystem::path& path, const corpus& docs) {
  write_file(path, [&](std::ostream& out) { write_users(out, docs); });
}

}  // namespace dplda::inline v0_1

#endif
