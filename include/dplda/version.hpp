// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VERSION_HPP
#define DPLDA_VERSION_HPP

// The library's version, in one place: CMake reads these three lines.
#define DPLDA_VERSION_MAJOR 0
#define DPLDA_VERSION_MINOR 1
#define DPLDA_VERSION_PATCH 0

#define DPLDA_DETAIL_STRING_(x) #x
#define DPLDA_DETAIL_STRING(x) DPLDA_DETAIL_STRING_(x)

namespace dplda::inline v0_1 {

/// The version as text, for files and reports.
inline constexpr const char* version_string = DPLDA_DETAIL_STRING(DPLDA_VERSION_MAJOR) "." DPLDA_DETAIL_STRING(
    DPLDA_VERSION_MINOR) "." DPLDA_DETAIL_STRING(DPLDA_VERSION_PATCH);

}  // namespace dplda::inline v0_1

#undef DPLDA_DETAIL_STRING
#undef DPLDA_DETAIL_STRING_

#endif
