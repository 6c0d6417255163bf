// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_PUBLIC_TEXT_IPP
#define DPLDA_INFERENCE_DETAIL_PUBLIC_TEXT_IPP

// Bodies of inference/public_text.hpp, which has their claim, argument and test.

#include <dplda/core/errors.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/inference/public_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dplda::inline v0_1 {

DPLDA_INLINE public_text declare_public(const corpus& docs, std::string name) {
  detail::require(!name.empty(), "declare_public", "the name of the text", "empty",
                  "must be one that reports can show");
  detail::require(docs.entries() > 0, "declare_public", "the text", "without a word", "must have words");
  detail::require(docs.vocab()->origin() != word_origin::released, "declare_public", "the text",
                  "over words that were chosen privately", "must be independent of private documents");
  return public_text(docs, std::move(name));
}

namespace detail {

DPLDA_INLINE Eigen::MatrixXd public_frequencies(std::span<const public_text> texts, const vocabulary& words) {
  Eigen::MatrixXd shares =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(words.size()), static_cast<Eigen::Index>(texts.size()));
  for (std::size_t t = 0; t < texts.size(); ++t) {
    const corpus& docs = texts[t].docs();
    const std::vector<std::uint64_t> holders = document_frequencies(docs);
    auto column = shares.col(static_cast<Eigen::Index>(t));
    for (std::size_t w = 0; w < words.size(); ++w) {
      if (const std::optional<word_id> id = docs.vocab()->find(words.word(static_cast<word_id>(w))))
        column[static_cast<Eigen::Index>(w)] = static_cast<double>(holders[*id]);
    }
    if (const double sum = column.sum(); sum > 0) column /= sum;
  }
  return shares;
}

DPLDA_INLINE Eigen::MatrixXd topic_lifts(const public_topics& topics, const vocabulary& words) {
  const topic_model<>& model = topics.value();
  Eigen::MatrixXd lifts =
      Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(model.topics()), static_cast<Eigen::Index>(words.size()));
  const double rare = 0.1 / static_cast<double>(model.words());
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (const std::optional<word_id> id = model.vocab()->find(words.word(static_cast<word_id>(w)))) {
      const auto column = model.phi().col(static_cast<Eigen::Index>(*id)).array() + rare;
      lifts.col(static_cast<Eigen::Index>(w)) = column / column.mean();
    }
  }
  return lifts;
}

DPLDA_INLINE std::uint64_t fingerprint(const corpus& docs, const vocabulary_ptr& words) {
  const corpus same = docs.restrict_to(words);
  std::uint64_t sum = 0;
  for (std::size_t d = 0; d < same.size(); ++d) {
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (std::size_t n = 0; n < same[d].size(); ++n) {
      hash = (hash ^ same[d].words[n]) * 0x100000001b3u;
      hash = (hash ^ same[d].counts[n]) * 0x100000001b3u;
    }
    hash ^= hash >> 31;
    sum += hash * 0x9e3779b97f4a7c15u;
  }
  return sum;
}

}  // namespace detail

DPLDA_INLINE void require_other_text(std::span<const public_text> texts, const corpus& docs,
                                     const process_group& processes) {
  if (texts.empty()) return;
  std::uint64_t all[] = {docs.size(), docs.entries()};
  processes.sum(all);
  const auto as_many = [&](const public_text& text) { return text.docs().size() == all[0] && all[1] > 0; };
  if (std::ranges::none_of(texts, as_many)) return;
  std::uint64_t whole = detail::fingerprint(docs, docs.vocab());  // a sum over documents
  processes.sum(std::span(&whole, 1));
  for (const public_text& text : texts) {
    detail::require(!as_many(text) || detail::fingerprint(text.docs(), docs.vocab()) != whole, "public_text",
                    text.name(), "the text of the private documents", "must be another text");
  }
}

}  // namespace dplda::inline v0_1

#endif
