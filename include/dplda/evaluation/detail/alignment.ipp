// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EVALUATION_DETAIL_ALIGNMENT_IPP
#define DPLDA_EVALUATION_DETAIL_ALIGNMENT_IPP

// Bodies of evaluation/alignment.hpp.

#include <dplda/evaluation/alignment.hpp>

#include <cmath>
#include <limits>

namespace dplda::inline v0_1 {

DPLDA_INLINE std::vector<std::size_t> minimum_cost_assignment(const Eigen::MatrixXd& cost) {
  const Eigen::Index rows = cost.rows(), columns = cost.cols();
  detail::require(rows <= columns, "minimum_cost_assignment", "number of rows", rows,
                  detail::text("must be at most the number of columns, ", columns));
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) {
      if (!std::isfinite(cost(i, j))) {
        detail::refuse("minimum_cost_assignment", detail::text("cost(", i, ", ", j, ")"), cost(i, j), "must be finite");
      }
    }
  }
  constexpr Eigen::Index none = -1;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto m = static_cast<std::size_t>(columns);
  Eigen::VectorXd u = Eigen::VectorXd::Zero(rows), v = Eigen::VectorXd::Zero(columns);
  std::vector<Eigen::Index> row_of(m, none), column_of(static_cast<std::size_t>(rows), none);
  for (Eigen::Index fresh = 0; fresh < rows; ++fresh) {
    Eigen::VectorXd length = Eigen::VectorXd::Constant(columns, infinity);  // of the cheapest path to each column
    std::vector<Eigen::Index> came_from(m, none);                           // the row before each column on that path
    std::vector<bool> settled(m, false);
    std::vector<Eigen::Index> path_rows{fresh};
    double reached = 0;
    Eigen::Index end = none;
    for (Eigen::Index row = fresh; end == none;) {
      Eigen::Index nearest = none;
      for (Eigen::Index j = 0; j < columns; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (settled[at]) continue;
        const double candidate = reached + (cost(row, j) - u[row] - v[j]);
        if (candidate < length[j]) {
          length[j] = candidate;
          came_from[at] = row;
        }
        if (nearest == none || length[j] < length[nearest]) nearest = j;
      }
      reached = length[nearest];
      settled[static_cast<std::size_t>(nearest)] = true;
      row = row_of[static_cast<std::size_t>(nearest)];
      if (row == none) {
        end = nearest;
      } else {
        path_rows.push_back(row);
      }
    }
    for (const Eigen::Index row : path_rows) {
      const Eigen::Index column = column_of[static_cast<std::size_t>(row)];
      const double start = column == none ? 0 : length[column];
      u[row] += reached - start;
      if (column != none) v[column] -= reached - start;
    }
    for (Eigen::Index column = end; column != none;) {
      const Eigen::Index row = came_from[static_cast<std::size_t>(column)];
      row_of[static_cast<std::size_t>(column)] = row;
      std::swap(column, column_of[static_cast<std::size_t>(row)]);
    }
  }
  std::vector<std::size_t> assignment(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < assignment.size(); ++i) assignment[i] = static_cast<std::size_t>(column_of[i]);
  return assignment;
}

}  // namespace dplda::inline v0_1

#endif
