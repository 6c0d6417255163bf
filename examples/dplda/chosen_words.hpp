// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_CHOSEN_WORDS_HPP
#define DPLDA_EXAMPLES_DPLDA_CHOSEN_WORDS_HPP

#include <dplda/core/vocabulary.hpp>
#include <dplda/core/rounding.hpp>
#include <dplda/io/ledger.hpp>
#include <dplda/mechanisms/release.hpp>

#include <string>

#include "interrupts.hpp"
#include "program.hpp"

namespace dplda_program {

/// Throws nothing_learned if no word was released, which is known from the release alone; with as_json, prints first what
/// was spent: the whole of what was planned, `spent` and `book`. That less was done follows from what came out, so a
/// lower price is not proven.
inline void check_words(const dplda::release<dplda::vocabulary_ptr>& words, const dplda::guarantee& spent,
                        const dplda::ledger& book, bool as_json) {
  if (words.value()->size() > 0) return;
  set_unspent(false);  // that there is none can be seen from here on
  if (as_json) print(json_value::object{{"words", 0}, {"guarantee", to_json(spent)}, {"ledger", to_json(book)}});
  throw nothing_learned(
      "no word may be shown at this epsilon, so nothing was learned and nothing is written. More text, "
      "a larger --epsilon, or a public list of words (--vocabulary of 'dplda fit') would help. The "
      "whole of the plan counts as spent: epsilon = " +
      dplda::rounded_up(spent.epsilon) + ", delta = " + dplda::rounded_up(spent.delta));
}

}  // namespace dplda_program

#endif
