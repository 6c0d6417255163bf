// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/topic_names.hpp>

#include <dplda/core/errors.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> names;
  try {
    names = dplda::read_topic_names(in, "fuzz", 3);
  } catch (const dplda::parse_error&) {
    return 0;
  }
  must(names.size() == 3, "a line for each topic");
  std::string text;
  for (const std::string& name : names) text += name + "\r\n";
  std::istringstream again(text);
  must(dplda::read_topic_names(again, "again", 3) == names, "names are stable");
  return 0;
}
