// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_AUDIT_CANARIES_HPP
#define DPLDA_AUDIT_CANARIES_HPP

#include <dplda/core/corpus.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dplda::inline v0_1 {

/// Documents that a topic model remembers best: they use words that hardly any other document uses. One word many times
/// moves a single cell of the topics (repeated-word canary). Several words once each share a topic (rare-word canary).
struct canary_options {
  std::size_t count = 100;
  std::size_t words = 1;       ///< distinct words in a canary; no two canaries share a word
  std::uint32_t repeats = 50;  ///< tokens of each word
};

/// Canaries for a corpus, over its vocabulary: the first gets the rarest words, and so on; ties go to the smaller word
/// id. Throws std::invalid_argument if count, words or repeats is 0, or the vocabulary has fewer than count times words
/// words.
corpus make_canaries(const corpus& docs, const canary_options& options = {});

/// What replaces an added document that is left out.
enum class left_out { nothing, empty_document };

/// A corpus followed by the documents of `added` whose flag is set. An added document's id, which no document of `docs`
/// has, does not depend on which others are added. Nor does its own separate owner, if documents have owners. Throws
/// std::invalid_argument if the vocabularies differ or the number of flags is wrong.
corpus add_documents(const corpus& docs, const corpus& added, const std::vector<bool>& flags,
                     left_out instead = left_out::nothing);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/audit/detail/canaries.ipp>
#endif

#endif
