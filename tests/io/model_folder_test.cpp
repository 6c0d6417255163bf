// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/mechanisms/release.hpp>

#include "io/io_support.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <vector>

using dplda::topic_model;
using dplda_tests::bytes_of;
using dplda_tests::check_refused;
using dplda_tests::temporary_folder;
namespace fs = std::filesystem;

namespace {

template <class Real>
topic_model<Real> random_model(unsigned seed, Eigen::Index topics, Eigen::Index words, bool with_alpha) {
  std::mt19937_64 random(seed);
  typename topic_model<Real>::matrix phi(topics, words);
  for (Eigen::Index k = 0; k < topics; ++k) {
    for (Eigen::Index v = 0; v < words; ++v) phi(k, v) = static_cast<Real>(random() >> 40) + Real(1e-30);
    phi.row(k) /= phi.row(k).sum();
  }
  Eigen::VectorXd alpha(with_alpha ? topics : 0);
  for (Eigen::Index k = 0; k < alpha.size(); ++k) alpha[k] = 1.0 / static_cast<double>(1 + random() % 1000);
  return {phi, dplda::numbered_vocabulary(static_cast<std::size_t>(words)), alpha};
}

template <class Real>
bool same_bits(const topic_model<Real>& a, const topic_model<Real>& b) {
  return a.phi().rows() == b.phi().rows() && a.phi().cols() == b.phi().cols() && a.alpha().size() == b.alpha().size() &&
         std::memcmp(a.phi().data(), b.phi().data(), sizeof(Real) * static_cast<std::size_t>(a.phi().size())) == 0 &&
         std::equal(a.alpha().begin(), a.alpha().end(), b.alpha().begin()) && *a.vocab() == *b.vocab();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void replace_in(const fs::path& file, const std::string& from, const std::string& to) {
  std::string text = bytes_of(file);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

TEMPLATE_TEST_CASE("a model comes back bit for bit", "[model_folder]", float, double) {
  const temporary_folder folder;
  unsigned seed = 1;
  for (const Eigen::Index topics : {1, 2, 17}) {
    for (const Eigen::Index words : {1, 5, 300}) {
      for (const bool with_alpha : {false, true}) {
        const auto model = random_model<TestType>(seed++, topics, words, with_alpha);
        const fs::path path = folder.path() / "some" / "folders" / std::to_string(seed);
        dplda::save_model(path, model);
        CHECK(names_in(path) == std::vector<std::string>{"model.json", "phi.npy", "vocabulary.txt"});
        CHECK(same_bits(model, dplda::load_model<TestType>(path)));
      }
    }
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"some"});
}

TEST_CASE("a model folder is not overwritten unless asked for", "[model_folder]") {
  const temporary_folder folder;
  const auto first = random_model<double>(1, 2, 3, true), second = random_model<double>(2, 3, 4, false);
  const fs::path path = folder.path() / "model";
  dplda::save_model(path, first);
  CHECK_THROWS_WITH(dplda::save_model(path, second), Catch::Matchers::ContainsSubstring("exists already"));
  CHECK(same_bits(first, dplda::load_model(path)));
  dplda::save_model(path / "", second, {.overwrite = true});
  CHECK(same_bits(second, dplda::load_model(path)));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"model"});

  folder.file("model/notes.txt", "mine");
  CHECK_THROWS_WITH(dplda::save_model(path, first, {.overwrite = true}),
                    Catch::Matchers::ContainsSubstring("not overwritten, because it is not a dplda folder"));
  const auto plain = folder.file("plain", "mine");
  CHECK_THROWS_WITH(dplda::save_model(plain, first, {.overwrite = true}),
                    Catch::Matchers::ContainsSubstring("not overwritten, because it is not a dplda folder"));
  CHECK(bytes_of(plain) == "mine");
}

TEST_CASE("a folder that cannot be replaced is put back or kept", "[model_folder]") {
  const temporary_folder folder;
  const fs::path target = folder.path() / "model", fresh = folder.path() / "fresh";
  folder.file("model/old", "the former model");
  folder.file("fresh/new", "the new model");
  // Fails from one call to another, counted from 0.
  const auto replace = [&](int first, int last) {
    dplda::detail::replace_folder(
        fresh, target, [&, call = 0](const fs::path& from, const fs::path& to, std::error_code& failure) mutable {
          if (call >= first && call <= last) {
            failure = std::make_error_code(std::errc::io_error);
          } else {
            fs::rename(from, to, failure);
          }
          ++call;
        });
  };
  using names = std::vector<std::string>;
  SECTION("not put aside") {
    CHECK_THROWS_AS(replace(0, 0), fs::filesystem_error);
    CHECK(names_in(target) == names{"old"});
    CHECK(names_in(folder.path()) == names{"fresh", "model"});
  }
  SECTION("put back") {
    CHECK_THROWS_AS(replace(1, 1), fs::filesystem_error);
    CHECK(names_in(target) == names{"old"});
    CHECK(names_in(folder.path()) == names{"fresh", "model"});
  }
  SECTION("kept") {
    const fs::path kept = folder.path() / "model.partial0";
    CHECK_THROWS_WITH(replace(1, 2), Catch::Matchers::ContainsSubstring("which is kept as " + kept.string()));
    CHECK(names_in(folder.path()) == names{"fresh", "model.partial0"});
    REQUIRE(fs::exists(kept / "old"));
    CHECK(bytes_of(kept / "old") == "the former model");
  }
  SECTION("replaced") {
    replace(9, 9);
    CHECK(names_in(target) == names{"new"});
    CHECK(names_in(folder.path()) == names{"model"});
  }
}

