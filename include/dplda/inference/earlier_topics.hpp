// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_EARLIER_TOPICS_HPP
#define DPLDA_INFERENCE_EARLIER_TOPICS_HPP

// Topics that were released from earlier documents, for a fit of later ones (next month's letters): where to start, and
// noisy counts to go on from.
//
// Claim: (1) Let parts D_1, ..., D_m be disjoint, and let release i be a function of D_i and of releases 1, ..., i - 1
//   that is (e_i, d_i)-DP in D_i whatever these were. Given the releases before it, release i together with all later
//   ones is (e_i, d_i)-DP for a unit more or less in part i, even if e_i and d_i were chosen from earlier releases. If
//   all e_i <= e and all d_i <= d for bounds that were fixed beforehand, then all releases together are (e, d)-DP for a
//   unit more or less in all parts together (accounting/disjoint.hpp, disjoint_guarantee). (2) For a person with units in several parts, the losses of these parts add up:
//   together they cost the price of their ledgers one after the other.
// Preconditions: of (1): which part a unit belongs to follows from that unit and from a public rule, such as its date; the
//   rule does not look at other units (a part that is full after 5000 letters is none: removing one letter moves another
//   one). Whether and when a release is made is decided by public rules and earlier releases, not by how many units there
//   are. Neighbours are by adding or removing a unit: a unit that is replaced may move from one part to another, and
//   then both change. Nothing here can check it: the caller declares it (declare_disjoint). Of (2): options.before of
//   the later fit contains the ledgers of all earlier parts in which its units may be. That of the topics it goes on from
//   is checked. It lacks the ledgers of parts from which they were declared disjoint: such topics are marked
//   (guarantee::part), and whatever builds on them takes them for their own part only (mechanisms/detail/premises.hpp).
// Argument: (1) Neighbours differ by a unit u in one part i, by the rule; all other parts are equal. Releases before i
//   are functions of equal parts: they have one law. Given any value of them, release i under D_i and its neighbour
//   differs by (e_i, d_i) at most. Later releases are functions of equal parts and of the releases so far, so they are
//   post-processing. Where e_i <= e and d_i <= d whatever the earlier releases were, the mean over these keeps (e, d).
//   (The maximum of e_i that were chosen from results is itself random, and no bound.) (2) is adaptive composition, which the plan prices because `before` is a part of it.
//   What a fit takes from an earlier release (vocabulary, topics to start from, counts) is thus for its own documents a
//   constant, like a public text, and costs them nothing. Combining counts is post-processing
//   (private_topics/detail/noisy_topics.hpp).
// Test: tests/inference/earlier_topics_test.cpp, mutants earlier_*

#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_task.hpp>
#include <dplda/mechanisms/release.hpp>

#include <string>
#include <string_view>

namespace dplda::inline v0_1 {

/// A release that a later fit goes on from.
class earlier_topics {
 public:
  /// Topics whose documents may share units with those of the later fit: its options.before must contain their ledger,
  /// so that one budget pays for both. Throws std::invalid_argument if they have no counts (topic_model::counts), or if
  /// their words are from documents.
  explicit earlier_topics(release<topic_model<>> earlier);

  const release<topic_model<>>& value() const noexcept { return earlier_; }
  /// The public rule by which the later documents are others; empty if they may be the same.
  const std::string& rule() const noexcept { return rule_; }
  bool disjoint() const noexcept { return !rule_.empty(); }

 private:
  friend earlier_topics declare_disjoint(release<topic_model<>> earlier, std::string rule);

  release<topic_model<>> earlier_;
  std::string rule_ = {};
};

/// The same, where the documents of the later fit are others. By calling this you declare that a public rule, such as
/// "received in February 2026", says for each unit by itself whether it belongs to the later documents, and that none of
/// them was among the earlier ones, nor among those that these had gone on from. The library cannot check it. Then the
/// later fit pays for its own documents only, its guarantee names the rule (guarantee::part), and both releases together
/// cost each unit no more than the dearer one, if budgets were fixed beforehand. People who may have written to both parts
/// are not such units. Throws as the constructor does, and std::invalid_argument if the rule is empty or
/// that of the earlier part, if the guarantee is not proven, or if neighbours are by replacing.
earlier_topics declare_disjoint(release<topic_model<>> earlier, std::string rule);

namespace detail {

/// What is spent before something that goes on from these topics, for units of this kind: `before`, marked as seeded if
/// the topics are. Throws std::invalid_argument if the documents are disjoint and units or neighbours differ; or, if units
/// may be in both, as spent_before does of the release.
ledger spent_before(std::string_view function, const earlier_topics& earlier, privacy_unit unit, neighbours relation,
                    const ledger& before);

/// Throws std::invalid_argument if a fit cannot go on from these topics: their number differs, or as spent_before does.
void require_fit_for(const private_task& task, const earlier_topics& earlier);

/// The counts over a list that begins with the words of the earlier topics. Words that are new have no count, and a noise
/// that is a million times as large as any other's. A memory below 1 makes all noise larger, as if that share of the
/// documents had been counted. Throws std::invalid_argument if the list begins otherwise.
topic_counts counts_over(const earlier_topics& earlier, const vocabulary& words, double memory);

}  // namespace detail

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/inference/detail/earlier_topics.ipp>
#endif

#endif
