// SPDX-License-Identifier: Apache-2.0
// dplda: fragment (no include guard: it is included once for each set of kernels)
//
// Compiles the file DPLDA_KERNELS for the instruction set of the user's flags and, on x86-64 builds without AVX2, once
// more for AVX2 with FMA. DPLDA_DETAIL_DISPATCH then calls the widest one the processor has, so that a plain -O3 build
// is as fast as -march=native. On one machine a binary always takes the same one. The namespaces are named after the
// instruction set, so that units compiled under different flags do not share kernels.

#ifndef DPLDA_KERNELS
#error "define DPLDA_KERNELS as the file to compile for each instruction set"
#endif

#if defined(__AVX512F__)
#define DPLDA_DETAIL_OWN_ISA avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define DPLDA_DETAIL_OWN_ISA avx2
#else
#define DPLDA_DETAIL_OWN_ISA baseline
#define DPLDA_DETAIL_HAS_BASELINE
#endif

#define DPLDA_ISA DPLDA_DETAIL_OWN_ISA
#include DPLDA_KERNELS
#undef DPLDA_ISA

#undef DPLDA_DETAIL_DISPATCH
#if defined(__x86_64__) && defined(DPLDA_DETAIL_HAS_BASELINE)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define DPLDA_ISA avx2
#include DPLDA_KERNELS
#undef DPLDA_ISA
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#define DPLDA_DETAIL_DISPATCH(call)                                                              \
  (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? ::dplda::detail::avx2::call \
                                                                   : ::dplda::detail::baseline::call)
#else
#define DPLDA_DETAIL_DISPATCH(call) ::dplda::detail::DPLDA_DETAIL_OWN_ISA::call
#endif

#undef DPLDA_KERNELS
