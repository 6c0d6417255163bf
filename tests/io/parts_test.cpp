// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/io/lda_c.hpp>
#include <dplda/io/matrix_market.hpp>
#include <dplda/io/packed_corpus.hpp>
#include <dplda/io/parts.hpp>
#include <dplda/io/svmlight.hpp>
#include <dplda/io/tables.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/random/source.hpp>

#include "fuzz/same_parts.hpp"
#include "io/io_support.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dplda::corpus;
using dplda::corpus_part;
using dplda::input_part;
using dplda::labelled_corpus;
using dplda::parse_error;
using dplda_tests::temporary_folder;

namespace {

using part_reader = std::function<corpus_part(const input_part&)>;

/// Checks that the parts are the whole, for some numbers of parts.
void check_parts(const labelled_corpus& whole, const part_reader& read, const dplda::user_list* users = nullptr) {
  for (const std::size_t n : {1u, 2u, 3u, 4u, 7u, 16u, 61u}) {
    CAPTURE(n);
    CHECK(parts_are(whole, n, read, users) == "");
  }
}

void check_parts(const corpus& whole, const part_reader& read, const dplda::user_list* users = nullptr) {
  check_parts(labelled_corpus{.docs = whole}, read, users);
}

/// A reader of parts of a text in memory.
template <class Read>
part_reader of_stream(const std::string& text, Read read) {
  return [=](const input_part& part) {
    std::istringstream in(text);
    return read(static_cast<std::istream&>(in), part);
  };
}

part_reader lines_of(const std::string& text, const dplda::text_options& options = {}) {
  return of_stream(text, [=](std::istream& in, const input_part& part) {
    return dplda::read_text_part(in, "lines", part, options);
  });
}

corpus whole_text(const std::string& text, const dplda::text_options& options = {},
                  const dplda::user_list* users = nullptr) {
  std::istringstream in(text);
  return dplda::read_text(in, "lines", options, users);
}

/// The message of a part that refuses, with which all parts end.
std::string refusal_of(std::size_t n, const part_reader& read) {
  std::vector<std::string> summaries;
  std::vector<corpus_part> parts;
  try {
    for (std::size_t i = 0; i < n; ++i) parts.push_back(read({i, n}));
    for (const corpus_part& part : parts) summaries.push_back(part.summary());
    for (std::size_t i = 0; i < n; ++i) dplda::in_whole(parts[i], {i, n}, summaries);
  } catch (const parse_error& error) {
    return error.what();
  }
  return "";
}

const corpus& letters() {
  static const corpus docs =
      dplda::synthetic_lda({.documents = 200, .words = 60, .topics = 4, .mean_length = 12, .users = 30},
                           dplda::seeded_random(7))
          .docs;
  return docs;
}

}  // namespace

TEST_CASE("Lines in parts are the lines of the whole", "[io][parts]") {
  for (const std::string text :
       {"", "\n", "one", "one\n", "\n\n\none two\n\n", "zebra apple\nmango\n\napple fig\r\nzebra zebra\nfig",
        "\xEF\xBB\xBFmark at the beginning\nand \xEF\xBB\xBF here\n\xEF\xBB\xBFhere as well\nno\n",
        "\r\n\r\na tea\r\n"})
    check_parts(whole_text(text), lines_of(text));

  std::mt19937 random(5);
  std::string text;
  for (int line = 0; line < 300; ++line) {
    for (auto n = random() % 9; n > 0; --n)
      (text += "word") += static_cast<char>('a' + random() % 26) + std::string(" ");
    text += random() % 2 == 0 ? "\n" : "\r\n";
  }
  check_parts(whole_text(text), lines_of(text));
  const dplda::vocabulary_ptr list = dplda::declare_public(
      std::make_shared<const dplda::vocabulary>(std::vector<std::string>{"wordq", "worda", "wordz", "never"}));
  check_parts(whole_text(text, {.vocab = list}), lines_of(text, {.vocab = list}));

  std::string owners;
  for (int line = 0; line < 300; ++line) owners += "user" + std::to_string(random() % 40) + "\n";
  std::istringstream in(owners);
  const dplda::user_list users = dplda::read_users(in, "users");
  check_parts(whole_text(text, {}, &users), lines_of(text), &users);
}

