// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_FIT_FOLDER_HPP
#define DPLDA_IO_FIT_FOLDER_HPP

// A private fit that is kept in a folder between its steps, so that another run goes on where one was killed. The folder
// holds fit.json (hashes of the plan and of the documents, and the id of the fit's entry in a budget book), words.txt (if
// words were chosen privately) and the last state, state-<steps>/ (io/checkpoint.hpp).
//
// Claim: at most one release follows from a folder, and it has the planned ledger, however many runs were killed. So the
//   guarantee of the plan, and one entry in the book, cover all of them.
// Preconditions: a run calls keep_booked() before noise is drawn, keep() before anybody can tell anything of what it keeps
//   (its display included), and remove() before anything of the release can be seen (a part of its output folder
//   included, if a run that goes on would not make the same). It begins anew only if there is no state. keep_documents()
//   gets what tells documents apart. Under batch_choice::rounds only states between rounds are kept. No copy of the folder is used: two releases that follow from one state cost
//   more than is booked. When a state was kept tells how far a run came before it was killed, so the folder is as private
//   as the documents.
// Argument: of a run that was killed nobody saw more than it kept, by the precondition. What it kept is gone on from, by a
//   plan whose text and ledger are the same (the hash here, and the learner's resume), with fresh noise: together these
//   are one fit. Noise that was drawn and not kept was seen by nobody. Runs with one folder wait for each other (a lock), and a
//   state, its words and fit.json appear whole or not at all. remove() takes the folder away by one rename.
// Test: tests/io/fit_folder_test.cpp, tests/examples/dplda/{checkpoint_test,process_crashes}.sh

#include <dplda/core/vocabulary.hpp>
#include <dplda/inference/private_topics/state.hpp>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dplda::inline v0_1 {

/// A state that was kept.
struct kept_state {
  private_topics_state state;
  vocabulary_ptr words;  ///< null if the words are public
};

/// The folder of a fit that is kept between its steps, held by one run at a time.
class fit_folder {
 public:
  /// Waits until no other run holds the folder, and takes it; makes it, for its owner alone, if there is none. `plan` is a
  /// text of all that runs must share. Throws std::invalid_argument if the folder holds the fit of another plan or other
  /// files, parse_error if it is damaged, and std::runtime_error if it cannot be written.
  fit_folder(const std::filesystem::path& folder, std::string_view plan);
  /// Lets others take it. Removes it if nothing was booked or kept.
  ~fit_folder();
  fit_folder(const fit_folder&) = delete;
  fit_folder& operator=(const fit_folder&) = delete;

  const std::filesystem::path& path() const noexcept { return folder_; }
  /// Keeps a hash of a text that tells the documents. Throws std::invalid_argument if the fit was begun with others.
  void keep_documents(std::string_view documents);
  /// The id of the entry in the book; empty if none was kept.
  const std::string& booked() const noexcept { return booked_; }
  void keep_booked(const std::string& id);
  /// The steps of the state that was kept last; nothing if the fit has not begun.
  const std::optional<std::size_t>& steps() const noexcept { return steps_; }

  /// Keeps a state in the place of the one before, with the words that were chosen privately: to be given with the first
  /// state, and null if they are public.
  void keep(const private_topics_state& state, const vocabulary_ptr& words = nullptr);
  /// Removes the folder; files of others in it stay, in a folder named <folder>.removed-fit.
  void remove();

 private:
  struct lock;

  void write_head() const;
  void read();

  std::filesystem::path folder_;
  std::string plan_, documents_, booked_;
  std::optional<std::size_t> steps_;
  std::unique_ptr<lock> lock_;
};

/// The state of so many steps in a folder, which some run holds. Throws parse_error as load_checkpoint does.
kept_state load_kept_state(const std::filesystem::path& folder, std::size_t steps);

/// The files of that state, for processes that compare what they have loaded.
std::vector<std::filesystem::path> kept_files(const std::filesystem::path& folder, std::size_t steps);

}  // namespace dplda::inline v0_1

#ifndef DPLDA_COMPILED
#include <dplda/io/detail/fit_folder.ipp>
#endif

#endif
