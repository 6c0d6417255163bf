// SPDX-License-Identifier: Apache-2.0
#include "processes.hpp"

#include <cstdlib>
#include <memory>
#include <optional>

#include "program.hpp"
#include "system.hpp"

#ifdef DPLDA_WITH_MPI
#include <dplda/distributed/mpi_communicator.hpp>
#endif

namespace dplda_program {

namespace {

/// What a launcher says in the environment.
std::optional<unsigned long> number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == 0) return {};
  return std::strtoul(text, nullptr, 10);
}

/// How many processes were started together: by mpirun of Open MPI, by that of MPICH or Intel MPI, or by srun. (mpirun
/// inside a job of Slurm starts processes that have its variables, too, so the first that is set counts.)
unsigned long started_processes() {
  for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    if (const auto number = number_in(variable)) return *number;
  }
  return 1;
}

#ifdef DPLDA_WITH_MPI
std::unique_ptr<dplda::mpi_session> session;
#endif
dplda::process_group group;

}  // namespace

#ifdef DPLDA_WITH_MPI

process_session::process_session(int& argc, char**& argv) {
  if (started_processes() == 1) return;  // quicker without MPI
  session = std::make_unique<dplda::mpi_session>(argc, argv);
  group = session->processes();
  if (!is_first()) silence();
}
process_session::~process_session() { session.reset(); }

#else

process_session::process_session(int&, char**&) {}
process_session::~process_session() = default;

#endif

const dplda::process_group& processes() { return group; }

void check_processes() {
  const unsigned long started = started_processes();
  if (started <= 1 || processes().size() == started) return;
  const std::string number = std::to_string(started);
#ifdef DPLDA_WITH_MPI
  throw usage_error("was started as one of " + number +
                    " processes, but by another MPI than it was built with, so they "
                    "do not know each other and each would make a release of its own; start it by the mpirun that "
                    "belongs to its MPI (or by srun --mpi=pmix)");
#else
  throw usage_error("was started as one of " + number +
                    " processes, but was built without MPI, so each would make a "
                    "release of its own, and their privacy losses would add up; start it once, or build it where MPI "
                    "is installed (Debian: libopenmpi-dev)");
#endif
}

void require_one_process(const std::string& what) {
  if (!processes().alone()) throw usage_error(what + " runs in one process; start it without mpirun");
}

void refuse_different(const char* what) {
  throw std::runtime_error(std::string("the processes have different ") + what +
                           "; all must see the same files, with the same contents, from beginning to end");
}

void require_same_in_all(const std::string& text, const char* what) {
  std::string first = text;
  processes().broadcast(first, 0);
  if (first != text) refuse_different(what);
}

}  // namespace dplda_program
