// SPDX-License-Identifier: Apache-2.0
// A program of a few headers, which compiles sooner than one of all.
#include <dplda/core/topic_model.hpp>
#include <dplda/io/text.hpp>
#include <dplda/version.hpp>

#include <iostream>
#include <string>
#include <vector>

int main() {
  const std::vector<std::string> texts{"ferry harbour gull ferry", "harbour gull harbour"};
  const dplda::corpus docs = dplda::corpus_from_texts(texts);
  std::cout << "dplda " << dplda::version_string << ": " << docs.words() << " words\n";
  return docs.words() == 3 && std::cout.flush() ? 0 : 1;
}
