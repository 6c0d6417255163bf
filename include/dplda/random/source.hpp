// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_SOURCE_HPP
#define DPLDA_RANDOM_SOURCE_HPP

// Where random numbers come from. Claims elsewhere assume uniform and independent bits. The bits of a stream are
// ChaCha20's under a secret key: nobody with feasible computing power is known to distinguish them from uniform ones.
// So the library's privacy is computational: it holds against anyone who cannot break ChaCha20.

#include <dplda/random/chacha20.hpp>
#include <dplda/random/detail/system_key.hpp>
#include <dplda/random/purposes.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>

namespace dplda::inline v0_1 {

/// The source of all randomness of a run: one 256-bit key. A stream is named by a purpose and a stable number, so a
/// document's draws depend neither on other documents nor on the number of threads.
class random_source {
 public:
  // Not copyable: two copies would give the same streams, and the difference of two releases with the same noise
  // reveals what must stay secret. For the same reason a moved-from source refuses to work.
  random_source(const random_source&) = delete;
  random_source& operator=(const random_source&) = delete;
  random_source(random_source&& other) noexcept
      : key_(std::exchange(other.key_, std::nullopt)), forks_(other.forks_.load()), seeded_(other.seeded_) {}
  random_source& operator=(random_source&& other) noexcept {
    key_ = std::exchange(other.key_, std::nullopt);
    forks_ = other.forks_.load();
    seeded_ = other.seeded_;
    return *this;
  }

  /// Whether the key came from a seed that somebody may know. Such a source is for tests and experiments.
  bool seeded() const noexcept { return seeded_; }

  /// A new source, for one fit or one release. Two forks of the same source never share a stream, even if they are made
  /// by two threads at once or in a copy of the process: the fork of a secret source has a fresh key from the operating
  /// system. Throws std::logic_error, as stream does, if the source was moved from, and what secure_random throws.
  random_source fork();

  /// The stream for `purpose` and `id`; the same names always give the same stream.
  chacha20 stream(stream_purpose purpose, std::uint64_t id = 0) const {
    return chacha20(derive(purpose.hash(), 0), id);
  }

  friend random_source secure_random();
  friend random_source seeded_random(std::uint64_t seed);

 private:
  random_source(const chacha20_key& key, bool seeded) : key_(key), seeded_(seeded) {}

  // The key itself only makes keys, never output: block (name, kind) is a pseudo-random function of its name, and half
  // of the block is a key.
  chacha20_key derive(std::uint64_t name, std::uint64_t kind) const {
    if (!key_) throw std::logic_error("dplda::random_source: used after it was moved from");
    const auto block = chacha20_block(*key_, name, kind);
    return {block[0], block[1], block[2], block[3], block[4], block[5], block[6], block[7]};
  }

  std::optional<chacha20_key> key_;  // empty: moved from
  std::atomic<std::uint64_t> forks_ = 0;
  bool seeded_;
};

/// A source with a fresh key from the operating system. Throws std::system_error if the system gives none: there is no
/// fall-back.
inline random_source secure_random() {
  chacha20_key key;
  detail::fill_from_system({reinterpret_cast<unsigned char*>(key.data()), sizeof key});
  return random_source(key, false);
}

inline random_source random_source::fork() {
  if (!key_ || seeded_) {
    const std::uint64_t number = forks_.fetch_add(1, std::memory_order_relaxed);
    return random_source(derive(number, 1), true);
  }
  return secure_random();
}

/// A source whose every draw follows from `seed`. For tests and experiments, never for a release that must be private.
inline random_source seeded_random(std::uint64_t seed) {
  return random_source({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0, 0, 0, 0, 0},
                       true);
}

}  // namespace dplda::inline v0_1

#endif
