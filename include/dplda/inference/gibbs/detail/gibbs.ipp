// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_GIBBS_IPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_GIBBS_IPP

// Bodies of inference/gibbs/gibbs.hpp.

#include <dplda/core/parallel.hpp>
#include <dplda/core/statistics.hpp>
#include <dplda/inference/gibbs/detail/count_histogram.hpp>
#include <dplda/inference/gibbs/detail/sweep_kernels.hpp>
#include <dplda/inference/gibbs/gibbs.hpp>
#include <dplda/random/uniform.hpp>

#include <cmath>
#include <memory>
#include <type_traits>

namespace dplda::inline v0_1 {

template <class Real>
gibbs_state<Real> gibbs<Real>::start(const corpus& docs, random_source& random,
                                     std::span<const std::uint32_t> assignments) const {
  detail::require_one_process("gibbs", random);
  detail::require(docs.words() > 0, "gibbs", "vocabulary", "empty", "must have at least 1 word");
  detail::require(!docs.empty(), "gibbs", "number of documents", docs.size(), "must be at least 1");
  detail::require(docs.tokens() <= 0x7FFFFFFFu, "gibbs", "number of tokens", docs.tokens(),
                  "must be at most 2147483647");
  detail::require(assignments.empty() || assignments.size() == docs.tokens(), "gibbs::start", "number of assignments",
                  assignments.size(), detail::text("must be the number of tokens, ", docs.tokens()));
  gibbs_state<Real> state;
  state.docs_ = docs;
  state.alpha_ = detail::expand_for_sampling(options_.alpha, options_.topics, "alpha");
  state.eta_ = detail::expand_for_sampling(options_.eta, docs.words(), "eta");
  state.stride_ = detail::padded<float>(options_.topics);
  state.token_begin_.resize(docs.size() + 1);
  for (std::size_t d = 0; d < docs.size(); ++d) {
    state.token_begin_[d + 1] = state.token_begin_[d] + static_cast<std::size_t>(docs[d].length());
  }
  state.random_ = std::make_shared<const random_source>(random.fork());
  if (assignments.empty()) {
    state.topic_of_.resize(static_cast<std::size_t>(docs.tokens()));
    auto bits = state.random_->stream("gibbs.start");
    for (std::uint32_t& topic : state.topic_of_) {
      topic = static_cast<std::uint32_t>(uniform_below(bits, options_.topics));
    }
  } else {
    for (const std::uint32_t topic : assignments) {
      if (topic >= options_.topics) {
        detail::refuse("gibbs::start", "assignment", topic,
                       detail::text("must be below the number of topics, ", options_.topics));
      }
    }
    state.topic_of_.assign(assignments.begin(), assignments.end());
  }
  count_all(state);
  return state;
}

template <class Real>
void gibbs<Real>::sweep(gibbs_state<Real>& state) const {
  const std::size_t shards = options_.shards;
  const std::size_t threads = shards == 1 ? 1 : std::min(thread_count(options_.threads), shards);
  if (state.word_bounds_.size() != shards + 1) state.word_bounds_ = word_parts(state, shards);
  std::vector<float> alpha(state.stride_, 0.0f), eta(state.words());
  std::transform(state.alpha_.begin(), state.alpha_.end(), alpha.begin(), to_float);
  std::transform(state.eta_.begin(), state.eta_.end(), eta.begin(), to_float);
  std::vector<detail::sweep_work> works(threads);
  std::vector<std::vector<std::int32_t>> totals(shards);
  for (std::size_t round = 0; round < shards; ++round) {
    parallel_for(shards, 1, threads, [&](std::size_t task, std::size_t, std::size_t worker) {
      totals[task] = state.totals_;
      const std::size_t part = (task + round) % shards;
      detail::uniform_floats uniform(
          state.random_->stream("gibbs.sweep", (state.sweeps_ * shards + round) * shards + task));
      const detail::sweep_task t{.docs = &state.docs_,
                                 .token_begin = state.token_begin_.data(),
                                 .topic_of = state.topic_of_.data(),
                                 .word_topics = state.counts(),
                                 .used_packs = state.used_packs_.empty() ? nullptr : state.used_packs_.data(),
                                 .topic_totals = totals[task].data(),
                                 .alpha = alpha.data(),
                                 .eta = eta.data(),
                                 .eta_sum = static_cast<float>(state.eta_.sum()),
                                 .stride = state.stride_,
                                 .first_document = task,
                                 .document_step = shards,
                                 .first_word = state.word_bounds_[part],
                                 .last_word = state.word_bounds_[part + 1]};
      detail::sweep_tokens(t, works[worker], uniform);
    });
    for (std::size_t k = 0; k < state.stride_; ++k) {
      const std::int32_t before = state.totals_[k];
      for (const auto& after : totals) state.totals_[k] += after[k] - before;
    }
  }
  ++state.sweeps_;
}

template <class Real>
void gibbs<Real>::fit_priors(gibbs_state<Real>& state) const {
  if (options_.learn_alpha) {
    std::vector<detail::count_histogram> parts(state.topics());
    detail::count_histogram lengths;
    std::vector<std::uint32_t> n(state.topics());
    for (std::size_t d = 0; d < state.docs_.size(); ++d) {
      std::fill(n.begin(), n.end(), 0u);
      for (const std::uint32_t topic : state.assignments(d)) ++n[topic];
      for (std::size_t k = 0; k < n.size(); ++k) parts[k].add(n[k]);
      lengths.add(state.assignments(d).size());
    }
    state.alpha_ = detail::fit_dirichlet_to_counts(parts, lengths, state.alpha_);
  }
  if (options_.learn_eta) {
    detail::count_histogram parts, lengths;
    for (word_id w = 0; w < state.words(); ++w) {
      for (std::size_t k = 0; k < state.topics(); ++k) parts.add(state.count(w, k));
    }
    for (std::size_t k = 0; k < state.topics(); ++k) lengths.add(static_cast<std::uint64_t>(state.totals_[k]));
    state.eta_.setConstant(
        detail::fit_symmetric_to_counts(parts, lengths, static_cast<double>(state.words()), state.eta_[0]));
  }
}

template <class Real>
std::size_t gibbs<Real>::planned(const gibbs_state<Real>& state) const {
  return std::min(options_.burn_in, state.burned_) + options_.samples * options_.spacing;
}

template <class Real>
std::size_t gibbs<Real>::begun(const gibbs_state<Real>& state) const {
  return state.sweeps_ - std::min(options_.burn_in, state.burned_);
}

template <class Real>
bool gibbs<Real>::learns_now(const gibbs_state<Real>& state) const {
  return (options_.learn_alpha || options_.learn_eta) && state.sweeps_ >= options_.prior_start &&
         (state.sweeps_ - options_.prior_start) % options_.prior_interval == 0;
}

template <class Real>
void gibbs<Real>::end_burn_in_when_calm(gibbs_state<Real>& state) const {
  if (!(options_.calm_threshold > 0)) return;
  std::vector<double>& trace = state.trace_;
  trace.push_back(state.perplexity(options_.threads));
  if (trace.size() <= options_.calm_sweeps) return;
  for (std::size_t i = trace.size() - options_.calm_sweeps; i < trace.size(); ++i) {
    if (!(std::abs(trace[i] - trace[i - 1]) <= options_.calm_threshold)) return;
  }
  state.burned_ = state.sweeps_;
}

template <class Real>
void gibbs<Real>::count_all(gibbs_state<Real>& state) {
  state.word_topics_.assign(state.words() * state.stride_ / 8, {});
  state.totals_.assign(state.stride_, 0);
  const std::size_t masks = (state.stride_ / 8 + 63) / 64;
  state.used_packs_.assign(state.stride_ > detail::most_dense_topics ? state.words() * masks : 0, 0);
  const std::uint32_t* topic = state.topic_of_.data();
  for (std::size_t d = 0; d < state.docs_.size(); ++d) {
    const document doc = state.docs_[d];
    for (std::size_t n = 0; n < doc.size(); ++n) {
      std::int32_t* row = state.counts() + std::size_t{doc.words[n]} * state.stride_;
      for (std::uint32_t i = 0; i < doc.counts[n]; ++i, ++topic) {
        ++row[*topic];
        ++state.totals_[*topic];
        if (!state.used_packs_.empty()) {
          state.used_packs_[doc.words[n] * masks + *topic / 512] |= std::uint64_t{1} << *topic / 8 % 64;
        }
      }
    }
  }
}

template <class Real>
std::vector<word_id> gibbs<Real>::word_parts(const gibbs_state<Real>& state, std::size_t parts) {
  const auto words = static_cast<word_id>(state.words());
  std::vector<word_id> bounds{0};
  bounds.resize(parts + 1, words);
  if (parts == 1) return bounds;
  const std::vector<std::uint64_t> counts = word_counts(state.docs_);
  std::uint64_t before = 0;
  std::size_t part = 1;
  for (word_id w = 0; w < words && part < parts; ++w) {
    before += counts[w];
    while (part < parts && before * parts >= state.docs_.tokens() * part) bounds[part++] = w + 1;
  }
  return bounds;
}

}  // namespace dplda::inline v0_1

#endif
