// SPDX-License-Identifier: Apache-2.0
#include <dplda/vocabulary/phrase_selector.hpp>

#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/ordered_texts.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget two{.epsilon = 2, .delta = 1e-6};

// "new york city" and "old harbour" are phrases; "city hall" is in few texts, and each text has a name of its own.
ordered_texts letters(std::size_t documents) {
  std::vector<std::string> texts;
  for (std::size_t d = 0; d < documents; ++d) {
    texts.push_back(d % 2 ? "bread new york city rolls" : "gull old harbour ferry");
    if (d % 500 == 0) texts.back() += " city hall";
    texts.back() += " zz" + std::string(1 + d % 7, 'q') + std::string(1 + d / 7, 'x');
  }
  return ordered_from_texts(texts, {.max_length = 100000});
}

std::vector<std::string> words_of(const vocabulary& words) {
  std::vector<std::string> all;
  for (word_id w = 0; w < words.size(); ++w) all.emplace_back(words.word(w));
  return all;
}

vocabulary_ptr list(const std::vector<std::string>& words) { return std::make_shared<const vocabulary>(words); }

std::vector<std::string> words_of(const corpus& docs, std::size_t d) {
  std::vector<std::string> all;
  for (std::size_t n = 0; n < docs[d].size(); ++n)
    all.insert(all.end(), docs[d].counts[n], std::string(docs.vocab()->word(docs[d].words[n])));
  std::sort(all.begin(), all.end());
  return all;
}

using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("Phrases of many are released, words of one are not", "[vocabulary][phrase_selector]") {
  const ordered_texts texts = letters(4000);
  const phrase_selector selector({.longest = 3}, two);
  random_source random = seeded_random(1);
  const auto words = selector.fit(texts, random);
  const strings released = words_of(*words.value());
  for (const char* expected : {"new", "york", "new_york", "york_city", "new_york_city", "old_harbour"})
    CHECK(std::ranges::count(released, expected) == 1);
  for (const std::string& word : released) CHECK(word.find("zz") == std::string::npos);
  CHECK(std::ranges::count(released, "city_hall") == 0);
  CHECK(words.value()->origin() == word_origin::released);
  // Words, then phrases of two words, ...
  const auto joints = [](const std::string& word) { return std::ranges::count(word, '_'); };
  CHECK(std::ranges::is_sorted(released, [&](const auto& a, const auto& b) { return joints(a) < joints(b); }));
}

TEST_CASE("A phrase is a candidate if both its parts were released, by its own text alone",
          "[vocabulary][phrase_selector]") {
  const ordered_texts texts = ordered_from_texts(strings{"aaa bbb ccc aaa bbb", "bbb ccc ddd", "ccc aaa", "", "aaa"});
  const auto candidates = [&](const ordered_texts& of, const strings& released, std::size_t words) {
    const corpus docs = detail::phrase_candidates(of, vocabulary(released), words);
    std::vector<strings> all;
    for (std::size_t d = 0; d < docs.size(); ++d) all.push_back(words_of(docs, d));
    return all;
  };
  CHECK(candidates(texts, {}, 1)[0] == strings{"aaa", "aaa", "bbb", "bbb", "ccc"});
  CHECK(candidates(texts, {"aaa", "bbb"}, 2) == std::vector<strings>{{"aaa_bbb", "aaa_bbb"}, {}, {}, {}, {}});
  CHECK(candidates(texts, {"aaa_bbb", "bbb_ccc", "ccc_aaa"}, 3) ==
        std::vector<strings>{{"aaa_bbb_ccc", "bbb_ccc_aaa", "ccc_aaa_bbb"}, {}, {}, {}, {}});
  CHECK(candidates(texts, {"bbb_ccc"}, 3)[1].empty());  // ccc_ddd was not released
  // Without the first text, the candidates of the others are the same.
  const ordered_texts rest = ordered_from_texts(strings{"bbb ccc ddd", "ccc aaa", "", "aaa"});
  std::vector<strings> all = candidates(texts, {"bbb", "ccc", "ddd"}, 2);
  all.erase(all.begin());
  CHECK(candidates(rest, {"bbb", "ccc", "ddd"}, 2) == all);
}

