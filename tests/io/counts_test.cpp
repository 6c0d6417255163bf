// SPDX-License-Identifier: Apache-2.0
// The noisy counts behind topics, in memory and in a model folder.
#include <dplda/io/model_folder.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny.hpp"

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

topic_counts some_counts() {
  topic_counts counts{Eigen::MatrixXd(2, 3), Eigen::Vector3d(1, 0.1, 3), Eigen::Vector3d(4, -5, 6e9),
                      Eigen::Vector3d(7, 1.0 / 3, 1e-9)};
  counts.cells << 1.5, -2, 1.0 / 7, 4, 1e300, -6;
  return counts;
}

topic_model<> with(topic_counts counts) {
  return make_model({{0.5, 0.25, 0.25}, {0.1, 0.2, 0.7}})
      .with_counts(std::make_shared<const topic_counts>(std::move(counts)));
}

}  // namespace

TEST_CASE("Counts that do not fit their topics are refused", "[io][counts]") {
  CHECK(with(some_counts()).counts()->cells == some_counts().cells);
  CHECK(with(some_counts()).with_counts(nullptr).counts() == nullptr);
  const auto refused = [](auto&& change) {
    topic_counts counts = some_counts();
    change(counts);
    return refusal([&] { with(counts); });
  };
  CHECK_THAT(refused([](auto& c) { c.cells.conservativeResize(3, 3); }), ContainsSubstring("another size"));
  CHECK_THAT(refused([](auto& c) { c.words.conservativeResize(2); }), ContainsSubstring("another size"));
  CHECK_THAT(refused([](auto& c) { c.cells(1, 1) = std::nan(""); }), ContainsSubstring("not finite"));
  CHECK_THAT(refused([](auto& c) { c.word_noise[2] = HUGE_VAL; }), ContainsSubstring("not finite"));
  CHECK_THAT(refused([](auto& c) { c.cell_noise[0] = 0; }), ContainsSubstring("not positive"));
}

TEST_CASE("A model folder keeps the counts bit for bit, and is complete without", "[io][counts]") {
  const temporary_folder folder;
  const std::filesystem::path path = folder.path() / "model";
  save_model(path, with(some_counts()));
  const topic_model<> back = load_model(path);
  REQUIRE(back.counts() != nullptr);
  CHECK(back.counts()->cells == some_counts().cells);
  CHECK(back.counts()->cell_noise == some_counts().cell_noise);
  CHECK(back.counts()->words == some_counts().words);
  CHECK(back.counts()->word_noise == some_counts().word_noise);

  // A file of another model's counts, and none.
  topic_counts other = some_counts();
  other.words[0] += 1;
  write_npy(path / "counts.npy", detail::matrix_of(other));
  std::string said;
  try {
    load_model(path);
  } catch (const parse_error& error) {
    said = error.what();
  }
  CHECK_THAT(said, ContainsSubstring("counts.npy: the checksum does not match"));
  std::filesystem::remove(path / "counts.npy");
  CHECK(load_model(path).counts() == nullptr);
  CHECK(load_model(path).phi() == back.phi());
  CHECK_THAT(refusal([] { detail::counts_of(npy_matrix<double>(4, 3), 2); }), ContainsSubstring("three more"));

  save_model(path, back.with_counts(nullptr), {.overwrite = true});
  CHECK_FALSE(std::filesystem::exists(path / "counts.npy"));
}
