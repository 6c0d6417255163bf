// SPDX-License-Identifier: Apache-2.0
// dplda: fragment (each set of kernels includes it once)
//
// Compiles the file DPLDA_KERNELS for the instruction set of the user's flags. On x86-64 builds without AVX2, compiles
// it once more for AVX2 with FMA, so that a plain -O3 build is as fast as -march=native.
//
// The file defines its functions in namespace dplda::detail::DPLDA_ISA, which is named after the instruction set: units
// compiled under different flags do not share kernels. DPLDA_ISA_BYTES is the size of a vector register. Two aliases
// name the results: own_isa follows the user's flags; wide_isa is AVX2 if that was also compiled, else own_isa. The
// header that includes this fragment then exports ordinary functions that choose between them:
//
//     inline float f(int x) { return wide_isa_runs() ? wide_isa::f(x) : own_isa::f(x); }
//
// On one machine a binary always makes the same choice. No macro is left behind.

#ifndef DPLDA_KERNELS
#error "define DPLDA_KERNELS as the file to compile for each instruction set"
#endif

// GCC does not align the stack for registers of 32 bytes on 64-bit Windows (its bug 54412): no AVX2 there.
#if defined(_WIN32) && !defined(__clang__)
#define DPLDA_DETAIL_OWN_ISA baseline
#elif defined(__AVX512F__)
#define DPLDA_DETAIL_OWN_ISA avx512
#define DPLDA_DETAIL_OWN_AVX2
#elif defined(__AVX2__) && defined(__FMA__)
#define DPLDA_DETAIL_OWN_ISA avx2
#define DPLDA_DETAIL_OWN_AVX2
#else
#define DPLDA_DETAIL_OWN_ISA baseline
#if defined(__x86_64__)
#define DPLDA_DETAIL_MORE_AVX2
#endif
#endif

// 16 bytes are SSE2 on x86-64 and NEON on arm64. AVX-512 stays at 32 bytes.
#define DPLDA_ISA DPLDA_DETAIL_OWN_ISA
#if defined(DPLDA_DETAIL_OWN_AVX2)
#define DPLDA_ISA_BYTES 32
#else
#define DPLDA_ISA_BYTES 16
#endif
#include DPLDA_KERNELS
#undef DPLDA_ISA
#undef DPLDA_ISA_BYTES

#if defined(DPLDA_DETAIL_MORE_AVX2)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define DPLDA_ISA avx2
#define DPLDA_ISA_BYTES 32
#include DPLDA_KERNELS
#undef DPLDA_ISA
#undef DPLDA_ISA_BYTES
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif

#ifndef DPLDA_CORE_DETAIL_FOR_EACH_ISA_HPP
#define DPLDA_CORE_DETAIL_FOR_EACH_ISA_HPP
namespace dplda::inline v0_1::detail {

namespace own_isa = DPLDA_DETAIL_OWN_ISA;
#if defined(DPLDA_DETAIL_MORE_AVX2)
namespace wide_isa = avx2;
inline bool wide_isa_runs() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
namespace wide_isa = own_isa;
constexpr bool wide_isa_runs() { return true; }
#endif

}  // namespace dplda::inline v0_1::detail
#endif

#undef DPLDA_DETAIL_OWN_ISA
#undef DPLDA_DETAIL_OWN_AVX2
#undef DPLDA_DETAIL_MORE_AVX2
#undef DPLDA_KERNELS
