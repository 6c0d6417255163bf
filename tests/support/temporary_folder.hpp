// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP
#define DPLDA_TESTS_SUPPORT_TEMPORARY_FOLDER_HPP

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace dplda_tests {

/// A new folder with a name that no other test uses at the same time; the destructor removes it with its contents.
class temporary_folder {
 public:
  temporary_folder() {
    std::random_device random;
    for (int tries = 0; path_.empty(); ++tries) {
      if (tries == 100) throw std::runtime_error("no temporary folder");
      auto name = std::filesystem::temp_directory_path() / ("dplda_test_" + std::to_string(random()));
      if (std::filesystem::create_directory(name)) path_ = std::move(name);
    }
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file, creating its parent folders, and returns its path.
  std::filesystem::path file(const std::string& name, std::string_view bytes) const {
    const auto path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace dplda_tests

#endif