TEST_CASE("A selection of phrases spends what was planned", "[vocabulary][phrase_selector]") {
  for (const std::size_t longest : {1u, 2u, 3u, 5u}) {
    ledger before;
    before.record({.noise = gaussian_noise{20}});
    for (const ledger& earlier : {ledger(), before}) {
      const phrase_selector selector({.longest = longest, .selection = {.before = earlier}}, two);
      CHECK(selector.plan().rounds.size() == longest);
      CHECK(selector.guarantee().epsilon <= two.epsilon);
      CHECK(selector.guarantee().epsilon > 0.99 * two.epsilon);
      CHECK(price(selector.plan().ledger, two.delta).epsilon <= two.epsilon);
      CHECK(selector.plan().ledger.contains(earlier));
      CHECK(selector.guarantee().assumes_fixed_plans == !earlier.empty());
      double opaque = 0;
      for (const auto& [event, count] : selector.plan().ledger.entries()) {
        if (const auto* chance = std::get_if<approximate_dp>(&event.noise))
          opaque += chance->delta * static_cast<double>(count);
      }
      CHECK(opaque == Catch::Approx(two.delta * (1 - std::ldexp(1.0, -static_cast<int>(longest)))));
      random_source secret = secure_random(), seeded = seeded_random(1);
      const auto words = selector.fit(letters(20), secret);  // too few for any word, and every round is still paid
      CHECK(std::ranges::equal(words.ledger().entries(), selector.plan().ledger.entries()));
      CHECK_FALSE(words.guarantee().seeded);
      CHECK(selector.fit(letters(20), seeded).guarantee().seeded);
    }
  }
}

TEST_CASE("A phrase of one unit alone passes as rarely as its round allows", "[vocabulary][phrase_selector]") {
  // All have both words; one has them in a row. With a large delta the threshold is low.
  std::vector<std::string> texts(60, "alpha gamma beta");
  texts.emplace_back("alpha beta");
  const ordered_texts docs = ordered_from_texts(texts);
  const phrase_selector selector({.longest = 2, .selection = {.words_per_unit = 4}}, {.epsilon = 50, .delta = 0.4});
  double allowed = 0;
  for (const sparse_histogram_plan& plan : selector.plan().rounds[1].plan().rounds) allowed += plan.options().delta;
  constexpr int runs = 4000;
  int shown = 0, words = 0;
  random_source random = seeded_random(3);
  for (int run = 0; run < runs; ++run) {
    const auto released = selector.fit(docs, random);
    shown += released.value()->find("alpha_beta").has_value();
    words += released.value()->find("alpha").has_value();
  }
  CAPTURE(shown, allowed);
  CHECK(words > 0.99 * runs);
  // Six standard deviations: a false alarm has a probability below 1e-8. And the bound is not idle.
  CHECK(shown < allowed * runs + 6 * std::sqrt(allowed * runs));
  CHECK(shown > 0.1 * allowed * runs);
}

TEST_CASE("The longest listed phrase from left to right counts besides its words", "[vocabulary][phrase_selector]") {
  const ordered_texts texts = ordered_from_texts(strings{"new york city hall new york", "york city new", "", "hall"});
  const vocabulary_ptr listed =
      declare_public(list({"new", "york", "city", "new_york", "york_city", "new_york_city", "city_hall"}));
  const corpus docs = with_phrases(texts, listed);
  REQUIRE(docs.size() == 4);
  // hall is not listed, and city_hall overlaps a phrase that begins before
  CHECK(words_of(docs, 0) == strings{"city", "new", "new", "new_york", "new_york_city", "york", "york"});
  CHECK(words_of(docs, 1) == strings{"city", "new", "york", "york_city"});
  CHECK(docs[2].empty());
  CHECK(docs[3].empty());
  CHECK(docs.pruning() == pruning::none);
  CHECK(with_phrases(texts, list({"new", "york"})).pruning() == pruning::pruned);
}

