// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_CHOSEN_WORDS_HPP
#define DPLDA_EXAMPLES_DPLDA_CHOSEN_WORDS_HPP

#include <dplda/core/rounding.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/mechanisms/release.hpp>

#include <cstddef>
#include <string>

#include "interrupts.hpp"
#include "program.hpp"

namespace dplda_program {

/// Throws nothing_learned if fewer than `least` words were released, which is known from the release alone. With
/// as_json, first prints what was spent: the whole plan, `spent` and `book`. Whether the rest of the plan was done
/// depends on what was released, so a lower price is not proven.
inline void check_words(const dplda::release<dplda::vocabulary_ptr>& words, std::size_t least,
                        const dplda::guarantee& spent, const dplda::ledger& book, bool as_json) {
  const std::size_t released = words.value()->size();
  if (released >= least) return;
  set_unspent(false);  // from here on, the small number of words can be seen
  if (as_json) print(json_value::object{{"words", released}, {"guarantee", to_json(spent)}, {"ledger", to_json(book)}});
  throw nothing_learned(
      std::string(released == 0 ? "no word may be shown at this epsilon"
                                : "only one word may be shown at this epsilon, and topics need at least two") +
      ", so nothing was learned and nothing was written. More text, a larger --epsilon, or a public list of words "
      "(--vocabulary of 'dplda fit') would help. The whole plan counts as spent: epsilon = " +
      dplda::rounded_up(spent.epsilon) + ", delta = " + dplda::rounded_up(spent.delta));
}

}  // namespace dplda_program

#endif
