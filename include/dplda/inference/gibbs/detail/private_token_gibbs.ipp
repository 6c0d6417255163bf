// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_PRIVATE_TOKEN_GIBBS_IPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_PRIVATE_TOKEN_GIBBS_IPP

// Bodies of inference/gibbs/private_token_gibbs.hpp, which has their claim, argument and test.

#include <dplda/core/parallel.hpp>
#include <dplda/inference/gibbs/private_token_gibbs.hpp>
#include <dplda/mechanisms/detail/premises.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/random/continuous.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE corpus token_corpus(const corpus& docs) {
  corpus_builder builder;
  std::vector<std::uint64_t> ids;
  std::vector<user_id> owners;
  for (std::size_t d = 0; d < docs.size(); ++d) {
    const document doc = docs[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      const std::uint64_t first = (std::uint64_t{d} << 40) | (std::uint64_t{doc.words[n]} << 16);
      const std::uint64_t count = std::min<std::uint64_t>(doc.counts[n], 0x10000);
      for (std::uint64_t i = 0; i < count; ++i) {
        builder.add(doc.words[n]);
        builder.end_document();
        ids.push_back(first + i);
        owners.push_back(static_cast<user_id>(d));
      }
    }
  }
  builder.set_ids(std::move(ids));
  builder.set_users(std::move(owners), docs.size());
  return with_pruning(builder.build(docs.vocab()), docs.pruning());
}

}  // namespace detail

DPLDA_INLINE private_token_gibbs_state::private_token_gibbs_state(const private_token_gibbs_options& options,
                                                                  random_source& random)
    : phi_(static_cast<Eigen::Index>(options.topics), static_cast<Eigen::Index>(options.words)),
      in_document_(Eigen::MatrixXd::Zero(phi_.rows(), static_cast<Eigen::Index>(options.documents))),
      document_mean_(in_document_),
      tables_(options.topics * (options.words + options.documents)),
      ledger_(options.before) {
  const random_source source = random.fork();
  for (Eigen::Index v = 0; v < phi_.cols(); ++v) {
    chacha20 bits = source.stream("private_token_gibbs.start", static_cast<std::uint64_t>(v));
    for (Eigen::Index k = 0; k < phi_.rows(); ++k) phi_(k, v) = std::exp(log_gamma_variate(bits, 1));
  }
  phi_.array().colwise() /= phi_.rowwise().sum().array().eval();
}

DPLDA_INLINE void private_token_gibbs_state::take_in(double noise, double rate, double tokens) {
  std::vector<double> scaled = tables_;
  for (double& cell : scaled) cell /= rate;
  noise /= rate;
  const auto topics = static_cast<std::size_t>(phi_.rows()), words = static_cast<std::size_t>(phi_.cols());
  const std::span<const double> word_part = std::span<const double>(scaled).first(topics * words);
  if (!word_table_) {
    // The sum of the first table is the only estimate of the words' common distribution.
    const Eigen::Map<const Eigen::MatrixXd> first(word_part.data(), phi_.rows(), phi_.cols());
    const Eigen::VectorXd ones = Eigen::VectorXd::Ones(phi_.cols());
    word_table_.emplace(
        topics,
        std::vector<detail::noisy_words>{{first.colwise().sum(), noise * std::sqrt(static_cast<double>(topics)), ones}},
        ones);
  }
  word_table_->add(word_part, noise);
  phi_ = word_table_->topics(1);
  const double share = 2 / (static_cast<double>(++sweeps_) + 1);
  const Eigen::Map<const Eigen::MatrixXd> of_documents(scaled.data() + word_part.size(), phi_.rows(),
                                                       document_mean_.cols());
  document_mean_ += share * (of_documents - document_mean_);
  const double left = noise * detail::noisy_topics::noise_left(static_cast<double>(sweeps_));
  const double mean = std::max(1e-3, tokens / static_cast<double>(document_mean_.size()));
  const detail::gamma_shrinkage& prior = detail::shrinkage_family::get().fit(1, 1, [&](std::size_t, auto&& visit) {
    const Eigen::Index step = std::max<Eigen::Index>(1, document_mean_.size() / 20000);
    for (Eigen::Index i = 0; i < document_mean_.size(); i += step) visit(document_mean_.data()[i] / left, left / mean);
  });
  in_document_ = document_mean_.unaryExpr([&](double y) { return left * prior.mean(y / left, left / mean); });
}

DPLDA_INLINE release<topic_model<>> private_token_gibbs::fit(const corpus& docs, random_source& random,
                                                             const observer& watch) const {
  private_token_gibbs_state state = start(random);
  return resume(state, docs, random, watch);
}

