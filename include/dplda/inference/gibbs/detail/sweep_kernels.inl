// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

using floats = pack<float>;
using integers = integer_pack<float>;

[[gnu::always_inline]] inline void load_counts(const std::int32_t* from, floats& counts) {
  integers n;
  load<std::int32_t>(from, n);
  counts = to_float(n);
}

/// upto_l = sum over lanes 0..l: within each half, then the lower half's total onto the upper.
[[gnu::always_inline]] inline void sum_upto(const floats& total, floats& upto) {
  const floats zero{};
  upto = total + shuffle<0, 8, 9, 10, 4, 12, 13, 14>(zero, total);
  upto += shuffle<0, 0, 8, 9, 4, 4, 12, 13>(zero, upto);
  upto += shuffle<0, 0, 0, 0, 11, 11, 11, 11>(zero, upto);
}

/// A factor just below 1. A drawn point is kept this far below the total, so that some topic always covers it.
inline constexpr float just_below = 1 - 0x1p-23f;

/// The lane that a point in [0, upto_7) falls in: `chosen` is all ones there and 0 elsewhere, and there `rest` is what
/// remains of the point, below the lane's total.
[[gnu::always_inline]] inline void choose_lane(const floats& total, const floats& upto, const floats& point,
                                               integers& chosen, floats& rest) {
  const floats zero{};
  const floats before = shuffle<0, 8, 9, 10, 11, 12, 13, 14>(zero, upto);
  chosen = (before <= point) & (upto > point);  // one lane: the sums are the same, shifted by one
  const floats most = total * just_below;
  rest = point - before;
  rest = select(rest < most, rest, most);
}

/// The chosen lane's number, in all lanes.
[[gnu::always_inline]] inline void spread_chosen(const integers& chosen, integers& x) {
  x &= chosen;
  x |= shuffle<4, 5, 6, 7, 0, 1, 2, 3>(x, x);
  x |= shuffle<2, 3, 0, 1, 6, 7, 4, 5>(x, x);
  x |= shuffle<1, 0, 3, 2, 5, 4, 7, 6>(x, x);
}

/// counts_k = tokens in topic k. Every second token is counted in a second row, beyond `stride`: neighbours are often
/// in the same topic, and adding to one number twice in a row makes the second addition wait for the first.
[[gnu::always_inline]] inline void count_topics(const std::uint32_t* topic_of, std::size_t tokens,
                                                std::int32_t* __restrict counts, std::size_t stride) {
  std::fill_n(counts, 2 * stride, 0);
  std::size_t i = 0;
  for (; i + 1 < tokens; i += 2) {
    ++counts[topic_of[i]];
    ++counts[stride + topic_of[i + 1]];
  }
  if (i < tokens) ++counts[topic_of[i]];
  for (std::size_t k = 0; k < stride; ++k) counts[k] += counts[stride + k];
}

/// Rows of counts are prefetched this many words ahead.
inline constexpr std::size_t rows_ahead = 8, first_bytes = 512;

[[gnu::always_inline]] inline void prefetch(const void* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += 64) __builtin_prefetch(static_cast<const char*>(from) + i);
}

/// The part of a document that belongs to a task.
struct document_part {
  document doc;
  std::uint32_t* topic_of;  ///< of the part's first token
  std::size_t first;        ///< entry
};

/// Counts the document's topics, and prefetches what comes next: the first rows, and the next document.
[[gnu::always_inline]] inline document_part begin_document(const sweep_task& t, std::size_t d,
                                                           std::int32_t* in_document, std::size_t stride) {
  document_part part{(*t.docs)[d], t.topic_of + t.token_begin[d], 0};
  const std::uint32_t* tokens = part.topic_of;
  const document& doc = part.doc;
  for (; part.first < doc.size() && doc.words[part.first] < t.first_word; ++part.first) {
    part.topic_of += doc.counts[part.first];
  }
  for (std::size_t n = part.first; n < part.first + rows_ahead && n < doc.size() && doc.words[n] < t.last_word; ++n) {
    prefetch(t.word_topics + std::size_t{doc.words[n]} * stride, first_bytes < 4 * stride ? first_bytes : 4 * stride);
  }
  if (d + t.document_step < t.docs->size()) {
    const std::size_t next = d + t.document_step;
    const document after = (*t.docs)[next];
    prefetch(after.words.data(), after.words.size_bytes());
    prefetch(after.counts.data(), after.counts.size_bytes());
    prefetch(t.topic_of + t.token_begin[next], 4 * (t.token_begin[next + 1] - t.token_begin[next]));
  }
  count_topics(tokens, t.token_begin[d + 1] - t.token_begin[d], in_document, stride);
  return part;
}

