// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_FILE_ENDING_HPP
#define DPLDA_IO_DETAIL_FILE_ENDING_HPP

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

namespace dplda::inline v0_1::detail {

/// The ending of a file's name in small letters, without .gz.
inline std::string ending_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return std::filesystem::path(name).extension().string();
}

}  // namespace dplda::inline v0_1::detail

#endif
