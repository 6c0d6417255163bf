// SPDX-License-Identifier: Apache-2.0
// Whole fits by several processes: the same bits as by one.

#include <dplda/analysis/private_score.hpp>
#include <dplda/audit/audit.hpp>
#include <dplda/audit/noise_scale.hpp>
#include <dplda/audit/shadows.hpp>
#include <dplda/corpora/synthetic.hpp>
#include <dplda/distributed/own_part.hpp>
#include <dplda/evaluation/perplexity.hpp>
#include <dplda/evaluation/type_completion.hpp>
#include <dplda/inference/detail/same_arithmetic.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/inference/gibbs/hdp.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/inference/spectral/lsi.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/spectral/spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>
#include <dplda/pipeline/fully_private_topics.hpp>
#include <dplda/published/park_svi.hpp>
#include <dplda/vocabulary/vocabulary_stream.hpp>

#include "support/catch.hpp"
#include "support/grey_box.hpp"
#include "support/refusal.hpp"
#include "support/thread_group.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace dplda;
using Catch::Matchers::ContainsSubstring;
using dplda_tests::in_processes;
using dplda_tests::refusal;

namespace {

const budget plenty{.epsilon = 8, .delta = 1e-4};

// Made-up letters with their own words, as if they were read: the words come from the documents.
corpus letters() {
  return synthetic_lda({.documents = 300, .words = 120, .topics = 3, .mean_length = 30, .users = 60}, seeded_random(11))
      .docs;
}

// What a process would have that read its part only: own words, in an order of its own.
corpus as_read(const corpus& part, std::size_t rank) {
  std::vector<bool> used(part.words());
  for (std::size_t d = 0; d < part.size(); ++d) {
    for (const word_id word : part[d].words) used[word] = true;
  }
  vocabulary_builder words;
  for (std::size_t i = 0; i < part.words(); ++i) {
    const auto w = static_cast<word_id>(rank % 2 == 0 ? i : part.words() - 1 - i);
    if (used[w]) words.add(part.vocab()->word(w));
  }
  const vocabulary_ptr own = words.build();
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> users;
  for (std::size_t d = 0; d < part.size(); ++d) {
    const document doc = part[d];
    for (std::size_t n = 0; n < doc.size(); ++n)
      builder.add(*own->find(part.vocab()->word(doc.words[n])), doc.counts[n]);
    builder.end_document();
    ids.push_back(doc.id);
    users.push_back(part.user(d));
  }
  builder.set_ids(ids);
  builder.set_users(users, part.users());
  return declare_unpruned(builder.build(own));
}

struct outcome {
  Eigen::MatrixXd phi;
  std::vector<std::string> words;
  dplda::ledger spent;
};

outcome outcome_of(const release<topic_model<>>& released) {
  outcome found{released.value().phi(), {}, released.ledger()};
  const vocabulary& words = *released.value().vocab();
  for (word_id w = 0; w < words.size(); ++w) found.words.emplace_back(words.word(w));
  return found;
}

// fit(documents, random, threads) by one process, and by several with several threads each.
template <class Fit>
void check_same(const corpus& docs, privacy_unit unit, bool own_words, const Fit& fit) {
  auto random = seeded_random(7);
  const outcome expected = outcome_of(fit(own_words ? as_read(docs, 1) : docs, random, 1));
  for (const std::size_t size : {1, 2, 3, 4}) {
    for (const std::size_t threads : {1, 2}) {
      CAPTURE(size, threads);
      const auto all = in_processes(size, [&](const process_group& group) {
        auto own = shared_random(group, 7);
        const corpus part = own_part(docs, unit == privacy_unit::user, group);
        return outcome_of(fit(own_words ? as_read(part, group.rank()) : part, own, threads));
      });
      for (const outcome& each : all) {
        REQUIRE(each.words == expected.words);
        CHECK(each.phi == expected.phi);
        CHECK(each.spent == expected.spent);
      }
    }
  }
}

template <class Options>
Options options_of(privacy_unit unit, std::size_t threads) {
  Options options{.topics = 3, .units = 300, .words = 120, .unit = unit, .threads = threads};
  if constexpr (requires { options.steps; }) options.steps = 3;
  return options;
}

}  // namespace

