// SPDX-License-Identifier: Apache-2.0
#include <dplda/accounting/accountant.hpp>
#include <dplda/io/budget_book.hpp>
#include <dplda/io/files.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>

#include "io/io_support.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace dplda;
using dplda_tests::bytes_of;
using dplda_tests::check_refused;
using dplda_tests::temporary_folder;
namespace fs = std::filesystem;

namespace {

ledger noise_of(double multiplier, std::uint64_t count = 1) {
  ledger plan;
  plan.record({.noise = gaussian_noise{multiplier}, .label = "topics"}, count);
  return plan;
}

book_content limited(double epsilon, double delta) {
  return {.delta = delta, .limit = book_limit{epsilon, default_book_filter(delta)}};
}

std::string written(const book_content& book) {
  std::ostringstream out;
  write_book(out, book);
  return out.str();
}
book_content read(const std::string& text) {
  std::istringstream in(text);
  return read_book(in, "book.json");
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a book keeps what was booked, in its order") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "letters.book";
  budget_book::create(path, {.unit = privacy_unit::user, .delta = 1e-7});
  budget_book book = budget_book::open(path);
  CHECK(book.unit() == privacy_unit::user);
  CHECK(book.delta() == 1e-7);
  CHECK(!book.limit());
  CHECK(book.total().empty());
  ledger first, second;
  first.record({.noise = gaussian_noise{3}, .unit = privacy_unit::user, .label = "words"}, 2);
  second.record({.noise = approximate_dp{0.1, 1e-9}, .unit = privacy_unit::user});
  const std::string one = book.spend("fit \"\xC3\xBC\"", first), two = book.spend("vocabulary", second);
  const budget_book again = budget_book::open(path);
  REQUIRE(again.entries().size() == 2);
  CHECK(again.entries()[0] == book_entry{one, "fit \"\xC3\xBC\"", first});
  CHECK(again.entries()[1] == book_entry{two, "vocabulary", second});
  CHECK(one != two);
  first.append(second);
  CHECK(again.total() == first);
  CHECK(!fs::exists(folder.path() / "letters.book.new"));
}

TEST_CASE("a book is created once, and never by a misspelt name") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book";
  CHECK_THROWS_AS(budget_book::open(path), parse_error);
  CHECK(fs::is_empty(folder.path()));
  budget_book::create(path).spend("fit", noise_of(1));
  const std::string bytes = bytes_of(path);
  CHECK_THROWS_WITH(budget_book::create(path), Catch::Matchers::ContainsSubstring("exists already"));
  CHECK(bytes_of(path) == bytes);
  fs::create_symlink(folder.path() / "nowhere", folder.path() / "link");
  CHECK_THROWS_AS(budget_book::create(folder.path() / "link"), std::runtime_error);
  CHECK_THROWS_AS(budget_book::open(folder.path() / "link"), parse_error);
  CHECK_THROWS_AS(budget_book::create(folder.path() / "no" / "book"), std::runtime_error);
  CHECK_THROWS_AS(budget_book::open(folder.path()), parse_error);
  CHECK_THROWS_AS(budget_book::create(folder.path() / "b", {.delta = 0}), std::invalid_argument);
  CHECK_THROWS_AS(budget_book::create(folder.path() / "b", limited(0, 1e-6)), std::invalid_argument);
  CHECK_THROWS_AS(budget_book::create(folder.path() / "b", {.entries = {{"", "", noise_of(1)}}}),
                  std::invalid_argument);
  CHECK(!fs::exists(folder.path() / "b"));
}

