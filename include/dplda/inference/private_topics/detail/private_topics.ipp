// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_PRIVATE_TOPICS_IPP
#define DPLDA_INFERENCE_PRIVATE_TOPICS_DETAIL_PRIVATE_TOPICS_IPP

// Bodies of inference/private_topics/private_topics.hpp, which has their claim, argument and test.

#include <dplda/core/detail/same_vocabulary.hpp>
#include <dplda/inference/private_topics/detail/topic_gain.hpp>
#include <dplda/inference/private_topics/detail/topic_statistics.hpp>
#include <dplda/inference/private_topics/private_topics.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/allocation_sampler.hpp>
#include <dplda/mechanisms/fixed_size_sampler.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>
#include <dplda/random/continuous.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace dplda::inline v0_1 {

template <class Method>
private_topics<Method> private_topics<Method>::for_words(std::size_t words) const {
  private_topics other = *this;
  other.options_.words = other.task_.words = words;
  other.options_.background_share = plan_.background_share;
  other.task_.validate();
  other.plan_ = plan_.for_words(words);
  return other;
}

template <class Method>
release<topic_model<>> private_topics<Method>::fit(const divided_corpus& docs, random_source& random,
                                                   const observer& watch) const {
  return finish(begin(docs, random), random, watch);
}

template <class Method>
release<topic_model<>> private_topics<Method>::fit(const release<topic_model<>>& first, const divided_corpus& docs,
                                                   random_source& random, const observer& watch) const {
  return finish(begin(first, docs, random), random, watch);
}

template <class Method>
release<topic_model<>> private_topics<Method>::fit(const release<vocabulary_ptr>& words, const divided_corpus& docs,
                                                   random_source& random, const observer& watch) const {
  return finish(begin(words, docs.restrict_to(words.value()), random), random, watch);
}

template <class Method>
private_topics_state private_topics<Method>::start(const divided_corpus& docs, random_source& random) const {
  return begin(docs, random).state;
}

template <class Method>
private_topics_state private_topics<Method>::start(const release<topic_model<>>& first, const divided_corpus& docs,
                                                   random_source& random) const {
  return begin(first, docs, random).state;
}

template <class Method>
private_topics_state private_topics<Method>::start(const release<vocabulary_ptr>& words, const divided_corpus& docs,
                                                   random_source& random) const {
  return begin(words, docs, random).state;
}

template <class Method>
release<topic_model<>> private_topics<Method>::resume(private_topics_state& state, const divided_corpus& all,
                                                      random_source& random, const observer& watch) const {
  const divided_corpus divided = task_.divided(all, random.processes());
  const corpus& docs = divided.docs();
  const privacy_units& units = divided.units();
  check(state, docs);
  detail::require_not_from_documents(Method::name, *docs.vocab());
  state.table_.go_on_from(earlier_counts(*docs.vocab()));
  state.table_.know(detail::public_frequencies(options_.public_texts, *docs.vocab()),
                    state.uses_public_topics() ? lifts(*docs.vocab()) : Eigen::MatrixXd());
  const std::size_t threads = thread_count(options_.threads);
  const detail::kept_threads keep;
  detail::topic_statistics<Method> statistics(alpha(), options_.document,
                                              detail::repeated_words(options_.words, options_.repetition), threads);
  std::vector<accumulator> sums;
  for (std::size_t i = 0; i < threads; ++i) sums.emplace_back(plan_.table);
  std::vector<double> table(sums.front().cells());
  std::vector<std::size_t> everyone(units.size());
  std::iota(everyone.begin(), everyone.end(), std::size_t{0});
  std::vector<unit_batch> round;
  const auto* const rounds = std::get_if<random_allocation>(&plan_.table.options().sampling);
  while (state.steps_ < plan_.steps) {
    statistics.use(state.phi_, random);
    if (plan_.rate < 1) {
      const std::size_t place = rounds == nullptr ? 0 : state.steps_ % rounds->batches;
      if (rounds != nullptr && place == 0)
        round = allocation_sampler(rounds->batches).draw(plan_.table, units, random, state.ledger_);
      unit_batch batch = rounds == nullptr ? draw(units, random) : std::move(round[place]);
      statistics.add(docs, units, batch.positions(), state.table_.word_weights(), sums);
      sums.front().publish(std::move(batch), random, state.ledger_, std::span(table), threads);
    } else {
      statistics.add(docs, units, everyone, state.table_.word_weights(), sums);
      sums.front().publish(random, state.ledger_, std::span(table), threads);
    }
    for (double& cell : table) cell /= plan_.rate;
    state.table_.add(table, sums.front().noise() / plan_.rate);
    state.phi_ = state.table_.topics(threads);
    ++state.steps_;
    detail::tell(watch, {state.steps_, plan_.steps});
  }
  std::vector<std::string> remarks;
  if (options_.public_topics)
    remarks.emplace_back(state.uses_public_topics()
                             ? "The public topics seem to fit the documents, and were used."
                             : "The public topics do not seem to fit the documents, and were not used.");
  const topic_model<> topics = topic_model<>(state.phi_, docs.vocab(), alpha())
                                   .with_counts(std::make_shared<const topic_counts>(state.table_.counts()));
  return release<topic_model<>>(topics, plan_.guarantee, state.ledger_, std::move(remarks));
}

