// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_TOKENIZER_HPP
#define DPLDA_IO_TOKENIZER_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/encoding_error.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// How text becomes words.
//
// A token is a longest run of letters. Letters are A-Z and a-z, and of the other code points all from U+00C0 on, except
//   U+00D7, U+00F7     the signs of multiplication and division,
//   U+2000 .. U+2BFF   punctuation, currency, arrows, mathematics, symbols,
//   U+2E00 .. U+2E7F   more punctuation,
//   U+3000 .. U+303F   Chinese, Japanese and Korean punctuation,
//   U+E000 .. U+F8FF   private use,
//   U+FE30 .. U+FE4F, U+FEFF, U+FF00 .. U+FF20, U+FFF0 .. U+FFFF   forms of punctuation, byte order mark, specials,
//   U+1F000 .. U+1FAFF pictographs.
// So digits, hyphens and apostrophes separate: "don't" gives "don" and "t", and the default minimal length drops "t".
// A-Z become a-z; other letters stay as they are. After that a token is dropped if it is too short or too long, counted
// in code points, or a stop word; then an optional filter may rewrite or drop it.
//
// These rules need no tables. Where a language needs more (capital letters beyond A-Z, Chinese, Japanese), another
// tokenizer takes their place: tokenizer_options.cut. The rest stays as it is.

namespace dplda::inline v0_1 {

/// What to do with bytes that are not valid UTF-8.
enum class invalid_utf8 {
  refuse,   ///< throw parse_error
  separate  ///< treat each such byte as a separator, as the replacement character U+FFFD would be
};

/// Cuts a text of valid UTF-8 into tokens, and calls `take` for each in order.
using token_cutter =
    std::function<void(std::string_view text, const std::function<void(std::string_view token)>& take)>;

/// For a private release, all of it must be public and treat each document by itself: stop words, a filter or a cutter that
/// were chosen by looking at these documents let one document change others, as pruning does, and nothing can check that.
struct tokenizer_options {
  std::size_t min_length = 3;                ///< shortest token kept, in code points
  std::size_t max_length = 40;               ///< longest token kept, in code points
  std::vector<std::string> stop_words = {};  ///< dropped; compared after A-Z became a-z on both sides
  invalid_utf8 on_invalid_utf8 = invalid_utf8::refuse;
  std::function<bool(std::string& token)> filter = {};  ///< may rewrite a token (a stemmer); false or "" drops it
  token_cutter cut = {};  ///< if given: how text is cut, in place of runs of letters; give stop words as it writes them
};

namespace detail {

inline constexpr bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Precondition: an ASCII letter.
inline constexpr char ascii_lower(char c) { return static_cast<char>(c | 0x20); }

/// Whether a code point above U+007F belongs to a word; see the list on top.
inline constexpr bool is_other_letter(char32_t c) {
  if (c < 0xC0 || c == 0xD7 || c == 0xF7) return false;
  if (c < 0x2000) return true;
  return !(c <= 0x2BFF || (c >= 0x2E00 && c <= 0x2E7F) || (c >= 0x3000 && c <= 0x303F) ||
           (c >= 0xE000 && c <= 0xF8FF) || (c >= 0xFE30 && c <= 0xFE4F) || c == 0xFEFF ||
           (c >= 0xFF00 && c <= 0xFF20) || (c >= 0xFFF0 && c <= 0xFFFF) || (c >= 0x1F000 && c <= 0x1FAFF));
}

}  // namespace detail

/// Cuts text into tokens by the rules above. Build one and use it for many texts; it must not be used by two threads at
/// once.
class tokenizer {
 public:
  /// Throws std::invalid_argument if min_length is 0 or above max_length.
  explicit tokenizer(tokenizer_options options = {});

  /// Calls take(std::string_view token) for each token in order; the view lives during the call.
  /// Throws encoding_error, a parse_error, with `name`, a line, counted from `first_line`, and the byte in that line, on
  /// invalid UTF-8 if the options refuse it.
  template <class Take>
  void scan(std::string_view text, Take&& take, std::string_view name = "text", std::size_t first_line = 1) {
    if (options_.cut) {
      const std::string valid = valid_utf8(text, name, first_line);
      return options_.cut(valid, [&](std::string_view token) {
        token_ = token;
        std::size_t length = detail::count_code_points(token);
        end_token(length, take);
      });
    }
    token_.clear();
    std::size_t length = 0;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
      if (detail::is_ascii_letter(*at)) {
        token_ += detail::ascii_lower(*at++);
        ++length;
        continue;
      }
      std::size_t bytes = 1;
      if (static_cast<unsigned char>(*at) >= 0x80) {
        const detail::code_point c = detail::decode_utf8(at, end);
        if (c.bytes == 0) {
          if (options_.on_invalid_utf8 == invalid_utf8::refuse) refuse(text, at, name, first_line);
        } else if (detail::is_other_letter(c.value)) {
          token_.append(at, c.bytes);
          ++length;
          at += c.bytes;
          continue;
        } else {
          bytes = c.bytes;
        }
      }
      end_token(length, take);
      at += bytes;
    }
    end_token(length, take);
  }

  /// The tokens of a text. Throws as scan does.
  std::vector<std::string> operator()(std::string_view text);

 private:
  template <class Take>
  void end_token(std::size_t& length, Take& take) {
    if (length == 0) return;
    const bool kept = length >= options_.min_length && length <= options_.max_length &&
                      (token_.size() > longest_stop_word_ || !stop_words_.find(token_));
    if (kept && (!options_.filter || (options_.filter(token_) && !token_.empty()))) take(std::string_view(token_));
    token_.clear();
    length = 0;
  }

  /// The text, with U+FFFD for invalid bytes if the options do not refuse them.
  std::string valid_utf8(std::string_view text, std::string_view name, std::size_t first_line) const;

  [[noreturn, gnu::cold]] static void refuse(std::string_view text, const char* at, std::string_view name,
                                             std::size_t first_line);

  tokenizer_options options_;
  detail::word_table stop_words_;
  std::size_t longest_stop_word_ = 0;
  std::string token_;
};

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/tokenizer.ipp>
#endif

#endif
