// SPDX-License-Identifier: Apache-2.0
#include <dplda/io/ledger.hpp>

#include "io/io_support.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace dplda;
using dplda_tests::bytes_of;
using dplda_tests::check_refused;
using dplda_tests::temporary_folder;

namespace {

std::string written(const ledger& book) {
  std::ostringstream out;
  write_ledger(out, book);
  return out.str();
}
std::string written(const guarantee& g) {
  std::ostringstream out;
  write_guarantee(out, g);
  return out.str();
}
ledger read(const std::string& text) {
  std::istringstream in(text);
  return read_ledger(in, "book.json");
}
guarantee read_promise(const std::string& text) {
  std::istringstream in(text);
  return read_guarantee(in, "promise.json");
}

/// The text with its first `from` replaced; there must be one.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

ledger everything(neighbours relation) {
  ledger book;
  const auto add = [&](const mechanism& noise, const sampling& seen, const std::string& label, std::uint64_t count) {
    book.record({noise, seen, privacy_unit::user, relation, label}, count);
  };
  const bool replace = relation == neighbours::replace;
  const sampling sample = replace ? sampling(fixed_size_sample{3, std::numeric_limits<std::uint64_t>::max()})
                                  : sampling(poisson_sample{1.0 / 3});
  add(gaussian_noise{0.1}, poisson_sample{5e-324}, "steps", std::numeric_limits<std::uint64_t>::max());
  add(gaussian_noise{1.7976931348623157e308}, all_units{}, "", 1);
  add(laplace_noise{2.0 / 3}, sample, "gr\xC3\xBC\xC3\x9F \xF0\x9F\x90\xA6", 2);
  add(discrete_gaussian_noise{1e-300}, sample, "quote \" back \\ line \n bell \a", (std::uint64_t{1} << 53) + 1);
  add(randomized_response{1e-17, (std::uint64_t{1} << 53)}, sample, std::string("nul\0l", 5), 1);
  add(approximate_dp{0, 0}, all_units{}, "nothing", 1);
  add(approximate_dp{0.1, 1e-300}, sample, "claim", 1);
  add(integer_gaussian_noise{0.1, (std::uint64_t{1} << 52)}, sample, "count", 1);
  add(dominating_pair{{1.0 / 3, 2.0 / 3}, {2.0 / 3, 1.0 / 3}}, sample, "pair", 7);
  add(renyi_curve{{1.1, 2, 1e15}, {0, 1.0 / 3, 1e300}}, sample, "curve", 1);
  if (!replace) add(gaussian_noise{2}, random_allocation{10}, "epochs", 3);
  ledger inside = book;
  add(best_of{negative_binomial_runs{-0.5, 0.1}, inside}, all_units{}, "best", 2);
  inside = book;
  add(best_of{poisson_runs{2.5}, inside}, all_units{}, "best of the best", 1);
  return book;
}

}  // namespace

TEST_CASE("a ledger reads as it was written") {
  for (const neighbours relation : {neighbours::add_remove, neighbours::replace}) {
    ledger book = everything(relation);
    CHECK(read(written(book)) == book);
    CHECK(written(read(written(book))) == written(book));
    book.mark_seeded();
    CHECK(read(written(book)).seeded());
  }
  CHECK(read(written(ledger())) == ledger());
  CHECK(read(written(ledger())).empty());
}

TEST_CASE("lists of numbers in events are checked") {
  ledger book;
  book.record({.noise = dominating_pair{{0.25, 0.75}, {0.75, 0.25}}});
  const std::string text = written(book);
  CHECK(read(text) == book);
  const auto refused = [&](const std::string& to) {
    CAPTURE(to);
    CHECK_THROWS_AS(read(with(text, "0.25", to)), parse_error);
  };
  refused("\"0.25\"");
  refused("-0.25");
  refused("0.3");
  refused("[0.25]");
  refused("0.25, 0.5");
}

TEST_CASE("doubles keep every bit") {
  std::mt19937_64 bits(1);
  ledger book;
  for (int i = 0; i < 500; ++i) {
    const double multiplier =
        std::ldexp(1 + static_cast<double>(bits() >> 12) * 0x1p-52, static_cast<int>(bits() % 2000) - 1000);
    book.record({.noise = gaussian_noise{multiplier},
                 .sampling = poisson_sample{static_cast<double>((bits() >> 11) + 1) * 0x1p-53}});
  }
  CHECK(read(written(book)) == book);
}

