// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_FURTHER_WORDS_HPP
#define DPLDA_VOCABULARY_FURTHER_WORDS_HPP

// Claim: the list that further_words() releases is (epsilon, delta)-DP as the selector's guarantee says, whose ledger is
//   the release's. After topics of documents that were declared disjoint it is so for the later documents only
//   (guarantee::part).
// Preconditions: those of vocabulary_selector.hpp, and, after earlier topics, those of inference/earlier_topics.hpp.
// Argument: the known words are public; or they are those of a release that the selector's options.before pays for, which
//   is checked (mechanisms/detail/premises.hpp); or they are from other documents, and to these a constant. Given the known words, leaving them out maps each document by itself and keeps it, with its id and user, if
//   nothing is left of it. So neighbours stay neighbours, and units stay the same. What the selector releases of the rest
//   is put behind the known words, which is post-processing.
// Test: tests/vocabulary/further_words_test.cpp, mutants further_words_*

#include <dplda/core/corpus.hpp>
#include <dplda/inference/earlier_topics.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
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

/// Chooses words that are not known and puts them behind the known ones. What was spent before is seeded if `seeded`.
inline release<vocabulary_ptr> words_behind(const vocabulary& known, const vocabulary_selector& selector,
                                            const divided_corpus& docs, random_source& random, bool seeded,
                                            const std::string& part) {
  require(docs.docs().vocab()->origin() != word_origin::released, "further_words", "the documents' words",
          "a private choice", "must be those of the whole corpus: select from the corpus as it was read");
  const release<vocabulary_ptr> chosen = selector.fit(without_words(docs.docs(), known), random);
  vocabulary_builder all;
  for (word_id w = 0; w < known.size(); ++w) all.add(known.word(w));
  for (word_id w = 0; w < chosen.value()->size(); ++w) all.add(chosen.value()->word(w));
  dplda::guarantee claim = chosen.guarantee();
  claim.part = part;
  ledger spent = chosen.ledger();
  if (seeded) spent.mark_seeded();
  return release<vocabulary_ptr>(all.build(), std::move(claim), std::move(spent), chosen.remarks());
}

}  // namespace detail

/// Chooses words of the documents that a public list lacks, and puts them behind it, so that the known words keep their
/// numbers. Throws as vocabulary_selector::fit does, and std::invalid_argument if the known words are not public.
inline release<vocabulary_ptr> further_words(const vocabulary_selector& selector, const vocabulary_ptr& known,
                                             const divided_corpus& docs, random_source& random) {
  const char* const function = "further_words";
  detail::require(known != nullptr, function, "the known words", "null", "must be given");
  detail::require_not_from_documents(function, *known);
  detail::require(known->origin() == word_origin::public_list, function, "the known words", "chosen privately",
                  "must be given as the release, or in earlier_topics, so that their cost is known");
  return detail::words_behind(*known, selector, docs, random, false, {});
}

/// The same behind words that were released from documents that may be these: the selector's options.before must contain
/// their ledger. Throws std::invalid_argument if it does not, or if their guarantee is not proven.
inline release<vocabulary_ptr> further_words(const vocabulary_selector& selector, const release<vocabulary_ptr>& known,
                                             const divided_corpus& docs, random_source& random) {
  const ledger spent = detail::spent_before("further_words", known, selector.options().before);
  return detail::words_behind(*known.value(), selector, docs, random, spent.seeded(), {});
}

/// The same behind the words of earlier topics, for a fit that goes on from these. If the documents were declared
/// disjoint, the words are for that part only (guarantee::part), as the fit is. Throws std::invalid_argument if not, and
/// the selector's options.before lacks the topics' ledger; or if units or neighbours are of another kind.
inline release<vocabulary_ptr> further_words(const vocabulary_selector& selector, const earlier_topics& known,
                                             const divided_corpus& docs, random_source& random) {
  const dplda::guarantee& claim = selector.guarantee();
  const ledger spent =
      detail::spent_before("further_words", known, claim.unit, claim.relation, selector.options().before);
  return detail::words_behind(*known.value().value().vocab(), selector, docs, random, spent.seeded(), known.rule());
}

}  // namespace dplda::inline v0_1

#endif
