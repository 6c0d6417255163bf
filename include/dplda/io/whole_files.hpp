// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_WHOLE_FILES_HPP
#define DPLDA_IO_WHOLE_FILES_HPP

#include <dplda/core/errors.hpp>

#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>

// Files and folders that appear whole or not at all: each is written under another name beside its place, and renamed.
//
// This is atomic against interruption, not against power loss: nothing makes the system write its buffers to the disk. A
// stopped program leaves nothing half-written under the final name. It may leave a folder `<name>.partial<number>`
// beside it; if the program was stopped between the two renames that replace a folder, this one holds the former
// folder.

namespace dplda::inline v0_1 {

namespace detail {

/// A new, empty folder beside `target`, removed with all that is in it unless it is renamed or kept.
class folder_beside {
 public:
  explicit folder_beside(const std::filesystem::path& target);
  folder_beside(const folder_beside&) = delete;
  folder_beside& operator=(const folder_beside&) = delete;
  ~folder_beside();
  const std::filesystem::path& path() const noexcept { return path_; }
  void keep() noexcept { kept_ = true; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

/// Puts the folder `fresh` in the place of the folder `target`, which is removed. rename(from, to, error_code) is
/// std::filesystem::rename, or what a test puts in its place. Throws std::runtime_error if that fails: `target` is then
/// as it was or, where it cannot be put back, stays under the name that the error gives.
template <class Rename>
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& target, Rename&& rename) {
  using std::filesystem::filesystem_error;
  folder_beside former(target);
  std::error_code failure;
  std::filesystem::remove(former.path(),
                          failure);  // Windows cannot rename a folder onto another, not even an empty one
  rename(target, former.path(), failure);
  if (failure) throw filesystem_error("the former folder cannot be put aside", target, former.path(), failure);
  rename(fresh, target, failure);
  if (!failure) return;
  former.keep();  // the only copy of the former folder; empty once it is put back
  std::error_code stuck;
  rename(former.path(), target, stuck);
  if (!stuck) throw filesystem_error("the new folder cannot be put in place", fresh, target, failure);
  throw std::runtime_error(text(target.string(), ": the new folder cannot be put in place (", failure.message(),
                                "), nor the former one put back (", stuck.message(), "), which is kept as ",
                                former.path().string()));
}

/// The folder's name without a slash at its end.
std::filesystem::path without_slash(const std::filesystem::path& folder);

}  // namespace detail

/// A file and its content.
struct file_text {
  std::filesystem::path path;
  std::string text;
};

/// Writes files, replacing those of the same names. Before the first one takes its place, all are written, and
/// `before_commit` is called; if it throws, none of them changes. Parent folders are created.
/// Throws std::runtime_error if something cannot be written.
void write_whole_files(std::span<const file_text> files, const std::function<void()>& before_commit = {});

/// Calls fill(path) with an empty folder, and puts that in the place of `folder`, which is removed if it exists. If
/// `fill` or `before_commit`, which is called after it, throws, nothing changes. Parent folders are created.
/// Throws std::runtime_error (also as std::filesystem::filesystem_error) if that fails: the former folder is then put back
/// or, where that fails too, kept, and the error says where.
void write_whole_folder(const std::filesystem::path& folder,
                        const std::function<void(const std::filesystem::path&)>& fill,
                        const std::function<void()>& before_commit = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/whole_files.ipp>
#endif

#endif
