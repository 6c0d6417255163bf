// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/detail/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using dplda::detail::json;
  json value;
  try {
    value = json::parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const dplda::parse_error&) {
    return 0;
  }
  must(json::parse(value.dump(), "again") == value, "one line reads as what was written");
  must(json::parse(value.dump(2), "again") == value, "many lines read as what was written");
  return 0;
}