TEST_CASE("a symbolic link keeps pointing at one book, and a hard link is refused") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book", link = folder.path() / "link", twin = folder.path() / "twin";
  budget_book::create(path);
  fs::create_symlink("book", link);
  budget_book::open(link).spend("through the link", noise_of(5));
  budget_book::open(path).spend("directly", noise_of(5));
  CHECK(fs::is_symlink(link));
  CHECK(budget_book::open(link).entries().size() == 2);
  CHECK(budget_book::open(path).entries().size() == 2);
  budget_book before = budget_book::open(path);
  fs::create_hard_link(path, twin);
  CHECK_THROWS_WITH(budget_book::open(path), Catch::Matchers::ContainsSubstring("second name"));
  CHECK_THROWS_WITH(before.spend("fit", noise_of(5)), Catch::Matchers::ContainsSubstring("second name"));
  fs::remove(twin);
  CHECK(budget_book::open(path).entries().size() == 2);
}

TEST_CASE("a book refuses plans that would make its total meaningless") {
  const temporary_folder folder;
  budget_book book = budget_book::create(folder.path() / "book");
  ledger users, replaced, seeded = noise_of(1);
  users.record({.noise = gaussian_noise{1}, .unit = privacy_unit::user});
  replaced.record({.noise = gaussian_noise{1}, .relation = neighbours::replace});
  seeded.mark_seeded();
  for (const ledger& plan : {ledger(), users, replaced, seeded}) {
    CHECK_THROWS_AS(book.spend("fit", plan), std::invalid_argument);
    CHECK_THROWS_AS(book.admits(plan), std::invalid_argument);
  }
  CHECK_THROWS_AS(book.spend("\xFF", noise_of(1)), std::invalid_argument);
  CHECK(book.entries().empty());
  CHECK(budget_book::open(folder.path() / "book").entries().empty());
}

TEST_CASE("a book with a limit admits one fully private fit that was planned for the whole of it") {
  const temporary_folder folder;
  int books = 0;
  for (const double epsilon : {0.3, 1.0, 2.0, 5.0}) {
    for (const double delta : {1e-9, 5e-7, 1e-6, 1e-5}) {
      CAPTURE(epsilon, delta);
      const fully_private_topics<> learner({.topics = {.topics = 5, .units = 5000}}, {epsilon, delta});
      budget_book book = budget_book::create(folder.path() / std::to_string(++books), limited(epsilon, delta));
      CHECK_NOTHROW(book.spend("fit", learner.plan().ledger));
      CHECK(!book.admits(learner.plan().ledger));
      CHECK(book.limit()->left().epsilon < 0.05 * epsilon);
    }
  }
}

TEST_CASE("a limit refuses a release that exceeds it, reports what is left, and books nothing") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book";
  budget_book book = budget_book::create(path, limited(2, 1e-6));
  const double noise_delta = book.limit()->left().noise_delta, whole = gaussian_multiplier(2, noise_delta);
  CHECK(book.limit()->left().epsilon == Catch::Approx(2).epsilon(1e-9));
  book.spend("half of it", noise_of(whole * std::sqrt(2.0) * (1 + 1e-9)));
  const std::string bytes = bytes_of(path);
  try {
    book.spend("too much", noise_of(whole));
    FAIL_CHECK("it was booked");
  } catch (const budget_exceeded& refused) {
    CHECK(refused.left().epsilon == Catch::Approx(gaussian_epsilon(whole * std::sqrt(2.0), noise_delta)).epsilon(1e-6));
    CHECK_THAT(refused.what(), Catch::Matchers::ContainsSubstring("epsilon = 2 at delta = 1e-06"));
  }
  CHECK(bytes_of(path) == bytes);
  ledger opaque;
  opaque.record({.noise = approximate_dp{0, 2.6e-7}});
  CHECK_THROWS_AS(book.spend("thresholds", opaque), budget_exceeded);
  book.spend("the other half", noise_of(whole * std::sqrt(2.0) * (1 + 1e-9)));
  CHECK(!book.admits(noise_of(1e4)));
  CHECK(ledger_epsilon(book.total(), 1e-6).upper <= 2);
}

