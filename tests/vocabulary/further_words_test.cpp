// SPDX-License-Identifier: Apache-2.0
#include <dplda/vocabulary/further_words.hpp>

#include <dplda/accounting/accountant.hpp>
#include <dplda/inference/svi/private_svi.hpp>
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

  // A bare released list laundered its cost: the next release claimed its own epsilon for both.
  CHECK_THAT(refusal([&] { further_words(selector, words.value(), letters(), random); }),
             ContainsSubstring("given as the release"));
  CHECK_THAT(refusal([&] { further_words(selector, words, letters(), random); }),
             ContainsSubstring("without the ledger"));
  const vocabulary_selector pays({.before = words.ledger()}, {.epsilon = 3, .delta = 2e-6});
  const auto more = further_words(pays, words, letters(), random);
  CHECK(more.ledger().contains(words.ledger()));
  CHECK(more.guarantee().assumes_fixed_plans);
  CHECK(more.value()->find("captain"));
}

TEST_CASE("Further words behind earlier topics pay for them, or are for one part", "[vocabulary][further_words]") {
  ledger spent;
  spent.record({.noise = gaussian_noise{2}});
  const topic_counts counts{Eigen::MatrixXd::Ones(1, 3), Eigen::VectorXd::Ones(3), Eigen::VectorXd::Ones(3),
                            Eigen::VectorXd::Ones(3)};
  const topic_model<> topics = topic_model<>(Eigen::MatrixXd::Constant(1, 3, 1 / 3.0), known_words())
                                   .with_counts(std::make_shared<const topic_counts>(counts));
  const release<topic_model<>> january(topics, price(spent, 1e-6), spent);
  const budget two{.epsilon = 2, .delta = 1e-6};
  random_source random = seeded_random(1);
  const auto february =
      further_words(vocabulary_selector({}, two), declare_disjoint(january, "in February"), letters(), random);
  CHECK(february.guarantee().part == "in February");
  CHECK(february.value()->word(2) == "absent");
  CHECK(february.value()->find("captain"));
  CHECK_FALSE(february.ledger().contains(spent));
  CHECK_THAT(refusal([&] { further_words(vocabulary_selector({}, two), earlier_topics(january), letters(), random); }),
             ContainsSubstring("without the ledger"));
  const vocabulary_selector pays({.before = spent}, {.epsilon = 8, .delta = 1e-5});
  CHECK(further_words(pays, earlier_topics(january), letters(), random).ledger().contains(spent));
  const vocabulary_selector of_users({.unit = privacy_unit::user}, two);
  CHECK_THAT(refusal([&] { further_words(of_users, declare_disjoint(january, "in February"), letters(), random); }),
             ContainsSubstring("of one kind"));
  // The list is for February, so it is good for a fit of February, and for no other.
  private_svi_options options{.topics = 1,
                              .units = 4000,
                              .words = february.value()->size(),
                              .steps = 2,
                              .background_share = 0.2,
                              .before = february.ledger()};
  CHECK_THAT(refusal([&] {
               private_svi(options, {4, 1e-5}).fit(february, letters(), random);
             }),
             ContainsSubstring("one part"));
  options.earlier = declare_disjoint(january, "in March");
  CHECK_THAT(refusal([&] {
               private_svi(options, {4, 1e-5}).fit(february, letters(), random);
             }),
             ContainsSubstring("one part"));
  options.earlier = declare_disjoint(january, "in February");
  CHECK(private_svi(options, {4, 1e-5}).fit(february, letters(), random).guarantee().part == "in February");
}
