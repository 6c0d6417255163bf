// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_ERRORS_IPP
#define DPLDA_CORE_DETAIL_ERRORS_IPP

// Bodies of core/errors.hpp.

#include <dplda/core/errors.hpp>

#include <locale>
#include <sstream>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE void text_part::stream_to(std::ostream& out) const {
  if (stream_ == nullptr) {
    out << std::string_view(static_cast<const char*>(value_), length_);
  } else {
    stream_(out, value_);
  }
}

DPLDA_INLINE std::string text_of(std::initializer_list<text_part> parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  for (const text_part& part : parts) part.stream_to(out);
  return out.str();
}

DPLDA_INLINE void refuse(std::string_view function, std::string_view argument, const text_part& value,
                         std::string_view bound) {
  throw std::invalid_argument(text("dplda::", function, ": ", argument, " is ", value, ", but ", bound));
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
