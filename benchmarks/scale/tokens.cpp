// SPDX-License-Identifier: Apache-2.0
// tokens FOLDER TOKENS WORDS: writes a packed corpus of documents of 1000 tokens over public words, whose frequencies fall
// as 1 / rank. Half of a document's tokens are of one of 100 topics, in which other words are frequent.
// tokens FOLDER UCI_DOCWORD UCI_VOCABULARY: packs a corpus of the UCI collection, as if its words were public.

#include <dplda/io/packed_corpus.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/random/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "tokens FOLDER TOKENS WORDS, or tokens FOLDER UCI_DOCWORD UCI_VOCABULARY\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  if (std::filesystem::exists(argv[2])) {
    const dplda::corpus docs = dplda::declare_unpruned(dplda::read_uci(argv[2], argv[3]));
    dplda::save_corpus(folder, docs.restrict_to(dplda::declare_public(docs.vocab())));
    return 0;
  }
  const std::uint64_t documents = static_cast<std::uint64_t>(std::stod(argv[2])) / 1000;
  const std::size_t words = std::stoull(argv[3]);

  // Ranks, as often as they are probable among 2^20 draws, and at least once.
  constexpr int bits_of_table = 20;
  std::vector<std::uint32_t> ranks;
  double all = 0;
  for (std::size_t rank = 0; rank < words; ++rank) all += 1 / static_cast<double>(rank + 1);
  for (std::size_t rank = 0; rank < words; ++rank) {
    const double times = 0x1p20 / all / static_cast<double>(rank + 1);
    for (double i = 0; i < std::max(1.0, times) && ranks.size() < (std::size_t{1} << bits_of_table); ++i)
      ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  ranks.resize(std::size_t{1} << bits_of_table, 0);

  const dplda::vocabulary_ptr vocab = dplda::declare_public(dplda::numbered_vocabulary(words));
  dplda::corpus_builder builder(dplda::mapped_storage(folder.parent_path()));
  const auto random = dplda::seeded_random(1);
  std::vector<std::uint32_t> line(1000);
  for (std::uint64_t d = 0; d < documents; ++d) {
    auto bits = random.stream("document", d);
    const std::uint64_t topic = bits() % 100;
    for (std::size_t n = 0; n < line.size(); ++n) {
      const std::uint64_t rank = ranks[bits() >> (64 - bits_of_table)];
      line[n] = static_cast<std::uint32_t>(n % 2 == 0 ? rank : (rank * 97 + topic * 487) % words);
    }
    std::ranges::sort(line);
    for (std::size_t n = 0; n < line.size();) {
      std::size_t end = n;
      while (end < line.size() && line[end] == line[n]) ++end;
      builder.add(line[n], static_cast<std::uint32_t>(end - n));
      n = end;
    }
    builder.end_document();
  }
  dplda::save_corpus(folder, dplda::declare_unpruned(builder.build(vocab)));
  return 0;
}
