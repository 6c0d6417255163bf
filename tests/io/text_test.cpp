// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/text.hpp>

#include "fuzz/same_corpus.hpp"
#include "io/io_support.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

using dplda::corpus;
using dplda_tests::check_refused;

namespace {

corpus read(const std::string& text, const dplda::text_options& options = {}) {
  std::istringstream in(text);
  return dplda::read_text(in, "lines", options);
}

std::string words_of(const corpus& docs) {
  std::string all;
  for (dplda::word_id w = 0; w < docs.words(); ++w) (all += docs.vocab()->word(w)) += ' ';
  return all;
}

/// Gives up root's right to read everything, where the tests run as root.
class ordinary_user {
 public:
  ordinary_user() : was_root_(::geteuid() == 0), gave_up_(was_root_ && ::seteuid(65534) == 0) {}
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;
  ~ordinary_user() {
    if (gave_up_ && ::seteuid(0) != 0) std::abort();
  }
  explicit operator bool() const { return !was_root_ || gave_up_; }

 private:
  bool was_root_;
  bool gave_up_;
};

}  // namespace

TEST_CASE("each line is a document, and the vocabulary is sorted", "[text]") {
  for (const std::string text :
       {"zebra apple Zebra\n\n12 ab\napple mango", "zebra apple Zebra\r\n\r\n12 ab\r\napple mango\r\n"}) {
    const corpus docs = read(text);
    CHECK(words_of(docs) == "apple mango zebra ");
    REQUIRE(docs.size() == 4);
    CHECK(docs[0].words[1] == 2);
    CHECK(docs[0].counts[1] == 2);
    CHECK(docs[1].empty());
    CHECK(docs[2].empty());
    CHECK(docs[3].length() == 2);
    CHECK(docs[3].id == 3);
  }
  CHECK(read("").empty());
  CHECK(read("\n").size() == 1);
  CHECK(*read("one two\nthree four").vocab() == *read("four three\ntwo one").vocab());
}

