// SPDX-License-Identifier: Apache-2.0
#include <dplda/audit/roc.hpp>
#include <dplda/audit/shadow_folder.hpp>
#include <dplda/audit/shadows.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/temporary_folder.hpp"
#include "support/tiny.hpp"

using namespace dplda;
using dplda_tests::refusal;

namespace {

// Word frequencies with a random start: the fastest possible learner.
struct counting_learner {
  double weight = 1;  // of a document

  topic_model<> fit(const corpus& docs, random_source& random) const {
    auto bits = random.fork().stream("learner");
    topic_model<>::matrix phi(2, static_cast<Eigen::Index>(docs.words()));
    for (Eigen::Index v = 0; v < phi.cols(); ++v) {
      phi(0, v) = 0.5 + uniform_open(bits);
      phi(1, v) = 0.5 + uniform_open(bits);
    }
    for (std::size_t d = 0; d < docs.size(); ++d) {
      for (const word_id word : docs[d].words) phi(static_cast<Eigen::Index>(docs[d].id % 2), word) += weight;
    }
    for (Eigen::Index k = 0; k < 2; ++k) phi.row(k) /= phi.row(k).sum();
    return topic_model<>(phi, docs.vocab());
  }
};

struct releasing_learner {
  release<topic_model<>> fit(const corpus& docs, random_source& random) const {
    ledger spent;
    spent.record({.noise = gaussian_noise{1}});
    return release<topic_model<>>(counting_learner{}.fit(docs, random), {.epsilon = 1, .delta = 1e-5}, spent);
  }
};

struct failing_learner {
  topic_model<> fit(const corpus&, random_source&) const { throw std::runtime_error("no topics today"); }
};

corpus small_corpus(std::size_t documents = 31) {
  auto bits = seeded_random(5).stream("docs");
  corpus_builder builder;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < documents; ++d) {
    for (int i = 0; i < 12; ++i) builder.add(static_cast<word_id>(uniform_below(bits, 40)));
    builder.end_document();
    users.push_back(static_cast<user_id>(d / 3));
  }
  builder.set_users(users, documents / 3 + 1);
  return dplda_tests::made_up(builder, 40);
}

}  // namespace

TEST_CASE("Each document is in exactly half of the shadow models") {
  const corpus docs = small_corpus();
  auto random = seeded_random(1);
  const shadow_table table = train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 12});
  REQUIRE(table.complete());
  REQUIRE(table.statistics.size() == 1);
  for (Eigen::Index d = 0; d < table.members.cols(); ++d) CHECK(table.members.col(d).count() == 6);
  for (Eigen::Index s = 0; s < 12; s += 2) {
    CHECK((table.members.row(s) != table.members.row(s + 1)).all());
    const auto size = table.members.row(s).count();
    CHECK((size == 15 || size == 16));
  }
  CHECK((table.members.row(0) != table.members.row(2)).any());
}

TEST_CASE("Statistics come from the models trained on these halves") {
  const corpus docs = small_corpus();
  auto random = seeded_random(2);
  const fit_query query{zeta, negative_entropy};
  const shadow_table table = train_shadows(counting_learner{}, docs, random, query, {.shadows = 4, .threads = 2});
  auto again = seeded_random(2);
  (void)again.fork();
  for (Eigen::Index s = 0; s < 4; ++s) {
    std::vector<std::size_t> chosen;
    for (std::size_t d = 0; d < docs.size(); ++d) {
      if (table.members(s, static_cast<Eigen::Index>(d))) chosen.push_back(d);
    }
    random_source source = again.fork();
    const Eigen::MatrixXd values = query(counting_learner{}.fit(docs.select(chosen), source), docs);
    CHECK(table.statistics[0].row(s) == values.col(0).transpose());
    CHECK(table.statistics[1].row(s) == values.col(1).transpose());
  }
}

