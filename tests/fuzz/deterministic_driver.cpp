// SPDX-License-Identifier: Apache-2.0

// Runs a fuzz target without libFuzzer: on the empty input, on each seed, and on mutations of the seeds that are the
// same on every machine. Arguments: seed files, or folders of them; a folder that does not exist counts as empty. An
// input that crashes the target is saved to <program>.crash in the current folder, which may be passed as a seed.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int mutated_inputs = 5000;
constexpr std::size_t longest_input = 1 << 16;
[[maybe_unused]] constexpr rlim_t memory_limit = rlim_t{1} << 30;

// Tokens that readers may get wrong: limits of the integer types, invalid numbers, ends of lines, bytes that are not
// text.
using namespace std::string_view_literals;
// clang-format off
constexpr std::string_view tokens[] = {
    "0"sv, "-1"sv, "+1"sv, "1"sv, "0x10"sv, "1e308"sv, "1e999"sv, "-0.0"sv, "nan"sv, "inf"sv,
    "2147483648"sv, "4294967295"sv, "4294967296"sv,
    "9223372036854775808"sv, "18446744073709551615"sv, "18446744073709551616"sv,
    "\r\n"sv, "\n\n"sv, "\t"sv, " "sv, ":"sv, "\0"sv,
    "\xc3"sv, "\xff\xfe"sv, "\xed\xa0\x80"sv, "\xf4\x90\x80\x80"sv};
// clang-format on

// For the signal handler.
std::string current_input;
std::string crash_file;

// write(2) and open(2) only: a signal handler may do no more.
void save_input(int signal_number) {
  const int file = open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && write(file, current_input.data(), current_input.size()) >= 0) {
    constexpr std::string_view note = "the input was saved to ";
    (void)!write(STDERR_FILENO, note.data(), note.size());
    (void)!write(STDERR_FILENO, crash_file.data(), crash_file.size());
    (void)!write(STDERR_FILENO, "\n", 1);
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void run(const std::string& input) {
  current_input = input;
  // An exact copy on the heap, so that a sanitizer sees a read one past the end.
  const std::vector<std::uint8_t> bytes(input.begin(), input.end());
  try {
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception left the target: %s\n", error.what());
    std::abort();
  }
}

std::vector<std::string> read_seeds(int count, char** arguments) {
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < count; ++i) {
    const std::filesystem::path path = arguments[i];
    if (std::filesystem::is_directory(path)) {
      for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry.path());
    } else if (std::filesystem::exists(path)) {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds{""};
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return seeds;
}

class mutator {
 public:
  explicit mutator(const std::vector<std::string>& seeds) : seeds_(seeds) {}

  /// A seed with one to four small mutations.
  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (std::size_t i = 0, accidents = 1 + below(4); i < accidents; ++i) change(text);
    text.resize(std::min(text.size(), longest_input));
    return text;
  }

 private:
  // Not std::uniform_int_distribution: its values differ between standard libraries.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  std::size_t position(const std::string& text) { return below(text.size() + 1); }

  void change(std::string& text) {
    const std::size_t at = position(text);
    switch (below(7)) {
      case 0:  // flip a bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 1:  // truncate
        text.resize(at);
        break;
      case 2:  // drop a stretch
        text.erase(at, 1 + below(16));
        break;
      case 3:  // repeat a stretch
        text.insert(position(text), text.substr(at, 1 + below(64)));
        break;
      case 4:  // splice with another seed
        text.replace(at, std::string::npos, tail_of(seeds_[below(seeds_.size())]));
        break;
      case 5:  // insert a token
        text.insert(at, tokens[below(std::size(tokens))]);
        break;
      case 6:  // replace a number by a token
        replace_number(text, at);
        break;
    }
  }

  std::string tail_of(const std::string& text) { return text.substr(position(text)); }

  void replace_number(std::string& text, std::size_t from) {
    constexpr std::string_view digits = "0123456789";
    const std::size_t first = text.find_first_of(digits, from);
    if (first == std::string::npos) return;
    const std::size_t last = std::min(text.find_first_not_of(digits, first), text.size());
    text.replace(first, last - first, tokens[below(std::size(tokens))]);
  }

  const std::vector<std::string>& seeds_;
  std::mt19937_64 random_{20240229};
};

}  // namespace

int main(int count, char** arguments) {
  crash_file = std::filesystem::path(arguments[0]).filename().string() + ".crash";
#if defined(DPLDA_SANITIZED)
  std::signal(SIGABRT, save_input);  // the sanitizer handles the other signals, and memory
#else
  for (const int signal_number : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS, SIGILL}) std::signal(signal_number, save_input);
  // A header that announces terabytes must not be trusted.
  const rlimit limit{memory_limit, memory_limit};
  setrlimit(RLIMIT_AS, &limit);
#endif

  const std::vector<std::string> seeds = read_seeds(count, arguments);
  for (const auto& seed : seeds) run(seed);
  mutator mutations(seeds);
  for (int i = 0; i < mutated_inputs; ++i) run(mutations.next());
  std::printf("%zu seeds and %d mutations\n", seeds.size(), mutated_inputs);
}
