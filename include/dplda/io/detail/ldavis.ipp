// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LDAVIS_IPP
#define DPLDA_IO_DETAIL_LDAVIS_IPP

// Bodies of io/ldavis.hpp.

#include <dplda/inference/spectral/detail/dense.hpp>
#include <dplda/io/ldavis.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dplda::inline v0_1::detail {

DPLDA_INLINE topic_plane scaled_to_plane(const Eigen::MatrixXd& distances) {
  const Eigen::Index topics = distances.rows();
  topic_plane plane{Eigen::MatrixX2d::Zero(topics, 2), 1};
  if (topics == 1) return plane;
  Eigen::MatrixXd inner = distances.array().square() / -2;
  inner.rowwise() -= inner.colwise().mean().eval();
  inner.colwise() -= inner.rowwise().mean().eval();
  const symmetric_eigen solved = eigen_of(std::move(inner));
  const Eigen::VectorXd values = solved.values.cwiseMax(0);
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    const Eigen::Index at = topics - 1 - axis;
    Eigen::VectorXd direction = solved.vectors.col(at) * std::sqrt(values[at]);
    Eigen::Index furthest = 0;
    direction.cwiseAbs().maxCoeff(&furthest);
    if (direction[furthest] < 0) direction = -direction;
    plane.points.col(axis) = direction;
  }
  const double all = values.sum();
  if (all > 0) plane.held = std::min(1.0, (values[topics - 1] + values[topics - 2]) / all);
  return plane;
}

}  // namespace dplda::inline v0_1::detail

#endif
