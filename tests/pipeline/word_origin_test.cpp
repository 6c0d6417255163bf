// SPDX-License-Identifier: Apache-2.0
// Publishing topics publishes their words, so a corpus knows where its words come from, and learners check it.
#include <dplda/core/vocabulary.hpp>
#include <dplda/evaluation/alignment.hpp>
#include <dplda/evaluation/type_completion.hpp>
#include <dplda/inference/gibbs/private_gibbs.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/inference/spectral/private_spectral.hpp>
#include <dplda/inference/svi/private_svi.hpp>
#include <dplda/inference/svi/svi.hpp>
#include <dplda/io/lda_c.hpp>
#include <dplda/io/svmlight.hpp>
#include <dplda/io/text.hpp>
#include <dplda/io/uci.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/output_perturbation/topic_dp.hpp>
#include <dplda/published/decarolis_spectral.hpp>
#include <dplda/published/park_svi.hpp>
#include <dplda/published/sub_lda.hpp>
#include <dplda/vocabulary/vocabulary_selector.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"
#include "support/tiny.hpp"

#include <sstream>
#include <string>
#include <vector>

using namespace dplda;
using namespace dplda_tests;
using Catch::Matchers::ContainsSubstring;

namespace {

const budget three{.epsilon = 3, .delta = 1e-5};

}  // namespace

TEST_CASE("Words from documents are not taken for a public list", "[pipeline]") {
  // One letter with a word of its own changed the released list and showed the word, under an unchanged guarantee.
  const std::vector<std::string> letters{"the ferry left the harbour", "gulls follow the ferry", "my name is zyxwvu"};
  const corpus docs = corpus_from_texts(letters);
  REQUIRE(docs.vocab()->find("zyxwvu"));
  random_source random = seeded_random(1);
  const std::size_t words = docs.words();
  const auto refused = [&](const auto& learner) {
    CHECK_THAT(refusal([&] { learner.fit(docs, random); }),
               ContainsSubstring("the list of words is taken from documents, but must be public"));
    const corpus declared = docs.restrict_to(declare_public(docs.vocab()));
    CHECK(learner.fit(declared, random).value().vocab()->origin() == word_origin::public_list);
  };
  refused(private_svi({.topics = 2, .units = 3, .words = words, .steps = 1}, three));
  refused(private_gibbs({.topics = 2, .units = 3, .words = words, .steps = 1}, three));
  refused(private_spectral({.topics = 2, .units = 3, .words = words}, three));
  refused(private_token_gibbs({.topics = 2, .documents = 3, .words = words, .tokens = 20, .sweeps = 1}, three));
  refused(published::park_svi({.topics = 2, .documents = 3, .batch = 1, .steps = 1}, three));
  refused(published::sub_lda({.topics = 2, .sweeps = 1}));
  const published::decarolis_spectral moments({.topics = 2, .documents = 3}, three);
  CHECK_THAT(refusal([&] { moments.fit(docs, random); }),
             ContainsSubstring("the list of words is taken from documents"));
  const topic_dp output({.topics = 2, .words = words, .unit = privacy_unit::document}, three);
  CHECK_THAT(refusal([&] { output.fit(svi<>({.topics = 2}), docs, random); }),
             ContainsSubstring("the list of words is taken from documents"));

  // Restricting keeps the list's own origin, and so does every other way to a corpus.
  const vocabulary_selector selector({}, three);
  const auto chosen = selector.fit(docs, random);
  CHECK(chosen.value()->origin() == word_origin::released);
  CHECK(docs.restrict_to(chosen.value()).slice(0, 1).vocab()->origin() == word_origin::released);
  CHECK(docs.select(std::vector<std::size_t>{2, 0}).vocab()->origin() == word_origin::documents);
  CHECK(corpus_from_texts(letters, {.vocab = public_words(3)}).vocab()->origin() == word_origin::public_list);
}

