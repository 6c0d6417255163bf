// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_ACCOUNTING_NEIGHBOURS_HPP
#define DPLDA_ACCOUNTING_NEIGHBOURS_HPP

#include <dplda/core/errors.hpp>

#include <ostream>
#include <string>

namespace dplda::inline v0_1 {

/// Whose presence a guarantee hides.
enum class privacy_unit { token, document, user };

/// When two corpora are neighbours: one has one unit more than the other, or one unit is exchanged for another.
enum class neighbours { add_remove, replace };

inline std::ostream& operator<<(std::ostream& out, privacy_unit unit) {
  return out << (unit == privacy_unit::token ? "token" : unit == privacy_unit::document ? "document" : "user");
}
inline std::ostream& operator<<(std::ostream& out, neighbours relation) {
  return out << (relation == neighbours::add_remove ? "add_remove" : "replace");
}
inline std::string to_string(privacy_unit unit) { return detail::text(unit); }
inline std::string to_string(neighbours relation) { return detail::text(relation); }

}  // namespace dplda::inline v0_1

#endif
