// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_FURTHER_WORDS_HPP
#define DPLDA_VOCABULARY_FURTHER_WORDS_HPP

// Claim: the words that further_words() adds are (epsilon, delta)-DP as the selector's guarantee says, and its ledger is
//   the release's. The known words cost these documents nothing.
// Preconditions: those of vocabulary_selector.hpp. The known words are public, or were released: from other documents
//   (inference/earlier_topics.hpp), or from these, and then the selector's options.before has their cost.
// Argument: given the known words, leaving them out maps each document by itself and keeps it, with its id and user, if
//   nothing is left of it. So neighbours stay neighbours, and units stay the same. What the selector releases of the rest
//   is put behind the known words, which is post-processing.
// Test: tests/vocabulary/further_words_test.cpp, mutants further_words_*

#include <dplda/core/corpus.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

/// The documents without these words. Documents that lose all words stay as empty documents.
inline corpus without_words(const corpus& docs, const vocabulary& known) {
  vocabulary_builder others;
  std::vector<word_id> other(docs.words());
  std::vector<bool> kept(docs.words());
  for (word_id w = 0; w < docs.words(); ++w) {
    kept[w] = !known.find(docs.vocab()->word(w));
    if (kept[w]) other[w] = others.add(docs.vocab()->word(w));
  }
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      if (kept[doc.words[n]]) builder.add(other[doc.words[n]], doc.counts[n]);
    }
    builder.end_document();
    ids.push_back(doc.id);
    users.push_back(docs.user(d));
  }
  builder.set_ids(std::move(ids));
  if (docs.has_users()) builder.set_users(std::move(users), docs.users());
  return with_pruning(builder.build(others.build()), docs.pruning());
}

}  // namespace detail

/// Chooses words of the documents that a known list lacks, and puts them behind it, so that the known words keep their
/// numbers. For a fit that goes on from earlier topics: known is their vocabulary. Throws as vocabulary_selector::fit
/// does, and std::invalid_argument if the known words are from documents, to which nothing was paid.
inline release<vocabulary_ptr> further_words(const vocabulary_selector& selector, const vocabulary_ptr& known,
                                             const divided_corpus& docs, random_source& random) {
  detail::require(known != nullptr && known->origin() != word_origin::documents, "further_words", "the known words",
                  "from documents, or null", "must be public or released");
  detail::require(docs.docs().vocab()->origin() != word_origin::released, "further_words", "the documents' words",
                  "a private choice", "must be those of the whole corpus: select from the corpus as it was read");
  const release<vocabulary_ptr> chosen = selector.fit(detail::without_words(docs.docs(), *known), random);
  return chosen.map([&](const vocabulary_ptr& others) {
    vocabulary_builder all;
    for (word_id w = 0; w < known->size(); ++w) all.add(known->word(w));
    for (word_id w = 0; w < others->size(); ++w) all.add(others->word(w));
    return all.build();
  });
}

}  // namespace dplda::inline v0_1

#endif
