// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_GIBBS_DETAIL_SWEEP_KERNELS_HPP
#define DPLDA_INFERENCE_GIBBS_DETAIL_SWEEP_KERNELS_HPP

#include <dplda/core/corpus.hpp>
#include <dplda/core/detail/aligned_buffer.hpp>
#include <dplda/core/detail/pack.hpp>
#include <dplda/random/chacha20.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Uniform floats in [0, 1 - 2^-23] from a stream of bits, many at a time. A value below 2^-8 is a multiple of 2^-31,
/// so improbable topics are drawn with the right probability.
class uniform_floats {
 public:
  explicit uniform_floats(chacha20 bits) : bits_(std::move(bits)) {}

  float operator()() {
    if (used_ == floats_.size()) refill();
    return floats_[used_++];
  }

 private:
  [[gnu::noinline]] void refill() {
    std::array<std::uint64_t, 512> words;
    bits_.fill(words);
    const auto number = [](std::uint64_t bits) {
      const float x = static_cast<float>(static_cast<std::int32_t>(bits & 0x7FFFFFFFu)) * 0x1p-31f;
      return x < 1 - 0x1p-23f ? x : 1 - 0x1p-23f;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
      floats_[2 * i] = number(words[i]);
      floats_[2 * i + 1] = number(words[i] >> 32);
    }
    used_ = 0;
  }

  chacha20 bits_;
  std::array<float, 1024> floats_;
  std::size_t used_ = floats_.size();
};

/// Above this many topics, packs of zero counts are skipped. At 1000 topics this was faster from the first sweep on, at
/// 500 topics after a few sweeps, and at 200 topics on only one of two corpora.
inline constexpr std::size_t most_dense_topics = 256;

/// What a task of a sweep reads and changes. Rows of topics have `stride` places; those beyond the last topic stay 0.
struct sweep_task {
  const corpus* docs;
  const std::size_t* token_begin;  ///< of each document, among all tokens
  std::uint32_t* topic_of;         ///< of each token, in the order of the documents' entries
  std::int32_t* word_topics;       ///< words x stride
  std::uint64_t* used_packs;       ///< words x one bit for each pack: whether a count in it is not 0; or null
  std::int32_t* topic_totals;      ///< stride; the task's own
  const float* alpha;              ///< stride; 0 beyond the last topic
  const float* eta;                ///< words
  float eta_sum;
  std::size_t stride;
  std::size_t first_document, document_step;  ///< the task's documents
  word_id first_word, last_word;              ///< and its words, [first_word, last_word)
};

/// Buffers of a task, kept from one to the next.
struct sweep_work {
  aligned_buffer<std::int32_t> document_topics;
  aligned_buffer<float> factors, sums;
  aligned_buffer<std::uint32_t> numbers;
};

}  // namespace dplda::inline v0_1::detail

#define DPLDA_KERNELS <dplda/inference/gibbs/detail/sweep_kernels.inl>
#include <dplda/core/detail/for_each_isa.hpp>

namespace dplda::inline v0_1::detail {

/// Draws a new topic for each token of the task.
inline void sweep_tokens(const sweep_task& task, sweep_work& work, uniform_floats& uniform) {
  wide_isa_runs() ? wide_isa::sweep_tokens(task, work, uniform) : own_isa::sweep_tokens(task, work, uniform);
}

/// sum_k (n_wk + eta) f_k
inline float mixed_probability(const std::int32_t* row, const float* factors, float eta, std::size_t stride) {
  return wide_isa_runs() ? wide_isa::mixed_probability(row, factors, eta, stride)
                         : own_isa::mixed_probability(row, factors, eta, stride);
}

}  // namespace dplda::inline v0_1::detail

#endif
