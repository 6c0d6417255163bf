// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>
#include <dplda/vocabulary/vocabulary_stream.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace dplda;
using dplda_tests::make_corpus;
using dplda_tests::refusal;
using enum vocabulary_method;

const vocabulary_method methods[] = {informed_rounds, rounds,          weighted_gaussian, weighted_laplace,
                                     count_laplace,   policy_gaussian, policy_laplace,    frequency_first};

std::vector<std::string> words_of(const vocabulary_ptr& vocab) {
  std::vector<std::string> words;
  for (word_id w = 0; w < vocab->size(); ++w) words.emplace_back(vocab->word(w));
  return words;
}

// Document d has word w if w divides d + 1: the word w is in every w-th document, and many words are in few.
corpus divisors(std::size_t documents, std::size_t words) {
  std::vector<std::vector<word_id>> docs(documents);
  for (std::size_t d = 0; d < documents; ++d) {
    for (std::size_t w = 1; w < words; ++w) {
      if ((d + 1) % w == 0) docs[d].push_back(static_cast<word_id>(w));
    }
  }
  return make_corpus(docs, words);
}

// The same documents over the same words, which are numbered backwards.
corpus renumbered(const corpus& docs) {
  std::vector<std::string> words = words_of(docs.vocab());
  std::reverse(words.begin(), words.end());
  return docs.restrict_to(std::make_shared<const vocabulary>(words));
}

}  // namespace

TEST_CASE("The cost of a selection is known before it and recorded after it", "[vocabulary_selector]") {
  const corpus docs = divisors(50, 30);
  for (const vocabulary_method method : methods) {
    for (const budget& total : {budget{1, 1e-5}, budget{5, 1e-8}, budget{0.1, 1e-6}}) {
      CAPTURE(static_cast<int>(method), total.epsilon);
      const vocabulary_selector selector({.method = method}, total);
      const guarantee& planned = selector.guarantee();
      CHECK(planned.basis == basis::proven);
      CHECK(planned.epsilon <= total.epsilon);
      CHECK(planned.epsilon >= total.epsilon * (1 - 1e-6));
      CHECK(planned.delta == total.delta);
      CHECK(planned.relation == neighbours::add_remove);
      auto random = seeded_random(1);
      const auto released = selector.fit(docs, random);
      CHECK(released.guarantee().seeded);
      ledger spent = selector.plan().ledger;
      spent.mark_seeded();
      CHECK(released.ledger() == spent);
      CHECK(price(released.ledger(), total.delta) == released.guarantee());
    }
  }
}

TEST_CASE("Plans of policies have the thresholds of the papers", "[vocabulary_selector]") {
  const vocabulary_selector gaussian({.method = policy_gaussian, .words_per_unit = 100}, {3, 1e-5});
  CHECK(std::abs(gaussian.plan().rounds[0].options().noise_multiplier - 1.4381) < 1e-4);
  CHECK(std::abs(gaussian.plan().rounds[0].threshold() - 7.7602) < 1e-4);
  const vocabulary_selector laplace({.method = policy_laplace, .words_per_unit = 100}, {1, 1e-5});
  CHECK(std::abs(laplace.plan().rounds[0].threshold() - 15.4349) < 1e-4);
  const vocabulary_selector corrected({.method = frequency_first, .words_per_unit = 84}, {1, 1e-5});
  CHECK(std::abs(corrected.plan().rounds[0].threshold() - 15.27) < 0.005);
  const vocabulary_selector published({.method = frequency_first, .basis = basis::as_published}, {1, 1e-5});
  CHECK(std::abs(published.plan().rounds[0].threshold() - 11.82) < 0.005);
}

