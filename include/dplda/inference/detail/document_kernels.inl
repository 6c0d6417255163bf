// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

/// The words' shares under the weights t: ratio_n = count_n / (rest_n + t . row_n), and sums_k = sum_n ratio_n row_nk,
/// so that t_k sums_k is the expected number of the document's tokens in topic k. Stride is the padded number of topics
/// where it is known to the compiler, or 0.
template <std::size_t Stride, class Real>
[[gnu::always_inline]] inline void share_tokens(const document_problem<Real>& p, const document_answer<Real>& a,
                                                Real* __restrict sums) {
  constexpr std::size_t width = lanes<Real>;
  const std::size_t stride = Stride > 0 ? Stride : p.stride;
  const Real* __restrict weights = a.weights;
  const Real* __restrict row = p.rows;
  Real* __restrict ratios = a.ratios;
  for (std::size_t k = 0; k < stride; k += width) store<Real>(sums + k, pack<Real>{});
  for (std::size_t n = 0; n < p.words; n += width, row += width * stride) {
    pack<Real> dots[width] = {};
    for (std::size_t k = 0; k < stride; k += width) {
      pack<Real> t, b;
      load<Real>(weights + k, t);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < width; ++i) {
        load<Real>(row + i * stride + k, b);
        dots[i] += t * b;
      }
    }
    pack<Real> norms, rest, counts, shares[width];
    sum_lanes(dots, norms);
    load<Real>(p.rest + n, rest);
    load<Real>(p.counts + n, counts);
    counts /= rest + norms;
    store<Real>(ratios + n, counts);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < width; ++i) shares[i] = pack<Real>{} + counts[i];
    for (std::size_t k = 0; k < stride; k += width) {
      pack<Real> sum, b;
      load<Real>(sums + k, sum);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < width; ++i) {
        load<Real>(row + i * stride + k, b);
        sum += shares[i] * b;
      }
      store<Real>(sums + k, sum);
    }
  }
}

/// One update of gamma; the sum of its |changes|.
template <std::size_t Stride, class Real>
Real update_document_of(const document_problem<Real>& p, const document_answer<Real>& a) {
  constexpr std::size_t width = lanes<Real>;
  constexpr Real least = sizeof(Real) == 4 ? Real(1e-20) : Real(1e-200);
  const std::size_t stride = Stride > 0 ? Stride : p.stride;
  Real* __restrict gamma = a.gamma;
  Real* __restrict weights = a.weights;
  Real* __restrict sums = a.weights + stride;
  const pack<Real> floor = pack<Real>{} + least;
  const auto magnitude = ~bits_as<integer_pack<Real>>(-pack<Real>{});  // all bits but the sign
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> t;
    load<Real>(gamma + k, t);
    if (p.rule == weight_rule::expected_log) exp_digamma(t, t);
    t = select(t > floor, t, floor);
    store<Real>(weights + k, t);
  }
  share_tokens<Stride>(p, a, sums);
  pack<Real> moved{};
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> alpha, old, t, sum;
    load<Real>(p.alpha + k, alpha);
    load<Real>(gamma + k, old);
    load<Real>(weights + k, t);
    load<Real>(sums + k, sum);
    sum = alpha + t * sum;
    moved += bits_as<pack<Real>>(bits_as<integer_pack<Real>>(sum - old) & magnitude);
    store<Real>(gamma + k, sum);
  }
  Real total = 0;
  for (std::size_t j = 0; j < width; ++j) total += moved[j];
  return total;
}

template <class Real>
Real update_document(const document_problem<Real>& p, const document_answer<Real>& a) {
  constexpr std::size_t width = lanes<Real>;
  // Short rows are unrolled where a pack is one register, because their loops cost as much as the arithmetic: 10 to 30
  // percent up to three packs. Five packs of doubles (4 percent) are the 20 topics of svi_options.
  if constexpr (DPLDA_ISA_BYTES == 32) {
    const std::size_t packs = p.stride / width;
    if (packs == 1) return update_document_of<width>(p, a);
    if (packs == 2) return update_document_of<2 * width>(p, a);
    if (packs == 3) return update_document_of<3 * width>(p, a);
    if constexpr (sizeof(Real) == 8) {
      if (packs == 5) return update_document_of<5 * width>(p, a);
    }
  }
  return update_document_of<0>(p, a);
}

template <class Real>
void dot_rows(const document_problem<Real>& p, const Real* weights, Real* dots) {
  constexpr std::size_t width = lanes<Real>;
  for (std::size_t n = 0; n < p.words; n += width) {
    pack<Real> sums[width] = {}, out;
    for (std::size_t k = 0; k < p.stride; k += width) {
      pack<Real> t, b;
      load<Real>(weights + k, t);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < width; ++i) {
        load<Real>(p.rows + (n + i) * p.stride + k, b);
        sums[i] += t * b;
      }
    }
    sum_lanes(sums, out);
    store<Real>(dots + n, out);
  }
}

template <class Real>
void expected_row(const Real* lambda, const Real* inverse, Real* row, Real* factors, std::size_t stride) {
  constexpr std::size_t width = lanes<Real>;
  const pack<Real> zero{}, lowest = zero - std::numeric_limits<Real>::max();
  pack<Real> highest = lowest;
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> x, scale, factor, exponent;
    load<Real>(lambda + k, x);
    load<Real>(inverse + k, scale);
    split_exp_digamma(x, factor, exponent);
    exponent = select(scale > zero, exponent, lowest);
    highest = select(highest > exponent, highest, exponent);
    store<Real>(row + k, exponent);
    store<Real>(factors + k, factor * scale);
  }
  Real top = highest[0];
  for (std::size_t i = 1; i < width; ++i) top = highest[i] > top ? highest[i] : top;
  pack<Real> largest{};
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> factor, y;
    load<Real>(factors + k, factor);
    load<Real>(row + k, y);
    exponential(y - top, y);
    y *= factor;
    largest = select(largest > y, largest, y);
    store<Real>(row + k, y);
  }
  Real most = largest[0];
  for (std::size_t i = 1; i < width; ++i) most = largest[i] > most ? largest[i] : most;
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> y;
    load<Real>(row + k, y);
    y /= most;
    // A product with a smaller float may be subnormal, and many processors are slow at these. The loss is negligible,
    // because the row's largest number is 1.
    if constexpr (sizeof(Real) == 4) y = select(y < 1e-30f, zero, y);
    store<Real>(row + k, y);
  }
}

template <class Real>
void add_word_statistic(const word_entry<Real>* entries, std::size_t count, const Real* weights,
                        std::size_t weights_stride, const Real* row, Real scale, Real* target, std::size_t stride) {
  constexpr std::size_t width = lanes<Real>;
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> sum{}, t, b, old;
    for (std::size_t i = 0; i < count; ++i) {
      load<Real>(weights + entries[i].document * weights_stride + k, t);
      sum += entries[i].ratio * t;
    }
    load<Real>(row + k, b);
    load<Real>(target + k, old);
    store<Real>(target + k, old + scale * (b * sum));
  }
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
