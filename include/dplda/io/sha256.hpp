// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_SHA256_HPP
#define DPLDA_IO_SHA256_HPP

#include <dplda/core/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace dplda::inline v0_1 {

/// SHA-256 (FIPS 180-4) of bytes given piece by piece.
class sha256 {
 public:
  void update(std::string_view bytes);

  /// The digest of all bytes, in 64 lower-case hexadecimal digits. The object must not be used again.
  std::string hex();

 private:
  void compress();

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<char, 64> block_{};
  std::size_t used_ = 0;
  std::uint64_t length_ = 0;
};

std::string sha256_hex(std::string_view bytes);

/// The digest of the rest of a stream.
std::string sha256_hex(std::istream& in);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/sha256.ipp>
#endif

#endif
