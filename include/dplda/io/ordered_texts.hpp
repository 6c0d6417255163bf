// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_ORDERED_TEXTS_HPP
#define DPLDA_IO_ORDERED_TEXTS_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/ordered_texts.hpp>
#include <dplda/io/tokenizer.hpp>
#include <dplda/io/users.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

/// Texts in memory as sequences of tokens, one document each, for phrases (vocabulary/phrase_selector.hpp). Stop words and
/// whatever else the tokenizer drops are left out before: "state of the art" gives "state art". The texts are as they
/// were written, so nothing is pruned. Throws as corpus_from_texts does.
inline ordered_texts ordered_from_texts(std::span<const std::string> texts, const tokenizer_options& options = {},
                                        const user_list* users = nullptr) {
  tokenizer tokens(options);
  vocabulary_builder words;
  std::vector<std::vector<word_id>> documents(texts.size());
  for (std::size_t d = 0; d < texts.size(); ++d) {
    tokens.scan(
        texts[d], [&](std::string_view token) { documents[d].push_back(words.add(token)); },
        detail::text("document ", d));
  }
  if (users == nullptr) return declare_unpruned(ordered_texts(std::move(documents), words.build()));
  if (users->of_document.size() != texts.size())
    throw parse_error(
        users->name, std::min(users->of_document.size(), texts.size()) + 1,
        detail::text("expected ", texts.size(), " users, one for each document, found ", users->of_document.size()));
  return declare_unpruned(
      ordered_texts(std::move(documents), words.build(), users->of_document, users->labels->size()));
}

}  // namespace dplda::inline v0_1

#endif
