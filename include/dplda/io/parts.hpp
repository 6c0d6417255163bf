// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_PARTS_HPP
#define DPLDA_IO_PARTS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/io/labels.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

// One corpus read by several processes, each a part of it. Every process calls read_..._part (text.hpp, tables.hpp,
// uci.hpp, matrix_market.hpp, lda_c.hpp, svmlight.hpp) with its number, sends summary() to all others by whatever means it has,
// and calls in_whole with the summaries of all. The parts' documents, in the order of the parts, are then those of the
// whole, with the same ids, words, users and groups, for any number of parts. Parts of a packed corpus (open_corpus_part)
// are numbered as in the whole from the start.

namespace dplda::inline v0_1 {

/// One of several parts, which together are a whole input: part `index`, from 0, of `of`.
struct input_part {
  std::size_t index = 0;
  std::size_t of = 1;
};

/// What one part of an input holds.
struct corpus_part {
  labelled_corpus found = {};
  std::string name = {};         ///< of the input, for messages
  bool words_are_given = false;  ///< the words are a list that all parts have, not those of this part's documents
  bool numbered = false;         ///< ids, words, users and groups are those of the whole already
  std::uint64_t entries = 0;     ///< lines with an entry in this part, where these are counted
  std::optional<std::uint64_t> announced = {};  ///< as many as a header says that all parts have

  /// By in_whole: the position of the first document in the whole, and the number of documents in it.
  std::uint64_t first = 0;
  std::uint64_t documents = 0;

  /// What the other parts must know of this one: sizes, words, and the names of users and groups, as bytes. It is
  /// as private as the documents, and may be sent only to processes that might read them as well.
  std::string summary() const;
};

/// This part with ids, words, users and groups as in the whole. `summaries` are those of all parts, in their order.
/// `users` are the owners of all documents, where a file of its own says them (read_users).
/// Throws std::invalid_argument if the summaries are not those of as many parts, and parse_error if a
/// header announces another number of entries than the parts have, or if there is not one user for each document: the same
/// error from every part.
corpus_part in_whole(corpus_part part, const input_part& which, std::span<const std::string> summaries,
                     const user_list* users = nullptr);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/parts.ipp>
#endif

#endif