TEST_CASE("ledgers are written to files and read from them") {
  const temporary_folder folder;
  const auto path = folder.path() / "book.json";
  const ledger book = everything(neighbours::add_remove);
  write_ledger(path, book);
  CHECK(bytes_of(path) == written(book));
  CHECK(read_ledger(path) == book);
  CHECK_THROWS_AS(read_ledger(folder.path() / "none.json"), parse_error);
  CHECK_THROWS_AS(read_ledger(folder.path()), parse_error);
  CHECK_THROWS_AS(write_ledger(folder.path() / "no" / "book.json", book), std::runtime_error);
  dplda_tests::check_told_of_a_full_disk(written(book).size(), [&](std::ostream& out) { write_ledger(out, book); });
}

TEST_CASE("a guarantee reads as it was written") {
  const std::vector<guarantee> promises = {
      {.epsilon = 0.1, .delta = 1e-6},
      {.epsilon = std::numeric_limits<double>::infinity(), .delta = 0, .accountant = accountant::pld, .seeded = true},
      {.epsilon = 1.0 / 3,
       .delta = 1,
       .unit = privacy_unit::token,
       .relation = neighbours::replace,
       .accountant = accountant::gaussian,
       .basis = basis::as_published,
       .caveat = "samples \"\xC3\xBC\"",
       .gamma = 0.1},
      {.epsilon = 1, .delta = 1e-6, .part = "received in \xC3\xBC"},
      {.epsilon = 1, .delta = 1e-6, .assumes_fixed_plans = true}};
  for (const guarantee& g : promises) CHECK(read_promise(written(g)) == g);
  for (const accountant rule : {accountant::linear, accountant::advanced, accountant::optimal, accountant::zcdp,
                                accountant::rdp, accountant::gaussian, accountant::pld, accountant::best}) {
    CHECK(read_promise(written({.epsilon = 1, .delta = 0, .accountant = rule})).accountant == rule);
  }
  // Older versions did not write what is assumed, nor parts. They refuse a guarantee that assumes something, and read all others.
  CHECK(written(promises.front()).find("assumes_fixed_plans") == std::string::npos);
  CHECK(written(promises.front()).find("\"part\"") == std::string::npos);
  const temporary_folder folder;
  write_guarantee(folder.path() / "promise.json", promises.back());
  CHECK(read_guarantee(folder.path() / "promise.json") == promises.back());
}

TEST_CASE("invalid ledgers and guarantees are not written") {
  ledger book;
  book.record({.noise = gaussian_noise{1}, .label = "\xFF"});
  CHECK_THROWS_WITH(written(book), "dplda::to_json: label is not UTF-8, but only UTF-8 can be written as JSON");
  for (const guarantee& g : std::vector<guarantee>{{.epsilon = -1, .delta = 0},
                                                   {.epsilon = std::nan(""), .delta = 0},
                                                   {.epsilon = 1, .delta = 2},
                                                   {.epsilon = 1, .delta = 0, .gamma = -1},
                                                   {.epsilon = 1, .delta = 0, .caveat = "\x80"}}) {
    CHECK_THROWS_AS(written(g), std::invalid_argument);
  }
}

