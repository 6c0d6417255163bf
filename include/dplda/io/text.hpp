// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_TEXT_HPP
#define DPLDA_IO_TEXT_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/io/detail/companions.hpp>
#include <dplda/io/detail/text_reader.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/io/users.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// How text becomes a corpus. Words are numbered in the order of their bytes, so that the vocabulary does not tell
/// the order of the documents.
///
/// NOT private: which words a corpus holds, and which of them pass min_documents and max_document_share, depends on
/// single documents. Where topics are to be released under a privacy guarantee, the vocabulary must be public (give it
/// as `vocab`) or chosen privately from all words (prune nothing). Private learners refuse a corpus that was pruned here.
struct text_options {
  tokenizer_options tokens = {};
  std::size_t min_documents = 1;   ///< drop words that fewer documents hold
  double max_document_share = 1;   ///< drop words that a greater share of all documents holds
  vocabulary_ptr vocab = nullptr;  ///< if given: the vocabulary as it is; other words are dropped, nothing is pruned
};

namespace detail {

/// Makes a corpus of texts given one by one. Documents without a kept token stay as empty documents.
class text_collector {
 public:
  explicit text_collector(text_options options) : options_(std::move(options)), tokenizer_(options_.tokens) {
    require(options_.max_document_share >= 0 && options_.max_document_share <= 1, "text_options", "max_document_share",
            options_.max_document_share, "must lie in [0, 1]");
  }

  void add(std::string_view document, std::string_view name, std::size_t first_line) {
    if (options_.vocab != nullptr) {
      tokenizer_.scan(
          document,
          [this](std::string_view token) {
            if (const auto id = options_.vocab->find(token)) builder_.add(*id);
          },
          name, first_line);
    } else {
      tokenizer_.scan(
          document, [this](std::string_view token) { builder_.add(words_.add(token)); }, name, first_line);
    }
    builder_.end_document();
  }

  void add(std::span<const std::string> tokens) {
    for (const std::string& token : tokens) {
      require(!token.empty(), "corpus_from_tokens", "a token", "empty", "must not be empty");
      if (options_.vocab == nullptr) {
        builder_.add(words_.add(token));
      } else if (const auto id = options_.vocab->find(token)) {
        builder_.add(*id);
      }
    }
    builder_.end_document();
  }

  corpus finish(const user_list* users) {
    if (options_.vocab != nullptr) {
      const bool by_documents = options_.vocab->origin() == word_origin::documents;
      return with_pruning(build_with_users(builder_, options_.vocab, users),
                          by_documents ? pruning::unknown : pruning::none);
    }
    const bool dropped = options_.min_documents > 1 || options_.max_document_share < 1;
    const corpus all =
        with_pruning(build_with_users(builder_, words_.build(), users), dropped ? pruning::pruned : pruning::none);
    const std::vector<std::uint64_t> frequencies = document_frequencies(all);
    const double most = options_.max_document_share * static_cast<double>(all.size());
    std::vector<std::string_view> kept;
    for (word_id w = 0; w < all.words(); ++w) {
      if (frequencies[w] >= options_.min_documents && static_cast<double>(frequencies[w]) <= most) {
        kept.push_back(all.vocab()->word(w));
      }
    }
    std::sort(kept.begin(), kept.end());
    vocabulary_builder sorted;
    for (const std::string_view word : kept) sorted.add(word);
    return all.restrict_to(sorted.build());
  }

 private:
  text_options options_;
  tokenizer tokenizer_;
  vocabulary_builder words_;
  corpus_builder builder_;
};

}  // namespace detail

/// Makes a corpus of texts in memory, one document each.
/// Throws std::invalid_argument on wrong options, and parse_error on invalid UTF-8 (named "document 0" and so on) or if
/// the user list has another size.
inline corpus corpus_from_texts(std::span<const std::string> texts, const text_options& options = {},
                                const user_list* users = nullptr) {
  detail::text_collector collector(options);
  for (std::size_t d = 0; d < texts.size(); ++d) collector.add(texts[d], detail::text("document ", d), 1);
  return collector.finish(users);
}

/// Makes a corpus of tokenized documents. Tokens are kept as they are: options.tokens does not apply.
/// Throws std::invalid_argument on wrong options and on an empty token, and parse_error if the user list has another
/// size.
inline corpus corpus_from_tokens(std::span<const std::vector<std::string>> documents, const text_options& options = {},
                                 const user_list* users = nullptr) {
  detail::text_collector collector(options);
  for (const std::vector<std::string>& tokens : documents) collector.add(std::span<const std::string>(tokens));
  return collector.finish(users);
}

/// Reads a stream that holds a document on each line; an empty line is an empty document. `name` stands for the file in
/// messages. Throws as corpus_from_texts does.
inline corpus read_text(std::istream& in, const std::string& name, const text_options& options = {},
                        const user_list* users = nullptr) {
  detail::text_collector collector(options);
  detail::text_reader reader(in, name);
  while (const auto line = reader.next_line()) collector.add(*line, name, reader.last_line());
  return collector.finish(users);
}

/// Opens a text file that may be stored in another form (compressed, say).
using text_opener = std::function<std::unique_ptr<std::istream>(const std::filesystem::path&)>;

/// Reads a file that holds a document on each line, or a folder that holds a document in each file. A folder is read
/// with all folders below it in the order of the paths, without hidden files. `users` holds a user for each document, in
/// the order of the documents; null: unknown. Every file is opened by `open`. Throws as corpus_from_texts does, what
/// `open` throws, and parse_error if a file or folder cannot be read.
inline corpus read_text(const std::filesystem::path& path, const text_options& options, const user_list* users,
                        const text_opener& open) {
  std::error_code ignored;  // a path that cannot be inspected cannot be opened either
  if (!std::filesystem::is_directory(path, ignored)) return read_text(*open(path), path.string(), options, users);
  detail::text_collector collector(options);
  for (const auto& file : visible_files(path))
    collector.add(detail::rest_of(*open(file), file.string()), file.string(), 1);
  return collector.finish(users);
}

/// As above, for plain text files. `users` names a user file (see read_users).
inline corpus read_text(const std::filesystem::path& path, const text_options& options = {},
                        const detail::optional_path& users = {}) {
  std::optional<user_list> owners;
  if (users) owners = read_users(*users);
  return read_text(path, options, owners ? &*owners : nullptr, [](const std::filesystem::path& file) {
    return std::make_unique<std::ifstream>(open_to_read(file));
  });
}

}  // namespace dplda::inline v0_1

#endif
