// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/stop_words.hpp>
#include <dplda/io/tokenizer.hpp>

#include "io/io_support.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using dplda_tests::check_refused;
using list = std::vector<std::string>;

namespace {

list tokens(const std::string& text, dplda::tokenizer_options options = {}) {
  return dplda::tokenizer(std::move(options))(text);
}
const dplda::tokenizer_options any_length = {.min_length = 1};

}  // namespace

TEST_CASE("tokens are runs of letters, in lower case", "[tokenizer]") {
  CHECK(tokens("The quick, brown FOX-trot; x2y3z 4ever", any_length) ==
        list{"the", "quick", "brown", "fox", "trot", "x", "y", "z", "ever"});
  CHECK(tokens("don't o'clock it's", any_length) == list{"don", "t", "o", "clock", "it", "s"});
  CHECK(tokens("e-mail foo_bar a@b.c", any_length) == list{"e", "mail", "foo", "bar", "a", "b", "c"});
  CHECK(tokens("").empty());
  CHECK(tokens("  \t\n 123 !?").empty());
  CHECK(tokens(std::string("ab\0cd", 5), any_length) == list{"ab", "cd"});
  std::string letters;
  for (int byte = 1; byte < 128; ++byte) letters += static_cast<char>(byte);
  CHECK(tokens(letters) == list{"abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz"});
}

TEST_CASE("letters beyond ASCII belong to words and keep their case", "[tokenizer]") {
  CHECK(tokens("Na\xC3\xAFve CAF\xC3\x89 \xC3\x89t\xC3\xA9") ==
        list{"na\xC3\xAFve", "caf\xC3\x89", "\xC3\x89t\xC3\xA9"});
  CHECK(tokens("\xD0\xBC\xD0\xB8\xD1\x80") == list{"\xD0\xBC\xD0\xB8\xD1\x80"});
  CHECK(tokens("\xE6\x9D\xB1\xE4\xBA\xAC\xE3\x80\x82\xE5\xA4\xA7\xE9\x98\xAA", any_length) ==
        list{"\xE6\x9D\xB1\xE4\xBA\xAC", "\xE5\xA4\xA7\xE9\x98\xAA"});
}

TEST_CASE("separators beyond ASCII separate", "[tokenizer]") {
  // No-break space, guillemet, multiplication sign, em dash, typographic apostrophe, zero-width space, euro, arrow,
  // ideographic space, byte order mark, replacement character, emoji, private use, full-width digit.
  for (const std::string separator : {"\xC2\xA0", "\xC2\xAB", "\xC3\x97", "\xC3\xB7", "\xE2\x80\x94", "\xE2\x80\x99",
                                      "\xE2\x80\x8B", "\xE2\x82\xAC", "\xE2\x86\x92", "\xE3\x80\x80", "\xEF\xBB\xBF",
                                      "\xEF\xBF\xBD", "\xF0\x9F\x99\x82", "\xEE\x80\x80", "\xEF\xBC\x91", "\xC2\x85"}) {
    CHECK(tokens("left" + separator + "right") == list{"left", "right"});
  }
}

TEST_CASE("length is counted in code points", "[tokenizer]") {
  CHECK(tokens("a ab abc abcd", {.min_length = 2, .max_length = 3}) == list{"ab", "abc"});
  CHECK(tokens("\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9\xC3\xA9") == list{"\xC3\xA9\xC3\xA9\xC3\xA9"});
  CHECK(tokens("\xC3\xA9\xC3\xA9 \xC3\xA9\xC3\xA9\xC3\xA9", {.min_length = 2, .max_length = 2}) ==
        list{"\xC3\xA9\xC3\xA9"});
  CHECK(tokens(std::string(40, 'a')).size() == 1);
  CHECK(tokens(std::string(41, 'a')).empty());
}

TEST_CASE("stop words are dropped whatever their case", "[tokenizer]") {
  CHECK(tokens("The cat AND the dog", {.stop_words = {"the", "And"}}) == list{"cat", "dog"});
  CHECK(tokens("The cat and a dog didn't see us", {.stop_words = dplda::english_stop_words()}) ==
        list{"cat", "dog", "see"});
}

