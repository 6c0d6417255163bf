// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::detail::DPLDA_ISA {

/// Eight 32-bit words, one of each of eight blocks.
typedef std::uint32_t words8 __attribute__((vector_size(32)));

template <int Bits>
[[gnu::always_inline]] inline void rotate_left(words8& x) {
  x = x << Bits | x >> (32 - Bits);
}

[[gnu::always_inline]] inline void quarter_round(words8& a, words8& b, words8& c, words8& d) {
  a += b, d ^= a, rotate_left<16>(d);
  c += d, b ^= c, rotate_left<12>(b);
  a += b, d ^= a, rotate_left<8>(d);
  c += d, b ^= c, rotate_left<7>(b);
}

/// Rows to columns: afterwards x[i] holds the i-th lane of each of the eight.
[[gnu::always_inline]] inline void transpose(words8* x) {
  words8 y[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    y[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    y[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  words8 z[8];
#pragma GCC unroll 2
  for (int i = 0; i < 8; i += 4) {
#pragma GCC unroll 2
    for (int j = 0; j < 2; ++j) {
      z[i + 2 * j] = __builtin_shufflevector(y[i + j], y[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      z[i + 2 * j + 1] = __builtin_shufflevector(y[i + j], y[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    x[i] = __builtin_shufflevector(z[i], z[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    x[i + 4] = __builtin_shufflevector(z[i], z[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

/// `groups` times eight blocks from the one that starts from `start`, one after the other.
inline void chacha20_eight_blocks(const std::uint32_t* start, std::size_t groups, std::uint64_t* out) {
  words8 first[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) first[i] = words8{} + start[i];
  std::uint64_t counter = start[12] | std::uint64_t{start[13]} << 32;
  for (; groups > 0; --groups, counter += 8, out += 64) {
    const words8 lane{0, 1, 2, 3, 4, 5, 6, 7};
    first[12] = lane + static_cast<std::uint32_t>(counter);
    first[13] = words8{} + static_cast<std::uint32_t>(counter >> 32);
    first[13] -= (words8)(first[12] < lane);  // the carry: true is -1
    words8 x[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] = first[i];
    for (int double_round = 0; double_round < 10; ++double_round) {
      quarter_round(x[0], x[4], x[8], x[12]);
      quarter_round(x[1], x[5], x[9], x[13]);
      quarter_round(x[2], x[6], x[10], x[14]);
      quarter_round(x[3], x[7], x[11], x[15]);
      quarter_round(x[0], x[5], x[10], x[15]);
      quarter_round(x[1], x[6], x[11], x[12]);
      quarter_round(x[2], x[7], x[8], x[13]);
      quarter_round(x[3], x[4], x[9], x[14]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) x[i] += first[i];
    transpose(x);
    transpose(x + 8);
#pragma GCC unroll 8
    for (int block = 0; block < 8; ++block) {
      __builtin_memcpy(out + 8 * block, &x[block], 32);
      __builtin_memcpy(out + 8 * block + 4, &x[8 + block], 32);
    }
  }
}

}  // namespace dplda::detail::DPLDA_ISA
