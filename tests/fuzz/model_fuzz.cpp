// SPDX-License-Identifier: Apache-2.0
#include "same_corpus.hpp"

#include <dplda/io/model_folder.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

// Input: a mode, then either three texts with a line "---" between them, taken for the three files, or damage (file,
// position, position, value) done to the files of a good model.

namespace {

using files = std::array<std::string, 3>;  // model.json, phi.npy, vocabulary.txt

dplda::topic_model<double> load(const files& of) {
  std::istringstream phi(of[1]), vocab(of[2]);
  return dplda::detail::assemble_model<double>(of[0], "model.json", phi, "phi.npy", vocab, "vocabulary.txt");
}

files save(const dplda::topic_model<double>& model) {
  std::ostringstream phi, vocab;
  dplda::write_npy(phi, model.phi());
  dplda::write_vocabulary(vocab, *model.vocab());
  using dplda::sha256_hex;
  return {dplda::detail::model_json(model, sha256_hex(phi.str()), sha256_hex(vocab.str())), phi.str(), vocab.str()};
}

bool same_model(const dplda::topic_model<double>& a, const dplda::topic_model<double>& b) {
  return a.phi().rows() == b.phi().rows() && a.phi().cols() == b.phi().cols() && a.alpha() == b.alpha() &&
         *a.vocab() == *b.vocab() &&
         std::memcmp(a.phi().data(), b.phi().data(), sizeof(double) * static_cast<std::size_t>(a.phi().size())) == 0;
}

const dplda::topic_model<double>& good_model() {
  static const dplda::topic_model<double> model = [] {
    Eigen::Matrix<double, 2, 3> phi;
    phi << 0.5, 0.25, 0.25, 0.1, 0.2, 0.7;
    return dplda::topic_model<double>(phi, dplda::numbered_vocabulary(3), Eigen::Vector2d(0.1, 1.0 / 3.0));
  }();
  return model;
}

files split(std::string text) {
  files parts;
  for (std::string& part : parts) {
    const std::size_t end = text.find("\n---\n");
    part = text.substr(0, end);
    text = end == std::string::npos ? std::string() : text.substr(end + 5);
  }
  return parts;
}

/// Corrects the checksums, so that the checks after them are reached as well.
void mend_checksums(files& of) {
  using dplda::json_value;
  const auto parsed = json_value::parse(of[0], "model.json");
  const auto* object = parsed.get_if<json_value::object>();
  if (object == nullptr) return;
  auto members = *object;
  for (auto& [key, value] : members) {
    if (key == "sha256") {
      value = json_value::object{{"phi.npy", dplda::sha256_hex(of[1])}, {"vocabulary.txt", dplda::sha256_hex(of[2])}};
    }
  }
  const std::string checksum = dplda::detail::model_checksum(members);
  for (auto& [key, value] : members) {
    if (key == "checksum") value = checksum;
  }
  of[0] = json_value(members).dump();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string rest(reinterpret_cast<const char*>(data + 1), size - 1);
  const int mode = data[0] % 3;
  try {
    if (mode == 0) {
      files damaged = save(good_model());
      for (std::size_t i = 0; i + 4 <= rest.size(); i += 4) {
        std::string& file = damaged[static_cast<unsigned char>(rest[i]) % 3];
        const std::size_t at =
            static_cast<unsigned char>(rest[i + 1]) * std::size_t{256} + static_cast<unsigned char>(rest[i + 2]);
        file[at % file.size()] = rest[i + 3];
      }
      must(same_model(load(damaged), good_model()), "a damaged model is refused");
    } else {
      files given = split(rest);
      if (mode == 2) mend_checksums(given);
      const auto model = load(given);
      must(same_model(load(save(model)), model), "a model that loads can be saved and loaded");
    }
  } catch (const dplda::parse_error&) {
  }
  return 0;
}
