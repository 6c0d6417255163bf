// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_STOP_WORDS_HPP
#define DPLDA_IO_STOP_WORDS_HPP

#include <dplda/core/config.hpp>

#include <string>
#include <string_view>
#include <vector>

// Function words: articles, prepositions, conjunctions, pronouns, auxiliaries, common adverbs. The lists are small on
// purpose: they leave out words that carry meaning in some subject. Words that the tokenizer drops for their length
// (fewer than three letters; in Chinese and Japanese, single characters) are left out too. They are public.

namespace dplda::inline v0_1 {

/// The languages that there are lists for, by their English names in lower case.
std::vector<std::string_view> stop_word_languages();

/// The function words of a language, in small letters. Throws std::invalid_argument if there is no list for it.
std::vector<std::string> stop_words(std::string_view language);

/// stop_words("english"), with the stems that the tokenizer makes of "don't" and the like.
std::vector<std::string> english_stop_words();

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/stop_words.ipp>
#endif

#endif