TEST_CASE("Lists that are read are not public until they are declared public", "[pipeline]") {
  std::istringstream words("ferry\nharbour\n"), again("ferry\nharbour\n"), counts("1\n2\n1\n1 1 3\n"),
      unnamed("1 1:2\n");
  const vocabulary_ptr list = read_vocabulary(words, "words");
  CHECK(list->origin() == word_origin::documents);
  CHECK(read_uci(counts, "counts").vocab()->origin() == word_origin::documents);
  CHECK(read_lda_c(unnamed, "counts").vocab()->origin() == word_origin::documents);
  CHECK(vocabulary().origin() == word_origin::documents);
  CHECK(numbered_vocabulary(2)->origin() == word_origin::documents);

  const vocabulary_ptr declared = declare_public(list);
  CHECK(declared->origin() == word_origin::public_list);
  CHECK(*declared == *list);  // the same words, whatever their origin
  CHECK(list->origin() == word_origin::documents);
  CHECK_THAT(refusal([] { declare_public(nullptr); }), ContainsSubstring("must be given"));
}

TEST_CASE("A corpus over the same words shares its data", "[pipeline]") {
  const corpus docs = corpus_from_texts(std::vector<std::string>{"ferry harbour ferry", "harbour"});
  const corpus declared = docs.restrict_to(declare_public(docs.vocab()));
  CHECK(declared[0].words.data() == docs[0].words.data());
  CHECK(docs.vocab()->origin() == word_origin::documents);
}

TEST_CASE("A corpus that was pruned by counting documents is refused", "[pipeline]") {
  // Whether a word of one document stays depends on another document, so removing one changes others.
  const std::vector<std::string> letters{"ferry harbour", "ferry gulls"};
  random_source random = seeded_random(1);
  const vocabulary_selector selector({}, three);
  const corpus all = corpus_from_texts(letters);
  CHECK(all.pruning() == pruning::none);
  for (const text_options& options : {text_options{.min_documents = 2}, text_options{.max_document_share = 0.5}}) {
    const corpus docs = corpus_from_texts(letters, options);
    REQUIRE(docs.pruning() == pruning::pruned);
    const auto refused = [&](auto&& fit) {
      CHECK_THAT(refusal(fit), ContainsSubstring("pruned by looking at documents"));
    };
    refused([&] { selector.fit(docs, random); });
    // Restricting to a public list, or to words chosen from the whole corpus, does not undo it.
    const corpus listed = docs.restrict_to(public_words(3));
    CHECK(listed.pruning() == pruning::pruned);
    CHECK(docs.slice(0, 1).pruning() == pruning::pruned);
    refused([&] { selector.fit(listed, random); });
    refused([&] { private_svi({.topics = 2, .units = 2, .words = 3, .steps = 1}, three).fit(listed, random); });
    refused([&] { private_spectral({.topics = 2, .units = 2, .words = 3}, three).fit(listed, random); });
    refused([&] {
      private_token_gibbs({.topics = 2, .documents = 2, .words = 3, .tokens = 4, .sweeps = 1}, three)
          .fit(listed, random);
    });
    const auto words = selector.fit(all, random).map([](const vocabulary_ptr&) { return public_words(3); });
    const private_svi learner(
        {.topics = 2, .units = 2, .words = 3, .steps = 1, .background_share = 0.1, .before = words.ledger()},
        {4, 1e-5});
    refused([&] { learner.fit(words, docs, random); });
    refused([&] {
      topic_dp({.topics = 2, .words = 3, .unit = privacy_unit::document}, three)
          .fit(svi<>({.topics = 2}), listed, random);
    });
  }
  // A list that is given prunes nothing.
  CHECK(corpus_from_texts(letters, {.min_documents = 2, .vocab = public_words(3)}).pruning() == pruning::none);
}

