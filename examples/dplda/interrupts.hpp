// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_INTERRUPTS_HPP
#define DPLDA_EXAMPLES_DPLDA_INTERRUPTS_HPP

// How the program is stopped (Ctrl-C). All work is done in memory, and files are written at the end in one go, so there
// is nothing to clean up except while they are written.

namespace dplda_program {

/// From now on, an interrupt ends the program at once, with exit code 130.
void handle_interrupts();

/// Whether an interrupt may be answered by "no privacy budget is spent": true while a release is being made, false as
/// soon as any of it can be seen.
void set_unspent(bool unspent) noexcept;

/// From now on, an interrupt is answered by "the release was in the book already and counts as spent".
void set_booked() noexcept;

/// From now on, an interrupt is answered by "words had been chosen, so the plan counts as spent": the display of steps
/// gives a hint about their number.
void set_hinted() noexcept;

/// From now on, the answer adds that the same command goes on from the checkpoint.
void set_kept() noexcept;

/// From now on, an interrupt is ignored: all is said, and mpirun stops what is left of a job that has failed.
void set_over() noexcept;

/// While files are written and put into place, an interrupt is only remembered.
class deferred_interrupts {
 public:
  deferred_interrupts() noexcept;
  ~deferred_interrupts();
  deferred_interrupts(const deferred_interrupts&) = delete;
  deferred_interrupts& operator=(const deferred_interrupts&) = delete;
  /// To be called before a file is put into place: throws interrupt if there was one; otherwise what is written counts
  /// as seen.
  void commit() const;
};

/// Throws interrupt if one was remembered.
void check_interrupts();

/// Thrown by commit() and check_interrupts(); what was written is removed on the way out.
struct interrupt {};
/// Says what an interrupt means.
void report_interrupt() noexcept;

}  // namespace dplda_program

#endif
