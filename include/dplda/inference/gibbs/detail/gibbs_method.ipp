// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_GIBBS_METHOD_IPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_GIBBS_METHOD_IPP

// Bodies of inference/gibbs/detail/gibbs_method.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/inference/gibbs/detail/gibbs_method.hpp>

#include <algorithm>
#include <numeric>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE alias_tables::alias_tables(const Eigen::MatrixXd& shares)
    : topics_(static_cast<std::size_t>(shares.rows())), slots_(static_cast<std::size_t>(shares.size())) {
  std::vector<double> height(topics_);
  std::vector<std::uint32_t> low, high;
  for (Eigen::Index v = 0; v < shares.cols(); ++v) {
    slot* table = slots_.data() + static_cast<std::size_t>(v) * topics_;
    const double scale = static_cast<double>(topics_) / shares.col(v).sum();
    low.clear();
    high.clear();
    for (std::size_t k = 0; k < topics_; ++k) {
      height[k] = shares(static_cast<Eigen::Index>(k), v) * scale;
      table[k] = {1, static_cast<std::uint32_t>(k)};
      (height[k] < 1 ? low : high).push_back(static_cast<std::uint32_t>(k));
    }
    while (!low.empty() && !high.empty()) {
      const std::uint32_t below = low.back(), above = high.back();
      low.pop_back();
      table[below] = {static_cast<float>(height[below]), above};
      height[above] -= 1 - height[below];
      if (height[above] < 1) {
        high.pop_back();
        low.push_back(above);
      }
    }
  }
}

DPLDA_INLINE std::uint32_t alias_tables::topic(word_id word, double place) const {
  const double scaled = place * static_cast<double>(topics_);
  const std::size_t k = std::min(static_cast<std::size_t>(scaled), topics_ - 1);
  const slot& chosen = slots_[word * topics_ + k];
  return scaled - static_cast<double>(k) < static_cast<double>(chosen.share) ? static_cast<std::uint32_t>(k)
                                                                             : chosen.other;
}

DPLDA_INLINE void gibbs_method::validate(const options& o) {
  require(o.samples >= 1 && o.samples <= 1'000'000, name, "document.samples", o.samples, "must lie in [1, 1000000]");
  require(o.burn_in <= 1'000'000, name, "document.burn_in", o.burn_in, "must be at most 1000000");
}

DPLDA_INLINE gibbs_method::worker gibbs_method::make_worker() const { return {}; }

DPLDA_INLINE void gibbs_method::use(const Eigen::MatrixXd& phi, random_source& random) {
  phi_ = phi;
  shares_.emplace(phi);
  prior_mass_ = alpha_ * phi.colwise().sum();
  source_.emplace(random.fork());
}

DPLDA_INLINE void gibbs_method::divide(const document& doc, std::uint64_t id, std::span<const double> factors,
                                       worker& own, std::vector<std::uint32_t>& topics, std::vector<double>& to) const {
  topics.resize(topics_);
  std::iota(topics.begin(), topics.end(), std::uint32_t{0});
  to.assign(doc.size() * topics_, 0.0);
  chacha20 bits = source_->stream("gibbs.document", id);
  start(doc, bits, own);
  const double share = 1 / static_cast<double>(options_.samples);
  for (std::size_t sweep = 0; sweep < options_.burn_in + options_.samples; ++sweep) {
    for (worker::token& token : own.tokens) {
      const word_id word = doc.words[token.place];
      const double mass = take_out(word, token, own);
      if (sweep >= options_.burn_in)
        expect(word, mass, share * token.weight * factors[token.place], own, to.data() + token.place * topics_);
      put_back(word, mass, token, bits, own);
    }
  }
}

DPLDA_INLINE double gibbs_method::uniform(chacha20& bits) { return static_cast<double>(bits() >> 11) * 0x1p-53; }

DPLDA_INLINE void gibbs_method::start(const document& doc, chacha20& bits, worker& own) const {
  own.tokens.clear();
  own.counts.assign(topics_, 0.0);
  own.present.clear();
  for (std::size_t n = 0; n < doc.size(); ++n) {
    const std::uint32_t count = std::min(doc.counts[n], most_tokens), copies = std::min(count, most_copies);
    worker::token token{static_cast<std::uint32_t>(n), 0, static_cast<double>(count / copies)};
    for (std::uint32_t i = 0; i < copies; ++i) {
      token.topic = shares_->topic(doc.words[n], uniform(bits));
      add(token.topic, token.weight, own);
      own.tokens.push_back(token);
    }
  }
}

DPLDA_INLINE void gibbs_method::add(std::uint32_t topic, double weight, worker& own) {
  if (own.counts[topic] == 0) own.present.push_back(topic);
  own.counts[topic] += weight;
}

DPLDA_INLINE double gibbs_method::take_out(word_id word, const worker::token& token, worker& own) const {
  double& left = own.counts[token.topic];
  left -= token.weight;  // both are whole numbers, so this is exact
  if (left == 0) own.present.erase(std::find(own.present.begin(), own.present.end(), token.topic));
  const double* phi = phi_.col(static_cast<Eigen::Index>(word)).data();
  double mass = 0;
  for (const std::uint32_t k : own.present) mass += own.counts[k] * phi[k];
  return mass;
}

DPLDA_INLINE void gibbs_method::expect(word_id word, double mass, double weight, const worker& own, double* to) const {
  const double* phi = phi_.col(static_cast<Eigen::Index>(word)).data();
  const double factor = weight / (mass + prior_mass_[static_cast<Eigen::Index>(word)]);
  for (std::size_t k = 0; k < topics_; ++k) to[k] += factor * (own.counts[k] + alpha_) * phi[k];
}

DPLDA_INLINE void gibbs_method::put_back(word_id word, double mass, worker::token& token, chacha20& bits,
                                         worker& own) const {
  const double prior = prior_mass_[static_cast<Eigen::Index>(word)], place = uniform(bits) * (prior + mass);
  if (place < prior || own.present.empty()) {
    token.topic = shares_->topic(word, std::min(place / prior, 1 - 0x1p-53));
  } else {
    const double* phi = phi_.col(static_cast<Eigen::Index>(word)).data();
    double rest = place - prior;
    std::size_t i = 0;
    for (; i + 1 < own.present.size(); ++i) {
      rest -= own.counts[own.present[i]] * phi[own.present[i]];
      if (rest < 0) break;
    }
    token.topic = own.present[i];
  }
  add(token.topic, token.weight, own);
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
