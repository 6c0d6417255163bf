// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <dplda/core/rounding.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <system_error>

#include "interrupts.hpp"
#include "system.hpp"

namespace dplda_program {

namespace fs = std::filesystem;

std::string number(double value, int digits) { return dplda::significant(value, digits); }

json_value list_of(const std::vector<std::string>& texts) { return json_value::array(texts.begin(), texts.end()); }

void print(const json_value& object) { std::cout << object.dump(2) << '\n'; }

void check_writable(const fs::path& name, bool force, bool folder) {
  std::error_code failure;
  fs::path path = name.lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end would follow a link
  if (path.empty()) throw usage_error("an output needs a name");
  const fs::file_status there = fs::symlink_status(path, failure);
  if (fs::is_symlink(there))  // it may lead to somebody else's
    throw std::runtime_error(path.string() + ": is a link, which is neither followed nor replaced; name its target");
  if (fs::exists(there) && !force)
    throw std::runtime_error(path.string() + ": exists already; choose another name, or replace it with --force");
  if (fs::exists(there) && !(folder ? fs::is_directory(there) : fs::is_regular_file(there)))
    throw std::runtime_error(path.string() + ": is not a " + (folder ? "folder" : "file") + ", so it is not replaced");
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, failure)) throw std::runtime_error(parent.string() + ": there is no such folder");
  if (!may_write_in(parent)) throw std::runtime_error(parent.string() + ": this folder is write-protected");
}

void write_outputs(const std::vector<dplda::file_text>& files, bool force) {
  for (const auto& [path, text] : files) check_writable(path, force);
  const deferred_interrupts deferred;
  dplda::write_whole_files(files, [&] { deferred.commit(); });
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