TEST_CASE("a model that cannot be saved leaves nothing behind", "[model_folder]") {
  const temporary_folder folder;
  const dplda::vocabulary words(std::vector<std::string>{"line\nfeed"});
  const topic_model<double> model(topic_model<double>::matrix::Ones(1, 1), std::make_shared<dplda::vocabulary>(words));
  CHECK_THROWS_AS(dplda::save_model(folder.path() / "model", model), std::invalid_argument);
  CHECK(names_in(folder.path()).empty());
}

TEST_CASE("a missing file is refused", "[model_folder]") {
  for (const char* file : {"model.json", "phi.npy", "vocabulary.txt"}) {
    const temporary_folder folder;
    const fs::path path = folder.path() / "m";
    dplda::save_model(path, random_model<double>(1, 2, 3, true));
    fs::remove(path / file);
    check_refused([&] { dplda::load_model(path); }, 0, std::string(file) + ": expected a file that can be opened");
  }
  check_refused([] { dplda::load_model("/no/such/folder"); }, 0, "expected a file that can be opened");
}

TEST_CASE("each flipped bit and each cut is refused, or changes nothing", "[model_folder]") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "m";
  const auto model = random_model<double>(1, 2, 3, true);
  dplda::save_model(path, model);
  for (const char* file : {"model.json", "phi.npy", "vocabulary.txt"}) {
    const std::string good = bytes_of(path / file);
    const auto loads_same_or_throws = [&](const std::string& bytes) {
      std::ofstream(path / file, std::ios::binary) << bytes;
      try {
        return same_bits(model, dplda::load_model(path)) && std::string(file) == "model.json";
      } catch (const dplda::parse_error&) {
        return true;
      }
    };
    bool safe = true;
    for (std::size_t at = 0; at < good.size(); ++at) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
      safe = safe && loads_same_or_throws(bad);
    }
    for (std::size_t size = 0; size < good.size(); ++size) safe = safe && loads_same_or_throws(good.substr(0, size));
    safe = safe && loads_same_or_throws(good + "x");
    CHECK(safe);
    std::ofstream(path / file, std::ios::binary) << good;
  }
  CHECK(same_bits(model, dplda::load_model(path)));
}

TEST_CASE("damage is reported with its file and reason", "[model_folder]") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "m";
  dplda::save_model(path, random_model<double>(1, 2, 3, true));
  const auto refuse = [&](const char* why) { check_refused([&] { dplda::load_model(path); }, 0, why); };
  SECTION("words") {
    replace_in(path / "vocabulary.txt", "w1", "w7");
    refuse("vocabulary.txt: the checksum does not match model.json");
  }
  SECTION("topics") {
    replace_in(path / "phi.npy", "(2, 3)", "(3, 2)");
    refuse("phi.npy: the checksum does not match model.json");
  }
  SECTION("prior") {
    replace_in(path / "model.json", "\"alpha\": [", "\"alpha\": [1,");
    refuse("model.json: expected a text that matches its checksum");
  }
  SECTION("newer format") {
    replace_in(path / "model.json", "\"format_version\": 1", "\"format_version\": 2");
    refuse("model.json: expected format version 1, found 2, as dplda ");
  }
  SECTION("other format") {
    replace_in(path / "model.json", "dplda topic model", "another thing");
    refuse("model.json: expected the format \"dplda topic model\"");
  }
  SECTION("member gone") {
    replace_in(path / "model.json", "\"topics\"", "\"titles\"");
    refuse("model.json: expected a text that matches its checksum");
  }
  SECTION("other type") {
    check_refused([&] { dplda::load_model<float>(path); }, 0, "model.json: expected a model of float32, found float64");
  }
  SECTION("layout only") {
    const std::string text = bytes_of(path / "model.json");
    std::ofstream(path / "model.json", std::ios::binary) << dplda::json_value::parse(text, "json").dump();
    CHECK_NOTHROW(dplda::load_model(path));
  }
}

