// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_TINY_HPP
#define DPLDA_TESTS_SUPPORT_TINY_HPP

// Corpora and models small enough to write down.

#include <dplda/core/corpus.hpp>
#include <dplda/core/topic_model.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace dplda_tests {

/// The words w0, w1, ... as a public list.
inline dplda::vocabulary_ptr public_words(std::size_t words) {
  return dplda::declare_public(dplda::numbered_vocabulary(words));
}

/// The documents of a builder, made up for a test: unpruned, over the public words w0, w1, ...
inline dplda::corpus made_up(dplda::corpus_builder& builder, std::size_t words) {
  return dplda::declare_unpruned(builder.build(public_words(words)));
}

/// Documents as lists of tokens, over the words w0, w1, ...
inline dplda::corpus make_corpus(const std::vector<std::vector<dplda::word_id>>& documents, std::size_t words,
                                 std::vector<dplda::user_id> users = {}, std::size_t user_count = 0) {
  dplda::corpus_builder builder;
  for (const auto& tokens : documents) {
    for (const dplda::word_id word : tokens) builder.add(word);
    builder.end_document();
  }
  if (!users.empty()) builder.set_users(std::move(users), user_count);
  return made_up(builder, words);
}

/// A model from its rows, over the words w0, w1, ...
template <class Real = double>
dplda::topic_model<Real> make_model(const std::vector<std::vector<double>>& rows,
                                    const std::vector<double>& alpha = {}) {
  typename dplda::topic_model<Real>::matrix phi(static_cast<Eigen::Index>(rows.size()),
                                                static_cast<Eigen::Index>(rows.front().size()));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (std::size_t v = 0; v < rows[k].size(); ++v) {
      phi(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v)) = static_cast<Real>(rows[k][v]);
    }
  }
  const Eigen::VectorXd prior =
      Eigen::Map<const Eigen::VectorXd>(alpha.data(), static_cast<Eigen::Index>(alpha.size()));
  return dplda::topic_model<Real>(std::move(phi), public_words(rows.front().size()), prior);
}

/// A document as the list of its tokens, in ascending order.
inline std::vector<dplda::word_id> tokens_of(const dplda::document& doc) {
  std::vector<dplda::word_id> tokens;
  for (std::size_t n = 0; n < doc.size(); ++n) tokens.insert(tokens.end(), doc.counts[n], doc.words[n]);
  return tokens;
}

/// All documents as lists of tokens.
inline std::vector<std::vector<dplda::word_id>> tokens_of(const dplda::corpus& docs) {
  std::vector<std::vector<dplda::word_id>> all;
  for (std::size_t d = 0; d < docs.size(); ++d) all.push_back(tokens_of(docs[d]));
  return all;
}

}  // namespace dplda_tests

#endif
