// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_FUNCTION_REF_HPP
#define DPLDA_CORE_DETAIL_FUNCTION_REF_HPP

#include <dplda/core/config.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace dplda::inline v0_1::detail {

template <class Signature>
class function_ref;

/// A function object by reference, for parameters: the function that takes it is compiled once, not once for each
/// lambda. It must not outlive the object. (C++26 has std::function_ref.)
template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
 public:
  template <class Function>
  requires(!std::is_same_v<std::remove_cvref_t<Function>, function_ref> &&
           std::is_invocable_r_v<Result, Function&, Arguments...>) function_ref(Function&& function)
  noexcept  // NOLINT(google-explicit-constructor): arguments convert
      : object_(address_of(function)), call_([](void* object, Arguments... arguments) -> Result {
          return (*reinterpret_cast<std::remove_reference_t<Function>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  template <class Function>
  static void* address_of(Function& function) noexcept {
    if constexpr (std::is_function_v<Function>) {
      return reinterpret_cast<void*>(&function);
    } else {
      return const_cast<void*>(static_cast<const void*>(std::addressof(function)));
    }
  }

  void* object_;
  Result (*call_)(void*, Arguments...);
};

/// A real function of a real number.
using real_function = function_ref<double(double)>;

}  // namespace dplda::inline v0_1::detail

#endif
