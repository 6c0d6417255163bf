// SPDX-License-Identifier: Apache-2.0
// dplda: fragment, compiled once for each instruction set by core/detail/for_each_isa.hpp

namespace dplda::inline v0_1::detail::DPLDA_ISA {

/// The bits of a vector as another vector.
template <class To, class From>
[[gnu::always_inline]] inline To bits_as(const From& p) {
  if constexpr (requires { p.low; }) {
    return {reinterpret_cast<typename To::part>(p.low), reinterpret_cast<typename To::part>(p.high)};
  } else {
    return reinterpret_cast<To>(p);
  }
}

/// a where the mask is set, else b.
template <class Mask, class Vector>
[[gnu::always_inline]] inline Vector select(const Mask& mask, const Vector& a, const Vector& b) {
  if constexpr (requires { a.low; }) {
    return {mask.low ? a.low : b.low, mask.high ? a.high : b.high};
  } else {
    return mask ? a : b;
  }
}

// Functions return packs but take them only by reference: passing a pack by value has a different calling convention
// with AVX than without, and compilers warn the user about it even where every call is inlined.
#if DPLDA_ISA_BYTES == 32

template <class Number>
struct pack_of {
  typedef Number type __attribute__((vector_size(32)));
};
template <class Number>
using pack = typename pack_of<Number>::type;
/// What one register holds: a pack, or half of one.
template <class Number>
using vector_register = pack<Number>;

template <class Number>
[[gnu::always_inline]] inline void load(const Number* from, pack<Number>& p) {
  __builtin_memcpy(&p, from, sizeof p);
}

template <class Number>
[[gnu::always_inline]] inline void store(Number* to, const pack<Number>& p) {
  __builtin_memcpy(to, &p, sizeof p);
}

/// Lanes of a (numbered from 0) and of b (the numbering continues).
template <int... Lane, class Pack>
[[gnu::always_inline]] inline Pack shuffle(const Pack& a, const Pack& b) {
  return __builtin_shufflevector(a, b, Lane...);
}

[[gnu::always_inline]] inline pack<float> to_float(const pack<std::int32_t>& n) {
  return __builtin_convertvector(n, pack<float>);
}

#else

/// Two registers of 16 bytes that act like the compiler's own vector of 32. A number converts to a pack of it.
template <class Number>
struct halves {
  typedef Number part __attribute__((vector_size(16)));
  using mask = halves<integer_of<Number>>;

  halves() = default;
  [[gnu::always_inline]] halves(Number x) {
    if constexpr (sizeof x == 8) {
      low = high = part{x, x};
    } else {
      low = high = part{x, x, x, x};
    }
  }
  [[gnu::always_inline]] halves(const part& l, const part& h) : low(l), high(h) {}

  [[gnu::always_inline]] Number operator[](std::size_t lane) const {
    constexpr std::size_t half = 16 / sizeof(Number);
    return lane < half ? low[lane] : high[lane - half];
  }

  // GCC fuses a product and a sum across functions by default; clang must be told to.
  [[gnu::always_inline]] friend halves operator+(const halves& a, const halves& b) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    return {a.low + b.low, a.high + b.high};
  }
  [[gnu::always_inline]] friend halves operator-(const halves& a, const halves& b) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    return {a.low - b.low, a.high - b.high};
  }
  [[gnu::always_inline]] friend halves operator*(const halves& a, const halves& b) {
#if defined(__clang__)
#pragma clang fp contract(fast)
#endif
    return {a.low * b.low, a.high * b.high};
  }
  [[gnu::always_inline]] friend halves operator/(const halves& a, const halves& b) {
    return {a.low / b.low, a.high / b.high};
  }
  [[gnu::always_inline]] friend halves operator&(const halves& a, const halves& b) {
    return {a.low & b.low, a.high & b.high};
  }
  [[gnu::always_inline]] friend halves operator|(const halves& a, const halves& b) {
    return {a.low | b.low, a.high | b.high};
  }
  [[gnu::always_inline]] friend halves operator<<(const halves& a, int bits) { return {a.low << bits, a.high << bits}; }
  [[gnu::always_inline]] friend halves operator-(const halves& a) { return {-a.low, -a.high}; }
  [[gnu::always_inline]] friend halves operator~(const halves& a) { return {~a.low, ~a.high}; }
  [[gnu::always_inline]] halves& operator+=(const halves& b) { return *this = *this + b; }
  [[gnu::always_inline]] halves& operator-=(const halves& b) { return *this = *this - b; }
  [[gnu::always_inline]] halves& operator*=(const halves& b) { return *this = *this * b; }
  [[gnu::always_inline]] halves& operator/=(const halves& b) { return *this = *this / b; }
  [[gnu::always_inline]] halves& operator&=(const halves& b) { return *this = *this & b; }
  [[gnu::always_inline]] halves& operator|=(const halves& b) { return *this = *this | b; }
  [[gnu::always_inline]] friend mask operator<(const halves& a, const halves& b) {
    return as_mask(a.low < b.low, a.high < b.high);
  }
  [[gnu::always_inline]] friend mask operator>(const halves& a, const halves& b) {
    return as_mask(a.low > b.low, a.high > b.high);
  }
  [[gnu::always_inline]] friend mask operator<=(const halves& a, const halves& b) {
    return as_mask(a.low <= b.low, a.high <= b.high);
  }
  [[gnu::always_inline]] friend mask operator==(const halves& a, const halves& b) {
    return as_mask(a.low == b.low, a.high == b.high);
  }

  part low, high;

 private:
  template <class Compared>
  [[gnu::always_inline]] static mask as_mask(const Compared& l, const Compared& h) {
    return {reinterpret_cast<typename mask::part>(l), reinterpret_cast<typename mask::part>(h)};
  }
};

