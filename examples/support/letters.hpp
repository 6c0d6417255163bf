// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_SUPPORT_LETTERS_HPP
#define DPLDA_EXAMPLES_SUPPORT_LETTERS_HPP

#include "letter_sentences.hpp"

#include <dplda/random/source.hpp>
#include <dplda/random/uniform.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dplda_examples {

/// A letter to the city's ombudsman: the kind of text whose themes a city would like to publish, and whose authors it
/// must protect.
struct letter {
  std::string text;
  unsigned citizen;     ///< the author, numbered from 0 in order of the first letter
  unsigned main_theme;  ///< an index into theme_names; more than half of the themed sentences are about it
};

namespace letter_parts {

/// Appends `how_many` different sentences in random order. Precondition: how_many <= sentences.size().
template <dplda::BitGenerator64 Generator>
void append_sentences(std::string& text, std::span<const std::string_view> sentences, std::size_t how_many,
                      Generator& bits) {
  std::vector<std::string_view> order(sentences.begin(), sentences.end());
  dplda::shuffle(std::span<std::string_view>(order), bits);
  for (std::size_t i = 0; i < how_many; ++i) {
    if (!text.empty()) text += ' ';
    text += order[i];
  }
}

/// A letter of four to seven themed sentences and one or two neutral ones. One letter in four has a second theme.
template <dplda::BitGenerator64 Generator>
std::string letter_text(std::size_t main_theme, Generator& bits) {
  const auto below = [&bits](std::size_t n) { return static_cast<std::size_t>(dplda::uniform_below(bits, n)); };
  const std::size_t themed = 4 + below(4);
  const bool two_themes = below(4) == 0;
  const std::size_t aside = two_themes ? 1 + below((themed - 1) / 2) : 0;
  const bool opens = below(2) == 0;

  std::string text;
  if (opens) append_sentences(text, opening_sentences, 1, bits);
  append_sentences(text, theme_sentences[main_theme], themed - aside, bits);
  if (two_themes) {
    const std::size_t second_theme = (main_theme + 1 + below(theme_count - 1)) % theme_count;
    append_sentences(text, turning_sentences, 1, bits);
    append_sentences(text, theme_sentences[second_theme], aside, bits);
  }
  if (!(two_themes && opens)) append_sentences(text, closing_sentences, 1, bits);
  return text;
}

}  // namespace letter_parts

/// The first `count` letters to the city named by `seed`; a longer list begins with the shorter one.
///
/// On average, every second letter comes from a new citizen; the others come from the author of a random earlier
/// letter, half the time on the same theme again. So the number of letters of a citizen follows a power law (Simon
/// 1955): two citizens in three write once, and a few write very often.
inline std::vector<letter> city_letters(std::size_t count, std::uint64_t seed = 1) {
  const auto source = dplda::seeded_random(seed);
  std::vector<letter> letters;
  letters.reserve(count);
  unsigned citizens = 0;
  for (std::size_t i = 0; i < count; ++i) {
    auto bits = source.stream("letters", i);
    letter next{{}, 0, static_cast<unsigned>(dplda::uniform_below(bits, theme_count))};
    if (i == 0 || dplda::uniform_below(bits, 2) == 0) {
      next.citizen = citizens++;
    } else {
      const letter& earlier = letters[dplda::uniform_below(bits, i)];
      next.citizen = earlier.citizen;
      if (dplda::uniform_below(bits, 2) == 0) next.main_theme = earlier.main_theme;
    }
    next.text = letter_parts::letter_text(next.main_theme, bits);
    letters.push_back(std::move(next));
  }
  return letters;
}

}  // namespace dplda_examples

#endif
