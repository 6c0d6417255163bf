// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TEXT_COLLECTOR_HPP
#define DPLDA_IO_DETAIL_TEXT_COLLECTOR_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/io/users.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// Throws std::invalid_argument if the options prune, or ask for the order of words: a part does not know the words of the
/// others.
inline void check_prunes_nothing(const text_options& options) {
  require(options.order == nullptr, "text_options", "order", "given", "must be null where a part is read");
  require(options.min_documents <= 1, "text_options", "min_documents", options.min_documents,
          "must be 1 where a part is read");
  require(options.max_document_share >= 1, "text_options", "max_document_share", options.max_document_share,
          "must be 1 where a part is read");
}

/// Makes a corpus of texts given one by one. Documents without a kept token stay as empty documents.
class text_collector {
 public:
  explicit text_collector(text_options options)
      : options_(std::move(options)), tokenizer_(options_.tokens), builder_(options_.storage) {
    require(options_.max_document_share >= 0 && options_.max_document_share <= 1, "text_options", "max_document_share",
            options_.max_document_share, "must lie in [0, 1]");
  }

  void add(std::string_view document, std::string_view name, std::size_t first_line) {
    if (options_.vocab != nullptr) {
      tokenizer_.scan(
          document,
          [this](std::string_view token) {
            if (const auto id = options_.vocab->find(token)) add_word(*id);
          },
          name, first_line);
    } else {
      tokenizer_.scan(
          document, [this](std::string_view token) { add_word(words_.add(token)); }, name, first_line);
    }
    end_document();
  }

  void add(std::span<const std::string> tokens) {
    tokens_ = true;
    for (const std::string& token : tokens) {
      require(!token.empty(), "corpus_from_tokens", "a token", "empty", "must not be empty");
      if (options_.vocab == nullptr) {
        add_word(words_.add(token));
      } else if (const auto id = options_.vocab->find(token)) {
        add_word(*id);
      }
    }
    end_document();
  }

  corpus finish(const user_list* users) {
    if (options_.vocab != nullptr) {
      const bool by_documents = options_.vocab->origin() == word_origin::documents;
      if (options_.order != nullptr) *options_.order = std::move(order_);
      return with_pruning(build_with_users(builder_, options_.vocab, users),
                          std::max(as_given(), by_documents ? pruning::pruned : pruning::none));
    }
    const bool dropped = options_.min_documents > 1 || options_.max_document_share < 1;
    const corpus all =
        with_pruning(build_with_users(builder_, words_.build(), users), dropped ? pruning::pruned : as_given());
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
    const vocabulary_ptr words = sorted.build();
    if (options_.order != nullptr) keep_order(*all.vocab(), *words);
    return all.restrict_to(words);
  }

 private:
  /// Texts come as they were written; tokens do not tell whether other documents decided which of them are left.
  pruning as_given() const { return tokens_ ? pruning::unknown : pruning::none; }

  void add_word(word_id word) {
    builder_.add(word);
    if (options_.order != nullptr) document_.push_back(word);
  }

  void end_document() {
    builder_.end_document();
    if (options_.order != nullptr) order_.push_back(std::exchange(document_, {}));
  }

  // Hands over the order, with the words' new numbers.
  void keep_order(const vocabulary& before, const vocabulary& after) {
    for (std::vector<word_id>& document : order_) {
      std::size_t kept = 0;
      for (const word_id word : document) {
        if (const auto id = after.find(before.word(word))) document[kept++] = *id;
      }
      document.resize(kept);
    }
    *options_.order = std::move(order_);
  }

  text_options options_;
  tokenizer tokenizer_;
  vocabulary_builder words_;
  corpus_builder builder_;
  std::vector<std::vector<word_id>> order_;
  std::vector<word_id> document_;
  bool tokens_ = false;
};

}  // namespace dplda::inline v0_1::detail

#endif
