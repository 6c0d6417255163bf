// SPDX-License-Identifier: Apache-2.0
#include <dplda/random/chacha20.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

using dplda::chacha20;
using dplda::chacha20_block;
using dplda::chacha20_key;

namespace {

using block = std::array<std::uint32_t, 16>;

// RFC 8439 counts blocks in word 12 and puts its nonce into words 13 to 15; these are the same words as two 64-bit
// numbers.
block rfc_block(const chacha20_key& key, std::uint32_t counter, const std::array<std::uint32_t, 3>& nonce) {
  return chacha20_block(key, counter | std::uint64_t{nonce[0]} << 32, nonce[1] | std::uint64_t{nonce[2]} << 32);
}

// Word number `word` of the stream, by the block function.
std::uint64_t word_of(const chacha20_key& key, std::uint64_t stream, std::uint64_t word) {
  const block b = chacha20_block(key, word / 8, stream);
  return b[2 * (word % 8)] | std::uint64_t{b[2 * (word % 8) + 1]} << 32;
}

}  // namespace

TEST_CASE("ChaCha20 gives the block of RFC 8439, section 2.3.2", "[random][chacha20]") {
  const chacha20_key key{0x03020100u, 0x07060504u, 0x0b0a0908u, 0x0f0e0d0cu,
                         0x13121110u, 0x17161514u, 0x1b1a1918u, 0x1f1e1d1cu};
  CHECK(rfc_block(key, 1, {0x09000000u, 0x4a000000u, 0}) ==
        block{0xe4e7f110u, 0x15593bd1u, 0x1fdd0f50u, 0xc47120a3u, 0xc7f4d1c7u, 0x0368c033u, 0x9aaa2204u, 0x4e6cd4c3u,
              0x466482d2u, 0x09aa9f07u, 0x05d7c214u, 0xa2028bd9u, 0xd19c12b5u, 0xb94e16deu, 0xe883d0cbu, 0x4e3c50a2u});
}

TEST_CASE("ChaCha20 gives the blocks of RFC 8439, appendix A.1", "[random][chacha20]") {
  const chacha20_key zero{};
  CHECK(rfc_block(zero, 0, {0, 0, 0}) ==
        block{0xade0b876u, 0x903df1a0u, 0xe56a5d40u, 0x28bd8653u, 0xb819d2bdu, 0x1aed8da0u, 0xccef36a8u, 0xc70d778bu,
              0x7c5941dau, 0x8d485751u, 0x3fe02477u, 0x374ad8b8u, 0xf4b8436au, 0x1ca11815u, 0x69b687c3u, 0x8665eeb2u});
  CHECK(rfc_block(zero, 1, {0, 0, 0}) ==
        block{0xbee7079fu, 0x7a385155u, 0x7c97ba98u, 0x0d082d73u, 0xa0290fcbu, 0x6965e348u, 0x3e53c612u, 0xed7aee32u,
              0x7621b729u, 0x434ee69cu, 0xb03371d5u, 0xd539d874u, 0x281fed31u, 0x45fb0a51u, 0x1f0ae1acu, 0x6f4d794bu});
  CHECK(rfc_block({0, 0, 0, 0, 0, 0, 0, 0x01000000u}, 1, {0, 0, 0}) ==
        block{0x2452eb3au, 0x9249f8ecu, 0x8d829d9bu, 0xddd4ceb1u, 0xe8252083u, 0x60818b01u, 0xf38422b8u, 0x5aaa49c9u,
              0xbb00ca8eu, 0xda3ba7b4u, 0xc4b592d1u, 0xfdf2732fu, 0x4436274eu, 0x2561b3c8u, 0xebdd4aa6u, 0xa0136c00u});
  CHECK(rfc_block({0x0000ff00u, 0, 0, 0, 0, 0, 0, 0}, 2, {0, 0, 0}) ==
        block{0xfb4dd572u, 0x4bc42ef1u, 0xdf922636u, 0x327f1394u, 0xa78dea8fu, 0x5e269039u, 0xa1bebbc1u, 0xcaf09aaeu,
              0xa25ab213u, 0x48a6b46cu, 0x1b9d9bcbu, 0x092c5be6u, 0x546ca624u, 0x1bec45d5u, 0x87f47473u, 0x96f0992eu});
  CHECK(rfc_block(zero, 0, {0, 0, 0x02000000u}) ==
        block{0x374dc6c2u, 0x3736d58cu, 0xb904e24au, 0xcd3f93efu, 0x88228b1au, 0x96a4dfb3u, 0x5b76ab72u, 0xc727ee54u,
              0x0e0e978au, 0xf3145c95u, 0x1b748ea8u, 0xf786c297u, 0x99c28f5fu, 0x628314e8u, 0x398a19fau, 0x6ded1b53u});
}

TEST_CASE("The generator's words are the blocks 0, 1, ... of its stream, low half first", "[random][chacha20]") {
  const chacha20_key key{1, 2, 3, 4, 5, 6, 7, 8};
  chacha20 bits(key, 0x123456789abcdef0u);
  for (std::uint64_t counter = 0; counter < 3; ++counter) {
    const block expected = chacha20_block(key, counter, 0x123456789abcdef0u);
    for (std::size_t i = 0; i < 16; i += 2) CHECK(bits() == (expected[i] | std::uint64_t{expected[i + 1]} << 32));
  }
}

