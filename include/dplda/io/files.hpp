// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_FILES_HPP
#define DPLDA_IO_FILES_HPP

#include <dplda/core/config.hpp>
#include <dplda/core/errors.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

// Whole files: reading, writing, listing.

namespace dplda::inline v0_1 {

namespace detail {

/// Bytes between a stream's position and its end; empty for a pipe, or if the system reports no size.
std::optional<std::uint64_t> remaining_bytes(std::istream& in);

/// Throws std::runtime_error if the stream has failed.
void check_stream(const std::ostream& out);

/// The rest of a stream. Throws parse_error if it cannot be read to its end.
std::string rest_of(std::istream& in, const std::string& name);

}  // namespace detail

/// Opens a file of bytes. Throws parse_error if it cannot be opened or is a folder (a stream would open a folder and
/// report a huge size).
std::ifstream open_to_read(const std::filesystem::path& path);

/// All bytes of a file. Throws parse_error if it cannot be read.
std::string read_bytes(const std::filesystem::path& path);

/// Calls write(stream) on a new file of bytes. Throws std::runtime_error with the file's name if it cannot be written
/// to the end, and what `write` throws for other reasons than a failed stream.
template <class Write>
void write_file(const std::filesystem::path& path, Write&& write) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  try {
    if (out) write(static_cast<std::ostream&>(out));
  } catch (const std::runtime_error&) {
    if (out) throw;  // a failed stream is reported below, with the file's name
  }
  out.close();
  if (!out) throw std::runtime_error(path.string() + ": the file could not be written");
}

/// The regular files below a folder, sorted by path; hidden files and folders are skipped, links to folders are not
/// followed. Throws parse_error, with the path, if a folder or an entry of one cannot be read.
std::vector<std::filesystem::path> visible_files(const std::filesystem::path& root);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/files.ipp>
#endif

#endif
