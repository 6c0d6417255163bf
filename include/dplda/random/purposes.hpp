// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_PURPOSES_HPP
#define DPLDA_RANDOM_PURPOSES_HPP

// The purposes of random streams. A stream is chosen by the hash of its purpose's name, so two purposes with the same
// hash would share their random bits.
//
// Claim: no two purposes of the library have the same hash, and no caller's purpose has the hash of a library purpose
//   with another name.
// Argument: the list is complete, and its hashes are compared when this header is compiled. The compiler also compares
//   each name from elsewhere with the list at the place of its use. Names known only at run time are not accepted.
// Test: tests/random/source_test.cpp, which also reads all headers for names that are not listed

#include <dplda/core/config.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dplda::inline v0_1 {

namespace detail {

/// FNV-1a.
constexpr std::uint64_t purpose_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Every purpose that the library uses.
inline constexpr auto library_purposes = std::to_array<std::string_view>({
    "canaries",
    "coins",
    "decarolis.e2",
    "decarolis.e3",
    "decarolis.e5",
    "decarolis.e6",
    "decarolis.e7",
    "decarolis.e9",
    "decarolis.gap",
    "decarolis.sigma_k",
    "document without topics",
    "gibbs.document",
    "gibbs.start",
    "gibbs.sweep",
    "hdp.start",
    "hdp.tables",
    "hdp.weights",
    "held out",
    "length cap",
    "noise",
    "number of runs",
    "order of units",
    "park_svi.start",
    "private_token_gibbs.start",
    "private_token_gibbs.topics",
    "private_topics.gain",
    "private_topics.start",
    "same key",
    "sample",
    "sensitivity.learner",
    "sensitivity.pair",
    "shadow folder",
    "shadow halves",
    "shuffled topics",
    "spectral.deflation",
    "spectral.eigen",
    "spectral.frame",
    "sub_lda.noise",
    "sub_lda.sample",
    "sub_lda.start",
    "sub_lda.topics",
    "svi.order",
    "svi.start",
    "synthetic document",
    "synthetic topic",
    "token halves",
    "topic_dp.learner",
    "topic_dp.order",
    "topic_dp.part",
    "type halves",
    "words of a unit",
});

/// Whether all names have different hashes; false if a name is listed twice.
template <std::size_t count>
constexpr bool hashes_differ(const std::array<std::string_view, count>& names) {
  std::array<std::uint64_t, count> hashes{};
  std::transform(names.begin(), names.end(), hashes.begin(), purpose_hash);
  std::sort(hashes.begin(), hashes.end());
  return std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end();
}
static_assert(hashes_differ(library_purposes), "two purposes of random streams have the same hash: rename one");

/// Whether `name` is one of `names` or differs from all of them in its hash.
template <std::size_t count>
constexpr bool may_stand_beside(std::string_view name, const std::array<std::string_view, count>& names) {
  return std::all_of(names.begin(), names.end(), [name](std::string_view other) {
    return other == name || purpose_hash(other) != purpose_hash(name);
  });
}

/// Not constexpr, so that compilation ends where it is called.
inline void purpose_has_the_hash_of_another() {}

}  // namespace detail

/// The purpose of a random stream: a literal, as in stream("noise").
class stream_purpose {
 public:
  // Not explicit, so that a purpose can be written as a plain literal.
  consteval stream_purpose(const char* name) : hash_(detail::purpose_hash(name)) {
    if (!detail::may_stand_beside(name, detail::library_purposes)) detail::purpose_has_the_hash_of_another();
  }

  constexpr std::uint64_t hash() const noexcept { return hash_; }

 private:
  std::uint64_t hash_;
};

}  // namespace dplda::inline v0_1

#endif
