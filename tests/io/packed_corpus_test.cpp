// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/packed_corpus.hpp>
#include <dplda/io/tables.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/random/source.hpp>

#include "io/io_support.hpp"
#include "support/tiny.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Catch::Matchers::ContainsSubstring;
using dplda::corpus;
using dplda::open_corpus;
using dplda::parse_error;
using dplda::save_corpus;
using dplda_tests::bytes_of;
using dplda_tests::temporary_folder;
namespace fs = std::filesystem;

namespace {

void check_same(const corpus& found, const corpus& expected) {
  REQUIRE(found.size() == expected.size());
  CHECK(found.entries() == expected.entries());
  CHECK(found.tokens() == expected.tokens());
  CHECK(*found.vocab() == *expected.vocab());
  CHECK(found.vocab()->origin() == expected.vocab()->origin());
  CHECK(found.pruning() == expected.pruning());
  CHECK(found.has_users() == expected.has_users());
  CHECK(found.users() == expected.users());
  bool same = true;
  for (std::size_t d = 0; d < expected.size(); ++d) {
    same = same && std::ranges::equal(found[d].words, expected[d].words) &&
           std::ranges::equal(found[d].counts, expected[d].counts) && found[d].id == expected[d].id &&
           found.user(d) == expected.user(d);
  }
  CHECK(same);
}

const corpus& letters() {
  static const corpus docs =
      dplda::synthetic_lda({.documents = 300, .words = 80, .topics = 4, .mean_length = 30, .users = 40},
                           dplda::seeded_random(7))
          .docs;
  return docs;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Writes these bytes at this place of a file, counted from its end if negative.
void damage(const fs::path& file, std::streamoff at, std::string_view bytes) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(at, at < 0 ? std::ios::end : std::ios::beg);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  REQUIRE(out.good());
}

}  // namespace

TEST_CASE("A packed corpus is opened as it was", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  std::vector<std::size_t> some{5, 2, 290, 3};
  const dplda::vocabulary_ptr few = dplda::declare_public(dplda::numbered_vocabulary(7));
  for (const corpus& docs : {corpus(), letters(), letters().select(some), letters().restrict_to(few),
                             dplda_tests::make_corpus({{2, 0, 2}, {}, {1}, {}}, 4),
                             dplda::detail::with_pruning(letters(), dplda::pruning::by_list),
                             dplda::corpus_from_texts(std::vector<std::string>{"der Fluss", "", "über die Brücke"})}) {
    save_corpus(place, docs, {.overwrite = true});
    CHECK(dplda::is_packed_corpus(place));
    const corpus opened = open_corpus(place);
    check_same(opened, docs);
    CHECK_NOTHROW(dplda::verify_corpus(place));
    check_same(opened.select({}), docs.select({}));
    if (docs.size() > 3) {
      const std::vector<std::size_t> part{3, 1, 0};
      check_same(opened.select(part), docs.select(part));
    }
    check_same(opened.restrict_to(few), docs.restrict_to(few));
  }
  CHECK(files_in(folder.path()) == 1);
  CHECK_FALSE(dplda::is_packed_corpus(folder.path()));
}

TEST_CASE("A private fit of a packed corpus has the same bits", "[io][packed]") {
  const temporary_folder folder;
  save_corpus(folder.path() / "corpus", letters());
  const corpus opened = open_corpus(folder.path() / "corpus");
  const dplda::private_svi learner(
      {.topics = 3, .units = 40, .words = 80, .unit = dplda::privacy_unit::user, .steps = 3},
      {.epsilon = 2, .delta = 1e-5});
  auto one = dplda::seeded_random(3), other = dplda::seeded_random(3);
  const auto expected = learner.fit(letters(), one), found = learner.fit(opened, other);
  CHECK(found.value().phi() == expected.value().phi());
  CHECK(found.ledger() == expected.ledger());
}