template <class Method>
typename private_topics<Method>::begun private_topics<Method>::begin(const divided_corpus& docs,
                                                                     random_source& random) const {
  const auto topics = [&](const Eigen::VectorXd& words, const Eigen::MatrixXd& known) {
    return random_topics(words, known, random);
  };
  if (!options_.earlier) return begin_with(docs, random, task_.spent_before(docs), topics);
  const vocabulary_ptr& words = options_.earlier->value().value().vocab();
  // How many words were released is a result of `before`, unless the documents are others.
  if (!options_.earlier->disjoint() && words->origin() == word_origin::released) require_share_for_released_words();
  return begin_with(docs.restrict_to(words), random, options_.before, topics);
}

template <class Method>
std::optional<topic_counts> private_topics<Method>::earlier_counts(const vocabulary& words) const {
  if (!options_.earlier) return {};
  return detail::counts_over(*options_.earlier, words, options_.memory);
}

template <class Method>
typename private_topics<Method>::begun private_topics<Method>::begin(const release<topic_model<>>& first,
                                                                     const divided_corpus& docs,
                                                                     random_source& random) const {
  dplda::ledger spent = task_.spent_before(first);
  detail::require(!options_.earlier, Method::name, "the start", "given with earlier topics",
                  "must be left out: a fit that goes on from earlier topics starts from these");
  detail::require(first.value().topics() == options_.topics && *first.value().vocab() == *docs.docs().vocab(),
                  Method::name, "the start", "of another size",
                  "must have the plan's topics and the corpus's vocabulary");
  if (first.value().vocab()->origin() != word_origin::public_list) require_share_for_released_words();
  return begin_with(
      docs.restrict_to(first.value().vocab()), random, std::move(spent),
      [&](const Eigen::VectorXd& words, const Eigen::MatrixXd&) { return started_from(first.value(), words); });
}

template <class Method>
Eigen::MatrixXd private_topics<Method>::started_from(const topic_model<>& first, const Eigen::VectorXd& words) {
  Eigen::MatrixXd phi = 0.1 * words.transpose().replicate(first.phi().rows(), 1);
  phi.leftCols(first.phi().cols()) += 0.9 * first.phi();
  return phi;
}

template <class Method>
typename private_topics<Method>::begun private_topics<Method>::begin(const release<vocabulary_ptr>& words,
                                                                     const divided_corpus& docs,
                                                                     random_source& random) const {
  dplda::ledger spent = task_.spent_before(words, plan_.guarantee.part);
  require_share_for_released_words();
  detail::require_same_vocabulary(Method::name, docs.docs().vocab(), words.value());
  return begin_with(docs, random, std::move(spent),
                    [&](const Eigen::VectorXd& background, const Eigen::MatrixXd& known) {
                      return random_topics(background, known, random);
                    });
}

template <class Method>
template <class Topics>
typename private_topics<Method>::begun private_topics<Method>::begin_with(const divided_corpus& all,
                                                                          random_source& random, dplda::ledger spent,
                                                                          const Topics& topics) const {
  const divided_corpus docs = task_.divided(all, random.processes());
  if (options_.earlier && options_.earlier->value().ledger().seeded()) spent.mark_seeded();
  require_other_text(options_.public_texts, docs.docs(), random.processes());
  const Eigen::MatrixXd known = detail::public_frequencies(options_.public_texts, *docs.docs().vocab());
  const Eigen::Index size = static_cast<Eigen::Index>(options_.words);
  const std::optional<topic_counts> earlier = earlier_counts(*docs.docs().vocab());
  std::vector<detail::noisy_words> background;
  const auto distribution = [&] {
    std::vector<detail::noisy_words> releases = background;
    if (earlier) releases.insert(releases.begin(), detail::in_one_noise(earlier->words, earlier->word_noise));
    return detail::word_distribution(releases, known, thread_count(options_.threads));
  };
  background.push_back(release_background(plan_.background, Eigen::VectorXd::Ones(size), docs, random, spent));
  background.push_back(release_background(plan_.weighted_background, weights_of(distribution()), docs, random, spent));
  const Eigen::VectorXd words = distribution();
  Eigen::MatrixXd known_topics = lifts(*docs.docs().vocab());
  const double gain = known_topics.size() > 0 ? release_gain(known_topics, words, docs, random, spent) : 0;
  if (!private_topics_state::is_gain(gain)) known_topics = Eigen::MatrixXd();
  Eigen::MatrixXd phi = earlier ? started_from(options_.earlier->value().value(), words) : topics(words, known_topics);
  Eigen::MatrixXd table = Eigen::MatrixXd::Zero(phi.rows(), phi.cols());
  return {docs, private_topics_state({std::move(phi), std::move(table), 0, std::move(background[0].counts),
                                      background[0].noise, std::move(background[1].counts), background[1].noise,
                                      std::move(background[1].weights), weights_of(words), gain, settings(docs.docs()),
                                      0, std::move(spent)})};
}