template <class Number>
using pack = halves<Number>;
template <class Number>
using vector_register = typename halves<Number>::part;

// Half by half: a copy of all 32 bytes would keep the pack in memory.
template <class Number>
[[gnu::always_inline]] inline void load(const Number* from, pack<Number>& p) {
  __builtin_memcpy(&p.low, from, sizeof p.low);
  __builtin_memcpy(&p.high, from + lanes<Number> / 2, sizeof p.high);
}

template <class Number>
[[gnu::always_inline]] inline void store(Number* to, const pack<Number>& p) {
  __builtin_memcpy(to, &p.low, sizeof p.low);
  __builtin_memcpy(to + lanes<Number> / 2, &p.high, sizeof p.high);
}

/// A register with lanes from four registers, numbered consecutively. The lanes come from at most two of the four.
template <int... Lane, class Part>
[[gnu::always_inline]] inline Part pick(const Part (&from)[4]) {
  constexpr int size = sizeof...(Lane), lane[] = {Lane...}, first = lane[0] / size;
  constexpr int second = [&] {
    int other = first;
    for (const int l : lane) other = l / size != first ? l / size : other;
    return other;
  }();
  static_assert(((Lane / size == first || Lane / size == second) && ...));
  return __builtin_shufflevector(from[first], from[second], (Lane % size + (Lane / size == first ? 0 : size))...);
}

template <int... Lane, class Number>
[[gnu::always_inline]] inline halves<Number> shuffle(const halves<Number>& a, const halves<Number>& b) {
  constexpr int lane[] = {Lane...};
  const typename halves<Number>::part from[4] = {a.low, a.high, b.low, b.high};
  if constexpr (sizeof...(Lane) == 4) {
    return {pick<lane[0], lane[1]>(from), pick<lane[2], lane[3]>(from)};
  } else {
    return {pick<lane[0], lane[1], lane[2], lane[3]>(from), pick<lane[4], lane[5], lane[6], lane[7]>(from)};
  }
}

[[gnu::always_inline]] inline pack<float> to_float(const pack<std::int32_t>& n) {
  return {__builtin_convertvector(n.low, pack<float>::part), __builtin_convertvector(n.high, pack<float>::part)};
}

#endif

template <class Real>
using integer_pack = pack<integer_of<Real>>;

// out[i] = sum of the lanes of sums[i]: pairs, then quads, then halves, so that the additions are the same on every
// machine.
[[gnu::always_inline]] inline void sum_lanes(const pack<double> (&s)[4], pack<double>& out) {
  const pack<double> a = shuffle<0, 4, 2, 6>(s[0], s[1]) + shuffle<1, 5, 3, 7>(s[0], s[1]);
  const pack<double> b = shuffle<0, 4, 2, 6>(s[2], s[3]) + shuffle<1, 5, 3, 7>(s[2], s[3]);
  out = shuffle<0, 1, 4, 5>(a, b) + shuffle<2, 3, 6, 7>(a, b);
}

[[gnu::always_inline]] inline void sum_lanes(const pack<float> (&s)[8], pack<float>& out) {
  pack<float> pairs[4], quads[2];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs[i] = shuffle<0, 8, 2, 10, 4, 12, 6, 14>(s[2 * i], s[2 * i + 1]) +
               shuffle<1, 9, 3, 11, 5, 13, 7, 15>(s[2 * i], s[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    quads[i] = shuffle<0, 1, 8, 9, 4, 5, 12, 13>(pairs[2 * i], pairs[2 * i + 1]) +
               shuffle<2, 3, 10, 11, 6, 7, 14, 15>(pairs[2 * i], pairs[2 * i + 1]);
  }
  out = shuffle<0, 1, 2, 3, 8, 9, 10, 11>(quads[0], quads[1]) + shuffle<4, 5, 6, 7, 12, 13, 14, 15>(quads[0], quads[1]);
}

}  // namespace dplda::inline v0_1::detail::DPLDA_ISA