TEST_CASE("Key, counter and stream each change the block", "[random][chacha20]") {
  const block origin = chacha20_block({}, 0, 0);
  for (const std::uint64_t one :
       {std::uint64_t{1}, std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 63}) {
    CHECK(chacha20_block({}, one, 0) != origin);
    CHECK(chacha20_block({}, 0, one) != origin);
    CHECK(chacha20_block({}, one, 0) != chacha20_block({}, 0, one));
  }
}

TEST_CASE("A copied generator continues with the same words", "[random][chacha20]") {
  chacha20 bits({9}, 3);
  for (int i = 0; i < 5; ++i) bits();
  chacha20 copy = bits;
  for (int i = 0; i < 20; ++i) CHECK(copy() == bits());
}

TEST_CASE("Words drawn in bulk equal those drawn one by one, whatever the lengths", "[random][chacha20]") {
  const chacha20_key key{10, 20, 30, 40, 50, 60, 70, 80};
  constexpr std::uint64_t stream = 0xfedcba9876543210u;
  std::vector<std::uint64_t> expected(1200);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = word_of(key, stream, i);

  std::size_t wrong = 0;
  for (std::size_t singles = 0; singles <= 80; ++singles) {
    for (std::size_t length = 0; length <= 200; ++length) {
      chacha20 bits(key, stream);
      std::size_t at = 0;
      for (; at < singles; ++at) wrong += bits() != expected[at];
      // Twice, and single words between and after; a guard behind the span must stay.
      for (int round = 0; round < 2; ++round) {
        std::vector<std::uint64_t> words(length + 1, 0x5eed);
        bits.fill(std::span(words).first(length));
        wrong += !std::equal(words.begin(), words.end() - 1, expected.begin() + static_cast<std::ptrdiff_t>(at));
        wrong += words.back() != 0x5eed;
        at += length;
        for (std::size_t i = 0; i < 3; ++i) wrong += bits() != expected[at++];
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("seek finds every word, after single words and after words in bulk", "[random][chacha20]") {
  const chacha20_key key{1, 1, 2, 3, 5, 8, 13, 21};
  std::size_t wrong = 0;
  for (const std::uint64_t singles : {0u, 1u, 8u, 9u, 70u}) {
    for (const std::size_t bulk : {0u, 1u, 7u, 8u, 9u, 64u, 71u, 72u, 200u}) {
      for (std::uint64_t target = 0; target < 300; ++target) {
        chacha20 bits(key, 4);
        for (std::uint64_t i = 0; i < singles; ++i) bits();
        std::vector<std::uint64_t> words(bulk);
        bits.fill(words);
        bits.seek(target);
        for (std::uint64_t i = 0; i < 10; ++i) wrong += bits() != word_of(key, 4, target + i);
        bits.seek(target);  // back, and on in bulk
        words.resize(75);
        bits.fill(words);
        for (std::uint64_t i = 0; i < words.size(); ++i) wrong += words[i] != word_of(key, 4, target + i);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("The counter carries into its upper half, at each place in a group of blocks", "[random][chacha20]") {
  const chacha20_key key{3, 1, 4, 1, 5, 9, 2, 6};
  for (const std::uint64_t carry : {std::uint64_t{1} << 32, std::uint64_t{5} << 32, std::uint64_t{1} << 60}) {
    for (std::uint64_t before = 0; before <= 17; ++before) {
      const std::uint64_t first = (carry - before) * 8;
      CAPTURE(carry, before);
      chacha20 one_by_one(key, ~std::uint64_t{0});
      one_by_one.seek(first);
      chacha20 in_bulk(key, ~std::uint64_t{0});
      in_bulk.seek(first);
      std::vector<std::uint64_t> words(300);
      in_bulk.fill(words);
      std::size_t wrong = 0;
      for (std::uint64_t i = 0; i < words.size(); ++i) {
        const std::uint64_t expected = word_of(key, ~std::uint64_t{0}, first + i);
        wrong += words[i] != expected;
        wrong += one_by_one() != expected;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("The kernels of all instruction sets give the same blocks", "[random][chacha20]") {
  const chacha20_key key{2, 7, 1, 8, 2, 8, 1, 8};
  const auto start = dplda::detail::chacha20_start(key, 0xfffffffdu, 99);
  std::vector<std::uint64_t> words(3 * 64);
  const auto check = [&] {
    for (std::uint64_t i = 0; i < words.size(); ++i)
      CHECK(words[i] == word_of(key, 99, 8 * std::uint64_t{0xfffffffdu} + i));
    std::fill(words.begin(), words.end(), 0);
  };
  dplda::detail::own_isa::chacha20_eight_blocks(start.data(), 3, words.data());
  check();
  dplda::detail::chacha20_eight_blocks(start.data(), 3, words.data());
  check();
}
