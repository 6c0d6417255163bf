// SPDX-License-Identifier: Apache-2.0
#include "same_input.hpp"

#include <dplda/io/files.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <span>
#include <string>

#include "processes.hpp"

namespace dplda_program {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t block = std::uint64_t{1} << 20;

class running_hash {  // FNV-1a
 public:
  void add(std::uint64_t part) { value_ = (value_ ^ part) * 0x100000001b3u; }
  std::uint64_t value() const { return value_ ^ value_ >> 31; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

/// The hashes of blocks [first, last) of the files laid end to end; 0 for the others.
std::vector<std::uint64_t> block_hashes(const std::vector<fs::path>& files, const std::vector<std::uint64_t>& sizes,
                                        std::uint64_t blocks, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> hashes(blocks);
  std::vector<running_hash> running(blocks);
  std::array<char, 1 << 16> bytes;
  std::uint64_t at = 0;  // where a file begins
  for (std::size_t i = 0; i < files.size(); at += sizes[i++]) {
    const std::uint64_t begin = std::max(at, first * block), end = std::min(at + sizes[i], last * block);
    if (begin >= end) continue;
    std::ifstream in = dplda::open_to_read(files[i]);
    in.seekg(static_cast<std::streamoff>(begin - at));
    for (std::uint64_t place = begin; place < end;) {
      const std::uint64_t wanted = std::min<std::uint64_t>({bytes.size(), end - place, block - place % block});
      in.read(bytes.data(), static_cast<std::streamsize>(wanted));
      if (static_cast<std::uint64_t>(in.gcount()) != wanted)
        throw dplda::parse_error(files[i].string(), 0, "expected a file that stays as it is while it is read");
      for (std::uint64_t b = 0; b < wanted; ++b) running[place / block].add(static_cast<unsigned char>(bytes[b]));
      place += wanted;
    }
  }
  for (std::uint64_t b = first; b < last; ++b) hashes[b] = running[b].value();
  return hashes;
}

}  // namespace

void require_same_bytes(const fs::path& input) {
  const std::vector<fs::path> files = fs::is_directory(input) ? dplda::visible_files(input) : std::vector{input};
  std::vector<std::uint64_t> sizes;
  std::string list;
  std::uint64_t all = 0;
  for (const fs::path& file : files) {
    sizes.push_back(fs::file_size(file));
    all += sizes.back();
    list += file.lexically_relative(input).string() + ' ' + std::to_string(sizes.back()) + '\n';
  }
  require_same_in_all(list, "documents");
  const std::uint64_t blocks = (all + block - 1) / block, rank = processes().rank(), size = processes().size();
  const std::uint64_t first = blocks * rank / size, last = std::min(blocks, blocks * (rank + 1) / size + 2);
  std::vector<std::uint64_t> own =
      is_first() ? block_hashes(files, sizes, blocks, 0, blocks) : block_hashes(files, sizes, blocks, first, last);
  std::vector<std::uint64_t> expected = own;
  processes().broadcast(std::as_writable_bytes(std::span(expected)), 0);
  if (!std::equal(own.begin() + static_cast<std::ptrdiff_t>(first), own.begin() + static_cast<std::ptrdiff_t>(last),
                  expected.begin() + static_cast<std::ptrdiff_t>(first)))
    refuse_different("documents");
}

std::string fingerprint_of(const dplda::corpus& docs, const std::vector<std::uint32_t>& groups,
                           const dplda::process_group& all) {
  std::vector<std::uint64_t> words;  // whatever their numbers are
  for (dplda::word_id w = 0; w < docs.words(); ++w) {
    running_hash hash;
    for (const char c : docs.vocab()->word(w)) hash.add(static_cast<unsigned char>(c));
    words.push_back(hash.value());
  }
  std::uint64_t sums[] = {docs.size(), 0};
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const dplda::document doc = docs[d];
    running_hash hash;
    hash.add(doc.id);
    hash.add(docs.has_users() ? docs.user(d) + std::uint64_t{1} : 0);
    hash.add(groups.empty() ? 0 : groups[d] + std::uint64_t{1});
    for (std::size_t n = 0; n < doc.size(); ++n) {
      hash.add(words[doc.words[n]]);
      hash.add(doc.counts[n]);
    }
    sums[1] += hash.value();
  }
  all.sum(sums);
  return std::to_string(sums[0]) + ' ' + std::to_string(sums[1]);
}

void require_same_documents(const dplda::corpus& docs, const std::vector<std::uint32_t>& groups) {
  require_same_in_all(fingerprint_of(docs, groups, {}), "documents");
}

}  // namespace dplda_program
