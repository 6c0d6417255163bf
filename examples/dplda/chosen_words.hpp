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

/// Throws nothing_learned: topics cannot be learned from the words that were released. With as_json, first prints what
/// was spent, which is the guarantee and the ledger of `words`: of a release, or of the whole plan (planned_words).
template <class Words>
[[noreturn]] void refuse_words(const Words& words, const std::string& why, const std::string& remedy, bool as_json) {
  const dplda::guarantee& spent = words.guarantee();
  set_unspent(false);  // from here on, the number of words can be seen
  if (as_json)
    print(json_value::object{
        {"words", words.value()->size()}, {"guarantee", to_json(spent)}, {"ledger", to_json(words.ledger())}});
  throw nothing_learned(why + ", so nothing was learned and nothing was written. " + remedy +
                        ". The whole plan counts as spent: epsilon = " + dplda::rounded_up(spent.epsilon) +
                        ", delta = " + dplda::rounded_up(spent.delta));
}

/// Refuses words if fewer than `least` were released, which is known from the release alone.
template <class Words>
void check_words(const Words& words, std::size_t least, bool as_json) {
  const std::size_t released = words.value()->size();
  if (released >= least) return;
  refuse_words(words,
               released == 0 ? "no word may be shown at this epsilon"
                             : "only one word may be shown at this epsilon, and topics need at least two",
               "More text, a larger --epsilon, or a public list of words (--vocabulary of 'dplda fit') would help",
               as_json);
}

}  // namespace dplda_program

#endif
