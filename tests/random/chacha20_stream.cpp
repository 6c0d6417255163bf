// SPDX-License-Identifier: Apache-2.0
// chacha20_stream <key> <first block> <stream> <KiB>: writes the stream's bytes from that block on to standard output,
// in calls of fill and single words by turns. The key is eight words in hexadecimal, joined by commas; the others
// decimal.

#include <dplda/random/chacha20.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

static_assert(std::endian::native == std::endian::little, "words are written as they lie in memory");

int main(int count, char** arguments) {
  if (count != 5) return 2;
  dplda::chacha20_key key{};
  std::istringstream words{std::string(arguments[1])};
  for (std::uint32_t& word : key) {
    words >> std::hex >> word;
    words.ignore(1, ',');
  }
  dplda::chacha20 bits(key, std::stoull(arguments[3]));
  bits.seek(std::stoull(arguments[2]) * 8);

  std::vector<std::uint64_t> buffer;
  std::size_t left = std::stoull(arguments[4]) * 128;
  for (std::size_t turn = 0; left > 0; ++turn) {
    buffer.resize(std::min<std::size_t>(left, turn % 3 == 0 ? 13 : 4096 + turn % 100));
    if (turn % 3 == 0) {
      for (std::uint64_t& word : buffer) word = bits();
    } else {
      bits.fill(buffer);
    }
    if (std::fwrite(buffer.data(), 8, buffer.size(), stdout) != buffer.size()) return 1;
    left -= buffer.size();
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
