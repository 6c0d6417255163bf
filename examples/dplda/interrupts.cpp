// SPDX-License-Identifier: Apache-2.0
#include "interrupts.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace dplda_program {

namespace {

// Lock-free, as what a handler shares with the threads must be.
std::atomic<bool> deferred{false}, remembered{false}, nothing_spent{false}, written{false}, booked{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int) {
  if (deferred) {
    remembered = true;
    return;
  }
  report_interrupt();
  ::_exit(130);
}

}  // namespace

void handle_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction former {};
    ::sigaction(signal, nullptr, &former);
    // What the parent wants ignored (nohup, a job in the background) stays ignored.
    if (former.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

void set_unspent(bool unspent) noexcept { nothing_spent = unspent; }
void set_booked() noexcept { booked = true; }

void report_interrupt() noexcept {
  const std::string_view message =
      nothing_spent && booked
          ? "\ndplda: interrupted; nothing was written and no result was shown, but the release was in the book "
            "already, and the book counts it\n"
      : nothing_spent ? "\ndplda: interrupted; nothing was written and no result was shown, so nothing of the privacy "
                        "budget is spent\n"
      : written ? "\ndplda: interrupted; but the result is written, and what it costs of the privacy budget is spent\n"
                : "\ndplda: interrupted\n";
  if (::write(STDERR_FILENO, message.data(), message.size()) < 0) return;  // nobody to tell
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
