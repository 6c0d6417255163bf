// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_DETAIL_SYSTEM_KEY_HPP
#define DPLDA_RANDOM_DETAIL_SYSTEM_KEY_HPP

// Claim: fill_from_system fills all bytes with output of the operating system's cryptographic random generator, or
//   throws. It never falls back to anything weaker.
// Preconditions: the operating system's generator is sound and was seeded.
// Argument: each call below is the one that the system documents for keys, and it waits for the seed or fails. Linux:
//   getrandom without flags blocks until the pool is seeded; it may give fewer bytes or be interrupted, hence the loop.
//   macOS and the BSDs: getentropy gives all bytes or fails, up to 256 of them in a call. Windows: BCryptGenRandom with
//   the system's preferred generator gives all bytes or a status other than 0. Any failure throws before a byte is used.
// Test: tests/random/system_key_test.cpp (every byte is written, two keys differ, bits are balanced; the same for
//   getentropy where Linux has it beside getrandom).

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>

#if defined(_WIN32)
// As <bcrypt.h> declares it; that header would bring <windows.h> with its macros min and max into every program.
extern "C" long __stdcall BCryptGenRandom(void* algorithm, unsigned char* bytes, unsigned long count,
                                          unsigned long flags);
#else
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h>
#endif
#endif

namespace dplda::inline v0_1::detail {

#if defined(_WIN32)

inline void fill_from_system(std::span<unsigned char> bytes) {
  constexpr unsigned long system_preferred = 2;  // BCRYPT_USE_SYSTEM_PREFERRED_RNG
  const auto count = static_cast<unsigned long>(bytes.size());
  if (::BCryptGenRandom(nullptr, bytes.data(), count, system_preferred) != 0 || count != bytes.size())
    throw std::system_error(std::make_error_code(std::errc::io_error), "dplda::secure_random: BCryptGenRandom");
}

#else

inline void fill_by_getentropy(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), 256);
    if (::getentropy(bytes.data(), count) != 0)
      throw std::system_error(errno, std::generic_category(), "dplda::secure_random: getentropy");
    bytes = bytes.subspan(count);
  }
}

#if defined(__linux__)

inline void fill_from_system(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "dplda::secure_random: getrandom");
    }
  }
}

#else

inline void fill_from_system(std::span<unsigned char> bytes) { fill_by_getentropy(bytes); }

#endif
#endif

}  // namespace dplda::inline v0_1::detail

#endif