TEST_CASE("Documents are kept in files without a name", "[io][packed]") {
  const temporary_folder folder;
  const fs::path scratch = folder.path() / "scratch";
  fs::create_directory(scratch);
  const dplda::corpus_storage storage = dplda::mapped_storage(scratch);

  dplda::corpus_builder in_files(storage), in_memory;
  for (std::uint32_t d = 0; d < 3000; ++d) {
    for (dplda::corpus_builder* const builder : {&in_files, &in_memory}) {
      for (std::uint32_t n = 0; n < d % 50; ++n) builder->add((d * 31 + n * 17) % 97, n % 3 + 1);
      builder->end_document();
    }
  }
  const corpus mapped = in_files.build(dplda::numbered_vocabulary(97));
  const corpus expected = in_memory.build(dplda::numbered_vocabulary(97));
  check_same(mapped, expected);
  check_same(mapped.slice(10, 200), expected.slice(10, 200));

  std::string text;
  for (int line = 0; line < 500; ++line)
    text += "wort" + std::to_string(line % 37) + " brief wort" + std::to_string(line) + '\n';
  std::istringstream first(text), second(text);
  check_same(dplda::read_text(first, "letters", {.storage = storage}), dplda::read_text(second, "letters"));

  std::ostringstream counts;
  dplda::write_uci(counts, letters());
  std::istringstream third(counts.str()), fourth(counts.str());
  check_same(dplda::read_uci(third, "counts", nullptr, nullptr, storage), dplda::read_uci(fourth, "counts"));
#if !defined(_WIN32)
  CHECK(fs::is_empty(scratch));  // while the corpora are there
#endif
  CHECK_THROWS_AS(dplda::corpus_builder(dplda::mapped_storage(folder.path() / "missing")), std::runtime_error);
}

TEST_CASE("What is cut from an opened corpus is kept in the scratch folder", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus", nowhere = folder.path() / "nowhere";
  save_corpus(place, letters());
  const corpus opened = open_corpus(place, nowhere);
  check_same(opened, letters());  // nothing is cut
  CHECK_THROWS_AS(opened.slice(0, 2), std::runtime_error);
  fs::create_directory(nowhere);
  check_same(opened.slice(0, 2), letters().slice(0, 2));
}

TEST_CASE("A corpus folder is not overwritten unless that is allowed", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  save_corpus(place, letters());
  CHECK_THROWS_AS(save_corpus(place, letters()), std::runtime_error);
  folder.file("corpus/notes.txt", "mine");
  CHECK_THROWS_AS(save_corpus(place, letters(), {.overwrite = true}), std::runtime_error);
  CHECK(bytes_of(place / "notes.txt") == "mine");
}

TEST_CASE("Damaged corpus folders are refused", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  save_corpus(place, letters());
  const auto says = [&](const std::string& words) {
    CHECK_THROWS_AS(open_corpus(place), parse_error);
    CHECK_THROWS_WITH(open_corpus(place), ContainsSubstring(words));
    CHECK_THROWS_AS(dplda::verify_corpus(place), parse_error);
  };

  SECTION("a file is missing") {
    const std::string file = GENERATE("offsets.npy", "words.npy", "counts.npy", "users.npy", "vocabulary.txt");
    fs::remove(place / file);
    says(file);
  }
  SECTION("a file is too short or too long") {
    const std::string file = GENERATE("offsets.npy", "words.npy", "counts.npy", "users.npy");
    const auto size = fs::file_size(place / file);
    fs::resize_file(place / file, GENERATE_COPY(size - 4, size - 1, size + 4, size / 2, std::uintmax_t{60}));
    says(file);
  }
  SECTION("an array of another type or shape") {
    std::string bytes = bytes_of(place / "counts.npy");
    bytes.replace(bytes.find("<u4"), 3, "<i4");
    folder.file("corpus/counts.npy", bytes);
    says("of type <u4");
  }
  SECTION("offsets that go back") {
    damage(place / "offsets.npy", -8 * 20, std::string(8, '\0'));
    says("ascend");
  }
  SECTION("offsets that begin or end elsewhere") {
    damage(place / "offsets.npy", GENERATE(-8 * 301, -8), std::string("\x01\0\0\0\0\0\0\0", 8));
    says("ascend");
  }
  SECTION("a user who does not exist") {
    damage(place / "users.npy", -4, "\xFF\xFF\xFF\xFF");
    says("users below 40");
  }
  SECTION("a changed record") {
    std::string bytes = bytes_of(place / "corpus.json");
    const std::size_t at = bytes.find("\"pruning\": \"none\"");
    REQUIRE(at != std::string::npos);
    bytes.replace(at, 17, "\"pruning\": \"nine\"");
    folder.file("corpus/corpus.json", bytes);
    says("checksum");
  }
  SECTION("no JSON") {
    folder.file("corpus/corpus.json", "corpus");
    says("corpus.json");
  }
}

TEST_CASE("A record of other files than a corpus has is refused", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  save_corpus(place, letters());
  const auto write_digests = [&](dplda::json_value::object digests) {
    auto record = dplda::json_value::parse(bytes_of(place / "corpus.json"), "corpus.json");
    record.set("sha256", std::move(digests));
    record.set("checksum", dplda::detail::model_checksum(*record.get_if<dplda::json_value::object>()));
    folder.file("corpus/corpus.json", record.dump());
  };
  const auto good = dplda::json_value::parse(bytes_of(place / "corpus.json"), "corpus.json")
                        .at("sha256")
                        .as<dplda::json_value::object>();
  write_digests(good);
  CHECK_NOTHROW(dplda::verify_corpus(place));
  auto more = good;
  more.emplace_back("../elsewhere", "0");
  write_digests(more);
  CHECK_THROWS_WITH(dplda::verify_corpus(place), ContainsSubstring("and no other"));
  write_digests({});
  CHECK_THROWS_WITH(open_corpus(place), ContainsSubstring("and no other"));
}

