// SPDX-License-Identifier: Apache-2.0
// An attack of your own: does the rarest word of a document give away that the topics were learned from it? It attacks
// topics of half of the documents, learned once without privacy and once with it.

#include <dplda/audit/roc.hpp>
#include <dplda/corpora/split.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <vector>

// The log of the highest probability that any topic gives to the document's least probable word.
double rarest_word(const dplda::topic_model<>& model, const dplda::document& doc) {
  double least = std::numeric_limits<double>::max();
  for (const dplda::word_id word : doc.words)
    least = std::min(least, model.phi().col(static_cast<Eigen::Index>(word)).maxCoeff());
  return std::log(least);
}

// How well the score separates members (documents learned from) from the others.
dplda::roc_curve attack(const dplda::topic_model<>& model, const dplda::halves& docs) {
  std::vector<dplda::scored_document> scores;
  for (const bool member : {true, false}) {
    const dplda::corpus& half = member ? docs.first : docs.second;
    for (std::size_t d = 0; d < half.size(); ++d) scores.push_back({rarest_word(model, half[d]), member});
  }
  return dplda::roc_curve(std::move(scores));
}

int main() {
  // Short documents over many words: nearly every document has a word that hardly any other has.
  const dplda::random_source source = dplda::seeded_random(1);
  const auto data = dplda::synthetic_lda({.documents = 2000, .words = 5000, .topics = 5, .mean_length = 20}, source);
  auto bits = source.stream("halves");
  const dplda::halves docs = dplda::random_halves(data.docs, bits);

  auto random = dplda::secure_random();
  const dplda::svi<> open({.topics = 5});
  const dplda::private_svi closed({.topics = 5, .units = 1000, .words = 5000}, {.epsilon = 1, .delta = 1e-6});
  const dplda::roc_curve found = attack(open.fit(docs.first, random), docs);
  const dplda::roc_curve hidden = attack(closed.fit(docs.first, random).value(), docs);
  std::cout << "Of two documents, one learned from and one not, the attack names the right one\n"
            << "  without privacy: " << 100 * found.auc() << " % of the time\n"
            << "  with epsilon 1:  " << 100 * hidden.auc() << " % of the time; chance is 50 %\n"
            << "These rates are not for release: they were computed from the documents without noise.\n";
}
