// SPDX-License-Identifier: Apache-2.0
#include "interrupts.hpp"

#include <atomic>
#include <string_view>

#include "system.hpp"

namespace dplda_program {

namespace {

// Lock-free, as what a handler shares with the threads must be.
std::atomic<bool> deferred{false}, remembered{false}, nothing_spent{false}, written{false}, booked{false},
    hinted{false}, kept{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) {
  if (deferred) {
    remembered = true;
    return;
  }
  report_interrupt();
  exit_at_once(130);
}

}  // namespace

void handle_interrupts() { handle_signals(on_signal); }

void set_unspent(bool unspent) noexcept { nothing_spent = unspent; }
void set_booked() noexcept { booked = true; }
void set_hinted() noexcept { hinted = true; }
void set_kept() noexcept { kept = true; }
void set_over() noexcept { deferred = true; }

void report_interrupt() noexcept {
  const std::string_view message =
      nothing_spent && booked
          ? "\ndplda: interrupted; nothing was written and no result was shown, but the release was in the book "
            "already and counts as spent\n"
      : nothing_spent && hinted
          ? "\ndplda: interrupted; nothing was written, but words had been chosen, and the time left that was shown "
            "depends on their number, so the plan counts as spent\n"
      : nothing_spent ? "\ndplda: interrupted; nothing was written and no result was shown, so no privacy budget is "
                        "spent\n"
      : written       ? "\ndplda: interrupted, but the result was written, and its privacy budget is spent\n"
                      : "\ndplda: interrupted\n";
  write_to_stderr(message);
  if (nothing_spent && kept) write_to_stderr("dplda: the same command goes on from its checkpoint\n");
}

void check_interrupts() {
  if (remembered) throw interrupt{};
}

deferred_interrupts::deferred_interrupts() noexcept { deferred = true; }
deferred_interrupts::~deferred_interrupts() { deferred = false; }
void deferred_interrupts::commit() const {
  check_interrupts();
  if (nothing_spent.exchange(false)) written = true;
}

}  // namespace dplda_program
