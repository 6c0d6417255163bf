// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_GZIP_HPP
#define DPLDA_EXAMPLES_DPLDA_GZIP_HPP

#include <cstddef>
#include <filesystem>
#include <string>

namespace dplda_program {

/// The whole contents of a gzipped file, with the checksum checked. They are kept in memory: a temporary file would
/// leave private text on a disk. Throws parse_error if the file cannot be read, is not gzipped, is damaged or cut off,
/// if it unpacks to more than `most_megabytes` (a small file may hold a thousand times its size), or if the program was
/// built without zlib.
std::string inflated(const std::filesystem::path& path, std::size_t most_megabytes);

}  // namespace dplda_program

#endif
