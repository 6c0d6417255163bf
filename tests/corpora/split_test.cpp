// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/split.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <vector>

using dplda::corpus;
using dplda::partition;
using dplda::split_unit;
using dplda::word_id;
using dplda_tests::make_corpus;
using dplda_tests::tokens_of;

namespace {

// n documents, document d holding the word d alone, d mod 3 + 1 times; user d / 2 of `users`.
corpus numbered(std::size_t n, std::size_t users = 0) {
  std::vector<std::vector<word_id>> documents(n);
  std::vector<dplda::user_id> owners;
  for (std::size_t d = 0; d < n; ++d) {
    documents[d].assign(d % 3 + 1, static_cast<word_id>(d));
    if (users > 0) owners.push_back(static_cast<dplda::user_id>(d / 2));
  }
  return make_corpus(documents, n, owners, users);
}

dplda::chacha20 bits_of(std::uint64_t seed) { return dplda::seeded_random(seed).stream("test"); }

bool is_partition(const partition& cut, std::size_t n) {
  std::vector<std::size_t> all = cut.chosen;
  all.insert(all.end(), cut.others.begin(), cut.others.end());
  std::sort(all.begin(), all.end());
  for (std::size_t d = 0; d < all.size(); ++d) {
    if (all[d] != d) return false;
  }
  return all.size() == n && std::is_sorted(cut.chosen.begin(), cut.chosen.end()) &&
         std::is_sorted(cut.others.begin(), cut.others.end());
}

double chi_squared(const std::vector<std::size_t>& counts, double expected) {
  double sum = 0;
  for (const std::size_t count : counts) sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  return sum;
}

}  // namespace

TEST_CASE("random_partition takes m documents and leaves the rest", "[corpora][split]") {
  const corpus docs = numbered(10);
  for (std::size_t m = 0; m <= 10; ++m) {
    auto bits = bits_of(m);
    const partition cut = dplda::random_partition(docs, m, bits);
    CHECK(cut.chosen.size() == m);
    CHECK(is_partition(cut, 10));
  }
  auto bits = bits_of(0);
  CHECK_THROWS_AS(dplda::random_partition(docs, 11, bits), std::invalid_argument);
}

TEST_CASE("random_partition makes every subset equally likely", "[corpora][split]") {
  const corpus docs = numbered(6);
  auto bits = bits_of(1);
  std::map<std::vector<std::size_t>, std::size_t> seen;
  for (int i = 0; i < 20000; ++i) ++seen[dplda::random_partition(docs, 3, bits).chosen];
  REQUIRE(seen.size() == 20);
  std::vector<std::size_t> counts;
  for (const auto& [subset, count] : seen) counts.push_back(count);
  CHECK(chi_squared(counts, 1000) < 43.8);  // 19 degrees of freedom, 0.1 %
}

TEST_CASE("Splits by user keep each user whole and count only users with documents", "[corpora][split]") {
  const corpus docs = numbered(10, 100);  // users 0 to 4 own two documents each, 95 users own none
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto bits = bits_of(seed);
    const partition cut = dplda::random_partition(docs, 2, bits, split_unit::user);
    CHECK(cut.chosen.size() == 4);
    CHECK(is_partition(cut, 10));
    std::set<dplda::user_id> users;
    for (const std::size_t d : cut.chosen) users.insert(docs.user(d));
    CHECK(users.size() == 2);
  }
  auto bits = bits_of(0);
  CHECK_THROWS_AS(dplda::random_partition(docs, 6, bits, split_unit::user), std::invalid_argument);
}

TEST_CASE("Without owners a split by user is a split by document", "[corpora][split]") {
  const corpus docs = numbered(9);
  auto one = bits_of(4), other = bits_of(4);
  CHECK(dplda::random_partition(docs, 4, one).chosen ==
        dplda::random_partition(docs, 4, other, split_unit::user).chosen);
}

TEST_CASE("A half and its complement have each document in one of two shadow models", "[corpora][split]") {
  const corpus docs = numbered(11);
  std::vector<std::size_t> in(docs.size(), 0);
  for (std::uint64_t pair = 0; pair < 8; ++pair) {
    auto bits = bits_of(pair);
    const auto [first, second] = dplda::random_halves(docs, bits);
    CHECK((first.size() == 5 || first.size() == 6));
    for (const corpus& half : {first, second}) {
      for (std::size_t d = 0; d < half.size(); ++d) ++in[half[d].id];
    }
  }
  CHECK(in == std::vector<std::size_t>(docs.size(), 8));
}

TEST_CASE("Each document is in the half with probability 1/2, even if their number is odd", "[corpora][split]") {
  const corpus docs = numbered(3);
  auto bits = bits_of(2);
  std::vector<double> in(3, 0);
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i) {
    for (const std::size_t d : dplda::random_half(docs, bits).chosen) in[d] += 1.0 / draws;
  }
  for (const double share : in) CHECK(std::abs(share - 0.5) < 0.0125);  // 3.5 standard deviations
}

TEST_CASE("Samples keep ids, users and vocabulary, and repeat with their seed", "[corpora][split]") {
  const corpus docs = numbered(40, 20);
  auto one = bits_of(3), again = bits_of(3), other = bits_of(4);
  const corpus sample = dplda::random_sample(docs, 15, one);
  REQUIRE(sample.size() == 15);
  CHECK(sample.vocab() == docs.vocab());
  for (std::size_t d = 0; d < sample.size(); ++d) {
    CHECK(tokens_of(sample[d]) == tokens_of(docs[sample[d].id]));
    CHECK(sample.user(d) == docs.user(sample[d].id));
  }
  CHECK(tokens_of(dplda::random_sample(docs, 15, again)) == tokens_of(sample));
  CHECK(tokens_of(dplda::random_sample(docs, 15, other)) != tokens_of(sample));
}

