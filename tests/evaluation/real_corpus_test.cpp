// SPDX-License-Identifier: Apache-2.0
// The whole path on a real corpus. Needs DPLDA_DATA_DIR, a folder with kos/docword.kos.txt.gz and kos/vocab.kos.txt.gz
// (the UCI archive's Daily Kos collection), and gzip; says so and does nothing where they are missing.

#include <dplda/corpora/split.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/io/uci.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>

#include "support/catch.hpp"

namespace {

std::string unpack(const std::filesystem::path& packed) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("gzip -dc '" + packed.string() + "'").c_str(), "r"), pclose);
  std::string bytes;
  std::array<char, 65536> block{};
  for (std::size_t got; pipe && (got = std::fread(block.data(), 1, block.size(), pipe.get())) > 0;) {
    bytes.append(block.data(), got);
  }
  return bytes;
}

}  // namespace

TEST_CASE("Daily Kos is read whole, and its topics predict better than word frequencies", "[real]") {
  const char* folder = std::getenv("DPLDA_DATA_DIR");
  if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "kos")) {
    std::puts("SKIPPED: DPLDA_DATA_DIR names no folder with the corpus kos");
    return;
  }
  const std::filesystem::path kos = std::filesystem::path(folder) / "kos";
  std::istringstream counts(unpack(kos / "docword.kos.txt.gz")), words(unpack(kos / "vocab.kos.txt.gz"));
  const dplda::corpus docs = dplda::read_uci(counts, "docword.kos.txt", dplda::read_vocabulary(words, "vocab.kos.txt"));
  CHECK(docs.size() == 3430);
  CHECK(docs.words() == 6906);
  CHECK(docs.entries() == 353160);
  CHECK(docs.tokens() == 467714);

  auto random = dplda::seeded_random(1);
  auto bits = random.stream("held out");
  const auto [train, test] = dplda::train_test_split(docs, bits, {.share = 0.1, .min_tokens = 10});
  const auto topics = dplda::svi<>({.topics = 20, .passes = 5}).fit(train, random);
  const double unigram = dplda::unigram_perplexity(train, test).perplexity;
  const double perplexity = dplda::document_completion_perplexity(topics, test).perplexity;
  std::printf("Daily Kos: perplexity %.0f, of word frequencies %.0f\n", perplexity, unigram);
  CHECK(perplexity < 0.72 * unigram);
}
