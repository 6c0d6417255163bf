// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_USER_COLLECTOR_HPP
#define DPLDA_IO_DETAIL_USER_COLLECTOR_HPP

#include <dplda/io/detail/label_collector.hpp>
#include <dplda/io/users.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Makes a user_list of labels given one by one. A person with two labels would be two users, each with only a part of
/// that person's documents.
class user_collector {
 public:
  explicit user_collector(std::string name) : labels_(name, "user", "one person counts as two") {
    users_.name = std::move(name);
  }

  /// The owner of the next document. Throws as label_collector does.
  void add(std::string_view label, std::size_t line, std::string_view place = {}) {
    users_.of_document.push_back(labels_.add(label, line, place));
  }

  user_list finish() {
    users_.labels = labels_.finish();
    return std::move(users_);
  }

 private:
  user_list users_;
  label_collector labels_;
};

}  // namespace dplda::inline v0_1::detail

#endif
