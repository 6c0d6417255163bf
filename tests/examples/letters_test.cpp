// SPDX-License-Identifier: Apache-2.0
#include "../../examples/support/signed_letters.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace dplda_examples;

bool same(const letter& a, const letter& b) {
  return a.text == b.text && a.citizen == b.citizen && a.main_theme == b.main_theme;
}

// Runs of letters in lower case; "children's" gives "children" and "s".
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c >= 'a' && c <= 'z') {
      words.back() += c;
    } else if (c >= 'A' && c <= 'Z') {
      words.back() += static_cast<char>(c - 'A' + 'a');
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<std::string_view> neutral_sentences() {
  std::vector<std::string_view> all(opening_sentences.begin(), opening_sentences.end());
  all.insert(all.end(), turning_sentences.begin(), turning_sentences.end());
  all.insert(all.end(), closing_sentences.begin(), closing_sentences.end());
  return all;
}

bool occurs(std::string_view sentence, std::string_view text) { return text.find(sentence) != std::string_view::npos; }

}  // namespace

TEST_CASE("every sentence is well formed and occurs once", "[examples][letters]") {
  std::set<std::string_view> seen;
  for (std::size_t theme = 0; theme < theme_count; ++theme) {
    REQUIRE(theme_sentences[theme].size() >= 30);
    CHECK(!theme_names[theme].empty());
    for (const auto sentence : theme_sentences[theme]) {
      INFO(sentence);
      const auto spaces = std::count(sentence.begin(), sentence.end(), ' ');
      CHECK(spaces + 1 >= 8);
      CHECK(spaces + 1 <= 16);
      CHECK(seen.insert(sentence).second);
    }
  }
  for (const auto sentence : neutral_sentences()) {
    INFO(sentence);
    CHECK(seen.insert(sentence).second);
  }
  for (const auto sentence : seen) {
    INFO(sentence);
    REQUIRE(!sentence.empty());
    CHECK((sentence.front() >= 'A' && sentence.front() <= 'Z'));
    CHECK((sentence.back() == '.' || sentence.back() == '?'));
    CHECK(!occurs("  ", sentence));
    CHECK(std::all_of(sentence.begin(), sentence.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
}

TEST_CASE("each theme has at least twelve words of its own", "[examples][letters]") {
  // The number of sentences that hold a word, by theme.
  std::map<std::string, std::array<int, theme_count>> sentences_with;
  for (std::size_t theme = 0; theme < theme_count; ++theme) {
    for (const auto sentence : theme_sentences[theme]) {
      const auto words = words_of(sentence);
      for (const auto& word : std::set<std::string>(words.begin(), words.end())) ++sentences_with[word][theme];
    }
  }
  std::set<std::string> neutral_words;
  for (const auto sentence : neutral_sentences()) {
    for (const auto& word : words_of(sentence)) neutral_words.insert(word);
  }
  for (std::size_t theme = 0; theme < theme_count; ++theme) {
    std::string listed;
    int characteristic = 0;
    for (const auto& [word, count] : sentences_with) {
      bool own = word.size() >= 4 && count[theme] >= 3 && neutral_words.count(word) == 0;
      for (std::size_t other = 0; other < theme_count; ++other) own = own && (other == theme || count[other] <= 1);
      if (!own) continue;
      ++characteristic;
      listed += ' ' + word;
    }
    INFO(theme_names[theme] << ':' << listed);
    CHECK(characteristic >= 12);
  }
}

TEST_CASE("letters are reproducible", "[examples][letters]") {
  const auto letters = city_letters(200);
  REQUIRE(letters.size() == 200);
  CHECK(city_letters(0).empty());

  const auto again = city_letters(200, 1);
  CHECK(std::equal(letters.begin(), letters.end(), again.begin(), again.end(), same));
  const auto shorter = city_letters(50);
  REQUIRE(shorter.size() == 50);
  CHECK(std::equal(shorter.begin(), shorter.end(), letters.begin(), same));

  const auto elsewhere = city_letters(200, 2);
  int equal_texts = 0;
  for (std::size_t i = 0; i < letters.size(); ++i) equal_texts += letters[i].text == elsewhere[i].text;
  CHECK(equal_texts == 0);
}

TEST_CASE("a letter is made of whole sentences, most of them on its main theme", "[examples][letters]") {
  std::array<int, theme_count> letters_about{};
  int with_second_theme = 0;
  for (const auto& one : city_letters(400, 7)) {
    INFO(one.text);
    REQUIRE(one.main_theme < theme_count);
    ++letters_about[one.main_theme];

    std::array<int, theme_count> count{};
    int themed = 0, neutral = 0;
    std::size_t length = 0;
    for (std::size_t theme = 0; theme < theme_count; ++theme) {
      for (const auto sentence : theme_sentences[theme]) {
        if (!occurs(sentence, one.text)) continue;
        ++count[theme];
        ++themed;
        length += sentence.size() + 1;
      }
    }
    for (const auto sentence : neutral_sentences()) {
      if (!occurs(sentence, one.text)) continue;
      ++neutral;
      length += sentence.size() + 1;
    }
    CHECK(themed >= 4);
    CHECK(themed <= 7);
    CHECK(neutral >= 1);
    CHECK(neutral <= 2);
    CHECK(length == one.text.size() + 1);  // each once, with one space between, and nothing else

    const auto themes = std::count_if(count.begin(), count.end(), [](int n) { return n > 0; });
    CHECK(themes <= 2);
    CHECK(2 * count[one.main_theme] > themed);
    with_second_theme += themes == 2;

    // There is a turning sentence exactly when there is a second theme.
    const bool turns = std::any_of(turning_sentences.begin(), turning_sentences.end(),
                                   [&](std::string_view sentence) { return occurs(sentence, one.text); });
    CHECK(turns == (themes == 2));
  }
  CHECK(with_second_theme > 60);
  CHECK(with_second_theme < 140);
  for (const int n : letters_about) CHECK(n >= 20);
}

TEST_CASE("most citizens write once or twice, a few write often", "[examples][letters]") {
  const auto letters = city_letters(2000, 3);
  std::vector<int> written;
  for (const auto& one : letters) {
    REQUIRE(one.citizen <= written.size());  // numbered in order of the first letter, without gaps
    if (one.citizen == written.size()) written.push_back(0);
    ++written[one.citizen];
  }
  const auto citizens = static_cast<double>(written.size());
  CHECK(citizens > 900);
  CHECK(citizens < 1100);
  const auto share = [&](int least, int most) {
    return static_cast<double>(
               std::count_if(written.begin(), written.end(), [=](int n) { return n >= least && n <= most; })) /
           citizens;
  };
  // The Yule-Simon law of shape 2 gives 2/3 and 1/6 for one and two letters, and 2/156 for twelve or more.
  CHECK(std::abs(share(1, 1) - 2.0 / 3) < 0.06);
  CHECK(std::abs(share(2, 2) - 1.0 / 6) < 0.05);
  CHECK(share(12, 2000) > 0.002);
  CHECK(share(12, 2000) < 0.04);
}

TEST_CASE("every citizen signs with a name of their own", "[examples][letters]") {
  const signed_letters letters(2000);
  const auto plain = city_letters(2000);
  REQUIRE(letters.texts.size() == 2000);
  REQUIRE(letters.citizens.of_document.size() == 2000);
  std::set<std::string> names;
  for (unsigned i = 0; i < 27000; ++i) CHECK(names.insert(surname(i)).second);  // 30 syllables, three times
  for (std::size_t i = 0; i < 2000; ++i) {
    CHECK(letters.texts[i] == plain[i].text + " Yours, " + surname(plain[i].citizen));
    CHECK(letters.citizens.labels->word(letters.citizens.of_document[i]) == std::to_string(plain[i].citizen));
  }
}
