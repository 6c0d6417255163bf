// SPDX-License-Identifier: Apache-2.0
// Sizes of privately selected vocabularies: vocabulary NAME UNIT SEEDS DOCWORD VOCAB [USERS] prints a row of a table for
// each method, at epsilon 1, 3, 5 and 10 and delta 1e-5, as the mean over the seeds.

#include <dplda/dplda.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

namespace {

struct entry {
  const char* name;
  dplda::vocabulary_options options;
};

int run(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: vocabulary NAME document|user SEEDS DOCWORD VOCAB [USERS]\n");
    return 2;
  }
  using enum dplda::vocabulary_method;
  const std::string name = argv[1];
  const dplda::privacy_unit unit =
      std::string(argv[2]) == "user" ? dplda::privacy_unit::user : dplda::privacy_unit::document;
  const std::uint64_t seeds = std::strtoull(argv[3], nullptr, 10);
  const dplda::corpus docs = argc > 6 ? dplda::read_uci(argv[4], argv[5], argv[6]) : dplda::read_uci(argv[4], argv[5]);
  const entry methods[] = {
      {"count, Laplace", {.method = count_laplace, .words_per_unit = 30}},
      {"weighted, Laplace", {.method = weighted_laplace, .words_per_unit = 100}},
      {"weighted, Gaussian", {.method = weighted_gaussian}},
      {"policy, Laplace", {.method = policy_laplace, .words_per_unit = 100, .cap_margin = 3}},
      {"policy, Gaussian", {.method = policy_gaussian}},
      {"frequency first, corrected", {.method = frequency_first, .words_per_unit = 100, .cap_margin = 3}},
      {"frequency first, as published",
       {.method = frequency_first, .cap_margin = 3, .basis = dplda::basis::as_published}},
      {"rounds (DP-SIPS)", {.method = rounds}},
      {"informed rounds", {.method = informed_rounds}}};
  for (const entry& method : methods) {
    std::printf("| %s | %s |", name.c_str(), method.name);
    for (const double epsilon : {1.0, 3.0, 5.0, 10.0}) {
      dplda::vocabulary_options options = method.options;
      options.unit = unit;
      const dplda::vocabulary_selector selector(options, {.epsilon = epsilon, .delta = 1e-5});
      double words = 0;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        auto random = dplda::seeded_random(seed);
        words += static_cast<double>(selector.fit(docs, random).value()->size());
      }
      std::printf(" %.0f |", words / static_cast<double>(seeds));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "vocabulary: %s\n", error.what());
    return 1;
  }
}