/// A document's factors f_k = (n_dk + alpha_k) / (n_k + eta_sum) follow its counts.
[[gnu::always_inline]] inline float factor_of(const sweep_task& t, const std::int32_t* in_document, std::size_t k,
                                              std::int32_t more) {
  return (static_cast<float>(in_document[k] + more) + t.alpha[k]) /
         (static_cast<float>(t.topic_totals[k] + more) + t.eta_sum);
}

/// Up to 32 topics: a document's factors and a word's counts stay in registers. `gained` holds the factors that topics
/// would have with one token more, so that no division stands between one draw and the next.
template <std::size_t Packs>
void sweep_small(const sweep_task& t, sweep_work& work, uniform_floats& uniform) {
  constexpr std::size_t stride = 8 * Packs;
  std::int32_t* __restrict in_document = work.document_topics.ensure(2 * stride);
  float* __restrict gained = work.factors.ensure(stride);
  std::int32_t* __restrict totals = t.topic_totals;
  integers lane;
  load<std::int32_t>(lane_numbers, lane);
  for (std::size_t d = t.first_document; d < t.docs->size(); d += t.document_step) {
    const document_part part = begin_document(t, d, in_document, stride);
    const document& doc = part.doc;
    std::uint32_t* topic_of = part.topic_of;
    floats factors[Packs], row[Packs];
    for (std::size_t b = 0; b < Packs; ++b) {
      floats n, alpha, total;
      load_counts(in_document + 8 * b, n);
      load_counts(totals + 8 * b, total);
      load<float>(t.alpha + 8 * b, alpha);
      factors[b] = (n + alpha) / (total + t.eta_sum);
      store<float>(gained + 8 * b, (n + 1.0f + alpha) / (total + 1.0f + t.eta_sum));
    }
    for (std::size_t n = part.first; n < doc.size() && doc.words[n] < t.last_word; ++n) {
      std::int32_t* counts = t.word_topics + std::size_t{doc.words[n]} * stride;
      if (n + rows_ahead < doc.size() && doc.words[n + rows_ahead] < t.last_word) {
        prefetch(t.word_topics + std::size_t{doc.words[n + rows_ahead]} * stride, 4 * stride);
      }
      const float eta = t.eta[doc.words[n]];
      for (std::size_t b = 0; b < Packs; ++b) {
        load_counts(counts + 8 * b, row[b]);
        row[b] += eta;
      }
      for (const std::uint32_t* end = topic_of + doc.counts[n]; topic_of != end; ++topic_of) {
        const std::uint32_t old = *topic_of;
        const auto old_number = static_cast<std::int32_t>(old);
        const float left = static_cast<float>(--counts[old]) + eta;
        --in_document[old];
        --totals[old];
        gained[old] = factor_of(t, in_document, old, 1);
        const float lost = factor_of(t, in_document, old, 0);
        floats total{}, sums[Packs];
        for (std::size_t b = 0; b < Packs; ++b) {
          const integers here = lane + static_cast<std::int32_t>(8 * b) == old_number;
          factors[b] = select(here, floats{} + lost, factors[b]);
          row[b] = select(here, floats{} + left, row[b]);
          total += row[b] * factors[b];
          sums[b] = total;
        }
        integers chosen, topics{};
        floats rest, upto;
        sum_upto(total, upto);
        choose_lane(total, upto, shuffle<7, 7, 7, 7, 7, 7, 7, 7>(upto, upto) * uniform(), chosen, rest);
        for (std::size_t b = 0; b < Packs; ++b) topics -= sums[b] <= rest;
        topics = topics * 8 + lane;
        spread_chosen(chosen, topics);
        for (std::size_t b = 0; b < Packs; ++b) {
          const integers here = lane + static_cast<std::int32_t>(8 * b) == topics;
          floats more;
          load<float>(gained + 8 * b, more);
          factors[b] = select(here, more, factors[b]);
          row[b] = select(here, row[b] + 1.0f, row[b]);
        }
        const auto topic = static_cast<std::uint32_t>(topics[0]);
        ++counts[topic];
        ++in_document[topic];
        ++totals[topic];
        gained[topic] = factor_of(t, in_document, topic, 1);
        *topic_of = topic;
      }
    }
  }
}

