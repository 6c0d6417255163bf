// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_SUPPORT_PARAGRAPH_HPP
#define DPLDA_EXAMPLES_SUPPORT_PARAGRAPH_HPP

#include <cstddef>
#include <sstream>
#include <string>

namespace dplda_examples {

/// The parts as an indented paragraph, wrapped at 110 letters.
template <class... Parts>
std::string paragraph(const Parts&... parts) {
  std::stringstream words, lines;
  (words << ... << parts);
  std::string word;
  std::size_t column = 0;
  while (words >> word) {
    if (column + word.size() > 110) column = 0;
    lines << (column == 0 ? (lines.tellp() == 0 ? "   " : "\n   ") : " ") << word;
    column += word.size() + 1;
  }
  return lines.str() + '\n';
}

}  // namespace dplda_examples

#endif