template <class Method>
release<topic_model<>> private_topics<Method>::finish(begun fit, random_source& random, const observer& watch) const {
  return resume(fit.state, fit.docs, random, watch);
}

template <class Method>
private_topics_plan private_topics<Method>::planned(const budget& total) const {
  validate();
  private_topics_plan chosen = detail::topics_planner(task_, options_, total).plan(total);
  if (options_.earlier) chosen.guarantee.part = options_.earlier->rule();
  return chosen;
}

template <class Method>
void private_topics<Method>::validate() const {
  task_.validate();
  const char* const function = Method::name;
  const options_type& o = options_;
  detail::require(o.rate == 0 || (o.rate >= 1e-9 && o.rate <= 1), function, "rate", o.rate,
                  "must lie in [1e-9, 1], or be 0 for the planner's");
  detail::require(o.batches == batch_choice::coins || o.relation == neighbours::add_remove, function, "batches",
                  "rounds under replace", "must be coins, or rounds under add_remove");
  detail::require(o.clip > 0 && std::isfinite(o.clip), function, "clip", o.clip, "must be positive and finite");
  detail::require(o.background_share >= 0 && o.background_share < 1, function, "background_share", o.background_share,
                  "must lie in (0, 1), or be 0 for the planner's");
  detail::require(o.word_weight >= 0 && o.word_weight <= 1, function, "word_weight", o.word_weight,
                  "must lie in [0, 1]");
  detail::require(o.repetition >= 0 && o.repetition <= 1, function, "repetition", o.repetition, "must lie in [0, 1]");
  // A float keeps a thousandth of a token beside it.
  detail::require(o.alpha >= 1e-30 && o.alpha <= 1000, function, "alpha", o.alpha, "must lie in [1e-30, 1000]");
  detail::require(o.memory > 0 && o.memory <= 1, function, "memory", o.memory, "must lie in (0, 1]");
  detail::require(!o.earlier || !o.public_topics, function, "public_topics", "given with earlier topics",
                  "must be left out: the earlier topics are the better guide");
  if (o.earlier) detail::require_fit_for(task_, *o.earlier);
  detail::require(!o.public_topics || o.public_topics->value().topics() == o.topics, function, "topics", o.topics,
                  "must be the number of the public topics");
  Method::validate(o.document);
}

template <class Method>
void private_topics<Method>::require_share_for_released_words() const {
  detail::require(options_.background_share > 0, Method::name, "background_share", options_.background_share,
                  "must be fixed before words are chosen privately: plan the learner first, then call for_words(n) "
                  "for n chosen words");
}

template <class Method>
Eigen::VectorXd private_topics<Method>::alpha() const {
  return Eigen::VectorXd::Constant(static_cast<Eigen::Index>(options_.topics), options_.alpha);
}

template <class Method>
std::uint64_t private_topics<Method>::settings(const corpus& docs) const {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&](std::uint64_t part) { hash = (hash ^ part) * 0x100000001b3u; };
  for (const char* c = Method::name; *c != 0; ++c) add(static_cast<unsigned char>(*c));
  for (const double number : {options_.clip, options_.word_weight, options_.repetition, options_.alpha})
    add(std::bit_cast<std::uint64_t>(number));
  for (std::size_t v = 0; v < docs.words(); ++v) {
    for (const char c : docs.vocab()->word(static_cast<word_id>(v))) add(static_cast<unsigned char>(c));
    add(256);
  }
  for (const public_text& text : options_.public_texts) add(detail::fingerprint(text.docs(), docs.vocab()));
  const Eigen::MatrixXd known = lifts(*docs.vocab());
  for (Eigen::Index i = 0; i < known.size(); ++i) add(std::bit_cast<std::uint64_t>(known.data()[i]));
  if (const auto earlier = earlier_counts(*docs.vocab())) {
    for (const double cell : earlier->cells.reshaped()) add(std::bit_cast<std::uint64_t>(cell));
    add(std::bit_cast<std::uint64_t>(options_.memory));
  }
  return hash;
}

