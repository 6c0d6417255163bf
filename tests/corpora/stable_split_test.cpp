// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/stable_split.hpp>
#include <dplda/corpora/synthetic.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/tiny.hpp"

using namespace dplda;

namespace {

corpus numbered(std::size_t documents, std::size_t per_user = 0) {
  corpus_builder builder;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < documents; ++d) {
    builder.add(static_cast<word_id>(d % 5));
    builder.end_document();
    if (per_user > 0) users.push_back(static_cast<user_id>(d / per_user));
  }
  if (per_user > 0) builder.set_users(users, (documents + per_user - 1) / per_user);
  return dplda_tests::made_up(builder, 5);
}

std::set<std::uint64_t> held_ids(const corpus& docs, std::uint64_t seed, split_unit unit = split_unit::document) {
  auto random = seeded_random(seed);
  std::set<std::uint64_t> ids;
  for (const std::size_t d : detail::held_out_by_coins(docs, coin(0.3), unit, random).chosen) ids.insert(docs[d].id);
  return ids;
}

corpus without(const corpus& docs, std::size_t removed) {
  std::vector<std::size_t> kept;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    if (d != removed) kept.push_back(d);
  }
  return docs.select(kept);
}

}  // namespace

TEST_CASE("Removing a document moves no other document to the other part", "[stable_split]") {
  const corpus docs = numbered(2000);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto all = held_ids(docs, seed);
    for (const std::size_t removed : {std::size_t{0}, std::size_t{100}, std::size_t{1999}}) {
      auto expected = all;
      expected.erase(removed);
      CHECK(held_ids(without(docs, removed), seed) == expected);
    }
  }
  // A split of a fixed size does move others: the reason for this one.
  const auto fixed = [](const corpus& some) {
    auto random = seeded_random(7);
    auto bits = random.stream("experiment");
    std::set<std::uint64_t> ids;
    for (const std::size_t d : random_held_out(some, bits, {.share = 0.3}).chosen) ids.insert(some[d].id);
    return ids;
  };
  auto expected = fixed(docs);
  expected.erase(100);
  CHECK(fixed(without(docs, 100)) != expected);
}

TEST_CASE("A user's documents are held out together, or not at all", "[stable_split]") {
  const corpus docs = numbered(900, 3);
  const auto held = held_ids(docs, 5, split_unit::user);
  for (std::uint64_t d = 0; d < 900; d += 3) {
    CHECK(held.count(d) == held.count(d + 1));
    CHECK(held.count(d) == held.count(d + 2));
  }
  CHECK(held.size() > 0);
  CHECK(held.size() < 900);
}

TEST_CASE("The held-out share is the requested one", "[stable_split]") {
  // 200,000 coins: a share that is off by 0.01 is 9 standard deviations away; a false alarm has probability below 1e-6.
  const corpus docs = numbered(200000);
  const double sd = std::sqrt(0.3 * 0.7 / 200000);
  const double share = static_cast<double>(held_ids(docs, 1).size()) / 200000;
  CHECK(std::abs(share - 0.3) < 5 * sd);
  CHECK(std::abs(share - 0.31) > 4 * sd);
}

TEST_CASE("stable_split needs a secret source", "[stable_split]") {
  const corpus docs = numbered(1000);
  auto secret = secure_random();
  const auto [train, test] = stable_split(docs, secret, 0.5);
  CHECK(train.size() + test.size() == docs.size());
  CHECK(train.size() > 100);
  CHECK(test.size() > 100);
  CHECK(stable_split(docs, secret, 0).test.empty());
  CHECK(stable_split(docs, secret, 1).train.empty());
  auto seeded = seeded_random(1);
  CHECK_THROWS_AS(stable_split(docs, seeded, 0.5), std::invalid_argument);
  CHECK_THROWS_AS(stable_split(docs, secret, 1.5), std::invalid_argument);
}
