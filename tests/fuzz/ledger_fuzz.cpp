// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/ledger.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    std::istringstream in(text);
    const dplda::ledger book = dplda::read_ledger(in, "fuzz");
    for (const auto& [event, count] : book.entries()) {
      must(count > 0, "an entry is used");
      dplda::check(event);
    }
    std::stringstream again;
    dplda::write_ledger(again, book);
    must(dplda::read_ledger(again, "again") == book, "a ledger reads as it was written");
  } catch (const dplda::parse_error&) {
  }
  try {
    std::istringstream in(text);
    const dplda::guarantee promise = dplda::read_guarantee(in, "fuzz");
    must(promise.epsilon >= 0 && promise.delta >= 0 && promise.delta <= 1, "a guarantee has a valid epsilon and delta");
    std::stringstream again;
    dplda::write_guarantee(again, promise);
    must(dplda::read_guarantee(again, "again") == promise, "a guarantee reads as it was written");
  } catch (const dplda::parse_error&) {
  }
  return 0;
}
