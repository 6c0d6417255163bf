// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_ALIGNED_BUFFER_HPP
#define DPLDA_CORE_DETAIL_ALIGNED_BUFFER_HPP

#include <dplda/core/config.hpp>

#include <cstddef>
#include <memory>
#include <new>

namespace dplda::inline v0_1::detail {

/// A buffer of uninitialised numbers, aligned to a cache line. It grows and never shrinks; growing loses the contents.
template <class T>
class aligned_buffer {
 public:
  /// Room for at least `size` numbers.
  T* ensure(std::size_t size) {
    if (size > capacity_) {
      numbers_.reset();
      numbers_.reset(static_cast<T*>(::operator new(size * sizeof(T), alignment)));
      capacity_ = size;
    }
    return numbers_.get();
  }

  T* data() noexcept { return numbers_.get(); }
  const T* data() const noexcept { return numbers_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct release {
    void operator()(T* numbers) const noexcept { ::operator delete(numbers, alignment); }
  };
  std::unique_ptr<T, release> numbers_;
  std::size_t capacity_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif
