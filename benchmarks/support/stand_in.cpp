// SPDX-License-Identifier: Apache-2.0
// A synthetic corpus for a quick run without the real one; start.sh starts it.
//   stand_in NAME FOLDER DOCUMENTS WORDS LENGTH USERS
// writes docword.NAME.txt, vocab.NAME.txt and, unless USERS is 0, users.NAME.txt to FOLDER.

#include <dplda/corpora/synthetic.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/random/source.hpp>

#include "program.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  return dplda_benchmarks::guarded(argv[0], [&] {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() != 6) throw std::invalid_argument("expected NAME FOLDER DOCUMENTS WORDS LENGTH USERS");
    const std::filesystem::path folder = words[1];
    const auto data = dplda::synthetic_lda({.documents = std::stoul(words[2]),
                                            .words = std::stoul(words[3]),
                                            .topics = 20,
                                            .mean_length = std::stod(words[4]),
                                            .length = dplda::length_law::log_normal,
                                            .users = std::stoul(words[5])},
                                           dplda::seeded_random(1));
    const auto file = [&](const char* what) { return folder / (std::string(what) + "." + words[0] + ".txt"); };
    data.docs.has_users() ? dplda::write_uci(file("docword"), data.docs, file("vocab"), file("users"))
                          : dplda::write_uci(file("docword"), data.docs, file("vocab"));
    return 0;
  });
}
