// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_CORE_DETAIL_COLUMN_HPP
#define DPLDA_CORE_DETAIL_COLUMN_HPP

// A growing array of numbers whose bytes lie in memory, or wherever a byte_store puts them.

#include <dplda/core/config.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace dplda::inline v0_1::detail {

/// Bytes that lie together. They may move when their number changes.
class byte_store {
 public:
  byte_store() = default;
  byte_store(const byte_store&) = delete;
  byte_store& operator=(const byte_store&) = delete;
  virtual ~byte_store() = default;

  /// Makes room for `bytes` bytes, which may be fewer than before, and returns where they begin. Those that fit stay as
  /// they are. Throws std::bad_alloc or std::runtime_error if there is no room; then nothing changes.
  virtual void* resize(std::size_t bytes) = 0;
};

/// Where stores are made.
class byte_place {
 public:
  byte_place() = default;
  byte_place(const byte_place&) = delete;
  byte_place& operator=(const byte_place&) = delete;
  virtual ~byte_place() = default;

  /// A new, empty store.
  virtual std::unique_ptr<byte_store> make() const = 0;
};

/// Bytes in memory.
class memory_store final : public byte_store {
 public:
  ~memory_store() override { std::free(bytes_); }

  void* resize(std::size_t bytes) override {
    void* const moved = std::realloc(bytes_, std::max<std::size_t>(bytes, 1));
    if (moved == nullptr) throw std::bad_alloc();
    return bytes_ = moved;
  }

 private:
  void* bytes_ = nullptr;
};

template <class T>
class column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  /// In memory.
  column() = default;
  /// In an empty store; null: in memory.
  explicit column(std::unique_ptr<byte_store> store) : store_(std::move(store)) {}
  /// Numbers that lie elsewhere and live as long as `owner`. The column cannot grow.
  column(std::shared_ptr<const void> owner, std::span<const T> numbers)
      : owner_(std::move(owner)),
        begin_(const_cast<T*>(numbers.data())),
        size_(numbers.size()),
        capacity_(numbers.size()) {}

  column(column&& other) noexcept
      : store_(std::move(other.store_)),
        owner_(std::move(other.owner_)),
        begin_(std::exchange(other.begin_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  column& operator=(column&& other) noexcept {
    std::swap(store_, other.store_);
    std::swap(owner_, other.owner_);
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const T& operator[](std::size_t i) const { return begin_[i]; }
  const T& back() const { return begin_[size_ - 1]; }
  std::span<const T> span() const noexcept { return {begin_, size_}; }
  /// Precondition: the numbers do not lie elsewhere.
  std::span<T> own_span() noexcept { return {begin_, size_}; }

  void push_back(T number) {
    make_room();
    begin_[size_++] = number;
  }
  /// Lets the next push_back succeed.
  void make_room() {
    if (size_ == capacity_) set_capacity(std::max<std::size_t>(64, size_ + size_ / 2));
  }
  void append(std::span<const T> numbers) {
    if (numbers.size() > capacity_ - size_) set_capacity(std::max(size_ + numbers.size(), size_ + size_ / 2));
    std::copy(numbers.begin(), numbers.end(), begin_ + size_);
    size_ += numbers.size();
  }
  /// Precondition: size <= this->size().
  void shrink(std::size_t size) { size_ = size; }
  void reserve(std::size_t size) {
    if (size > capacity_) set_capacity(size);
  }
  /// Gives unused room back.
  void trim() {
    if (store_ != nullptr && capacity_ > size_) set_capacity(size_);
  }

 private:
  void set_capacity(std::size_t capacity) {
    if (owner_ != nullptr) throw std::logic_error("dplda::column: numbers that lie elsewhere cannot grow");
    if (capacity > static_cast<std::size_t>(-1) / (2 * sizeof(T))) throw std::bad_alloc();
    if (store_ == nullptr) store_ = std::make_unique<memory_store>();
    begin_ = static_cast<T*>(store_->resize(capacity * sizeof(T)));
    capacity_ = capacity;
  }

  std::unique_ptr<byte_store> store_;
  std::shared_ptr<const void> owner_;
  T* begin_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace dplda::inline v0_1::detail

#endif
