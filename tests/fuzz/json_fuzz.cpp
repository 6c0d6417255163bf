// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dplda::json_value;
  json_value value;
  try {
    value = json_value::parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const dplda::parse_error&) {
    return 0;
  }
  must(json_value::parse(value.dump(), "again") == value, "one line reads as what was written");
  must(json_value::parse(value.dump(2), "again") == value, "many lines read as what was written");
  return 0;
}
