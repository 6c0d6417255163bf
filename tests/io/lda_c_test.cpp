// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/lda_c.hpp>

#include "fuzz/same_corpus.hpp"
#include "io/io_support.hpp"

#include <sstream>
#include <string>

using dplda::corpus;
using dplda_tests::check_refused;

namespace {

corpus read(const std::string& text, dplda::vocabulary_ptr vocab = nullptr) {
  std::istringstream in(text);
  return dplda::read_lda_c(in, "lda-c", std::move(vocab));
}

}  // namespace

TEST_CASE("an LDA-C file gives its documents", "[lda_c]") {
  for (const std::string text : {"2 0:1 7:3\n0\n1 4:4294967295\n", "2 0:1 7:3\r\n0\r\n1 4:4294967295\r\n\r\n",
                                 " 2  7:3 0:1 \n0\n1 4:4294967295", "3 7:1 0:1 7:2\n0\n1 4:4294967295\n \n\n"}) {
    CAPTURE(text);
    const corpus docs = read(text);
    REQUIRE(docs.size() == 3);
    CHECK(docs.words() == 8);
    CHECK(docs[0].words[1] == 7);
    CHECK(docs[0].counts[1] == 3);
    CHECK(docs[1].empty());
    CHECK(docs[2].counts[0] == 4294967295u);
    CHECK(docs.entries() == 3);
    std::ostringstream out;
    dplda::write_lda_c(out, docs);
    CHECK(out.str() == "2 0:1 7:3\n0\n1 4:4294967295\n");
    CHECK(same_corpus(docs, read(out.str())));
  }
  CHECK(read("").empty());
  CHECK(read("\n\n").empty());
  CHECK(read("0").size() == 1);
}

TEST_CASE("wrong LDA-C files are refused", "[lda_c]") {
  check_refused([] { read("0\n1 0:1 1:1\n"); }, 2, "expected the end of the line, found '1'");
  check_refused([] { read("0\n2 0:1\n"); }, 2, "expected a word id, found the end of the line");
  check_refused([] { read("0\n2 0:1"); }, 2, "expected a word id, found the end of the file");
  check_refused([] { read("1 0 1\n"); }, 1, "expected ':', found a byte of value 32");
  check_refused([] { read("1 0:0\n"); }, 1, "expected a count from 1");
  check_refused([] { read("1 0:-1\n"); }, 1, "found '-'");
  check_refused([] { read("1 0:1.5\n"); }, 1, "found '.'");
  check_refused([] { read("1 0:4294967296\n"); }, 1, "found 4294967296");
  check_refused([] { read("2 0:4294967295 0:1\n"); }, 1, "add up to at most 4294967295");
  check_refused([] { read("18446744073709551615 0:1\n"); }, 1, "expected a word id, found the end of the line");
  check_refused([] { read("0\n\n1 0:1\n"); }, 3, "expected no document after an empty line");
  check_refused([] { read("1 -1:1\n"); }, 1, "expected a word id, found '-'");
  check_refused([] { read("1 4294967295:1\n"); }, 1, "found 4294967295");
  check_refused([] { read("1 5:1\n1 4294967294:1\n0\n"); }, 2, "that a file of this size can need");
  check_refused([] { read("1 2:1\n", dplda::numbered_vocabulary(2)); }, 1, "one of 2 word ids from 0 on, found 2");
  check_refused([] { read("1 0:1\n", dplda::numbered_vocabulary(0)); }, 1, "one of 0 word ids from 0 on, found 0");
}

TEST_CASE("LDA-C files have vocabularies and users beside them", "[lda_c]") {
  const dplda_tests::temporary_folder folder;
  const auto docs_file = folder.file("docs", "1 1:2\n0\n");
  const corpus docs = dplda::read_lda_c(docs_file, folder.file("vocab", "a\nb\nc\n"), folder.file("users", "x\ny\n"));
  CHECK(docs.words() == 3);
  CHECK(docs.users() == 2);
  dplda::write_lda_c(folder.path() / "again", docs);
  CHECK(
      same_corpus(docs, dplda::read_lda_c(folder.path() / "again", folder.path() / "vocab", folder.path() / "users")));
  check_refused([&] { dplda::read_lda_c(docs_file, {}, folder.file("more", "x\ny\nz\n")); }, 3, "expected 2 users");
}

TEST_CASE("a stream that fails while an LDA-C file is written is reported", "[lda_c]") {
  const corpus docs = read("2 0:1 7:3\n0\n");
  dplda_tests::check_told_of_a_full_disk(12, [&](std::ostream& out) { dplda::write_lda_c(out, docs); });
}
