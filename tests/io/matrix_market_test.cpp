// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/matrix_market.hpp>
#include <dplda/io/uci.hpp>

#include "fuzz/same_corpus.hpp"
#include "io/io_support.hpp"

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using dplda::corpus;
using dplda_tests::check_refused;

namespace {

corpus read(const std::string& text, dplda::vocabulary_ptr vocab = nullptr) {
  std::istringstream in(text);
  return dplda::read_matrix_market(in, "m.mtx", std::move(vocab));
}

corpus read_from_pipe(const std::string& text) {
  dplda_tests::pipe_buffer buffer(text);
  std::istream in(&buffer);
  return dplda::read_matrix_market(in, "m.mtx");
}

const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";
const std::string real = "%%MatrixMarket matrix coordinate real general\n";

std::uint32_t count(const corpus& docs, std::size_t d, dplda::word_id word) {
  for (std::size_t n = 0; n < docs[d].size(); ++n)
    if (docs[d].words[n] == word) return docs[d].counts[n];
  return 0;
}

}  // namespace

TEST_CASE("A Matrix Market file gives its documents, words and counts", "[io][matrix_market]") {
  const std::string entries = "1 1 2\n1 3 1\n3 2 7\n3 5 4294967295\n";
  for (const std::string& text :
       {integer + "3 5 4\n" + entries, integer + "% a comment\n%\n\n3 5 4\n" + entries + "\n \r\n",
        std::string("%%matrixmarket  MATRIX\tCoordinate INTEGER general \r\n3 5 4\r\n1 1 2\r\n1 3 1\r\n3 2 7\r\n3 5 "
                    "4294967295"),
        real + "3 5 4\n1 1 2.0\n1 3 1.000e+00\n3 2 0.7E1\n3 5 4294967295.\n",
        integer + "3 5 6\n3 5 4294967295\n1 1 1\n3 2 7\n2 2 0\n1 3 1\n1 1 1\n",
        "\xEF\xBB\xBF" + integer + "3 5 4\n" + entries}) {
    CAPTURE(text);
    for (const corpus& docs : {read(text), read_from_pipe(text)}) {
      REQUIRE(docs.size() == 3);
      CHECK(docs.words() == 5);
      CHECK(docs.entries() == 4);
      CHECK(count(docs, 0, 0) == 2);
      CHECK(count(docs, 0, 2) == 1);
      CHECK(docs[1].empty());
      CHECK(count(docs, 2, 1) == 7);
      CHECK(count(docs, 2, 4) == 4294967295u);
      CHECK(docs.pruning() == dplda::pruning::unknown);  // counts do not tell
    }
  }
  CHECK(read(integer + "0 0 0\n").empty());
  CHECK(read(integer + "2 7 0").words() == 7);
}

TEST_CASE("Whole numbers are read however Matrix Market writes them", "[io][matrix_market]") {
  const auto value = [](const std::string& numeral) {
    return count(read(real + "1 1 1\n1 1 " + numeral + "\n"), 0, 0);
  };
  for (const auto& [numeral, expected] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"3", 3},
                                                          {"+3", 3},
                                                          {"003", 3},
                                                          {"3.", 3},
                                                          {"3.0", 3},
                                                          {"30e-1", 3},
                                                          {".3e1", 3},
                                                          {"0.003E+3", 3},
                                                          {"1e9", 1000000000},
                                                          {"0", 0},
                                                          {"0.000", 0},
                                                          {"0e999999999999", 0},
                                                          {"4294967295.000000", 4294967295u},
                                                          {"100000000000000000000e-20", 1}}) {
    CAPTURE(numeral);
    CHECK(value(numeral) == expected);
  }
  for (const std::string numeral : {"-1", "1.5", "1e-1", "4294967296", "1e10", "1e999999999999999999999", "0.1", "nan",
                                    "inf", "1x", "1.0.0", "e5", ".", "+", "", "1e", "1e+", "0x10", "1,5"}) {
    CAPTURE(numeral);
    check_refused([&] { value(numeral); }, 3, "expected a count, a whole number from 0 to 4294967295");
  }
  check_refused([&] { value(std::string(100000, '1')); }, 3, "expected a count");
}

TEST_CASE("Other kinds of matrices are refused", "[io][matrix_market]") {
  for (const std::string kind : {"matrix array real general", "matrix coordinate complex general",
                                 "matrix coordinate pattern general", "matrix coordinate integer symmetric",
                                 "matrix coordinate real skew-symmetric", "vector coordinate integer general",
                                 "matrix coordinate integer", "matrix coordinate integer general more", ""}) {
    CAPTURE(kind);
    check_refused([&] { read("%%MatrixMarket " + kind + "\n1 1 1\n1 1 1\n"); }, 1, "matrix coordinate integer general");
  }
  check_refused([] { read(""); }, 1, "%%MatrixMarket");
  check_refused([] { read("1 1 1\n1 1 1\n"); }, 1, "%%MatrixMarket");
}

TEST_CASE("Headers that lie are refused before memory is taken", "[io][matrix_market]") {
  check_refused([] { read(integer + "18446744073709551615 1 0\n"); }, 2, "documents that the file can hold");
  check_refused([] { read(integer + "1 4000000000 0\n"); }, 2, "words");
  check_refused([] { read(integer + "1 1 18446744073709551615\n1 1 1\n"); }, 4,
                "expected 18446744073709551615 entries, found the end of the file after 1");
  check_refused([] { read_from_pipe(integer + "1000000000000 1 1\n999999999999 1 1\n"); }, 2,
                "documents that the file can hold");
  check_refused([] { read(integer + "1 1 99999999999999999999\n"); }, 2, "above 2^64 - 1");
  check_refused([] { read(integer + "2 3 1\n3 1 1\n"); }, 3, "expected a document number from 1 to 2, found 3");
  check_refused([] { read(integer + "2 3 1\n0 1 1\n"); }, 3, "expected a document number from 1 to 2, found 0");
  check_refused([] { read(integer + "2 3 1\n1 4 1\n"); }, 3, "expected a word number from 1 to 3, found 4");
  check_refused([] { read(integer + "2 3 1\n1 1 1\n1 2 1\n"); }, 4, "expected the end of the file");
  check_refused([] { read(integer + "2 3\n"); }, 2, "expected the number of entries");
  check_refused([] { read(integer + "2 3 1\n1 1 4294967295 7\n"); }, 3, "expected the end of the line");
  check_refused([] { read(integer + "1 1 2\n1 1 4294967295\n1 1 1\n"); }, 5, "add up to at most 4294967295");
  check_refused([] { read(integer + "1 5 1\n1 5 1\n", dplda::numbered_vocabulary(4)); }, 2,
                "expected 4 words as in the vocabulary, found 5");
}

TEST_CASE("What was written in Matrix Market is read back, and is what UCI gives", "[io][matrix_market]") {
  std::istringstream uci("4\n5\n5\n1 2 3\n1 5 1\n3 1 9\n4 4 1\n4 5 2\n");
  const corpus docs = dplda::read_uci(uci, "docword");
  std::ostringstream out;
  dplda::write_matrix_market(out, docs);
  CHECK(out.str().starts_with(integer + "4 5 5\n1 2 3\n"));
  CHECK(same_corpus(docs, read(out.str(), docs.vocab())));
  const dplda_tests::temporary_folder folder;
  dplda::write_matrix_market(folder.path() / "m.mtx", docs);
  CHECK(same_corpus(docs, dplda::read_matrix_market(folder.path() / "m.mtx")));
}
