// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/vocabulary.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  dplda::vocabulary_ptr words;
  try {
    words = dplda::read_vocabulary(in, "fuzz");
  } catch (const dplda::parse_error&) {
    return 0;
  }
  std::ostringstream out;
  dplda::write_vocabulary(out, *words);
  std::istringstream again(out.str());
  must(*words == *dplda::read_vocabulary(again, "again"), "written data read back unchanged");
  for (dplda::word_id id = 0; id < words->size(); ++id) must(words->find(words->word(id)) == id, "each word is found");
  return 0;
}
