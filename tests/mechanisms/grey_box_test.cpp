// SPDX-License-Identifier: Apache-2.0
#include "support/grey_box.hpp"

#include "mechanisms/toy_engine.hpp"
#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

using namespace dplda;
using namespace dplda_tests;

namespace {

constexpr std::size_t words = 24, topics = 3;

toy_setup setup_with(accumulator_options plan) {
  plan.rows = words;
  plan.row_size = topics;
  plan.clip = 8;
  plan.noise_multiplier = 1.1;
  plan.scale_bits = 40;
  plan.max_units = 1 << 10;
  return {.plan = plan};
}

grey_box_result audit(const toy_setup& setup, std::uint64_t seed) {
  const toy_engine engine(setup);
  const auto sums = [&](const corpus& docs) { return engine.frozen(docs, seed); };
  const std::vector<named_corpus> corpora = adversarial_corpora(words, seed);
  grey_box_result result;
  for (const named_corpus& c : corpora) {
    result += grey_box_audit(c.docs, corpora.back().docs, setup.plan.unit,
                             grey_box_bound_of(accumulator_plan(setup.plan)), sums);
  }
  return result;
}

}  // namespace

TEST_CASE("A toy engine on the kernel passes the grey-box audit", "[mechanisms][grey_box]") {
  constexpr float inf = std::numeric_limits<float>::infinity();
  const float alphas[] = {0.1f,
                          0.0f,
                          std::numeric_limits<float>::quiet_NaN(),
                          inf,
                          -1.0f,
                          std::numeric_limits<float>::max(),
                          std::numeric_limits<float>::denorm_min()};
  grey_box_result all;
  for (const noise_kind noise : {noise_kind::gaussian, noise_kind::laplace, noise_kind::discrete_gaussian}) {
    for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
      for (const bool with_signs : {false, true}) {
        for (const bool sampled : {false, true}) {
          grey_box_result some;
          for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            for (const float alpha : alphas) {
              for (const bool sick : {false, true}) {
                toy_setup setup = setup_with({});
                setup.plan.noise = noise;
                setup.plan.unit = unit;
                setup.plan.signs = with_signs ? value_signs::any : value_signs::non_negative;
                if (sampled) setup.plan.sampling = poisson_sample{0.5};
                setup.signed_values = with_signs;
                setup.alpha = alpha;
                setup.sick_topics = sick;
                some += audit(setup, seed);
              }
            }
          }
          CAPTURE(static_cast<int>(noise), unit, with_signs, sampled);
          CHECK(some.violations() == 0);
          CHECK(some.largest_ratio > 0.99);  // the bound is reached, so a smaller bound would fail
          CHECK(some.largest_ratio <= 1);
          all += some;
        }
      }
    }
  }
  std::cout << "grey-box audit of the toy engine: " << all.pairs << " pairs, " << all.violations()
            << " violations, largest distance / bound " << all.largest_ratio << '\n';
  CHECK(all.pairs >= 10000);
}

TEST_CASE("The audit counts violations", "[mechanisms][grey_box]") {
  const corpus docs = make_corpus({{0, 0, 0}, {1}, {0, 1, 2}}, 3, {0, 1, 1}, 2);
  // One word's count is what a document contributes.
  const auto counts = [](const corpus& c, std::int64_t more) {
    std::vector<std::int64_t> sums(3, 100);  // 100 is the noise
    for (std::size_t d = 0; d < c.size(); ++d) {
      for (std::size_t n = 0; n < c[d].size(); ++n) sums[c[d].words[n]] += c[d].counts[n];
    }
    sums[0] += more;
    return sums;
  };
  const auto honest = [&](const corpus& c) { return counts(c, 0); };

  SECTION("distances, by document, in both norms") {
    // The documents' norms: 3, 1 and 3 (l1), squares 9, 1 and 3. Documents d are exchanged for (7 d + 3) mod 3 = d.
    grey_box_result r = grey_box_audit(docs, docs, privacy_unit::document, {true, 3, 6}, honest);
    CHECK(r.pairs == 6);
    CHECK(r.violations() == 0);
    CHECK(r.largest_ratio == 1);
    r = grey_box_audit(docs, docs, privacy_unit::document, {true, 2, 6}, honest);
    CHECK(r.too_far == 2);
    CHECK(r.moved == 0);
    CHECK(r.largest_ratio == 1.5);
    r = grey_box_audit(docs, docs, privacy_unit::document, {false, 4, 4}, honest);
    CHECK(r.too_far == 1);
    CHECK(r.largest_ratio == 1.5);
  }
  SECTION("distances, by user") {
    // The users' counts: (3, 0, 0) and (1, 2, 1), exchanged for each other: distance 2 + 2 + 1.
    grey_box_result r = grey_box_audit(docs, docs, privacy_unit::user, {true, 4, 5}, honest);
    CHECK(r.pairs == 4);
    CHECK(r.violations() == 0);
    CHECK(r.largest_ratio == 1);
    r = grey_box_audit(docs, docs, privacy_unit::user, {true, 3, 4}, honest);
    CHECK(r.too_far == 3);
  }
  SECTION("exchanged documents keep their id and their owner") {
    const corpus others = make_corpus({{2, 2, 2, 2}}, 3, {0}, 1);
    const privacy_units units(docs, privacy_unit::document), other_units(others, privacy_unit::document);
    const corpus exchanged = exchange_unit(docs, privacy_unit::document, units, 1, others, other_units, 0);
    CHECK(tokens_of(exchanged) == std::vector<std::vector<word_id>>{{0, 0, 0}, {2, 2, 2, 2}, {0, 1, 2}});
    CHECK(exchanged[1].id == 1);
    CHECK(exchanged.user(1) == 1);
  }
  SECTION("exchanged users keep their number") {
    const privacy_units units(docs, privacy_unit::user);
    const corpus exchanged = exchange_unit(docs, privacy_unit::user, units, 1, docs, units, 0);
    CHECK(tokens_of(exchanged) == std::vector<std::vector<word_id>>{{0, 0, 0}, {0, 0, 0}});
    CHECK(exchanged.user(0) == 0);
    CHECK(exchanged.user(1) == 1);
  }
  SECTION("contributions that depend on others") {
    // One unit more in cell 0 as soon as there are three documents.
    const auto coupled = [&](const corpus& c) { return counts(c, c.size() == 3 ? 1 : 0); };
    const grey_box_result r = grey_box_audit(docs, docs, privacy_unit::document, {true, 9, 9}, coupled);
    CHECK(r.too_far == 0);
    CHECK(r.moved == 3);
  }
}
