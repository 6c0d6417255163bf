// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_TOPIC_NAMES_HPP
#define DPLDA_IO_TOPIC_NAMES_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <filesystem>
#include <istream>
#include <span>
#include <string>
#include <vector>

// Names that people give to topics. A topic keeps its number, and the name stands beside it. Names are as public as the
// topics if they were chosen from released words; whoever reads documents to choose them publishes what was read.

namespace dplda::inline v0_1 {

/// Reads the names of `topics` topics: that of topic k on line k + 1, where an empty line leaves it without a name. Lines
/// end in LF or CR LF; a byte order mark at the beginning and empty lines at the end are skipped. Throws parse_error if
/// there are fewer lines, or more that are not empty, on a control character, a blank at an end or
/// invalid UTF-8, and if two topics have one name.
std::vector<std::string> read_topic_names(std::istream& in, const std::string& name, std::size_t topics);

/// As above; throws parse_error also if the file cannot be read.
std::vector<std::string> read_topic_names(const std::filesystem::path& path, std::size_t topics);

/// "topic 7", and with a name "topic 7 (roads and lights)".
std::string topic_title(std::size_t topic, std::span<const std::string> names);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/topic_names.ipp>
#endif

#endif