TEMPLATE_TEST_CASE("Topics of public words have the same bits by any number of processes", "[distributed]", private_svi,
                   private_gibbs, private_spectral) {
  const corpus docs = letters();
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    check_same(docs, unit, false, [&](const corpus& part, random_source& random, std::size_t threads) {
      return TestType(options_of<typename TestType::options_type>(unit, threads), plenty).fit(part, random);
    });
  }
}

TEMPLATE_TEST_CASE("Private words and their topics have the same bits by any number of processes", "[distributed]",
                   private_svi, private_gibbs, private_spectral) {
  const corpus docs = letters();
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    check_same(docs, unit, true, [&](const corpus& part, random_source& random, std::size_t threads) {
      fully_private_options<TestType> options;
      options.topics = options_of<typename TestType::options_type>(unit, threads);
      options.vocabulary.unit = unit;
      options.vocabulary.threads = threads;
      options.vocabulary.words_per_unit = 8;
      auto released = fully_private_topics<TestType>(options, plenty).fit(part, random);
      return released;
    });
  }
}

TEST_CASE("Rounds of steps, exact samples, and public topics have the same bits by any number of processes",
          "[distributed]") {
  const corpus docs = letters();
  const auto check = [&](const auto& change) {
    auto options = options_of<private_svi_options>(privacy_unit::document, 2);
    change(options);
    const private_svi learner(options, plenty);  // calibrating a sample's noise takes longest
    check_same(docs, privacy_unit::document, false,
               [&](const corpus& part, random_source& random, std::size_t) { return learner.fit(part, random); });
  };
  check([](private_svi_options& o) {
    o.steps = 4;
    o.rate = 0.5;
    o.batches = batch_choice::rounds;
  });
  check([](private_svi_options& o) { o.rate = 0.2; });
  check([](private_svi_options& o) {
    o.relation = neighbours::replace;
    o.rate = 0.2;
  });
  const synthetic_data same =
      synthetic_lda({.documents = 300, .words = 120, .topics = 3, .mean_length = 30, .users = 60}, seeded_random(11));
  check([&](private_svi_options& o) { o.public_topics = declare_public(same.model); });
}

TEST_CASE("A state is continued by another number of processes", "[distributed]") {
  const corpus docs = letters();
  auto options = options_of<private_svi_options>(privacy_unit::document, 1);
  options.steps = 4;
  const private_svi learner(options, plenty);
  const auto states_after = [&](std::size_t size, const private_topics_state& from, std::size_t steps) {
    return in_processes(size, [&](const process_group& group) {
      private_topics_state state = from;
      auto random = shared_random(group, 10 + from.steps());
      try {
        learner.resume(state, own_part(docs, false, group), random,
                       [&](const progress& now) { return now.step == steps; });
      } catch (const fit_stopped&) {
      }
      return state;
    });
  };
  auto random = seeded_random(1);
  const private_topics_state begun = learner.start(docs, random);
  const auto middle = states_after(1, begun, 2);
  const auto expected = states_after(1, middle[0], 4);
  const auto elsewhere = states_after(3, begun, 2);
  CHECK(elsewhere[2].phi() == middle[0].phi());
  CHECK(states_after(2, elsewhere[1], 4)[1].phi() == expected[0].phi());
  CHECK(expected[0].ledger() == states_after(4, elsewhere[0], 4)[3].ledger());
}

TEST_CASE("Under replace, units of all processes are counted", "[distributed]") {
  auto options = options_of<private_svi_options>(privacy_unit::document, 1);
  options.relation = neighbours::replace;
  options.units = 299;
  const private_svi learner(options, plenty);
  CHECK_THAT(refusal([&] {
               in_processes(2, [&](const process_group& group) {
                 auto random = shared_random(group, 1);
                 learner.fit(own_part(letters(), false, group), random);
                 return 0;
               });
             }),
             ContainsSubstring("is 300, but must be the planned 299"));
}