TEST_CASE("words are pruned by the number of documents that hold them", "[text]") {
  const std::string text = "common rare rare\ncommon some\ncommon some\ncommon\n";
  CHECK(words_of(read(text)) == "common rare some ");
  CHECK(words_of(read(text, {.min_documents = 2})) == "common some ");
  CHECK(words_of(read(text, {.max_document_share = 0.5})) == "rare some ");
  CHECK(words_of(read(text, {.max_document_share = 0.49})) == "rare ");
  const corpus none = read(text, {.min_documents = 5});
  CHECK(none.words() == 0);
  CHECK(none.size() == 4);
  CHECK_THROWS_AS(read(text, {.max_document_share = 1.5}), std::invalid_argument);
  CHECK_THROWS_AS(read(text, {.max_document_share = std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
}

TEST_CASE("a given vocabulary stays as it is", "[text]") {
  dplda::vocabulary_builder builder;
  for (const char* word : {"zebra", "apple", "unused"}) builder.add(word);
  const auto vocab = builder.build();
  const corpus docs = read("apple mango zebra zebra\nmango\n", {.min_documents = 2, .vocab = vocab});
  CHECK(docs.vocab() == vocab);
  CHECK(docs[0].words[0] == 0);
  CHECK(docs[0].counts[0] == 2);
  CHECK(docs[0].length() == 3);
  CHECK(docs[1].empty());
}

TEST_CASE("texts in memory and the lines of a file give the same corpus", "[text]") {
  const std::vector<std::string> texts = {"one two three", "", "three\nthree"};
  CHECK(same_corpus(dplda::corpus_from_texts(texts), read("one two three\n\nthree three\n")));
  CHECK(dplda::corpus_from_texts({}).empty());
  dplda::user_list users;
  users.of_document = {0, 1, 0};
  users.labels = dplda::numbered_vocabulary(2);
  const corpus docs = dplda::corpus_from_texts(texts, {}, &users);
  CHECK(docs.users() == 2);
  CHECK(docs.user(2) == 0);
  users.of_document.pop_back();
  check_refused([&] { dplda::corpus_from_texts(texts, {}, &users); }, 3, "expected 3 users");
  check_refused(
      [] {
        dplda::corpus_from_texts(std::vector<std::string>{"good", "good\n\xFF"});
      },
      2, "document 1:2: expected UTF-8");
}

TEST_CASE("a folder is read file by file, in the order of the paths", "[text]") {
  const dplda_tests::temporary_folder folder;
  folder.file("b.txt", "beta\nbeta");
  folder.file("a/z.txt", "alpha");
  folder.file("a/y.txt", "gamma \xFF");
  folder.file("c", "");
  folder.file(".hidden", "hidden");
  folder.file(".secret/file", "hidden");
  check_refused([&] { dplda::read_text(folder.path()); }, 1, "y.txt:1: expected UTF-8");
  dplda::text_options options;
  options.tokens.on_invalid_utf8 = dplda::invalid_utf8::separate;
  const corpus docs = dplda::read_text(folder.path(), options, folder.file(".users", "u\nv\nu\nw\n"));
  REQUIRE(docs.size() == 4);
  CHECK(words_of(docs) == "alpha beta gamma ");
  CHECK(docs[0].words[0] == 2);
  CHECK(docs[1].words[0] == 0);
  CHECK(docs[2].counts[0] == 2);
  CHECK(docs[3].empty());
  CHECK(docs.users() == 3);
}

TEST_CASE("a file is read line by line", "[text]") {
  const dplda_tests::temporary_folder folder;
  const corpus docs =
      dplda::read_text(folder.file("texts", "\xEF\xBB\xBFone\ntwo\n"), {}, folder.file("users", "a\na\n"));
  CHECK(docs.size() == 2);
  CHECK(docs.users() == 1);
  CHECK(words_of(docs) == "one two ");
  check_refused([&] { dplda::read_text(folder.file("bad", "one\ntwo\n\xC3\n")); }, 3, "bad:3: expected UTF-8");
  check_refused([&] { dplda::read_text(folder.path() / "none"); }, 0, "expected a file that can be opened");
}

TEST_CASE("an entry that cannot be inspected is refused with its path", "[text]") {
  const dplda_tests::temporary_folder folder;
  folder.file("below/good", "word");
  std::filesystem::create_symlink("loop", folder.path() / "below" / "loop");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "below" / "link");
  std::filesystem::create_symlink("nowhere", folder.path() / "below" / "dangling");
  check_refused([&] { dplda::read_text(folder.path()); }, 0, "below/loop: expected a file or folder that can be read");
  check_refused([&] { dplda::read_text(folder.path() / "below" / "loop"); }, 0, "below/loop: expected a file");
  check_refused([&] { dplda::read_text(folder.path() / std::string(5000, 'x')); }, 0, "x: expected a file");
  std::filesystem::remove(folder.path() / "below" / "loop");
  CHECK(dplda::read_text(folder.path()).size() == 1);
}

TEST_CASE("a folder that cannot be read is refused with its path", "[text]") {
  namespace fs = std::filesystem;
  const dplda_tests::temporary_folder folder;
  folder.file("open/closed/file", "word");
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder.path() / "open" / "closed", fs::perms::none);
  if (const ordinary_user user; user) {
    check_refused([&] { dplda::read_text(folder.path()); }, 0, "open/closed: expected a file or folder that can be");
    check_refused([&] { dplda::read_text(folder.path() / "open" / "closed"); }, 0, "open/closed: expected a file");
    check_refused([&] { dplda::read_text(folder.path() / "open" / "closed" / "file"); }, 0, "closed/file: expected a");
  }
  fs::permissions(folder.path() / "open" / "closed", fs::perms::owner_all);
  CHECK(dplda::read_text(folder.path()).size() == 1);
}

TEST_CASE("tokens and their texts give the same corpus", "[text]") {
  const std::vector<std::vector<std::string>> tokens{{"tea", "sugar", "tea"}, {}, {"rain"}};
  const std::vector<std::string> texts{"tea sugar tea", "", "rain"};
  const dplda::corpus made = dplda::corpus_from_tokens(tokens), read = dplda::corpus_from_texts(texts);
  REQUIRE(made.size() == 3);
  CHECK(made.tokens() == read.tokens());
  REQUIRE(*made.vocab() == *read.vocab());
  for (std::size_t d = 0; d < made.size(); ++d) {
    CHECK(std::ranges::equal(made[d].words, read[d].words));
    CHECK(std::ranges::equal(made[d].counts, read[d].counts));
  }
  const auto list = std::make_shared<const dplda::vocabulary>(std::vector<std::string>{"rain", "tea"});
  CHECK(dplda::corpus_from_tokens(tokens, {.vocab = list}).tokens() == 3);
  const std::vector<std::vector<std::string>> empty_token{{""}};
  CHECK_THROWS_AS(dplda::corpus_from_tokens(empty_token), std::invalid_argument);
}

TEST_CASE("files of a folder are read through the given opener", "[text]") {
  const dplda_tests::temporary_folder folder;
  folder.file("texts/a", "x");
  folder.file("texts/b", "y");
  const auto loud = [](const std::filesystem::path& file) {
    return std::make_unique<std::istringstream>("tea " + file.filename().string() + "word");
  };
  const dplda::corpus docs = dplda::read_text(folder.path() / "texts", {}, nullptr, loud);
  CHECK(docs.size() == 2);
  CHECK(docs.vocab()->find("aword"));
  CHECK(docs.vocab()->find("bword"));
}
