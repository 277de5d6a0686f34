// Memory for the collector's own tables, straight from the system: no malloc, so it works inside a malloc and inside a stopped program.
//
// Vector<T> is a growable array of trivially copyable items; growing moves a private mapping (mremap), shrinking gives pages back
// on request. All memory obtained here is counted in `own_bytes()`, that of Vectors in `list_bytes()` too, whose growth the heap limit includes (heap/budget.h).
// Sixteen single pages stay with us when they are given back, and are not counted.
// Out of memory: the calls return null or false; the caller decides. Not thread-safe per object.
#pragma once
#include "base/words.h"

namespace garner {

// Zeroed, page-aligned private memory; null when the system refuses. `bytes` is rounded up to whole pages. Up to 16 KiB its pages are there at once.
void* map_own(usize bytes);
void unmap_own(void* at, usize bytes);
void* remap_own(void* at, usize old_bytes, usize new_bytes);
usize own_bytes();
usize list_bytes(); // of all Vectors: the part that is touched soon after it is mapped; any-thread
void count_list(i64 more);

// How many items a list has needed of late: some rounds need few, and the next as many as those before.
class Recent {
 public:
  void note(usize used) { most_ = max_of(most_, used); }
  usize fade() { // once in a round
    const usize most = most_;
    most_ -= most / 8;
    return most;
  }

 private:
  usize most_ = 0;
};

template <class T> class Vector {
 public:
  Vector() = default;
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  ~Vector() { release(); }

  usize size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](usize i) { return items_[i]; }
  const T& operator[](usize i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  T& back() { return items_[size_ - 1]; }
  void clear() { size_ = 0; }
  void pop() { size_--; }
  void truncate(usize n) { size_ = n; }

  // False when there is no memory; nothing changed then.
  [[nodiscard]] GARNER_INLINE bool push(const T& item) {
    if (GARNER_UNLIKELY(size_ == capacity_) && !grow(size_ + 1)) return false;
    items_[size_++] = item;
    return true;
  }
  [[nodiscard]] bool resize(usize n) {
    if (n > capacity_ && !grow(n)) return false;
    size_ = n;
    return true;
  }
  // The same, but with room for no more than that, in whole pages: for who knows when it grows again.
  [[nodiscard]] GARNER_COLD bool resize_exactly(usize n) {
    if (n > capacity_ && !take(n)) return false;
    size_ = n;
    return true;
  }
  // Gives the memory back; the vector is empty and usable again.
  void release() {
    if (items_ != nullptr) {
      unmap_own(items_, bytes_of(capacity_));
      count_list(-i64(bytes_of(capacity_)));
    }
    items_ = nullptr;
    size_ = capacity_ = 0;
  }
  usize capacity() const { return capacity_; }
  // To how many items a list of `items` grows. Large ones by an eighth: the system moves pages, not bytes, and room never used counts against the heap's limit.
  static usize ample(usize items) { return items * sizeof(T) < kDoubledBelow ? items * 2 : items + items / 8; }
  void swap(Vector& other) {
    T* items = items_;
    usize size = size_, capacity = capacity_;
    items_ = other.items_, size_ = other.size_, capacity_ = other.capacity_;
    other.items_ = items, other.size_ = size, other.capacity_ = capacity;
  }
  // Gives memory back: room for `least` items, or for as many as there are. Without memory for that nothing happens.
  void fit(usize least) {
    usize want = bytes_of(max_of(max_of(least, size_), usize(1))), has = bytes_of(capacity_);
    if (items_ == nullptr || want >= has) return;
    void* at = remap_own(items_, has, want);
    if (at == nullptr) return;
    count_list(i64(want) - i64(has));
    items_ = static_cast<T*>(at);
    capacity_ = want / sizeof(T);
  }
  // `used`: what was needed of late. A list that was once much longer gives the rest back, but for `kept` items: it would be charged for as long as it lives.
  GARNER_COLD void ease(usize used, usize kept) {
    if (capacity_ > kept && used < capacity_ / 4) fit(max_of(used, kept));
  }

 private:
  static constexpr usize kDoubledBelow = 1 << 20;
  static usize bytes_of(usize n) { return align_up(n * sizeof(T), kPageBytes); }
  GARNER_COLD bool grow(usize least) {
    return take(max_of(least, ample(capacity_)));
  }
  bool take(usize capacity) {
    const usize want = bytes_of(capacity);
    void* at = items_ == nullptr ? map_own(want) : remap_own(items_, bytes_of(capacity_), want);
    if (at == nullptr) return false;
    count_list(i64(want) - i64(items_ == nullptr ? 0 : bytes_of(capacity_)));
    items_ = static_cast<T*>(at);
    capacity_ = want / sizeof(T);
    return true;
  }

  T* items_ = nullptr;
  usize size_ = 0, capacity_ = 0;
};

} // namespace garner
