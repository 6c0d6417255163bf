// SPDX-License-Identifier: Apache-2.0
#include <dplda/distributed/own_part.hpp>
#include <dplda/distributed/process_group.hpp>
#include <dplda/mechanisms/accumulator.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/thread_group.hpp"
#include "support/tiny.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace dplda;
using Catch::Matchers::ContainsSubstring;
using dplda_tests::in_processes;

TEST_CASE("Processes add up, gather and broadcast", "[process_group]") {
  for (const std::size_t size : {1, 2, 3, 4, 7}) {
    const auto seen = in_processes(size, [&](const process_group& group) {
      std::vector<std::uint64_t> words(10);
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = 0 - (group.rank() + 1) * i;
      group.sum(words);
      bool ok = group.size() == size;
      for (std::size_t i = 0; i < words.size(); ++i) ok = ok && words[i] == 0 - size * (size + 1) / 2 * i;
      const std::vector<std::uint64_t> numbers = group.gather(7 * group.rank());
      const std::vector<std::string> texts = group.gather(std::string(group.rank(), 'x'));
      for (std::size_t r = 0; r < size; ++r) ok = ok && numbers.at(r) == 7 * r && texts.at(r).size() == r;
      std::string text = "from " + std::to_string(group.rank());
      group.broadcast(text, size - 1);
      std::array<std::byte, 3> bytes{std::byte(group.rank()), std::byte(1), std::byte(2)};
      group.broadcast(bytes, 0);
      return ok && text == "from " + std::to_string(size - 1) && bytes[0] == std::byte(0);
    });
    for (const bool ok : seen) CHECK(ok);
  }
}

TEST_CASE("Each word is finished once, by one process, in whole blocks", "[process_group]") {
  for (const std::size_t size : {1, 2, 3, 5}) {
    for (const std::size_t length : {0, 1, 9, 10, 11, 95, 100, 1000}) {
      const auto seen = in_processes(size, [&](const process_group& group) {
        std::vector<std::uint64_t> words(length, group.rank() + 1);
        std::uint64_t finished = 0;
        bool ok = true;
        group.sum_in_slices(words, 10, [&](std::size_t first, std::size_t last) {
          ok = ok && first % 10 == 0 && (last % 10 == 0 || last == length);
          finished += last - first;
          for (std::size_t i = first; i < last; ++i) words[i] = 1000 * words[i] + i;
        });
        for (std::size_t i = 0; i < length; ++i) ok = ok && words[i] == 1000 * (size * (size + 1) / 2) + i;
        group.sum(std::span(&finished, 1));
        return ok && finished == length;
      });
      for (const bool ok : seen) CHECK(ok);
    }
  }
}

TEST_CASE("Arrays that go in several pieces are whole", "[process_group]") {
  const std::size_t length = (std::size_t{1} << 22) * 5 / 2 + 17;
  const auto seen = in_processes(3, [&](const process_group& group) {
    std::vector<std::uint64_t> words(length);
    for (std::size_t i = 0; i < length; ++i) words[i] = i * (group.rank() + 1);
    group.sum_in_slices(words, 4096, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) words[i] += 1;
    });
    bool ok = true;
    for (std::size_t i = 0; i < length; ++i) ok = ok && words[i] == 6 * i + 1;
    group.sum(words);
    for (std::size_t i = 0; i < length; ++i) ok = ok && words[i] == 18 * i + 3;
    return ok;
  });
  for (const bool ok : seen) CHECK(ok);
}

TEST_CASE("A failure in one process ends all with its sentence", "[process_group]") {
  for (const std::size_t failing : {0, 1, 2}) {
    for (const int place : {0, 1, 2, 3}) {
      std::vector<std::string> sentences(3);
      std::vector<int> codes(3);
      try {
        in_processes(3, [&](const process_group& group) {
          try {
            return group.together([&] {
              std::vector<std::uint64_t> words(20);
              const auto fail = [&](int here) {
                if (here == place && group.rank() == failing) throw process_failure("file 7: no", 3);
              };
              fail(0);
              group.sum(words);
              fail(1);
              group.sum_in_slices(words, 2, [&](std::size_t, std::size_t) { fail(2); });
              fail(3);
              return 0;
            });
          } catch (const process_failure& failure) {
            sentences[group.rank()] = failure.what();
            codes[group.rank()] = failure.code();
            throw;
          }
        });
        CHECK(false);
      } catch (const process_failure&) {
      }
      CHECK(sentences == std::vector<std::string>(3, "file 7: no"));
      CHECK(codes == std::vector<int>(3, 3));
    }
  }
}

