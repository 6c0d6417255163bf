// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_VOCABULARY_DETAIL_PHRASE_SELECTOR_IPP
#define DPLDA_VOCABULARY_DETAIL_PHRASE_SELECTOR_IPP

// Bodies of vocabulary/phrase_selector.hpp, which has their claim, argument and test.

#include <dplda/accounting/accountant.hpp>
#include <dplda/core/errors.hpp>
#include <dplda/vocabulary/phrase_selector.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr char phrase_joint = '_';

/// The words joined; empty if one of them has the joint itself.
inline std::string joined(const vocabulary& vocab, std::span<const word_id> words) {
  std::string all;
  for (const word_id word : words) {
    if (vocab.word(word).find(phrase_joint) != std::string_view::npos) return {};
    if (!all.empty()) all += phrase_joint;
    all += vocab.word(word);
  }
  return all;
}

/// Throws std::invalid_argument if the texts were cut to released words.
inline void require_whole_texts(const char* function, const ordered_texts& texts) {
  require(texts.vocab()->origin() != word_origin::released, function, "the list of words", "a private choice",
          "must be that of the whole texts: take the texts as they were read");
}

inline corpus corpus_of(corpus_builder& builder, vocabulary_ptr vocab, const ordered_texts& texts, pruning known) {
  if (!texts.users().empty()) builder.set_users(texts.users(), texts.user_count());
  return with_pruning(builder.build(std::move(vocab)), known);
}

DPLDA_INLINE corpus phrase_candidates(const ordered_texts& texts, const vocabulary& released, std::size_t words) {
  vocabulary_builder phrases;
  corpus_builder builder;
  for (std::size_t d = 0; d < texts.size(); ++d) {
    const std::span<const word_id> text = texts[d];
    for (std::size_t i = 0; i + words <= text.size(); ++i) {
      const std::string whole = joined(*texts.vocab(), text.subspan(i, words));
      const auto was_released = [&](std::size_t first) {
        return released.find(joined(*texts.vocab(), text.subspan(first, words - 1))).has_value();
      };
      if (!whole.empty() && (words == 1 || (was_released(i) && was_released(i + 1)))) builder.add(phrases.add(whole));
    }
    builder.end_document();
  }
  return corpus_of(builder, phrases.build(), texts, texts.pruning());
}

}  // namespace detail

DPLDA_INLINE phrase_selector::phrase_selector(phrase_options options, const budget& total)
    : options_(std::move(options)) {
  const char* const function = "phrase_selector";
  const std::size_t rounds = options_.longest;
  detail::require(rounds >= 1 && rounds <= 8, function, "longest", rounds, "must lie in [1, 8]");
  detail::require(options_.selection.basis == basis::proven, function, "basis", "as published",
                  "must be proven: otherwise nothing is proven for all rounds together");
  plan_.ledger = options_.selection.before;
  double before = 0;
  if (!plan_.ledger.empty()) {
    before = price(plan_.ledger, std::ldexp(total.delta, 1 - static_cast<int>(rounds))).epsilon;
    detail::require(before < total.epsilon, function, "the price of selection.before", before,
                    detail::text("must be below the epsilon of the budget, ", total.epsilon));
  }
  double share = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    share += std::ldexp(1.0, -static_cast<int>(round));
    const double part = share / (2 - std::ldexp(1.0, 1 - static_cast<int>(rounds)));  // of the squares, so far
    vocabulary_options selection = options_.selection;
    selection.before = plan_.ledger;
    const bool last = round + 1 == rounds;
    const budget so_far{last ? total.epsilon : before + (total.epsilon - before) * std::sqrt(part),
                        std::ldexp(total.delta, static_cast<int>(round + 1) - static_cast<int>(rounds))};
    plan_.ledger = plan_.rounds.emplace_back(std::move(selection), so_far).plan().ledger;
  }
  plan_.guarantee = plan_.rounds.back().guarantee();
  plan_.guarantee.assumes_fixed_plans = !options_.selection.before.empty();
}

DPLDA_INLINE release<vocabulary_ptr> phrase_selector::fit(const ordered_texts& texts, random_source& random) const {
  detail::require_whole_texts("phrase_selector", texts);
  vocabulary_builder all;
  vocabulary last;
  dplda::ledger spent;
  for (std::size_t round = 0; round < plan_.rounds.size(); ++round) {
    const auto chosen = plan_.rounds[round].fit(detail::phrase_candidates(texts, last, round + 1), random);
    last = *chosen.value();
    for (word_id w = 0; w < last.size(); ++w) all.add(last.word(w));
    spent = chosen.ledger();
  }
  return release<vocabulary_ptr>(all.build(), plan_.guarantee, std::move(spent));
}

DPLDA_INLINE corpus with_phrases(const ordered_texts& texts, const vocabulary_ptr& listed) {
  const char* const function = "with_phrases";
  detail::require(listed != nullptr, function, "the list", "null", "must be given");
  detail::require_whole_texts(function, texts);
  const bool released = listed->origin() == word_origin::released;
  detail::require(!released || texts.pruning() != pruning::unknown, function, "the texts", "made of sequences",
                  "must depend each on its own text and public rules alone. If they do, say so with "
                  "declare_unpruned(texts)");
  std::size_t longest = 1;
  for (word_id w = 0; w < listed->size(); ++w)
    longest =
        std::max(longest, static_cast<std::size_t>(1 + std::ranges::count(listed->word(w), detail::phrase_joint)));
  corpus_builder builder;
  for (std::size_t d = 0; d < texts.size(); ++d) {
    const std::span<const word_id> text = texts[d];
    for (const word_id word : text) {
      if (const auto id = listed->find(detail::joined(*texts.vocab(), std::span(&word, 1)))) builder.add(*id);
    }
    for (std::size_t i = 0; i < text.size();) {
      std::size_t taken = 1;
      for (std::size_t words = std::min(longest, text.size() - i); words >= 2 && taken == 1; --words) {
        const auto phrase = listed->find(detail::joined(*texts.vocab(), text.subspan(i, words)));
        if (!phrase) continue;
        builder.add(*phrase);
        taken = words;
      }
      i += taken;
    }
    builder.end_document();
  }
  const pruning by_the_list = released                                     ? pruning::by_list
                              : listed->origin() == word_origin::documents ? pruning::pruned
                                                                           : pruning::none;
  return detail::corpus_of(builder, listed, texts, std::max(texts.pruning(), by_the_list));
}

}  // namespace dplda::inline v0_1

#endif
