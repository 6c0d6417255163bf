// SPDX-License-Identifier: Apache-2.0
#include <dplda/evaluation/coherence.hpp>

#include <dplda/corpora/synthetic.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

using dplda::corpus;
using dplda::npmi_coherence;
using dplda::ranked_words;
using dplda::umass_coherence;
using dplda_tests::make_corpus;
using dplda_tests::make_model;

namespace {

// D(0) = 4, D(1) = 3, D(2) = 2, D(3) = 1; D(0, 1) = 3, D(0, 2) = 1, D(1, 2) = 1, D(0, 3) = D(1, 3) = 0, D(2, 3) = 1.
// Word 4 never occurs. Repetitions within a document must not count.
corpus example() { return make_corpus({{0, 0, 1}, {0, 1, 1, 2}, {0, 1}, {0}, {2, 3}, {}}, 5); }

std::vector<ranked_words> lists(std::initializer_list<ranked_words> topics) { return topics; }

// Documents that hold all these words, by looking.
double holding(const corpus& docs, const std::set<dplda::word_id>& words) {
  double count = 0;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    std::size_t found = 0;
    for (const dplda::word_id word : docs[d].words) found += words.count(word);
    if (found == words.size()) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("UMass coherence is eq. (4): the higher-ranked word divides", "[evaluation][coherence]") {
  const auto result = umass_coherence(lists({{0, 1, 2}, {2, 1}, {1, 2}}), example());
  REQUIRE(result.topics.size() == 3);
  const double first = std::log(4.0 / 4) + std::log(2.0 / 4) + std::log(2.0 / 3);
  CHECK(result.topics[0] == Catch::Approx(first));
  CHECK(result.topics[1] == Catch::Approx(std::log(2.0 / 2)).margin(1e-15));
  CHECK(result.topics[2] == Catch::Approx(std::log(2.0 / 3)));
  CHECK(result.mean == Catch::Approx((first + std::log(2.0 / 3)) / 3));
}

TEST_CASE("UMass coherence can divide by the lower-ranked word instead", "[evaluation][coherence]") {
  const auto result = umass_coherence(lists({{0, 1, 2}}), example(), dplda::umass_denominator::lower_ranked);
  CHECK(result.topics[0] == Catch::Approx(std::log(4.0 / 3) + std::log(2.0 / 2) + std::log(2.0 / 2)));
}

TEST_CASE("UMass coherence of words that never occur together, or never occur, is finite and low",
          "[evaluation][coherence]") {
  const auto result = umass_coherence(lists({{0, 3}, {0, 4}, {4, 0}}), example());
  CHECK(result.topics[0] == Catch::Approx(std::log(1.0 / 4)));
  CHECK(result.topics[1] == Catch::Approx(std::log(1.0 / 4)));
  CHECK(result.topics[2] == Catch::Approx(std::log(1.0 / 6)));
}

TEST_CASE("NPMI coherence is the mean over pairs of its formula", "[evaluation][coherence]") {
  const auto npmi = [](double both, double one, double other) {
    return std::log(both / 6 / (one / 6 * other / 6)) / -std::log(both / 6);
  };
  const auto result = npmi_coherence(lists({{0, 1}, {0, 1, 2}, {2, 1, 0}}), example());
  CHECK(result.topics[0] == Catch::Approx(npmi(3, 4, 3)));
  const double three = (npmi(3, 4, 3) + npmi(1, 4, 2) + npmi(1, 3, 2)) / 3;
  CHECK(result.topics[1] == Catch::Approx(three));
  CHECK(result.topics[2] == Catch::Approx(three));
  CHECK(result.mean == Catch::Approx((npmi(3, 4, 3) + 2 * three) / 3));
}

TEST_CASE("NPMI takes its limits: -1 for words that never occur together, 1 for words that always do",
          "[evaluation][coherence]") {
  const auto never = npmi_coherence(lists({{0, 3}, {0, 4}, {4, 3}}), example());
  CHECK(never.topics == std::vector<double>{-1, -1, -1});
  // Always together, in all documents or in some.
  CHECK(npmi_coherence(lists({{0, 1}}), make_corpus({{0, 1}, {0, 1}}, 2)).topics[0] == 1);
  CHECK(npmi_coherence(lists({{0, 1}}), make_corpus({{0, 1}, {}, {}}, 2)).topics[0] == Catch::Approx(1));
  // Independent words: 1/4 of the documents hold both, 1/2 each.
  CHECK(npmi_coherence(lists({{0, 1}}), make_corpus({{0, 1}, {0}, {1}, {}}, 2)).topics[0] ==
        Catch::Approx(0).margin(1e-15));
}

TEST_CASE("Coherence is defined for fewer than two words, no topics and no documents", "[evaluation][coherence]") {
  CHECK(umass_coherence(lists({{}, {1}}), example()).topics == std::vector<double>{0, 0});
  CHECK(npmi_coherence(lists({{}, {1}}), example()).topics == std::vector<double>{0, 0});
  CHECK(umass_coherence(lists({}), example()).mean == 0);
  CHECK(npmi_coherence(lists({}), example()).mean == 0);
  const corpus none = make_corpus({}, 2);
  CHECK(umass_coherence(lists({{0, 1}}), none).mean == 0);
  CHECK(npmi_coherence(lists({{0, 1}}), none).mean == -1);
}

TEST_CASE("Coherence of a model is that of its top words", "[evaluation][coherence]") {
  const auto model = make_model({{0.5, 0.3, 0.2, 0, 0}, {0, 0.4, 0.6, 0, 0}});
  CHECK(umass_coherence(model, example(), 3).topics ==
        umass_coherence(lists({{0, 1, 2}, {2, 1, 0}}), example()).topics);
  CHECK(npmi_coherence(model, example(), 2).topics == npmi_coherence(lists({{0, 1}, {2, 1}}), example()).topics);
  CHECK(std::isfinite(npmi_coherence(model, example(), 100).mean));
  CHECK(dplda::top_word_lists(model, 2) == lists({{0, 1}, {2, 1}}));
}

TEST_CASE("Coherence agrees with counting by hand on a larger corpus", "[evaluation][coherence]") {
  const auto data =
      dplda::synthetic_lda({.documents = 120, .words = 60, .topics = 6, .mean_length = 15}, dplda::seeded_random(1));
  const auto topics = dplda::top_word_lists(data.model, 7);
  const auto umass = umass_coherence(data.model, data.docs, 7);
  const auto npmi = npmi_coherence(data.model, data.docs, 7);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    double expected_umass = 0, expected_npmi = 0;
    for (std::size_t m = 1; m < 7; ++m) {
      for (std::size_t l = 0; l < m; ++l) {
        const double one = holding(data.docs, {topics[k][m]}), other = holding(data.docs, {topics[k][l]});
        const double both = holding(data.docs, {topics[k][m], topics[k][l]});
        expected_umass += std::log((both + 1) / (other > 0 ? other : 120));
        expected_npmi += both == 0 ? -1 : std::log(both * 120 / (one * other)) / std::log(120 / both);
      }
    }
    CHECK(umass.topics[k] == Catch::Approx(expected_umass));
    CHECK(npmi.topics[k] == Catch::Approx(expected_npmi / 21));
  }
}

TEST_CASE("Words beyond the corpus are refused", "[evaluation][coherence]") {
  CHECK_THROWS_AS(umass_coherence(lists({{0, 5}}), example()), std::invalid_argument);
  CHECK_THROWS_AS(npmi_coherence(lists({{5}}), example()), std::invalid_argument);
  CHECK_THROWS_AS(umass_coherence(make_model({{0.5, 0.5}}), example()), std::invalid_argument);
  CHECK_THROWS_AS(npmi_coherence(make_model({{0.5, 0.5}}), example()), std::invalid_argument);
}
