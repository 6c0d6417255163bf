// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"
#include "same_parts.hpp"

#include <dplda/io/svmlight.hpp>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const dplda::vocabulary_ptr hundred_words = dplda::numbered_vocabulary(100);
  const std::string text(reinterpret_cast<const char*>(data), size);
  const dplda::svmlight_options options = {.first_index = size % 3 == 0 ? 0u : 1u};
  must_be_read_in_parts(
      text,
      [&] {
        std::istringstream whole(text);
        return dplda::labelled_corpus{.docs = dplda::read_svmlight(whole, "fuzz", hundred_words, nullptr, options)};
      },
      [&](std::istream& stream, const dplda::input_part& part) {
        return dplda::read_svmlight_part(stream, "fuzz", part, hundred_words, options);
      });
  std::istringstream in(text);
  dplda::corpus docs;
  try {
    docs = dplda::read_svmlight(in, "fuzz", size % 2 == 0 && !has_long_number(text) ? nullptr : hundred_words, nullptr,
                                options);
  } catch (const dplda::parse_error&) {
    return 0;
  }
  std::ostringstream out;
  dplda::write_svmlight(out, docs, options);
  std::istringstream again(out.str());
  must(same_corpus(docs, dplda::read_svmlight(again, "again", docs.vocab(), nullptr, options)),
       "written data read back unchanged");
  return 0;
}