TEST_CASE("the English stop words are distinct tokens", "[tokenizer]") {
  auto words = dplda::english_stop_words();
  CHECK(words.size() >= 150);
  for (const auto& word : words) CHECK(tokens(word) == list{word});
  std::sort(words.begin(), words.end());
  CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
}

TEST_CASE("a filter rewrites and drops tokens", "[tokenizer]") {
  const auto stem = [](std::string& token) {
    if (token.ends_with('s')) token.pop_back();
    return token != "dog";
  };
  CHECK(tokens("cats dogs s birds", {.min_length = 1, .filter = stem}) == list{"cat", "bird"});
}

TEST_CASE("invalid UTF-8 is refused with its line, or separates", "[tokenizer]") {
  for (const std::string bad : {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    CAPTURE(bad);
    check_refused([&] { tokens("good\ngood " + bad); }, 2, "text:2: expected UTF-8, found an invalid byte");
    CHECK(tokens("left" + bad + "right", {.on_invalid_utf8 = dplda::invalid_utf8::separate}) == list{"left", "right"});
  }
  CHECK(tokens("abc\xC3", {.on_invalid_utf8 = dplda::invalid_utf8::separate}) == list{"abc"});
}

TEST_CASE("wrong tokenizer options are refused", "[tokenizer]") {
  CHECK_THROWS_AS(dplda::tokenizer({.min_length = 0}), std::invalid_argument);
  CHECK_THROWS_AS(dplda::tokenizer({.min_length = 5, .max_length = 4}), std::invalid_argument);
}

TEST_CASE("another tokenizer takes the place of runs of letters", "[tokenizer]") {
  const dplda::token_cutter at_commas = [](std::string_view text, const std::function<void(std::string_view)>& take) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      take(text.substr(at, end - at));
      at = end + 1;
    }
  };
  // Lengths are counted in code points, stop words are dropped, and the filter comes last, as without it.
  CHECK(tokens("ab,New York,,the,\xC3\xA9t\xC3\xA9,42", {.min_length = 2, .stop_words = {"the"}, .cut = at_commas}) ==
        list{"ab", "New York", "\xC3\xA9t\xC3\xA9", "42"});
  CHECK(tokens("ab,\xC3\xA9t\xC3\xA9,abcd", {.min_length = 3, .max_length = 3, .cut = at_commas}) ==
        list{"\xC3\xA9t\xC3\xA9"});
  const auto no_b = [](std::string& token) {
    token += '!';
    return token != "b!";
  };
  CHECK(tokens("a,b", {.min_length = 1, .filter = no_b, .cut = at_commas}) == list{"a!"});
  // It gets valid UTF-8 alone.
  check_refused([&] { tokens("a\nb,\xFF", {.cut = at_commas}); }, 2,
                "found an invalid byte of value 255, byte 3 of the line");
  CHECK(tokens("a\xFF"
               "b,\xC3",
               {.min_length = 1, .on_invalid_utf8 = dplda::invalid_utf8::separate, .cut = at_commas}) ==
        list{"a\xEF\xBF\xBD"
             "b",
             "\xEF\xBF\xBD"});
  CHECK_THROWS_AS(tokens("a\xFF"), dplda::encoding_error);
}

TEST_CASE("an invalid byte is refused with its place", "[tokenizer]") {
  check_refused([] { tokens("good\ngood \xE4"); }, 2, "found an invalid byte of value 228, byte 6 of the line");
  check_refused([] { tokens("\xE4"); }, 1, "byte 1 of the line");
}

TEST_CASE("there are function words of many languages", "[tokenizer]") {
  const auto languages = dplda::stop_word_languages();
  CHECK(languages.size() >= 10);
  for (const std::string_view language : languages) {
    CAPTURE(std::string(language));
    const bool short_words = language == "chinese" || language == "japanese";
    const list words = dplda::stop_words(language);
    CHECK(words.size() >= 90);
    CHECK(words.size() <= 400);
    CHECK(std::is_sorted(words.begin(), words.end()));
    CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
    // Each is one token of the default tokenizer, so it can be dropped.
    for (const std::string& word : words) {
      CAPTURE(word);
      CHECK(tokens(word, {.min_length = short_words ? 2u : 3u}) == list{word});
    }
  }
  CHECK(dplda::stop_words("english") == dplda::english_stop_words());
  CHECK_THROWS_AS(dplda::stop_words("klingon"), std::invalid_argument);
}