TEST_CASE("an outdated object books by its file") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book";
  budget_book one = budget_book::create(path, limited(1, 1e-6)), other = budget_book::open(path);
  const ledger most = noise_of(gaussian_multiplier(1, one.limit()->left().noise_delta) * 1.1);
  one.spend("first", most);
  CHECK(other.admits(most));
  CHECK_THROWS_AS(other.spend("second", most), budget_exceeded);
  CHECK(budget_book::open(path).entries().size() == 1);
}

TEST_CASE("a limit is kept by the rule and reserve of its file") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book";
  book_content content{.delta = 1e-6, .limit = book_limit{2, {.rule = filter_rule::renyi, .reserved_delta = 1e-7}}};
  const double order = *budget_book::create(path, content).limit()->options().order;
  const budget_book again = budget_book::open(path);
  CHECK(again.limit()->options().order == order);
  CHECK(again.limit()->options().reserved_delta == 1e-7);
  ledger discrete;
  discrete.record({.noise = discrete_gaussian_noise{100}});
  CHECK(again.admits(discrete));
  content.limit->filter = default_book_filter(1e-6);
  CHECK_THROWS_AS(budget_book::create(folder.path() / "gaussian", content).admits(discrete), std::invalid_argument);
}

TEST_CASE("entries beyond the limit are read and counted, and nothing more is admitted") {
  const temporary_folder folder;
  book_content content = limited(1, 1e-6);
  content.entries.push_back({std::string(32, 'a'), "fit", noise_of(0.5)});
  write_file(folder.path() / "book", [&](std::ostream& out) { write_book(out, content); });
  budget_book book = budget_book::open(folder.path() / "book");
  CHECK(!book.limit()->within());
  CHECK_THROWS_AS(book.spend("fit", noise_of(1e6)), budget_exceeded);
}

TEST_CASE("a book with a wrong, missing or unknown member is refused") {
  book_content content = limited(1, 1e-6);
  content.entries.push_back({std::string(32, 'a'), "fit", noise_of(7, 3)});
  content.entries.push_back({std::string(32, 'b'), "fit", noise_of(7, 3)});
  const std::string good = written(content);
  CHECK(written(read(good)) == good);
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& words) {
    check_refused([&] { read(with(good, from, to)); }, 0, words);
  };
  refused("dplda book", "dplda ledger", "expected the format \"dplda book\"");
  refused("\"format_version\": 1", "\"format_version\": 2", "expected format version 1");
  refused("\"unit\": \"document\"", "\"unit\": \"page\"", "as \"unit\" in the book");
  refused("\"delta\": 1e-06", "\"delta\": 1", "between 0 and 1 as \"delta\" in the book");
  refused("\"limit\"", "\"limits\"", "a member \"limit\" in the book");
  refused("\"delta\": 1e-06", "\"delta\": 1e-06, \"more\": 0", "no member \"more\" in the book");
  refused("\"epsilon\": 1", "\"epsilon\": -1", "a valid limit");
  refused("\"rule\": \"gaussian\"", "\"rule\": \"zcdp\"", "\"gaussian\" or \"renyi\"");
  refused("\"rule\": \"gaussian\"", "\"rule\": \"renyi\"", "a number as \"order\"");
  refused("\"order\": null", "\"order\": 2", "null as \"order\"");
  refused("\"reserved_delta\": ", "\"reserved_delta\": 1", "a valid limit");
  refused(std::string(32, 'a'), std::string(31, 'a') + "g", "32 hexadecimal digits as \"id\" in entry 1");
  refused(std::string(32, 'b'), std::string(32, 'a'), "that no earlier entry has in entry 2");
  refused("\"what\": \"fit\"", "\"what\": 1", "text as \"what\" in entry 1");
  refused("\"count\": 3", "\"count\": 0", "a valid event");
  refused("\"multiplier\": 7", "\"multiplier\": 0", "in entry 1, event 1");
  refused("\"kind\": \"gaussian\"", "\"kind\": \"discrete_gaussian\"", "events that the limit's rule can count");
  for (std::size_t size = 0; size + 1 < good.size(); ++size)
    CHECK_THROWS_AS(read(good.substr(0, size)), parse_error);  // a book cut anywhere
  dplda_tests::check_told_of_a_full_disk(good.size(), [&](std::ostream& out) { write_book(out, content); });
}

