// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_COMPANIONS_HPP
#define DPLDA_IO_DETAIL_COMPANIONS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/users.hpp>
#include <dplda/io/vocabulary.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace dplda::inline v0_1::detail {

/// An optional file.
using optional_path = std::optional<std::filesystem::path>;

/// Reads the optional files of a corpus, then the corpus: read(stream, name, vocabulary or null, users or
/// null). The small files come first, so that a wrong one is found early.
template <class Read>
corpus read_with_companions(const std::filesystem::path& path, const optional_path& vocab, const optional_path& users,
                            Read&& read) {
  const vocabulary_ptr words = vocab ? read_vocabulary(*vocab) : nullptr;
  std::optional<user_list> owners;
  if (users) owners = read_users(*users);
  auto in = open_to_read(path);
  return read(static_cast<std::istream&>(in), path.string(), words, owners ? &*owners : nullptr);
}

/// Closes a document. Throws parse_error if the counts of a repeated word add up to more than 2^32 - 1.
inline void end_document(corpus_builder& builder, const text_reader& reader) {
  try {
    builder.end_document();
  } catch (const std::overflow_error&) {
    reader.refuse("expected counts of one word in one document that add up to at most 4294967295");
  }
}

/// Builds a corpus, with owners where a list is given. Throws parse_error if the list does not have a line for each
/// document.
inline corpus build_with_users(corpus_builder& builder, vocabulary_ptr vocab, const user_list* users) {
  if (users != nullptr) {
    const std::size_t found = users->of_document.size();
    if (found != builder.size()) {
      throw parse_error(users->name, std::min(found, builder.size()) + 1,
                        text("expected ", builder.size(), " users, one for each document, found ", found));
    }
    builder.set_users(users->of_document, users->labels->size());
  }
  return builder.build(std::move(vocab));
}

/// The vocabulary of a format whose files do not state its size: the given one, or w0, w1, ... up to the largest id.
class implied_vocabulary {
 public:
  explicit implied_vocabulary(vocabulary_ptr given)
      : given_(std::move(given)), limit_(given_ == nullptr ? word_table::max_words : given_->size()) {}

  /// Reads a word id that counts from `first`, and returns it as counted from 0. Throws parse_error if it is beyond
  /// the vocabulary or below `first`, then with `advice` at the end of the message.
  std::uint64_t read_id(text_reader& reader, std::uint64_t first, const char* advice = "") {
    const std::uint64_t id = reader.number("a word id");
    if (id < first || id - first >= limit_) refuse_id(reader, first, id, id < first ? advice : "");
    if (id - first >= size_) {
      size_ = id - first + 1;
      line_ = reader.line();
    }
    return id - first;
  }

  /// Throws parse_error if the largest id is above what the whole text can need. The text has been read by now.
  vocabulary_ptr get(const text_reader& reader) const {
    if (given_ != nullptr) return given_;
    if (size_ > plausible_count(reader.bytes())) {
      throw parse_error(reader.name(), line_,
                        text("expected word ids that a file of this size can need, found one of ", size_));
    }
    return numbered_vocabulary(static_cast<std::size_t>(size_));
  }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_id(const text_reader& reader, std::uint64_t first,
                                                        std::uint64_t id, const char* advice) const {
    reader.refuse(text("expected one of ", limit_, " word ids from ", first, " on, found ", id, advice));
  }

  vocabulary_ptr given_;
  std::uint64_t limit_;
  std::uint64_t size_ = 0;
  std::size_t line_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif
