// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/uci.hpp>

#include "fuzz/same_corpus.hpp"
#include "io/io_support.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using dplda::corpus;
using dplda_tests::check_refused;

namespace {

corpus read(const std::string& text, dplda::vocabulary_ptr vocab = nullptr) {
  std::istringstream in(text);
  return dplda::read_uci(in, "docword", std::move(vocab));
}

corpus read_from_pipe(const std::string& text) {
  dplda_tests::pipe_buffer buffer(text);
  std::istream in(&buffer);
  return dplda::read_uci(in, "docword");
}

using list = std::vector<std::uint32_t>;
list words(const corpus& docs, std::size_t d) { return {docs[d].words.begin(), docs[d].words.end()}; }
list counts(const corpus& docs, std::size_t d) { return {docs[d].counts.begin(), docs[d].counts.end()}; }

}  // namespace

TEST_CASE("a UCI file gives its documents, words and counts", "[uci]") {
  const std::string unix_text = "3\n5\n4\n1 1 2\n1 3 1\n3 2 7\n3 5 4294967295\n";
  std::string dos_text;
  for (const char c : unix_text) dos_text += c == '\n' ? "\r\n" : std::string(1, c);
  std::string padded;
  for (const char c : unix_text) padded += c == '\n' ? " \t\n" : c == ' ' ? "   " : std::string(1, c);
  for (const std::string& text : {unix_text, dos_text, padded, unix_text + "\n\n", dos_text + "\r\n \r\n",
                                  unix_text.substr(0, unix_text.size() - 1), "\xEF\xBB\xBF" + unix_text}) {
    CAPTURE(text);
    for (const corpus& docs : {read(text), read_from_pipe(text)}) {
      REQUIRE(docs.size() == 3);
      CHECK(docs.words() == 5);
      CHECK(docs.vocab()->word(4) == "w4");
      CHECK(docs.entries() == 4);
      CHECK(docs.tokens() == 4294967305u);
      CHECK(words(docs, 0) == list{0, 2});
      CHECK(counts(docs, 0) == list{2, 1});
      CHECK(docs[1].empty());
      CHECK(words(docs, 2) == list{1, 4});
      CHECK(counts(docs, 2) == list{7, 4294967295u});
      CHECK_FALSE(docs.has_users());
    }
  }
}

TEST_CASE("empty corpora, empty documents and unused words are kept", "[uci]") {
  CHECK(read("0\n0\n0\n").empty());
  CHECK(read("0\n7\n0").words() == 7);
  const corpus docs = read("4\n3\n1\n2 3 1\n");
  CHECK(docs.size() == 4);
  CHECK((docs[0].empty() && docs[2].empty() && docs[3].empty()));
  CHECK(read("1000000\n1\n0\n").size() == 1000000);
  CHECK(read_from_pipe("1000000\n1\n1\n999999 1 1\n").size() == 1000000);
}

TEST_CASE("documents and words may come in any order, and repeated pairs are added up", "[uci]") {
  const corpus docs = read("4\n5\n7\n3 5 1\n3 1 1\n1 2 1\n3 5 2\n4 1 1\n1 1 1\n1 2 9\n");
  CHECK(docs.entries() == 5);
  CHECK(words(docs, 0) == list{0, 1});
  CHECK(counts(docs, 0) == list{1, 10});
  CHECK(docs[1].empty());
  CHECK(words(docs, 2) == list{0, 4});
  CHECK(counts(docs, 2) == list{1, 3});
  CHECK(counts(docs, 3) == list{1});
  CHECK(same_corpus(read("2\n2\n2\n2 1 1\n1 1 1\n"), read("2\n2\n2\n1 1 1\n2 1 1\n")));

  std::mt19937 random(5);
  std::vector<std::string> lines;
  for (int d = 1; d <= 40; ++d) {
    for (int w = 1; w <= 30; w += 1 + static_cast<int>(random() % 7)) {
      lines.push_back(std::to_string(d) + " " + std::to_string(w) + " " + std::to_string(1 + random() % 5) + "\n");
    }
  }
  const auto text = [&] {
    std::string joined = "50\n30\n" + std::to_string(lines.size()) + "\n";
    for (const auto& line : lines) joined += line;
    return joined;
  };
  const corpus ordered = read(text());
  std::shuffle(lines.begin(), lines.end(), random);
  CHECK(same_corpus(ordered, read(text())));
  CHECK(same_corpus(ordered, read_from_pipe(text())));
}

