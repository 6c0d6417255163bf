// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"
#include "same_parts.hpp"

#include <dplda/io/matrix_market.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A fixed vocabulary keeps inputs with many words fast.
  static const dplda::vocabulary_ptr words = dplda::numbered_vocabulary(100);
  const std::string text(reinterpret_cast<const char*>(data), size);
  must_be_read_in_parts(
      text,
      [&] {
        std::istringstream whole(text);
        return dplda::labelled_corpus{.docs = dplda::read_matrix_market(whole, "fuzz", words)};
      },
      [&](std::istream& stream, const dplda::input_part& part) {
        return dplda::read_matrix_market_part(stream, "fuzz", part, words);
      });
  std::istringstream in(text);
  dplda::corpus docs;
  try {
    docs = dplda::read_matrix_market(in, "fuzz", words);
  } catch (const dplda::parse_error&) {
    return 0;
  }
  std::ostringstream out;
  dplda::write_matrix_market(out, docs);
  std::istringstream again(out.str());
  must(same_corpus(docs, dplda::read_matrix_market(again, "again", words)), "written data read back unchanged");
  return 0;
}
