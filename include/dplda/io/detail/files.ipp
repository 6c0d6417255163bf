// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_FILES_IPP
#define DPLDA_IO_DETAIL_FILES_IPP

// Bodies of io/files.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/files.hpp>

#include <algorithm>
#include <cstddef>
#include <streambuf>
#include <system_error>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE std::optional<std::uint64_t> remaining_bytes(std::istream& in) {
  if (!in.good()) return std::nullopt;
  std::streambuf& buffer = *in.rdbuf();
  const std::streamoff here = buffer.pubseekoff(0, std::ios::cur, std::ios::in);
  if (here < 0) return std::nullopt;
  const std::streamoff end = buffer.pubseekoff(0, std::ios::end, std::ios::in);
  if (std::streamoff(buffer.pubseekpos(here, std::ios::in)) != here || end <= here) return std::nullopt;
  return static_cast<std::uint64_t>(end - here);
}

DPLDA_INLINE void check_stream(const std::ostream& out) {
  if (!out) throw std::runtime_error("the output stream failed before everything was written");
}

DPLDA_INLINE std::string rest_of(std::istream& in, const std::string& name) {
  std::string bytes(static_cast<std::size_t>(remaining_bytes(in).value_or(0)), '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  for (char more[4096]; in.good();) {  // a pipe, or a file that grew
    in.read(more, sizeof more);
    bytes.append(more, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) throw parse_error(name, 0, "expected a file that can be read");
  return bytes;
}

}  // namespace detail

DPLDA_INLINE std::ifstream open_to_read(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw parse_error(path.string(), 0, "expected a file, found a folder");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw parse_error(path.string(), 0, "expected a file that can be opened");
  return in;
}

DPLDA_INLINE std::string read_bytes(const std::filesystem::path& path) {
  auto in = open_to_read(path);
  return detail::rest_of(in, path.string());
}

DPLDA_INLINE std::vector<std::filesystem::path> visible_files(const std::filesystem::path& root) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files, folders{root};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    try {
      for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.path().filename().native().starts_with('.')) continue;
        if (entry.is_regular_file()) {
          files.push_back(entry.path());
        } else if (entry.is_directory() && !entry.is_symlink()) {
          folders.push_back(entry.path());
        }
      }
    } catch (const fs::filesystem_error& error) {
      const fs::path& at = error.path1().empty() ? folder : error.path1();
      throw parse_error(at.string(), 0,
                        detail::text("expected a file or folder that can be read, found: ", error.code().message()));
    }
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.generic_string() < b.generic_string(); });
  return files;
}

}  // namespace dplda::inline v0_1

#endif
