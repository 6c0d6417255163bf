// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_RANDOM_SOURCE_HPP
#define DPLDA_RANDOM_SOURCE_HPP

// Where random numbers come from. Claims elsewhere assume uniform and independent bits. The bits of a stream are
// ChaCha20's under a secret key: nobody with feasible computing power is known to distinguish them from uniform ones.
// So the library's privacy is computational: it holds against anyone who cannot break ChaCha20.

#include <dplda/distributed/process_group.hpp>
#include <dplda/random/chacha20.hpp>
#include <dplda/random/detail/system_key.hpp>
#include <dplda/random/purposes.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
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
      : key_(std::exchange(other.key_, std::nullopt)),
        forks_(other.forks_.load()),
        seeded_(other.seeded_),
        processes_(other.processes_) {}
  random_source& operator=(random_source&& other) noexcept {
    key_ = std::exchange(other.key_, std::nullopt);
    forks_ = other.forks_.load();
    seeded_ = other.seeded_;
    processes_ = other.processes_;
    return *this;
  }

  /// Whether the key came from a seed that somebody may know. Such a source is for tests and experiments.
  bool seeded() const noexcept { return seeded_; }

  /// The processes that share the key (shared_random); otherwise this process alone. What is drawn from a shared key may
  /// only protect what all of them hold together: accumulators and sparse histograms see to that.
  const process_group& processes() const noexcept { return processes_; }

  /// A new source, for one fit or one release. Two forks of the same source never share a stream, even if they are made
  /// by two threads at once or in a copy of the process: the fork of a secret source has a fresh key from the operating
  /// system. (The fork of a shared source is derived from its key, because all processes make the same one. There the
  /// threads and copies of a process are not covered.) Throws std::logic_error, as stream does, if the source was moved
  /// from, and what secure_random throws.
  random_source fork();

  /// The stream for `purpose` and `id`; the same names always give the same stream.
  chacha20 stream(stream_purpose purpose, std::uint64_t id = 0) const {
    return chacha20(derive(purpose.hash(), 0), id);
  }

  friend random_source secure_random();
  friend random_source seeded_random(std::uint64_t seed);
  friend random_source shared_random(const process_group& processes);
  friend random_source shared_random(const process_group& processes, std::uint64_t seed);

 private:
  random_source(const chacha20_key& key, bool seeded, process_group processes = {})
      : key_(key), seeded_(seeded), processes_(std::move(processes)) {}

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
  process_group processes_;
};

/// A source with a fresh key from the operating system. Throws std::system_error if the system gives none: there is no
/// fall-back.
inline random_source secure_random() {
  chacha20_key key;
  detail::fill_from_system({reinterpret_cast<unsigned char*>(key.data()), sizeof key});
  return random_source(key, false);
}

inline random_source random_source::fork() {
  if (!key_ || seeded_ || !processes_.alone()) {
    const std::uint64_t number = forks_.fetch_add(1, std::memory_order_relaxed);
    return random_source(derive(number, 1), seeded_, processes_);
  }
  return secure_random();
}

/// A source whose every draw follows from `seed`. For tests and experiments, never for a release that must be private.
inline random_source seeded_random(std::uint64_t seed) {
  return random_source({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32), 0, 0, 0, 0, 0, 0},
                       true);
}

namespace detail {

/// Throws std::invalid_argument if processes share the source: what takes it knows the documents of one process only.
inline void require_one_process(const char* function, const random_source& random) {
  require(random.processes().alone(), function, "the random source", "shared by several processes",
          "must be that of one process, with all documents");
}

/// Tells processes whether they have the same key.
inline std::uint64_t tag_of(const random_source& key) { return key.stream("same key", 0)(); }

}  // namespace detail

/// The source of a fit by several processes: all have one fresh key, which process 0 draws and sends. It is as secret as
/// what lies between the processes. Throws as secure_random does, in all processes.
inline random_source shared_random(const process_group& processes) {
  chacha20_key key = processes.together([&] { return processes.rank() == 0 ? *secure_random().key_ : chacha20_key{}; });
  processes.broadcast(std::as_writable_bytes(std::span(key)), 0);
  return random_source(key, false, processes);
}

/// The same for tests and experiments: draws what seeded_random of this seed draws. All processes give the same seed.
inline random_source shared_random(const process_group& processes, std::uint64_t seed) {
  random_source random = seeded_random(seed);
  random.processes_ = processes;
  return random;
}

}  // namespace dplda::inline v0_1

#endif
