// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/users.hpp>
#include <dplda/io/vocabulary.hpp>

#include "io/io_support.hpp"

#include <sstream>
#include <string>
#include <vector>

using dplda_tests::check_refused;

namespace {

dplda::vocabulary_ptr read(const std::string& text) {
  std::istringstream in(text);
  return dplda::read_vocabulary(in, "vocab");
}

dplda::user_list read_users(const std::string& text) {
  std::istringstream in(text);
  return dplda::read_users(in, "users");
}

}  // namespace

TEST_CASE("a vocabulary has a word on each line", "[io_vocabulary]") {
  for (const std::string text :
       {"na\xC3\xAFve\nnew york\n\xE6\x9D\xB1\n", "na\xC3\xAFve\r\nnew york\r\n\xE6\x9D\xB1\r\n\r\n\n",
        "\xEF\xBB\xBFna\xC3\xAFve\nnew york\n\xE6\x9D\xB1"}) {
    const auto words = read(text);
    REQUIRE(words->size() == 3);
    CHECK(words->word(0) == "na\xC3\xAFve");
    CHECK(words->find("new york") == 1);
    CHECK(words->word(2) == "\xE6\x9D\xB1");
    std::ostringstream out;
    dplda::write_vocabulary(out, *words);
    CHECK(out.str() == "na\xC3\xAFve\nnew york\n\xE6\x9D\xB1\n");
  }
  CHECK(read("")->size() == 0);
  CHECK(read("\n\r\n")->size() == 0);
}

TEST_CASE("wrong vocabularies are refused with their line", "[io_vocabulary]") {
  check_refused([] { read("a\nb\na\n"); }, 3, "expected a new word, found \"a\" as on line 1");
  check_refused([] { read("a\n\n\nb\n"); }, 2, "expected a word, found an empty line");
  check_refused([] { read("\na\n"); }, 1, "expected a word, found an empty line");
  check_refused([] { read("\xEF\xBB\xBF\xEF\xBB\xBFword\n"); }, 1, "found a second byte order mark");
  check_refused([] { read("a\nb\tc\n"); }, 2, "found a control character");
  check_refused([] { read("a\nb\rc\n"); }, 2, "found a control character");
  check_refused([] { read(std::string("a\nb\0\n", 5)); }, 2, "found a control character");
  for (const std::string bad :
       {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xF0\x80\x80\x80"}) {
    check_refused([&] { read("a\nx" + bad + "\n"); }, 2, "expected a word in UTF-8");
  }
  CHECK(read("\xF4\x8F\xBF\xBF\n\xED\x9F\xBF\n\xEE\x80\x80\n\xC2\x80\n")->size() == 4);
}

TEST_CASE("a vocabulary that could not be read back is not written", "[io_vocabulary]") {
  for (const std::string bad : {"a\nb", "a\r", "\t", "\xFF", "\xEF\xBB\xBFword"}) {
    std::ostringstream out;
    CHECK_THROWS_AS(dplda::write_vocabulary(out, dplda::vocabulary(std::vector<std::string>{bad, "good"})),
                    std::invalid_argument);
    CHECK(out.str().empty());
  }
  const dplda_tests::temporary_folder folder;
  dplda::write_vocabulary(folder.path() / "v", *dplda::numbered_vocabulary(1000));
  CHECK(*dplda::read_vocabulary(folder.path() / "v") == *dplda::numbered_vocabulary(1000));
}

TEST_CASE("a vocabulary is written in pieces", "[io_vocabulary]") {
  const auto words = dplda::numbered_vocabulary(400'000);
  dplda_tests::disk_buffer disk(std::size_t{1} << 30);
  std::ostream out(&disk);
  dplda::write_vocabulary(out, *words);
  CHECK(disk.taken() > 3'000'000);
  CHECK(disk.largest_piece() < 1'100'000);

  dplda_tests::disk_buffer full(0);
  std::ostream failing(&full);
  CHECK_THROWS_AS(dplda::write_vocabulary(failing, *words), std::runtime_error);
  CHECK(full.largest_piece() < 1'100'000);
}

TEST_CASE("a stream that fails while words or users are written is reported", "[io_vocabulary][users]") {
  const auto words = dplda::numbered_vocabulary(10);
  dplda_tests::check_told_of_a_full_disk(30, [&](std::ostream& out) { dplda::write_vocabulary(out, *words); });
  dplda::corpus_builder builder;
  for (int d = 0; d < 3; ++d) builder.end_document();
  builder.set_users({0, 1, 0}, 2);
  const auto docs = builder.build(words);
  dplda_tests::check_told_of_a_full_disk(6, [&](std::ostream& out) { dplda::write_users(out, docs); });
}

TEST_CASE("users are numbered as they first appear", "[users]") {
  const auto users = read_users("7\r\nann\r\n7\r\n0\r\n\r\n");
  CHECK(users.of_document == std::vector<dplda::user_id>{0, 1, 0, 2});
  CHECK(users.labels->size() == 3);
  CHECK(users.labels->word(0) == "7");
  CHECK(users.labels->word(1) == "ann");
  CHECK(read_users("").of_document.empty());
  check_refused([] { read_users("a\n\nb\n"); }, 2, "expected a user, found an empty line");
  check_refused([] { read_users("a\n\xFF\n"); }, 2, "expected a user in UTF-8");
}

TEST_CASE("a blank does not make two users of one", "[users]") {
  for (const std::string text : {"ann\nann \n", "ann\n ann\n", "ann\n \n"})
    check_refused([&] { read_users(text); }, 2, "expected a user without blanks at the ends");
  CHECK(read_users("ann lee\nann lee\n").labels->size() == 1);
}

TEST_CASE("users are written as numbers", "[users]") {
  dplda::corpus_builder builder;
  for (int d = 0; d < 3; ++d) builder.end_document();
  builder.set_users({0, 1, 0}, 2);
  const auto docs = builder.build(dplda::numbered_vocabulary(1));
  std::ostringstream out;
  dplda::write_users(out, docs);
  CHECK(out.str() == "0\n1\n0\n");
  builder.end_document();
  const auto without = builder.build(dplda::numbered_vocabulary(1));
  CHECK_THROWS_AS(dplda::write_users(out, without), std::invalid_argument);
}
