// SPDX-License-Identifier: Apache-2.0
// dplda's side of benchmarks/peers/zeta.py, which starts it once for each model:
//   zeta DOCWORD VOCAB FOLDER TOPICS DOCUMENTS
// learns topics from half of a corpus, writes them to FOLDER/phi.npy, random documents to FOLDER/docs.txt and their
// zeta to FOLDER/zeta.npy, and prints a line of "name value" pairs: microseconds of CPU time a document, the largest gap.

#include <dplda/audit/query_statistics.hpp>
#include <dplda/dplda.hpp>

#include "../support/clock.hpp"
#include "../support/program.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return dplda_benchmarks::guarded(argv[0], [&] {
    if (words.size() != 5) throw std::invalid_argument("zeta DOCWORD VOCAB FOLDER TOPICS DOCUMENTS");
    const std::filesystem::path folder = words[2];
    const std::size_t topics = std::stoul(words[3]);
    const dplda::corpus docs = dplda::read_uci(words[0], words[1]);
    auto random = dplda::seeded_random(1);
    auto bits = random.stream("documents");
    // The priors and passes of scikit-learn's LatentDirichletAllocation, which the paper uses.
    const double prior = 1 / static_cast<double>(topics);
    const dplda::svi learner({.topics = topics, .passes = 10, .batch_size = 0, .alpha = prior, .eta = prior});
    const auto model = learner.fit(dplda::random_halves(docs, bits).first, random);
    const dplda::corpus chosen = dplda::random_sample(docs, std::min(docs.size(), std::stoul(words[4])), bits);

    const dplda::document_likelihood<> likelihood(model);
    Eigen::VectorXd values(static_cast<Eigen::Index>(chosen.size()));
    double gap = 0;
    std::size_t rounds = 0;
    const double start = cpu_seconds();
    do {
      likelihood(chosen, [&](std::size_t d, const dplda::topic_fit& fit) {
        values[static_cast<Eigen::Index>(d)] = dplda::zeta(fit);
        gap = std::max(gap, fit.gap);
      });
      ++rounds;
    } while (cpu_seconds() - start < 0.2);
    const double used = (cpu_seconds() - start) / static_cast<double>(rounds * chosen.size());

    dplda::write_npy(folder / "phi.npy", model.phi());
    dplda::write_npy(folder / "zeta.npy", Eigen::MatrixXd(values));
    dplda::write_uci(folder / "docs.txt", chosen, folder / "docs_vocab.txt");
    std::printf("microseconds %.3f gap %.3e words %.1f\n", 1e6 * used, gap,
                static_cast<double>(chosen.entries()) / static_cast<double>(chosen.size()));
    return 0;
  });
}
