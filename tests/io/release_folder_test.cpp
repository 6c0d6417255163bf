// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/io/release_folder.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "io/io_support.hpp"

namespace {

namespace fs = std::filesystem;
using dplda::json_value;
using dplda_tests::bytes_of;
using dplda_tests::temporary_folder;

dplda::topic_model<> small_model() {
  Eigen::MatrixXd phi(2, 3);
  phi << 0.5, 0.25, 0.25, 0.125, 0.125, 0.75;
  return {phi, std::make_shared<const dplda::vocabulary>(std::vector<std::string>{"tea", "sugar", "rain"}),
          Eigen::VectorXd::Constant(2, 0.1)};
}

dplda::release<dplda::topic_model<>> small_release(double delta = 1e-6) {
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{4}, .label = "topic table"}, 3);
  const dplda::guarantee claim = dplda::price(book, delta);
  return {small_model(), claim, book};
}

const dplda::release_details details{
    .title = "Letters",
    .settings = {{"engine", "svi"}, {dplda::setting::stated_units, 20000}, {"words", "chosen privately"}},
    .command = "dplda fit INPUT",
    .stands_out = true,
    .booked = "an id"};

/// Writes release.json anew, with another member of this name.
void tamper(const fs::path& folder, const char* name, json_value value) {
  json_value file = json_value::parse(bytes_of(folder / "release.json"), "release.json");
  file.set(name, std::move(value));
  dplda::write_file(folder / "release.json", [&](std::ostream& out) { out << file.dump(2); });
}

}  // namespace

TEST_CASE("a release is loaded as it was saved", "[release_folder]") {
  const temporary_folder folder;
  const auto plain = small_release();
  const dplda::release<dplda::topic_model<>> released(plain.value(), plain.guarantee(), plain.ledger(),
                                                      {"One.", "Two."});
  const fs::path path = folder.path() / "topics";
  dplda::save_release(path, released, details, {.report = "<p>a page</p>"});
  const dplda::saved_release back = dplda::load_release(path);
  CHECK(back.topics.value().phi() == released.value().phi());
  CHECK(back.topics.guarantee() == released.guarantee());
  CHECK(std::ranges::equal(back.topics.ledger().entries(), released.ledger().entries()));
  CHECK(back.topics.remarks() == released.remarks());
  CHECK(back.details.title == details.title);
  CHECK(back.details.settings == details.settings);
  CHECK(back.details.command == details.command);
  CHECK(back.details.stands_out == details.stands_out);
  CHECK(back.details.booked == details.booked);
  CHECK(back.details.stated_units() == 20000);
  CHECK(bytes_of(path / "report.html") == "<p>a page</p>");
  CHECK(dplda::load_model(path).phi() == released.value().phi());  // one format for models
  const json_value file = json_value::parse(bytes_of(path / "release.json"), "release.json");
  CHECK(file.at("releasable") == json_value(true));
  CHECK(file.at("weaknesses").as<json_value::array>().size() == 1);  // delta is large for this many units
}

TEST_CASE("a seeded release stays seeded", "[release_folder]") {
  const temporary_folder folder;
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{4}}, 1);
  book.mark_seeded();
  dplda::save_release(folder.path() / "topics", {small_model(), dplda::price(book, 1e-6), book});
  CHECK(dplda::load_release(folder.path() / "topics").topics.guarantee().seeded);
  const json_value file = json_value::parse(bytes_of(folder.path() / "topics/release.json"), "release.json");
  CHECK(file.at("releasable") == json_value(false));
}

TEST_CASE("a paper's claim is saved, but not called releasable", "[release_folder]") {
  const temporary_folder folder;
  dplda::ledger book;
  book.record({.noise = dplda::gaussian_noise{4}}, 1);
  dplda::guarantee claim = dplda::price(book, 1e-6);
  claim.basis = dplda::basis::as_published;
  claim.caveat = "the paper gives no proof";
  dplda::save_release(folder.path() / "topics", {small_model(), claim, book});
  const json_value file = json_value::parse(bytes_of(folder.path() / "topics/release.json"), "release.json");
  CHECK(file.at("releasable") == json_value(false));
}