namespace {

// What each process says that gets an Error from the work; "returned" of one that gets none.
template <class Error, class Work>
std::vector<std::string> sentences_of(std::size_t size, const Work& work) {
  std::vector<std::string> sentences(size, "returned");
  const auto run = [&] {
    in_processes(size, [&](const process_group& group) -> int {
      try {
        work(group);
      } catch (const Error& error) {
        sentences[group.rank()] = error.what();
        throw;
      }
      return 0;
    });
  };
  CHECK_THROWS_AS(run(), Error);
  return sentences;
}

}  // namespace

TEST_CASE("Work on a slice that fails in one process leaves no process with a result", "[process_group]") {
  const auto sentences = sentences_of<std::exception>(3, [](const process_group& group) {
    std::vector<std::uint64_t> words(30, 1);
    group.sum_in_slices(words, 10, [&](std::size_t, std::size_t) {
      if (group.rank() == 1) throw std::runtime_error("no noise");
    });
  });
  CHECK(sentences == std::vector<std::string>(3, "no noise"));
}

namespace {

// Tells process 1 that a text from process 0 is longer than any text can be.
class huge_for_one : public dplda_tests::thread_communicator {
 public:
  explicit huge_for_one(thread_communicator from) : thread_communicator(std::move(from)) {}
  void broadcast(std::span<std::byte> bytes, std::size_t from) {
    thread_communicator::broadcast(bytes, from);
    if (rank() == 1 && from == 0 && bytes.size() == 8) bytes.back() = std::byte{0xff};
  }
};

}  // namespace

