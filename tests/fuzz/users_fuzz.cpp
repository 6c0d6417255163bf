// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

namespace {

dplda::user_list read(const std::string& text) {
  std::istringstream in(text);
  return dplda::read_users(in, "fuzz");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  dplda::user_list users;
  try {
    users = read(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const dplda::parse_error&) {
    return 0;
  }
  dplda::user_id seen = 0;
  for (const dplda::user_id user : users.of_document) {
    must(user <= seen, "users are numbered as they first appear");
    seen += user == seen;
  }
  must(seen == users.labels->size(), "each label belongs to a user");

  // The labels after a byte order mark that the reader skips, in case the first label begins with one.
  std::string labels(dplda::detail::byte_order_mark);
  dplda::corpus_builder builder;
  for (const dplda::user_id user : users.of_document) {
    (labels += users.labels->word(user)) += '\n';
    builder.end_document();
  }
  const dplda::user_list same = read(labels);
  must(same.of_document == users.of_document && *same.labels == *users.labels, "labels read as they were");

  builder.set_users(users.of_document, users.labels->size());
  std::ostringstream out;
  dplda::write_users(out, builder.build(dplda::numbered_vocabulary(1)));
  must(read(out.str()).of_document == users.of_document, "written data read back unchanged");
  return 0;
}
