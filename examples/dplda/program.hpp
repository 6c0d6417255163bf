// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_PROGRAM_HPP
#define DPLDA_EXAMPLES_DPLDA_PROGRAM_HPP

// What all commands share: errors, sentences, JSON, files, progress.

#include <dplda/accounting/guarantee.hpp>
#include <dplda/accounting/ledger.hpp>
#include <dplda/core/progress.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/whole_files.hpp>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../support/paragraph.hpp"

namespace dplda_program {

using dplda::json_value;

/// The command line asks for something impossible: exit code 2. Errors of the input or the system have exit code 1.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// All was done as asked, but nothing could be learned, and the budget is spent: exit code 3.
struct nothing_learned : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns f(). A std::invalid_argument, which only options can cause here, becomes a usage_error.
template <class Function>
auto from_options(Function&& f) {
  try {
    return std::forward<Function>(f)();
  } catch (const std::invalid_argument& error) {
    throw usage_error(error.what());
  }
}

using dplda_examples::paragraph;

/// Numbers as people write them: 0.125, 1e-06.
std::string number(double value, int digits = 4);

/// A list of texts.
json_value list_of(const std::vector<std::string>& texts);

/// Prints an object on standard output.
void print(const json_value& object);

/// Writes files that appear whole, all of them or none. Throws std::runtime_error as check_writable does, and if they
/// cannot be written; interrupt, as interrupts.hpp says.
void write_outputs(const std::vector<dplda::file_text>& files, bool force);

/// Throws std::runtime_error if nothing may be written there: it exists and `force` is not set, it is a link, it is not
/// a file (or, with `folder`, not a folder), or its parent folder is missing or write-protected. To be called for all
/// outputs before any work is done.
void check_writable(const std::filesystem::path& path, bool force, bool folder = false);

/// Progress on standard error: a bar with the remaining time on a terminal, a few lines elsewhere, nothing if quiet. It
/// gets numbers of planned steps only.
class progress_display {
 public:
  explicit progress_display(bool quiet);
  ~progress_display();
  progress_display(const progress_display&) = delete;
  progress_display& operator=(const progress_display&) = delete;
  /// Begins a phase that has no steps.
  void phase(std::string_view what);
  /// For a fit; never stops it. Valid as long as this object.
  dplda::observer observer();
  /// Leaves the terminal clean for what is printed next.
  void done();

 private:
  void show(const dplda::progress& at);

  bool quiet_, terminal_, shown_ = false;
  std::chrono::steady_clock::time_point begin_{};
  std::size_t tenths_ = 0;
};

}  // namespace dplda_program

#endif
