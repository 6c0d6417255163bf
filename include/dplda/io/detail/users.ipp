// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_USERS_IPP
#define DPLDA_IO_DETAIL_USERS_IPP

// Bodies of io/users.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/detail/text_writer.hpp>
#include <dplda/io/detail/user_collector.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dplda::inline v0_1 {

DPLDA_INLINE user_list read_users(std::istream& in, const std::string& name) {
  detail::text_reader reader(in, name);
  detail::user_collector users(name);
  detail::for_each_item(reader, "a user", [&](std::string_view label) { users.add(label, reader.last_line()); });
  return users.finish();
}

DPLDA_INLINE user_list read_users(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return read_users(in, path.string());
}

DPLDA_INLINE void write_users(std::ostream& out, const corpus& docs) {
  detail::require(docs.has_users() || docs.empty(), "write_users", "corpus", "without users", "must have users");
  detail::text_writer text(out);
  for (std::size_t d = 0; d < docs.size(); ++d) text << std::uint64_t{docs.user(d)} << '\n';
  text.finish();
}

DPLDA_INLINE void write_users(const std::filesystem::path& path, const corpus& docs) {
  write_file(path, [&](std::ostream& out) { write_users(out, docs); });
}

}  // namespace dplda::inline v0_1

#endif