/// Draws a topic with probabilities proportional to p_k = (n_wk + eta) f_k, or to f_k without a word.
///
/// Topics are cut into packs of eight. Running sums go down the packs lane by lane, so that only one step crosses
/// lanes: the lanes' totals say in which lane the drawn point lies, and that lane's running sums say in which pack.
/// Many packs are cut into segments, whose sums do not wait for each other.
template <bool WithWord>
[[gnu::always_inline]] inline std::uint32_t draw_dense(const std::int32_t* row, const float* factors, float eta,
                                                       float uniform, float* sums, std::size_t packs) {
  constexpr std::size_t longest = 16, segment = 8;
  const auto add_pack = [&](std::size_t b, floats & sum) __attribute__((always_inline)) {
    floats f, n;
    load<float>(factors + 8 * b, f);
    if constexpr (WithWord) {
      load_counts(row + 8 * b, n);
      sum += (n + eta) * f;
    } else {
      sum += f;
    }
    store<float>(sums + 8 * b, sum);
  };
  floats total{}, f, upto, rest;
  integers chosen, passed{}, lane;
  load<std::int32_t>(lane_numbers, lane);
  std::size_t first = 0, last = packs;
  if (packs <= longest) {
    for (std::size_t b = 0; b < packs; ++b) add_pack(b, total);
    sum_upto(total, upto);
    choose_lane(total, upto, shuffle<7, 7, 7, 7, 7, 7, 7, 7>(upto, upto) * uniform, chosen, rest);
  } else {
    const std::size_t segments = (packs + segment - 1) / segment;
    float* ends = sums + 8 * packs;  // running sums at the segments' ends
    for (std::size_t s = 0; s < segments; ++s) {
      floats sum{};
      const std::size_t end = packs < (s + 1) * segment ? packs : (s + 1) * segment;
      for (std::size_t b = s * segment; b < end; ++b) add_pack(b, sum);
      total += sum;
      store<float>(ends + 8 * s, total);
    }
    sum_upto(total, upto);
    choose_lane(total, upto, shuffle<7, 7, 7, 7, 7, 7, 7, 7>(upto, upto) * uniform, chosen, rest);
    floats before{};
    for (std::size_t s = 0; s < segments; ++s) {
      load<float>(ends + 8 * s, f);
      const integers beyond = f <= rest;
      passed -= beyond;
      before = select(beyond, f, before);
    }
    spread_chosen(chosen, passed);
    first = static_cast<std::size_t>(passed[0]) * segment;
    last = packs < first + segment ? packs : first + segment;
    load<float>(sums + 8 * (last - 1), f);
    f *= just_below;
    rest -= before;
    rest = select(rest < f, rest, f);
    passed = integers{} + static_cast<std::int32_t>(first);
  }
  for (std::size_t b = first; b < last; ++b) {
    load<float>(sums + 8 * b, f);
    passed -= f <= rest;
  }
  passed = passed * 8 + lane;
  spread_chosen(chosen, passed);
  return static_cast<std::uint32_t>(passed[0]);
}

/// The same draw where most packs of n_wk are 0. The sum of n_wk f_k needs only the other packs, and eta sum_k f_k is
/// known. Only a point in this second part, which is small, needs all topics.
[[gnu::always_inline]] inline std::uint32_t draw_sparse(const std::int32_t* row, const std::uint64_t* used,
                                                        const float* factors, float eta, float factor_sum,
                                                        uniform_floats& uniform, float* sums, std::uint32_t* numbers,
                                                        std::size_t packs) {
  floats total{}, f, n, upto, rest;
  std::size_t found = 0;
  for (std::size_t base = 0; base < packs; base += 64) {
    for (std::uint64_t bits = used[base / 64]; bits != 0; bits &= bits - 1, ++found) {
      const std::size_t b = base + static_cast<std::size_t>(std::countr_zero(bits));
      load<float>(factors + 8 * b, f);
      load_counts(row + 8 * b, n);
      total += n * f;
      store<float>(sums + 8 * found, total);
      numbers[found] = static_cast<std::uint32_t>(b);
    }
  }
  sum_upto(total, upto);
  const float words = upto[7], smooth = eta * factor_sum, drawn = uniform() * (words + smooth);
  if (drawn >= words) return draw_dense<false>(nullptr, factors, 0, uniform(), sums, packs);
  integers chosen, passed{}, lane;
  load<std::int32_t>(lane_numbers, lane);
  choose_lane(total, upto, floats{} + drawn, chosen, rest);
  for (std::size_t i = 0; i < found; ++i) {
    load<float>(sums + 8 * i, f);
    passed -= f <= rest;
  }
  passed = passed * 8 + lane;
  spread_chosen(chosen, passed);
  const auto place = static_cast<std::uint32_t>(passed[0]);
  return numbers[place / 8] * 8 + place % 8;
}