TEST_CASE("concurrent writers lose no entry and keep the limit") {
  const temporary_folder folder;
  budget_book::create(folder.path() / "open");
  const budget_book tight = budget_book::create(folder.path() / "tight", limited(1, 1e-6));
  // Room for ten and a half of these.
  const ledger tenth = noise_of(gaussian_multiplier(1, tight.limit()->left().noise_delta) * std::sqrt(10.5));
  std::vector<std::thread> writers;
  std::atomic<int> admitted = 0, refused = 0;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&] {
      for (int i = 0; i < 8; ++i) {
        budget_book::open(folder.path() / "open").spend("fit", noise_of(5));
        try {
          budget_book::open(folder.path() / "tight").spend("fit", tenth);
          ++admitted;
        } catch (const budget_exceeded&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(budget_book::open(folder.path() / "open").entries().size() == 32);
  CHECK(budget_book::open(folder.path() / "tight").entries().size() == 10);
  CHECK(admitted == 10);
  CHECK(refused == 22);
}

TEST_CASE("killed writers leave a readable book with every entry whose booking was confirmed") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book";
  budget_book::create(path);
  std::mt19937_64 bits(5);
  std::vector<std::string> told;
  int rounds = 0;
  for (; told.size() < 40 && rounds < 2000; ++rounds) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    std::vector<pid_t> children;
    for (int c = 0; c < 2; ++c) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        try {
          for (;;) {
            const std::string id = budget_book::open(path).spend("fit", noise_of(5));
            if (::write(ends[1], id.data(), id.size()) != 32) ::_exit(1);
          }
        } catch (...) {
          ::_exit(1);
        }
      }
      children.push_back(child);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500 + bits() % 30000));
    for (const pid_t child : children) ::kill(child, SIGKILL);
    for (const pid_t child : children) {
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));  // none gave up
    }
    ::close(ends[1]);
    char id[32];
    while (::read(ends[0], id, sizeof id) == 32) told.emplace_back(id, sizeof id);
    ::close(ends[0]);
    const budget_book book = budget_book::open(path);
    for (const std::string& one : told)
      REQUIRE(std::ranges::any_of(book.entries(), [&](const book_entry& e) { return e.id == one; }));
  }
  CHECK(told.size() >= 40);
  CHECK(budget_book::open(path).entries().size() >= told.size());
  CHECK(budget_book::open(path).entries().size() <= told.size() + 2 * static_cast<std::size_t>(rounds));
}