TEST_CASE("topics without privacy are saved as such, and are no release", "[release_folder]") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "topics";
  dplda::save_non_private(path, small_model(), details);
  CHECK(!dplda::read_release_record(path).claim);
  CHECK(dplda::load_model(path).topics() == 2);
  CHECK_THROWS_WITH(dplda::load_release(path), Catch::Matchers::ContainsSubstring("learned without privacy"));
  dplda::save_model(folder.path() / "model", small_model());
  CHECK_THROWS_AS(dplda::load_release(folder.path() / "model"), dplda::parse_error);
}

TEST_CASE("a release folder is replaced only on request, and a folder with other files never", "[release_folder]") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "topics";
  const auto released = small_release();
  dplda::save_release(path, released);
  CHECK_THROWS_WITH(dplda::save_release(path, released), Catch::Matchers::ContainsSubstring("exists already"));
  dplda::save_release(path / "", released, details, {.overwrite = true});
  CHECK(dplda::load_release(path).details.title == "Letters");
  struct stopped {};
  CHECK_THROWS_AS(
      dplda::save_release(path, released, {}, {.overwrite = true, .before_commit = [] { throw stopped(); }}), stopped);
  CHECK(dplda::load_release(path).details.title == "Letters");
  folder.file("topics/notes.txt", "mine");
  CHECK_THROWS_WITH(dplda::save_release(path, released, {}, {.overwrite = true}),
                    Catch::Matchers::ContainsSubstring("not overwritten, because it is not a dplda folder"));
}

TEST_CASE("shares that were released with topics stand in their folder", "[release_folder]") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "topics";
  std::string model;
  const auto shares = [&](const std::string& model_sha256) -> std::vector<dplda::file_text> {
    model = model_sha256;
    return {{"prevalence.json", "{}"}, {"prevalence.csv", "group"}};
  };
  dplda::save_release(path, small_release(), details, {.further = shares});
  CHECK(bytes_of(path / "prevalence.json") == "{}");
  CHECK(bytes_of(path / "prevalence.csv") == "group");
  CHECK(model == dplda::read_release_record(path).model_sha256);
  CHECK(dplda::load_release(path).topics.value().phi() == small_model().phi());
  dplda::save_release(path, small_release(), details, {.overwrite = true});
  CHECK_FALSE(fs::exists(path / "prevalence.json"));
  const auto other = [](const std::string&) -> std::vector<dplda::file_text> { return {{"../notes.txt", ""}}; };
  CHECK_THROWS_AS(dplda::save_release(folder.path() / "more", small_release(), details, {.further = other}),
                  std::invalid_argument);
  CHECK_FALSE(fs::exists(folder.path() / "more"));
}

TEST_CASE("a release that does not fit its ledger or its model is refused", "[release_folder]") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "topics";
  const auto released = small_release();
  dplda::save_release(path, released, details);
  const auto refused = [&](const char* why) {
    CHECK_THROWS_WITH(dplda::load_release(path), Catch::Matchers::ContainsSubstring(why));
  };
  SECTION("a claim below the ledger's price, read or written") {
    dplda::guarantee less = released.guarantee();
    less.epsilon /= 2;
    tamper(path, "guarantee", to_json(less));
    refused("claims less than its ledger costs");
    CHECK_THROWS_WITH(dplda::save_release(folder.path() / "other", {small_model(), less, released.ledger()}),
                      Catch::Matchers::ContainsSubstring("claims less than its ledger costs"));
    CHECK(!fs::exists(folder.path() / "other"));
  }
  SECTION("another unit") {
    dplda::guarantee other = released.guarantee();
    other.unit = dplda::privacy_unit::user;
    tamper(path, "guarantee", to_json(other));
    refused("for another unit");
  }
  SECTION("an empty ledger") {
    tamper(path, "ledger", to_json(dplda::ledger()));
    refused("claims a guarantee, but its ledger is empty");
  }
  SECTION("another model") {
    tamper(path, "model_sha256", "0123");
    refused("belongs to another model than the one in this folder");
  }
  SECTION("another version, or members of other types") {
    const auto [name, value] = GENERATE(table<const char*, json_value>(
        {{"format_version", 2}, {"settings", json_value::array{}}, {"command", nullptr}, {"topics_stand_out", "yes"}}));
    tamper(path, name, value);
    refused("expected a release of format version 1 with all its members");
  }
  SECTION("another format") {
    tamper(path, "format", "dplda ledger");
    refused("expected a release.json of the format");
  }
}

