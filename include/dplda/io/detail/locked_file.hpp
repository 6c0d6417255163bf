// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LOCKED_FILE_HPP
#define DPLDA_IO_DETAIL_LOCKED_FILE_HPP

// A file that several processes change one at a time, and that is complete at every moment.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/raw_file.hpp>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace dplda::inline v0_1::detail {

/// A new file, closed at the end.
class file_handle {
 public:
  /// Throws std::runtime_error with the reason.
  explicit file_handle(const std::filesystem::path& path) : handle_(create_file(path)) {
    if (handle_ < 0) refuse_file(path, "could not be created");
  }
  file_handle(const file_handle&) = delete;
  file_handle& operator=(const file_handle&) = delete;
  ~file_handle() { close_file(handle_); }

  int get() const noexcept { return handle_; }

 private:
  int handle_;
};

/// The right to change `file`, held by one process or thread at a time; it ends with the process in any case. The lock
/// is on a file beside it, "<file>.lock", which stays: `file` itself is replaced, so a lock on it would lock the old
/// file. Throws std::runtime_error if the file beside it cannot be made or locked.
class file_lock {
 public:
  explicit file_lock(std::filesystem::path file) : handle_(open_alone(file += ".lock")) {}
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  ~file_lock() { close_file(handle_); }

 private:
  int handle_;
};

/// Replaces the bytes of a file, or creates it. At every moment, even after a crash of the machine, the file has its
/// former bytes or these; when this returns, it has these. The caller holds the file_lock. The remains of an earlier
/// call that crashed are removed. Throws std::runtime_error with the reason if something cannot be written; the file
/// then has its former bytes or these.
inline void replace_file(const std::filesystem::path& file, std::string_view bytes) {
  std::filesystem::path fresh = file;
  fresh += ".new";
  unlink_file(fresh);
  try {
    {
      const file_handle out(fresh);
      if (!copy_permissions(file, out.get()))
        refuse_file(fresh, "could not be given the permissions of the file that it replaces");
      while (!bytes.empty()) {
        const std::ptrdiff_t written = write_some(out.get(), bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) refuse_file(fresh, "could not be written");
        bytes.remove_prefix(static_cast<std::size_t>(written));
      }
      if (!flush_file(out.get())) refuse_file(fresh, "could not be written to the disk");
    }
    std::error_code failure;
    rename_onto(fresh, file, failure);
    if (failure) refuse_file(file, "could not be replaced", failure.default_error_condition().value());
  } catch (...) {
    unlink_file(fresh);
    throw;
  }
  flush_folder(file.has_parent_path() ? file.parent_path() : std::filesystem::path("."));
}

}  // namespace dplda::inline v0_1::detail

#endif
