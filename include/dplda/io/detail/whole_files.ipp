// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_WHOLE_FILES_IPP
#define DPLDA_IO_DETAIL_WHOLE_FILES_IPP

// Bodies of io/whole_files.hpp.

#include <dplda/io/files.hpp>
#include <dplda/io/whole_files.hpp>

#include <cstddef>
#include <deque>
#include <ostream>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE folder_beside::folder_beside(const std::filesystem::path& target) {
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path());
  for (int n = 0; path_.empty(); ++n) {
    std::filesystem::path candidate = target;
    candidate += ".partial" + std::to_string(n);
    if (std::filesystem::create_directory(candidate)) path_ = std::move(candidate);
  }
}

DPLDA_INLINE folder_beside::~folder_beside() {
  if (kept_) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

DPLDA_INLINE std::filesystem::path without_slash(const std::filesystem::path& folder) {
  std::filesystem::path target = folder.lexically_normal();
  return target.has_filename() ? target : target.parent_path();
}

}  // namespace detail

DPLDA_INLINE void write_whole_files(std::span<const file_text> files, const std::function<void()>& before_commit) {
  std::deque<detail::folder_beside> beside;
  for (const auto& [path, text] : files) {
    beside.emplace_back(path);
    write_file(beside.back().path() / "file", [&content = text](std::ostream& out) { out << content; });
  }
  if (before_commit) before_commit();
  for (std::size_t i = 0; i < files.size(); ++i) std::filesystem::rename(beside[i].path() / "file", files[i].path);
}

DPLDA_INLINE void write_whole_folder(const std::filesystem::path& folder,
                                     const std::function<void(const std::filesystem::path&)>& fill,
                                     const std::function<void()>& before_commit) {
  namespace fs = std::filesystem;
  const fs::path target = detail::without_slash(folder);
  const detail::folder_beside fresh(target);
  fill(fresh.path());
  if (before_commit) before_commit();
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(target, ignored))) {
    fs::rename(fresh.path(), target);
    return;
  }
  detail::replace_folder(fresh.path(), target, [](const fs::path& from, const fs::path& to, std::error_code& failure) {
    fs::rename(from, to, failure);
  });
}

}  // namespace dplda::inline v0_1

#endif
