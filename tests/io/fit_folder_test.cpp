// SPDX-License-Identifier: Apache-2.0
#include <dplda/corpora/synthetic.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/fit_folder.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/stopped.hpp"
#include "support/temporary_folder.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

using namespace dplda;
using Catch::Matchers::ContainsSubstring;
using dplda_tests::refusal;
namespace fs = std::filesystem;

namespace {

struct scratch {
  dplda_tests::temporary_folder around;
  fs::path path = around.path() / "kept";
};

const private_svi& learner() {
  static const private_svi planned({.topics = 3, .units = 300, .words = 40, .steps = 5}, {.epsilon = 1, .delta = 1e-5});
  return planned;
}

}  // namespace

TEST_CASE("A fit goes on from its folder", "[io][fit_folder]") {
  const corpus docs = synthetic_lda({.documents = 300, .words = 40, .topics = 3}, seeded_random(1)).docs;
  random_source random = seeded_random(2);
  const scratch folder;
  private_topics_state state = learner().start(docs, random);
  {
    fit_folder kept(folder.path, "plan");
    CHECK(kept.booked().empty());
    CHECK_FALSE(kept.steps());
    CHECK((fs::status(folder.path).permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
    kept.keep_booked("1234");
    kept.keep(state, docs.vocab());
    REQUIRE(dplda_tests::stopped([&] {
      learner().resume(state, docs, random, [&](const progress& now) {
        kept.keep(state);
        return now.step == 2;
      });
    }));
  }
  CHECK(fs::exists(folder.path / "state-2"));
  CHECK_FALSE(fs::exists(folder.path / "state-1"));
  fs::create_directories(folder.path / "state-3.partial0");  // of a run that was killed while it wrote

  fit_folder again(folder.path, "plan");
  CHECK(again.booked() == "1234");
  REQUIRE(again.steps() == 2u);
  CHECK_FALSE(fs::exists(folder.path / "state-3.partial0"));
  kept_state loaded = load_kept_state(folder.path, 2);
  CHECK(loaded.state.phi() == state.phi());
  CHECK(*loaded.words == *docs.vocab());
  CHECK(kept_files(folder.path, 2).size() == 6);
  random_source fresh = seeded_random(3);
  CHECK(learner().resume(loaded.state, docs, fresh).ledger().entries().size() ==
        learner().plan().ledger.entries().size());
  again.remove();
  CHECK_FALSE(fs::exists(folder.path));
  CHECK_FALSE(fs::exists(folder.path.string() + ".removed-fit"));
}

TEST_CASE("A folder in which nothing was spent is removed, and others are left alone", "[io][fit_folder]") {
  const scratch folder;
  { const fit_folder kept(folder.path, "plan"); }
  CHECK_FALSE(fs::exists(folder.path));
  CHECK_FALSE(fs::exists(folder.path.string() + ".lock"));
  {
    fit_folder kept(folder.path, "plan");
    kept.keep_booked("1234");
  }
  CHECK(fs::exists(folder.path));
  CHECK_THAT(refusal([&] { fit_folder(folder.path, "another plan"); }),
             ContainsSubstring("the checkpoint of another plan"));
  CHECK(fit_folder(folder.path, "plan").booked() == "1234");

  const fs::path mine = folder.around.path() / "mine";
  fs::create_directories(mine);
  std::ofstream(mine / "letter.txt") << "dear";
  CHECK_THAT(refusal([&] { fit_folder(mine, "plan"); }), ContainsSubstring("not empty"));
  CHECK(read_bytes(mine / "letter.txt") == "dear");
  std::ofstream(folder.path / "fit.json") << "{}";
  CHECK_THROWS_AS(fit_folder(folder.path, "plan"), parse_error);
}

TEST_CASE("A fit goes on with the documents that it was begun with", "[io][fit_folder]") {
  const scratch folder;
  {
    fit_folder kept(folder.path, "plan");
    kept.keep_documents("January's");
    kept.keep_booked("1234");
  }
  fit_folder again(folder.path, "plan");
  CHECK_THAT(refusal([&] { again.keep_documents("February's"); }), ContainsSubstring("of a fit of other documents"));
  again.keep_documents("January's");
}

TEST_CASE("Files of others in or beside the folder of a fit are not removed", "[io][fit_folder]") {
  const scratch folder;
  const fs::path beside = folder.path.string() + ".removed-fit";
  fs::create_directories(beside / "state-3");  // of a run that was killed while it removed its folder
  { const fit_folder kept(folder.path, "plan"); }
  CHECK_FALSE(fs::exists(beside));

  fs::create_directories(beside);
  std::ofstream(beside / "thesis.txt") << "mine";
  CHECK_THAT(refusal([&] { fit_folder(folder.path, "plan"); }), ContainsSubstring("must be moved elsewhere"));
  CHECK(read_bytes(beside / "thesis.txt") == "mine");
  fs::remove_all(beside);

  {
    const fit_folder kept(folder.path, "plan");
    std::ofstream(folder.path / "thesis.txt") << "mine";
  }
  CHECK(read_bytes(folder.path / "thesis.txt") == "mine");
  fs::remove_all(folder.path);

  {
    fit_folder kept(folder.path, "plan");
    kept.keep_booked("1");
    std::ofstream(folder.path / "thesis.txt") << "mine";
  }
  CHECK_THAT(refusal([&] { fit_folder(folder.path, "plan"); }), ContainsSubstring("not of the checkpoint"));
  fs::remove(folder.path / "thesis.txt");
  std::ofstream(folder.path / "words.txt") << "ferry";  // a run was killed before it kept a state of them
  { const fit_folder kept(folder.path, "plan"); }
  CHECK_FALSE(fs::exists(folder.path / "words.txt"));
}

TEST_CASE("Runs with one folder wait for each other", "[io][fit_folder]") {
  const scratch folder;
  auto first = std::make_unique<fit_folder>(folder.path, "plan");
  std::atomic<bool> taken = false;
  std::thread second([&] {
    const fit_folder kept(folder.path, "plan");
    taken = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK_FALSE(taken);
  first->keep_booked("1");
  first->remove();
  first.reset();
  second.join();
  CHECK(taken);
}