/// Any number of topics. Sparse: words that use less than half of the packs are drawn from those alone.
template <bool Sparse>
void sweep_large(const sweep_task& t, sweep_work& work, uniform_floats& uniform) {
  const std::size_t stride = t.stride, packs = stride / 8, masks = (packs + 63) / 64;
  std::int32_t* __restrict in_document = work.document_topics.ensure(2 * stride);
  float* __restrict factors = work.factors.ensure(stride);
  float* sums = work.sums.ensure(2 * stride);
  std::uint32_t* numbers = work.numbers.ensure(packs);
  for (std::size_t d = t.first_document; d < t.docs->size(); d += t.document_step) {
    const document_part part = begin_document(t, d, in_document, stride);
    const document& doc = part.doc;
    std::uint32_t* topic_of = part.topic_of;
    double factor_sum = 0;
    for (std::size_t b = 0; b < packs; ++b) {
      floats n, alpha, total;
      load_counts(in_document + 8 * b, n);
      load_counts(t.topic_totals + 8 * b, total);
      load<float>(t.alpha + 8 * b, alpha);
      n = (n + alpha) / (total + t.eta_sum);
      store<float>(factors + 8 * b, n);
      if constexpr (Sparse)
        factor_sum += static_cast<double>(((n[0] + n[4]) + (n[2] + n[6])) + ((n[1] + n[5]) + (n[3] + n[7])));
    }
    const auto change = [&](std::uint32_t topic, std::int32_t by) __attribute__((always_inline)) {
      in_document[topic] += by;
      t.topic_totals[topic] += by;
      const float f = factor_of(t, in_document, topic, 0);
      if constexpr (Sparse) factor_sum += static_cast<double>(f) - static_cast<double>(factors[topic]);
      factors[topic] = f;
    };
    for (std::size_t n = part.first; n < doc.size() && doc.words[n] < t.last_word; ++n) {
      std::int32_t* row = t.word_topics + std::size_t{doc.words[n]} * stride;
      std::uint64_t* used = nullptr;
      std::size_t used_packs = packs;
      if constexpr (Sparse) {
        used = t.used_packs + std::size_t{doc.words[n]} * masks;
        used_packs = 0;
        for (std::size_t i = 0; i < masks; ++i) used_packs += static_cast<std::size_t>(std::popcount(used[i]));
      }
      // Rows are longer here, so fewer are prefetched: they would push each other out of the cache.
      if (n + rows_ahead / 2 < doc.size() && doc.words[n + rows_ahead / 2] < t.last_word) {
        const std::size_t word = doc.words[n + rows_ahead / 2];
        const std::int32_t* next = t.word_topics + word * stride;
        if constexpr (Sparse) {
          for (std::size_t i = 0; i < masks; ++i) {
            for (std::uint64_t bits = t.used_packs[word * masks + i]; bits != 0; bits &= bits - 1) {
              __builtin_prefetch(next + 8 * (64 * i + static_cast<std::size_t>(std::countr_zero(bits))));
            }
          }
        } else {
          prefetch(next, 4 * stride);
        }
      }
      const float eta = t.eta[doc.words[n]];
      for (const std::uint32_t* end = topic_of + doc.counts[n]; topic_of != end; ++topic_of) {
        const std::uint32_t old = *topic_of;
        change(old, -1);
        if (--row[old] == 0 && Sparse) {
          const std::uint32_t b = old / 8;
          std::int32_t any = 0;
          for (std::uint32_t l = 0; l < 8; ++l) any |= row[8 * b + l];
          if (any == 0) used[b / 64] &= ~(std::uint64_t{1} << b % 64);
        }
        const std::uint32_t topic =
            Sparse && 2 * used_packs < packs
                ? draw_sparse(row, used, factors, eta, static_cast<float>(factor_sum), uniform, sums, numbers, packs)
                : draw_dense<true>(row, factors, eta, uniform(), sums, packs);
        change(topic, 1);
        ++row[topic];
        if constexpr (Sparse) used[topic / 8 / 64] |= std::uint64_t{1} << topic / 8 % 64;
        *topic_of = topic;
      }
    }
  }
}

inline void sweep_tokens(const sweep_task& task, sweep_work& work, uniform_floats& uniform) {
  switch (task.stride / 8) {
    case 1:
      return sweep_small<1>(task, work, uniform);
    case 2:
      return sweep_small<2>(task, work, uniform);
    case 3:
      return sweep_small<3>(task, work, uniform);
    case 4:
      return sweep_small<4>(task, work, uniform);
    default:
      return task.used_packs != nullptr ? sweep_large<true>(task, work, uniform)
                                        : sweep_large<false>(task, work, uniform);
  }
}

inline float mixed_probability(const std::int32_t* row, const float* factors, float eta, std::size_t stride) {
  floats sum{}, f, n;
  for (std::size_t k = 0; k < stride; k += 8) {
    load<float>(factors + k, f);
    load_counts(row + k, n);
    sum += (n + eta) * f;
  }
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
