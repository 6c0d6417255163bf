// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_MAPPED_FILE_HPP
#define DPLDA_IO_DETAIL_MAPPED_FILE_HPP

// Files that the system maps into memory and writes back when it needs the room. Written for POSIX and for Windows, with
// the same names.

#include <dplda/core/detail/column.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/raw_file.hpp>

#include <fcntl.h>
#if defined(_WIN32)
#include <io.h>
#else
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#if defined(_WIN32)
// As <windows.h> declares them; that header would bring its macros min and max into every program.
extern "C" {
struct _SECURITY_ATTRIBUTES;
__declspec(dllimport) void* __stdcall CreateFileMappingW(void* file, _SECURITY_ATTRIBUTES* attributes,
                                                         unsigned long protection, unsigned long high,
                                                         unsigned long low, const wchar_t* name);
__declspec(dllimport) void* __stdcall MapViewOfFile(void* mapping, unsigned long access, unsigned long high,
                                                    unsigned long low, std::size_t bytes);
__declspec(dllimport) int __stdcall UnmapViewOfFile(const void* view);
__declspec(dllimport) int __stdcall CloseHandle(void* handle);
}
#endif

namespace dplda::inline v0_1::detail {

#if defined(_WIN32)

/// The first bytes of an open file in memory; null if the system refuses.
inline void* map_bytes(int handle, std::size_t bytes, bool write) {
  constexpr unsigned long read_only = 2,
                          read_write = 4;  // PAGE_READONLY, PAGE_READWRITE; FILE_MAP_READ, FILE_MAP_WRITE
  const auto size = static_cast<std::uint64_t>(bytes);
  void* const mapping = ::CreateFileMappingW(reinterpret_cast<void*>(::_get_osfhandle(handle)), nullptr,
                                             write ? read_write : read_only, static_cast<unsigned long>(size >> 32),
                                             static_cast<unsigned long>(size & 0xFFFFFFFFu), nullptr);
  if (mapping == nullptr) return nullptr;
  constexpr unsigned long map_read = 4, map_write = 2;
  void* const view = ::MapViewOfFile(mapping, write ? map_write : map_read, 0, 0, bytes);
  ::CloseHandle(mapping);  // the view keeps it
  return view;
}
inline void unmap_bytes(void* view, std::size_t) { ::UnmapViewOfFile(view); }

inline int open_to_map(const std::filesystem::path& path) {
  int handle = -1;
  ::_wsopen_s(&handle, path.c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT, _SH_DENYNO, _S_IREAD);
  return handle;
}

inline std::size_t size_of(int handle) {
  const long long size = ::_filelengthi64(handle);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

/// A new file that nobody else opens and that is gone when it is closed.
inline int open_unnamed(const std::filesystem::path& folder) {
  for (int n = 0; n < 1000; ++n) {
    int handle = -1;
    const std::filesystem::path path = folder / text("dplda.scratch", n);
    if (::_wsopen_s(&handle, path.c_str(),
                    _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT | _O_TEMPORARY | _O_SHORT_LIVED, _SH_DENYRW,
                    _S_IREAD | _S_IWRITE) == 0)
      return handle;
    if (errno != EEXIST && errno != EACCES) break;
  }
  return -1;
}

/// Gives a file this size, with room for it on the disk; returns an error number, or 0.
inline int resize_file(int handle, std::size_t, std::size_t bytes) {
  return static_cast<int>(::_chsize_s(handle, static_cast<long long>(bytes)));
}

#else

inline void* map_bytes(int handle, std::size_t bytes, bool write) {
  void* const place = ::mmap(nullptr, bytes, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, handle, 0);
  return place == MAP_FAILED ? nullptr : place;
}
inline void unmap_bytes(void* place, std::size_t bytes) { ::munmap(place, bytes); }

inline int open_to_map(const std::filesystem::path& path) { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); }

/// The size of an open file; 0 if the system does not tell.
inline std::size_t size_of(int handle) {
  struct stat found {};
  return ::fstat(handle, &found) == 0 && S_ISREG(found.st_mode) ? static_cast<std::size_t>(found.st_size) : 0;
}

inline int open_unnamed(const std::filesystem::path& folder) {
  std::string name = (folder / ".dplda.scratch.XXXXXX").string();
  const int handle = ::mkstemp(name.data());
  if (handle < 0) return -1;
  ::unlink(name.c_str());
  ::fcntl(handle, F_SETFD, FD_CLOEXEC);
  return handle;
}

inline int resize_file(int handle, std::size_t former, std::size_t bytes) {
  if (bytes <= former) return ::ftruncate(handle, static_cast<off_t>(bytes)) == 0 ? 0 : errno;
#if defined(__linux__)
  // With holes in the file, a full disk would kill the process when it writes to them. This fails now.
  for (;;) {
    const int error = ::posix_fallocate(handle, static_cast<off_t>(former), static_cast<off_t>(bytes - former));
    if (error != EINTR) return error;
  }
#else
  static constexpr char zeros[1 << 16] = {};
  for (std::size_t at = former; at < bytes;) {
    const ssize_t written = ::pwrite(handle, zeros, std::min(bytes - at, sizeof zeros), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return errno;
    at += static_cast<std::size_t>(written);
  }
  return 0;
#endif
}

#endif

/// A whole file, read-only.
class mapped_file {
 public:
  /// Throws parse_error if the file cannot be opened and mapped.
  explicit mapped_file(const std::filesystem::path& path) {
    const int handle = open_to_map(path);
    bytes_ = handle < 0 ? 0 : size_of(handle);
    if (bytes_ > 0) place_ = map_bytes(handle, bytes_, false);
    if (handle >= 0) close_file(handle);
    if (place_ == nullptr) throw parse_error(path.string(), 0, "expected a file that can be opened and mapped");
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() { unmap_bytes(place_, bytes_); }  // a constructor that throws has no map

  std::span<const std::byte> bytes() const noexcept { return {static_cast<const std::byte*>(place_), bytes_}; }

 private:
  void* place_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Bytes in a file without a name.
class file_store final : public byte_store {
 public:
  /// Throws std::runtime_error if the folder takes no new file.
  explicit file_store(const std::filesystem::path& folder) : folder_(folder), handle_(open_unnamed(folder)) {
    if (handle_ < 0) refuse_file(folder, "no file could be made in it");
  }
  ~file_store() override {
    if (place_ != nullptr) unmap_bytes(place_, bytes_);
    close_file(handle_);
  }

  void* resize(std::size_t bytes) override {
    bytes = std::max<std::size_t>(bytes, 1);
    if (bytes > room_) {
      if (const int error = resize_file(handle_, room_, bytes); error != 0)
        refuse_file(folder_, text("no room in it for a file of ", bytes, " bytes"), error);
      room_ = bytes;
    }
    void* const place = map_bytes(handle_, bytes, true);
    if (place == nullptr) refuse_file(folder_, "a file in it could not be mapped");
    if (place_ != nullptr) unmap_bytes(place_, bytes_);
    place_ = place;
    bytes_ = bytes;
    // Room that cannot be given back now (Windows keeps that of mapped files) is given back with the file.
    if (bytes < room_ && resize_file(handle_, room_, bytes) == 0) room_ = bytes;
    return place_;
  }

 private:
  std::filesystem::path folder_;
  int handle_;
  void* place_ = nullptr;
  std::size_t bytes_ = 0;  // mapped
  std::size_t room_ = 0;   // in the file
};

}  // namespace dplda::inline v0_1::detail

#endif
