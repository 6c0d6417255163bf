// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TEXT_IPP
#define DPLDA_IO_DETAIL_TEXT_IPP

// Bodies of io/text.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_collector.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/table_like.hpp>
#include <dplda/io/text.hpp>

#include <fstream>
#include <optional>
#include <system_error>

namespace dplda::inline v0_1 {

namespace detail {

[[noreturn]] inline void refuse_table_as_text(const std::string& name, const std::string& what) {
  throw parse_error(name, 0,
                    what +
                        ", so that a line of it need not be a document: read it by read_table, or set "
                        "text_options.any_lines if every line, or every file of a folder, is a document all the same");
}

}  // namespace detail

DPLDA_INLINE corpus corpus_from_texts(std::span<const std::string> texts, const text_options& options,
                                      const user_list* users) {
  detail::text_collector collector(options);
  for (std::size_t d = 0; d < texts.size(); ++d) collector.add(texts[d], detail::text("document ", d), 1);
  return collector.finish(users);
}

DPLDA_INLINE corpus corpus_from_tokens(std::span<const std::vector<std::string>> documents, const text_options& options,
                                       const user_list* users) {
  detail::text_collector collector(options);
  for (const std::vector<std::string>& tokens : documents) collector.add(std::span<const std::string>(tokens));
  return collector.finish(users);
}

DPLDA_INLINE corpus read_text(std::istream& in, const std::string& name, const text_options& options,
                              const user_list* users) {
  detail::text_collector collector(options);
  detail::text_reader reader(in, name);
  if (!options.any_lines) {
    if (const char* const other = looks_like_table_or_json(reader.ahead().substr(0, bytes_that_tell)))
      detail::refuse_table_as_text(name, std::string("looks like ") + other);
  }
  while (const auto line = reader.next_line()) collector.add(*line, name, reader.last_line());
  return collector.finish(users);
}

DPLDA_INLINE corpus read_text(const std::filesystem::path& path, const text_options& options, const user_list* users,
                              const text_opener& open) {
  const auto opened = [&](const std::filesystem::path& file) {
    if (!options.any_lines && named_as_table(file)) detail::refuse_table_as_text(file.string(), "is a table or JSON");
    return open(file);
  };
  std::error_code ignored;  // a path that cannot be inspected cannot be opened either
  if (!std::filesystem::is_directory(path, ignored)) return read_text(*opened(path), path.string(), options, users);
  detail::text_collector collector(options);
  for (const auto& file : visible_files(path))
    collector.add(detail::rest_of(*opened(file), file.string()), file.string(), 1);
  return collector.finish(users);
}

DPLDA_INLINE corpus read_text(const std::filesystem::path& path, const text_options& options,
                              const detail::optional_path& users) {
  std::optional<user_list> owners;
  if (users) owners = read_users(*users);
  return read_text(path, options, owners ? &*owners : nullptr, [](const std::filesystem::path& file) {
    return std::make_unique<std::ifstream>(open_to_read(file));
  });
}

}  // namespace dplda::inline v0_1

#endif
