// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_ORDERED_TEXTS_HPP
#define DPLDA_IO_ORDERED_TEXTS_HPP

#include <dplda/core/ordered_texts.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// What a reader of text found, with the order of words that it stored (text_options::order). The texts are known to be
/// unpruned if the corpus is. Throws std::invalid_argument as ordered_texts does, if the numbers of documents differ, and if
/// the reader pruned words.
inline ordered_texts in_order(const corpus& docs, std::vector<std::vector<word_id>> order) {
  detail::require(order.size() == docs.size(), "in_order", "number of documents", order.size(),
                  "must be that of the corpus");
  detail::require(docs.pruning() != pruning::pruned, "in_order", "the corpus", "pruned by looking at documents",
                  "must have all words of the texts, or those of a public list");
  std::vector<user_id> users;
  if (docs.has_users()) {
    for (std::size_t d = 0; d < docs.size(); ++d) users.push_back(docs.user(d));
  }
  const std::size_t user_count = users.empty() ? 0 : docs.users();
  ordered_texts texts(std::move(order), docs.vocab(), std::move(users), user_count);
  return docs.pruning() == pruning::none ? declare_unpruned(std::move(texts)) : texts;
}

/// Texts in memory as sequences of tokens, one document each, for phrases (vocabulary/phrase_selector.hpp). Stop words and
/// whatever else the tokenizer drops are left out before: "state of the art" gives "state art". The texts are as they
/// were written, so nothing is pruned. Throws as corpus_from_texts does.
inline ordered_texts ordered_from_texts(std::span<const std::string> texts, const tokenizer_options& options = {},
                                        const user_list* users = nullptr) {
  std::vector<std::vector<word_id>> order;
  const corpus docs = corpus_from_texts(texts, {.tokens = options, .order = &order}, users);
  return in_order(docs, std::move(order));
}

}  // namespace dplda::inline v0_1

#endif
