// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TEXT_IPP
#define DPLDA_IO_DETAIL_TEXT_IPP

// Bodies of io/text.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/byte_range.hpp>
#include <dplda/io/detail/text_collector.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/table_like.hpp>
#include <dplda/io/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

[[noreturn]] inline void refuse_table_as_text(const std::string& name, const std::string& what) {
  throw parse_error(name, 0,
                    what +
                        ", so that a line of it need not be a document: read it by read_table, or set "
                        "text_options.any_lines if every line, or every file of a folder, is a document all the same");
}

/// Opens a file of texts, or refuses its name.
inline std::unique_ptr<std::istream> open_named(const text_opener& open, const std::filesystem::path& file,
                                                const text_options& options) {
  if (!options.any_lines && named_as_table(file)) refuse_table_as_text(file.string(), "is a table or JSON");
  return open(file);
}

inline std::unique_ptr<std::istream> open_plain(const std::filesystem::path& file) {
  return std::make_unique<std::ifstream>(open_to_read(file));
}

/// The lines of a stream, of which the first is `first_line`.
inline corpus read_lines(std::istream& in, const std::string& name, const text_options& options, const user_list* users,
                         std::size_t first_line) {
  text_collector collector(options);
  text_reader reader(in, name, first_line);
  if (!options.any_lines && first_line == 1) {
    if (const char* const other = looks_like_table_or_json(reader.ahead().substr(0, bytes_that_tell)))
      refuse_table_as_text(name, std::string("looks like ") + other);
  }
  while (const auto line = reader.next_line()) collector.add(*line, name, reader.last_line());
  return collector.finish(users);
}

inline corpus read_files(std::span<const std::filesystem::path> files, const text_options& options,
                         const user_list* users, const text_opener& open) {
  text_collector collector(options);
  for (const auto& file : files)
    collector.add(rest_of(*open_named(open, file, options), file.string()), file.string(), 1);
  return collector.finish(users);
}

/// The files that begin in the part's share. A file counts for a byte more than it has, so that empty ones are shared out.
inline std::span<const std::filesystem::path> files_of_part(std::span<const std::filesystem::path> files,
                                                            const input_part& part) {
  std::vector<std::uint64_t> begins{0};
  for (const auto& file : files) {
    std::error_code unknown;
    const std::uintmax_t size = std::filesystem::file_size(file, unknown);
    begins.push_back(begins.back() + (unknown ? 0 : size) + 1);
  }
  const byte_range share = even_share(begins.back(), part);
  const auto first_at = [&](std::uint64_t place) {
    return static_cast<std::size_t>(std::ranges::lower_bound(begins, place) - begins.begin());
  };
  return files.subspan(first_at(share.begin), first_at(share.end) - first_at(share.begin));
}

inline corpus_part part_of_text(corpus docs, const std::string& name, const text_options& options) {
  return {.found = {.docs = std::move(docs)}, .name = name, .words_are_given = options.vocab != nullptr};
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
  return detail::read_lines(in, name, options, users, 1);
}

DPLDA_INLINE corpus read_text(const std::filesystem::path& path, const text_options& options, const user_list* users,
                              const text_opener& open) {
  std::error_code ignored;  // a path that cannot be inspected cannot be opened either
  if (!std::filesystem::is_directory(path, ignored))
    return read_text(*detail::open_named(open, path, options), path.string(), options, users);
  return detail::read_files(visible_files(path), options, users, open);
}

DPLDA_INLINE corpus read_text(const std::filesystem::path& path, const text_options& options,
                              const detail::optional_path& users) {
  std::optional<user_list> owners;
  if (users) owners = read_users(*users);
  return read_text(path, options, owners ? &*owners : nullptr, detail::open_plain);
}

DPLDA_INLINE corpus_part read_text_part(std::istream& in, const std::string& name, const input_part& part,
                                        const text_options& options) {
  detail::check_part(part);
  detail::check_prunes_nothing(options);
  const detail::byte_range range = detail::lines_of_part(in, name, detail::size_to_cut(in, name), part);
  return detail::part_of_text(detail::read_range(in, name, range,
                                                 [&](std::istream& lines, std::size_t first_line) {
                                                   return detail::read_lines(lines, name, options, nullptr, first_line);
                                                 }),
                              name, options);
}

DPLDA_INLINE corpus_part read_text_part(const std::filesystem::path& path, const input_part& part,
                                        const text_options& options, const text_opener& open) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored))
    return read_text_part(*detail::open_named(open, path, options), path.string(), part, options);
  detail::check_part(part);
  detail::check_prunes_nothing(options);
  const std::vector<std::filesystem::path> files = visible_files(path);
  return detail::part_of_text(detail::read_files(detail::files_of_part(files, part), options, nullptr, open),
                              path.string(), options);
}

DPLDA_INLINE corpus_part read_text_part(const std::filesystem::path& path, const input_part& part,
                                        const text_options& options) {
  return read_text_part(path, part, options, detail::open_plain);
}

}  // namespace dplda::inline v0_1

#endif
