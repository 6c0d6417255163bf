// SPDX-License-Identifier: Apache-2.0
// Writes a synthetic corpus (FOLDER/docword.txt, one "document word count" a line) and its singular values and directions by
// dplda, with tf-idf weights and with counts, for gensim_test.py.

#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/spectral/lsi.hpp>
#include <dplda/io/npy.hpp>

#include <filesystem>
#include <fstream>

int main(int, char** argv) {
  const std::filesystem::path folder = argv[1];
  auto random = dplda::seeded_random(3);
  const auto docs = dplda::synthetic_lda({.documents = 400, .words = 300, .topics = 8, .mean_length = 60}, random).docs;
  std::ofstream lines(folder / "docword.txt");
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n)
      lines << d << ' ' << docs[d].words[n] << ' ' << docs[d].counts[n] << '\n';
  }
  for (const auto& [weights, name] :
       {std::pair{dplda::lsi_weights::tf_idf, "tf_idf"}, {dplda::lsi_weights::counts, "counts"}}) {
    const auto state = dplda::lsi({.topics = 6, .weights = weights, .eigen_tolerance = 1e-12}).fit_state(docs, random);
    dplda::write_npy(folder / (std::string(name) + "_values.npy"), state.singular_values);
    dplda::write_npy(folder / (std::string(name) + "_directions.npy"), state.directions);
  }
}
