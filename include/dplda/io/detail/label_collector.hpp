// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_LABEL_COLLECTOR_HPP
#define DPLDA_IO_DETAIL_LABEL_COLLECTOR_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/encoding_error.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Numbers labels given one by one. A label that differs from another only in what nobody sees is refused: it would make
/// two users or groups of one.
class label_collector {
 public:
  /// `what` names a label in messages, such as "user"; `otherwise` says what two labels for one would do.
  label_collector(std::string file, std::string what, std::string otherwise)
      : file_(std::move(file)), what_(std::move(what)), otherwise_(std::move(otherwise)) {}

  /// The number of the next label. Throws parse_error if it is empty, has a blank at an end or a control character, or is
  /// not UTF-8; `place`, such as "row 7, ", stands before what was expected.
  word_id add(std::string_view label, std::size_t line, std::string_view place) {
    const auto refuse = [&](const std::string& expected) {
      throw parse_error(file_, line, text(place, "expected a ", what_, expected));
    };
    if (label.empty()) refuse(", found none");
    if (label.front() == ' ' || label.back() == ' ')
      refuse(text(" without blanks at the ends, found \"", shortened(label), "\"; remove the blanks, or ", otherwise_));
    if (std::any_of(label.begin(), label.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
      refuse(", found a control character");
    if (find_invalid_utf8(label) != std::string_view::npos)
      throw encoding_error(file_, line, text(place, "expected a ", what_, " in UTF-8, found an invalid byte"));
    return labels_.add(label);
  }

  vocabulary_ptr finish() { return labels_.build(); }

 private:
  std::string file_, what_, otherwise_;
  vocabulary_builder labels_;
};

}  // namespace dplda::inline v0_1::detail

#endif
