// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/ldavis.hpp>
#include <dplda/io/topic_names.hpp>

#include "io/io_support.hpp"

#include <array>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using dplda_tests::check_refused;
using list = std::vector<std::string>;

namespace {

list read(const std::string& text, std::size_t topics = 3) {
  std::istringstream in(text);
  return dplda::read_topic_names(in, "names", topics);
}

dplda::topic_model<> three_words() {
  dplda::vocabulary_builder words;
  for (const char* word : {"and", "gull", "road"}) words.add(word);
  dplda::topic_model<>::matrix phi(2, 3);
  phi << 0.5, 0.4, 0.1, 0.6, 0.0, 0.4;
  return {phi, words.build()};
}

}  // namespace

TEST_CASE("Names of topics stand on lines of their own", "[io][topic_names]") {
  const list expected = {"roads", "", "parks and gardens"};
  CHECK(read("roads\n\nparks and gardens\n") == expected);
  CHECK(read("\xEF\xBB\xBFroads\r\n\r\nparks and gardens\r\n\r\n\n") == expected);
  CHECK(read("\n\n\n") == list{"", "", ""});
  CHECK(read("", 0).empty());
  CHECK(dplda::topic_title(0, expected) == "topic 0 (roads)");
  CHECK(dplda::topic_title(1, expected) == "topic 1");
  CHECK(dplda::topic_title(7, {}) == "topic 7");
}

TEST_CASE("Names that are missing, too many or alike are refused", "[io][topic_names]") {
  check_refused([] { read("roads\n"); }, 0, "expected 3 names, one on a line for each topic (empty: none), found 1");
  check_refused([] { read("a\nb\nc\nd\n"); }, 4, "expected 3 names, one for each topic, found more");
  check_refused([] { read("a\nb\na\n"); }, 3, "expected a name of its own for each topic, found \"a\" again");
  check_refused([] { read("a\n b\nc\n"); }, 2, "without blanks at the ends");
  check_refused([] { read("a\nb\x01\nc\n"); }, 2, "found a control character");
  check_refused([] { read("a\n\xFF\nc\n"); }, 2, "in UTF-8, found an invalid byte");
}

TEST_CASE("One function orders words by relevance", "[io][ldavis]") {
  const auto model = three_words();
  const auto order = [&](double lambda) {
    std::string all;
    for (const auto& of_topic : dplda::ordered_words(model, 3, lambda)) {
      for (const auto& w : of_topic) all += std::string(model.vocab()->word(w.word)) + ' ';
      all += '/';
    }
    return all;
  };
  CHECK(order(1) == "and gull road /and road /");  // the most probable first; none of probability 0
  CHECK(order(0) == "gull and road /road and /");  // lifts 2, 0.909, 0.4; 1.6, 1.09
  CHECK(order(dplda::usual_lambda) == "gull and road /and road /");
  CHECK(dplda::suggested_names(model, 2) == list{"gull, and", "and, road"});
  CHECK(dplda::ordered_words(model, 1, 1)[0][0].probability == 0.5);
  CHECK(dplda::relevant_words(model, 1, std::array{0.0, 1.0}) ==
        std::vector<std::vector<dplda::word_id>>{{0, 1}, {0, 2}});
  CHECK_THROWS_AS(dplda::ordered_words(model, 1, 1.5), std::invalid_argument);
}
