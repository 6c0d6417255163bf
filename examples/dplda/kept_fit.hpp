// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_KEPT_FIT_HPP
#define DPLDA_EXAMPLES_DPLDA_KEPT_FIT_HPP

#include <dplda/core/topic_model.hpp>
#include <dplda/inference/private_topics/state.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace dplda_program {

/// A private fit that is kept in a folder between its steps (--checkpoint): the same command goes on from there, with a
/// fresh key and with any number of processes, which must all see the folder.
///
/// Why one entry in the book pays for what several runs draw: of a run that was stopped, nobody saw more than it kept. The
/// entry is kept before noise is drawn, words and state before the display can tell of them. Runs with one folder wait for each
/// other, and it is removed before the release appears. So at most one release follows from a folder, and it has the
/// planned ledger. (A copy of the folder could make a second one. That, and that the documents are the same, is in the
/// hands of its owner.) When a state was kept tells how far a run came before it was killed, so the folder is as
/// private as the documents.
class kept_fit {
 public:
  /// Takes the folder, or makes it. `plan` is the text of the plan, which a run that goes on must share. Throws usage_error
  /// if the folder holds a fit of another plan, or something else.
  kept_fit(const std::filesystem::path& folder, const std::string& plan);
  ~kept_fit();

  /// The id of the entry in the book; empty if none was written yet.
  const std::string& booked() const { return booked_; }
  void keep_booked(const std::string& id);

  /// The state that was kept last, and its words; if there is none, the fit has not begun.
  const std::optional<dplda::private_topics_state>& state() const { return state_; }
  /// Null if the words are public.
  const dplda::vocabulary_ptr& words() const { return words_; }
  /// Words are null if they are public; they are the same for all states.
  void keep_begun(const dplda::private_topics_state& state, const dplda::vocabulary_ptr& words);
  void keep(const dplda::private_topics_state& state);

  /// Removes the folder: to be called before anything of the result can be seen.
  void remove();

 private:
  struct lock;

  std::string take(const std::string& plan);
  void write_head() const;
  std::filesystem::path head() const { return folder_ / "fit.json"; }
  std::filesystem::path state_folder(std::size_t steps) const;

  std::filesystem::path folder_;
  std::unique_ptr<lock> lock_;
  std::string plan_, booked_;
  std::optional<std::size_t> steps_;
  std::optional<dplda::private_topics_state> state_;
  dplda::vocabulary_ptr words_;
};

}  // namespace dplda_program

#endif
