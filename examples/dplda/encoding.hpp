// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_ENCODING_HPP
#define DPLDA_EXAMPLES_DPLDA_ENCODING_HPP

#include <string>
#include <string_view>

namespace dplda_program {

/// Throws usage_error if the system's iconv does not know the encoding, or if the program was built without iconv.
void check_encoding(const std::string& encoding);

/// The text in UTF-8. An invalid byte becomes U+FFFD with `separate`; otherwise it throws encoding_error, with `name`, the
/// line and the byte, counted in the file.
std::string to_utf8(std::string_view bytes, const std::string& encoding, const std::string& name, bool separate);

}  // namespace dplda_program

#endif
