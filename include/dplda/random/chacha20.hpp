// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_CHACHA20_HPP
#define DPLDA_RANDOM_CHACHA20_HPP

#include <dplda/core/config.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace dplda {

/// 256 secret bits, as the eight words of ChaCha20's key.
using chacha20_key = std::array<std::uint32_t, 8>;

/// The ChaCha20 block function (RFC 8439, section 2.3) with a 64-bit block counter in words 12 and 13 and a 64-bit
/// stream number in words 14 and 15 (the RFC splits the same 128 bits as 32 and 96).
inline std::array<std::uint32_t, 16> chacha20_block(const chacha20_key& key, std::uint64_t counter,
                                                    std::uint64_t stream) {
  const std::array<std::uint32_t, 16> start{0x61707865u,
                                            0x3320646eu,
                                            0x79622d32u,
                                            0x6b206574u,
                                            key[0],
                                            key[1],
                                            key[2],
                                            key[3],
                                            key[4],
                                            key[5],
                                            key[6],
                                            key[7],
                                            static_cast<std::uint32_t>(counter),
                                            static_cast<std::uint32_t>(counter >> 32),
                                            static_cast<std::uint32_t>(stream),
                                            static_cast<std::uint32_t>(stream >> 32)};
  std::array<std::uint32_t, 16> x = start;
  const auto quarter_round = [&x](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
  };
  for (int double_round = 0; double_round < 10; ++double_round) {
    quarter_round(0, 4, 8, 12);
    quarter_round(1, 5, 9, 13);
    quarter_round(2, 6, 10, 14);
    quarter_round(3, 7, 11, 15);
    quarter_round(0, 5, 10, 15);
    quarter_round(1, 6, 11, 12);
    quarter_round(2, 7, 8, 13);
    quarter_round(3, 4, 9, 14);
  }
  for (std::size_t i = 0; i < 16; ++i) x[i] += start[i];
  return x;
}

/// The stream `stream` of ChaCha20 under `key`, as a uniform random bit generator of 64-bit words.
class chacha20 {
 public:
  using result_type = std::uint64_t;

  chacha20(const chacha20_key& key, std::uint64_t stream) : key_(key), stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    if (used_ == block_.size()) {
      block_ = chacha20_block(key_, counter_++, stream_);
      used_ = 0;
    }
    const std::uint64_t low = block_[used_], high = block_[used_ + 1];
    used_ += 2;
    return low | high << 32;
  }

 private:
  chacha20_key key_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
  std::array<std::uint32_t, 16> block_{};
  std::size_t used_ = 16;
};

}  // namespace dplda

#endif
