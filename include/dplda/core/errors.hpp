// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_ERRORS_HPP
#define DPLDA_CORE_ERRORS_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

/// Input that could not be read: which file, which line (from 1; 0 if the input has no lines), and what was expected.
class parse_error : public std::runtime_error {
 public:
  parse_error(std::string file, std::size_t line, const std::string& expected)
      : std::runtime_error(file + (line > 0 ? std::string(":").append(std::to_string(line)) : std::string()) + ": " +
                           expected),
        file_(std::move(file)),
        line_(line) {}

  const std::string& file() const noexcept { return file_; }
  std::size_t line() const noexcept { return line_; }

 private:
  std::string file_;
  std::size_t line_;
};

namespace detail {

/// The parts, streamed one after the other.
template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << parts);
  return out.str();
}

template <class Value>
[[noreturn, gnu::cold, gnu::noinline]] void refuse(std::string_view function, std::string_view argument,
                                                   const Value& value, std::string_view bound) {
  throw std::invalid_argument(text("dplda::", function, ": ", argument, " is ", value, ", but ", bound));
}

/// Throws std::invalid_argument "function: argument is value, but bound" unless `ok`.
/// `bound` ends the sentence, for example "must be at least 1".
template <class Value>
void require(bool ok, std::string_view function, std::string_view argument, const Value& value,
             std::string_view bound) {
  if (!ok) refuse(function, argument, value, bound);
}

}  // namespace detail
}  // namespace dplda::inline v0_1

#endif
