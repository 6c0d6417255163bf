// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_DISTRIBUTED_DETAIL_PROCESS_GROUP_IPP
#define DPLDA_DISTRIBUTED_DETAIL_PROCESS_GROUP_IPP

// Bodies of distributed/process_group.hpp, which has their claim, argument and test.

#include <dplda/distributed/process_group.hpp>

#include <algorithm>
#include <exception>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::uint64_t> process_group::exchange(std::uint64_t own) const noexcept {
  std::vector<std::uint64_t> words(size());
  words[rank()] = own;
  shared_->gather_slices(words, std::vector<std::size_t>(size(), 1));
  return words;
}

DPLDA_INLINE void process_group::send(std::span<std::byte> bytes, std::size_t from) const {
  for (std::size_t first = 0; first < bytes.size(); first += 8 * most_words)
    shared_->broadcast(bytes.subspan(first, std::min(8 * most_words, bytes.size() - first)), from);
}

DPLDA_INLINE void process_group::send(std::string& text, std::size_t from) const {
  std::uint64_t length = text.size();
  send(std::as_writable_bytes(std::span(&length, 1)), from);
  bool fits = true;
  try {
    text.resize(length);
  } catch (const std::exception&) {
    fits = false;
  }
  if (std::ranges::count(exchange(fits), 0u) > 0) {
    shared_->ended = true;
    throw process_failure(detail::text("dplda::process_group: a process has not enough memory for ", length,
                                       " bytes that it gets from process ", from));
  }
  send(std::as_writable_bytes(std::span(text)), from);
}

DPLDA_INLINE process_failure process_group::first_failure(std::span<const std::uint64_t> words, const std::string& own,
                                                          int code) const noexcept {
  shared_->ended = true;
  const auto first = static_cast<std::size_t>(std::find(words.begin(), words.end(), 0u) - words.begin());
  std::string sentence = own;
  send(sentence, first);
  send(std::as_writable_bytes(std::span(&code, 1)), first);
  return process_failure(sentence, code);
}

DPLDA_INLINE void process_group::begin(const char* operation, std::size_t length, std::uint64_t tag) const {
  if (shared_->ended) throw std::logic_error("dplda::process_group: the group has ended by a failure");
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t part) { hash = (hash ^ part) * 0x100000001b3u; };
  for (const char* c = operation; *c != 0; ++c) add(static_cast<unsigned char>(*c));
  add(length);
  add(tag);
  add(shared_->operations++);
  hash |= 1;  // 0 says that a process has failed
  const std::vector<std::uint64_t> words = exchange(hash);
  if (std::ranges::count(words, 0u) > 0) throw first_failure(words, {}, 1);
  if (std::ranges::count(words, hash) == static_cast<std::ptrdiff_t>(words.size())) return;
  shared_->ended = true;
  throw std::logic_error(
      "dplda::process_group: the processes do not do the same; all need the same options and the same calls");
}

DPLDA_INLINE void process_group::tell_failure(const std::string& sentence, int code) const noexcept {
  if (shared_->ended) return;
  first_failure(exchange(0), sentence, code);
}

DPLDA_INLINE void process_group::sum(std::span<std::uint64_t> words) const {
  if (alone()) return;
  begin("sum", words.size());
  for (std::size_t first = 0; first < words.size(); first += most_words)
    shared_->sum(words.subspan(first, std::min(most_words, words.size() - first)));
}

DPLDA_INLINE void process_group::sum_in_slices(std::span<std::uint64_t> words, std::size_t block,
                                               detail::function_ref<void(std::size_t, std::size_t)> finish,
                                               std::uint64_t tag) const {
  if (alone()) return finish(0, words.size());
  // Pieces of whole blocks, at least one for each process.
  const std::size_t blocks_each = std::max<std::size_t>(1, most_words / (block * size())),
                    piece = blocks_each * block * size();
  std::vector<std::size_t> sizes(size());
  begin("sum in slices", words.size(), tag);
  std::exception_ptr failure;  // told at the end: the others wait for this process's slices
  for (std::size_t first = 0; first < words.size(); first += piece) {
    const std::span<std::uint64_t> part = words.subspan(first, std::min(piece, words.size() - first));
    const std::size_t blocks = (part.size() + block - 1) / block;
    std::size_t begin = 0, own = 0;
    for (std::size_t r = 0; r < size(); ++r) {
      const std::size_t end = std::min(part.size(), (r + 1) * blocks / size() * block);
      sizes[r] = end - begin;
      if (r == rank()) own = begin;
      begin = end;
    }
    shared_->sum_slices(part, sizes);
    try {
      if (sizes[rank()] > 0 && !failure) finish(first + own, first + own + sizes[rank()]);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure) std::ranges::fill(part.subspan(own, sizes[rank()]), 0u);
    shared_->gather_slices(part, sizes);
  }
  together([&] {
    if (failure) std::rethrow_exception(failure);
  });
}

DPLDA_INLINE std::vector<std::uint64_t> process_group::gather(std::uint64_t own) const {
  if (alone()) return {own};
  begin("gather a number", 1);
  return exchange(own);
}

DPLDA_INLINE std::vector<std::string> process_group::gather(std::string_view own) const {
  if (alone()) return {std::string(own)};
  std::vector<std::string> all(size());
  all[rank()] = own;
  begin("gather", 1);
  for (std::size_t r = 0; r < size(); ++r) send(all[r], r);
  return all;
}

DPLDA_INLINE void process_group::broadcast(std::span<std::byte> bytes, std::size_t from) const {
  if (alone()) return;
  begin("broadcast", bytes.size());
  send(bytes, from);
}

DPLDA_INLINE void process_group::broadcast(std::string& text, std::size_t from) const {
  if (alone()) return;
  begin("broadcast of a text", from);
  send(text, from);
}

}  // namespace dplda::inline v0_1

#endif