TEST_CASE("A corpus that was cut to a list from documents does not pass for unpruned", "[pipeline]") {
  // A list of the words that two documents hold once filtered a corpus that was then taken for a whole one.
  const std::vector<std::string> letters{"ferry harbour", "ferry gulls"};
  const corpus all = corpus_from_texts(letters);
  const vocabulary_ptr frequent = corpus_from_texts(letters, {.min_documents = 2}).vocab();
  random_source random = seeded_random(1);
  const vocabulary_selector selector({}, three);
  for (const corpus& docs : {corpus_from_texts(letters, {.vocab = frequent}), all.restrict_to(frequent)}) {
    CHECK(docs.pruning() == pruning::pruned);
    CHECK_THAT(refusal([&] { selector.fit(docs, random); }), ContainsSubstring("declare_public(list)"));
    // Nor may it be declared so: that no word was dropped by document frequency may be true, and yet the most frequent
    // words by tokens were taken from all documents.
    CHECK_THAT(refusal([&] { declare_unpruned(docs); }), ContainsSubstring("declare_public(list)"));
  }
  // Another order drops nothing, and in a public list other documents decide nothing.
  const std::vector<std::string> backwards{"harbour", "gulls", "ferry"};
  const auto reordered = std::make_shared<const vocabulary>(backwards);
  CHECK(all.restrict_to(reordered).pruning() == pruning::none);
  CHECK(all.restrict_to(declare_public(frequent)).pruning() == pruning::none);
  // Words that were released before have a cost that a second selection would not pay.
  const vocabulary_ptr released = detail::with_origin(*reordered, word_origin::released);
  CHECK_THAT(refusal([&] { selector.fit(all.restrict_to(released), random); }), ContainsSubstring("a private choice"));
}

TEST_CASE("Counts that are read do not pass for unpruned", "[pipeline]") {
  // Written as counts and read again, a pruned corpus once passed for a whole one.
  const corpus pruned =
      corpus_from_texts(std::vector<std::string>{"ferry harbour", "ferry gulls"}, {.min_documents = 2});
  random_source random = seeded_random(1);
  const vocabulary_selector selector({}, three);
  std::ostringstream uci, lda_c, svmlight;
  write_uci(uci, pruned);
  write_lda_c(lda_c, pruned);
  write_svmlight(svmlight, pruned);
  std::istringstream first(uci.str()), second(lda_c.str()), third(svmlight.str());
  for (const corpus& docs : {read_uci(first, "counts"), read_lda_c(second, "counts"), read_svmlight(third, "counts")}) {
    CHECK(docs.pruning() == pruning::unknown);
    CHECK_THAT(refusal([&] { selector.fit(docs, random); }), ContainsSubstring("declare_unpruned"));
    const corpus declared = declare_unpruned(docs);
    CHECK(declared.pruning() == pruning::none);
    CHECK(declared[0].words.data() == docs[0].words.data());
    CHECK(declared.slice(0, 1).restrict_to(public_words(2)).pruning() == pruning::none);
    CHECK_NOTHROW(selector.fit(declared, random));
  }
  CHECK_THAT(refusal([&] { declare_unpruned(pruned); }), ContainsSubstring("must have all words"));
}

TEST_CASE("Tokens do not pass for unpruned", "[pipeline]") {
  // Tokens often come from a filter of rare words, or with phrases that were learned from all documents.
  const std::vector<std::vector<std::string>> letters{{"ferry", "harbour"}, {"ferry"}};
  const corpus docs = corpus_from_tokens(letters);
  CHECK(docs.pruning() == pruning::unknown);
  CHECK(corpus_from_tokens(letters, {.vocab = public_words(2)}).pruning() == pruning::unknown);
  random_source random = seeded_random(1);
  CHECK_THAT(refusal([&] { vocabulary_selector({}, three).fit(docs, random); }), ContainsSubstring("declare_unpruned"));
  CHECK_NOTHROW(vocabulary_selector({}, three).fit(declare_unpruned(docs), random));
}