TEST_CASE("Shadow tables have the same bits for any number of threads, stopped or not") {
  const corpus docs = small_corpus();
  auto random = seeded_random(3);
  const shadow_table whole =
      train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 10, .threads = 1});
  auto parallel = seeded_random(3);
  const shadow_table three =
      train_shadows(counting_learner{}, docs, parallel, fit_query{}, {.shadows = 10, .threads = 3});
  CHECK(three.statistics[0] == whole.statistics[0]);
  CHECK((three.members == whole.members).all());

  auto stopped = seeded_random(3);
  shadow_table part = train_shadows(counting_learner{}, docs, stopped, fit_query{}, {.shadows = 10, .threads = 1},
                                    [](const shadow_progress& now) { return now.step == 4; });
  CHECK_FALSE(part.complete());
  CHECK(std::count(part.finished.begin(), part.finished.end(), true) == 4);
  auto resumed = seeded_random(3);
  std::vector<std::size_t> steps;
  resume_shadows(part, counting_learner{}, docs, resumed, fit_query{}, {.shadows = 10, .threads = 2},
                 [&](const shadow_progress& now) {
                   steps.push_back(now.step);
                   CHECK(now.steps == 10);
                   CHECK(now.seconds_left >= 0);
                   return false;
                 });
  CHECK(steps == std::vector<std::size_t>{5, 6, 7, 8, 9, 10});
  CHECK(part.complete());
  CHECK(part.statistics[0] == whole.statistics[0]);
  CHECK((part.members == whole.members).all());
}

TEST_CASE("A stop also stops running fits") {
  // Of two fits at once, one is done when the other has begun, and the other goes on until it is stopped.
  struct waiting_learner {
    std::atomic<int>& begun;
    std::atomic<int>& stopped;

    topic_model<> fit(const corpus& docs, random_source& random, const observer& watch = {}) const {
      if (++begun == 1) {
        while (begun < 2) std::this_thread::yield();
      } else {
        while (!watch({1, 2})) std::this_thread::yield();
        ++stopped;
      }
      return counting_learner{}.fit(docs, random);
    }
  };
  const corpus docs = small_corpus();
  std::atomic<int> begun = 0, stopped = 0;
  auto random = seeded_random(3);
  shadow_table table = train_shadows(waiting_learner{begun, stopped}, docs, random, fit_query{},
                                     {.shadows = 4, .threads = 2}, [](const shadow_progress&) { return true; });
  CHECK(begun == 2);
  CHECK(stopped == 1);
  CHECK(std::count(table.finished.begin(), table.finished.end(), true) == 1);  // stopped fits are discarded
  auto again = seeded_random(3), other = seeded_random(3);
  resume_shadows(table, counting_learner{}, docs, again, fit_query{}, {.shadows = 4});
  const shadow_table whole = train_shadows(counting_learner{}, docs, other, fit_query{}, {.shadows = 4});
  CHECK(table.statistics[0] == whole.statistics[0]);
}

TEST_CASE("Shadow models of users and of releases") {
  const corpus docs = small_corpus();
  auto random = seeded_random(4);
  const shadow_table table =
      train_shadows(releasing_learner{}, docs, random, fit_query{}, {.shadows = 6, .unit = split_unit::user});
  const user_statistics users = sum_by_user(table.statistics[0], table.members, docs);
  for (Eigen::Index u = 0; u < users.members.cols(); ++u) CHECK(users.members.col(u).count() == 3);
  CHECK(fit_laws(users.statistics, users.members).size() == users.users.size());
}

TEST_CASE("The attack finds members of a model that remembers, and not of one that does not") {
  const corpus docs = small_corpus(60);
  const auto area = [&](double weight) {
    auto random = seeded_random(6);
    const counting_learner learner{weight};
    const shadow_table shadows = train_shadows(learner, docs, random, fit_query{}, {.shadows = 40});
    const shadow_table targets = train_shadows(learner, docs, random, fit_query{}, {.shadows = 10});
    const auto laws = fit_laws(shadows.statistics[0], shadows.members);
    std::vector<scored_document> online, offline;
    for (Eigen::Index t = 0; t < 10; ++t) {
      const Eigen::VectorXd target = targets.statistics[0].row(t);
      const auto scores = online_lira(laws, target), out = offline_lira(laws, target);
      for (std::size_t d = 0; d < docs.size(); ++d) {
        online.push_back({scores[d], targets.members(t, static_cast<Eigen::Index>(d))});
        offline.push_back({out[d], targets.members(t, static_cast<Eigen::Index>(d))});
      }
    }
    return std::pair(roc_curve(online).auc(), roc_curve(offline).auc());
  };
  const auto [online, offline] = area(1);
  CHECK(online > 0.8);
  CHECK(offline > 0.75);
  const auto [blind_online, blind_offline] = area(0);
  CHECK(std::abs(blind_online - 0.5) < 0.1);  // six standard deviations
  CHECK(std::abs(blind_offline - 0.5) < 0.1);
}

