// SPDX-License-Identifier: Apache-2.0
#include "gzip.hpp"

#include <dplda/core/errors.hpp>
#include <dplda/io/files.hpp>

#ifdef DPLDA_WITH_ZLIB
#include <zlib.h>

#include <algorithm>
#include <limits>
#endif

namespace dplda_program {

#ifdef DPLDA_WITH_ZLIB

namespace {

struct inflater {
  z_stream stream{};
  bool ready = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK;  // 16: gzip only
  inflater() = default;
  inflater(const inflater&) = delete;
  inflater& operator=(const inflater&) = delete;
  ~inflater() {
    if (ready) inflateEnd(&stream);
  }
};

}  // namespace

std::string inflated(const std::filesystem::path& path, std::size_t most_megabytes) {
  const std::string packed = dplda::read_bytes(path);
  const auto refuse = [&](const std::string& why) { throw dplda::parse_error(path.string(), 0, why); };
  inflater inflate_all;
  if (!inflate_all.ready) refuse("zlib could not be started");
  z_stream& stream = inflate_all.stream;
  std::string text, block(std::size_t{1} << 18, '\0');
  std::size_t at = 0;
  const auto feed = [&] {
    const std::size_t size = std::min<std::size_t>(packed.size() - at, std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + at));
    stream.avail_in = static_cast<uInt>(size);
    at += size;
  };
  while (true) {
    if (stream.avail_in == 0) feed();
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (text.size() + block.size() - stream.avail_out > most_megabytes * 1'000'000)
      refuse("unpacks to more than " + std::to_string(most_megabytes) +
             " megabytes; if that is meant, allow it with --unpacked");
    text.append(block, 0, block.size() - stream.avail_out);
    if (status == Z_STREAM_END) {
      if (stream.avail_in == 0 && at == packed.size()) return text;
      if (inflateReset(&stream) != Z_OK) refuse("zlib could not continue");  // a file of several parts
    } else if (status != Z_OK) {
      refuse(status == Z_BUF_ERROR ? "expected a whole gzipped file, found one that is cut off"
                                   : "expected a gzipped file, found a damaged one or another kind of file");
    }
  }
}

#else

std::string inflated(const std::filesystem::path& path, std::size_t) {
  throw dplda::parse_error(path.string(), 0, "this dplda was built without zlib; unpack the file first (gunzip)");
}

#endif

}  // namespace dplda_program
