// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

/// One 32-bit word of each of several blocks: four in a 16-byte register, eight in a 32-byte one.
typedef std::uint32_t block_words __attribute__((vector_size(DPLDA_ISA_BYTES)));

template <int Bits>
[[gnu::always_inline]] inline void rotate_left(block_words& x) {
  x = x << Bits | x >> (32 - Bits);
}

[[gnu::always_inline]] inline void quarter_round(block_words& a, block_words& b, block_words& c, block_words& d) {
  a += b, d ^= a, rotate_left<16>(d);
  c += d, b ^= c, rotate_left<12>(b);
  a += b, d ^= a, rotate_left<8>(d);
  c += d, b ^= c, rotate_left<7>(b);
}

/// Transposes: afterwards x[i] holds the i-th lane of each of the four or eight.
[[gnu::always_inline]] inline void transpose(block_words* x) {
#if DPLDA_ISA_BYTES == 32
  block_words y[8];
#pragma GCC unroll 4
  for (int i = 0; i < 8; i += 2) {
    y[i] = __builtin_shufflevector(x[i], x[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    y[i + 1] = __builtin_shufflevector(x[i], x[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  block_words z[8];
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
#else
  const block_words low01 = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5);
  const block_words high01 = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7);
  const block_words low23 = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5);
  const block_words high23 = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
  x[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  x[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  x[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  x[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
#endif
}

/// `groups` times eight blocks, one after the other. The first block starts from `start`.
inline void chacha20_eight_blocks(const std::uint32_t* start, std::size_t groups, std::uint64_t* out) {
  constexpr int blocks = DPLDA_ISA_BYTES / 4;  // at once
  block_words first[16], lane;
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) first[i] = block_words{} + start[i];
  __builtin_memcpy(&lane, lane_numbers, sizeof lane);
  std::uint64_t counter = start[12] | std::uint64_t{start[13]} << 32;
  for (std::uint64_t* const end = out + 64 * groups; out != end; counter += blocks, out += 8 * blocks) {
    first[12] = lane + static_cast<std::uint32_t>(counter);
    first[13] = block_words{} + static_cast<std::uint32_t>(counter >> 32);
    first[13] -= reinterpret_cast<block_words>(first[12] < lane);  // the carry: true is -1
    block_words x[16];
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
#pragma GCC unroll 4
    for (int word = 0; word < 16; word += blocks) {
      transpose(x + word);
#pragma GCC unroll 8
      for (int block = 0; block < blocks; ++block) {
        __builtin_memcpy(out + 8 * block + word / 2, &x[word + block], sizeof x[0]);
      }
    }
  }
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
