// SPDX-License-Identifier: Apache-2.0
#include <dplda/mechanisms/poisson_sampler.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

using positions = std::vector<std::size_t>;

corpus empty_documents(std::size_t count, std::vector<std::uint64_t> ids = {}) {
  corpus_builder builder;
  for (std::size_t d = 0; d < count; ++d) builder.end_document();
  if (!ids.empty()) builder.set_ids(std::move(ids));
  return made_up(builder, 1);
}

positions documents_of(const privacy_units& units, std::size_t unit) {
  const auto span = units.documents(unit);
  return {span.begin(), span.end()};
}

// Which ids are taken, by a first draw from a seed.
std::set<std::uint64_t> taken_ids(const corpus& docs, privacy_unit unit, double rate, std::uint64_t seed) {
  random_source random = seeded_random(seed);
  const privacy_units units(docs, unit);
  std::set<std::uint64_t> ids;
  for (const std::size_t u : poisson_sampler(rate).draw(units, random).positions()) ids.insert(units.id(u));
  return ids;
}

}  // namespace

TEST_CASE("Each document is a unit, in the order of the ids", "[mechanisms][poisson_sampler]") {
  const privacy_units plain(empty_documents(3), privacy_unit::document);
  REQUIRE(plain.size() == 3);
  for (std::size_t u = 0; u < 3; ++u) {
    CHECK(plain.id(u) == u);
    CHECK(documents_of(plain, u) == positions{u});
  }
  const std::uint64_t large = ~std::uint64_t{0};
  const privacy_units named(empty_documents(4, {7, large, 0, 5}), privacy_unit::document);
  REQUIRE(named.size() == 4);
  CHECK(named.id(0) == 0);
  CHECK(named.id(3) == large);
  CHECK(documents_of(named, 0) == positions{2});
  CHECK(documents_of(named, 1) == positions{3});
  CHECK(documents_of(named, 2) == positions{0});
  CHECK(documents_of(named, 3) == positions{1});
}

TEST_CASE("All documents of a user are a unit, in the corpus's order", "[mechanisms][poisson_sampler]") {
  // User 3 owns nothing.
  const corpus docs = make_corpus({{0}, {1}, {2}, {3}, {4}}, 5, {2, 0, 2, 1, 0}, 4);
  const privacy_units units(docs, privacy_unit::user);
  REQUIRE(units.size() == 3);
  CHECK(documents_of(units, 0) == positions{1, 4});
  CHECK(documents_of(units, 1) == positions{3});
  CHECK(documents_of(units, 2) == positions{0, 2});

  const corpus some = docs.select(positions{4, 2, 1, 0});
  const privacy_units kept(some, privacy_unit::user);
  REQUIRE(kept.size() == 2);
  CHECK(kept.id(0) == 0);
  CHECK(kept.id(1) == 2);
  CHECK(documents_of(kept, 0) == positions{0, 2});
  CHECK(documents_of(kept, 1) == positions{1, 3});
}

TEST_CASE("Corpora without documents have no units, whatever the unit", "[mechanisms][poisson_sampler]") {
  // The neighbour of a corpus of one user: throwing would distinguish the two.
  const corpus docs = make_corpus({{0}}, 1, {0}, 1);
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    CHECK(privacy_units(docs.slice(0, 0), unit).size() == 0);
    CHECK(taken_ids(docs.slice(0, 0), unit, 1, 1).empty());
  }
}

TEST_CASE("Corpora that cannot be divided into units are refused", "[mechanisms][poisson_sampler]") {
  CHECK(refusal([] { privacy_units(empty_documents(1), privacy_unit::token); }) ==
        "dplda::privacy_units: unit is token, but must be document or user, unless every document is one token");
  // As many tokens as documents are not enough.
  CHECK_THROWS_AS(privacy_units(dplda_tests::make_corpus({{}, {0, 1}}, 2), privacy_unit::token), std::invalid_argument);
  CHECK(privacy_units(dplda_tests::make_corpus({{1}, {0}}, 2), privacy_unit::token).size() == 2);
  CHECK(refusal([] { privacy_units(empty_documents(1), privacy_unit::user); }) ==
        "dplda::privacy_units: unit is user, but the corpus has no users");
  const std::string same =
      "dplda::privacy_units: the id of two documents is the same, but must differ, so that units are sampled "
      "independently";
  CHECK(refusal([] { privacy_units(empty_documents(3, {4, 1, 4}), privacy_unit::document); }) == same);
  CHECK(refusal([] { privacy_units(empty_documents(3).select(positions{0, 1, 0}), privacy_unit::document); }) == same);
  // A document that occurs twice still belongs to one user.
  const corpus docs = make_corpus({{0}, {0}}, 1, {0, 1}, 2);
  CHECK(privacy_units(docs.select(positions{0, 1, 0}), privacy_unit::user).size() == 2);
}

