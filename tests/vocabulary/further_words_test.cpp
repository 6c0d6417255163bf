// SPDX-License-Identifier: Apache-2.0
#include <dplda/vocabulary/further_words.hpp>

#include <dplda/io/text.hpp>
#include <dplda/io/users.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// 2000 users, two letters each: the second has no word but known ones.
corpus letters() {
  std::vector<std::string> texts;
  user_list users;
  for (std::size_t u = 0; u < 2000; ++u) {
    texts.push_back("ferry harbour captain zz" + std::string(1 + u % 7, 'q') + std::string(1 + u / 7, 'x'));
    texts.emplace_back("bread ferry");
    users.of_document.insert(users.of_document.end(), 2, static_cast<user_id>(u));
  }
  users.labels = numbered_vocabulary(2000);
  return corpus_from_texts(texts, {.tokens = {.max_length = 1000}}, &users);
}

vocabulary_ptr known_words() {
  return declare_public(std::make_shared<const vocabulary>(std::vector<std::string>{"harbour", "bread", "absent"}));
}

}  // namespace

TEST_CASE("New words come behind the known ones, and words of single units stay hidden",
          "[vocabulary][further_words]") {
  const corpus docs = letters();
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const vocabulary_selector selector({.unit = unit}, {.epsilon = 2, .delta = 1e-6});
    random_source random = seeded_random(1);
    const auto words = further_words(selector, known_words(), docs, random);
    CHECK(*words.value() == vocabulary(std::vector<std::string>{"harbour", "bread", "absent", "captain", "ferry"}));
    CHECK(words.value()->origin() == word_origin::released);
    CHECK(words.guarantee().epsilon == selector.guarantee().epsilon);
    CHECK(std::ranges::equal(words.ledger().entries(), selector.plan().ledger.entries()));
  }
}

TEST_CASE("Leaving out known words keeps documents, ids and users", "[vocabulary][further_words]") {
  const std::vector<std::size_t> some{1, 4, 5};
  const corpus docs = letters().select(some), rest = detail::without_words(docs, *known_words());
  REQUIRE(rest.size() == 3);
  for (std::size_t d = 0; d < 3; ++d) {
    CHECK(rest[d].id == docs[d].id);
    CHECK(rest.user(d) == docs.user(d));
  }
  CHECK(rest.users() == docs.users());
  CHECK(rest.pruning() == pruning::none);
  CHECK(rest[0].size() == 1);  // ferry
  CHECK_FALSE(rest.vocab()->find("harbour"));
  const corpus cut = corpus_from_texts(std::vector<std::string>{"ferry", "ferry harbour"}, {.min_documents = 2});
  CHECK(detail::without_words(cut, *known_words()).pruning() == pruning::pruned);
}

TEST_CASE("Known words that nobody paid for are refused", "[vocabulary][further_words]") {
  const vocabulary_selector selector({}, {.epsilon = 2, .delta = 1e-6});
  random_source random = seeded_random(1);
  const auto own = std::make_shared<const vocabulary>(std::vector<std::string>{"harbour"});
  CHECK_THAT(refusal([&] { further_words(selector, own, letters(), random); }), ContainsSubstring("from documents"));
  const auto words = further_words(selector, known_words(), letters(), random);
  CHECK_THAT(refusal([&] { further_words(selector, known_words(), letters().restrict_to(words.value()), random); }),
             ContainsSubstring("as it was read"));
}