TEST_CASE("The attack finds users of a model that remembers, and not of one that does not") {
  // 60 users of 3 documents, 10 targets: guessing has an area of 0.5 with a standard deviation of 0.024.
  const corpus docs = small_corpus(180);
  const auto area = [&](double weight) {
    auto random = seeded_random(7);
    const counting_learner learner{weight};
    const shadow_table shadows =
        train_shadows(learner, docs, random, fit_query{}, {.shadows = 40, .unit = split_unit::user});
    const user_statistics users = sum_by_user(shadows.statistics[0], shadows.members, docs);
    const auto laws = fit_laws(users.statistics, users.members);
    std::vector<scored_document> scored;
    for (std::uint64_t t = 0; t < 10; ++t) {
      auto bits = random.fork().stream("target");
      const partition half = random_half(docs, bits, split_unit::user);
      const topic_model<> target = learner.fit(docs.select(half.chosen), random);
      std::vector<bool> in(docs.users(), false);
      for (const std::size_t d : half.chosen) in[docs.user(d)] = true;
      const auto scores = online_lira(laws, sum_by_user(fit_query()(target, docs).col(0), docs));
      for (std::size_t u = 0; u < scores.size(); ++u) scored.push_back({scores[u], in[users.users[u]]});
    }
    return roc_curve(scored).auc();
  };
  CHECK(area(1) > 0.8);
  CHECK(std::abs(area(0) - 0.5) < 0.144);  // six standard deviations
}

TEST_CASE("A model is trained on the complement of its finished partner's half") {
  const corpus docs = small_corpus();
  auto random = seeded_random(3);
  shadow_table table = train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 8});
  const membership halves = table.members;
  for (const std::size_t s : {1u, 2u, 6u, 7u}) table.finished[s] = false;
  auto other = seeded_random(99);
  resume_shadows(table, counting_learner{}, docs, other, fit_query{}, {.shadows = 8});
  CHECK((table.members.topRows(6) == halves.topRows(6)).all());
  CHECK((table.members.row(6) != halves.row(6)).any());
  CHECK((table.members.row(6) != table.members.row(7)).all());
}