TEST_CASE("A text that does not fit into the memory of one process ends all", "[process_group]") {
  const dplda_tests::thread_communicator all(3);
  std::vector<std::string> sentences(3);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < 3; ++r) {
    threads.emplace_back([&, r] {
      const process_group group(huge_for_one(all.of_rank(r)));
      try {
        group.gather("text");
      } catch (const process_failure& failure) {
        sentences[r] = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& sentence : sentences) CHECK_THAT(sentence, ContainsSubstring("not enough memory"));
}

TEST_CASE("Processes that are not at the same release stop before its noise", "[process_group]") {
  const auto sentences = sentences_of<std::logic_error>(2, [](const process_group& group) {
    random_source random = shared_random(group, 1);
    if (group.rank() == 1) static_cast<void>(random.fork());  // one release ahead
    accumulator sums({.rows = 3, .noise_multiplier = 1});
    ledger spent;
    sums.publish(random, spent);
  });
  for (const std::string& sentence : sentences) CHECK_THAT(sentence, ContainsSubstring("do not do the same"));
}

TEST_CASE("If several processes fail, all tell of the first", "[process_group]") {
  const auto sentences = sentences_of<std::exception>(4, [](const process_group& group) {
    group.together([&] {
      if (group.rank() % 2 == 1) throw std::runtime_error("process " + std::to_string(group.rank()));
    });
  });
  // Those that failed throw what they threw; those that did not, the sentence of the first that did.
  CHECK(sentences == std::vector<std::string>{"process 1", "process 1", "process 1", "process 3"});
}

TEST_CASE("Processes that do different things stop", "[process_group]") {
  const auto sentences = sentences_of<std::logic_error>(2, [](const process_group& group) {
    std::vector<std::uint64_t> words(group.rank() == 0 ? 3 : 4);
    group.sum(words);
  });
  for (const std::string& sentence : sentences) CHECK_THAT(sentence, ContainsSubstring("do not do the same"));
}

TEST_CASE("Documents are divided: each is in one process, and users stay together", "[own_part]") {
  corpus_builder builder;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < 100; ++d) {
    for (std::size_t n = 0; n < d % 7; ++n) builder.add(static_cast<word_id>(n));
    builder.end_document();
    users.push_back(static_cast<user_id>((d * d) % 13));
  }
  builder.set_users(users, 20);
  const corpus docs = dplda_tests::made_up(builder, 7);
  for (const bool by_user : {false, true}) {
    for (const std::size_t size : {1, 2, 3, 8, 150}) {
      const auto parts = in_processes(size, [&](const process_group& group) { return own_part(docs, by_user, group); });
      std::set<std::uint64_t> ids;
      std::vector<std::set<user_id>> owners(size);
      std::set<user_id> all;
      std::size_t documents = 0, users_of_parts = 0;
      for (std::size_t r = 0; r < size; ++r) {
        documents += parts[r].size();
        for (std::size_t d = 0; d < parts[r].size(); ++d) {
          ids.insert(parts[r].id(d));
          owners[r].insert(parts[r].user(d));
          CHECK(parts[r].user(d) == users[parts[r].id(d)]);
        }
        users_of_parts += owners[r].size();
        all.merge(owners[r]);
      }
      CHECK(documents == 100);
      CHECK(ids.size() == 100);
      if (by_user) CHECK(users_of_parts == all.size());
    }
  }
}

TEST_CASE("Documents of a user that lie in several parts are brought together", "[own_part]") {
  corpus_builder builder;
  std::vector<user_id> users;
  std::vector<std::uint64_t> ids;
  for (std::size_t d = 0; d < 2000; ++d) {
    for (std::size_t n = 0; n < d % 800; n += 2) builder.add(static_cast<word_id>(n), static_cast<std::uint32_t>(d));
    builder.end_document();
    users.push_back(static_cast<user_id>((d * d) % 13));
    ids.push_back((std::uint64_t{d} << 33) + d);
  }
  builder.set_users(users, 20);
  builder.set_ids(ids);
  const corpus docs = dplda_tests::made_up(builder, 800);
  for (const bool labelled : {false, true}) {
    for (const std::size_t size : {1, 2, 3, 30}) {
      const auto same = in_processes(size, [&](const process_group& group) {
        std::vector<std::size_t> own = own_documents(docs, false, group);
        if (size == 3 && group.rank() < 2) own.clear();  // one has all
        if (size == 3 && group.rank() == 2) {
          own.resize(docs.size());
          std::iota(own.begin(), own.end(), std::size_t{0});
        }
        std::vector<std::uint32_t> labels;
        for (const std::size_t d : own) {
          if (labelled) labels.push_back(static_cast<std::uint32_t>(7 * d));
        }
        const corpus found = users_together(docs.select(own), labels, group), expected = own_part(docs, true, group);
        bool ok = found.size() == expected.size() && (found.empty() || found.users() == 20) &&
                  found.pruning() == docs.pruning() && labels.size() == (labelled ? found.size() : 0);
        for (std::size_t d = 0; ok && d < found.size(); ++d) {
          ok = found.id(d) == expected.id(d) && found.user(d) == expected.user(d) &&
               std::ranges::equal(found[d].words, expected[d].words) &&
               std::ranges::equal(found[d].counts, expected[d].counts) &&
               (!labelled || labels[d] == 7 * static_cast<std::uint32_t>(found.id(d)));
        }
        return ok;
      });
      for (const bool ok : same) CHECK(ok);
    }
  }
}

TEST_CASE("The words of all processes are joined in the order of the processes", "[own_part]") {
  const auto joined = in_processes(3, [](const process_group& group) {
    vocabulary_builder own;
    for (const char* word : {group.rank() == 0 ? "b" : "a", group.rank() == 1 ? "c c" : "b", "12 x", ""}) own.add(word);
    const vocabulary_ptr all = words_of_all(own.build(), group);
    std::string text;
    for (word_id w = 0; w < all->size(); ++w) text.append(all->word(w)).append("|");
    return text;
  });
  for (const std::string& text : joined) CHECK(text == "b|12 x||a|c c|");
}