TEST_CASE("a ledger with a wrong, missing or unknown member is refused") {
  ledger book;
  book.record({.noise = gaussian_noise{1.5}, .sampling = poisson_sample{0.25}, .label = "steps"}, 7);
  book.record({.noise = randomized_response{0.5, 3}});
  const std::string good = written(book);
  REQUIRE(read(good) == book);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& words) {
    check_refused([&] { read(with(good, from, to)); }, 0, words);
  };
  refused("dplda ledger", "dplda model", "expected the format \"dplda ledger\"");
  refused("\"format_version\": 1", "\"format_version\": 2", "expected format version 1");
  refused("\"format_version\": 1", "\"format_version\": \"1\"", "expected format version 1");
  refused("\"seeded\": false", "\"seeded\": 0", "expected true or false as \"seeded\" in the ledger");
  refused("\"seeded\": false", "\"seeds\": false", "expected a member \"seeded\" in the ledger");
  refused("\"seeded\": false", "\"seeded\": false, \"more\": 1", "expected no member \"more\" in the ledger");
  refused("\"unit\": \"document\"", "\"unit\": \"paragraph\"", "a known value instead of \"paragraph\" as \"unit\"");
  refused("\"unit\": \"document\"", "\"unit\": null", "expected text as \"unit\"");
  refused("add_remove", "both", "a known value instead of \"both\" as \"neighbours\"");
  refused("\"kind\": \"gaussian\"", "\"kind\": \"cauchy\"", "a known kind of noise instead of \"cauchy\" in entry 1");
  refused("\"kind\": \"gaussian\"", "\"kind\": 1", "expected an object with text as \"kind\" as \"noise\" in entry 1");
  refused("\"kind\": \"poisson\"", "\"kind\": \"shuffled\"",
          "a known kind of sampling instead of \"shuffled\" in entry 1");
  refused("\"multiplier\": 1.5", "\"multiplier\": -1.5", "must be positive and finite) in entry 1");
  refused("\"multiplier\": 1.5", "\"multiplier\": \"1.5\"", "a number as \"multiplier\" in entry 1, \"noise\"");
  refused("\"multiplier\": 1.5", "\"multiplier\": 1.5, \"sigma\": 3", "no member \"sigma\" in entry 1, \"noise\"");
  refused("\"rate\": 0.25", "\"rate\": 1.25", "must lie in (0, 1]) in entry 1");
  refused("\"rate\": 0.25", "\"size\": 1", "expected a member \"rate\" in entry 1, \"sampling\"");
  refused("\"buckets\": 3", "\"buckets\": 1", "must be at least 2) in entry 2");
  refused("\"label\": \"steps\"", "\"label\": null", "expected text as \"label\" in entry 1");
  for (const char* count : {"0", "-1", "1.5", "1e300", "null", "\"7\"", "\"\"", "\"18446744073709551616\"",
                            "\"09007199254740993\"", "\"9007199254740993 \"", "\"-9007199254740993\""}) {
    CAPTURE(count);
    refused("\"count\": 7", std::string("\"count\": ") + count, "in entry 1");
  }
  refused("\"entries\": [", "\"entries\": {}, \"old\": [", "expected no member \"old\" in the ledger");
  check_refused([&] { read(with(written(ledger()), "\"unit\": null", "\"unit\": \"user\"")); }, 0,
                "null as \"unit\" and \"neighbours\" without entries");
  check_refused([&] { read(with(written(ledger()), "[]", "3")); }, 0, "a list as \"entries\"");
  // Errors of the text have a line.
  check_refused([&] { read(with(good, "\"seeded\": false,", "\"seeded\": false")); }, 6, "expected ',' or '}'");
  check_refused([&] { read(good.substr(0, good.size() / 2)); }, 16, "book.json");
  check_refused([&] { read(""); }, 1, "expected a value");
  check_refused([&] { read("[]"); }, 0, "expected the format");
}

TEST_CASE("a pairing that no accountant prices is refused on reading too") {
  ledger book;
  book.record({.noise = laplace_noise{1}, .sampling = fixed_size_sample{1, 2}, .relation = neighbours::replace});
  check_refused([&] { read(with(written(book), "\"replace\"", "\"add_remove\"")); }, 0, "its size tells");
  check_refused([&] { read(with(written(book), "\"size\": 1", "\"size\": 3")); }, 0, "the population) in entry 1");
}

TEST_CASE("an invalid guarantee is refused") {
  const std::string good = written(guarantee{.epsilon = 0.5, .delta = 1e-6, .gamma = 0.25});
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& words) {
    check_refused([&] { read_promise(with(good, from, to)); }, 0, words);
  };
  refused("\"epsilon\": 0.5", "\"epsilon\": -0.5", "a number from 0 to");
  refused("\"epsilon\": 0.5", "\"epsilon\": \"inf\"", "a number as \"epsilon\"");
  refused("\"delta\": 1e-06", "\"delta\": 1.5", "a number from 0 to 1 as \"delta\"");
  refused("\"gamma\": 0.25", "\"gamma\": 2", "a number from 0 to 1 as \"gamma\"");
  refused("\"best\"", "\"worst\"", "a known value instead of \"worst\" as \"accountant\"");
  refused("\"proven\"", "\"hoped\"", "\"proven\" or \"as_published\" as \"basis\"");
  refused("dplda guarantee", "dplda ledger", "expected the format \"dplda guarantee\"");
  refused("\"caveat\": \"\"", "\"caveat\": \"\", \"note\": \"\"", "no member \"note\"");
  refused("\"seeded\": false", "\"seeded\": false, \"assumes_fixed_plans\": 1", "true or false as");
}
