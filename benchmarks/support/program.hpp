// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_BENCHMARKS_SUPPORT_PROGRAM_HPP
#define DPLDA_BENCHMARKS_SUPPORT_PROGRAM_HPP

// How the programs of papers/ begin: NAME DATA FOLDER [SETTING VALUE]... . DATA holds corpora as support/start.sh unpacks
// them, results go to FOLDER, and settings have defaults.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dplda_benchmarks {

/// Named values: numbers, words, or lists with commas between their items.
class settings {
 public:
  settings(std::initializer_list<std::pair<const std::string, std::string>> defaults) : values_(defaults) {}

  /// Throws std::invalid_argument if there is no setting of this name.
  void set(const std::string& name, const std::string& value) {
    if (!values_.contains(name)) throw std::invalid_argument("unknown setting " + name + "; settings are " + names());
    values_[name] = value;
  }

  const std::string& text(const std::string& name) const { return values_.at(name); }
  bool on(const std::string& name) const { return number(name) != 0; }
  double number(const std::string& name) const {
    std::size_t used = 0;
    const std::string& value = values_.at(name);
    try {
      const double result = std::stod(value, &used);
      if (used == value.size()) return result;
    } catch (const std::logic_error&) {
    }
    throw std::invalid_argument("setting " + name + " is " + value + "; it must be a number");
  }
  std::uint64_t count(const std::string& name) const { return static_cast<std::uint64_t>(number(name)); }
  std::vector<std::string> list(const std::string& name) const {
    std::vector<std::string> items;
    std::istringstream text(values_.at(name));
    for (std::string item; std::getline(text, item, ',');) items.push_back(item);
    return items;
  }

  /// All names with their values.
  std::string names() const {
    std::string all;
    for (const auto& [name, value] : values_) all += (all.empty() ? "" : ", ") + name + " (" + value + ")";
    return all;
  }

 private:
  std::map<std::string, std::string> values_;
};

/// A program's task.
struct task {
  std::filesystem::path data, folder;
  settings with;
};

/// Calls a body, and turns an exception into a message and the exit code 1.
template <class Body>
int guarded(const char* program, Body&& body) {
  try {
    return body();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(program).filename().c_str(), problem.what());
    return 1;
  }
}

/// Reads DATA FOLDER [SETTING VALUE]..., makes the folder, and calls body(task).
template <class Body>
int run_task(int argc, char** argv, settings defaults, Body&& body) {
  return guarded(argv[0], [&] {
    if (argc < 3 || argc % 2 == 0) {
      std::fprintf(stderr, "usage: %s DATA FOLDER [SETTING VALUE]...; settings: %s\n",
                   std::filesystem::path(argv[0]).filename().c_str(), defaults.names().c_str());
      return 2;
    }
    for (int i = 3; i < argc; i += 2) defaults.set(argv[i], argv[i + 1]);
    const task asked{argv[1], argv[2], defaults};
    std::filesystem::create_directories(asked.folder);
    body(asked);
    return 0;
  });
}

}  // namespace dplda_benchmarks

#endif