DPLDA_INLINE release<topic_model<>> private_token_gibbs::resume(private_token_gibbs_state& state, const corpus& docs,
                                                                random_source& random, const observer& watch) const {
  detail::require_one_process("private_token_gibbs", random);
  check(state);
  const corpus tokens = tokens_of(docs);
  const privacy_units units(tokens, privacy_unit::token);
  const std::size_t threads = thread_count(options_.threads);
  const detail::kept_threads keep;
  std::vector<accumulator> sums;
  for (std::size_t i = 0; i < threads; ++i) sums.emplace_back(plan_.tables);
  std::vector<std::size_t> all(options_.rate < 1 ? 0 : units.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  while (state.sweeps_ < options_.sweeps) {
    if (options_.rate < 1) {
      unit_batch batch = poisson_sampler(options_.rate).draw(units, random);
      count(tokens, units, batch.positions(), state, random.fork(), sums);
      sums.front().publish(std::move(batch), random, state.ledger_, std::span(state.tables_), threads);
    } else {
      count(tokens, units, all, state, random.fork(), sums);
      sums.front().publish(random, state.ledger_, std::span(state.tables_), threads);
    }
    state.take_in(sums.front().noise(), options_.rate, static_cast<double>(options_.tokens));
    detail::tell(watch, {state.sweeps_, options_.sweeps});
  }
  return release<topic_model<>>(
      topic_model<>(state.phi_, docs.vocab(),
                    Eigen::VectorXd::Constant(static_cast<Eigen::Index>(options_.topics), options_.alpha)),
      plan_.guarantee, state.ledger_);
}

DPLDA_INLINE void private_token_gibbs::validate() const {
  const char* const function = "private_token_gibbs";
  const private_token_gibbs_options& o = options_;
  detail::require(o.topics >= 1 && o.topics <= 1'000'000, function, "topics", o.topics, "must lie in [1, 1000000]");
  detail::require(o.documents >= 1 && o.documents < (1u << 24), function, "documents", o.documents,
                  "must be the public number of documents, below 2^24");
  detail::require(o.words >= 1 && o.words < (1u << 24), function, "words", o.words,
                  "must be the size of the vocabulary, at least 1 and below 2^24");
  detail::require(o.tokens >= 1, function, "tokens", o.tokens, "must be the approximate number of tokens");
  detail::require(o.sweeps >= 1, function, "sweeps", o.sweeps, "must be at least 1");
  detail::require(o.rate >= 1e-9 && o.rate <= 1, function, "rate", o.rate, "must lie in [1e-9, 1]");
  detail::require(o.rate == 1 || o.relation == neighbours::add_remove, function, "rate", o.rate,
                  "must be 1 under replace; use add_remove for a smaller rate");
  detail::require(o.alpha >= 1e-100 && o.alpha <= 1e100, function, "alpha", o.alpha, "must lie in [1e-100, 1e100]");
}

DPLDA_INLINE private_task private_token_gibbs::task() const {
  const private_token_gibbs_options& o = options_;
  return {o.topics, o.tokens,     o.words,   privacy_unit::token,  o.relation,
          o.before, o.accountant, o.threads, "private_token_gibbs"};
}

DPLDA_INLINE accumulator_options private_token_gibbs::tables(double multiplier) const {
  accumulator_options sums = task_.sum(options_.words + options_.documents, options_.topics, multiplier,
                                       "topic counts of words and documents");
  sums.clip = std::numbers::sqrt2;
  if (options_.rate < 1) sums.sampling = poisson_sample{options_.rate};
  return sums;
}

DPLDA_INLINE private_token_gibbs_plan private_token_gibbs::planned(const budget& total) const {
  validate();
  const auto book = [&](double multiplier) {
    dplda::ledger spent = options_.before;
    spent.record(tables(multiplier).event(), options_.sweeps);
    return spent;
  };
  calibrated_noise chosen = task_.calibrated(book, total);
  return {accumulator_plan(tables(chosen.multiplier)), std::move(chosen.ledger), std::move(chosen.guarantee)};
}

DPLDA_INLINE void private_token_gibbs::check(const private_token_gibbs_state& state) const {
  dplda::ledger expected = options_.before;
  if (state.sweeps_ > 0) expected.record(plan_.tables.event(), state.sweeps_);
  detail::require(state.tables_.size() == options_.topics * (options_.words + options_.documents) &&
                      std::ranges::equal(state.ledger_.entries(), expected.entries()),
                  "private_token_gibbs", "the state", "of another fit",
                  "must have spent what this plan spends in that many sweeps");
}

DPLDA_INLINE corpus private_token_gibbs::tokens_of(const corpus& docs) const {
  const char* const function = "private_token_gibbs::fit";
  detail::require_public_words(function, *docs.vocab());
  detail::require(docs.words() == options_.words, function, "size of the vocabulary", docs.words(),
                  detail::text("must be the planned ", options_.words));
  detail::require(docs.size() == options_.documents, function, "number of documents", docs.size(),
                  detail::text("must be the planned ", options_.documents));
  return detail::token_corpus(docs);
}

DPLDA_INLINE void private_token_gibbs::count(const corpus& tokens, const privacy_units& units,
                                             std::span<const std::size_t> batch, const private_token_gibbs_state& known,
                                             const random_source& random, std::vector<accumulator>& sums) const {
  const std::size_t topics = options_.topics;
  parallel_for(batch.size(), 1024, sums.size(), [&](std::size_t begin, std::size_t end, std::size_t w) {
    std::vector<double> reached(topics), values(2 * topics, 0.0);
    chacha20 bits = random.stream("private_token_gibbs.topics");
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t token = units.documents(batch[i]).front();
      const word_id word = tokens[token].words.front();
      const user_id owner = tokens.user(token);
      double total = 0;
      for (std::size_t k = 0; k < topics; ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        total += (options_.alpha + known.in_document_(row, static_cast<Eigen::Index>(owner))) *
                 known.phi_(row, static_cast<Eigen::Index>(word));
        reached[k] = total;
      }
      bits.seek(units.id(batch[i]));
      const double place = static_cast<double>(bits() >> 11) * 0x1p-53 * total;
      const auto topic =
          std::min(static_cast<std::size_t>(std::upper_bound(reached.begin(), reached.end(), place) - reached.begin()),
                   topics - 1);
      const std::uint32_t rows[] = {word, static_cast<std::uint32_t>(options_.words + owner)};
      values[topic] = values[topics + topic] = 1;
      sums[w].add(std::span<const std::uint32_t>(rows), std::span<const double>(values));
      values[topic] = values[topics + topic] = 0;
    }
  });
  for (std::size_t w = 1; w < sums.size(); ++w) sums[0].merge(sums[w]);
}

}  // namespace dplda::inline v0_1

#endif
