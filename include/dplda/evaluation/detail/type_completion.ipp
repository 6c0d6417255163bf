// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_TYPE_COMPLETION_IPP
#define DPLDA_EVALUATION_DETAIL_TYPE_COMPLETION_IPP

// Bodies of evaluation/type_completion.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/evaluation/type_completion.hpp>

#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE corpus each_word_once(const corpus& docs) {
  corpus_builder once;
  std::vector<std::uint64_t> ids(docs.size());
  std::vector<user_id> users;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (const word_id word : docs[d].words) once.add(word);
    once.end_document();
    ids[d] = docs[d].id;
    if (docs.has_users()) users.push_back(docs.user(d));
  }
  once.set_ids(std::move(ids));
  if (docs.has_users()) once.set_users(std::move(users), docs.users());
  return detail::with_pruning(once.build(docs.vocab()), docs.pruning());
}

}  // namespace dplda::inline v0_1

#endif