TEST_CASE("Frequent words are selected, in alphabetical order, and rare ones are not", "[vocabulary_selector]") {
  const corpus docs = divisors(4000, 3000);
  for (const vocabulary_method method : methods) {
    CAPTURE(static_cast<int>(method));
    const vocabulary_selector selector({.method = method, .words_per_unit = 64}, {4, 1e-6});
    auto random = seeded_random(2);
    const std::vector<std::string> words = words_of(selector.fit(docs, random).value());
    CHECK(std::is_sorted(words.begin(), words.end()));
    const std::set<std::string> chosen(words.begin(), words.end());
    CHECK(chosen.count("w1") == 1);
    CHECK(chosen.count("w2") == 1);
    CHECK(chosen.count("w0") == 0);
    for (const std::string& word : words) CHECK(std::stoul(word.substr(1)) < 1500);  // at least three documents
  }
}

TEST_CASE("Informed rounds select the most words of all methods", "[vocabulary_selector]") {
  const corpus docs = divisors(20000, 4000);
  std::map<vocabulary_method, std::size_t> sizes;
  for (const vocabulary_method method : methods) {
    const vocabulary_selector selector({.method = method, .words_per_unit = 64}, {1, 1e-5});
    auto random = seeded_random(3);
    sizes[method] = selector.fit(docs, random).value()->size();
  }
  for (const vocabulary_method method : methods) CHECK(sizes[method] <= sizes[informed_rounds]);
}

TEST_CASE("Threads and the numbering of words do not change what is selected", "[vocabulary_selector]") {
  const corpus docs = divisors(5000, 800), other = renumbered(docs);
  for (const vocabulary_method method : methods) {
    CAPTURE(static_cast<int>(method));
    std::vector<std::vector<std::string>> results;
    for (const std::size_t threads : {1u, 2u, 8u}) {
      const vocabulary_selector selector({.method = method, .words_per_unit = 8, .threads = threads}, {3, 1e-4});
      for (const corpus* each : {&docs, &other}) {
        auto random = seeded_random(4);
        results.push_back(words_of(selector.fit(*each, random).value()));
      }
    }
    CHECK_FALSE(results[0].empty());
    for (const auto& words : results) CHECK(words == results[0]);
  }
}

TEST_CASE("Policies order units differently with every key", "[vocabulary_selector]") {
  // Two words that cannot both be lifted to the cap: who comes first decides, so with a fixed order results would agree.
  std::vector<std::vector<word_id>> lines;
  for (word_id i = 0; i < 60; ++i) lines.push_back({i % 10, 10 + i % 12, 30 + i % 7});
  const corpus docs = make_corpus(lines, 40);
  for (const vocabulary_method method : {policy_gaussian, policy_laplace, frequency_first}) {
    // Hardly any noise beside the weights, so that results differ by the order alone.
    const vocabulary_selector selector({.method = method, .words_per_unit = 3, .cap_margin = 0, .threads = 1},
                                       {.epsilon = 200, .delta = 1e-9});
    std::set<std::vector<std::string>> results;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      auto random = seeded_random(seed);
      results.insert(words_of(selector.fit(docs, random).value()));
    }
    CAPTURE(static_cast<int>(method));
    CHECK(results.size() > 1);
  }
}

TEST_CASE("A user counts once for a word, in however many documents", "[vocabulary_selector]") {
  // User 0 says "w0" in 2000 documents; users 1 to 600 say "w1" in one each.
  std::vector<std::vector<word_id>> docs(2600, {1});
  std::vector<user_id> users(2600, 0);
  for (std::size_t d = 0; d < 2000; ++d) docs[d] = {0};
  for (std::size_t d = 2000; d < 2600; ++d) users[d] = static_cast<user_id>(d - 1999);
  const corpus owned = make_corpus(docs, 2, users, 601);
  for (const vocabulary_method method : methods) {
    CAPTURE(static_cast<int>(method));
    const vocabulary_selector by_user({.method = method, .unit = privacy_unit::user, .words_per_unit = 8}, {2, 1e-6});
    auto random = seeded_random(5);
    const auto released = by_user.fit(owned, random);
    CHECK(words_of(released.value()) == std::vector<std::string>{"w1"});
    CHECK(released.guarantee().unit == privacy_unit::user);
    const vocabulary_selector by_document({.method = method, .words_per_unit = 8}, {2, 1e-6});
    CHECK(by_document.fit(owned, random).value()->size() == 2);
  }
}

