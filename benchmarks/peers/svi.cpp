// SPDX-License-Identifier: Apache-2.0
// dplda's side of benchmarks/peers/svi.py, which starts it once for each measurement:
//   svi split DOCWORD VOCAB FOLDER SEED                        cuts a corpus into FOLDER/train.txt and FOLDER/test.txt
//   svi fit FOLDER TOPICS PASSES BATCH TAU0 SEED THREADS REAL  learns topics; REAL is float or double
//   svi reach FOLDER TOPICS PERPLEXITY SEED                    batch passes until the held-out perplexity is reached
//   svi score FOLDER PHI.npy                                   held-out perplexity of the topics in a numpy file
// Each answer is one line of "name value" pairs.

#include <dplda/dplda.hpp>

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

template <class Real>
void fit(const std::filesystem::path& folder, const dplda::svi_options& options, std::uint64_t seed) {
  const dplda::corpus train = read_split(folder, "train");
  auto random = dplda::seeded_random(seed);
  const double wall = wall_seconds(), cpu = cpu_seconds();
  const auto model = dplda::svi<Real>(options).fit(train, random);
  const double cpu_used = cpu_seconds() - cpu, wall_used = wall_seconds() - wall, peak = peak_megabytes();
  const double stored =
      static_cast<double>(8 * (train.entries() + train.size()) + sizeof(Real) * model.topics() * model.words());
  const auto score = dplda::document_completion_perplexity(model, read_split(folder, "test"), {.alpha = alpha});
  std::printf("cpu %.4f wall %.4f documents %zu peak_mb %.1f corpus_and_model_mb %.1f perplexity %.1f\n", cpu_used,
              wall_used, train.size() * options.passes, peak, stored / 1048576, score.perplexity);
}

void reach(const std::filesystem::path& folder, std::size_t topics, double target, std::uint64_t seed) {
  const dplda::corpus train = read_split(folder, "train"), test = read_split(folder, "test");
  auto random = dplda::seeded_random(seed);
  const dplda::svi learner(
      {.topics = topics, .passes = 100, .batch_size = 0, .alpha = alpha, .eta = eta, .threads = 1});
  double used = 0, since = cpu_seconds();
  learner.fit(train, random, [&](const dplda::progress& now, const dplda::svi_state<>& state) {
    used += cpu_seconds() - since;  // training only: scoring comes after the clock is read
    const double perplexity = dplda::document_completion_perplexity(state.model(), test, {.alpha = alpha}).perplexity;
    const bool done = perplexity <= target || now.step == now.steps;
    if (done) std::printf("passes %zu cpu %.4f perplexity %.1f\n", now.step, used, perplexity);
    since = cpu_seconds();
    return done;
  });
}

void score(const std::filesystem::path& folder, const std::string& file) {
  const dplda::corpus test = read_split(folder, "test");
  Eigen::MatrixXd phi = dplda::read_npy<double>(file);
  const dplda::topic_model<> model(std::move(phi), test.vocab());
  std::printf("perplexity %.1f\n", dplda::document_completion_perplexity(model, test, {.alpha = alpha}).perplexity);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return dplda_benchmarks::guarded(argv[0], [&] {
    if (words.size() == 5 && words[0] == "split") {
      write_split(words[1], words[2], words[3], std::stoul(words[4]));
    } else if (words.size() == 9 && words[0] == "fit") {
      const dplda::svi_options options{.topics = std::stoul(words[2]),
                                       .passes = std::stoul(words[3]),
                                       .batch_size = std::stoul(words[4]),
                                       .alpha = alpha,
                                       .eta = eta,
                                       .tau0 = std::stod(words[5]),
                                       .threads = std::stoul(words[7])};
      words[8] == "float" ? fit<float>(words[1], options, std::stoul(words[6]))
                          : fit<double>(words[1], options, std::stoul(words[6]));
    } else if (words.size() == 5 && words[0] == "reach") {
      reach(words[1], std::stoul(words[2]), std::stod(words[3]), std::stoul(words[4]));
    } else if (words.size() == 3 && words[0] == "score") {
      score(words[1], words[2]);
    } else {
      std::fprintf(stderr, "usage: svi split|fit|reach|score ... (see the top of svi.cpp)\n");
      return 2;
    }
    return 0;
  });
}