TEST_CASE("counts of one pair whose sum overflows are refused", "[uci]") {
  check_refused([] { read("1\n1\n2\n1 1 4294967295\n1 1 1\n"); }, 6, "add up to at most 4294967295");
  check_refused([] { read("3\n1\n3\n1 1 4294967295\n1 1 1\n3 1 1\n"); }, 6, "add up to at most 4294967295");
  check_refused([] { read("3\n1\n3\n1 1 4294967295\n3 1 1\n1 1 1\n"); }, 7, "add up to at most 4294967295");
}

TEST_CASE("files that end early or late are refused", "[uci]") {
  check_refused([] { read(""); }, 1, "expected the number of documents, found the end of the file");
  check_refused([] { read("3\n"); }, 2, "expected the number of words, found the end of the file");
  check_refused([] { read("3\n4"); }, 2, "expected the number of entries");
  check_refused([] { read("3\n4\n2\n1 1 1\n"); }, 5, "expected 2 entries, found the end of the file after 1");
  check_refused([] { read("3\n4\n2\n1 1 1\n\n"); }, 5, "expected a document number, found the end of the line");
  check_refused([] { read("3\n4\n2\n1 1 1\n2 1"); }, 5, "expected a count, found the end of the file");
  check_refused([] { read("3\n4\n2\n1 1 1\n2"); }, 5, "expected a word number, found the end of the file");
  check_refused([] { read("3\n4\n2\n2 1 1\n1 1 1\n2 1"); }, 6,
                "expected the end of the file after 2 entries, found '2'");
  check_refused([] { read("3\n4\n3\n2 1 1\n1 1 1\n"); }, 6, "expected 3 entries, found the end of the file after 2");
  check_refused([] { read("3\n4\n1\n1 1 1\n2 1 1\n"); }, 5, "expected the end of the file after 1 entries, found '2'");
  check_refused([] { read("3\n4\n1\n1 1 1\n\nx"); }, 6, "expected the end of the file");
}

TEST_CASE("numbers out of their range are refused", "[uci]") {
  const auto entry = [](const std::string& line) { return [=] { read("3\n4\n2\n1 1 1\n" + line + "\n"); }; };
  check_refused(entry("0 1 1"), 5, "expected a document number from 1 to 3, found 0");
  check_refused(entry("4 1 1"), 5, "expected a document number from 1 to 3, found 4");
  check_refused(entry("1 0 1"), 5, "expected a word number from 1 to 4, found 0");
  check_refused(entry("1 5 1"), 5, "expected a word number from 1 to 4, found 5");
  check_refused(entry("1 4294967297 1"), 5, "expected a word number from 1 to 4, found 4294967297");
  check_refused(entry("1 1 0"), 5, "expected a count from 1 to 4294967295, found 0");
  check_refused(entry("1 1 4294967296"), 5, "expected a count from 1 to 4294967295, found 4294967296");
  check_refused(entry("1 1 18446744073709551617"), 5, "found a number above 2^64 - 1");
  check_refused(entry("1 1 -1"), 5, "expected a count, found '-'");
  check_refused(entry("1 1 1.5"), 5, "expected the end of the line, found '.'");
  check_refused(entry("1 1 1e3"), 5, "expected the end of the line, found 'e'");
  check_refused(entry("1 1 nan"), 5, "expected a count, found 'n'");
  check_refused(entry("1 1 1 1"), 5, "expected the end of the line, found '1'");
  check_refused(entry("1,1,1"), 5, "expected a word number, found ','");
  check_refused([] { read("3 4 2\n"); }, 1, "expected the end of the line");
  check_refused([] { read("-3\n4\n2\n"); }, 1, "found '-'");
  check_refused([] { read("3\n4294967296\n0\n"); }, 2, "expected the number of words from 0 to 4294967295");
}

