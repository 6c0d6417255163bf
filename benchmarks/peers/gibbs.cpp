// SPDX-License-Identifier: Apache-2.0
// dplda's side of benchmarks/peers/gibbs.py, which starts it once for each measurement:
//   gibbs split DOCWORD VOCAB FOLDER SEED                 cuts a corpus into FOLDER/train.txt and FOLDER/test.txt
//   gibbs sweep FOLDER TOPICS SWEEPS SHARDS THREADS SEED  speed of the first sweeps from a random start
//   gibbs reach FOLDER TOPICS PERPLEXITY SWEEPS SEED      sweeps until the held-out perplexity of the last state is reached
// Each answer is one line of "name value" pairs.

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr double alpha = 0.1, eta = 0.01;

void sweep(const std::filesystem::path& folder, const dplda::gibbs_options& options, std::uint64_t seed) {
  const dplda::corpus train = read_split(folder, "train");
  auto random = dplda::seeded_random(seed);
  const dplda::gibbs<> learner(options);
  auto state = learner.start(train, random);
  const double wall = wall_seconds(), cpu = cpu_seconds();
  for (std::size_t i = 0; i < options.burn_in; ++i) learner.sweep(state);
  const double cpu_used = cpu_seconds() - cpu, wall_used = wall_seconds() - wall;
  std::printf("cpu %.5f wall %.5f tokens %.0f perplexity %.1f\n", cpu_used, wall_used,
              static_cast<double>(train.tokens()) * static_cast<double>(options.burn_in), state.perplexity());
}

void reach(const std::filesystem::path& folder, std::size_t topics, double target, std::size_t sweeps,
           std::uint64_t seed) {
  const dplda::corpus train = read_split(folder, "train"), test = read_split(folder, "test");
  auto random = dplda::seeded_random(seed);
  const dplda::gibbs<> learner(
      {.topics = topics, .burn_in = sweeps, .samples = 0, .alpha = alpha, .eta = eta, .threads = 1});
  double used = 0, since = cpu_seconds();
  learner.fit_state(train, random, [&](const dplda::progress& now, const dplda::gibbs_state<>& state) {
    used += cpu_seconds() - since;  // training only: scoring comes after the clock is read
    bool done = now.step == now.steps;
    if (now.step % 5 == 0 || done) {
      const double perplexity = dplda::document_completion_perplexity(state.model(), test, {.alpha = alpha}).perplexity;
      done = done || perplexity <= target;
      if (done) std::printf("sweeps %zu cpu %.4f perplexity %.1f\n", now.step, used, perplexity);
    }
    since = cpu_seconds();
    return done;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return dplda_benchmarks::guarded(argv[0], [&] {
    if (words.size() == 5 && words[0] == "split") {
      write_split(words[1], words[2], words[3], std::stoul(words[4]));
    } else if (words.size() == 7 && words[0] == "sweep") {
      sweep(words[1],
            {.topics = std::stoul(words[2]),
             .burn_in = std::stoul(words[3]),
             .alpha = alpha,
             .eta = eta,
             .shards = std::stoul(words[4]),
             .threads = std::stoul(words[5])},
            std::stoul(words[6]));
    } else if (words.size() == 6 && words[0] == "reach") {
      reach(words[1], std::stoul(words[2]), std::stod(words[3]), std::stoul(words[4]), std::stoul(words[5]));
    } else {
      std::fprintf(stderr, "usage: gibbs split|sweep|reach ... (see the top of gibbs.cpp)\n");
      return 2;
    }
    return 0;
  });
}
