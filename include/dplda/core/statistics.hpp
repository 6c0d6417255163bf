// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_STATISTICS_HPP
#define DPLDA_CORE_STATISTICS_HPP

#include <dplda/core/corpus.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <vector>

namespace dplda::inline v0_1 {

/// Statistics of a corpus. They are exact and therefore not private: only for the owner of the data.
struct corpus_statistics {
  std::size_t documents = 0;
  std::size_t empty_documents = 0;
  std::size_t users = 0;  ///< 0 where documents have no owners
  std::size_t vocabulary = 0;
  std::size_t used_words = 0;
  std::size_t entries = 0;
  std::uint64_t tokens = 0;
  std::uint64_t median_length = 0;  ///< tokens; the lower median
  std::uint64_t longest = 0;        ///< tokens
  std::size_t most_documents_of_a_user = 0;
};

/// Tokens of each word in the whole corpus.
inline std::vector<std::uint64_t> word_counts(const corpus& docs) {
  std::vector<std::uint64_t> counts(docs.words(), 0);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) counts[doc.words[n]] += doc.counts[n];
  }
  return counts;
}

/// Number of documents that hold each word.
inline std::vector<std::uint64_t> document_frequencies(const corpus& docs) {
  std::vector<std::uint64_t> counts(docs.words(), 0);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (const word_id word : docs[d].words) ++counts[word];
  }
  return counts;
}

/// Number of documents of each user.
inline std::vector<std::size_t> documents_per_user(const corpus& docs) {
  std::vector<std::size_t> counts(docs.users(), 0);
  for (std::size_t d = 0; d < docs.size(); ++d) ++counts[docs.user(d)];
  return counts;
}

inline corpus_statistics statistics(const corpus& docs) {
  corpus_statistics result;
  result.documents = docs.size();
  result.vocabulary = docs.words();
  result.entries = docs.entries();
  result.tokens = docs.tokens();
  const auto frequencies = document_frequencies(docs);
  result.used_words = static_cast<std::size_t>(
      std::count_if(frequencies.begin(), frequencies.end(), [](std::uint64_t f) { return f > 0; }));
  std::vector<std::uint64_t> lengths(docs.size());
  for (std::size_t d = 0; d < docs.size(); ++d) lengths[d] = docs[d].length();
  result.empty_documents = static_cast<std::size_t>(std::count(lengths.begin(), lengths.end(), 0u));
  if (!lengths.empty()) {
    const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    result.median_length = *middle;
    result.longest = *std::max_element(middle, lengths.end());
  }
  if (docs.has_users()) {
    result.users = docs.users();
    const auto owned = documents_per_user(docs);
    result.most_documents_of_a_user = owned.empty() ? 0 : *std::max_element(owned.begin(), owned.end());
  }
  return result;
}

inline std::ostream& operator<<(std::ostream& out, const corpus_statistics& s) {
  out << s.documents << " documents (" << s.empty_documents << " empty), " << s.vocabulary << " words (" << s.used_words
      << " used), " << s.tokens << " tokens; tokens in a document: median " << s.median_length << ", maximum "
      << s.longest;
  if (s.users > 0) out << "; " << s.users << " users with at most " << s.most_documents_of_a_user << " documents each";
  return out;
}

}  // namespace dplda::inline v0_1

#endif
