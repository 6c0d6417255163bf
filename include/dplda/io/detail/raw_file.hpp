// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_RAW_FILE_HPP
#define DPLDA_IO_DETAIL_RAW_FILE_HPP

// What locked_file.hpp needs from the operating system and C++ does not offer: a file that is new, bytes flushed to the
// disk, and a lock between processes. Written for POSIX and for Windows, with the same names.

#include <dplda/core/errors.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <io.h>
#include <share.h>
#include <stdlib.h>
#else
#include <sys/file.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace dplda::inline v0_1::detail {

[[noreturn]] inline void refuse_file(const std::filesystem::path& path, std::string_view what, int error = errno) {
  throw std::runtime_error(text(path.string(), ": ", what, " (", std::generic_category().message(error), ')'));
}

#if defined(_WIN32)

inline void close_file(int handle) { ::_close(handle); }
/// Removes a file, and no folder.
inline void unlink_file(const std::filesystem::path& path) { ::_wunlink(path.c_str()); }
inline bool flush_file(int handle) { return ::_commit(handle) == 0; }
inline std::ptrdiff_t write_some(int handle, std::string_view bytes) {
  return ::_write(handle, bytes.data(), static_cast<unsigned>(std::min<std::size_t>(bytes.size(), 1u << 30)));
}

/// A handle of a new file to write; -1 if it cannot be made, or something of this name exists.
inline int create_file(const std::filesystem::path& path) {
  int handle = -1;
  ::_wsopen_s(&handle, path.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _SH_DENYRW,
              _S_IREAD | _S_IWRITE);
  return handle;
}

/// Permissions on Windows come with the folder.
inline bool copy_permissions(const std::filesystem::path&, int) { return true; }

/// Windows keeps the entries of folders in a journal of its own.
inline void flush_folder(const std::filesystem::path&) {}

/// Renames a file onto another. Windows refuses while somebody reads the other, so this tries again.
inline void rename_onto(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& failure) {
  for (int tries = 0; tries < 100; ++tries) {
    std::filesystem::rename(from, to, failure);
    if (!failure) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// An exclusive handle of a file, which is created if there is none. Waits while somebody else has one. While it is
/// open the file cannot be removed.
inline int open_alone(const std::filesystem::path& path) {
  constexpr unsigned long sharing_violation = 32;
  for (;;) {
    int handle = -1;
    const int error = ::_wsopen_s(&handle, path.c_str(), _O_RDWR | _O_CREAT | _O_BINARY | _O_NOINHERIT, _SH_DENYRW,
                                  _S_IREAD | _S_IWRITE);
    if (error == 0) return handle;
    if (_doserrno != sharing_violation) refuse_file(path, "the lock could not be opened", error);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

#else

inline void close_file(int handle) { ::close(handle); }
/// Removes a file, and no folder.
inline void unlink_file(const std::filesystem::path& path) { ::unlink(path.c_str()); }
inline bool flush_file(int handle) {
#if defined(F_FULLFSYNC)
  if (::fcntl(handle, F_FULLFSYNC) == 0) return true;  // macOS: fsync leaves bytes in the disk's cache
#endif
  return ::fsync(handle) == 0;
}
inline std::ptrdiff_t write_some(int handle, std::string_view bytes) {
  return ::write(handle, bytes.data(), bytes.size());
}

/// A handle of a new file to write; -1 if it cannot be made, or something of this name exists.
inline int create_file(const std::filesystem::path& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/// Gives an open file the permissions of another, if that is there.
inline bool copy_permissions(const std::filesystem::path& from, int handle) {
  struct stat former {};
  return ::stat(from.c_str(), &former) != 0 || ::fchmod(handle, former.st_mode & 07777) == 0;
}

/// Flushes the names in a folder to the disk. Throws std::runtime_error with the reason.
inline void flush_folder(const std::filesystem::path& folder) {
  const int handle = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) refuse_file(folder, "could not be opened");
  const bool flushed = flush_file(handle);
  const int error = errno;
  close_file(handle);
  if (!flushed) refuse_file(folder, "could not be written to the disk", error);
}

inline void rename_onto(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& failure) {
  std::filesystem::rename(from, to, failure);
}

/// A locked handle of a file, which is created if there is none. Waits while somebody else has the lock.
inline int open_alone(const std::filesystem::path& path) {
  for (;;) {
    const int handle = ::open(path.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (handle < 0) refuse_file(path, "the lock could not be opened");
    while (::flock(handle, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      const int error = errno;
      close_file(handle);
      refuse_file(path, "the lock could not be taken", error);
    }
    // Checks that the locked file is still the one of this name: somebody may have removed it during the wait.
    struct stat locked {
    }, named{};
    if (::fstat(handle, &locked) == 0 && ::stat(path.c_str(), &named) == 0 && locked.st_ino == named.st_ino &&
        locked.st_dev == named.st_dev)
      return handle;
    close_file(handle);
  }
}

#endif

}  // namespace dplda::inline v0_1::detail

#endif
