// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_ERRORS_HPP
#define DPLDA_CORE_ERRORS_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <ostream>
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

/// One part of a sentence: anything that can be streamed, by reference. Functions that take parts are compiled once, not
/// once for each list of types.
class text_part {
 public:
  template <class Value>
  text_part(const Value& value) noexcept  // NOLINT(google-explicit-constructor): arguments convert
      : value_(std::addressof(value)),
        stream_([](std::ostream& out, const void* part) { out << *static_cast<const Value*>(part); }) {}
  text_part(const std::string& value) noexcept : text_part(std::string_view(value)) {}
  text_part(const char* value) noexcept : text_part(std::string_view(value)) {}
  text_part(std::string_view value) noexcept : value_(value.data()), length_(value.size()) {}

  /// Writes the part to `out`.
  void stream_to(std::ostream& out) const;

 private:
  const void* value_;
  std::size_t length_ = 0;                                // of a string
  void (*stream_)(std::ostream&, const void*) = nullptr;  // null for a string
};

/// The parts, streamed one after the other.
std::string text_of(std::initializer_list<text_part> parts);

template <class... Parts>
std::string text(const Parts&... parts) {
  return text_of({text_part(parts)...});
}

/// Throws std::invalid_argument "function: argument is value, but bound".
[[noreturn, gnu::cold]] void refuse(std::string_view function, std::string_view argument, const text_part& value,
                                    std::string_view bound);

/// Throws std::invalid_argument "function: argument is value, but bound" unless `ok`.
/// `bound` ends the sentence, for example "must be at least 1".
template <class Value>
void require(bool ok, std::string_view function, std::string_view argument, const Value& value,
             std::string_view bound) {
  if (!ok) refuse(function, argument, value, bound);
}

}  // namespace detail
}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/core/detail/errors.ipp>
#endif

#endif