TEST_CASE("files are written all or none", "[whole_files]") {
  const temporary_folder folder;
  const fs::path first = folder.file("first", "old"), second = folder.path() / "second";
  const std::vector<dplda::file_text> files{{first, "new"}, {second, "also new"}};
  struct stopped {};
  CHECK_THROWS_AS(dplda::write_whole_files(files, [] { throw stopped(); }), stopped);
  CHECK(bytes_of(first) == "old");
  CHECK(!fs::exists(second));
  dplda::write_whole_files(files);
  CHECK(bytes_of(first) == "new");
  CHECK(bytes_of(second) == "also new");
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);  // nothing is left beside them
}

TEST_CASE("words know again where they come from after a release was loaded", "[release_folder]") {
  // They came back as words of documents, which led users to declare released words public.
  using dplda::word_origin;
  const temporary_folder folder;
  const auto released = small_release();
  for (const word_origin origin : {word_origin::documents, word_origin::public_list, word_origin::released}) {
    const auto over = released.map([&](const dplda::topic_model<>& model) {
      return dplda::topic_model<>(model.phi(), dplda::detail::with_origin(*model.vocab(), origin), model.alpha());
    });
    dplda::save_release(folder.path() / "topics", over, {}, {.overwrite = true});
    const auto back = dplda::load_release(folder.path() / "topics").topics;
    CHECK(back.value().vocab()->origin() == origin);
    CHECK(back.value().phi() == over.value().phi());
    CHECK(back.value().alpha() == over.value().alpha());
  }
  tamper(folder.path() / "topics", "word_origin", "a friend");
  CHECK_THROWS_AS(dplda::load_release(folder.path() / "topics"), dplda::parse_error);
}

TEST_CASE("released words are loaded with what they cost", "[release_folder]") {
  const temporary_folder folder;
  const auto topics = small_release();
  const fs::path list = folder.file("words.txt", "rain\ntea\n"), beside = folder.path() / "words.txt.release.json";
  dplda::release_record record{.claim = topics.guarantee(),
                               .ledger = topics.ledger(),
                               .model_sha256 = dplda::sha256_hex(bytes_of(list)),
                               .words = dplda::word_origin::released};
  const auto write = [&] { dplda::write_file(beside, [&](std::ostream& out) { out << to_json(record).dump(); }); };
  write();
  const dplda::release<dplda::vocabulary_ptr> words = dplda::load_released_words(list);
  CHECK(words.value()->origin() == dplda::word_origin::released);
  CHECK(words.value()->find("tea") == 1);
  CHECK(words.guarantee() == topics.guarantee());
  CHECK(std::ranges::equal(words.ledger().entries(), topics.ledger().entries()));
  const auto refused = [&](const char* why) {
    CHECK_THROWS_WITH(dplda::load_released_words(list), Catch::Matchers::ContainsSubstring(why));
  };
  folder.file("words.txt", "rain\nsugar\n");
  refused("belongs to another list");
  record.words = dplda::word_origin::public_list;
  write();
  refused("expected the record of words that were chosen privately");
  fs::remove(beside);
  CHECK_THROWS_AS(dplda::load_released_words(list), dplda::parse_error);
}

TEST_CASE("a stated number of units is rounded in release.json", "[release_folder]") {
  const dplda::release_details counted{.settings = {{"topics", 1234}, {dplda::setting::stated_units, 20123}}};
  CHECK(counted.stated_units() == 20000);
  const json_value file = to_json(dplda::release_record{.details = counted});
  CHECK(file.at("settings").at(dplda::setting::stated_units) == json_value(20000));
  CHECK(file.at("settings").at("topics") == json_value(1234));
}

TEST_CASE("a claim below the price is refused where no lower bound is known", "[release_folder]") {
  // Of discrete Gaussian noise no accountant knows a lower bound, so any claim was believed.
  const temporary_folder folder;
  dplda::ledger book;
  book.record({.noise = dplda::discrete_gaussian_noise{4}}, 3);
  dplda::guarantee claim = dplda::price(book, 1e-6);
  CHECK_NOTHROW(dplda::save_release(folder.path() / "right", {small_model(), claim, book}));
  claim.epsilon *= 0.999;
  CHECK_THROWS_WITH(dplda::save_release(folder.path() / "wrong", {small_model(), claim, book}),
                    Catch::Matchers::ContainsSubstring("claims less than its ledger costs"));
}
