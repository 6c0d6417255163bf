// SPDX-License-Identifier: Apache-2.0
#include "release_text.hpp"

#include <dplda/core/rounding.hpp>
#include <dplda/io/ldavis.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

namespace dplda_program {

std::string what_was_spent(const dplda::release_record& record) {
  if (!record.claim) return "NOT PRIVATE: this was made from the documents without noise. Do not publish it.\n";
  if (record.claim->seeded) return "NOT PRIVATE: the noise came from a known seed. For experiments only.\n";
  std::ostringstream out;
  out << "Spent: the whole of epsilon = " << dplda::rounded_up(record.claim->epsilon)
      << ", delta = " << dplda::rounded_up(record.claim->delta) << " for each " << record.claim->unit
      << ". Another release of the same data adds to it.\n";
  if (record.claim->assumes_fixed_plans) out << paragraph(dplda::fixed_plans);
  return out.str();
}

json_value topics_json(const dplda::topic_model<>& model, std::size_t count) {
  json_value::array topics;
  for (std::size_t k = 0; k < model.topics(); ++k) {
    json_value::array words;
    for (const auto& w : top_words(model, k, count))
      words.push_back(json_value::object{{"word", model.vocab()->word(w.word)}, {"probability", w.probability}});
    topics.push_back(json_value::object{{"topic", k}, {"words", std::move(words)}});
  }
  return topics;
}

std::string topics_text(const dplda::topic_model<>& model, std::size_t count, double lambda) {
  const Eigen::VectorXd shares = dplda::word_shares(model);
  const auto words = dplda::relevant_words(model, count, std::array{lambda});
  std::string lines;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto relevance = [&](dplda::word_id w) {
      const auto v = static_cast<Eigen::Index>(w);
      return std::log(model.phi()(static_cast<Eigen::Index>(k), v)) - (1 - lambda) * std::log(shares[v]);
    };
    std::vector<dplda::word_id> order = words[k];
    std::sort(order.begin(), order.end(), [&](dplda::word_id a, dplda::word_id b) {
      const double first = relevance(a), second = relevance(b);
      return first != second ? first > second : a < b;
    });
    lines.append("topic ").append(std::to_string(k)).append(":");
    for (const dplda::word_id w : order) lines.append(" ").append(model.vocab()->word(w));
    lines.append("\n");
  }
  return lines;
}

}  // namespace dplda_program
