// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_PROCESSES_HPP
#define DPLDA_EXAMPLES_DPLDA_PROCESSES_HPP

// The processes that mpirun or srun started with one command line. They make one release: process 0 speaks, books and
// writes, and all end with one exit code.

#include <dplda/distributed/process_group.hpp>

#include <string>

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

/// Throws usage_error if this process was started as one of several that do not know each other: each would make a
/// release of its own, and its cost would come on top of the others'.
void check_processes();

/// Throws usage_error if there are several processes.
void require_one_process(const std::string& what);

/// Throws std::runtime_error if the processes do not all have the same text.
void require_same_in_all(const std::string& text, const char* what);

}  // namespace dplda_program

#endif
