// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ANALYSIS_DETAIL_UNIT_SHARES_OF_TOPICS_HPP
#define DPLDA_ANALYSIS_DETAIL_UNIT_SHARES_OF_TOPICS_HPP

// Claim: what a unit adds is a function of its own documents' proportions, their groups and the given shares, bit for
//   bit.
// Preconditions: a document's proportions and its group depend on that document and on released values alone, as
//   topic_inference sees to; so do the shares.
// Argument: sums are over one unit's documents, and nothing is kept from unit to unit.
// Test: tests/analysis/private_prevalence_test.cpp (grey-box audits), mutants prevalence_*.

#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/units.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dplda::inline v0_1::detail {

/// What each unit contributes: a function of its own documents and their groups, the topics, and the shares.
class unit_shares_of_topics {
 public:
  /// groups[d]: of document d; empty: all are in group 0. thetas: the proportions of each document, each inferred from
  /// that document alone. Precondition: docs and groups outlive this object.
  unit_shares_of_topics(const divided_corpus& docs, std::span<const std::uint32_t> groups, std::size_t group_count,
                        Eigen::MatrixXd thetas)
      : docs_(docs), groups_(groups), group_count_(group_count), thetas_(std::move(thetas)) {}

  /// Adds the proportions of each unit's documents to the rows of their groups.
  void add_sums(accumulator& sums) const {
    for (std::size_t u = 0; u < docs_.units().size(); ++u) {
      const contribution own = of(u);
      sums.add(std::span<const std::uint32_t>(own.groups), std::span<const double>(own.values));
    }
  }

  /// Adds, for each topic, the squared deviations of each unit's sums from these shares (groups x topics).
  void add_squares(const Eigen::MatrixXd& shares, accumulator& squares) const {
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(thetas_.cols()));
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = static_cast<std::uint32_t>(k);
    for (std::size_t u = 0; u < docs_.units().size(); ++u) {
      contribution own = of(u);
      own.add_up(rows.size());
      std::vector<double> values(rows.size());
      for (std::size_t i = 0; i < own.groups.size(); ++i) {
        double weight = 0;
        for (std::size_t k = 0; k < rows.size(); ++k) weight += own.values[i * rows.size() + k];
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const double share = shares(static_cast<Eigen::Index>(own.groups[i]), static_cast<Eigen::Index>(k));
          const double off = own.values[i * rows.size() + k] - weight * share;
          values[k] += off * off;
        }
      }
      squares.add(std::span<const std::uint32_t>(rows), std::span<const double>(values));
    }
  }

 private:
  struct contribution {
    std::vector<std::uint32_t> groups = {};  // a row for each document that counts
    std::vector<double> values = {};

    /// One row for each group.
    void add_up(std::size_t topics) {
      contribution joint;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto found = std::find(joint.groups.begin(), joint.groups.end(), groups[i]);
        const auto place = static_cast<std::size_t>(found - joint.groups.begin());
        if (found == joint.groups.end()) {
          joint.groups.push_back(groups[i]);
          joint.values.resize(joint.groups.size() * topics);
        }
        for (std::size_t k = 0; k < topics; ++k) joint.values[place * topics + k] += values[i * topics + k];
      }
      *this = std::move(joint);
    }
  };

  contribution of(std::size_t unit) const {
    contribution result;
    for (const std::size_t d : docs_.units().documents(unit)) {
      const std::uint32_t group = groups_.empty() ? 0 : groups_[d];
      if (group >= group_count_ || docs_.docs()[d].empty()) continue;
      result.groups.push_back(group);
      const auto theta = thetas_.row(static_cast<Eigen::Index>(d));
      result.values.insert(result.values.end(), theta.begin(), theta.end());
    }
    const double documents = static_cast<double>(result.groups.size());
    for (double& value : result.values) value /= documents;
    return result;
  }

  const divided_corpus& docs_;
  std::span<const std::uint32_t> groups_;
  std::size_t group_count_;
  Eigen::MatrixXd thetas_;
};

}  // namespace dplda::inline v0_1::detail

#endif