TEST_CASE("Lines longer than a block are in one part", "[io][parts]") {
  std::string text;
  for (const std::size_t size : {std::size_t{3}, std::size_t{1} << 21, std::size_t{10}, std::size_t{70'000}})
    ((text += "tea ") += std::string(size, 'x')) += '\n';
  check_parts(whole_text(text), lines_of(text));
}

TEST_CASE("A refused line has its number in the whole", "[io][parts]") {
  std::string text;
  for (int line = 1; line < 100; ++line) text += "a quiet line\n";
  text += "\xC3 broken\n";
  for (int line = 1; line < 20; ++line) text += "a quiet line\n";
  for (const std::size_t n : {1u, 2u, 5u, 50u})
    CHECK_THAT(refusal_of(n, lines_of(text)), ContainsSubstring("lines:100:"));
  std::string objects;
  for (int line = 1; line < 100; ++line) objects += "{\"text\": \"a quiet line\"}\n";
  objects += "{\"txt\": 1}\n";
  const part_reader read = of_stream(objects, [](std::istream& in, const input_part& part) {
    return dplda::read_table_part(in, "objects", dplda::table_format::json_lines, {.text = {"text"}}, part);
  });
  for (const std::size_t n : {1u, 2u, 5u, 50u}) CHECK_THAT(refusal_of(n, read), ContainsSubstring("objects:100"));
}

TEST_CASE("What cannot be read in parts is refused", "[io][parts]") {
  CHECK_THROWS_AS(lines_of("one\n", {.min_documents = 2})({0, 2}), std::invalid_argument);
  CHECK_THROWS_AS(lines_of("one\n", {.max_document_share = 0.5})({0, 2}), std::invalid_argument);
  CHECK_THROWS_AS(lines_of("one\n")({2, 2}), std::invalid_argument);
  CHECK_THROWS_AS(lines_of("one\n")({0, 0}), std::invalid_argument);
  dplda_tests::pipe_buffer buffer("one\ntwo\n");
  std::istream pipe(&buffer);
  CHECK_THROWS_WITH(dplda::read_text_part(pipe, "pipe", {0, 2}), ContainsSubstring("found a pipe"));
  const corpus_part part = lines_of("one\ntwo\n")({0, 2});
  const std::vector<std::string> one{part.summary()}, wrong{part.summary(), "x"};
  CHECK_THROWS_AS(dplda::in_whole(part, {0, 2}, one), std::invalid_argument);
  CHECK_THROWS_AS(dplda::in_whole(part, {0, 2}, wrong), std::invalid_argument);
  dplda::user_list users;
  users.of_document = {0};
  CHECK_THROWS_WITH(dplda::in_whole(part, {0, 2}, std::vector{part.summary(), part.summary()}, &users),
                    ContainsSubstring("expected 2 users"));
}

TEST_CASE("A folder in parts is the folder", "[io][parts]") {
  const temporary_folder folder;
  check_parts(dplda::read_text(folder.path()),
              [&](const input_part& part) { return dplda::read_text_part(folder.path(), part); });
  std::mt19937 random(3);
  for (int file = 0; file < 40; ++file) {
    std::string text;
    for (auto n = random() % 4 == 0 ? 200u : random() % 5; n > 0; --n)
      text += "word" + std::string(1, char('a' + random() % 26)) + ' ';
    folder.file((file % 3 == 0 ? "b/" : "a") + std::to_string(file), text);
  }
  const part_reader read = [&](const input_part& part) { return dplda::read_text_part(folder.path(), part); };
  const corpus whole = dplda::read_text(folder.path());
  check_parts(whole, read);
  // Files are divided by their size, up to the largest file.
  for (std::size_t i = 0; i < 4; ++i) CHECK(read({i, 4}).found.docs.tokens() <= whole.tokens() / 4 + 201);
}

TEST_CASE("Tables in parts are the tables", "[io][parts]") {
  std::mt19937 random(11);
  std::string csv = "who;kind;when;text\n", json;
  for (int row = 0; row < 200; ++row) {
    const std::string who = "user" + std::to_string(random() % 30), kind = "group" + std::to_string(random() % 4);
    const std::string when = "2024-0" + std::to_string(1 + random() % 9);
    const char* const texts[] = {"plain tea", "\"tea; with, a quote\"", "\"two\nlines \"\"of\"\" tea\n\n\"", "",
                                 "a \" inside"};
    csv += who + ';' + (row % 7 == 0 ? "" : kind) + ';' + when + ';' + texts[random() % 5] +
           (row % 2 == 0 ? "\n" : "\r\n");
    json += "{\"who\": \"" + who + "\", \"kind\": " + (row % 7 == 0 ? "null" : '"' + kind + '"') + ", \"when\": \"" +
            when + "\", \"text\": \"tea word" + std::string(1, char('a' + random() % 26)) + "\"}\n";
    if (row % 50 == 0) json += "\n";
  }
  const dplda::table_columns columns{.text = {"text"}, .user = "who", .group = "kind", .time = "when"};
  for (const auto& [text, format] :
       {std::pair{csv, dplda::table_format::csv}, {json, dplda::table_format::json_lines}}) {
    std::istringstream in(text);
    const labelled_corpus whole = dplda::read_labelled_table(in, "table", format, columns);
    REQUIRE(whole.docs.size() == 200);
    check_parts(whole, of_stream(text, [&](std::istream& stream, const input_part& part) {
                  return dplda::read_table_part(stream, "table", format, columns, part);
                }));
  }
}

TEST_CASE("Counts in parts are the counts", "[io][parts]") {
  for (const corpus& docs : {letters(), letters().slice(0, 1), letters().slice(3, 3),
                             letters().restrict_to(dplda::numbered_vocabulary(4))}) {
    std::ostringstream uci, matrix, lda_c, svmlight;
    dplda::write_uci(uci, docs);
    dplda::write_matrix_market(matrix, docs);
    dplda::write_lda_c(lda_c, docs);
    dplda::write_svmlight(svmlight, docs);
    const dplda::vocabulary_ptr words = docs.vocab();
    const dplda::text_options none;
    const auto read_whole = [&](const std::string& text, auto&& read) {
      std::istringstream in(text);
      return read(static_cast<std::istream&>(in));
    };
    check_parts(read_whole(uci.str(), [&](std::istream& in) { return dplda::read_uci(in, "uci", words); }),
                of_stream(uci.str(), [=](std::istream& in, const input_part& part) {
                  return dplda::read_uci_part(in, "uci", part, words);
                }));
    check_parts(read_whole(uci.str(), [&](std::istream& in) { return dplda::read_uci(in, "uci"); }),
                of_stream(uci.str(), [=](std::istream& in, const input_part& part) {
                  return dplda::read_uci_part(in, "uci", part);
                }));
    check_parts(read_whole(matrix.str(), [&](std::istream& in) { return dplda::read_matrix_market(in, "m", words); }),
                of_stream(matrix.str(), [=](std::istream& in, const input_part& part) {
                  return dplda::read_matrix_market_part(in, "m", part, words);
                }));
    check_parts(read_whole(lda_c.str(), [&](std::istream& in) { return dplda::read_lda_c(in, "c", words); }),
                of_stream(lda_c.str(), [=](std::istream& in, const input_part& part) {
                  return dplda::read_lda_c_part(in, "c", part, words);
                }));
    check_parts(read_whole(svmlight.str(), [&](std::istream& in) { return dplda::read_svmlight(in, "s", words); }),
                of_stream(svmlight.str(), [=](std::istream& in, const input_part& part) {
                  return dplda::read_svmlight_part(in, "s", part, words);
                }));
  }
}

TEST_CASE("Damaged counts are refused in parts", "[io][parts]") {
  const auto uci = [](const std::string& text) {
    return of_stream(text,
                     [](std::istream& in, const input_part& part) { return dplda::read_uci_part(in, "uci", part); });
  };
  for (const std::size_t n : {1u, 2u, 3u, 5u, 9u}) {
    CAPTURE(n);
    CHECK(refusal_of(n, uci("3\n2\n4\n1 1 1\n1 2 1\n3 1 1\n3 2 1\n")) == "");
    CHECK_THAT(refusal_of(n, uci("3\n2\n5\n1 1 1\n1 2 1\n3 1 1\n3 2 1\n")),
               ContainsSubstring("expected 5 entries, found 4"));
    CHECK_THAT(refusal_of(n, uci("3\n2\n0\n1 1 1\n1 2 1\n3 1 1\n3 2 1\n")),
               ContainsSubstring("expected 0 entries, found 4"));
    CHECK_THAT(refusal_of(n, uci("3\n2\n4\n3 1 1\n1 2 1\n3 1 1\n3 2 1\n")),
               ContainsSubstring("in the order of documents"));
    CHECK_THAT(refusal_of(n, uci("3\n2\n4\n1 1 1\n1 2 1\n3 1 1\n2 2 1\n")),
               ContainsSubstring("in the order of documents"));
    CHECK_THAT(refusal_of(n, uci("9\n2\n4\n1 1 1\n9 2 1\n2 1 1\n2 2 1\n")),
               ContainsSubstring("in the order of documents"));
    CHECK_THAT(refusal_of(n, uci("3\n2\n4\n1 1 1\n1 2 1\n\n3 1 1\n3 2 1\n")), ContainsSubstring("empty line"));
    CHECK_THAT(refusal_of(n, uci("3\n2\n4\n1 1 1\n1 9 1\n3 1 1\n3 2 1\n")),
               ContainsSubstring("uci:5: expected a word number"));
    CHECK_THAT(refusal_of(n, uci("3\n2\n4\n1 1 1\n1 2 1\n3 1 1\n7 2 1\n")),
               ContainsSubstring("uci:7: expected a document number"));
    CHECK_THAT(refusal_of(n, of_stream("1 0:1\n\n\n1 0:1\n",
                                       [](std::istream& in, const input_part& part) {
                                         return dplda::read_lda_c_part(in, "c", part, dplda::numbered_vocabulary(1));
                                       })),
               ContainsSubstring("c:4: expected no document after an empty line"));
  }
}

TEST_CASE("A packed corpus in parts is the corpus", "[io][parts]") {
  const temporary_folder folder;
  const dplda::vocabulary_ptr few = dplda::declare_public(dplda::numbered_vocabulary(4));
  const std::vector<std::size_t> some{150, 2, 90, 3};
  for (const corpus& docs : {letters(), letters().slice(3, 3), letters().select(some), letters().restrict_to(few)}) {
    dplda::save_corpus(folder.path() / "corpus", docs, {.overwrite = true});
    check_parts(docs, [&](const input_part& part) { return dplda::open_corpus_part(folder.path() / "corpus", part); });
    std::uint64_t tokens = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const corpus part = dplda::open_corpus_part(folder.path() / "corpus", {i, 3}).found.docs;
      tokens += part.tokens();
      CHECK(part.entries() <= docs.entries() / 3 + 60);
      CHECK(part.pruning() == docs.pruning());
      CHECK(part.vocab()->origin() == docs.vocab()->origin());
      if (!part.empty()) {  // what is cut from a part keeps its ids
        CHECK(part.restrict_to(few)[0].id == part[0].id);
        CHECK(part.slice(0, 1)[0].id == part[0].id);
      }
    }
    CHECK(tokens == docs.tokens());
  }
}

TEST_CASE("A part that somebody else has is not changed", "[io][parts]") {
  const corpus docs = whole_text("pear fig\nfig\n");
  const corpus before = docs;
  const std::vector<dplda::word_id> swapped{1, 0};
  const auto words = std::make_shared<const dplda::vocabulary>(std::vector<std::string>{"pear", "fig"});
  const corpus after = dplda::detail::renumbered(docs, {.first_id = 5, .words = words, .word_ids = swapped});
  CHECK(before[0].words[0] == 0);
  CHECK(after[1].id == 6);
  CHECK(after.vocab()->word(after[1].words[0]) == "fig");
  CHECK(after[0].words[0] == 0);
  CHECK(after[0].words[1] == 1);
}
