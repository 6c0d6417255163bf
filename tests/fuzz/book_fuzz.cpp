// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/budget_book.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    const dplda::book_content book = dplda::read_book(in, "fuzz");
    must(book.delta > 0 && book.delta < 1, "a book has a delta");
    for (const dplda::book_entry& entry : book.entries) {
      must(!entry.ledger.empty() && !entry.ledger.seeded(), "an entry has spent something");
      for (const auto& [event, count] : entry.ledger.entries()) {
        must(event.unit == book.unit && event.relation == book.relation, "entries have the book's unit and neighbours");
        dplda::check(event);
      }
    }
    if (book.limit) dplda::privacy_filter({book.limit->epsilon, book.delta}, book.limit->filter);
    std::stringstream once, twice;
    dplda::write_book(once, book);
    const dplda::book_content again = dplda::read_book(once, "again");
    must(again.entries == book.entries && again.limit.has_value() == book.limit.has_value(),
         "a book reads as it was written");
    dplda::write_book(twice, again);
    must(once.str() == twice.str(), "and is written as it was read");
  } catch (const dplda::parse_error&) {
  }
  return 0;
}
