// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TEXT_IPP
#define DPLDA_IO_DETAIL_TEXT_IPP

// Bodies of io/text.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_collector.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/text.hpp>

#include <fstream>
#include <optional>
#include <system_error>

namespace dplda::inline v0_1 {

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
  while (const auto line = reader.next_line()) collector.add(*line, name, reader.last_line());
  return collector.finish(users);
}

DPLDA_INLINE corpus read_text(const std::filesystem::path& path, const text_options& options, const user_list* users,
                              const text_opener& open) {
  std::error_code ignored;  // a path that cannot be inspected cannot be opened either
  if (!std::filesystem::is_directory(path, ignored)) return read_text(*open(path), path.string(), options, users);
  detail::text_collector collector(options);
  for (const auto& file : visible_files(path))
    collector.add(detail::rest_of(*open(file), file.string()), file.string(), 1);
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
