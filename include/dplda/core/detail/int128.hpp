// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_INT128_HPP
#define DPLDA_CORE_DETAIL_INT128_HPP

#include <dplda/core/config.hpp>

namespace dplda::detail {

__extension__ typedef unsigned __int128 uint128;

}  // namespace dplda::detail

#endif
