// SPDX-License-Identifier: Apache-2.0
#include <dplda/mechanisms/fixed_size_sampler.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/statistics.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

privacy_units documents(std::size_t count) {
  return privacy_units(make_corpus(std::vector<std::vector<word_id>>(count), 1), privacy_unit::document);
}

}  // namespace

TEST_CASE("Every subset of the size is equally likely", "[mechanisms][fixed_size_sampler]") {
  // C(6, 3) = 20 subsets in 200,000 draws; the p-values are held against the suite's level.
  const privacy_units units = documents(6);
  const fixed_size_sampler sampler(3, 6);
  random_source random = seeded_random(1);
  constexpr int draws = 200000;
  std::map<std::vector<std::size_t>, int> times;
  for (int i = 0; i < draws; ++i) ++times[sampler.draw(units, random).positions()];
  REQUIRE(times.size() == 20);
  double statistic = 0;
  for (const auto& [subset, n] : times) {
    CHECK(subset.size() == 3);
    CHECK(std::is_sorted(subset.begin(), subset.end()));
    CHECK(std::adjacent_find(subset.begin(), subset.end()) == subset.end());
    statistic += (n - draws / 20.0) * (n - draws / 20.0) / (draws / 20.0);
  }
  CHECK(chi_square_p_value(statistic, 19) > suite_level);
}

TEST_CASE("A batch of fixed size records its sampling", "[mechanisms][fixed_size_sampler]") {
  random_source random = seeded_random(1);
  const unit_batch batch = fixed_size_sampler(2, 5).draw(documents(5), random);
  CHECK(batch.sampling() == sampling(fixed_size_sample{2, 5}));
  CHECK(batch.unit() == privacy_unit::document);
  CHECK(batch.seeded());
  CHECK(fixed_size_sampler(5, 5).draw(documents(5), random).positions() == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("Sizes that do not fit are refused", "[mechanisms][fixed_size_sampler]") {
  CHECK(refusal([] { fixed_size_sampler(0, 5); }) ==
        "dplda::fixed_size_sampler: size is 0, but must lie in [1, 5], the population");
  CHECK(refusal([] { fixed_size_sampler(6, 5); }) ==
        "dplda::fixed_size_sampler: size is 6, but must lie in [1, 5], the population");
  random_source random = seeded_random(1);
  CHECK(refusal([&] { fixed_size_sampler(2, 5).draw(documents(4), random); }) ==
        "dplda::fixed_size_sampler::draw: number of units is 4, but must be the population, 5");
}
