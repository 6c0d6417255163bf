// SPDX-License-Identifier: Apache-2.0
#include "release_text.hpp"

#include <dplda/core/rounding.hpp>
#include <dplda/io/topic_names.hpp>

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
  if (!record.claim->part.empty()) out << paragraph(dplda::one_part(record.claim->part));
  return out.str();
}

json_value topics_json(const dplda::topic_model<>& model, std::size_t count, double lambda,
                       const std::vector<std::string>& names) {
  json_value::array topics;
  const auto ordered = dplda::ordered_words(model, count, lambda);
  for (std::size_t k = 0; k < model.topics(); ++k) {
    json_value::array words;
    for (const auto& w : ordered[k])
      words.push_back(json_value::object{{"word", model.vocab()->word(w.word)}, {"probability", w.probability}});
    json_value::object topic{{"topic", k}};
    if (k < names.size() && !names[k].empty()) topic.emplace_back("name", names[k]);
    topic.emplace_back("words", std::move(words));
    topics.push_back(std::move(topic));
  }
  return topics;
}

std::string topics_text(const dplda::topic_model<>& model, std::size_t count, double lambda,
                        const std::vector<std::string>& names) {
  const auto ordered = dplda::ordered_words(model, count, lambda);
  std::string lines;
  for (std::size_t k = 0; k < model.topics(); ++k) {
    lines += dplda::topic_title(k, names) + ':';
    for (const auto& w : ordered[k]) lines.append(" ").append(model.vocab()->word(w.word));
    lines += '\n';
  }
  return lines;
}

}  // namespace dplda_program