TEST_CASE("Shadow training resumes from a folder") {
  const corpus docs = small_corpus();
  auto random = seeded_random(3);
  const fit_query query{zeta, negative_entropy};
  const shadow_options options{.shadows = 6, .threads = 1};
  const shadow_table whole = train_shadows(counting_learner{}, docs, random, query, options);
  const dplda_tests::temporary_folder around;
  const auto place = around.path() / "shadows";
  const shadow_folder folder(place, "counts, zeta and entropy");
  auto first = seeded_random(3);
  const shadow_origin from = folder.origin(docs, options, seeded_random(3).fork());
  CHECK(folder.load(6, docs.size(), from).finished.empty());
  train_shadows(folder, counting_learner{}, docs, first, query, options,
                [](const shadow_progress& now) { return now.step == 3; });
  const shadow_table part = folder.load(6, docs.size(), from);
  CHECK(std::count(part.finished.begin(), part.finished.end(), true) == 3);
  auto second = seeded_random(3);
  std::size_t trained = 0;
  const shadow_table done = train_shadows(folder, counting_learner{}, docs, second, query, {.shadows = 6, .threads = 2},
                                          [&](const shadow_progress&) { return ++trained > 100; });
  CHECK(trained == 3);
  CHECK((done.members == whole.members).all());
  CHECK(done.statistics[0] == whole.statistics[0]);
  CHECK(done.statistics[1] == whole.statistics[1]);
  const shadow_table read = folder.load(6, docs.size(), from);
  CHECK(read.complete());
  CHECK(read.statistics[1] == whole.statistics[1]);

  CHECK_THROWS_AS(folder.load(6, docs.size() + 1, from), parse_error);
  std::filesystem::resize_file(place / "shadow_2", 8 * 20);
  CHECK_THROWS_AS(folder.load(6, docs.size(), from), parse_error);
  std::filesystem::resize_file(place / "shadow_2", 3);
  CHECK_THROWS_AS(folder.load(6, docs.size(), from), parse_error);
  std::filesystem::remove(place / "shadow_2");
  {
    std::fstream file(place / "shadow_4", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(80);
    file.put('x');
  }
  CHECK_THROWS_AS(folder.load(6, docs.size(), from), parse_error);
}

TEST_CASE("A folder is not resumed after another number of forks") {
  const corpus docs = small_corpus();
  const dplda_tests::temporary_folder around;
  const auto place = around.path() / "shadows";
  const shadow_folder folder(place, "counts, zeta");
  const shadow_options options{.shadows = 6, .threads = 1};
  const auto begun = [&](std::uint64_t forks) {  // a source of one seed after this many fits
    auto random = seeded_random(3);
    for (std::uint64_t i = 0; i < forks; ++i) (void)random.fork();
    return random;
  };
  auto random = begun(2);
  train_shadows(folder, counting_learner{}, docs, random, fit_query{}, options,
                [](const shadow_progress& now) { return now.step == 3; });
  for (const std::uint64_t forks : {0u, 1u, 3u}) {
    auto other = begun(forks);
    CHECK_THROWS_AS(train_shadows(folder, counting_learner{}, docs, other, fit_query{}, options), parse_error);
  }
  auto same = begun(2), uninterrupted = begun(2);
  const shadow_table resumed = train_shadows(folder, counting_learner{}, docs, same, fit_query{}, options);
  const shadow_table whole = train_shadows(counting_learner{}, docs, uninterrupted, fit_query{}, options);
  CHECK(resumed.statistics[0] == whole.statistics[0]);
  CHECK((resumed.members == whole.members).all());
  // Later draws are the same, too.
  CHECK(same.fork().stream("after")() == uninterrupted.fork().stream("after")());
}

TEST_CASE("A folder of another learner is refused") {
  const corpus docs = small_corpus();
  const dplda_tests::temporary_folder around;
  const auto place = around.path() / "shadows";
  CHECK(refusal([&] { shadow_folder(place, ""); }) ==
        "dplda::shadow_folder: label is empty, but must name the learner, its options and the query");
  CHECK_FALSE(std::filesystem::exists(place));
  const shadow_options options{.shadows = 4, .threads = 1};
  auto random = seeded_random(3), again = seeded_random(3);
  train_shadows(shadow_folder(place, "counts of weight 1"), counting_learner{1}, docs, random, fit_query{}, options);
  CHECK_THROWS_AS(
      train_shadows(shadow_folder(place, "counts of weight 2"), counting_learner{2}, docs, again, fit_query{}, options),
      parse_error);
}

TEST_CASE("A folder of another training is refused") {
  const corpus docs = small_corpus();
  const dplda_tests::temporary_folder around;
  const auto place = around.path() / "shadows";
  const shadow_folder folder(place, "counts");
  const shadow_options options{.shadows = 4, .threads = 1};
  auto random = seeded_random(3);
  train_shadows(folder, counting_learner{}, docs, random, fit_query{}, options);
  // The refusal's message; the folder must stay unchanged.
  const auto refused = [&](const shadow_folder& other, const corpus& of, std::uint64_t seed, shadow_options with) {
    auto source = seeded_random(seed);
    try {
      train_shadows(other, counting_learner{}, of, source, fit_query{}, with);
    } catch (const parse_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused(folder, docs, 3, options).empty());
  const auto says = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const char* const another_corpus = "expected shadow models of this corpus, but the folder has those of another";
  // The same number of documents, but another count, id, user or word.
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n) builder.add(docs[d].words[n], docs[d].counts[n]);
    builder.end_document();
    ids.push_back(docs[d].id);
    users.push_back(docs.user(d));
  }
  const auto rebuilt = [&](auto change) {
    corpus_builder changed = builder;
    std::vector<std::uint64_t> new_ids = ids;
    std::vector<user_id> new_users = users;
    std::vector<std::string> words;
    for (std::size_t v = 0; v < docs.words(); ++v) words.emplace_back(docs.vocab()->word(static_cast<word_id>(v)));
    change(new_ids, new_users, words);
    changed.set_ids(new_ids);
    changed.set_users(new_users, docs.users());
    vocabulary_builder vocab;
    for (const std::string& word : words) vocab.add(word);
    return changed.build(vocab.build());
  };
  CHECK(refused(folder, rebuilt([](auto&, auto&, auto&) {}), 3, options).empty());
  CHECK(says(refused(folder, rebuilt([](auto& of, auto&, auto&) { of[0] = 999; }), 3, options), another_corpus));
  CHECK(says(refused(folder, rebuilt([](auto&, auto& of, auto&) { of[0] = 1; }), 3, options), another_corpus));
  CHECK(says(refused(folder, rebuilt([](auto&, auto&, auto& of) { of[0] = "x"; }), 3, options), another_corpus));
  corpus_builder more;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    for (std::size_t n = 0; n < docs[d].size(); ++n) more.add(docs[d].words[n], docs[d].counts[n] + (d == 7 && n == 0));
    more.end_document();
  }
  more.set_ids(ids);
  more.set_users(users, docs.users());
  CHECK(says(refused(folder, more.build(docs.vocab()), 3, options), another_corpus));
  CHECK(says(refused(folder, docs, 4, options), "expected shadow models from this seed"));
  CHECK(says(refused(folder, docs, 3, {.shadows = 6, .threads = 1}), "of this number, unit and label"));
  CHECK(says(refused(folder, docs, 3, {.shadows = 4, .unit = split_unit::user, .threads = 1}),
             "of this number, unit and label"));
  CHECK(says(refused(shadow_folder(place, "other"), docs, 3, options), "of this number, unit and label"));
  // Sources without a seed cannot be distinguished from each other, only from those with a seed.
  auto secret = secure_random();
  CHECK_THROWS_AS(train_shadows(folder, counting_learner{}, docs, secret, fit_query{}, options), parse_error);
  const shadow_folder fresh(around.path() / "fresh", "counts");
  train_shadows(fresh, counting_learner{}, docs, secret, fit_query{}, options);
  auto other_secret = secure_random();
  CHECK_NOTHROW(train_shadows(fresh, counting_learner{}, docs, other_secret, fit_query{}, options));
}