template <class Method>
void private_topics<Method>::check(const private_topics_state& state, const corpus& docs) const {
  detail::require(static_cast<std::size_t>(state.phi_.rows()) == options_.topics &&
                      static_cast<std::size_t>(state.phi_.cols()) == options_.words && state.steps_ <= plan_.steps,
                  Method::name, "the state", "of another fit", "must have the plan's topics, words and steps");
  detail::require(state.settings_ == settings(docs), Method::name, "the state", "of another fit",
                  "must have the same method, vocabulary, clip, weights and prior");
  dplda::ledger expected = options_.before;
  expected.record(plan_.background.event());
  expected.record(plan_.weighted_background.event());
  if (plan_.gain) expected.record(plan_.gain->event());
  const auto* const rounds = std::get_if<random_allocation>(&plan_.table.options().sampling);
  detail::require(rounds == nullptr || state.steps_ % rounds->batches == 0, Method::name, "the state",
                  "within a round of steps", "must be one between rounds, because the batches of a round are secret");
  const std::size_t events = detail::events_of(state.steps_, plan_.table.options().sampling);
  if (events > 0) expected.record(plan_.table.event(), events);
  detail::require(std::ranges::equal(state.ledger_.entries(), expected.entries()), Method::name, "the state's ledger",
                  "another", "must hold what this plan spends in that many steps");
}

template <class Method>
unit_batch private_topics<Method>::draw(const privacy_units& units, random_source& random) const {
  if (const auto* const fixed = std::get_if<fixed_size_sample>(&plan_.table.options().sampling))
    return fixed_size_sampler(fixed->size, fixed->population).draw(units, random);
  return poisson_sampler(plan_.rate).draw(units, random);
}

template <class Method>
detail::noisy_words private_topics<Method>::release_background(const accumulator_plan& plan, Eigen::VectorXd weights,
                                                               const divided_corpus& docs, random_source& random,
                                                               dplda::ledger& spent) const {
  accumulator sums(plan);
  std::vector<std::uint32_t> words;
  std::vector<double> counts;
  detail::repeated_words repeated(options_.words, options_.repetition);
  for (std::size_t u = 0; u < docs.units().size(); ++u) {
    words.clear();
    counts.clear();
    repeated.look_at(docs.docs(), docs.units().documents(u));
    for (const std::size_t d : docs.units().documents(u)) {
      const document doc = docs.docs()[d];
      words.insert(words.end(), doc.words.begin(), doc.words.end());
      for (std::size_t n = 0; n < doc.size(); ++n) {
        const word_id word = doc.words[n];
        counts.push_back(doc.counts[n] * repeated.factor(word) * weights[static_cast<Eigen::Index>(word)]);
      }
    }
    sums.add(std::span<const std::uint32_t>(words), std::span<const double>(counts));
  }
  detail::noisy_words background{Eigen::VectorXd(weights.size()), sums.noise(), std::move(weights)};
  sums.publish(random, spent, std::span<double>(background.counts.data(), options_.words), options_.threads);
  return background;
}

template <class Method>
Eigen::VectorXd private_topics<Method>::weights_of(const Eigen::VectorXd& words) const {
  return (words.array() * static_cast<double>(options_.words) + 0.05).pow(-options_.word_weight).matrix();
}

template <class Method>
Eigen::MatrixXd private_topics<Method>::lifts(const vocabulary& words) const {
  return options_.public_topics ? detail::topic_lifts(*options_.public_topics, words) : Eigen::MatrixXd();
}

template <class Method>
double private_topics<Method>::release_gain(const Eigen::MatrixXd& lifts, const Eigen::VectorXd& words,
                                            const divided_corpus& docs, random_source& random,
                                            dplda::ledger& spent) const {
  Eigen::MatrixXd phi = lifts * words.asDiagonal();
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  detail::topic_gain gain(phi, words, docs.docs().vocab(), alpha(), random);
  std::vector<accumulator> sums;
  for (std::size_t i = 0; i < thread_count(options_.threads); ++i) sums.emplace_back(*plan_.gain);
  gain.add(docs.docs(), docs.units(), sums);
  return sums.front().publish(random, spent).front() / plan_.gain->noise();
}

template <class Method>
Eigen::MatrixXd private_topics<Method>::random_topics(const Eigen::VectorXd& words, const Eigen::MatrixXd& lifts,
                                                      random_source& random) const {
  const random_source source = random.fork();
  Eigen::MatrixXd phi(static_cast<Eigen::Index>(options_.topics), words.size());
  for (Eigen::Index v = 0; v < words.size(); ++v) {
    chacha20 bits = source.stream("private_topics.start", static_cast<std::uint64_t>(v));
    for (Eigen::Index k = 0; k < phi.rows(); ++k) phi(k, v) = words[v] * std::exp(log_gamma_variate(bits, 10));
  }
  if (lifts.size() > 0) phi.array() *= lifts.array();
  phi.array().colwise() /= phi.rowwise().sum().array().eval();
  return phi;
}

}  // namespace dplda::inline v0_1

#endif
