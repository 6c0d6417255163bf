// SPDX-License-Identifier: Apache-2.0
// Vocabulary selection in one pass over text, compared with a plain count of its words; vocabulary_pass.sh starts it.
//   vocabulary_pass make FILE TOKENS    lines of 1 to 199 words, of a million words with frequencies by Zipf's law
//   vocabulary_pass run FILE            seconds of processor time for each, and ratios

#include <dplda/dplda.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>
#include <dplda/vocabulary/vocabulary_stream.hpp>

#include "../support/clock.hpp"
#include "../support/program.hpp"

#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

std::string word_of(std::uint64_t rank) {
  std::string word = "w";
  for (std::uint64_t rest = rank + 26; rest > 0; rest /= 26) word += static_cast<char>('a' + rest % 26);
  return word;
}

void make(const std::string& path, std::uint64_t tokens) {
  std::vector<std::string> words;
  for (std::uint64_t rank = 0; rank < 1'000'000; ++rank) words.push_back(word_of(rank));
  std::mt19937_64 bits(1);
  std::uniform_real_distribution<double> uniform(0, std::log(static_cast<double>(words.size())));
  std::ofstream out(path, std::ios::binary);
  std::string line;
  for (std::uint64_t done = 0; done < tokens;) {
    line.clear();
    for (std::uint64_t n = 1 + bits() % 199; n > 0 && done < tokens; --n, ++done) {
      line += words[static_cast<std::size_t>(std::exp(uniform(bits))) - 1];
      line += n > 1 ? ' ' : '\n';
    }
    out << line;
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

std::ifstream open(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return in;
}

struct result {
  std::uint64_t tokens = 0;
  std::size_t words = 0;
};

// A count that anybody could write in ten minutes.
result plain_count(const std::string& path) {
  std::ifstream in = open(path);
  std::unordered_map<std::string, std::uint64_t> counts;
  std::string line, token;
  std::uint64_t tokens = 0;
  const auto end = [&] {
    if (token.empty()) return;
    ++counts[token];
    ++tokens;
    token.clear();
  };
  while (std::getline(in, line)) {
    for (const char c : line) {
      if (std::isalpha(static_cast<unsigned char>(c))) {
        token += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else {
        end();
      }
    }
    end();
  }
  return {tokens, counts.size()};
}

// The same with the library's tokenizer and word table.
result table_count(const std::string& path) {
  std::ifstream in = open(path);
  dplda::tokenizer tokenizer;
  dplda::vocabulary_builder words;
  std::vector<std::uint64_t> counts;
  std::string line;
  std::uint64_t tokens = 0;
  while (std::getline(in, line)) {
    tokenizer.scan(line, [&](std::string_view token) {
      const dplda::word_id id = words.add(token);
      if (id == counts.size()) counts.push_back(0);
      ++counts[id];
      ++tokens;
    });
  }
  return {tokens, words.size()};
}

result select_words(const std::string& path, dplda::vocabulary_method method) {
  std::ifstream in = open(path);
  const dplda::vocabulary_selector selector({.method = method, .threads = 1}, {.epsilon = 1, .delta = 1e-6});
  auto random = dplda::secure_random();
  dplda::vocabulary_stream words(selector, random);
  dplda::tokenizer tokenizer;
  std::string line;
  std::uint64_t tokens = 0;
  while (std::getline(in, line)) {
    tokenizer.scan(line, [&](std::string_view token) {
      words.add(token);
      ++tokens;
    });
    words.end_unit();
  }
  return {tokens, words.publish().value()->size()};
}

struct timing {
  const char* name;
  double seconds;
  result done;
};

template <class Task>
timing timed(const char* name, Task&& task) {
  const double begin = cpu_seconds();
  const result done = task();
  return {name, cpu_seconds() - begin, done};
}

int run(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  if (mode == "make" && argc == 4) {
    make(argv[2], std::strtoull(argv[3], nullptr, 10));
    return 0;
  }
  if (mode != "run") {
    std::fprintf(stderr, "usage: vocabulary_pass make FILE TOKENS | run FILE\n");
    return 2;
  }
  const std::string path = argv[2];
  using enum dplda::vocabulary_method;
  std::vector<timing> passes;
  passes.push_back(timed("selection, weighted Gaussian", [&] { return select_words(path, weighted_gaussian); }));
  const double peak = peak_megabytes();
  passes.push_back(timed("selection, weighted Laplace", [&] { return select_words(path, weighted_laplace); }));
  passes.push_back(timed("count, the library's tokenizer and table", [&] { return table_count(path); }));
  passes.push_back(timed("count, std::unordered_map", [&] { return plain_count(path); }));
  std::printf("| pass | CPU seconds | to the plain count | tokens | words |\n| --- | --- | --- | --- | --- |\n");
  for (const timing& pass : passes) {
    std::printf("| %s | %.1f | %.2f | %llu | %zu |\n", pass.name, pass.seconds, pass.seconds / passes.back().seconds,
                static_cast<unsigned long long>(pass.done.tokens), pass.done.words);
  }
  std::printf("\nmemory of the first pass at its peak: %.0f MB\n", peak);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return dplda_benchmarks::guarded(argv[0], [&] { return run(argc, argv); });
}
