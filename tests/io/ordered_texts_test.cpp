// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/ordered_texts.hpp>

#include <dplda/io/tables.hpp>

#include "io/io_support.hpp"
#include "support/catch.hpp"

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace dplda;

namespace {

using sequences = std::vector<std::vector<word_id>>;

std::string words_of(const ordered_texts& texts, std::size_t d) {
  std::string all;
  for (const word_id word : texts[d]) (all += texts.vocab()->word(word)) += ' ';
  return all;
}

}  // namespace

TEST_CASE("Readers store the order of words, in the numbers of their corpus", "[ordered_texts]") {
  sequences order;
  std::istringstream lines("new york, New bread\n\nyork zoo york\n");
  const corpus docs = read_text(lines, "lines", {.order = &order});
  const ordered_texts texts = in_order(docs, order);
  REQUIRE(texts.size() == 3);
  CHECK(words_of(texts, 0) == "new york new bread ");
  CHECK(words_of(texts, 1).empty());
  CHECK(words_of(texts, 2) == "york zoo york ");
  CHECK(texts.vocab() == docs.vocab());
  CHECK(texts.pruning() == pruning::none);
  CHECK(texts.users().empty());

  std::istringstream table("who;letter\nann;new york\nbob;bread\nann;york new\n");
  const auto rows =
      read_labelled_table(table, "table", table_format::csv, {.text = {"letter"}, .user = "who"}, {.order = &order});
  const ordered_texts letters = in_order(rows.docs, order);
  CHECK(words_of(letters, 2) == "york new ");
  CHECK(letters.users() == std::vector<user_id>{0, 1, 0});
  CHECK(letters.user_count() == 2);
}

TEST_CASE("Words that a reader drops are not in the order, and pruned texts are refused", "[ordered_texts]") {
  sequences order;
  const std::vector<std::string> texts{"aaa bbb aaa ccc", "bbb aaa", "ccc"};
  const corpus pruned = corpus_from_texts(texts, {.min_documents = 3, .order = &order});
  CHECK(order == sequences(3));
  CHECK_THROWS_AS(in_order(pruned, order), std::invalid_argument);
  const auto list = declare_public(std::make_shared<const vocabulary>(std::vector<std::string>{"ccc", "aaa"}));
  const corpus docs = corpus_from_texts(texts, {.vocab = list, .order = &order});
  const ordered_texts listed = in_order(docs, order);
  CHECK(words_of(listed, 0) == "aaa aaa ccc ");
  CHECK(listed.vocab() == list);
}

TEST_CASE("The order of words is refused where it would be wrong", "[ordered_texts]") {
  sequences order;
  std::istringstream lines("new york\nbread\n");
  CHECK_THROWS_AS(read_text_part(lines, "lines", {.index = 0, .of = 1}, {.order = &order}), std::invalid_argument);
  const corpus docs = corpus_from_texts(std::vector<std::string>{"new york"});
  CHECK_THROWS_AS(in_order(docs, {}), std::invalid_argument);
  CHECK_THROWS_AS(in_order(docs, {{0, 7}}), std::invalid_argument);
}