TEST_CASE("a loaded model knows again what was released", "[model_folder]") {
  // Topics and words came back as made from documents, and could be declared public.
  using dplda::word_origin;
  const temporary_folder folder;
  const topic_model<> model = random_model<double>(1, 2, 3, true);
  for (const word_origin origin : {word_origin::documents, word_origin::public_list, word_origin::released}) {
    const topic_model<> over(model.phi(), dplda::detail::with_origin(*model.vocab(), origin), model.alpha());
    dplda::save_model(folder.path() / "model", over, {.overwrite = true});
    CHECK(dplda::load_model(folder.path() / "model").vocab()->origin() == origin);
  }
  dplda::ledger spent;
  spent.record({.noise = dplda::gaussian_noise{4}});
  const dplda::release<topic_model<>> released(model, dplda::price(spent, 1e-6), spent);
  dplda::save_model(folder.path() / "released", released.value());
  CHECK_THROWS_AS(dplda::declare_public(dplda::load_model(folder.path() / "released")), std::invalid_argument);
  dplda::save_model(folder.path() / "documents", model);
  CHECK_NOTHROW(dplda::declare_public(dplda::load_model(folder.path() / "documents")));
}

TEST_CASE("model.json with valid checksums and wrong contents is refused", "[model_folder]") {
  using dplda::json_value;
  using dplda::sha256_hex;
  const auto load = [](const char* key, const json_value& value, const std::string& words = "a\nb\n",
                       const topic_model<double>::matrix& phi = topic_model<double>::matrix::Constant(1, 2, 0.5)) {
    std::ostringstream npy;
    dplda::write_npy(npy, phi);
    json_value::object members = {
        {"format", "dplda topic model"},
        {"format_version", 1},
        {"library_version", "0"},
        {"topics", 1},
        {"words", 2},
        {"real", "float64"},
        {"alpha", json_value::array{0.5}},
        {"sha256", json_value::object{{"phi.npy", sha256_hex(npy.str())}, {"vocabulary.txt", sha256_hex(words)}}}};
    bool known = *key == 0;
    for (auto& [name, old] : members) {
      if (name != key) continue;
      old = value;
      known = true;
    }
    if (!known) members.emplace_back(key, value);
    members.emplace_back("checksum", dplda::detail::model_checksum(members));
    std::istringstream phi_in(npy.str()), words_in(words);
    return dplda::detail::assemble_model<double>(json_value(members).dump(), "model.json", phi_in, "phi.npy", words_in,
                                                 "vocabulary.txt");
  };
  CHECK(load("", nullptr).topics() == 1);
  CHECK(load("alpha", nullptr).alpha().size() == 0);
  CHECK(load("released", true).released());
  // Older versions wrote neither of these.
  CHECK(!load("", nullptr).released());
  CHECK(load("", nullptr).vocab()->origin() == dplda::word_origin::documents);
  CHECK(load("word_origin", "public").vocab()->origin() == dplda::word_origin::public_list);
  const auto refuse = [&](const char* key, const json_value& value, const char* why) {
    CAPTURE(key, value.dump());
    check_refused([&] { load(key, value); }, 0, why);
  };
  refuse("topics", 2, "alpha");
  refuse("topics", 0, "a whole number of 1 or more as \"topics\"");
  refuse("topics", 1.5, "a whole number of 1 or more as \"topics\"");
  refuse("topics", 1e300, "a whole number of 1 or more as \"topics\"");
  refuse("topics", "1", "a whole number of 1 or more as \"topics\"");
  refuse("words", 3, "vocabulary.txt: expected 3 words, found 2");
  refuse("real", "float16", "found float16");
  refuse("real", 1, "expected text as \"real\"");
  refuse("alpha", json_value::array{0.5, 0.5}, "null or a number for each topic");
  refuse("alpha", json_value::array{"0.5"}, "numbers as \"alpha\"");
  refuse("alpha", json_value::array{-1}, "expected a valid topic model: ");
  refuse("released", "yes", "true or false as \"released\"");
  refuse("word_origin", "a friend", "\"documents\", \"public\" or \"released\" as \"word_origin\"");
  refuse("word_origin", nullptr, "expected text as \"word_origin\"");
  refuse("sha256", nullptr, "a member \"phi.npy\"");
  refuse("format", nullptr, "expected text as \"format\"");
  check_refused([&] { load("", nullptr, "a\na\n"); }, 2, "vocabulary.txt:2: expected a new word");
  const auto with_phi = [&](const topic_model<double>::matrix& phi) {
    return [&load, phi] { load("", nullptr, "a\nb\n", phi); };
  };
  check_refused(with_phi(topic_model<double>::matrix::Constant(2, 2, 0.5)), 0,
                "phi.npy: expected 1 x 2 numbers, found 2 x 2");
  check_refused(with_phi(topic_model<double>::matrix::Constant(1, 2, 0.6)), 0, "sum of row 0");
  check_refused(with_phi(topic_model<double>::matrix::Constant(1, 2, std::numeric_limits<double>::quiet_NaN())), 0,
                "phi(0, 0)");
}
