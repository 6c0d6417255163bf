// SPDX-License-Identifier: Apache-2.0

// Time and memory to read a large UCI file. Writes <folder>/docword.txt with Zipf-like words, reads
// its bytes, and then reads it as a corpus. The file stays, for read_uci.py.
//   read_uci <folder> [--tokens N]

#include <dplda/core/corpus.hpp>
#include <dplda/io/uci.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr std::uint64_t vocabulary_size = 100'000;
constexpr std::uint64_t document_length = 200;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The largest memory that the process has had, in MB (10^6 bytes).
double peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024 / 1e6;
  }
  return 0;
}

/// Rank r has a probability of about 1/r; ids are scattered over the vocabulary, as in a sorted list of words.
dplda::word_id zipf_word(std::mt19937_64& random) {
  const double u = static_cast<double>(random() >> 11) * 0x1p-53;
  const auto rank = static_cast<std::uint64_t>(std::exp(u * std::log(static_cast<double>(vocabulary_size)))) - 1;
  return static_cast<dplda::word_id>(rank * 61'813 % vocabulary_size);
}

void write_corpus(const std::filesystem::path& path, std::uint64_t tokens) {
  const std::uint64_t documents = std::max<std::uint64_t>(1, tokens / document_length);
  std::mt19937_64 random(1);
  std::ofstream out(path, std::ios::binary);
  // The number of entries is known at the end; room for its digits is left open.
  out << documents << '\n' << vocabulary_size << '\n';
  const auto place = out.tellp();
  out << std::string(12, ' ') << '\n';
  std::uint64_t entries = 0;
  dplda::detail::text_writer text(out);
  std::vector<dplda::word_id> words(document_length);
  for (std::uint64_t d = 1; d <= documents; ++d) {
    for (auto& word : words) word = zipf_word(random);
    std::sort(words.begin(), words.end());
    for (std::size_t n = 0; n < words.size();) {
      std::size_t end = n;
      while (end < words.size() && words[end] == words[n]) ++end;
      text << d << ' ' << std::uint64_t{words[n]} + 1 << ' ' << std::uint64_t{end - n} << '\n';
      ++entries;
      n = end;
    }
  }
  text.finish();
  out.seekp(place);
  out << entries;
  out.close();
  if (!out) std::exit((std::perror(path.c_str()), 1));
}

double read_bytes(const std::filesystem::path& path) {
  std::vector<char> block(std::size_t{1} << 20);
  const auto start = std::chrono::steady_clock::now();
  const int file = open(path.c_str(), O_RDONLY);
  while (read(file, block.data(), block.size()) > 0) {
  }
  close(file);
  return seconds_since(start);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 && !(count == 4 && std::string_view(arguments[2]) == "--tokens")) {
    std::fputs("usage: read_uci <folder> [--tokens N]\n", stderr);
    return 2;
  }
  const std::filesystem::path path = std::filesystem::path(arguments[1]) / "docword.txt";
  write_corpus(path, count == 4 ? std::stoull(arguments[3]) : 100'000'000);
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  read_bytes(path);  // brings the file into the page cache
  const double plain = read_bytes(path);

  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor_start = std::clock();
  const dplda::corpus docs = dplda::read_uci(path);
  const double seconds = seconds_since(start);
  const double processor = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
  const double corpus_bytes = 8 * static_cast<double>(docs.entries() + docs.size());

  std::printf("file           %.1f MB, %zu documents, %zu entries, %llu tokens\n", bytes / 1e6, docs.size(),
              docs.entries(), static_cast<unsigned long long>(docs.tokens()));
  std::printf("plain read(2)  %.3f s, %.0f MB/s\n", plain, bytes / 1e6 / plain);
  std::printf("dplda seconds  %.3f (%.3f of the processor)\n", seconds, processor);
  std::printf("dplda speed    %.0f MB/s, %.2f times the time of the plain read\n", bytes / 1e6 / seconds,
              seconds / plain);
  std::printf("dplda memory   %.0f MB at the peak, corpus %.0f MB\n", peak_memory(), corpus_bytes / 1e6);
}