TEST_CASE("a book that cannot be written refuses the release and stays as it was") {
  const temporary_folder folder;
  const fs::path path = folder.path() / "book";
  budget_book book = budget_book::create(path);
  book.spend("fit", noise_of(5));
  const std::string bytes = bytes_of(path);
  {
    // No room for another entry: a file may grow to this size and no further.
    struct rlimit former {};
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &former) == 0);
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit tight { static_cast<rlim_t>(bytes.size()), former.rlim_max };
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &tight) == 0);
    std::string reason;
    try {
      book.spend("fit", noise_of(6));
    } catch (const std::runtime_error& error) {
      reason = error.what();
    }
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &former) == 0);
    ::signal(SIGXFSZ, handler);
    CHECK_THAT(reason, Catch::Matchers::ContainsSubstring("could not be written (File too large)"));
  }
  CHECK(bytes_of(path) == bytes);
  CHECK(!fs::exists(folder.path() / "book.new"));
  CHECK(book.entries().size() == 1);
  // A book that cannot be created, and a lock that cannot be taken.
  fs::create_directory(folder.path() / "book.new");
  CHECK_THROWS_WITH(book.spend("fit", noise_of(6)), Catch::Matchers::ContainsSubstring("could not be created"));
  fs::remove(folder.path() / "book.new");
  fs::remove(folder.path() / "book.lock");
  fs::create_symlink("elsewhere", folder.path() / "book.lock");
  CHECK_THROWS_WITH(book.spend("fit", noise_of(6)), Catch::Matchers::ContainsSubstring("lock could not be opened"));
  fs::remove(folder.path() / "book.lock");
  CHECK(bytes_of(path) == bytes);
  // The remains of a crash do not get in the way.
  write_file(folder.path() / "book.new", [](std::ostream& out) { out << "{\"for"; });
  book.spend("fit", noise_of(6));
  CHECK(budget_book::open(path).entries().size() == 2);
  // A book that was damaged or removed while it was open.
  write_file(path, [&](std::ostream& out) { out << bytes.substr(0, bytes.size() / 2); });
  CHECK_THROWS_AS(book.spend("fit", noise_of(6)), parse_error);
  fs::remove(path);
  CHECK_THROWS_AS(book.spend("fit", noise_of(6)), parse_error);
  CHECK(!fs::exists(path));
}

TEST_CASE("a book tells its limit, or a price with what it assumes") {
  // The price was printed as a fact, though budgets may have been chosen from earlier results.
  const temporary_folder folder;
  budget_book with = budget_book::create(folder.path() / "with", limited(2, 1e-6));
  budget_book without = budget_book::create(folder.path() / "without", {.unit = privacy_unit::document, .delta = 1e-6});
  CHECK(with.guarantee().epsilon == 2);
  CHECK(without.guarantee().epsilon == 0);
  for (budget_book* const book : {&with, &without}) {
    book->spend("one", noise_of(20));
    CHECK(!book->guarantee().assumes_fixed_plans);
    CHECK(book->guarantee(noise_of(20)).assumes_fixed_plans == (book == &without));
    book->spend("another", noise_of(20));
  }
  CHECK(with.guarantee().epsilon == 2);
  CHECK(with.guarantee().delta == 1e-6);
  CHECK(!with.guarantee().assumes_fixed_plans);
  CHECK(without.guarantee().epsilon == price(without.total(), 1e-6).epsilon);
  std::ostringstream text;
  text << without.guarantee();
  CHECK_THAT(text.str(), Catch::Matchers::ContainsSubstring("assumes that no budget"));
  // What the limit does not admit is not covered by it.
  CHECK(with.guarantee(noise_of(0.5)).epsilon > 2);
  CHECK(with.guarantee(noise_of(0.5)).assumes_fixed_plans);
  CHECK(budget_book::create(folder.path() / "users", {.unit = privacy_unit::user, .limit = limited(2, 1e-6).limit})
            .guarantee()
            .unit == privacy_unit::user);
}

TEST_CASE("a book confirms what it counted, and nothing else") {
  const temporary_folder folder;
  budget_book book = budget_book::create(folder.path() / "book");
  const std::string one = book.spend("one", noise_of(3)), two = book.spend("two", noise_of(4));
  CHECK_NOTHROW(book.confirm(one, noise_of(3)));
  CHECK_NOTHROW(budget_book::open(folder.path() / "book").confirm(two, noise_of(4)));
  const auto refused = [&](const std::string& id, const ledger& released, const char* why) {
    CHECK_THROWS_WITH(book.confirm(id, released), Catch::Matchers::ContainsSubstring(why));
  };
  ledger seeded = noise_of(3);
  seeded.mark_seeded();
  refused(one, seeded, "from a seed");
  refused(one, noise_of(4), "another than the booked one");
  refused(one, noise_of(3, 2), "another than the booked one");
  refused("nobody's", noise_of(3), "must be one that spend() returned");
}
