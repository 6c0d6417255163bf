// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_KEPT_FIT_HPP
#define DPLDA_EXAMPLES_DPLDA_KEPT_FIT_HPP

#include <dplda/io/fit_folder.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace dplda_program {

/// A fit that processes keep in one folder (--checkpoint, io/fit_folder.hpp): process 0 holds and writes it, and all read
/// from it what they go on from.
class kept_fit {
 public:
  /// Throws usage_error if the folder holds a fit of another plan, or other files.
  kept_fit(const std::filesystem::path& folder, const std::string& plan);

  /// Throws usage_error if the fit was begun with other documents, which this text tells.
  void keep_documents(const std::string& documents);

  /// The id of the entry in the book; empty if none was written yet.
  const std::string& booked() const { return booked_; }
  void keep_booked(const std::string& id);

  /// The state that an earlier run kept last; if there is none, the fit has not begun.
  const std::optional<dplda::kept_state>& found() const { return found_; }
  /// Words are those that were chosen privately.
  void keep(const dplda::private_topics_state& state, const dplda::vocabulary_ptr& words = nullptr);
  void remove();

 private:
  std::unique_ptr<dplda::fit_folder> folder_;  // of process 0
  std::string booked_;
  std::optional<dplda::kept_state> found_;
};

}  // namespace dplda_program

#endif
