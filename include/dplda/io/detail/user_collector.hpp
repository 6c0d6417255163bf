// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_USER_COLLECTOR_HPP
#define DPLDA_IO_DETAIL_USER_COLLECTOR_HPP

#include <dplda/core/errors.hpp>
#include <dplda/core/vocabulary.hpp>
#include <dplda/io/detail/utf8.hpp>
#include <dplda/io/users.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Makes a user_list of labels given one by one. A label that differs from another only in what nobody sees would make
/// two users of one person, each with only a part of that person's documents.
class user_collector {
 public:
  explicit user_collector(std::string name) { users_.name = std::move(name); }

  /// The owner of the next document. Throws parse_error if the label is empty, has a blank at an end or a control
  /// character, or is not UTF-8; `place`, such as "row 7, ", stands before what was expected.
  void add(std::string_view label, std::size_t line, std::string_view place = {}) {
    const auto refuse = [&](const std::string& expected) {
      throw parse_error(users_.name, line, std::string(place) + expected);
    };
    if (label.empty()) refuse("expected a user, found none");
    if (label.front() == ' ' || label.back() == ' ')
      refuse(text("expected a user without blanks at the ends, found \"", label,
                  "\"; remove the blanks, or one person counts as two"));
    if (std::any_of(label.begin(), label.end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }))
      refuse("expected a user, found a control character");
    if (find_invalid_utf8(label) != std::string_view::npos) refuse("expected a user in UTF-8, found an invalid byte");
    users_.of_document.push_back(labels_.add(label));
  }

  user_list finish() {
    users_.labels = labels_.build();
    return std::move(users_);
  }

 private:
  user_list users_;
  vocabulary_builder labels_;
};

}  // namespace dplda::inline v0_1::detail

#endif
