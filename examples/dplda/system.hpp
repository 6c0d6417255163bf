// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_EXAMPLES_DPLDA_SYSTEM_HPP
#define DPLDA_EXAMPLES_DPLDA_SYSTEM_HPP

// What the program needs from the operating system and C++ does not offer, for POSIX and for Windows.

#include <csignal>
#include <filesystem>
#include <string_view>

#include <fcntl.h>
#if defined(_WIN32)
#include <io.h>
#include <process.h>
#include <sys/stat.h>
#else
#include <unistd.h>
#endif

namespace dplda_program {

#if defined(_WIN32)

inline bool stderr_is_terminal() { return ::_isatty(2) != 0; }
inline int process_id() { return ::_getpid(); }
/// Windows decides when a file is created.
inline bool may_write_in(const std::filesystem::path&) { return true; }

/// Creates an empty file; false if it cannot be made, or something of this name exists.
inline bool create_new_file(const std::filesystem::path& path) {
  const int created = ::_wopen(path.c_str(), _O_CREAT | _O_EXCL | _O_WRONLY, _S_IREAD | _S_IWRITE);
  return created >= 0 && ::_close(created) == 0;
}

/// These two may be called by a signal handler.
[[noreturn]] inline void exit_at_once(int code) { ::_exit(code); }
inline void write_to_stderr(std::string_view text) {
  if (::_write(2, text.data(), static_cast<unsigned>(text.size())) < 0) return;  // nobody to tell
}

/// What is printed from now on goes nowhere.
inline void silence() {
  const int nowhere = ::_open("NUL", _O_WRONLY);
  if (nowhere < 0) return;
  ::_dup2(nowhere, 1);
  ::_dup2(nowhere, 2);
}

inline void handle_signals(void (*handler)(int)) {
  std::signal(SIGINT, handler);
  std::signal(SIGTERM, handler);
}

#else

inline bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }
inline int process_id() { return ::getpid(); }
inline bool may_write_in(const std::filesystem::path& folder) { return ::access(folder.c_str(), W_OK | X_OK) == 0; }

/// Creates an empty file; false if it cannot be made, or something of this name exists.
inline bool create_new_file(const std::filesystem::path& path) {
  const int created = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  return created >= 0 && ::close(created) == 0;
}

/// These two may be called by a signal handler.
[[noreturn]] inline void exit_at_once(int code) { ::_exit(code); }
inline void write_to_stderr(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody to tell
}

/// What is printed from now on goes nowhere.
inline void silence() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
}

inline void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction former {};
    ::sigaction(signal, nullptr, &former);
    // What the parent wants ignored (nohup, a job in the background) stays ignored.
    if (former.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

#endif

}  // namespace dplda_program

#endif
