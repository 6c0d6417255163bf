// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_INFERENCE_SPECTRAL_DETAIL_UNIT_MOMENTS_IPP
#define DPLDA_INFERENCE_SPECTRAL_DETAIL_UNIT_MOMENTS_IPP

// Bodies of inference/spectral/detail/unit_moments.hpp, which has their claim, argument and test.

#include <dplda/core/detail/stable_sort.hpp>
#include <dplda/inference/spectral/detail/unit_moments.hpp>

#include <algorithm>
#include <cmath>

namespace dplda::inline v0_1 {

namespace detail {

DPLDA_INLINE std::uint64_t pair_cell(std::uint64_t v, std::uint64_t w, std::uint64_t words) {
  return v * words - v * (v + 1) / 2 + w;
}

DPLDA_INLINE double triple_weight(std::size_t a, std::size_t b, std::size_t c) {
  if (a == c) return 1;
  return a == b || b == c ? 1.7320508075688772 : 2.4494897427831781;
}

DPLDA_INLINE void unit_moments::look_at(const corpus& docs, std::span<const std::size_t> documents) {
  documents_.clear();
  std::size_t pairs = 0;
  for (const std::size_t d : documents) {
    const document doc = docs[d];
    if (doc.length() < 3) continue;
    const std::size_t size = std::min(doc.size(), most_words);
    pairs += size * (size + 1) / 2;
    if (pairs > most_pairs) break;
    documents_.push_back(doc);
  }
  share_ = documents_.empty() ? 0 : 1 / static_cast<double>(documents_.size());
}

DPLDA_INLINE void unit_moments::first() {
  words_.clear();
  values_.clear();
  for (const document& doc : documents_) {
    const double factor = share_ / static_cast<double>(doc.length());
    words_.insert(words_.end(), doc.words.begin(), doc.words.end());
    for (const std::uint32_t count : doc.counts) values_.push_back(factor * count);
  }
}

DPLDA_INLINE void unit_moments::pairs(std::size_t words) {
  entries_.clear();
  for (const document& doc : documents_) {
    const auto length = static_cast<double>(doc.length());
    const double factor = share_ / (length * (length - 1)), twice = factor * 1.4142135623730951;
    const std::size_t size = std::min(doc.size(), most_words);
    for (std::size_t i = 0; i < size; ++i) {
      const double x = doc.counts[i];
      if (x > 1) entries_.emplace_back(cell(doc.words[i], doc.words[i], words), factor * x * (x - 1));
      for (std::size_t j = i + 1; j < size; ++j)
        entries_.emplace_back(cell(doc.words[i], doc.words[j], words), twice * x * doc.counts[j]);
    }
  }
  const auto by_cell = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), by_cell))
    detail::stable_sort(entries_.begin(), entries_.end(), by_cell);
  words_.clear();
  values_.clear();
  for (const auto& [where, value] : entries_) {
    if (!words_.empty() && words_.back() == where) {
      values_.back() += value;
    } else {
      words_.push_back(where);
      values_.push_back(value);
    }
  }
}

DPLDA_INLINE void unit_moments::triples(const tall_matrix& basis) {
  const auto k = static_cast<std::size_t>(basis.cols());
  values_.assign(triple_cells(k), 0.0);
  cubes_.resize(values_.size());
  for (const document& doc : documents_) {
    project(doc, basis);
    const auto length = static_cast<double>(doc.length());
    const double factor = share_ / (length * (length - 1) * (length - 2));
    // y^(3) - S(D2, y) + 2 D3 with y = B'x, D2 = sum_v x_v b_v b_v', D3 = sum_v x_v b_v^(3).
    for_each_triple(k, [&](std::size_t at, std::size_t a, std::size_t b, std::size_t c) {
      const double mixed = square_[a * k + b] * sum_[c] + square_[a * k + c] * sum_[b] + square_[b * k + c] * sum_[a];
      values_[at] += factor * (sum_[a] * sum_[b] * sum_[c] - mixed + 2 * cubes_[at]);
    });
  }
  for_each_triple(
      k, [&](std::size_t at, std::size_t a, std::size_t b, std::size_t c) { values_[at] *= triple_weight(a, b, c); });
}

DPLDA_INLINE double unit_moments::norm() const {
  double sum = 0;
  for (const double value : values_) sum += value * value;
  return std::sqrt(sum);
}

DPLDA_INLINE std::uint32_t unit_moments::cell(word_id v, word_id w, std::size_t words) {
  return static_cast<std::uint32_t>(pair_cell(std::min(v, w), std::max(v, w), words));
}

DPLDA_INLINE void unit_moments::project(const document& doc, const tall_matrix& basis) {
  const auto k = static_cast<std::size_t>(basis.cols());
  sum_.assign(k, 0.0);
  square_.assign(k * k, 0.0);
  std::fill(cubes_.begin(), cubes_.end(), 0.0);
  for (std::size_t n = 0; n < doc.size(); ++n) {
    const double* row = basis.data() + doc.words[n] * k;
    const double x = doc.counts[n];
    double* cube = cubes_.data();
    for (std::size_t a = 0; a < k; ++a) {
      const double xa = x * row[a];
      sum_[a] += xa;
      for (std::size_t b = a; b < k; ++b) {
        const double xab = xa * row[b];
        square_[a * k + b] += xab;
        for (std::size_t c = b; c < k; ++c) *cube++ += xab * row[c];
      }
    }
  }
}

}  // namespace detail

}  // namespace dplda::inline v0_1

#endif
