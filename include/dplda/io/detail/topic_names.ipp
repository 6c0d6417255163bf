// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TOPIC_NAMES_IPP
#define DPLDA_IO_DETAIL_TOPIC_NAMES_IPP

// Bodies of io/topic_names.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/label_collector.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/topic_names.hpp>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::string> read_topic_names(std::istream& in, const std::string& name, std::size_t topics) {
  detail::text_reader reader(in, name);
  detail::label_collector known(name, "name of a topic", "they look like names of two topics");
  std::vector<std::string> names;
  std::size_t named = 0;
  while (const auto line = reader.next_line()) {
    if (line->empty() && names.size() >= topics) continue;
    const std::string found(*line);
    if (names.size() == topics)
      throw parse_error(name, reader.last_line(),
                        detail::text("expected ", topics, " names, one for each topic, found more"));
    if (!found.empty() && known.add(found, reader.last_line(), "") != named++)
      throw parse_error(name, reader.last_line(),
                        detail::text("expected a name of its own for each topic, found \"", found, "\" again"));
    names.push_back(found);
  }
  if (names.size() < topics)
    throw parse_error(
        name, 0,
        detail::text("expected ", topics, " names, one on a line for each topic (empty: none), found ", names.size()));
  return names;
}

DPLDA_INLINE std::vector<std::string> read_topic_names(const std::filesystem::path& path, std::size_t topics) {
  auto in = open_to_read(path);
  return read_topic_names(in, path.string(), topics);
}

DPLDA_INLINE std::string topic_title(std::size_t topic, std::span<const std::string> names) {
  std::string title = "topic " + std::to_string(topic);
  if (topic < names.size() && !names[topic].empty()) title += " (" + names[topic] + ')';
  return title;
}

}  // namespace dplda::inline v0_1

#endif
