// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_TESTS_MECHANISMS_TOY_ENGINE_HPP
#define DPLDA_TESTS_MECHANISMS_TOY_ENGINE_HPP

// One private step of a small topic model, in steps that mutants override one by one: draw units, compute what each
// contributes, release the sums, divide by the expected number of units.

#include <dplda/core/corpus.hpp>
#include <dplda/mechanisms/accumulator.hpp>
#include <dplda/mechanisms/poisson_sampler.hpp>

#include "support/grey_box.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace dplda_tests {

struct toy_setup {
  /// Rows are words, cells of a row are topics.
  dplda::accumulator_options plan;
  float alpha = 0.1f;
  /// Some words have no topic, an infinite weight or a denormal one, so that posteriors become NaN or Inf.
  bool sick_topics = false;
  /// Documents of odd length count negatively.
  bool signed_values = false;
  /// A power of two, so that dividing by it is exact.
  double expected_units = 32;
};

class toy_engine {
 public:
  struct contribution {
    std::vector<std::uint32_t> rows;
    std::vector<float> values;
  };

  explicit toy_engine(toy_setup setup) : setup_(std::move(setup)), weights_(setup_.plan.rows * setup_.plan.row_size) {
    dplda::chacha20 bits = dplda::seeded_random(1).stream("topics");
    for (float& weight : weights_) weight = static_cast<float>(dplda::uniform_open(bits));
    if (!setup_.sick_topics) return;
    const float sick[] = {0, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min()};
    for (std::size_t w = 0; w < setup_.plan.rows; w += 4) {
      for (std::size_t k = 0; k < topics(); ++k) weights_[w * topics() + k] = sick[w / 4 % 3];
    }
  }
  virtual ~toy_engine() = default;

  const toy_setup& setup() const { return setup_; }

  /// The average contribution, as it would be released.
  std::vector<double> run(const dplda::corpus& docs, dplda::random_source& random, dplda::ledger& spent) const {
    const dplda::privacy_units units(docs, setup_.plan.unit);
    const std::vector<std::size_t> batch = draw(units, random);
    std::vector<double> result = release(contributions(docs, units, batch), random, spent);
    for (double& value : result) value /= divisor(batch.size());
    return result;
  }

  /// For the grey-box audit: run() with frozen randomness, as integers.
  std::vector<std::int64_t> frozen(const dplda::corpus& docs, std::uint64_t seed) const {
    dplda::random_source random = dplda::seeded_random(seed);
    dplda::ledger spent;
    return to_integers(run(docs, random, spent), unit() / setup_.expected_units);
  }

 protected:
  std::size_t topics() const { return setup_.plan.row_size; }
  const std::vector<float>& weights() const { return weights_; }

  virtual std::vector<std::size_t> draw(const dplda::privacy_units& units, dplda::random_source& random) const {
    const auto* sample = std::get_if<dplda::poisson_sample>(&setup_.plan.sampling);
    batch_.emplace(dplda::poisson_sampler(sample ? sample->rate : 1).draw(units, random));
    return batch_->positions();
  }

  virtual std::vector<contribution> contributions(const dplda::corpus& docs, const dplda::privacy_units& units,
                                                  std::span<const std::size_t> batch) const {
    std::vector<contribution> result(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      for (const std::size_t d : units.documents(batch[i])) {
        std::vector<float> theta = start(docs[d]);
        infer(docs[d], theta, 4, result[i]);
      }
    }
    return result;
  }

  virtual std::vector<double> release(const std::vector<contribution>& batch, dplda::random_source& random,
                                      dplda::ledger& spent) const {
    dplda::accumulator sums(setup_.plan);
    for (const contribution& c : batch) {
      sums.add(std::span<const std::uint32_t>(c.rows), std::span<const float>(c.values));
    }
    const bool sampled = !std::holds_alternative<dplda::all_units>(setup_.plan.sampling);
    return sampled ? sums.publish(std::move(*batch_), random, spent) : sums.publish(random, spent);
  }

  virtual double unit() const { return dplda::accumulator_plan(setup_.plan).unit_size(); }

  virtual double divisor(std::size_t /*drawn*/) const { return setup_.expected_units; }

  /// First weights of a document's topics, from its words.
  std::vector<float> start(const dplda::document& doc) const {
    std::vector<float> theta(topics(), setup_.alpha);
    for (std::size_t n = 0; n < doc.size(); ++n) {
      for (std::size_t k = 0; k < topics(); ++k) {
        theta[k] += static_cast<float>(doc.counts[n]) * weights_[doc.words[n] * topics() + k];
      }
    }
    return theta;
  }

  /// Fixed-point iterations theta_k = alpha + sum_w n_w p(k | w, theta); adds n_w p(k | w, theta) to the contribution.
  void infer(const dplda::document& doc, std::vector<float>& theta, int iterations, contribution& out) const {
    std::vector<float> next(topics()), share(topics());
    const float sign = setup_.signed_values && doc.length() % 2 == 1 ? -1.0f : 1.0f;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      next.assign(topics(), setup_.alpha);
      for (std::size_t n = 0; n < doc.size(); ++n) {
        float sum = 0;
        for (std::size_t k = 0; k < topics(); ++k) sum += share[k] = theta[k] * weights_[doc.words[n] * topics() + k];
        for (std::size_t k = 0; k < topics(); ++k) {
          const float value = static_cast<float>(doc.counts[n]) * share[k] / sum;
          next[k] += value;
          if (iteration == iterations) out.values.push_back(sign * value);
        }
        if (iteration == iterations) out.rows.push_back(doc.words[n]);
      }
      theta = next;
    }
  }

 private:
  toy_setup setup_;
  std::vector<float> weights_;                      // of topic k in word w, at w * topics + k
  mutable std::optional<dplda::unit_batch> batch_;  // of the last draw
};

}  // namespace dplda_tests

#endif
