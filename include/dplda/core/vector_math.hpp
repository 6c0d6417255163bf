// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_VECTOR_MATH_HPP
#define DPLDA_CORE_VECTOR_MATH_HPP

// exp and exp(digamma) over arrays of float or double, vectorised under any flags. A value does not depend on its
// neighbours, on its place in the array or on the array's alignment.

#include <dplda/core/config.hpp>
#include <dplda/core/detail/pack.hpp>

#include <cstddef>
#include <span>

#define DPLDA_KERNELS <dplda/core/detail/vector_math.inl>
#include <dplda/core/detail/for_each_isa.hpp>

namespace dplda::inline v0_1 {

/// y[i] = exp(x[i]), within 2 ulp; 0 below -708 and infinite above 709 (float: -87 and 88). Precondition: same sizes; x
/// and y may be the same array.
template <class Real>
void vector_exp(std::span<const Real> x, std::span<Real> y) {
  detail::wide_isa_runs() ? detail::wide_isa::exponential_of(x.data(), y.data(), x.size())
                          : detail::own_isa::exponential_of(x.data(), y.data(), x.size());
}

/// y[i] = exp(digamma(x[i])) for 0 <= x[i] < 1e50 (float: 1e12), with a relative error of at most (4 + 2 / x[i])
/// machine epsilons: the problem's own condition number is 1 / x for small x. 0 where digamma is below -708 (float:
/// -87). Precondition: same sizes; x and y may be the same array.
template <class Real>
void vector_exp_digamma(std::span<const Real> x, std::span<Real> y) {
  detail::wide_isa_runs() ? detail::wide_isa::exp_digamma_of(x.data(), y.data(), x.size())
                          : detail::own_isa::exp_digamma_of(x.data(), y.data(), x.size());
}

}  // namespace dplda::inline v0_1

#endif