TEST_CASE("Rates are positive and at most 1", "[mechanisms][poisson_sampler]") {
  for (const double bad :
       {0.0, -0.0, -0.5, 1.5, std::nextafter(1.0, 2.0), std::numeric_limits<double>::infinity(), std::nan("")}) {
    CHECK_THAT(refusal([&] { poisson_sampler sampler(bad); }), Catch::Matchers::ContainsSubstring("must lie in "));
  }
  for (const double good : {std::numeric_limits<double>::denorm_min(), 0.3, 1.0}) {
    CHECK(poisson_sampler(good).event() == poisson_sample{good});
  }
}

TEST_CASE("A rate of 1 takes all units, a tiny rate almost none", "[mechanisms][poisson_sampler]") {
  const privacy_units units(empty_documents(10000), privacy_unit::document);
  random_source random = seeded_random(1);
  const positions all = poisson_sampler(1).draw(units, random).positions();
  REQUIRE(all.size() == 10000);
  for (std::size_t u = 0; u < all.size(); ++u) {
    if (all[u] != u) FAIL("unit " << all[u] << " at place " << u);
  }
  // One of these draws takes anything with probability 10^-12 or less.
  for (const double rate : {1e-20, 1e-300, std::numeric_limits<double>::denorm_min()}) {
    for (int i = 0; i < 10; ++i) CHECK(poisson_sampler(rate).draw(units, random).positions().empty());
  }
  // As many as a rate below 1 leaves out: none, with probability 1 - 10^-11.
  CHECK(poisson_sampler(std::nextafter(1.0, 0.0)).draw(units, random).positions().size() == 10000);
}

TEST_CASE("Units are taken at the rate, independently, in every draw", "[mechanisms][poisson_sampler]") {
  // All p-values are held against the suite's level, 10^-12, and those of the rate reject one that is wrong by 1 %:
  // 1.6 * 10^7 decisions at a rate of 0.1 have a standard error of 0.075 % of the rate.
  constexpr std::size_t units_count = 2000, draws = 8000;
  constexpr double rate = 0.1;
  // Ids as they come after a selection: dense ones, gaps, and the ends of the range.
  std::vector<std::uint64_t> ids(units_count);
  for (std::size_t u = 0; u < units_count; ++u)
    ids[u] = u < 1000 ? u : u < 1900 ? 3 * u * u : std::uint64_t{0} - 2000 + u;
  const privacy_units units(empty_documents(units_count, ids), privacy_unit::document);
  const poisson_sampler sampler(rate);
  random_source random = seeded_random(17);

  std::vector<std::uint64_t> times(units_count);
  std::uint64_t total = 0, again = 0;
  std::vector<std::uint64_t> pairs(9);  // units at a distance of 1 to 8 taken together
  double sizes = 0;                     // squared deviations of the batches' sizes
  std::vector<char> last(units_count), now(units_count);
  for (std::size_t t = 0; t < draws; ++t) {
    std::fill(now.begin(), now.end(), char{0});
    const positions batch = sampler.draw(units, random).positions();
    REQUIRE(std::is_sorted(batch.begin(), batch.end()));
    for (const std::size_t u : batch) {
      now[u] = 1;
      ++times[u];
      again += last[u] != 0 ? 1 : 0;
    }
    for (const std::size_t u : batch) {
      for (std::size_t lag = 1; lag <= 8 && lag <= u; ++lag) pairs[lag] += now[u - lag] != 0 ? 1 : 0;
    }
    total += batch.size();
    const double excess = static_cast<double>(batch.size()) - rate * units_count;
    sizes += excess * excess;
    last.swap(now);
  }
  CHECK(binomial_p_value(total, units_count * draws, rate) > suite_level);
  CHECK(binomial_p_value(total, units_count * draws, 1.01 * rate) < suite_level);
  CHECK(binomial_p_value(total, units_count * draws, 0.99 * rate) < suite_level);

  // Each unit by itself: the squared deviations add up to a chi-square.
  const auto spread = [&](double p) {
    double statistic = 0;
    for (const std::uint64_t n : times) {
      const double excess = static_cast<double>(n) - p * draws;
      statistic += excess * excess / (p * (1 - p) * draws);
    }
    return chi_square_p_value(statistic, units_count);
  };
  CHECK(spread(rate) > suite_level);
  CHECK(*std::min_element(times.begin(), times.end()) > 0);
  for (const std::uint64_t n : times) {
    if (binomial_p_value(n, draws, rate) < suite_level / units_count) FAIL("a unit was taken " << n << " times");
  }

  // Pairs: the variance of the batch size is the sum of all covariances.
  CHECK(chi_square_p_value(sizes / (rate * (1 - rate) * units_count), draws) > suite_level);
  for (std::size_t lag = 1; lag <= 8; ++lag) {
    const std::uint64_t chances = (units_count - lag) * draws;
    // Overlapping pairs are a little correlated: the variance is p^2 (1 - p^2) + 2 p^3 (1 - p) at most.
    const double p2 = rate * rate, variance = p2 * (1 - p2) + 2 * p2 * rate * (1 - rate);
    const double z = (static_cast<double>(pairs[lag]) - p2 * static_cast<double>(chances)) /
                     std::sqrt(variance * static_cast<double>(chances));
    CAPTURE(lag, z);
    CHECK(normal_p_value(z) > suite_level);
  }
  // Twice in a row: rate^2 of all chances, with the same small correlation.
  const double chances = static_cast<double>(units_count * (draws - 1)), p2 = rate * rate;
  const double z =
      (static_cast<double>(again) - p2 * chances) / std::sqrt((p2 * (1 - p2) + 2 * p2 * rate * (1 - rate)) * chances);
  CHECK(normal_p_value(z) > suite_level);
}

