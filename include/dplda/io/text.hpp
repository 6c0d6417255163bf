// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_TEXT_HPP
#define DPLDA_IO_TEXT_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dplda::inline v0_1 {

/// How text becomes a corpus. Words are numbered in the order of their bytes, so that the vocabulary does not tell
/// the order of the documents.
///
/// Texts are taken as they were written. A private learner relies on that: if words of a text were dropped, joined or
/// replaced after a look at other texts, say by a filter of rare words or by phrases learned from them, then no guarantee
/// holds, and nothing here can tell.
///
/// NOT private: which words a corpus holds, and which of them pass min_documents and max_document_share, depends on
/// single documents. Where topics are to be released under a privacy guarantee, the vocabulary must be public (give it
/// as `vocab`) or chosen privately from all words (prune nothing). Private learners refuse a corpus that was pruned here.
struct text_options {
  tokenizer_options tokens = {};
  std::size_t min_documents = 1;   ///< drop words that fewer documents hold
  double max_document_share = 1;   ///< drop words that a greater share of all documents holds
  vocabulary_ptr vocab = nullptr;  ///< if given: the vocabulary as it is; other words are dropped, nothing is pruned
  /// Take every line (or file) as a document, even if it is named or looks like a table or JSON (io/table_like.hpp).
  bool any_lines = false;
  corpus_storage storage = {};  ///< where the corpus is kept; by mapped_storage it may be larger than memory
  /// If given: the words of each document in their order, which a corpus loses, are stored here, as numbers of the
  /// corpus's words (in_order makes ordered_texts of both). Not where a part is read.
  std::vector<std::vector<word_id>>* order = nullptr;
};

/// Makes a corpus of texts in memory, one document each.
/// Throws std::invalid_argument on wrong options, and parse_error on invalid UTF-8 (named "document 0" and so on) or if
/// the user list has another size.
corpus corpus_from_texts(std::span<const std::string> texts, const text_options& options = {},
                         const user_list* users = nullptr);

/// Makes a corpus of tokenized documents. Tokens are kept as they are: options.tokens does not apply. They do not tell
/// how they were chosen, so private learners ask for declare_unpruned(docs) (core/corpus.hpp).
/// Throws std::invalid_argument on wrong options and on an empty token, and parse_error if the user list has another
/// size.
corpus corpus_from_tokens(std::span<const std::vector<std::string>> documents, const text_options& options = {},
                          const user_list* users = nullptr);

/// Reads a stream that holds a document on each line; an empty line is an empty document. `name` stands for the file in
/// messages. Throws as corpus_from_texts does, and parse_error if the stream looks like a table or JSON.
corpus read_text(std::istream& in, const std::string& name, const text_options& options = {},
                 const user_list* users = nullptr);

/// Opens a text file that may be stored in another form (compressed, say).
using text_opener = std::function<std::unique_ptr<std::istream>(const std::filesystem::path&)>;

/// Reads a file that holds a document on each line, or a folder that holds a document in each file. A folder is read
/// with all folders below it in the order of the paths, without hidden files. `users` holds a user for each document, in
/// the order of the documents; null: unknown. Every file is opened by `open`. Throws as corpus_from_texts does, what
/// `open` throws, and parse_error if a file or folder cannot be read, is named like a table or JSON, or is a file that looks
/// like one.
corpus read_text(const std::filesystem::path& path, const text_options& options, const user_list* users,
                 const text_opener& open);

/// As above, for plain text files. `users` names a user file (see read_users).
corpus read_text(const std::filesystem::path& path, const text_options& options = {},
                 const detail::optional_path& users = {});

/// Reads a part of a text: the lines that begin in the part's even share of the bytes. The stream is at its beginning and
/// can seek. Throws as read_text does, and std::invalid_argument if the options prune, for which the other parts' words
/// would have to be known.
corpus_part read_text_part(std::istream& in, const std::string& name, const input_part& part,
                           const text_options& options = {});

/// Reads a part of a file, as above, or of a folder: files in the order of read_text that begin in the part's even share
/// when all of them are laid end to end. Every file is opened by `open`.
corpus_part read_text_part(const std::filesystem::path& path, const input_part& part, const text_options& options,
                           const text_opener& open);

/// As above, for plain text files.
corpus_part read_text_part(const std::filesystem::path& path, const input_part& part, const text_options& options = {});

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/text.ipp>
#endif

#endif
