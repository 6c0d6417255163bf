// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_SUPPORT_SIGNED_LETTERS_HPP
#define DPLDA_EXAMPLES_SUPPORT_SIGNED_LETTERS_HPP

#include "letters.hpp"

#include <dplda/core/vocabulary.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace dplda_examples {

/// A name that only this citizen has, in lower case as in a corpus.
inline std::string surname(unsigned citizen) {
  static constexpr const char* syllables[] = {"bar", "cel", "dor", "fen", "gil", "hav", "jor", "kel", "lun", "mar",
                                              "nev", "pol", "ros", "sil", "tam", "vik", "wen", "yst", "zan", "ols",
                                              "bek", "tor", "lin", "sen", "dal", "rud", "ste", "mir", "kov", "per"};
  constexpr auto count = static_cast<unsigned>(std::size(syllables));
  std::string name;
  for (int i = 0; i < 3; ++i, citizen /= count) name += syllables[citizen % count];
  return name;
}

/// Letters signed with the names of their authors, and the list of authors.
struct signed_letters {
  std::vector<std::string> texts;
  dplda::user_list citizens;

  explicit signed_letters(std::size_t count, std::uint64_t seed = 1) {
    dplda::vocabulary_builder labels;
    for (const letter& one : city_letters(count, seed)) {
      texts.push_back(one.text + " Yours, " + surname(one.citizen));
      citizens.of_document.push_back(labels.add(std::to_string(one.citizen)));
    }
    citizens.labels = labels.build();
  }
};

}  // namespace dplda_examples

#endif
