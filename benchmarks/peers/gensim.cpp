// SPDX-License-Identifier: Apache-2.0
// dplda's side of benchmarks/peers/gensim.py, which starts it once for each measurement:
//   gensim split DOCWORD VOCAB FOLDER SEED   cuts a corpus into FOLDER/train.txt and FOLDER/test.txt
//   gensim lsi FOLDER TOPICS                 singular values to FOLDER/values.npy, directions to FOLDER/directions.npy
//   gensim hdp FOLDER SWEEPS SEED            topics of a hierarchical Dirichlet process
//   gensim reach FOLDER PERPLEXITY SEED      its sweeps until this held-out perplexity of a single state
//   gensim score FOLDER PHI.npy ALPHA.npy    held-out perplexity of topics and their prior
// Each answer is one line of "name value" pairs.

#include <dplda/dplda.hpp>

#include "../support/clock.hpp"
#include "../support/corpora.hpp"
#include "../support/program.hpp"

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

void lsi(const std::filesystem::path& folder, std::size_t topics) {
  const dplda::corpus train = read_split(folder, "train");
  auto random = dplda::seeded_random(1);
  const double cpu = cpu_seconds();
  const dplda::lsi_state state = dplda::lsi({.topics = topics, .threads = 1}).fit_state(train, random);
  const double used = cpu_seconds() - cpu;
  dplda::write_npy(folder / "values.npy", state.singular_values);
  dplda::write_npy(folder / "directions.npy", state.directions);
  std::printf("cpu %.4f\n", used);
}

// Topics that hold at least a thousandth of the tokens: those that gensim's truncation leaves are many more.
void hdp(const std::filesystem::path& folder, std::size_t sweeps, std::uint64_t seed) {
  const dplda::corpus train = read_split(folder, "train");
  auto random = dplda::seeded_random(seed);
  const double cpu = cpu_seconds();
  const dplda::hdp_state state = dplda::hdp({.burn_in = sweeps, .threads = 1}).fit_state(train, random);
  const double used = cpu_seconds() - cpu;
  const Eigen::VectorXd totals = state.tokens().topic_totals();
  const auto score = dplda::document_completion_perplexity(state.model(), read_split(folder, "test"));
  std::printf("cpu %.4f found %zu large %td perplexity %.1f\n", used, state.found(),
              (totals.array() > 0.001 * totals.sum()).count(), score.perplexity);
}

void reach(const std::filesystem::path& folder, double target, std::uint64_t seed) {
  const dplda::corpus train = read_split(folder, "train"), test = read_split(folder, "test");
  auto random = dplda::seeded_random(seed);
  const dplda::hdp learner({.threads = 1});
  double since = cpu_seconds(), used = 0;
  auto state = learner.start(train, random);
  for (std::size_t sweep = 1; sweep <= 300; ++sweep) {
    learner.sweep(state);
    used += cpu_seconds() - since;  // training only: scoring comes after the clock is read
    if (dplda::document_completion_perplexity(state.model(), test).perplexity <= target || sweep == 300) {
      std::printf("cpu %.4f sweeps %zu\n", used, sweep);
      return;
    }
    since = cpu_seconds();
  }
}

void score(const std::filesystem::path& folder, const std::string& phi, const std::string& alpha) {
  const dplda::corpus test = read_split(folder, "test");
  const Eigen::MatrixXd prior = dplda::read_npy<double>(alpha);
  const dplda::topic_model<> model(dplda::read_npy<double>(phi), test.vocab(), prior.reshaped());
  std::printf("perplexity %.1f\n", dplda::document_completion_perplexity(model, test).perplexity);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return dplda_benchmarks::guarded(argv[0], [&] {
    if (words.size() == 5 && words[0] == "split") {
      write_split(words[1], words[2], words[3], std::stoul(words[4]));
    } else if (words.size() == 3 && words[0] == "lsi") {
      lsi(words[1], std::stoul(words[2]));
    } else if (words.size() == 4 && words[0] == "hdp") {
      hdp(words[1], std::stoul(words[2]), std::stoul(words[3]));
    } else if (words.size() == 4 && words[0] == "reach") {
      reach(words[1], std::stod(words[2]), std::stoul(words[3]));
    } else if (words.size() == 4 && words[0] == "score") {
      score(words[1], words[2], words[3]);
    } else {
      std::fprintf(stderr, "usage: gensim split|lsi|hdp|reach|score ... (see the top of gensim.cpp)\n");
      return 2;
    }
    return 0;
  });
}