TEMPLATE_TEST_CASE("Grey-box audit of fits by three processes finds nothing", "[distributed]", private_svi,
                   private_gibbs) {
  dplda_tests::grey_box_result result;
  for (const privacy_unit unit : {privacy_unit::document, privacy_unit::user}) {
    const auto corpora = dplda_tests::adversarial_corpora(12, 4);
    // The plan is made for 2^20 units, so that doubles hold the sums of a few exactly.
    const TestType engine({.topics = 3,
                           .units = std::uint64_t{1} << 20,
                           .words = 12,
                           .unit = unit,
                           .steps = 1,
                           .rate = 0.5,
                           .threads = 1},
                          {.epsilon = 4, .delta = 1e-5});
    auto random = seeded_random(2);
    const private_topics_state begun = engine.start(corpora.front().docs, random);
    const double size = engine.plan().table.unit_size() / engine.plan().rate;
    const auto sums = [&](const corpus& docs) {
      const auto tables = in_processes(3, [&](const process_group& group) {
        private_topics_state state = begun;
        auto own = shared_random(group, 5);
        engine.resume(state, own_part(docs, unit == privacy_unit::user, group), own);
        return state.table();
      });
      return dplda_tests::to_integers(std::span(tables[1].data(), static_cast<std::size_t>(tables[1].size())), size);
    };
    for (const auto& each : corpora)
      result += dplda_tests::grey_box_audit(each.docs, corpora.back().docs, unit,
                                            dplda_tests::grey_box_bound_of(engine.plan().table), sums);
  }
  CHECK(result.pairs > 100);
  CHECK(result.violations() == 0);
  CHECK(result.largest_ratio > 0.5);
}

TEST_CASE("The documents of all processes are no public text", "[distributed]") {
  const corpus docs = letters();
  auto options = options_of<private_svi_options>(privacy_unit::document, 1);
  options.public_texts = {declare_public(docs, "letters"),
                          declare_public(letters().select(std::vector<std::size_t>{1, 2, 3}), "three")};
  const private_svi learner(options, plenty);
  CHECK_THAT(refusal([&] {
               in_processes(3, [&](const process_group& group) {
                 auto random = shared_random(group, 1);
                 learner.fit(own_part(docs, false, group), random);
                 return 0;
               });
             }),
             ContainsSubstring("letters is the text of the private documents"));
}

TEST_CASE("A unit in two processes is refused by all", "[distributed]") {
  const corpus docs = letters();
  const auto refused = [&](const corpus& mine, privacy_unit unit, const auto& own) {
    std::vector<std::string> sentences(3);
    const auto options = options_of<private_svi_options>(unit, 1);
    const auto fit = [&](const process_group& group, bool words) {
      auto random = shared_random(group, 1);
      sentences[group.rank()] = refusal([&] {
        if (words) {
          vocabulary_selector({.unit = unit}, plenty).fit(own(mine, group), random);
        } else {
          private_svi(options, plenty).fit(own(mine, group), random);
        }
      });
      return 0;
    };
    for (const bool words : {false, true}) {
      in_processes(3, [&](const process_group& group) { return fit(group, words); });
      for (const std::string& sentence : sentences)
        CHECK_THAT(sentence, ContainsSubstring("the id of units in two processes is the same, but must differ"));
    }
  };
  const auto all = [](const corpus& mine, const process_group&) { return mine; };
  const auto by_document = [](const corpus& mine, const process_group& group) { return own_part(mine, false, group); };
  const auto one_twice = [](const corpus& mine, const process_group& group) {
    std::vector<std::size_t> own = own_documents(mine, false, group);
    if (group.rank() == 2) own.insert(own.begin(), 0);
    return mine.select(own);
  };
  const auto first_all = [](const corpus& mine, const process_group& group) {
    return group.rank() == 0 ? mine : mine.select(std::vector<std::size_t>{299});
  };
  refused(docs, privacy_unit::document, all);
  refused(docs, privacy_unit::document, one_twice);
  refused(docs, privacy_unit::document, first_all);
  refused(docs, privacy_unit::user, all);
  refused(docs, privacy_unit::user, by_document);  // 60 users in a random order
}

