// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_BOUNDS_HPP
#define DPLDA_ACCOUNTING_BOUNDS_HPP

#include <dplda/core/config.hpp>

namespace dplda::inline v0_1 {

/// Bounds on a number: lower <= truth <= upper, with the error of the arithmetic included. Neither is ever NaN or
/// negative; an upper bound may be infinite.
struct certified_bounds {
  double lower;
  double upper;
  bool operator==(const certified_bounds&) const = default;
};

}  // namespace dplda::inline v0_1

#endif