TEST_CASE("Whether a unit is taken does not depend on other units", "[mechanisms][poisson_sampler]") {
  const corpus docs = make_corpus(
      std::vector<std::vector<word_id>>(60), 1,
      [] {
        std::vector<user_id> users(60);
        for (std::size_t d = 0; d < 60; ++d) users[d] = static_cast<user_id>(d * 7 % 25);
        return users;
      }(),
      25);
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const std::set<std::uint64_t> all = taken_ids(docs, unit, 0.5, seed);
      const privacy_units units(docs, unit);
      for (std::size_t u = 0; u < units.size(); ++u) {
        std::vector<std::size_t> rest, alone;
        for (std::size_t d = 0; d < docs.size(); ++d) {
          const std::uint64_t id = unit == privacy_unit::user ? docs.user(d) : docs[d].id;
          (id == units.id(u) ? alone : rest).push_back(d);
        }
        std::set<std::uint64_t> others = all;
        others.erase(units.id(u));
        const std::set<std::uint64_t> itself =
            all.count(units.id(u)) > 0 ? std::set{units.id(u)} : std::set<std::uint64_t>{};
        const corpus without = docs.select(rest), only = docs.select(alone);
        if (taken_ids(without, unit, 0.5, seed) != others) FAIL("unit " << u << " changes whether another is taken");
        if (taken_ids(only, unit, 0.5, seed) != itself) FAIL("unit " << u << " is decided differently when alone");
      }
      // Nor on the order.
      std::vector<std::size_t> reversed(docs.size());
      for (std::size_t d = 0; d < docs.size(); ++d) reversed[d] = docs.size() - 1 - d;
      CHECK(taken_ids(docs.select(reversed), unit, 0.5, seed) == all);
    }
  }
}

TEST_CASE("Draws from one source differ, and repeat only with a seed", "[mechanisms][poisson_sampler]") {
  const privacy_units units(empty_documents(200), privacy_unit::document);
  const poisson_sampler sampler(0.5);
  random_source one = seeded_random(1), same = seeded_random(1), other = seeded_random(2);
  const positions first = sampler.draw(units, one).positions(), second = sampler.draw(units, one).positions();
  CHECK(first != second);
  CHECK(sampler.draw(units, same).positions() == first);
  CHECK(sampler.draw(units, same).positions() == second);
  CHECK(sampler.draw(units, other).positions() != first);
  random_source secret = secure_random(), another = secure_random();
  CHECK(sampler.draw(units, secret).positions() != sampler.draw(units, another).positions());
}

TEST_CASE("A batch records its sampling and its unit", "[mechanisms][poisson_sampler]") {
  const corpus docs = make_corpus({{0}, {0}, {0}}, 1, {0, 1, 1}, 2);
  random_source seeded = seeded_random(1), secret = secure_random();
  const unit_batch by_user = poisson_sampler(0.25).draw(privacy_units(docs, privacy_unit::user), seeded);
  CHECK(by_user.sampling() == sampling(poisson_sample{0.25}));
  CHECK(by_user.unit() == privacy_unit::user);
  CHECK(by_user.seeded());
  const unit_batch by_document = poisson_sampler(0.5).draw(privacy_units(docs, privacy_unit::document), secret);
  CHECK(by_document.unit() == privacy_unit::document);
  CHECK_FALSE(by_document.seeded());
  static_assert(!std::is_copy_constructible_v<unit_batch> && !std::is_copy_assignable_v<unit_batch>);
}

TEST_CASE("A higher rate takes the same units, and more", "[mechanisms][poisson_sampler]") {
  // Decisions are comparisons of one word with a threshold that grows with the rate.
  const corpus docs = empty_documents(500);
  std::set<std::uint64_t> before;
  for (const double rate : {0.01, 0.1, 0.3, 0.9, 1.0}) {
    const std::set<std::uint64_t> taken = taken_ids(docs, privacy_unit::document, rate, 4);
    CHECK(std::includes(taken.begin(), taken.end(), before.begin(), before.end()));
    before = taken;
  }
}
