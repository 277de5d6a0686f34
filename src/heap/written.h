// WrittenPages: which pages of the heap the program has stored references into, while old objects are marked beside it.
//
// A byte for each 4 KiB of the heap, not 0 when something may have been stored there since it was last cleaned. The program's barrier stores the reference first
// and looks at the byte then; whoever cleans clears the byte first, makes every processor pass a full barrier, and reads the page then. So either the reader sees
// the reference, or the byte is set again:
//   program: 1. reference  2. byte != 0? else byte = 0xff          cleaner: a. byte = 0  b. barrier on all processors  c. reads the page
// Where 2 found the byte set, before a, the barrier b of the program's processor comes after 2 and so after 1, and c sees the reference.
// On the simulated machine accesses are in one order anyway. The runtime's software write watch is this table: address >> 12, not from the heap's begin.
#pragma once
#include "seam/watch.h"
#include "seam/machine.h"

namespace garner {

inline constexpr usize kWrittenShift = 12;
inline constexpr usize kWrittenBytes = usize(1) << kWrittenShift;

template <class M> class WrittenPages {
 public:
  void attach(u8* table, word heap_base) { table_ = table, base_ = heap_base; }
  const u8* of_heap() const { return table_; }
  // As the runtime's barrier indexes it, by address alone.
  u8* by_address() const { return table_ - (base_ >> kWrittenShift); }

  // After a reference has been stored at `at`, by the program or for it. Racing writers store the same value.
  GARNER_INLINE void note(word at) {
    u8& byte = table_[(at - base_) >> kWrittenShift];
    if (__atomic_load_n(&touches<M>(byte), __ATOMIC_RELAXED) == 0) __atomic_store_n(&sets<M>(byte), kWritten, __ATOMIC_RELAXED);
  }
  void note(word begin, usize bytes) {
    for (word at = align_down(begin, kWrittenBytes); at < begin + bytes; at += kWrittenBytes) note(max_of(at, begin));
  }
  bool is(word page) const { return __atomic_load_n(&touches<M>(table_[(page - base_) >> kWrittenShift]), __ATOMIC_RELAXED) != 0; }
  void clean(word page) { __atomic_store_n(&sets<M>(table_[(page - base_) >> kWrittenShift]), u8(0), __ATOMIC_RELAXED); }
  // Calls fn(page) for every written page in [begin, end), both multiples of 32 KiB.
  template <class F> void each(word begin, word end, F fn) const {
    for (word at = begin; at < end; at += 8 * kWrittenBytes) {
      if (__atomic_load_n(reinterpret_cast<const u64*>(&table_[(at - base_) >> kWrittenShift]), __ATOMIC_RELAXED) == 0) continue;
      for (word page = at; page < at + 8 * kWrittenBytes; page += kWrittenBytes)
        if (is(page)) fn(page);
    }
  }
  // Both with the world stopped.
  void note_all(word begin, word end) { memset(&table_[(begin - base_) >> kWrittenShift], kWritten, (end - begin) >> kWrittenShift); }
  void clean_all(word begin, word end) { memset(&table_[(begin - base_) >> kWrittenShift], 0, (end - begin) >> kWrittenShift); }

 private:
  static constexpr u8 kWritten = 0xff;
  u8* table_ = nullptr;
  word base_ = 0;
};

} // namespace garner
