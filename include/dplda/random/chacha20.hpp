// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_CHACHA20_HPP
#define DPLDA_RANDOM_CHACHA20_HPP

#include <dplda/core/config.hpp>
#include <dplda/core/detail/pack.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#define DPLDA_KERNELS <dplda/random/detail/chacha20.inl>
#include <dplda/core/detail/for_each_isa.hpp>

namespace dplda::inline v0_1 {

/// 256 secret bits, as the eight words of ChaCha20's key.
using chacha20_key = std::array<std::uint32_t, 8>;

namespace detail {

/// The initial state for block `counter` of stream `stream`.
inline std::array<std::uint32_t, 16> chacha20_start(const chacha20_key& key, std::uint64_t counter,
                                                    std::uint64_t stream) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  return {0x61707865u, 0x3320646eu,      0x79622d32u, 0x6b206574u, key[0], key[1],       key[2],
          key[3],      key[4],           key[5],      key[6],      key[7], low(counter), low(counter >> 32),
          low(stream), low(stream >> 32)};
}

/// `groups` times eight blocks, one after the other, as 64-bit words. The first block starts from `start`. Every
/// instruction set gives the same bits. Precondition: the machine is little-endian.
inline void chacha20_eight_blocks(const std::uint32_t* start, std::size_t groups, std::uint64_t* out) {
  wide_isa_runs() ? wide_isa::chacha20_eight_blocks(start, groups, out)
                  : own_isa::chacha20_eight_blocks(start, groups, out);
}

}  // namespace detail

/// The ChaCha20 block function (RFC 8439, section 2.3) with a 64-bit block counter in words 12 and 13 and a 64-bit
/// stream number in words 14 and 15 (the RFC splits the same 128 bits as 32 and 96).
inline std::array<std::uint32_t, 16> chacha20_block(const chacha20_key& key, std::uint64_t counter,
                                                    std::uint64_t stream) {
  const std::array<std::uint32_t, 16> start = detail::chacha20_start(key, counter, stream);
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

/// The stream `stream` of ChaCha20 under `key`, as a uniform random bit generator of 64-bit words: word i of the stream
/// is words 2i (low half) and 2i + 1 (high half) of its blocks. Drawing one by one or in bulk gives the same words.
/// They are uniform and independent in the computational sense: no way is known to distinguish them from such words
/// without the key.
class chacha20 {
 public:
  using result_type = std::uint64_t;

  chacha20(const chacha20_key& key, std::uint64_t stream) : key_(key), stream_(stream) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    // Many streams are short, so the first refill is one block. Later refills are eight.
    if (used_ == filled_) refill(counter_ == 0 ? block_words : group_words);
    return buffer_[used_++];
  }

  /// Makes word number `word` of the stream the next one.
  void seek(std::uint64_t word) {
    const std::uint64_t blocks_ahead =
        word / block_words - (counter_ - filled_ / block_words);  // of the buffer's first
    if (blocks_ahead < filled_ / block_words) {
      used_ = static_cast<std::size_t>(blocks_ahead * block_words + word % block_words);
      return;
    }
    counter_ = word / block_words;
    refill(group_words);
    used_ = word % block_words;
  }

  /// Fills `words` with the next words of the stream.
  void fill(std::span<std::uint64_t> words) {
    std::size_t done = 0;
    while (used_ < filled_ && done < words.size()) words[done++] = buffer_[used_++];
    const std::size_t bulk = (words.size() - done) / block_words * block_words;
    if (bulk > 0) {
      used_ = filled_ = 0;  // the buffered words now precede the next blocks: seek must not find them
      blocks(words.subspan(done, bulk));
    }
    for (done += bulk; done < words.size(); ++done) words[done] = (*this)();
  }

 private:
  static constexpr std::size_t block_words = 8;
  static constexpr std::size_t group_words = 8 * block_words;

  void refill(std::size_t words) {
    filled_ = words;
    used_ = 0;
    blocks(std::span(buffer_).first(filled_));
  }

  // The next whole blocks, in groups of eight, then one by one. Precondition: out.size() is a multiple of block_words.
  void blocks(std::span<std::uint64_t> out) {
    if constexpr (std::endian::native == std::endian::little) {
      const std::size_t groups = out.size() / group_words;
      const auto start = detail::chacha20_start(key_, counter_, stream_);
      detail::chacha20_eight_blocks(start.data(), groups, out.data());
      counter_ += 8 * groups;
      out = out.subspan(groups * group_words);
    }
    for (; !out.empty(); out = out.subspan(block_words)) {
      const auto block = chacha20_block(key_, counter_++, stream_);
      for (std::size_t i = 0; i < block_words; ++i) out[i] = block[2 * i] | std::uint64_t{block[2 * i + 1]} << 32;
    }
  }

  chacha20_key key_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
  std::size_t used_ = 0, filled_ = 0;
  std::array<std::uint64_t, group_words> buffer_{};
};

}  // namespace dplda::inline v0_1

#endif