TEST_CASE("Topics over phrases need the release that paid for them", "[vocabulary][phrase_selector]") {
  const ordered_texts texts = letters(2000);
  const phrase_selector selector({}, two);
  random_source random = seeded_random(1);
  const auto words = selector.fit(texts, random);
  const corpus docs = with_phrases(texts, words.value());
  private_svi_options options{.topics = 2, .units = 2000, .words = docs.words(), .steps = 2, .background_share = 0.2};
  CHECK_THAT(refusal([&] {
               private_svi(options, {4, 1e-5}).fit(docs, random);
             }),
             ContainsSubstring("chosen privately"));
  CHECK_THAT(refusal([&] {
               private_svi(options, {4, 1e-5}).fit(words, docs, random);
             }),
             ContainsSubstring("without the ledger"));
  options.before = words.ledger();
  const auto topics = private_svi(options, {4, 1e-5}).fit(words, docs, random);
  CHECK(topics.ledger().contains(selector.plan().ledger));
  CHECK(topics.value().vocab()->find("new_york_city"));
  CHECK_THAT(refusal([&] { vocabulary_selector({}, two).fit(docs, random); }), ContainsSubstring("as it was read"));
}

TEST_CASE("Users of texts are units of phrases", "[vocabulary][phrase_selector]") {
  // One user writes all.
  const ordered_texts texts = letters(4000);
  std::vector<std::vector<word_id>> documents;
  for (std::size_t d = 0; d < texts.size(); ++d) documents.emplace_back(texts[d].begin(), texts[d].end());
  const ordered_texts of_one =
      declare_unpruned(ordered_texts(documents, texts.vocab(), std::vector<user_id>(4000, 0), 1));
  random_source random = seeded_random(1);
  const phrase_selector selector({.selection = {.unit = privacy_unit::user}}, two);
  CHECK(selector.fit(of_one, random).value()->size() == 0);
  CHECK(with_phrases(of_one, declare_public(list({"new"}))).users() == 1);
  CHECK_THAT(refusal([&] { selector.fit(texts, random); }), ContainsSubstring("no users"));
  CHECK_THAT(refusal([&] { phrase_selector({}, two).fit(ordered_texts(documents, texts.vocab()), random); }),
             ContainsSubstring("declare_unpruned"));
}

TEST_CASE("Phrases of invalid options and texts are refused", "[vocabulary][phrase_selector]") {
  CHECK_THAT(refusal([] { phrase_selector({.longest = 0}, two); }), ContainsSubstring("longest"));
  CHECK_THAT(refusal([] { phrase_selector({.longest = 9}, two); }), ContainsSubstring("longest"));
  ledger dear;
  dear.record({.noise = gaussian_noise{0.1}});
  CHECK_THAT(refusal([&] { phrase_selector({.selection = {.before = dear}}, two); }), ContainsSubstring("before"));
  CHECK_THAT(refusal([] { with_phrases(letters(1), nullptr); }), ContainsSubstring("the list"));
  const vocabulary_ptr words = list({"aaa", "bb_b"});
  CHECK_THAT(refusal([&] { ordered_texts({{2}}, words); }), ContainsSubstring("a word"));
  CHECK_THAT(refusal([&] { ordered_texts({{1}}, words, {0, 0}, 1); }), ContainsSubstring("number of users"));
  CHECK_THAT(refusal([&] { ordered_texts({{1}}, words, {1}, 1); }), ContainsSubstring("a user"));
  // A word that has the joint is in no phrase, so that no two phrases have one name.
  const ordered_texts joint({{0, 1, 0, 0}}, words);
  const corpus candidates = detail::phrase_candidates(joint, *words, 2);
  CHECK(words_of(*candidates.vocab()) == strings{"aaa_aaa"});
}

