// SPDX-License-Identifier: Apache-2.0
#include <dplda/mechanisms/release.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace dplda;
using dplda_tests::refusal;

static_assert(!std::is_default_constructible_v<release<int>>);
static_assert(!std::is_constructible_v<release<int>, int>);
static_assert(!std::is_constructible_v<release<int>, int, guarantee>);
static_assert(!std::is_constructible_v<release<int>, int, ledger>);
static_assert(!std::is_convertible_v<int, release<int>>);

namespace {

ledger one_gaussian() {
  ledger spent;
  spent.record({.noise = gaussian_noise{1}});
  return spent;
}

}  // namespace

TEST_CASE("A release carries value, guarantee and ledger", "[mechanisms][release]") {
  const guarantee proven{.epsilon = 1, .delta = 1e-6, .accountant = accountant::gaussian};
  const release<std::vector<int>> r({1, 2, 3}, proven, one_gaussian());
  CHECK(r.value() == std::vector<int>{1, 2, 3});
  CHECK(r.guarantee() == proven);
  CHECK(r.ledger() == one_gaussian());
}

TEST_CASE("Guarantee and ledger must have the same unit and neighbours", "[mechanisms][release]") {
  CHECK(refusal([] { release<int>(1, {.epsilon = 1, .delta = 0, .unit = privacy_unit::user}, one_gaussian()); }) ==
        "dplda::release: the guarantee's unit is user, but must be the ledger's");
  CHECK(refusal([] { release<int>(1, {.epsilon = 1, .delta = 0, .relation = neighbours::replace}, one_gaussian()); }) ==
        "dplda::release: the guarantee's neighbours is replace, but must be the ledger's");
  CHECK(refusal([] { release<int>(1, {.epsilon = 0, .delta = 0}, {}); }) ==
        "dplda::release: the ledger is empty, but must say what was spent on the value");
}

TEST_CASE("Invalid guarantees are refused", "[mechanisms][release]") {
  const auto why = [](guarantee claimed) { return refusal([&] { release<int>(1, claimed, one_gaussian()); }); };
  CHECK(why({.epsilon = 1, .delta = 1e-6, .gamma = 0.1}) == "");
  CHECK_THAT(why({.epsilon = -1, .delta = 0}), Catch::Matchers::ContainsSubstring("epsilon is -1"));
  CHECK_THAT(why({.epsilon = std::nan(""), .delta = 0}), Catch::Matchers::ContainsSubstring("epsilon is nan"));
  CHECK_THAT(why({.epsilon = 1, .delta = 1.5}), Catch::Matchers::ContainsSubstring("delta is 1.5"));
  CHECK_THAT(why({.epsilon = 1, .delta = 0, .gamma = 2}), Catch::Matchers::ContainsSubstring("gamma is 2"));
  CHECK_THAT(why({.epsilon = 1, .delta = 0, .basis = basis::as_published}),
             Catch::Matchers::ContainsSubstring("caveat is empty"));
}

TEST_CASE("A seeded ledger makes a seeded guarantee", "[mechanisms][release]") {
  ledger seeded = one_gaussian();
  seeded.mark_seeded();
  const guarantee proven{.epsilon = 1, .delta = 0};
  CHECK_FALSE(release<int>(1, proven, one_gaussian()).guarantee().seeded);
  CHECK(release<int>(1, proven, seeded).guarantee().seeded);
  CHECK(release<int>(1, {.epsilon = 1, .delta = 0, .seeded = true}, one_gaussian()).guarantee().seeded);
}

TEST_CASE("Post-processing keeps guarantee and ledger", "[mechanisms][release]") {
  ledger seeded = one_gaussian();
  seeded.mark_seeded();
  const release<int> r(20, {.epsilon = 1, .delta = 0.5}, seeded);
  const release<std::string> text = r.map([](const int& x) { return std::to_string(x + 1); });
  CHECK(text.value() == "21");
  CHECK(text.guarantee() == r.guarantee());
  CHECK(text.guarantee().seeded);
  CHECK(text.ledger() == r.ledger());

  // A function may return a reference; the release holds a value.
  static const int constant = 5;
  const auto copied = r.map([](const int&) -> const int& { return constant; });
  static_assert(std::is_same_v<decltype(copied), const release<int>>);
  CHECK(copied.value() == 5);

  struct model {
    int topics;
  };
  const release<model> m({7}, {.epsilon = 1, .delta = 0}, one_gaussian());
  CHECK(m.map(&model::topics).value() == 7);
}

TEST_CASE("Values that cannot be copied can be released", "[mechanisms][release]") {
  release<std::unique_ptr<int>> r(std::make_unique<int>(3), {.epsilon = 1, .delta = 0}, one_gaussian());
  CHECK(*r.value() == 3);
  const std::unique_ptr<int> taken = std::move(r).value();
  CHECK(*taken == 3);
}