TEST_CASE("The words that a unit names do not depend on other units", "[vocabulary_selector]") {
  const corpus docs = divisors(300, 200);
  std::vector<std::size_t> others(docs.size());
  std::iota(others.begin(), others.end(), std::size_t{0});
  others.erase(others.begin() + 239);  // the document of many words
  const corpus without = renumbered(docs).select(others);
  for (const bool by_frequency : {false, true}) {
    const auto key = seeded_random(6);
    const privacy_units units(docs, privacy_unit::document), fewer(without, privacy_unit::document);
    const detail::unit_words all(docs, units, key, 4, by_frequency), rest(without, fewer, key, 4, by_frequency);
    bool same = true;
    for (std::size_t i = 0; i < fewer.size(); ++i) {
      const auto a = all[others[i]], b = rest[i];
      std::vector<std::string> mine, theirs;
      for (const auto cell : a) mine.emplace_back(all.word(cell));
      for (const auto cell : b) theirs.emplace_back(rest.word(cell));
      same = same && mine == theirs && a.size() <= 4;
    }
    CHECK(same);
  }
}

TEST_CASE("From too many words every subset is equally likely, and the most frequent stay if requested",
          "[vocabulary_selector]") {
  const auto key = seeded_random(7);
  std::vector<std::uint64_t> seen(10, 0);
  for (std::uint64_t unit = 0; unit < 20000; ++unit) {
    std::vector<std::uint32_t> items{0, 1, 2, 3, 4};
    detail::choose_some(items, 2, key, unit);
    const auto [a, b] = std::minmax(items[0], items[1]);
    ++seen[a * (9 - a) / 2 + b - a - 1];
  }
  CHECK(dplda_tests::chi_square_test(seen, std::vector<double>(10, 0.1)) > dplda_tests::suite_level);

  const corpus docs = make_corpus({{0, 1, 1, 2, 2, 2, 3, 3}}, 4);
  const privacy_units units(docs, privacy_unit::document);
  const detail::unit_words words(docs, units, key, 3, true);
  REQUIRE(words[0].size() == 3);
  CHECK(words[0][0] == 2);
  CHECK(std::set<std::uint32_t>{words[0][1], words[0][2]} == std::set<std::uint32_t>{1, 3});
}

TEST_CASE("An empty corpus releases no words", "[vocabulary_selector]") {
  for (const vocabulary_method method : methods) {
    const vocabulary_selector selector({.method = method}, {1, 1e-6});
    auto random = seeded_random(8);
    CHECK(selector.fit(corpus(), random).value()->size() == 0);
    CHECK(selector.fit(make_corpus({{}, {}}, 5), random).value()->size() == 0);
    CHECK(selector.fit(make_corpus({{1, 2}, {3}}, 5), random).value()->size() == 0);
  }
}

TEST_CASE("Emptied documents stay", "[vocabulary_selector]") {
  std::vector<std::vector<word_id>> lines(500, {0, 1});
  lines.push_back({2});
  const corpus docs = make_corpus(lines, 3);
  auto random = seeded_random(9);
  const auto words = vocabulary_selector({}, {2, 1e-6}).fit(docs, random);
  const corpus sanitised = docs.restrict_to(words.value());
  CHECK(sanitised.words() == 2);
  CHECK(sanitised.size() == 501);
  CHECK(sanitised[500].empty());
}

