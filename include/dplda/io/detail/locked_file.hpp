// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LOCKED_FILE_HPP
#define DPLDA_IO_DETAIL_LOCKED_FILE_HPP

// A file that several processes change, one after the other, and that is whole at every moment.

#include <dplda/core/errors.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace dplda::detail {

[[noreturn]] inline void refuse_file(const std::filesystem::path& path, std::string_view what, int error = errno) {
  throw std::runtime_error(text(path.string(), ": ", what, " (", std::generic_category().message(error), ')'));
}

/// An open file, closed at the end.
class file_handle {
 public:
  /// Throws std::runtime_error with the reason.
  file_handle(const std::filesystem::path& path, int flags, std::string_view refusal)
      : handle_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (handle_ < 0) refuse_file(path, refusal);
  }
  file_handle(const file_handle&) = delete;
  file_handle& operator=(const file_handle&) = delete;
  ~file_handle() { ::close(handle_); }

  int get() const noexcept { return handle_; }

 private:
  int handle_;
};

/// Holds the right to change `file`, which one process or thread has at a time; it ends with the process, however that
/// ends. The lock is on a file beside it, "<file>.lock", which stays: `file` itself is replaced, and a lock on it would
/// be on what it was. Throws std::runtime_error if the file beside it cannot be made or locked.
class file_lock {
 public:
  explicit file_lock(const std::filesystem::path& file) : path_(file) {
    path_ += ".lock";
    do {
      if (handle_ >= 0) ::close(handle_);
      handle_ = ::open(path_.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (handle_ < 0) refuse_file(path_, "the lock could not be opened");
      while (::flock(handle_, LOCK_EX) != 0) {
        if (errno == EINTR) continue;
        const int error = errno;
        ::close(handle_);
        refuse_file(path_, "the lock could not be taken", error);
      }
    } while (!is_in_place());
  }
  file_lock(const file_lock&) = delete;
  file_lock& operator=(const file_lock&) = delete;
  ~file_lock() { ::close(handle_); }

 private:
  /// Whether the file that is locked is still the one of this name: somebody may have removed it while this waited.
  bool is_in_place() const {
    struct stat locked {
    }, named{};
    return ::fstat(handle_, &locked) == 0 && ::stat(path_.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
           locked.st_dev == named.st_dev;
  }

  std::filesystem::path path_;
  int handle_ = -1;
};

/// Puts these bytes in place of a file, or of none: at every moment, and after a crash of the machine too, the file has
/// its former bytes or these, and when this returns, these. The caller holds the file_lock. What a crash left behind of
/// an earlier call is removed. Throws std::runtime_error with the reason if something cannot be written; the file then
/// has its former bytes or these.
inline void replace_file(const std::filesystem::path& file, std::string_view bytes) {
  std::filesystem::path fresh = file;
  fresh += ".new";
  ::unlink(fresh.c_str());
  try {
    const file_handle out(fresh, O_WRONLY | O_CREAT | O_EXCL, "could not be created");
    struct stat former {};
    if (::stat(file.c_str(), &former) == 0 && ::fchmod(out.get(), former.st_mode & 07777) != 0)
      refuse_file(fresh, "could not have the permissions of the file that it replaces");
    while (!bytes.empty()) {
      const ssize_t written = ::write(out.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) refuse_file(fresh, "could not be written");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(out.get()) != 0) refuse_file(fresh, "could not be written to the disk");
    if (::rename(fresh.c_str(), file.c_str()) != 0) refuse_file(file, "could not be replaced");
  } catch (...) {
    ::unlink(fresh.c_str());
    throw;
  }
  const std::filesystem::path parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const file_handle folder(parent, O_RDONLY | O_DIRECTORY, "could not be opened");
  if (::fsync(folder.get()) != 0) refuse_file(parent, "could not be written to the disk");
}

}  // namespace dplda::detail

#endif
