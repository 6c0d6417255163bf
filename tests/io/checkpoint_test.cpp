// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/checkpoint.hpp>
#include <dplda/io/npy.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

using namespace dplda;
using Catch::Matchers::ContainsSubstring;

namespace {

// A place for a checkpoint.
struct scratch {
  dplda_tests::temporary_folder around;
  std::filesystem::path path = around.path() / "checkpoint";
};

std::string loading(const std::filesystem::path& folder) {
  try {
    load_checkpoint(folder);
    return "";
  } catch (const parse_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("A fit resumes from a checkpoint as from its state", "[io][checkpoint]") {
  const corpus docs = synthetic_lda({.documents = 300, .words = 40, .topics = 3}, seeded_random(1)).docs;
  const private_svi learner({.topics = 3, .units = 300, .words = 40, .steps = 5}, {.epsilon = 1, .delta = 1e-5});
  random_source random = seeded_random(2);
  private_topics_state state = learner.start(docs, random);
  const scratch folder;
  save_checkpoint(folder.path, state);
  CHECK(load_checkpoint(folder.path).phi() == state.phi());  // before the first step too
  REQUIRE(dplda_tests::stopped([&] { learner.resume(state, docs, random, dplda_tests::after_step(2)); }));
  save_checkpoint(folder.path, state);  // takes the former one's place
  private_topics_state loaded = load_checkpoint(folder.path);
  CHECK(loaded.steps() == 2);
  CHECK(loaded.phi() == state.phi());
  CHECK(loaded.table() == state.table());
  CHECK(std::ranges::equal(loaded.ledger().entries(), state.ledger().entries()));

  random_source first = seeded_random(3), second = seeded_random(3);
  const auto from_state = learner.resume(state, docs, first), from_disk = learner.resume(loaded, docs, second);
  CHECK(from_state.value().phi() == from_disk.value().phi());
  CHECK(from_disk.guarantee().epsilon == learner.guarantee().epsilon);
}

TEST_CASE("A checkpoint between rounds of steps is resumed, and one within a round is refused", "[io][checkpoint]") {
  const corpus docs = synthetic_lda({.documents = 300, .words = 40, .topics = 3}, seeded_random(1)).docs;
  const private_svi learner(
      {.topics = 3, .units = 300, .words = 40, .steps = 4, .rate = 0.5, .batches = batch_choice::rounds},
      {.epsilon = 1, .delta = 1e-5});
  REQUIRE(learner.plan().steps == 4);
  random_source random = seeded_random(2);
  const private_topics_state start = learner.start(docs, random);
  const scratch folder;
  const auto saved_after = [&](std::size_t step) {
    private_topics_state state = start;
    CHECK(dplda_tests::stopped([&] { learner.resume(state, docs, random, dplda_tests::after_step(step)); }));
    save_checkpoint(folder.path, state);
    return load_checkpoint(folder.path);
  };
  for (const std::size_t step : {1u, 3u}) {
    private_topics_state within = saved_after(step);
    // The round that was begun is booked as a whole.
    CHECK(within.ledger().entries().back().event == learner.plan().table.event());
    CHECK(within.ledger().entries().back().count == (step + 1) / 2);
    CHECK_THAT(dplda_tests::refusal([&] { learner.resume(within, docs, random); }),
               ContainsSubstring("within a round of steps"));
    CHECK(within.steps() == step);
  }
  private_topics_state between = saved_after(2);
  CHECK(between.ledger().entries().back().count == 1);
  const auto released = learner.resume(between, docs, random);
  CHECK(std::ranges::equal(released.ledger().entries(), learner.plan().ledger.entries()));
  CHECK(released.guarantee().epsilon == learner.guarantee().epsilon);
}

TEST_CASE("A checkpoint knows whether public topics are used", "[io][checkpoint]") {
  const synthetic_data data = synthetic_lda({.documents = 300, .words = 400, .topics = 3}, seeded_random(1));
  const private_svi learner(
      {.topics = 3, .units = 300, .words = 400, .steps = 3, .public_topics = declare_public(data.model)},
      {.epsilon = 1, .delta = 1e-5});
  random_source random = seeded_random(2), first = seeded_random(3), second = seeded_random(3),
                third = seeded_random(3);
  private_topics_state state = learner.start(data.docs, random);
  REQUIRE(state.uses_public_topics());
  const scratch folder;
  save_checkpoint(folder.path, state);
  private_topics_state loaded = load_checkpoint(folder.path);
  CHECK(loaded.get().gain == state.get().gain);
  private_topics_state::parts parts = state.get();
  parts.gain = -parts.gain;
  private_topics_state without(parts);
  const auto from_state = learner.resume(state, data.docs, first),
             from_disk = learner.resume(loaded, data.docs, second),
             unguided = learner.resume(without, data.docs, third);
  CHECK(from_state.value().phi() == from_disk.value().phi());
  CHECK(from_state.remarks() == from_disk.remarks());
  CHECK(unguided.value().phi() != from_disk.value().phi());
  CHECK(unguided.remarks() != from_disk.remarks());
}

TEST_CASE("Checkpoints of other plans and damaged ones are refused", "[io][checkpoint]") {
  const corpus docs = synthetic_lda({.documents = 50, .words = 10, .topics = 2}, seeded_random(1)).docs;
  const private_svi_options options{.topics = 2, .units = 50, .words = 10, .steps = 3};
  const private_svi learner(options, {.epsilon = 1, .delta = 1e-5});
  random_source random = seeded_random(2);
  private_topics_state state = learner.start(docs, random);
  const scratch folder;
  save_checkpoint(folder.path, state);

  // A plan with more noise must not adopt what was released with less.
  const private_svi stricter(options, {.epsilon = 0.5, .delta = 1e-5});
  CHECK_THAT(dplda_tests::refusal([&] { stricter.resume(state, docs, random); }), ContainsSubstring("ledger"));
  const private_svi larger({.topics = 3, .units = 50, .words = 10, .steps = 3}, {.epsilon = 1, .delta = 1e-5});
  CHECK_THAT(dplda_tests::refusal([&] { larger.resume(state, docs, random); }), ContainsSubstring("topics"));

  // Nor one whose ledger has another number of steps, or steps of another noise; nor another method or vocabulary.
  const auto changed = [&](auto&& change) {
    private_topics_state::parts parts = state.get();
    change(parts);
    private_topics_state other(std::move(parts));
    return dplda_tests::refusal([&] { learner.resume(other, docs, random); });
  };
  CHECK_THAT(changed([](auto& p) { p.steps = 2; }), ContainsSubstring("ledger"));
  CHECK_THAT(changed([&](auto& p) {
               p.steps = 1;
               privacy_event event = learner.plan().ledger.entries()[2].event;
               event.noise = gaussian_noise{1000};
               p.ledger.record(event);
             }),
             ContainsSubstring("ledger"));
  CHECK_THAT(changed([](auto& p) { ++p.settings; }), ContainsSubstring("vocabulary"));
  private_svi_options louder = options;
  louder.clip = 7;
  const private_svi other_clip(louder, {.epsilon = 1, .delta = 1e-5});
  CHECK_THAT(dplda_tests::refusal([&] { other_clip.resume(state, docs, random); }), ContainsSubstring("clip"));
  const private_gibbs other_method({.topics = 2, .units = 50, .words = 10, .steps = 3}, {.epsilon = 1, .delta = 1e-5});
  CHECK_THAT(dplda_tests::refusal([&] { other_method.resume(state, docs, random); }), ContainsSubstring("method"));
  CHECK_THAT(dplda_tests::refusal([&] {
               private_topics_state::parts parts = state.get();
               parts.background_noise = 1e-200;
               private_topics_state{std::move(parts)};
             }),
             ContainsSubstring("background_noise"));

  CHECK_THAT(dplda_tests::refusal([&] {
               private_topics_state::parts parts = state.get();
               parts.background_weights[0] = 0;
               private_topics_state{std::move(parts)};
             }),
             ContainsSubstring("weights"));

  std::filesystem::create_directory(folder.path / "aside");
  CHECK_THROWS_AS(save_checkpoint(folder.path / "aside", state), std::runtime_error);
  write_npy(folder.path / "words.npy", Eigen::MatrixXd::Ones(4, 9).eval());
  CHECK_THAT(loading(folder.path), ContainsSubstring("10 words"));
  write_npy(folder.path / "words.npy", Eigen::MatrixXd::Ones(2, 10).eval());
  CHECK_THAT(loading(folder.path), ContainsSubstring("4 rows"));
  std::ofstream(folder.path / "state.json") << "{}";
  CHECK_THAT(loading(folder.path), ContainsSubstring("format"));
  std::filesystem::remove(folder.path / "state.json");
  CHECK_THAT(loading(folder.path), ContainsSubstring("state.json"));
}