TEST_CASE("A stream selects as a corpus does", "[vocabulary_selector]") {
  const corpus docs = divisors(4000, 3000);
  for (const vocabulary_method method : {weighted_gaussian, weighted_laplace, count_laplace}) {
    CAPTURE(static_cast<int>(method));
    const vocabulary_selector selector({.method = method, .words_per_unit = 64}, {4, 1e-6});
    auto random = seeded_random(10);
    vocabulary_stream stream(selector, random);
    for (std::size_t d = 0; d < docs.size(); ++d) {
      for (const word_id word : docs[d].words) {
        stream.add(docs.vocab()->word(word));
        stream.add(docs.vocab()->word(word));  // twice is once
      }
      stream.end_unit();
    }
    const auto streamed = stream.publish();
    const std::vector<std::string> words = words_of(streamed.value());
    CHECK(std::is_sorted(words.begin(), words.end()));
    const auto fitted = selector.fit(docs, random);
    CHECK(streamed.ledger() == fitted.ledger());
    CHECK(streamed.guarantee() == fitted.guarantee());
    const double size = static_cast<double>(fitted.value()->size());
    CHECK(std::abs(static_cast<double>(words.size()) - size) < 5 * std::sqrt(size) + 5);

    // The stream is empty now.
    CHECK(stream.publish().value()->size() == 0);
    stream.add("open");
    CHECK_THROWS_AS(stream.publish(), std::logic_error);
  }
}

TEST_CASE("A unit of a stream names at most words_per_unit words", "[vocabulary_selector]") {
  const vocabulary_selector selector({.method = weighted_gaussian, .words_per_unit = 1}, {1, 1e-6});
  auto random = seeded_random(11);
  vocabulary_stream stream(selector, random);
  for (int unit = 0; unit < 1200; ++unit) {
    for (int w = 0; w < 1200; ++w) stream.add("w" + std::to_string(w));
    stream.end_unit();
  }
  // Each word has about one unit.
  CHECK(stream.publish().value()->size() == 0);
}

TEST_CASE("Wrong options are refused", "[vocabulary_selector]") {
  const auto refused = [](vocabulary_options options, budget total) {
    return !refusal([&] { vocabulary_selector(options, total); }).empty();
  };
  CHECK_FALSE(refused({}, {1, 1e-6}));
  CHECK(refused({}, {0, 1e-6}));
  CHECK(refused({}, {-1, 1e-6}));
  CHECK(refused({}, {std::nan(""), 1e-6}));
  CHECK(refused({}, {1, 0}));
  CHECK(refused({}, {1, 1}));
  CHECK(refused({.unit = privacy_unit::token}, {1, 1e-6}));
  CHECK(refused({.words_per_unit = 0}, {1, 1e-6}));
  CHECK(refused({.basis = basis::as_published}, {1, 1e-6}));
  CHECK(refused({.method = policy_gaussian, .cap_margin = -1}, {1, 1e-6}));

  auto random = seeded_random(12);
  const corpus docs = make_corpus({{0}, {1}}, 2);
  CHECK_THROWS_AS(vocabulary_selector({.unit = privacy_unit::user}, {1, 1e-6}).fit(docs, random),
                  std::invalid_argument);
  for (const vocabulary_method method : {informed_rounds, rounds, policy_gaussian, policy_laplace, frequency_first})
    CHECK_THROWS_AS(vocabulary_stream(vocabulary_selector({.method = method}, {1, 1e-6}), random),
                    std::invalid_argument);
}

TEST_CASE("The guarantee of the published selection says that it is not proven", "[vocabulary_selector]") {
  const vocabulary_selector selector({.method = frequency_first, .basis = basis::as_published}, {1, 1e-5});
  CHECK(selector.guarantee().basis == basis::as_published);
  CHECK(selector.guarantee().epsilon == 1);
  CHECK(selector.guarantee().delta == 1e-5);
  CHECK_THAT(selector.guarantee().caveat, Catch::Matchers::ContainsSubstring("one word"));
  CHECK(std::isinf(price(selector.plan().ledger, 0.5).epsilon));
  auto random = seeded_random(13);
  const auto released = selector.fit(divisors(3000, 100), random);
  CHECK(released.guarantee().basis == basis::as_published);
  CHECK(released.value()->size() > 0);
}
