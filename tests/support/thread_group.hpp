// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_THREAD_GROUP_HPP
#define DPLDA_TESTS_SUPPORT_THREAD_GROUP_HPP

// Threads that play the processes of a group, so that distributed fits are tested without MPI.

#include <dplda/distributed/process_group.hpp>

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace dplda_tests {

/// A Communicator between threads of this program. What an operation leaves undefined is filled with rubbish.
class thread_communicator {
 public:
  explicit thread_communicator(std::size_t size)
      : meeting_(std::make_shared<meeting>(static_cast<std::ptrdiff_t>(size))), size_(size) {
    meeting_->words.resize(size);
    meeting_->bytes.resize(size);
  }
  thread_communicator of_rank(std::size_t rank) const {
    thread_communicator other = *this;
    other.rank_ = rank;
    return other;
  }

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }

  void sum(std::span<std::uint64_t> words) {
    meeting_->words[rank_] = words;
    wait();
    const std::vector<std::uint64_t> sums = sum_of(0, words.size());
    wait();
    std::copy(sums.begin(), sums.end(), words.begin());
  }

  void sum_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) {
    meeting_->words[rank_] = words;
    wait();
    const std::size_t first = begin(sizes, rank_);
    const std::vector<std::uint64_t> sums = sum_of(first, sizes[rank_]);
    wait();
    std::fill(words.begin(), words.end(), 0xDEADBEEFDEADBEEFu);
    std::copy(sums.begin(), sums.end(), words.begin() + static_cast<std::ptrdiff_t>(first));
  }

  void gather_slices(std::span<std::uint64_t> words, std::span<const std::size_t> sizes) {
    meeting_->words[rank_] = words;
    wait();
    for (std::size_t r = 0; r < size_; ++r) {
      const std::size_t first = begin(sizes, r);
      // Other processes only read what is copied here: their own slices.
      if (r != rank_)
        std::copy_n(meeting_->words[r].begin() + static_cast<std::ptrdiff_t>(first), sizes[r],
                    words.begin() + static_cast<std::ptrdiff_t>(first));
    }
    wait();
  }

  void broadcast(std::span<std::byte> bytes, std::size_t from) {
    meeting_->bytes[rank_] = bytes;
    wait();
    if (rank_ != from) std::copy(meeting_->bytes[from].begin(), meeting_->bytes[from].end(), bytes.begin());
    wait();
  }

 private:
  struct meeting {
    explicit meeting(std::ptrdiff_t size) : all(size) {}
    std::barrier<> all;
    std::vector<std::span<std::uint64_t>> words;
    std::vector<std::span<std::byte>> bytes;
  };

  void wait() { meeting_->all.arrive_and_wait(); }
  static std::size_t begin(std::span<const std::size_t> sizes, std::size_t rank) {
    std::size_t sum = 0;
    for (std::size_t r = 0; r < rank; ++r) sum += sizes[r];
    return sum;
  }
  std::vector<std::uint64_t> sum_of(std::size_t first, std::size_t count) const {
    std::vector<std::uint64_t> sums(count);
    for (const std::span<std::uint64_t> words : meeting_->words) {
      for (std::size_t i = 0; i < count; ++i) sums[i] += words[first + i];
    }
    return sums;
  }

  std::shared_ptr<meeting> meeting_;
  std::size_t size_, rank_ = 0;
};

/// What work(group) returns in each of `size` processes, by rank. If it throws in one, the others are told, and the
/// exception of the lowest rank that has one is rethrown.
template <class Work>
auto in_processes(std::size_t size, const Work& work) {
  using result = std::invoke_result_t<const Work&, const dplda::process_group&>;
  const thread_communicator all(size);
  std::vector<std::unique_ptr<result>> results(size);
  std::vector<std::exception_ptr> errors(size);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < size; ++r) {
    threads.emplace_back([&, r] {
      const dplda::process_group group(all.of_rank(r));
      try {
        group.together([&] { results[r] = std::make_unique<result>(work(group)); });
      } catch (...) {
        errors[r] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  std::vector<result> found;
  for (auto& each : results) found.push_back(std::move(*each));
  return found;
}

}  // namespace dplda_tests

#endif