TEST_CASE("train_test_split obeys the share, the limit and the minimum", "[corpora][split]") {
  const corpus docs = numbered(30);  // ten documents of 1, 2 and 3 tokens each
  auto bits = bits_of(5);
  auto cut = dplda::train_test_split(docs, bits, {.share = 0.25});
  CHECK(cut.test.size() == 8);  // 7.5 rounded
  CHECK(cut.train.size() == 22);
  CHECK(cut.train.tokens() + cut.test.tokens() == docs.tokens());
  CHECK(dplda::train_test_split(docs, bits, {.share = 1, .most = 4}).test.size() == 4);
  cut = dplda::train_test_split(docs, bits, {.share = 0.9, .min_tokens = 3});
  CHECK(cut.test.size() == 10);
  CHECK(cut.test.tokens() == 30);
  CHECK(dplda::train_test_split(docs, bits, {.share = 0}).test.empty());
  CHECK(dplda::train_test_split(docs, bits, {.share = 1}).train.empty());
  CHECK(dplda::train_test_split(docs, bits, {.share = 0.9, .min_tokens = 4}).test.empty());
}

TEST_CASE("train_test_split by user leaves no user on both sides", "[corpora][split]") {
  const corpus docs = numbered(30, 15);
  auto bits = bits_of(6);
  const auto cut = dplda::train_test_split(docs, bits, {.share = 0.2, .min_tokens = 4, .unit = split_unit::user});
  std::set<dplda::user_id> train, test;
  for (std::size_t d = 0; d < cut.train.size(); ++d) train.insert(cut.train.user(d));
  for (std::size_t d = 0; d < cut.test.size(); ++d) test.insert(cut.test.user(d));
  CHECK(test.size() == 3);
  CHECK(train.size() == 12);
  for (const dplda::user_id user : test) CHECK(train.count(user) == 0);
  for (std::size_t d = 0; d < cut.test.size(); d += 2) CHECK(cut.test[d].length() + cut.test[d + 1].length() >= 4);
}

TEST_CASE("A share outside [0, 1] is refused", "[corpora][split]") {
  const corpus docs = numbered(3);
  auto bits = bits_of(0);
  for (const double share : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(dplda::random_held_out(docs, bits, {.share = share}), std::invalid_argument);
  }
}

TEST_CASE("An empty corpus splits into empty parts", "[corpora][split]") {
  const corpus none;
  auto bits = bits_of(0);
  CHECK(dplda::random_halves(none, bits).first.empty());
  CHECK(dplda::random_halves(none, bits, split_unit::user).second.empty());
  CHECK(dplda::random_sample(none, 0, bits).empty());
  CHECK(dplda::train_test_split(none, bits).train.empty());
  CHECK(dplda::split_tokens(none, dplda::seeded_random(0)).observed.empty());
}

TEST_CASE("split_tokens cuts each document in exact halves that add up to it", "[corpora][split]") {
  const corpus docs = make_corpus({{0, 0, 0, 1, 2, 2}, {}, {1}, {2, 2, 2, 2, 2}, {0, 1, 2}}, 3, {1, 1, 0, 2, 0}, 3);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto [observed, scored] = dplda::split_tokens(docs, dplda::seeded_random(seed));
    REQUIRE(observed.size() == docs.size());
    REQUIRE(scored.size() == docs.size());
    for (std::size_t d = 0; d < docs.size(); ++d) {
      CHECK(observed[d].length() == docs[d].length() / 2);
      auto both = tokens_of(observed[d]);
      const auto rest = tokens_of(scored[d]);
      both.insert(both.end(), rest.begin(), rest.end());
      std::sort(both.begin(), both.end());
      CHECK(both == tokens_of(docs[d]));
      CHECK(scored.user(d) == docs.user(d));
    }
  }
}

TEST_CASE("split_tokens makes every half equally likely", "[corpora][split]") {
  // Of the tokens 0 0 1 2 a half is {0, 0} 1 time in 6, {0, 1} and {0, 2} 2 times each, {1, 2} 1 time.
  const corpus docs = make_corpus({{0, 0, 1, 2}}, 3);
  std::map<std::vector<word_id>, std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    ++seen[tokens_of(dplda::split_tokens(docs, dplda::seeded_random(seed)).observed[0])];
  }
  const double chi = chi_squared({seen[{0, 0}], seen[{1, 2}]}, 1000) + chi_squared({seen[{0, 1}], seen[{0, 2}]}, 2000);
  CHECK(seen.size() == 4);
  CHECK(chi < 16.3);  // 3 degrees of freedom, 0.1 %
}

TEST_CASE("Other documents do not affect a document's cut, and its copies are cut differently", "[corpora][split]") {
  std::vector<word_id> words(40);
  for (std::size_t w = 0; w < words.size(); ++w) words[w] = static_cast<word_id>(w);
  const corpus docs = make_corpus(std::vector<std::vector<word_id>>(30, words), 40);
  const dplda::random_source random = dplda::seeded_random(8);
  const auto all = tokens_of(dplda::split_tokens(docs, random).observed);
  CHECK(std::set<std::vector<word_id>>(all.begin(), all.end()).size() == 30);
  const std::vector<std::size_t> positions{29, 5, 20};
  const corpus some = dplda::split_tokens(docs.select(positions), random).observed;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    CHECK(some[i].id == positions[i]);
    CHECK(tokens_of(some[i]) == all[positions[i]]);
  }
}