TEST_CASE("A damaged document is refused when it is read, and no other", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  const corpus docs = dplda_tests::make_corpus({{0, 3}, {1, 2, 2}, {}, {3}}, 4);  // the damage is at the 2
  save_corpus(place, docs);
  const std::string file = GENERATE("words.npy", "counts.npy");
  // A word beyond the vocabulary, words that do not ascend, or a count of 0.
  damage(place / file, -4 * 2,
         file == "counts.npy" ? std::string(4, '\0')
                              : GENERATE(std::string("\x04\0\0\0", 4), std::string("\x01\0\0\0", 4)));
  const corpus opened = open_corpus(place);
  CHECK_NOTHROW(opened[0]);
  CHECK_THROWS_AS(opened[1], parse_error);
  CHECK_THROWS_WITH(opened[1], ContainsSubstring("document 1"));
  CHECK_NOTHROW(opened[2]);
  CHECK_NOTHROW(opened[3]);
  CHECK_THROWS_AS(opened.restrict_to(dplda::numbered_vocabulary(2)), parse_error);
  CHECK_THROWS_AS(dplda::verify_corpus(place), parse_error);
}

TEST_CASE("A change that keeps a corpus valid is found by verify_corpus", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  save_corpus(place, letters());
  damage(place / "counts.npy", -4, std::string("\x07\0\0\0", 4));
  CHECK_NOTHROW(open_corpus(place));
  CHECK_THROWS_WITH(dplda::verify_corpus(place), ContainsSubstring("counts.npy"));
}

TEST_CASE("Names, groups, dates and settings are packed", "[io][packed]") {
  const temporary_folder folder;
  const fs::path place = folder.path() / "corpus";
  std::istringstream in("who;kind;when;text\nAnn;a;2024-05-17;tea\nBob;;2023;\nAnn;b;;rain tea\n");
  const dplda::labelled_corpus table = dplda::read_labelled_table(
      in, "table", dplda::table_format::csv, {.text = {"text"}, .user = "who", .group = "kind", .time = "when"});
  save_corpus(place, table, {.settings = {{"one document", "each row"}}});
  const dplda::labelled_corpus found = dplda::open_labelled_corpus(place);
  check_same(found.docs, table.docs);
  CHECK(*found.users == *table.users);
  CHECK(*found.groups.labels == *table.groups.labels);
  CHECK(found.groups.of_document == table.groups.of_document);
  CHECK(found.dates == table.dates);
  CHECK_NOTHROW(dplda::verify_corpus(place));
  const dplda::packed_facts facts = dplda::facts_of_corpus(place);
  CHECK(facts.pruning == dplda::pruning::none);
  CHECK(facts.origin == dplda::word_origin::documents);
  CHECK(facts.has_users);
  CHECK(facts.settings == dplda::json_value::object{{"one document", "each row"}});
  check_same(open_corpus(place), table.docs);

  damage(place / "dates.npy", -12, std::string("\xFF\xFF\x00\x00", 4));
  CHECK_THROWS_WITH(dplda::open_labelled_corpus(place), ContainsSubstring("expected dates as numbers yyyymmdd"));
  save_corpus(place, table, {.overwrite = true});
  damage(place / "groups.npy", -4, std::string("\x07\x00\x00\x00", 4));
  CHECK_THROWS_WITH(dplda::open_labelled_corpus(place), ContainsSubstring("expected groups below 2"));
  CHECK_THROWS_AS(save_corpus(folder.path() / "other", {.docs = table.docs, .dates = {{}}}), std::invalid_argument);
  CHECK(files_in(folder.path()) == 1);
}

#if !defined(_WIN32)
TEST_CASE("Only its owner may read a packed corpus", "[io][packed]") {
  const temporary_folder folder;
  save_corpus(folder.path() / "corpus", letters());
  const auto others = fs::perms::group_all | fs::perms::others_all;
  CHECK((fs::status(folder.path() / "corpus").permissions() & others) == fs::perms::none);
  for (const auto& file : fs::directory_iterator(folder.path() / "corpus"))
    CHECK((file.status().permissions() & others) == fs::perms::none);
}
#endif
