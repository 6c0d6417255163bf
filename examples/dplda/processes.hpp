// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_PROCESSES_HPP
#define DPLDA_EXAMPLES_DPLDA_PROCESSES_HPP

// The processes that mpirun or srun started with one command line. They make one release: process 0 speaks, books and
// writes, and all end with one exit code.

#include <dplda/distributed/process_group.hpp>

#include <new>
#include <string>

#include "interrupts.hpp"
#include "program.hpp"

namespace dplda_program {

/// MPI from here to the end of the scope, where the program was built with it and was started by it. What processes other
/// than the first one print goes nowhere.
class process_session {
 public:
  process_session(int& argc, char**& argv);
  ~process_session();
  process_session(const process_session&) = delete;
  process_session& operator=(const process_session&) = delete;
};

/// All processes of this run.
const dplda::process_group& processes();
/// Whether this is the process that books and writes.
inline bool is_first() { return processes().rank() == 0; }

enum exit_code { success = 0, bad_input = 1, bad_usage = 2, nothing_useful = 3, interrupted = 130 };

/// Returns work(). What it throws becomes a process_failure with the exit code of the program; an empty sentence: all is
/// said. Other exceptions have bad_input.
template <class Work>
auto with_exit_code(Work&& work) {
  try {
    return work();
  } catch (const usage_error& error) {
    throw dplda::process_failure(error.what(), bad_usage);
  } catch (const nothing_learned& error) {
    throw dplda::process_failure(error.what(), nothing_useful);
  } catch (const interrupt&) {
    report_interrupt();
    throw dplda::process_failure("", interrupted);
  } catch (const std::bad_alloc&) {
    throw dplda::process_failure("there is not enough memory for this", bad_input);
  }
}

/// process_group::together, with the same exit code in all processes.
template <class Work>
auto together(Work&& work) {
  return processes().together([&] { return with_exit_code(work); });
}

/// Throws usage_error if this process was started as one of several that do not know each other: each would make a
/// release of its own, and its cost would come on top of the others'.
void check_processes();

/// Throws usage_error if there are several processes.
void require_one_process(const std::string& what);

/// Throws std::runtime_error: the processes do not all have the same.
[[noreturn]] void refuse_different(const char* what);

/// Throws std::runtime_error if the processes do not all have the same text.
void require_same_in_all(const std::string& text, const char* what);

}  // namespace dplda_program

#endif
