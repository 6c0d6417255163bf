// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::detail::DPLDA_ISA {

// out[i] = sum of the lanes of sums[i]: pairs, then quads, then halves, so that the additions are the same on every
// machine.
[[gnu::always_inline]] inline void sum_lanes(const pack<double> (&s)[4], pack<double>& out) {
  const pack<double> a =
      __builtin_shufflevector(s[0], s[1], 0, 4, 2, 6) + __builtin_shufflevector(s[0], s[1], 1, 5, 3, 7);
  const pack<double> b =
      __builtin_shufflevector(s[2], s[3], 0, 4, 2, 6) + __builtin_shufflevector(s[2], s[3], 1, 5, 3, 7);
  out = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

[[gnu::always_inline]] inline void sum_lanes(const pack<float> (&s)[8], pack<float>& out) {
  pack<float> pairs[4], quads[2];
  for (int i = 0; i < 4; ++i) {
    pairs[i] = __builtin_shufflevector(s[2 * i], s[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(s[2 * i], s[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 2; ++i) {
    quads[i] = __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(pairs[2 * i], pairs[2 * i + 1], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  out = __builtin_shufflevector(quads[0], quads[1], 0, 1, 2, 3, 8, 9, 10, 11) +
        __builtin_shufflevector(quads[0], quads[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

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
    for (std::size_t i = 0; i < width; ++i) shares[i] = pack<Real>{} + counts[i];
    for (std::size_t k = 0; k < stride; k += width) {
      pack<Real> sum, b;
      load<Real>(sums + k, sum);
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
  const integer_pack<Real> magnitude = ~(integer_pack<Real>)(-pack<Real>{});  // all bits but the sign
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> t;
    load<Real>(gamma + k, t);
    if (p.rule == weight_rule::expected_log) exp_digamma<Real>(t, t);
    t = t > floor ? t : floor;
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
    moved += (pack<Real>)((integer_pack<Real>)(sum - old) & magnitude);
    store<Real>(gamma + k, sum);
  }
  Real total = 0;
  for (std::size_t j = 0; j < width; ++j) total += moved[j];
  return total;
}

template <class Real>
Real update_document(const document_problem<Real>& p, const document_answer<Real>& a) {
  constexpr std::size_t width = lanes<Real>;
  // Short rows are unrolled: for them, loops would cost as much as the arithmetic.
  switch (p.stride / width) {
    case 1:
      return update_document_of<width>(p, a);
    case 2:
      return update_document_of<2 * width>(p, a);
    case 3:
      return update_document_of<3 * width>(p, a);
    case 4:
      return update_document_of<4 * width>(p, a);
    case 5:
      return update_document_of<5 * width>(p, a);
    default:
      return update_document_of<0>(p, a);
  }
}

/// dots_n = weights . row_n
template <class Real>
void dot_rows(const document_problem<Real>& p, const Real* weights, Real* dots) {
  constexpr std::size_t width = lanes<Real>;
  for (std::size_t n = 0; n < p.words; n += width) {
    pack<Real> sums[width] = {}, out;
    for (std::size_t k = 0; k < p.stride; k += width) {
      pack<Real> t, b;
      load<Real>(weights + k, t);
      for (std::size_t i = 0; i < width; ++i) {
        load<Real>(p.rows + (n + i) * p.stride + k, b);
        sums[i] += t * b;
      }
    }
    sum_lanes(sums, out);
    store<Real>(dots + n, out);
  }
}

/// row_k = exp(digamma(lambda_k)) inverse_k, scaled so that the largest is 1: a document's posterior does not depend on
/// the scale of a word's row, and for small lambda the unscaled row would underflow as a whole. Where inverse_k is 0
/// (padding), row_k is 0. `factors` is work space; lambda and factors may be the same array.
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
    exponent = scale > zero ? exponent : lowest;
    highest = highest > exponent ? highest : exponent;
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
    largest = largest > y ? largest : y;
    store<Real>(row + k, y);
  }
  Real most = largest[0];
  for (std::size_t i = 1; i < width; ++i) most = largest[i] > most ? largest[i] : most;
  for (std::size_t k = 0; k < stride; k += width) {
    pack<Real> y;
    load<Real>(row + k, y);
    store<Real>(row + k, y / most);
  }
}

/// target_k += scale row_k sum_i ratios[i] weights(documents[i], k): what a batch adds to one word's statistic.
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

}  // namespace dplda::detail::DPLDA_ISA
