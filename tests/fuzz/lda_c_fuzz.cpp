// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"
#include "same_parts.hpp"

#include <dplda/io/lda_c.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dplda::vocabulary_ptr hundred_words = dplda::numbered_vocabulary(100);
  const std::string text(reinterpret_cast<const char*>(data), size);
  must_be_read_in_parts(
      text,
      [&] {
        std::istringstream whole(text);
        return dplda::labelled_corpus{.docs = dplda::read_lda_c(whole, "fuzz", hundred_words)};
      },
      [&](std::istream& stream, const dplda::input_part& part) {
        return dplda::read_lda_c_part(stream, "fuzz", part, hundred_words);
      });
  std::istringstream in(text);
  dplda::corpus docs;
  try {
    docs = dplda::read_lda_c(in, "fuzz", size % 2 == 0 && !has_long_number(text) ? nullptr : hundred_words);
  } catch (const dplda::parse_error&) {
    return 0;
  }
  std::ostringstream out;
  dplda::write_lda_c(out, docs);
  std::istringstream again(out.str());
  must(same_corpus(docs, dplda::read_lda_c(again, "again", docs.vocab())), "written data read back unchanged");
  return 0;
}
