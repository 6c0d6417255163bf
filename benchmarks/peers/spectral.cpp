// SPDX-License-Identifier: Apache-2.0
// dplda's side of benchmarks/peers/spectral.py, which starts it once for each run:
//   spectral FOLDER TOPICS ALPHA0 PRODUCTS METHOD RESTARTS SEED
// learns topics from FOLDER/docword.txt with words FOLDER/vocab.txt, where PRODUCTS is unbiased or plug_in and METHOD is
// simultaneous or deflation. Writes phi.npy, values.npy (eigenvalues of the second moment), tensor.npy (the whitened third
// moment), and the random starts of the decomposition, deflation.npy and frames.npy. Prints a line of "name value" pairs:
// CPU seconds of the four steps and of the recovery, products with the second moment, the decomposition's sum of squares.

#include <dplda/core/corpus.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/core/topic_model.hpp>
#include <dplda/inference/spectral/spectral.hpp>
#include <dplda/io/npy.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/random/source.hpp>

#include "../support/clock.hpp"
#include "../support/program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class Choice>
Choice choose(const std::string& name, const char* one, Choice first, const char* two, Choice second) {
  if (name == one) return first;
  if (name == two) return second;
  throw std::invalid_argument(name + " is neither " + one + " nor " + two);
}

// The starts that a fit with this seed draws, side by side.
void write_starts(const std::filesystem::path& folder, const dplda::spectral_options& options, std::uint64_t seed) {
  auto random = dplda::seeded_random(seed);
  const dplda::random_source source = random.fork();
  const auto k = static_cast<Eigen::Index>(options.topics),
             restarts = static_cast<Eigen::Index>(options.tensor.restarts);
  Eigen::MatrixXd deflation(k, k * restarts), frames(k, k * restarts);
  for (Eigen::Index i = 0; i < k; ++i) {
    auto bits = source.stream("spectral.deflation", static_cast<std::uint64_t>(i));
    deflation.middleCols(i * restarts, restarts) = dplda::detail::random_directions(k, restarts, bits);
  }
  for (Eigen::Index i = 0; i < restarts; ++i) {
    auto bits = source.stream("spectral.frame", static_cast<std::uint64_t>(i));
    frames.middleCols(i * k, k) = dplda::detail::random_directions(k, k, bits);
  }
  dplda::write_npy(folder / "deflation.npy", deflation);
  dplda::write_npy(folder / "frames.npy", frames);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  return dplda_benchmarks::guarded(argv[0], [&] {
    if (words.size() != 7) {
      throw std::invalid_argument("expected FOLDER TOPICS ALPHA0 PRODUCTS METHOD RESTARTS SEED");
    }
    const std::filesystem::path folder = words[0];
    const dplda::spectral_options options{
        .topics = std::stoul(words[1]),
        .alpha0 = std::stod(words[2]),
        .products =
            choose(words[3], "unbiased", dplda::moment_products::unbiased, "plug_in", dplda::moment_products::plug_in),
        .tensor = {.method = choose(words[4], "simultaneous", dplda::tensor_method::simultaneous, "deflation",
                                    dplda::tensor_method::deflation),
                   .restarts = std::stoul(words[5])},
        .threads = 1};
    const std::uint64_t seed = std::stoul(words[6]);
    const dplda::corpus docs = dplda::read_uci(folder / "docword.txt", folder / "vocab.txt");

    auto random = dplda::seeded_random(seed);
    const dplda::spectral learner(options);
    std::vector<double> times{cpu_seconds()};
    const auto state = learner.fit_state(docs, random, [&](const dplda::progress&) {
      times.push_back(cpu_seconds());
      return false;
    });
    const dplda::topic_model<> model = state.model();
    times.push_back(cpu_seconds());

    dplda::write_npy(folder / "phi.npy", model.phi());
    dplda::write_npy(folder / "values.npy", Eigen::MatrixXd(state.second().values));
    dplda::write_npy(folder / "tensor.npy", state.third().entries());
    write_starts(folder, options, seed);
    const char* const names[] = {"moments", "whitening", "third", "decomposition", "recovery"};
    for (std::size_t i = 0; i < 5; ++i) std::printf("%s %.5f ", names[i], times[i + 1] - times[i]);
    std::printf("cpu %.5f products %zu score %.15g\n", times[5] - times[0], state.second().iterations,
                state.decomposition().values.squaredNorm());
    return 0;
  });
}