TEST_CASE("Counts in memory do not pass for unpruned, nor their ids for a public list", "[pipeline]") {
  // A corpus_builder and numbered_vocabulary once answered for counts that nobody had answered for.
  corpus_builder builder;
  builder.add(0, 2);
  builder.add(1);
  builder.end_document();
  const corpus counts = builder.build(numbered_vocabulary(2));
  CHECK(counts.pruning() == pruning::unknown);
  CHECK(counts.vocab()->origin() == word_origin::documents);
  random_source random = seeded_random(1);
  const private_svi learner({.topics = 2, .units = 1, .words = 2, .steps = 1}, three);
  CHECK_THAT(refusal([&] { vocabulary_selector({}, three).fit(counts, random); }),
             ContainsSubstring("declare_unpruned"));
  CHECK_THAT(refusal([&] { learner.fit(declare_unpruned(counts), random); }), ContainsSubstring("declare_public"));
  CHECK_THAT(refusal([&] { learner.fit(counts.restrict_to(public_words(2)), random); }),
             ContainsSubstring("declare_unpruned"));
  CHECK_NOTHROW(learner.fit(declare_unpruned(counts).restrict_to(public_words(2)), random));
}

TEST_CASE("A division into units does not outlive a cut by a list from documents", "[pipeline]") {
  // The units of the whole documents were kept, so that nothing checked the pruning of those that were left.
  const std::vector<std::string> letters{"ferry harbour", "ferry gulls"};
  const vocabulary_ptr frequent = corpus_from_texts(letters, {.min_documents = 2}).vocab();
  const divided_corpus whole(corpus_from_texts(letters), privacy_unit::document);
  const divided_corpus cut = whole.restrict_to(frequent);
  CHECK_FALSE(cut.divided());
  random_source random = seeded_random(1);
  const private_svi learner({.topics = 1, .units = 2, .words = 1, .steps = 1}, three);
  CHECK_THAT(refusal([&] { learner.fit(cut.restrict_to(declare_public(frequent)), random); }),
             ContainsSubstring("pruned by looking at documents"));
  CHECK(whole.restrict_to(declare_public(frequent)).divided());
}

TEST_CASE("Released words are not declared public", "[pipeline]") {
  // That left out their cost, under an unchanged guarantee.
  const vocabulary_ptr released = detail::with_origin(*public_words(2), word_origin::released);
  CHECK_THAT(refusal([&] { declare_public(released); }), ContainsSubstring("fit(words, docs, random)"));
}

TEST_CASE("A corpus that was cut to released words remembers it", "[pipeline]") {
  // A second cut, by a public list, made it pass for one that no document had shaped.
  const std::vector<std::string> letters{"ferry harbour", "ferry gulls"}, two{"ferry", "gulls"}, one{"ferry"};
  const auto list = [](const std::vector<std::string>& words) { return std::make_shared<const vocabulary>(words); };
  const auto released = [&](const auto& words) { return detail::with_origin(*list(words), word_origin::released); };
  const corpus cut = corpus_from_texts(letters).restrict_to(released(two));
  CHECK(cut.pruning() == pruning::none);
  CHECK(cut.restrict_to(declare_public(list(one))).pruning() == pruning::pruned);
  CHECK(cut.restrict_to(declare_public(list(two))).pruning() == pruning::pruned);  // the same words
  CHECK(cut.restrict_to(list(two)).pruning() == pruning::pruned);
  // Words that the first cut may have taken.
  CHECK(cut.restrict_to(released(letters)).pruning() == pruning::pruned);
  CHECK(cut.restrict_to(released(two)).pruning() == pruning::none);
  CHECK(cut.restrict_to(released(one)).pruning() == pruning::none);  // the same as without the first cut
}

