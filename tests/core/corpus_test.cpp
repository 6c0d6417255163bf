// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/corpus.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

using dplda::corpus;
using dplda::corpus_builder;
using dplda::word_id;
using dplda_tests::make_corpus;
using dplda_tests::tokens_of;

namespace {

dplda::vocabulary_ptr vocab_of(const std::vector<std::string>& words) {
  return std::make_shared<const dplda::vocabulary>(words);
}

}  // namespace

TEST_CASE("A corpus holds sorted bags of words", "[core][corpus]") {
  const corpus docs = make_corpus({{2, 0, 2, 1, 2}, {}, {1}}, 4);
  REQUIRE(docs.size() == 3);
  CHECK(docs.words() == 4);
  CHECK(docs.tokens() == 6);
  CHECK(docs.entries() == 4);
  CHECK(tokens_of(docs) == std::vector<std::vector<word_id>>{{0, 1, 2, 2, 2}, {}, {1}});
  CHECK(docs[0].size() == 3);
  CHECK(docs[0].length() == 5);
  CHECK(docs[1].empty());
  CHECK(docs[2].id == 2);
  CHECK(docs.entry_begin(0) == 0);
  CHECK(docs.entry_begin(2) == 3);
  CHECK(docs.entry_begin(3) == docs.entries());
}

TEST_CASE("An empty corpus is valid", "[core][corpus]") {
  const corpus none;
  CHECK(none.empty());
  CHECK(none.tokens() == 0);
  CHECK(none.words() == 0);
  CHECK(none.users() == 0);
  CHECK(none.select({}).empty());
  CHECK(none.slice(0, 0).empty());
}

TEST_CASE("A builder adds up counts, skips zeros and is empty after build", "[core][corpus]") {
  corpus_builder builder;
  builder.add(1, 4);
  builder.add(0, 0);
  builder.add(1, 3);
  builder.end_document();
  const corpus first = builder.build(dplda::numbered_vocabulary(2));
  CHECK(first[0].size() == 1);
  CHECK(first[0].counts[0] == 7);
  CHECK(first.tokens() == 7);
  CHECK(builder.size() == 0);
  builder.add(0);
  builder.end_document();
  const corpus second = builder.build(dplda::numbered_vocabulary(1));
  CHECK(second.tokens() == 1);
  CHECK(first[0].counts[0] == 7);
}

TEST_CASE("A builder refuses an invalid corpus", "[core][corpus]") {
  corpus_builder builder;
  builder.add(5);
  CHECK_THROWS_AS(builder.build(dplda::numbered_vocabulary(9)), std::invalid_argument);  // still open
  builder.end_document();
  CHECK_THROWS_AS(builder.build(dplda::numbered_vocabulary(5)), std::invalid_argument);
  CHECK_THROWS_AS(builder.build(nullptr), std::invalid_argument);
  CHECK_THROWS_AS(builder.set_users({0, 1}, 2), std::invalid_argument);
  CHECK_THROWS_AS(builder.set_users({3}, 3), std::invalid_argument);
  CHECK_THROWS_AS(builder.set_ids({}), std::invalid_argument);
  CHECK(builder.build(dplda::numbered_vocabulary(6)).tokens() == 1);
}

TEST_CASE("Counts of 2^32 - 1 fit, larger ones are refused", "[core][corpus]") {
  corpus_builder builder;
  builder.add(0, 0xFFFFFFFFu);
  builder.add(1, 0xFFFFFFFFu);
  builder.end_document();
  const corpus docs = builder.build(dplda::numbered_vocabulary(2));
  CHECK(docs.tokens() == 2 * std::uint64_t{0xFFFFFFFFu});
  CHECK(docs[0].length() == docs.tokens());
  builder.add(0, 0xFFFFFFFFu);
  builder.add(0, 1);
  CHECK_THROWS_AS(builder.end_document(), std::overflow_error);
}

TEST_CASE("Selection keeps vocabulary, users and ids, and recounts", "[core][corpus]") {
  const corpus docs = make_corpus({{0}, {1, 1}, {2}, {}}, 3, {4, 0, 4, 1}, 5);
  const std::vector<std::size_t> positions{3, 1, 1};
  const corpus part = docs.select(positions);
  CHECK(tokens_of(part) == std::vector<std::vector<word_id>>{{}, {1, 1}, {1, 1}});
  CHECK(part.tokens() == 4);
  CHECK(part[0].id == 3);
  CHECK(part[2].id == 1);
  CHECK(part.user(0) == 1);
  CHECK(part.users() == 5);
  CHECK(part.vocab() == docs.vocab());
  CHECK(part.slice(0, 1)[0].id == 3);
  const std::vector<std::size_t> beyond{4};
  CHECK_THROWS_AS(docs.select(beyond), std::invalid_argument);
  CHECK_THROWS_AS(docs.slice(2, 5), std::invalid_argument);
  CHECK_THROWS_AS(docs.slice(3, 2), std::invalid_argument);
}

TEST_CASE("Without owners each document is a user", "[core][corpus]") {
  const corpus docs = make_corpus({{0}, {}}, 1);
  CHECK_FALSE(docs.has_users());
  CHECK(docs.users() == 2);
  CHECK(docs.user(1) == 1);
}

TEST_CASE("Restriction matches words by spelling and keeps emptied documents", "[core][corpus]") {
  corpus_builder builder;
  builder.add(0, 2);
  builder.add(1);
  builder.add(2, 3);
  builder.end_document();
  builder.add(1);
  builder.end_document();
  builder.set_users({1, 0}, 2);
  builder.set_ids({10, 20});
  const corpus docs = builder.build(vocab_of({"tree", "river", "stone"}));
  const corpus kept = docs.restrict_to(vocab_of({"stone", "cloud", "tree"}));
  REQUIRE(kept.size() == 2);
  CHECK(kept.words() == 3);
  CHECK(tokens_of(kept) == std::vector<std::vector<word_id>>{{0, 0, 0, 2, 2}, {}});
  CHECK(kept.tokens() == 5);
  CHECK(kept[1].id == 20);
  CHECK(kept.user(0) == 1);
  CHECK(docs.restrict_to(vocab_of({})).size() == 2);
  CHECK_THROWS_AS(docs.restrict_to(nullptr), std::invalid_argument);
}

TEST_CASE("documents added after their owners or ids are refused at the end", "[corpus]") {
  for (const bool users : {true, false}) {
    dplda::corpus_builder builder;
    builder.add(0);
    builder.end_document();
    users ? builder.set_users({0}, 1) : builder.set_ids({7});
    builder.end_document();
    CHECK_THROWS_AS(builder.build(dplda::numbered_vocabulary(1)), std::invalid_argument);
  }
}

TEST_CASE("a document whose counts overflow stays open and unchanged", "[corpus]") {
  dplda::corpus_builder builder;
  builder.add(1, 0xFFFFFFFFu);
  builder.add(0, 2);
  builder.add(1, 1);
  CHECK_THROWS_AS(builder.end_document(), std::overflow_error);
  CHECK_THROWS_AS(builder.end_document(), std::overflow_error);
  CHECK(builder.size() == 0);
}
