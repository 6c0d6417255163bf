// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_SAME_VOCABULARY_HPP
#define DPLDA_CORE_DETAIL_SAME_VOCABULARY_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>

#include <string_view>

namespace dplda::inline v0_1::detail {

/// Throws std::invalid_argument unless both list the same words in the same order: a result computed across two
/// vocabularies is meaningless.
inline void require_same_vocabulary(std::string_view function, const vocabulary_ptr& found,
                                    const vocabulary_ptr& wanted) {
  if (found == wanted) return;
  require(*found == *wanted, function, "vocabulary", text("a list of ", found->size(), " words"),
          text("must be the model's list of ", wanted->size(), " words in the same order (use corpus::restrict_to)"));
}

}  // namespace dplda::inline v0_1::detail

#endif
