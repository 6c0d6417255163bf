// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_CORPORA_HPP
#define DPLDA_BENCHMARKS_SUPPORT_CORPORA_HPP

#include <dplda/dplda.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

/// The name under which a corpus is in a folder: its own, or that of its stand-in (support/start.sh).
inline std::string name_at_hand(const std::filesystem::path& folder, const std::string& name) {
  return std::filesystem::exists(folder / ("docword." + name + ".txt")) ? name : "stand_in_" + name;
}

/// The corpus NAME in a folder: docword.NAME.txt, vocab.NAME.txt and, if any, users.NAME.txt. Most of these
/// corpora were pruned by their makers. They are public, so the experiments count them as data sets of their own.
inline dplda::corpus read_named(const std::filesystem::path& folder, const std::string& name) {
  const auto part = [&](const char* what) { return folder / (std::string(what) + "." + name + ".txt"); };
  return dplda::declare_unpruned(std::filesystem::exists(part("users"))
                                     ? dplda::read_uci(part("docword"), part("vocab"), part("users"))
                                     : dplda::read_uci(part("docword"), part("vocab")));
}

/// The corpus over words that count as public, as in the papers: the comparison is between learners.
inline dplda::corpus with_public_words(const dplda::corpus& docs) {
  return docs.restrict_to(dplda::declare_public(docs.vocab()));
}

/// Released words as if they were public, for experiments that count the cost of words and of topics apart, as the paper
/// of fully private topic models does. (fully_private_topics counts both.)
inline dplda::vocabulary_ptr as_if_public(const dplda::vocabulary& released) {
  std::vector<std::string> words;
  for (dplda::word_id w = 0; w < released.size(); ++w) words.emplace_back(released.word(w));
  return dplda::declare_public(std::make_shared<const dplda::vocabulary>(words));
}

/// The corpus with its most frequent words only, which count as public: those with most tokens, or, with
/// document_frequencies, in most documents.
inline dplda::corpus most_frequent_words(
    const dplda::corpus& docs, std::size_t count,
    std::vector<std::uint64_t> (*frequencies)(const dplda::corpus&) = dplda::word_counts) {
  const std::vector<std::uint64_t> uses = frequencies(docs);
  std::vector<dplda::word_id> order(docs.words());
  std::iota(order.begin(), order.end(), dplda::word_id{0});
  std::sort(order.begin(), order.end(),
            [&](dplda::word_id a, dplda::word_id b) { return uses[a] != uses[b] ? uses[a] > uses[b] : a < b; });
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(count, order.size()); ++i) words.emplace_back(docs.vocab()->word(order[i]));
  return docs.restrict_to(dplda::declare_public(std::make_shared<const dplda::vocabulary>(words)));
}

/// The model with a tenth of the uniform distribution in each topic: some learners give words a probability of 0, which
/// would make perplexity infinite.
inline dplda::topic_model<> smoothed(const dplda::topic_model<>& model) {
  dplda::topic_model<>::matrix phi = 0.9 * model.phi();
  phi.array() += 0.1 / static_cast<double>(phi.cols());
  return dplda::topic_model<>(std::move(phi), model.vocab(), model.alpha());
}

/// Writes train.txt and test.txt for the programs that are compared, and prints their sizes.
inline void write_split(const std::string& docword, const std::string& vocab, const std::filesystem::path& folder,
                        std::uint64_t seed) {
  const dplda::corpus docs = dplda::read_uci(docword, vocab);
  const auto random = dplda::seeded_random(seed);
  auto bits = random.stream("held out");
  const auto [train, test] = dplda::train_test_split(docs, bits, {.share = 0.1, .most = 500, .min_tokens = 10});
  dplda::write_uci(folder / "train.txt", train, folder / "vocab.txt");
  dplda::write_uci(folder / "test.txt", test, folder / "vocab.txt");
  std::printf("train %zu test %zu tokens %llu unigram %.1f\n", train.size(), test.size(),
              static_cast<unsigned long long>(train.tokens()), dplda::unigram_perplexity(train, test).perplexity);
}

/// A part that write_split wrote.
inline dplda::corpus read_split(const std::filesystem::path& folder, const char* name) {
  return dplda::declare_unpruned(dplda::read_uci(folder / (std::string(name) + ".txt"), folder / "vocab.txt"));
}

#endif
