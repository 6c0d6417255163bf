// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/topic_model.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

using dplda::topic_model;
using dplda_tests::make_model;

TEMPLATE_TEST_CASE("A topic model keeps its topics, vocabulary and prior", "[core][topic_model]", float, double) {
  const topic_model<TestType> model = make_model<TestType>({{0.5, 0.25, 0.25}, {0, 1, 0}}, {0.1, 2});
  CHECK(model.topics() == 2);
  CHECK(model.words() == 3);
  CHECK(model.phi()(0, 1) == TestType(0.25));
  CHECK(model.alpha()[1] == 2);
  CHECK(model.vocab()->word(2) == "w2");
}

TEST_CASE("Rows that are not distributions are refused", "[core][topic_model]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(make_model({{0.5, 0.4}}), std::invalid_argument);
  CHECK_THROWS_AS(make_model({{1.5, -0.5}}), std::invalid_argument);
  CHECK_THROWS_AS(make_model({{nan, 1}}), std::invalid_argument);
  CHECK_THROWS_AS(make_model({{infinity, 0}}), std::invalid_argument);
  CHECK_THROWS_AS(make_model({{0.0, 0.0}}), std::invalid_argument);
  CHECK_THROWS_AS(make_model({{0.5, 0.5}, {0.5, 0.5 + 1e-8}}), std::invalid_argument);
  CHECK_NOTHROW(make_model({{0.5, 0.5 + 1e-10}}));
  CHECK_NOTHROW(make_model<float>({{0.5, 0.5 + 1e-6}}));
}

TEST_CASE("Sizes and priors that do not fit are refused", "[core][topic_model]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> rows{{0.5, 0.5}, {1, 0}};
  CHECK_THROWS_AS(make_model(rows, {1}), std::invalid_argument);
  CHECK_THROWS_AS(make_model(rows, {1, 0}), std::invalid_argument);
  CHECK_THROWS_AS(make_model(rows, {1, infinity}), std::invalid_argument);
  const auto phi = make_model(rows).phi();
  CHECK_THROWS_AS(topic_model<double>(phi, dplda::numbered_vocabulary(3)), std::invalid_argument);
  CHECK_THROWS_AS(topic_model<double>(phi, nullptr), std::invalid_argument);
  CHECK_THROWS_AS(topic_model<double>({}, dplda::numbered_vocabulary(0)), std::invalid_argument);
}

TEST_CASE("top_words orders by probability, then by id", "[core][topic_model]") {
  const auto model = make_model({{0.1, 0.4, 0.1, 0.4}, {1, 0, 0, 0}});
  std::vector<dplda::word_id> words;
  for (const auto& w : dplda::top_words(model, 0, 9)) words.push_back(w.word);
  CHECK(words == std::vector<dplda::word_id>{1, 3, 0, 2});
  CHECK(dplda::top_words(model, 0, 1).at(0).probability == 0.4);
  CHECK(dplda::top_words(model, 1, 0).empty());
  CHECK_THROWS_AS(dplda::top_words(model, 2, 1), std::invalid_argument);
}

TEST_CASE("print_topics writes one line per topic", "[core][topic_model]") {
  std::ostringstream out;
  dplda::print_topics(out, make_model({{0.1, 0.9}, {0.5, 0.5}}), 2);
  CHECK(out.str() == "topic 0: w1 w0\ntopic 1: w0 w1\n");
}
