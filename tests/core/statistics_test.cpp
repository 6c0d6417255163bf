// SPDX-License-Identifier: Apache-2.0
#include <dplda/core/statistics.hpp>

#include "support/catch.hpp"
#include "support/tiny.hpp"

#include <cstdint>
#include <sstream>
#include <vector>

using dplda_tests::make_corpus;

TEST_CASE("Statistics count documents, words, tokens and users", "[core][statistics]") {
  const auto docs = make_corpus({{0, 0, 1}, {}, {1}, {1, 3, 3, 3, 3}}, 5, {2, 2, 0, 2}, 4);
  const dplda::corpus_statistics s = dplda::statistics(docs);
  CHECK(s.documents == 4);
  CHECK(s.empty_documents == 1);
  CHECK(s.users == 4);
  CHECK(s.vocabulary == 5);
  CHECK(s.used_words == 3);
  CHECK(s.entries == 5);
  CHECK(s.tokens == 9);
  CHECK(s.median_length == 1);  // of 0, 1, 3, 5 the lower median
  CHECK(s.longest == 5);
  CHECK(s.most_documents_of_a_user == 3);
  CHECK(dplda::word_counts(docs) == std::vector<std::uint64_t>{2, 3, 0, 4, 0});
  CHECK(dplda::document_frequencies(docs) == std::vector<std::uint64_t>{1, 3, 0, 1, 0});
  CHECK(dplda::documents_per_user(docs) == std::vector<std::size_t>{1, 0, 3, 0});
  std::ostringstream out;
  out << s;
  CHECK(out.str() ==
        "4 documents (1 empty), 5 words (3 used), 9 tokens; tokens in a document: median 1, maximum 5; "
        "4 users with at most 3 documents each");
}

TEST_CASE("Statistics of an empty corpus are zero", "[core][statistics]") {
  const dplda::corpus_statistics s = dplda::statistics(dplda::corpus());
  CHECK(s.documents == 0);
  CHECK(s.median_length == 0);
  CHECK(s.longest == 0);
  CHECK(s.users == 0);
}

TEST_CASE("The longest document is found on either side of the median", "[core][statistics]") {
  CHECK(dplda::statistics(make_corpus({{0, 0, 0}, {0}, {0, 0}}, 1)).longest == 3);
  CHECK(dplda::statistics(make_corpus({{0}, {0, 0}, {0, 0, 0}}, 1)).longest == 3);
  CHECK(dplda::statistics(make_corpus({{0, 0}}, 1)).longest == 2);
}
