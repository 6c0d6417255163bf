// SPDX-License-Identifier: Apache-2.0
// Writes the letters of the tour as files for the program dplda: letters.txt with a letter on each line, and users.txt
// with who wrote it.
//   letters [FOLDER [COUNT]]     without a folder, three letters are shown

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "support/letters.hpp"

int main(int argc, char** argv) {
  if (argc < 2) {
    for (const auto& letter : dplda_examples::city_letters(3))
      std::cout << "citizen " << letter.citizen << ": " << letter.text << '\n';
    return 0;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  std::ofstream letters(folder / "letters.txt"), users(folder / "users.txt");
  for (const auto& letter : dplda_examples::city_letters(argc > 2 ? std::stoul(argv[2]) : 20000)) {
    letters << letter.text << '\n';
    users << "citizen" << letter.citizen << '\n';
  }
  if (!letters.flush() || !users.flush()) {
    std::cerr << "could not write to " << folder << '\n';
    return 1;
  }
}
