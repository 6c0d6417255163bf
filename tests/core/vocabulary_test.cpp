// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/vocabulary.hpp>

#include "support/catch.hpp"

#include <stdexcept>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dplda::vocabulary;
using dplda::vocabulary_builder;

TEST_CASE("A vocabulary finds its words and no others", "[core][vocabulary]") {
  const std::vector<std::string> words{"tree", "river", "Tree", "trees", std::string("nul\0l", 5), "\xC3\xA4"};
  const vocabulary vocab(words);
  REQUIRE(vocab.size() == words.size());
  for (dplda::word_id id = 0; id < words.size(); ++id) {
    CHECK(vocab.word(id) == words[id]);
    CHECK(vocab.find(words[id]) == id);
  }
  CHECK_FALSE(vocab.find("tre"));
  CHECK_FALSE(vocab.find(""));
  CHECK_FALSE(vocab.find("nul"));
  CHECK_THROWS_AS(vocab.word(6), std::out_of_range);
}

TEST_CASE("An empty vocabulary is valid", "[core][vocabulary]") {
  const vocabulary none;
  CHECK(none.size() == 0);
  CHECK_FALSE(none.find("tree"));
  CHECK_THROWS_AS(none.word(0), std::out_of_range);
  CHECK(none == vocabulary(std::vector<std::string>{}));
}

TEST_CASE("Empty and repeated words are refused", "[core][vocabulary]") {
  const std::vector<std::string> repeated{"tree", "river", "tree"}, with_empty{"tree", ""};
  CHECK_THROWS_AS(vocabulary(repeated), std::invalid_argument);
  CHECK_THROWS_WITH(vocabulary(repeated), ContainsSubstring("word 2 is \"tree\""));
  CHECK_THROWS_AS(vocabulary(with_empty), std::invalid_argument);
}

TEST_CASE("Equality compares words and their order", "[core][vocabulary]") {
  const std::vector<std::string> ab{"a", "b"}, ba{"b", "a"}, abc{"a", "b", "c"}, joined{"ab", "c"}, cut{"a", "bc"};
  CHECK(vocabulary(ab) == vocabulary(ab));
  CHECK_FALSE(vocabulary(ab) == vocabulary(ba));
  CHECK_FALSE(vocabulary(ab) == vocabulary(abc));
  CHECK_FALSE(vocabulary(joined) == vocabulary(cut));
}

TEST_CASE("A builder numbers words in order of appearance and is empty after build", "[core][vocabulary]") {
  vocabulary_builder builder;
  CHECK(builder.add("b") == 0);
  CHECK(builder.add("a") == 1);
  CHECK(builder.add("b") == 0);
  const dplda::vocabulary_ptr vocab = builder.build();
  CHECK(vocab->size() == 2);
  CHECK(vocab->word(1) == "a");
  CHECK(builder.size() == 0);
  CHECK(builder.add("c") == 0);
}

TEST_CASE("Words stay found while the table grows", "[core][vocabulary]") {
  const dplda::vocabulary_ptr vocab = dplda::numbered_vocabulary(20000);
  REQUIRE(vocab->size() == 20000);
  bool all = true;
  for (dplda::word_id id = 0; id < 20000; ++id) all = all && vocab->find("w" + std::to_string(id)) == id;
  CHECK(all);
  CHECK_FALSE(vocab->find("w20000"));
}
