# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that start several processes: several N COMMAND... is mpirun on this machine, also in a container, as
# root, and with more processes than processors. Without Open MPI the test is skipped, loudly (exit code 77).
if ! command -v mpirun >/dev/null 2>&1 || ! mpirun --version 2>&1 | grep -q 'Open MPI'; then
  echo "SKIPPED: mpirun of Open MPI is not installed (Debian: openmpi-bin)" >&2
  exit 77
fi

OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_plm=isolated            # no ssh: all is here
OMPI_MCA_btl=self,vader          # nor a network
OMPI_MCA_btl_vader_single_copy_mechanism=none # containers forbid reading of other processes' memory
OMPI_MCA_mpi_yield_when_idle=1
# MPI's own libraries are not instrumented, and do not give back all of their memory.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}ignore_noninstrumented_modules=1
export ASAN_OPTIONS TSAN_OPTIONS
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_plm OMPI_MCA_btl \
  OMPI_MCA_btl_vader_single_copy_mechanism OMPI_MCA_mpi_yield_when_idle

several() {
  processes=$1
  shift
  mpirun -q --oversubscribe --bind-to none -n "$processes" "$@"
}
