// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <dplda/io/detail/files.hpp>
#include <dplda/io/ledger.hpp>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdio>
#include <deque>
#include <iostream>
#include <sstream>
#include <system_error>

#include "interrupts.hpp"
#include "system.hpp"

namespace dplda_program {

namespace fs = std::filesystem;

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

json to_json(const dplda::guarantee& claim) {
  std::ostringstream out;
  write_guarantee(out, claim);
  return json::parse(out.str());
}

json to_json(const dplda::ledger& book) {
  std::ostringstream out;
  write_ledger(out, book);
  return json::parse(out.str());
}

json finite(double value) { return std::isfinite(value) ? json(value) : json("infinity"); }

void print(const json& object) { std::cout << object.dump(2, ' ', false, json::error_handler_t::replace) << '\n'; }

void check_writable(const fs::path& path, bool force, bool folder) {
  std::error_code failure;
  if (path.empty()) throw usage_error("an output needs a name");
  const fs::file_status there = fs::symlink_status(path, failure);
  if (fs::is_symlink(there))  // it may lead to somebody else's
    throw std::runtime_error(path.string() +
                             ": is a link, and is neither followed nor replaced; name where it leads to");
  if (fs::exists(there) && !force)
    throw std::runtime_error(path.string() + ": exists already; choose another name, or replace it with --force");
  if (fs::exists(there) && !(folder ? fs::is_directory(there) : fs::is_regular_file(there)))
    throw std::runtime_error(path.string() + ": is no " + (folder ? "folder" : "file") + ", and is not replaced");
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, failure)) throw std::runtime_error(parent.string() + ": there is no such folder");
  if (!may_write_in(parent)) throw std::runtime_error(parent.string() + ": nothing may be written in this folder");
}

namespace {

/// A file beside its place, removed unless it is put there.
class partial_file {
 public:
  partial_file(const fs::path& place, const std::string& text) : place_(place), path_(place) {
    path_ += ".partial" + std::to_string(process_id());
    // Created here, so that it is no file or link that somebody has put there.
    if (!create_new_file(path_)) throw std::runtime_error(path_.string() + ": could not be created");
    try {
      dplda::detail::write_file(path_, [&](std::ostream& out) { out << text; });
    } catch (...) {
      remove();
      throw;
    }
  }
  ~partial_file() { remove(); }
  partial_file(const partial_file&) = delete;
  partial_file& operator=(const partial_file&) = delete;

  void put_into_place() { fs::rename(path_, place_); }

 private:
  void remove() const noexcept {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  fs::path place_, path_;
};

}  // namespace

void write_whole_files(const file_texts& files, bool force) {
  for (const auto& [path, text] : files) check_writable(path, force);
  const deferred_interrupts deferred;
  std::deque<partial_file> partial;
  for (const auto& [path, text] : files) partial.emplace_back(path, text);
  deferred.commit();
  for (partial_file& file : partial) file.put_into_place();
}

progress_display::progress_display(bool quiet) : quiet_(quiet), terminal_(stderr_is_terminal()) {}

progress_display::~progress_display() { done(); }

void progress_display::done() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void progress_display::phase(std::string_view what) {
  if (quiet_) return;
  done();
  std::fprintf(stderr, terminal_ ? "%.*s ..." : "dplda: %.*s\n", static_cast<int>(what.size()), what.data());
  shown_ = terminal_;
}

dplda::observer progress_display::observer() {
  begin_ = std::chrono::steady_clock::now();
  tenths_ = 0;
  return [this](const dplda::progress& step) {
    if (!quiet_ && step.steps > 0) show(step);
    return false;
  };
}

void progress_display::show(const dplda::progress& at) {
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
  const std::size_t tenths = 10 * at.step / at.steps;
  if (!terminal_) {
    if (tenths / 2 > tenths_ / 2) std::fprintf(stderr, "dplda: step %zu of %zu\n", at.step, at.steps);
    tenths_ = tenths;
    return;
  }
  done();
  if (at.step == at.steps) return;
  const double left = passed.count() / static_cast<double>(at.step) * static_cast<double>(at.steps - at.step);
  const std::string bar = std::string(3 * tenths, '#') + std::string(30 - 3 * tenths, '.');
  std::fprintf(stderr, "[%s] step %zu of %zu, ", bar.c_str(), at.step, at.steps);
  if (left < 100) {
    std::fprintf(stderr, "about %.0f s left", std::ceil(left));
  } else {
    std::fprintf(stderr, "about %.0f min left", std::ceil(left / 60));
  }
  shown_ = true;
}

}  // namespace dplda_program
