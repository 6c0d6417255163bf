// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/sha256.hpp>

#include "io/io_support.hpp"

#include <sstream>
#include <string>

using dplda::sha256;
using dplda::sha256_hex;

// FIPS 180-4 examples and NIST's long-message value.
TEST_CASE("SHA-256 gives the published digests", "[sha256]") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
                   "pqrstnopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256_hex(std::string(1000000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("SHA-256 does not depend on the pieces", "[sha256]") {
  for (std::size_t size = 0; size < 200; ++size) {
    std::string text;
    for (std::size_t i = 0; i < size; ++i) text += static_cast<char>(i * 37 + size);
    sha256 pieces;
    for (std::size_t i = 0; i < size; i += 1 + i % 5) pieces.update(std::string_view(text).substr(i, 1 + i % 5));
    std::istringstream in(text);
    CHECK(pieces.hex() == sha256_hex(text));
    CHECK(sha256_hex(in) == sha256_hex(text));
  }
}