TEST_CASE("A corpus that was cut to released words is not declared unpruned", "[pipeline]") {
  // A cut by a public list and a declaration left out what the released words had cost.
  const std::vector<std::string> letters{"ferry harbour", "ferry gulls"}, two{"ferry", "gulls"};
  const vocabulary_ptr list = std::make_shared<const vocabulary>(two);
  const vocabulary_ptr released = detail::with_origin(*list, word_origin::released);
  std::ostringstream written;
  const corpus texts = corpus_from_texts(letters);
  write_uci(written, texts);
  std::istringstream counts(written.str());
  random_source random = seeded_random(1);
  const private_svi learner({.topics = 1, .units = 2, .words = 2, .steps = 1}, three);
  for (const corpus& docs : {texts, read_uci(counts, "counts", texts.vocab())}) {
    const corpus cut = docs.restrict_to(released).restrict_to(declare_public(list));
    CHECK_THAT(refusal([&] { declare_unpruned(cut); }), ContainsSubstring("pruned by looking at documents"));
    CHECK_THAT(refusal([&] { learner.fit(cut, random); }), ContainsSubstring("pruned by looking at documents"));
    // A further cut, by a list from documents, does not undo it.
    CHECK_THAT(refusal([&] { declare_unpruned(cut.restrict_to(list).slice(0, 1)); }),
               ContainsSubstring("pruned by looking at documents"));
  }
  CHECK_NOTHROW(learner.fit(texts.restrict_to(declare_public(list)), random));
}

TEST_CASE("Topics over words from documents start no fit", "[pipeline]") {
  // The words of a release that does not know where they come from were shown once more, and nothing paid for them.
  const corpus docs = make_corpus({{0, 1, 1}, {1, 2}, {2, 2, 0}}, 3);
  random_source random = seeded_random(1);
  private_svi::options_type options{.topics = 2, .units = 3, .words = 3, .steps = 1, .background_share = 0.1};
  const auto first = private_svi(options, {1, 1e-5}).fit(docs, random);
  const auto unknown = first.map([](const topic_model<>& topics) {
    return topic_model<>(topics.phi(), detail::with_origin(*topics.vocab(), word_origin::documents), topics.alpha());
  });
  options.before = first.ledger();
  const private_svi learner(options, three);
  CHECK_NOTHROW(learner.fit(first, docs, random));
  CHECK_THAT(refusal([&] { learner.fit(unknown, docs, random); }), ContainsSubstring("taken from documents"));
  CHECK_THAT(refusal([&] {
               topic_dp({.topics = 2,
                         .words = 3,
                         .unit = privacy_unit::document,
                         .relation = neighbours::add_remove,
                         .reference = unknown,
                         .before = first.ledger()},
                        three);
             }),
             ContainsSubstring("taken from documents"));
}

TEST_CASE("Released topics are not declared public", "[pipeline]") {
  // Over public words they passed, as a reference of topic_dp say, and their cost was left out.
  random_source random = seeded_random(1);
  const corpus docs = make_corpus({{0, 1, 1}, {1, 2}, {2, 2, 0}}, 3);
  const private_svi learner({.topics = 2, .units = 3, .words = 3, .steps = 1}, three);
  const auto released = learner.fit(docs, random);
  const auto refused = [](const topic_model<>& topics) {
    CHECK_THAT(refusal([&] { declare_public(topics); }), ContainsSubstring("give the release of the topics"));
  };
  refused(released.value());
  refused(released.map([](const topic_model<>& topics) { return topics; }).value());
  refused(select_topics(released.value(), std::vector<std::size_t>{1, 0}));
  refused(shuffled_topics(released.value(), random));
  CHECK_NOTHROW(declare_public(svi<>({.topics = 2}).fit(docs, random)));
}

TEST_CASE("Words are marked by the release that holds them", "[pipeline]") {
  // Words that a release was mapped to counted as words of documents, so that no fit took them.
  const corpus docs = corpus_from_texts(std::vector<std::string>(60, "ferry harbour gulls"));
  random_source random = seeded_random(1);
  const auto chosen = vocabulary_selector({}, three).fit(docs, random);
  REQUIRE(chosen.value()->size() == 3);
  const auto two = chosen.map([](const vocabulary_ptr& words) {
    vocabulary_builder first;
    for (word_id w = 0; w < 2; ++w) first.add(words->word(w));
    return first.build();
  });
  CHECK(two.value()->origin() == word_origin::released);
  const private_svi learner(
      {.topics = 2, .units = 60, .words = 2, .steps = 1, .background_share = 0.1, .before = two.ledger()}, {4, 1e-5});
  CHECK(learner.fit(two, docs, random).value().words() == 2);
}