TEST_CASE("gigantic headers are refused before memory is taken", "[uci]") {
  check_refused([] { read("99999999999\n4\n1\n1 1 1\n"); }, 1, "that the file can hold");
  check_refused([] { read("18446744073709551615\n4\n1\n1 1 1\n"); }, 1, "that the file can hold");
  check_refused([] { read("1\n4294967295\n1\n1 1 1\n"); }, 2, "that the file can need");
  check_refused([] { read("1\n4\n18446744073709551615\n1 1 1\n"); }, 5, "expected 18446744073709551615 entries");
  check_refused([] { read_from_pipe("99999999999\n4\n1\n1 1 1\n"); }, 1, "that the file can hold");
  check_refused([] { read_from_pipe("99999999999\n4\n1\n99999999999 1 1\n"); }, 1, "that the file can hold");
  check_refused([] { read_from_pipe("99999999999\n4\n2\n99999999 1 1\n1 1 1\n"); }, 1, "that the file can hold");
  check_refused([] { read_from_pipe("1\n4294967295\n1\n1 1 1\n"); }, 2, "that the file can need");
  check_refused([] { read_from_pipe("1\n4\n18446744073709551615\n1 1 1\n"); }, 5,
                "expected 18446744073709551615 entries");
}

TEST_CASE("vocabulary and users must fit the counts", "[uci]") {
  const dplda_tests::temporary_folder folder;
  const auto docword = folder.file("docword.txt", "3\n2\n2\n1 1 1\n3 2 4\n");
  const auto vocab = folder.file("vocab.txt", "salt\r\npepper\r\n");
  const auto users = folder.file("users.txt", "ann\nbob\nann\n");
  const corpus docs = dplda::read_uci(docword, vocab, users);
  CHECK(docs.vocab()->word(1) == "pepper");
  CHECK(docs.users() == 2);
  CHECK((docs.user(0) == 0 && docs.user(1) == 1 && docs.user(2) == 0));
  CHECK(dplda::read_uci(docword, {}, users).vocab()->word(1) == "w1");

  const auto three = folder.file("three.txt", "salt\npepper\nsugar\n");
  check_refused([&] { dplda::read_uci(docword, three); }, 2,
                "docword.txt:2: expected 3 words as in the vocabulary, found 2");
  const auto two = folder.file("two.txt", "ann\nbob\n");
  check_refused([&] { dplda::read_uci(docword, vocab, two); }, 3,
                "two.txt:3: expected 3 users, one for each document, found 2");
  check_refused([&] { dplda::read_uci(folder.path() / "none"); }, 0, "expected a file that can be opened");
  check_refused([&] { dplda::read_uci(docword, folder.path() / "none"); }, 0, "expected a file that can be opened");
  check_refused([&] { dplda::read_uci(folder.path()); }, 0, "expected a file, found a folder");
}

TEST_CASE("a written corpus reads back unchanged", "[uci]") {
  std::mt19937 random(11);
  dplda::corpus_builder builder;
  std::vector<dplda::user_id> users;
  for (std::uint32_t d = 0; d < 300; ++d) {
    for (auto w = random() % 50; w < 1000; w += 1 + random() % 400) {
      builder.add(static_cast<dplda::word_id>(w), static_cast<std::uint32_t>(1 + (random() >> (random() % 32)) / 2));
    }
    builder.end_document();
    users.push_back(d % 7);
  }
  builder.set_users(users, 7);
  const corpus docs = builder.build(dplda::numbered_vocabulary(1000));
  const dplda_tests::temporary_folder folder;
  const auto file = [&](const char* name) { return folder.path() / name; };
  dplda::write_uci(file("docword"), docs, file("vocab"), file("users"));
  CHECK(same_corpus(docs, dplda::read_uci(file("docword"), file("vocab"), file("users"))));
  CHECK_THROWS_AS(dplda::write_uci(folder.path() / "no" / "folder", docs), std::runtime_error);
  CHECK_THROWS_AS(dplda::write_uci(file("a"), read("1\n1\n0\n"), {}, file("b")), std::invalid_argument);

  std::ostringstream empty;
  dplda::write_uci(empty, corpus());
  CHECK(empty.str() == "0\n0\n0\n");
}

TEST_CASE("a stream that fails while a UCI file is written is reported", "[uci]") {
  const corpus docs = read("3\n2\n2\n1 1 1\n3 2 4\n");
  dplda_tests::check_told_of_a_full_disk(18, [&](std::ostream& out) { dplda::write_uci(out, docs); });
  const std::filesystem::path full = "/dev/full";
  if (!std::filesystem::exists(full)) return;
  CHECK_THROWS_WITH(dplda::write_uci(full, docs), "/dev/full: the file could not be written");
}