TEST_CASE("Perplexity has the same bits by any number of processes", "[distributed]") {
  const synthetic_data data =
      synthetic_lda({.documents = 300, .words = 120, .topics = 3, .mean_length = 30, .users = 60}, seeded_random(11));
  const auto scores = [&](const corpus& docs, const process_group& group) {
    const perplexity_options options{.threads = 2, .processes = group};
    std::vector<perplexity_result> all{document_completion_perplexity(data.model, docs, options),
                                       type_completion_perplexity(data.model, docs, options),
                                       unigram_perplexity(docs, docs, options)};
    std::vector<double> numbers;
    for (const perplexity_result& each : all) {
      for (const double number : {each.perplexity, each.log_likelihood, static_cast<double>(each.tokens),
                                  static_cast<double>(each.documents)})
        numbers.push_back(number);
    }
    return numbers;
  };
  const std::vector<double> expected = scores(data.docs, {});
  for (const bool by_user : {false, true}) {
    for (const std::size_t size : {2, 3, 4}) {
      for (const auto& found : in_processes(
               size, [&](const process_group& group) { return scores(own_part(data.docs, by_user, group), group); }))
        CHECK(found == expected);
    }
  }
}

TEST_CASE("What knows one process only refuses a shared source", "[distributed]") {
  const corpus docs = letters();
  const auto refused = [&](const auto& use) {
    return refusal([&] {
      in_processes(2, [&](const process_group& group) {
        auto random = shared_random(group, 1);
        use(random);
        return 0;
      });
    });
  };
  const auto matcher = ContainsSubstring("must be that of one process");
  CHECK_THAT(refused([&](random_source& random) { svi({.topics = 3}).fit(docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { gibbs({.topics = 3}).fit(docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { spectral({.topics = 3}).fit(docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { hdp().fit(docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { lsi({.topics = 3}).fit(docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) {
               const vocabulary_selector selector({.method = vocabulary_method::policy_gaussian}, plenty);
               selector.fit(docs, random);
             }),
             matcher);
  CHECK_THAT(refused([&](random_source& random) {
               const vocabulary_selector selector({.method = vocabulary_method::weighted_gaussian}, plenty);
               vocabulary_stream stream(selector, random);
             }),
             matcher);
  CHECK_THAT(refused([&](random_source& random) {
               published::park_svi({.topics = 3, .documents = 300}, plenty).fit(docs, random);
             }),
             matcher);
  CHECK_THAT(refused([&](random_source& random) { one_run_audit(gibbs({.topics = 3}), docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { repeated_audit(gibbs({.topics = 3}), docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { train_shadows(gibbs({.topics = 3}), docs, random); }), matcher);
  CHECK_THAT(refused([&](random_source& random) { score_runs([](bool, random_source&) { return 0.0; }, 4, random); }),
             matcher);
}

TEST_CASE("Processes with different arithmetic do not fit together", "[distributed]") {
  const std::uint64_t own = detail::arithmetic_fingerprint().value();
  CHECK(detail::arithmetic_fingerprint().value() == own);
  for (const bool differs : {false, true}) {
    const std::string sentence = refusal([&] {
      in_processes(3, [&](const process_group& group) {
        detail::require_same_arithmetic("private_svi", group, own + (differs && group.rank() == 1));
        return 0;
      });
    });
    if (differs) {
      CHECK_THAT(sentence, ContainsSubstring("arithmetic of process"));
    } else {
      CHECK(sentence.empty());
    }
  }
}
