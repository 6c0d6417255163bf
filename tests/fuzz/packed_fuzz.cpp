// SPDX-License-Identifier: Apache-2.0
#include "../support/temporary_folder.hpp"
#include "same_corpus.hpp"

#include <dplda/core/errors.hpp>
#include <dplda/io/packed_corpus.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

// Input: damage (file, position, value) done to the files of a good corpus. A corpus that opens all the same gives valid
// documents or refuses them.

namespace {

namespace fs = std::filesystem;

const dplda::corpus& good_corpus() {
  static const dplda::corpus docs = [] {
    dplda::corpus_builder builder;
    for (std::uint32_t d = 0; d < 6; ++d) {
      for (std::uint32_t w = d; w < 5; ++w) builder.add(w, d + 1);
      builder.end_document();
    }
    builder.set_users({0, 1, 2, 1, 0, 2}, 3);
    builder.set_ids({7, 1, 2, 3, 4, 5});
    return builder.build(dplda::numbered_vocabulary(5));
  }();
  return docs;
}

constexpr std::array<const char*, 11> names = {"offsets.npy", "words.npy",      "counts.npy",  "ids.npy",
                                               "users.npy",   "vocabulary.txt", "corpus.json", "users.txt",
                                               "groups.npy",  "groups.txt",     "dates.npy"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dplda_tests::temporary_folder folder;
  static const std::map<std::string, std::string> good = [] {
    dplda::vocabulary_builder users, groups;
    for (const char* const name : {"Ann", "Bob", "Cy"}) users.add(name);
    groups.add("Roads");
    dplda::save_corpus(folder.path() / "good",
                       dplda::labelled_corpus{.docs = good_corpus(),
                                              .users = users.build(),
                                              .groups = {{0, 0, dplda::label_list::none, 0, 0, 0}, groups.build()},
                                              .dates = {{2024, 5, 17}, {2024, 5, 0}, {2024, 0, 0}, {}, {}, {}}});
    std::map<std::string, std::string> files;
    for (const char* const name : names) {
      std::ifstream in(folder.path() / "good" / name, std::ios::binary);
      files[name] = {std::istreambuf_iterator<char>(in), {}};
    }
    return files;
  }();

  auto files = good;
  for (std::size_t i = 0; i + 3 <= size; i += 3) {
    std::string& file = files[names[data[i] % names.size()]];
    if (data[i] >= 0xF0) {
      file.resize(file.size() * data[i + 1] / 256);
    } else if (!file.empty()) {
      file[(data[i] / names.size() * 256 + data[i + 1]) % file.size()] = static_cast<char>(data[i + 2]);
    }
  }
  for (const auto& [name, bytes] : files) folder.file("tried/" + name, bytes);
  try {
    const dplda::corpus opened = dplda::open_corpus(folder.path() / "tried");
    std::uint64_t entries = 0;
    for (std::size_t d = 0; d < opened.size(); ++d) {
      must(opened.user(d) < opened.users(), "users are below their number");
      try {
        const dplda::document doc = opened[d];
        entries += doc.size();
        for (std::size_t n = 0; n < doc.size(); ++n) {
          must(doc.words[n] < opened.words() && doc.counts[n] > 0, "words and counts are valid");
          must(n == 0 || doc.words[n - 1] < doc.words[n], "words ascend");
        }
      } catch (const dplda::parse_error&) {
      }
    }
    must(entries <= opened.entries(), "no entry is in two documents");
    entries = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const dplda::corpus part = dplda::open_corpus_part(folder.path() / "tried", {i, 3}).found.docs;
      part.tokens();
      entries += part.entries();
      for (std::size_t d = 0; d < part.size(); ++d) must(part.user(d) < part.users(), "users are below their number");
    }
    must(entries == opened.entries(), "each entry is in one part");
    try {
      const dplda::labelled_corpus all = dplda::open_labelled_corpus(folder.path() / "tried");
      must(all.groups.size() == all.docs.size() || all.groups.size() == 0, "a group for each document");
      for (const std::uint32_t group : all.groups.of_document)
        must(group == dplda::label_list::none || group < all.groups.labels->size(), "groups are below their number");
      must(all.dates.size() == all.docs.size() || all.dates.empty(), "a date for each document");
    } catch (const dplda::parse_error&) {
    }
    try {
      dplda::verify_corpus(folder.path() / "tried");
      must(same_corpus(opened, good_corpus()), "a damaged corpus has another checksum");
    } catch (const dplda::parse_error&) {
    }
  } catch (const dplda::parse_error&) {
  }
  return 0;
}
