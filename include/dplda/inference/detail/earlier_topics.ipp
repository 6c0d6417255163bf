// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_DETAIL_EARLIER_TOPICS_IPP
#define DPLDA_INFERENCE_DETAIL_EARLIER_TOPICS_IPP

// Bodies of inference/earlier_topics.hpp, which has their claim, argument and test.

#include <dplda/core/errors.hpp>
#include <dplda/inference/earlier_topics.hpp>
#include <dplda/mechanisms/detail/premises.hpp>

#include <cmath>
#include <cstddef>
#include <utility>

namespace dplda::inline v0_1 {

DPLDA_INLINE earlier_topics::earlier_topics(release<topic_model<>> earlier) : earlier_(std::move(earlier)) {
  detail::require_not_from_documents("earlier_topics", *earlier_.value().vocab());
  detail::require(
      earlier_.value().counts() != nullptr, "earlier_topics", "the topics", "without their noisy counts",
      "must have them, as topics of private_svi and private_gibbs do; to start from other topics, give them "
      "to fit(first, docs, random)");
}

DPLDA_INLINE earlier_topics declare_disjoint(release<topic_model<>> earlier, std::string rule) {
  const char* const function = "declare_disjoint";
  const dplda::guarantee& claim = earlier.guarantee();
  detail::require(rule.find_first_not_of(" \t\r\n") != std::string::npos, function, "the rule", "empty",
                  "must say which documents are the later ones, such as \"received in February 2026\"");
  detail::require(claim.basis == basis::proven && !claim.gamma, function, "the earlier release's guarantee",
                  "not proven", "must be proven: otherwise nothing is proven for both releases together");
  detail::require(claim.relation == neighbours::add_remove, function, "the neighbours", claim.relation,
                  "must be by adding or removing a unit: one that is replaced may move from one part to the other, and "
                  "changes both. Give the ledger in options.before instead, so that losses add up");
  detail::require(claim.part != rule, function, "the rule", rule, "must be another one than that of the earlier part");
  earlier_topics result(std::move(earlier));
  result.rule_ = std::move(rule);
  return result;
}

namespace detail {

DPLDA_INLINE ledger spent_before(std::string_view function, const earlier_topics& earlier, privacy_unit unit,
                                 neighbours relation, const ledger& before) {
  if (!earlier.disjoint()) return spent_before(function, earlier.value(), before);
  const dplda::guarantee& claim = earlier.value().guarantee();
  require(claim.unit == unit && claim.relation == relation, function, "unit or neighbours", unit,
          text("must be those of the earlier topics, ", claim.unit, " and ", claim.relation,
               ": the dearer of two guarantees holds for both only if they are of one kind"));
  ledger spent = before;
  if (earlier.value().ledger().seeded()) spent.mark_seeded();
  return spent;
}

DPLDA_INLINE void require_fit_for(const private_task& task, const earlier_topics& earlier) {
  const release<topic_model<>>& topics = earlier.value();
  require(topics.value().topics() == task.topics, task.learner, "topics", task.topics,
          text("must be the number of the earlier topics, ", topics.value().topics(), ", because their numbers stay"));
  spent_before(task.learner, earlier, task.unit, task.relation, task.before);
}

DPLDA_INLINE topic_counts counts_over(const earlier_topics& earlier, const vocabulary& words, double memory) {
  const topic_model<>& model = earlier.value().value();
  bool begins = words.size() >= model.words();
  for (std::size_t w = 0; begins && w < model.words(); ++w)
    begins = words.word(static_cast<word_id>(w)) == model.vocab()->word(static_cast<word_id>(w));
  require(
      begins, "earlier_topics", "the list of words", "another one",
      "must begin with the words of the earlier topics, in their order, so that their numbers stay (further_words)");
  const topic_counts& known = *model.counts();
  const Eigen::Index size = static_cast<Eigen::Index>(words.size()), old = known.words.size();
  const auto padded = [&](const Eigen::VectorXd& values, double rest) {
    Eigen::VectorXd all = Eigen::VectorXd::Constant(size, rest);
    all.head(old) = values;
    return all;
  };
  const double loss = 1 / std::sqrt(memory);
  topic_counts all{Eigen::MatrixXd::Zero(known.cells.rows(), size),
                   padded(loss * known.cell_noise, 1e6 * loss * known.cell_noise.maxCoeff()), padded(known.words, 0),
                   padded(loss * known.word_noise, 1e6 * loss * known.word_noise.maxCoeff())};
  all.cells.leftCols(old) = known.cells;
  return all;
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
