// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_TOKENIZER_IPP
#define DPLDA_IO_DETAIL_TOKENIZER_IPP

// Bodies of io/tokenizer.hpp.

#include <dplda/io/tokenizer.hpp>

#include <algorithm>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE tokenizer::tokenizer(tokenizer_options options) : options_(std::move(options)) {
  detail::require(options_.min_length >= 1, "tokenizer", "min_length", options_.min_length, "must be at least 1");
  detail::require(options_.max_length >= options_.min_length, "tokenizer", "max_length", options_.max_length,
                  detail::text("must be at least min_length, ", options_.min_length));
  for (std::string word : options_.stop_words) {
    for (char& c : word) c = detail::is_ascii_letter(c) ? detail::ascii_lower(c) : c;
    stop_words_.insert(word);
    longest_stop_word_ = std::max(longest_stop_word_, word.size());
  }
}

DPLDA_INLINE std::vector<std::string> tokenizer::operator()(std::string_view text) {
  std::vector<std::string> tokens;
  scan(text, [&](std::string_view token) { tokens.emplace_back(token); });
  return tokens;
}

DPLDA_INLINE std::string tokenizer::valid_utf8(std::string_view text, std::string_view name,
                                               std::size_t first_line) const {
  std::string valid;
  for (;;) {
    const std::size_t at = detail::find_invalid_utf8(text);
    valid += text.substr(0, at);
    if (at == std::string_view::npos) return valid;
    if (options_.on_invalid_utf8 == invalid_utf8::refuse) refuse(text, text.data() + at, name, first_line);
    valid += "\xEF\xBF\xBD";
    text.remove_prefix(at + 1);
  }
}

DPLDA_INLINE void tokenizer::refuse(std::string_view text, const char* at, std::string_view name,
                                    std::size_t first_line) {
  const std::string_view before = text.substr(0, static_cast<std::size_t>(at - text.data()));
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_begins = lines == 0 ? 0 : before.rfind('\n') + 1;
  throw encoding_error(std::string(name), first_line + lines,
                       detail::text("expected UTF-8, found an invalid byte of value ",
                                    static_cast<unsigned>(static_cast<unsigned char>(*at)), ", byte ",
                                    before.size() - line_begins + 1, " of the line"));
}

}  // namespace dplda::inline v0_1

#endif