TEST_CASE("Degenerate corpora are attacked without a NaN") {
  // Twelve identical documents of one word, two of a word that the learner drops, one empty: nothing to tell apart.
  corpus_builder builder;
  for (int d = 0; d < 12; ++d) {
    builder.add(0);
    builder.end_document();
  }
  for (int d = 0; d < 2; ++d) {
    builder.add(2, 3);
    builder.end_document();
  }
  builder.end_document();
  const corpus docs = dplda_tests::made_up(builder, 3);
  // Always the same model, of w0 and w1 alone: no variance, and w2 is outside its vocabulary.
  struct constant_learner {
    topic_model<> fit(const corpus&, random_source&) const { return dplda_tests::make_model({{0.5, 0.5}}); }
  };
  auto random = seeded_random(8);
  const fit_query query{zeta, negative_entropy, logit_maximum, standard_deviation};
  const shadow_table table = train_shadows(constant_learner{}, docs, random, query, {.shadows = 8});
  for (const Eigen::MatrixXd& statistic : table.statistics) {
    const auto laws = fit_laws(statistic, table.members);
    const Eigen::VectorXd target = statistic.row(0);
    for (const double score : online_lira(laws, target)) CHECK(score == 0);
    for (const double score : offline_lira(laws, target)) CHECK(score == 0);
  }
  CHECK(table.statistics[0](0, 0) == std::log(0.5));
  CHECK(std::isfinite(table.statistics[0](0, 12)));
  CHECK(table.statistics[0](0, 12) < -20);  // words that no topic has are nearly impossible
  CHECK(table.statistics[0](0, 14) == 0);

  // A learner that remembers: identical documents are in or out one by one, and all have finite scores, equal for equal
  // shares of members.
  const shadow_table counted = train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 8});
  for (const auto spread : {spread_rule::separate, spread_rule::shared, spread_rule::pooled}) {
    const auto laws = fit_laws(counted.statistics[0], counted.members, {.spread = spread});
    const Eigen::VectorXd target = counted.statistics[0].row(1);
    for (const double score : online_lira(laws, target)) CHECK(std::isfinite(score));
    for (const double score : offline_lira(laws, target)) CHECK(std::isfinite(score));
  }
  // Two models give one IN and one OUT for each document: too few for two standard deviations, or for one.
  const shadow_table two = train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 2});
  CHECK(refusal([&] { fit_laws(two.statistics[0], two.members); }) ==
        "dplda::fit_laws: the number of shadows with document 0 is 1, but must be 0 or at least 2");
  CHECK_THROWS_AS(fit_laws(two.statistics[0], two.members, {.spread = spread_rule::shared}), std::invalid_argument);
  CHECK_THROWS_AS(fit_laws(two.statistics[0], two.members, {.spread = spread_rule::pooled}), std::invalid_argument);
}

TEST_CASE("Refusals of shadow training") {
  const corpus docs = small_corpus();
  auto random = seeded_random(1);
  CHECK(refusal([&] { train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 3}); }) ==
        "dplda::train_shadows: shadows is 3, but must be even and at least 2");
  CHECK_THROWS_AS(train_shadows(counting_learner{}, docs.slice(0, 1), random), std::invalid_argument);
  CHECK_THROWS_AS(train_shadows(failing_learner{}, docs, random, fit_query{}, {.shadows = 4, .threads = 2}),
                  std::runtime_error);
  shadow_table table = train_shadows(counting_learner{}, docs, random, fit_query{}, {.shadows = 4});
  CHECK_THROWS_AS(resume_shadows(table, counting_learner{}, docs, random, fit_query{}, {.shadows = 6}),
                  std::invalid_argument);
}
