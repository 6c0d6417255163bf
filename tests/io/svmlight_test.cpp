// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/svmlight.hpp>

#include "fuzz/same_corpus.hpp"
#include "io/io_support.hpp"

#include <filesystem>
#include <ostream>
#include <sstream>
#include <string>

using dplda::corpus;
using dplda_tests::check_refused;

namespace {

corpus read(const std::string& text, dplda::vocabulary_ptr vocab = nullptr,
            const dplda::svmlight_options& options = {}) {
  std::istringstream in(text);
  return dplda::read_svmlight(in, "svmlight", std::move(vocab), nullptr, options);
}

}  // namespace

TEST_CASE("an SVMlight file gives its documents", "[svmlight]") {
  for (const std::string text : {"1 1:1 8:3\n-1\n+1 5:4294967295\n",
                                 "# a comment\n\n1.5 qid:3 8:3 1:1 # 7:7\r\n0 \r\n1,2 5:4294967295\r\n  # end",
                                 "a 1:1 2:0 8:1 8:2\nb#5:5\nc  5:4294967295  "}) {
    CAPTURE(text);
    const corpus docs = read(text);
    REQUIRE(docs.size() == 3);
    CHECK(docs.words() == 8);
    CHECK(docs[0].size() == 2);
    CHECK(docs[0].words[1] == 7);
    CHECK(docs[0].counts[1] == 3);
    CHECK(docs[1].empty());
    CHECK(docs[2].counts[0] == 4294967295u);
    std::ostringstream out;
    dplda::write_svmlight(out, docs);
    CHECK(out.str() == "0 1:1 8:3\n0\n0 5:4294967295\n");
    CHECK(same_corpus(docs, read(out.str())));
  }
  CHECK(read("").empty());
  CHECK(read("# nothing\n\n").empty());
}

TEST_CASE("wrong SVMlight files are refused", "[svmlight]") {
  check_refused([] { read("1\n1:2 2:3\n"); }, 2, "expected a label in front of the first index");
  check_refused([] { read("1 0:1\n"); }, 1, "from 1 on");
  check_refused([] { read("1\n1 0:1\n"); }, 2, "found 0 (svmlight_options{.first_index = 0} is for files that count");
  check_refused([] { read("1 1:1.5\n"); }, 1, "expected the end of the line, found '.'");
  check_refused([] { read("1 1:-1\n"); }, 1, "expected a count, found '-'");
  check_refused([] { read("1 1\n"); }, 1, "expected ':', found the end of the line");
  check_refused([] { read("1 1:\n"); }, 1, "expected a count, found the end of the line");
  check_refused([] { read("1 x:1\n"); }, 1, "expected the end of the line, found 'x'");
  check_refused([] { read("1 qix:1\n"); }, 1, "expected 'd', found 'x'");
  check_refused([] { read("1 1:4294967296\n"); }, 1, "found 4294967296");
  check_refused([] { read("1 1:4294967295 1:1\n"); }, 1, "add up to at most 4294967295");
  check_refused([] { read("1 4294967296:1\n"); }, 1, "found 4294967296");
  check_refused([] { read("1 4294967295:1\n"); }, 1, "that a file of this size can need");
  check_refused([] { read("1 3:1\n", dplda::numbered_vocabulary(2)); }, 1, "one of 2 word ids from 1 on, found 3");
  check_refused([] { read("1 18446744073709551616:1\n"); }, 1, "above 2^64 - 1");
}

TEST_CASE("SVMlight files are written and read with companions", "[svmlight]") {
  const dplda_tests::temporary_folder folder;
  const corpus docs = dplda::read_svmlight(folder.file("docs", "7 2:2\n7\n"), folder.file("vocab", "a\nb\nc\n"),
                                           folder.file("users", "x\nx\n"));
  CHECK(docs.words() == 3);
  CHECK(docs.users() == 1);
  dplda::write_svmlight(folder.path() / "again", docs);
  CHECK(same_corpus(docs,
                    dplda::read_svmlight(folder.path() / "again", folder.path() / "vocab", folder.path() / "users")));
}

TEST_CASE("SVMlight indices count from 1 or from 0", "[svmlight]") {
  const dplda::svmlight_options from_0 = {.first_index = 0};
  const corpus docs = read("0 0:2 4:1\n0\n", nullptr, from_0);
  CHECK(same_corpus(docs, read("0 1:2 5:1\n0\n")));
  CHECK(docs[0].words[0] == 0);
  CHECK(docs.words() == 5);
  std::ostringstream out;
  dplda::write_svmlight(out, docs, from_0);
  CHECK(out.str() == "0 0:2 4:1\n0\n");
  CHECK(read("0 1:1\n", dplda::numbered_vocabulary(2), from_0)[0].words[0] == 1);
  check_refused([&] { read("0 2:1\n", dplda::numbered_vocabulary(2), from_0); }, 1,
                "one of 2 word ids from 0 on, found 2");

  const dplda_tests::temporary_folder folder;
  dplda::write_svmlight(folder.path() / "docs", docs, from_0);
  CHECK(dplda_tests::bytes_of(folder.path() / "docs") == out.str());
  CHECK(same_corpus(docs, dplda::read_svmlight(folder.path() / "docs", {}, {}, from_0)));

  const dplda::svmlight_options from_2 = {.first_index = 2};
  CHECK_THROWS_AS(read("0\n", nullptr, from_2), std::invalid_argument);
  CHECK_THROWS_WITH(dplda::write_svmlight(out, docs, from_2),
                    Catch::Matchers::ContainsSubstring("first_index is 2, but must be 0 or 1"));
  CHECK_THROWS_AS(dplda::write_svmlight(folder.path() / "none", docs, from_2), std::invalid_argument);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none"));
}

TEST_CASE("a stream that fails while an SVMlight file is written is reported", "[svmlight]") {
  const corpus docs = read("0 1:1 8:3\n0\n");
  dplda_tests::check_told_of_a_full_disk(12, [&](std::ostream& out) { dplda::write_svmlight(out, docs); });
}
