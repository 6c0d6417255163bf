// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_HDP_IPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_HDP_IPP

// Bodies of inference/gibbs/hdp.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/core/parallel.hpp>
#include <dplda/inference/gibbs/hdp.hpp>
#include <dplda/random/continuous.hpp>
#include <dplda/random/uniform.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

namespace dplda::inline v0_1 {

namespace detail {

/// log x and log(1 - x) of x ~ Beta(a, b).
template <BitGenerator64 Generator>
std::pair<double, double> log_beta_variate(Generator& bits, double a, double b) {
  const double first = log_gamma_variate(bits, a), second = log_gamma_variate(bits, b);
  const double larger = std::max(first, second);
  const double sum = larger + std::log(std::exp(first - larger) + std::exp(second - larger));
  return {first - sum, second - sum};
}

/// A Gamma(shape, rate) value, not smaller than what the sampler can still tell from 0.
template <BitGenerator64 Generator>
double concentration_variate(Generator& bits, double shape, double rate) {
  return std::clamp(std::exp(log_gamma_variate(bits, shape)) / rate, 1e-6, 1e6);
}

inline void validate(const hdp_concentration& c, const char* name) {
  require(c.value >= 1e-6 && c.value <= 1e6, "hdp", text(name, ".value"), c.value, "must lie in [1e-6, 1e6]");
  require(c.shape > 0 && c.shape <= 1e6, "hdp", text(name, ".shape"), c.shape, "must lie in (0, 1000000]");
  require(c.rate > 0 && c.rate <= 1e6, "hdp", text(name, ".rate"), c.rate, "must lie in (0, 1000000]");
}

inline gibbs_options options_of(const hdp_options& o) {
  require(o.most_topics >= 2 && o.most_topics <= 100'000, "hdp", "most_topics", o.most_topics,
          "must lie in [2, 100000]");
  require(o.start_topics >= 1 && o.start_topics <= o.most_topics, "hdp", "start_topics", o.start_topics,
          text("must lie in [1, most_topics], which is ", o.most_topics));
  require(o.topics <= o.most_topics, "hdp", "topics", o.topics,
          text("must be at most most_topics, which is ", o.most_topics));
  validate(o.gamma, "gamma");
  validate(o.alpha, "alpha");
  return {.topics = o.most_topics,
          .burn_in = o.burn_in,
          .samples = o.samples,
          .spacing = o.spacing,
          .eta = o.eta,
          .shards = o.shards,
          .threads = o.threads};
}

}  // namespace detail

DPLDA_INLINE hdp::hdp(hdp_options options) : options_(std::move(options)), sampler_(detail::options_of(options_)) {}

DPLDA_INLINE topic_model<> hdp::fit(const corpus& docs, random_source& random, const observer& watch) const {
  return fit_state(docs, random, watch).model(options_.topics);
}

DPLDA_INLINE hdp_state hdp::fit_state(const corpus& docs, random_source& random, const observer& watch) const {
  const detail::kept_threads keep;
  hdp_state state = start(docs, random);
  const std::size_t planned = options_.burn_in + options_.samples * options_.spacing;
  for (std::size_t done = 1; done <= planned; ++done) {
    sweep(state);
    if (done > options_.burn_in && (done - options_.burn_in) % options_.spacing == 0) take_sample(state);
    if (watch && watch({done, planned})) break;
  }
  return state;
}

DPLDA_INLINE hdp_state hdp::start(const corpus& docs, random_source& random) const {
  std::vector<std::uint32_t> topics(static_cast<std::size_t>(docs.tokens()));
  detail::require_one_process("hdp", random);
  random_source source = random.fork();
  auto bits = source.stream("hdp.start");
  for (std::uint32_t& topic : topics) topic = static_cast<std::uint32_t>(uniform_below(bits, options_.start_topics));
  hdp_state state;
  state.tokens_ = sampler_.start(docs, source, topics);
  state.gamma_ = options_.gamma.value;
  state.alpha_ = options_.alpha.value;
  const auto most = static_cast<Eigen::Index>(options_.most_topics);
  const auto words = static_cast<Eigen::Index>(docs.words());
  state.weights_ = Eigen::VectorXd::Constant(most, 1 / static_cast<double>(most));
  state.count_sums_.setZero(most, words);
  state.prior_sums_.setZero(most);
  state.samples_of_.setZero(most);
  draw_weights(state);
  return state;
}

DPLDA_INLINE void hdp::sweep(hdp_state& state) const {
  sampler_.sweep(state.tokens_);
  draw_weights(state);
}

DPLDA_INLINE hdp::tables hdp::draw_tables(const hdp_state& state) const {
  const gibbs_state<>& tokens = state.tokens_;
  const std::size_t documents = tokens.docs().size(), topics = tokens.topics();
  const std::size_t threads = thread_count(options_.threads);
  std::vector<std::vector<std::uint64_t>> of_worker(threads, std::vector<std::uint64_t>(topics, 0));
  std::vector<double> shapes(documents, 0.0), rates(documents, 0.0);
  parallel_for(documents, 64, threads, [&](std::size_t begin, std::size_t end, std::size_t worker) {
    std::vector<std::uint32_t> counts(topics, 0);
    for (std::size_t d = begin; d < end; ++d) {
      const std::span<const std::uint32_t> assigned = tokens.assignments(d);
      if (assigned.empty()) continue;
      auto bits = tokens.random_->stream("hdp.tables", tokens.sweeps() * documents + d);
      // The i-th token of a topic opens a table with the probability of trial i, whatever the order of the tokens.
      for (const std::uint32_t k : assigned) {
        const double prior = tokens.alpha()[static_cast<Eigen::Index>(k)];
        const double before = counts[k]++;
        if (before == 0 || uniform_open(bits) * (prior + before) < prior) ++of_worker[worker][k];
      }
      for (const std::uint32_t k : assigned) counts[k] = 0;
      const auto length = static_cast<double>(assigned.size());
      rates[d] = -detail::log_beta_variate(bits, state.alpha_ + 1, length).first;
      shapes[d] = uniform_open(bits) * (length + state.alpha_) < length ? -1 : 0;
    }
  });
  tables drawn;
  drawn.of_topic.assign(topics, 0);
  for (const auto& part : of_worker) {
    for (std::size_t k = 0; k < topics; ++k) drawn.of_topic[k] += part[k];
  }
  drawn.all = std::accumulate(drawn.of_topic.begin(), drawn.of_topic.end(), std::uint64_t{0});
  drawn.alpha_shape = std::accumulate(shapes.begin(), shapes.end(), static_cast<double>(drawn.all));
  drawn.alpha_rate = std::accumulate(rates.begin(), rates.end(), 0.0);
  return drawn;
}

DPLDA_INLINE void hdp::draw_weights(hdp_state& state) const {
  gibbs_state<>& tokens = state.tokens_;
  const auto most = static_cast<Eigen::Index>(tokens.topics());
  const tables drawn = draw_tables(state);
  auto bits = tokens.random_->stream("hdp.weights", tokens.sweeps());
  state.found_ = static_cast<std::size_t>(
      std::count_if(drawn.of_topic.begin(), drawn.of_topic.end(), [](std::uint64_t m) { return m > 0; }));
  if (options_.gamma.learned && drawn.all > 0) {
    const hdp_concentration& prior = options_.gamma;
    const auto customers = static_cast<double>(drawn.all), topics = static_cast<double>(state.found_);
    const double rate = prior.rate - detail::log_beta_variate(bits, state.gamma_ + 1, customers).first;
    const double more = prior.shape + topics - 1, odds = more / (customers * rate);
    state.gamma_ = detail::concentration_variate(bits, uniform_open(bits) * (1 + odds) < odds ? more + 1 : more, rate);
  }
  if (options_.alpha.learned && drawn.all > 0) {
    state.alpha_ = detail::concentration_variate(bits, options_.alpha.shape + drawn.alpha_shape,
                                                 options_.alpha.rate + drawn.alpha_rate);
  }

  // The weights of topics with tokens and of the rest, in proportion.
  Eigen::VectorXd logs(most);
  double largest = log_gamma_variate(bits, state.gamma_);
  const double rest = largest;
  for (Eigen::Index k = 0; k < most; ++k) {
    const std::uint64_t m = drawn.of_topic[static_cast<std::size_t>(k)];
    if (m > 0) largest = std::max(largest, logs[k] = log_gamma_variate(bits, static_cast<double>(m)));
  }
  double left = rest - largest;  // the logarithm of what free numbers have not taken
  std::size_t free = tokens.topics() - state.found_;
  double sum = 0;
  for (Eigen::Index k = 0; k < most; ++k) {
    if (drawn.of_topic[static_cast<std::size_t>(k)] > 0) {
      state.weights_[k] = std::exp(logs[k] - largest);
      sum += state.weights_[k];
      continue;
    }
    if (state.samples_of_[k] > 0) {  // the number is free, and may be another topic's soon
      state.count_sums_.row(k).setZero();
      state.prior_sums_[k] = state.samples_of_[k] = 0;
    }
    if (--free > 0) {
      const auto [taken, kept] = detail::log_beta_variate(bits, 1, state.gamma_);
      state.weights_[k] = std::exp(left + taken);
      left += kept;
    } else {
      state.weights_[k] = std::exp(left);
    }
    sum += state.weights_[k];
  }
  state.weights_ /= sum;
  // Not below what the sampler's single precision can hold.
  tokens.alpha_ = (state.alpha_ * state.weights_).cwiseMax(1e-9);
}

DPLDA_INLINE void hdp::take_sample(hdp_state& state) {
  const gibbs_state<>& tokens = state.tokens_;
  const Eigen::VectorXd totals = tokens.topic_totals();
  for (Eigen::Index k = 0; k < totals.size(); ++k) {
    if (totals[k] > 0) {
      for (word_id w = 0; w < tokens.words(); ++w) {
        state.count_sums_(k, static_cast<Eigen::Index>(w)) += tokens.count(w, static_cast<std::size_t>(k));
      }
      state.prior_sums_[k] += tokens.alpha()[k];
      state.samples_of_[k] += 1;
    }
  }
}

DPLDA_INLINE topic_model<> hdp_state::model(std::size_t topics) const {
  const Eigen::VectorXd totals = tokens_.topic_totals();
  std::vector<Eigen::Index> order(static_cast<std::size_t>(totals.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return totals[a] > totals[b]; });
  const std::size_t rows = topics > 0 ? topics : std::max<std::size_t>(found_, 1);
  detail::require(rows <= order.size(), "hdp_state::model", "topics", topics,
                  detail::text("must be at most most_topics, which is ", order.size()));
  const auto words = static_cast<Eigen::Index>(tokens_.words());
  Eigen::MatrixXd phi(static_cast<Eigen::Index>(rows), words);
  Eigen::VectorXd prior(phi.rows());
  for (Eigen::Index i = 0; i < phi.rows(); ++i) {
    const Eigen::Index k = order[static_cast<std::size_t>(i)];
    const double samples = totals[k] > 0 ? samples_of_[k] : 0;
    for (Eigen::Index w = 0; w < words; ++w) {
      const double count = samples > 0 ? count_sums_(k, w) / samples
                                       : tokens_.count(static_cast<word_id>(w), static_cast<std::size_t>(k));
      phi(i, w) = count + tokens_.eta()[w];
    }
    phi.row(i) /= phi.row(i).sum();
    prior[i] = samples > 0 ? prior_sums_[k] / samples : tokens_.alpha()[k];
  }
  return topic_model<>(std::move(phi), tokens_.docs().vocab(), prior);
}

}  // namespace dplda::inline v0_1

#endif
