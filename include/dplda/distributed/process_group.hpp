// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DISTRIBUTED_PROCESS_GROUP_HPP
#define DPLDA_DISTRIBUTED_PROCESS_GROUP_HPP

// Claim: every process of a group leaves each operation in the same way. Either all have done it, or all have an
//   exception; none waits for one that never comes, as long as none is killed (which is the communicator's to notice).
// Preconditions: the processes do the same operations in the same order, or leave together() by an exception. The
//   communicator delivers.
// Argument: an operation begins with one word from each process to all: 0 from a process that has failed, otherwise a
//   hash of the operation, its size and the number of operations before it. Each process sees the same words, so all
//   decide alike: to go on if they are equal and not 0. Otherwise all read the sentence of the first process that failed,
//   and the group has ended: later operations throw at once.
// What travels: whatever the processes hand in, without noise. So processes of one group are one trust domain, and so is
//   what lies between them (distributed/README.md).
// Test: tests/distributed/process_group_test.cpp

#include <dplda/core/detail/function_ref.hpp>
#include <dplda/core/errors.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// What carries numbers between processes: mpi_communicator, or one of your own. Each operation is done by all processes
/// at once. Slices lie one after the other; slice r, of sizes[r] words, is that of process r.
template <class C>
concept Communicator = std::move_constructible<C> &&
    requires(C& c, std::span<std::uint64_t> words, std::span<const std::size_t> sizes, std::span<std::byte> bytes) {
  { c.rank() } -> std::convertible_to<std::size_t>;
  { c.size() } -> std::convertible_to<std::size_t>;
  c.sum(words);                        // of all processes, modulo 2^64, in place
  c.sum_slices(words, sizes);          // the same, but each process needs its own slice only; the rest may be anything
  c.gather_slices(words, sizes);       // each process brings its slice and gets the others'
  c.broadcast(bytes, std::size_t{0});  // from the process of that rank to all
};

/// A process of the group failed, this one or another. what() is the sentence of the first one.
class process_failure : public std::runtime_error {
 public:
  explicit process_failure(const std::string& sentence, int code = 1) : std::runtime_error(sentence), code_(code) {}
  /// The exit code that all processes of a program agree on.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Processes that work on one fit, each with its part of the documents. By default a process is alone, and then all of
/// this costs nothing. Copies are the same group. Only one thread of a process uses it at a time.
///
///   dplda::mpi_session mpi(argc, argv);
///   auto random = dplda::shared_random(mpi.processes());
///   const auto topics = learner.fit(own_part(docs, false, mpi.processes()), random);  // the same in all processes
class process_group {
 public:
  process_group() = default;
  /// The group that this communicator connects.
  template <Communicator C>
  explicit process_group(C communicator);

  std::size_t rank() const noexcept { return shared_ == nullptr ? 0 : shared_->rank; }
  std::size_t size() const noexcept { return shared_ == nullptr ? 1 : shared_->size; }
  bool alone() const noexcept { return size() == 1; }

  /// The sum over all processes, modulo 2^64, in place.
  void sum(std::span<std::uint64_t> words) const;

  /// The same sum, of which each process finishes a part: finish(first, last) is called where words [first, last) are
  /// summed, in pieces that begin at multiples of `block`, and changes them in place. In the end all processes have
  /// what was made of all words. No process sees sums that it does not finish. The tag, which must be the same in all,
  /// tells what finish does.
  void sum_in_slices(std::span<std::uint64_t> words, std::size_t block,
                     detail::function_ref<void(std::size_t, std::size_t)> finish, std::uint64_t tag = 0) const;

  /// Each process's number, and each process's text, by rank.
  std::vector<std::uint64_t> gather(std::uint64_t own) const;
  std::vector<std::string> gather(std::string_view own) const;

  /// Replaces what others have by what the process of this rank has.
  void broadcast(std::span<std::byte> bytes, std::size_t from) const;
  void broadcast(std::string& text, std::size_t from) const;

  /// Returns work(), and does not before all processes have done theirs. If it throws in any process, it throws in all:
  /// there what was thrown, elsewhere a process_failure that says the same.
  template <class Work>
  std::invoke_result_t<Work&> together(Work&& work) const {
    if (alone()) return work();
    try {
      if constexpr (std::is_void_v<std::invoke_result_t<Work&>>) {
        work();
        meet();
      } else {
        auto result = work();
        meet();
        return result;
      }
    } catch (const process_failure& failure) {
      tell_failure(failure.what(), failure.code());
      throw;
    } catch (const std::exception& error) {
      tell_failure(error.what(), 1);
      throw;
    } catch (...) {
      tell_failure("a process was stopped", 1);
      throw;
    }
  }

 private:
  // A communicator of any type.
  struct carrier {
    virtual ~carrier() = default;
    virtual void sum(std::span<std::uint64_t> words) = 0;
    virtual void sum_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) = 0;
    virtual void gather_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) = 0;
    virtual void broadcast(std::span<std::byte> bytes, std::size_t from) = 0;

    std::size_t rank = 0, size = 1;
    std::uint64_t operations = 0;
    bool ended = false;
  };

  template <class C>
  struct carrier_of final : carrier {
    explicit carrier_of(C c) : communicator(std::move(c)) {
      rank = communicator.rank();
      size = communicator.size();
    }
    void sum(std::span<std::uint64_t> words) override { communicator.sum(words); }
    void sum_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) override {
      communicator.sum_slices(words, sizes);
    }
    void gather_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) override {
      communicator.gather_slices(words, sizes);
    }
    void broadcast(std::span<std::byte> bytes, std::size_t from) override { communicator.broadcast(bytes, from); }

    C communicator;
  };

  // All that is handed over at once; longer arrays go in pieces, which bounds the communicator's own memory.
  static constexpr std::size_t most_words = std::size_t{1} << 22;

  // The word that begins an operation. Throws if the processes do not all begin the same one.
  void begin(const char* operation, std::size_t size, std::uint64_t tag = 0) const;
  void meet() const { begin("meet", 0); }
  // Tells the others that this process has failed, unless the group has ended.
  void tell_failure(const std::string& sentence, int code) const noexcept;
  // The sentence and the code of the first process whose word is 0.
  process_failure first_failure(std::span<const std::uint64_t> words, const std::string& own, int code) const noexcept;
  std::vector<std::uint64_t> exchange(std::uint64_t own) const noexcept;
  void send(std::span<std::byte> bytes, std::size_t from) const;
  void send(std::string& text, std::size_t from) const;

  std::shared_ptr<carrier> shared_;
};

template <Communicator C>
process_group::process_group(C communicator) : shared_(std::make_shared<carrier_of<C>>(std::move(communicator))) {}

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/distributed/detail/process_group.ipp>
#endif

#endif