// Cut to words that were paid for, a corpus kept phrases that a list decided which nobody had paid for.
TEST_CASE("A corpus of phrases is cut to its own list only", "[vocabulary][phrase_selector]") {
  const ordered_texts texts = letters(20);
  const auto released = [](const strings& words) { return detail::with_origin(*list(words), word_origin::released); };
  const vocabulary_ptr all = released({"new", "york", "city", "new_york", "new_york_city"});
  const vocabulary_ptr part = released({"new", "york", "city", "new_york"});
  const vocabulary_ptr reordered = released({"york", "new", "city", "new_york_city", "new_york"});
  const corpus docs = with_phrases(texts, all);
  CHECK(docs.restrict_to(part)[1].length() < with_phrases(texts, part)[1].length());
  CHECK(docs.restrict_to(part).pruning() == pruning::pruned);
  CHECK(docs.slice(0, 3).restrict_to(part).pruning() == pruning::pruned);
  CHECK(declare_unpruned(docs).restrict_to(part).pruning() == pruning::pruned);
  CHECK(docs.restrict_to(declare_public(list(words_of(*all)))).pruning() == pruning::pruned);
  CHECK(docs.restrict_to(released({"new", "york", "city", "new_york", "new_york_city", "hall"})).pruning() ==
        pruning::pruned);
  // Its own words are no cut, in any order.
  CHECK(docs.restrict_to(all).pruning() == pruning::by_list);
  CHECK(docs.restrict_to(reordered).pruning() == pruning::by_list);
  CHECK(divided_corpus(docs, privacy_unit::document).restrict_to(reordered).divided());
  CHECK_FALSE(divided_corpus(docs, privacy_unit::document).restrict_to(part).divided());
  CHECK_THAT(refusal([&] { privacy_units(docs.restrict_to(part), privacy_unit::document); }),
             ContainsSubstring("pruned"));
  // A public list is a rule for each text by itself.
  const corpus open = with_phrases(texts, declare_public(list(words_of(*all))));
  CHECK(open.restrict_to(part).pruning() == pruning::none);
  CHECK(open.restrict_to(part).restrict_to(released({"new"})).pruning() == pruning::none);
}

TEST_CASE("Shares of topics over phrases are measured over the same list", "[vocabulary][phrase_selector]") {
  const ordered_texts texts = letters(2000);
  random_source random = seeded_random(1);
  const auto words = phrase_selector({}, two).fit(texts, random);
  const corpus docs = with_phrases(texts, words.value());
  private_svi_options options{.topics = 2, .units = 2000, .words = docs.words(), .steps = 2, .background_share = 0.2};
  options.before = words.ledger();
  const auto topics = private_svi(options, {4, 1e-5}).fit(words, docs, random);
  // As private_prevalence and options.earlier cut documents.
  const divided_corpus again = divided_corpus(docs).restrict_to(topics.value().vocab());
  CHECK(again.divided_into(privacy_unit::document).units().size() == 2000);
  options.words = topics.value().words();
  options.before = {};
  options.earlier = declare_disjoint(topics, "others");
  CHECK(private_svi(options, two).fit(docs, random).value().words() == docs.words());
}

TEST_CASE("Texts of released words and undeclared texts make no corpus of released phrases",
          "[vocabulary][phrase_selector]") {
  const vocabulary_ptr released = detail::with_origin(*list({"new", "york", "new_york"}), word_origin::released);
  const ordered_texts cut = declare_unpruned(ordered_texts({{0, 1}}, released));
  CHECK_THAT(refusal([&] { with_phrases(cut, released); }), ContainsSubstring("as they were read"));
  const ordered_texts unknown({{0, 1}}, list({"new", "york"}));
  CHECK_THAT(refusal([&] { with_phrases(unknown, released); }), ContainsSubstring("declare_unpruned"));
  CHECK(with_phrases(unknown, declare_public(list({"new"}))).pruning() == pruning::unknown);
}

TEST_CASE("A word that looks like a phrase is not taken for it", "[vocabulary][phrase_selector]") {
  const ordered_texts texts = declare_unpruned(ordered_texts({{0, 1}, {2}}, list({"new", "york", "new_york"})));
  CHECK(detail::phrase_candidates(texts, {}, 1)[1].empty());
  const corpus docs = with_phrases(texts, declare_public(list({"new", "york", "new_york"})));
  CHECK(words_of(docs, 0) == strings{"new", "new_york", "york"});
  CHECK(docs[1].empty());
}
