// Marks: one bit per heap word, apart from the objects; and Targets: where the objects of every 512 bytes go.
//
// An object of n words sets n - 1 bits from its first word on: its last word stays 0. So a run of ones is exactly one object, its
// size is the run plus one, and neither planning nor sweeping has to read an object. (Objects have at least 3 words.)
// With live = bits | bits << 1 (and bit 0, where a run comes over from the block before), the new address of the object whose first word is p is target + 8 * popcount(live below p).
// The two tables lie apart: marking asks for bits at random, twice as many of which are on a line and on a page as if targets lay between them; a target lies beside a copy of its
// block's live bits, so that finding where an object went takes one line.
// Implements the marking and forwarding tables of N13. Memory: 8 bytes per 512 (1.6 %), touched by full collections, and 16 (3.1 %), touched where something moves.
//
// Concurrency: bits are set by fetch_or; the object's first bit decides who marked it. Everything else runs when marking ended.
#pragma once
#include "base/words.h"
#include "seam/machine.h"

namespace garner {

inline constexpr usize kMarkBlockBytes = 512;

template <class M> struct MarkWord {
  typename M::template Atomic<u64> bits;
};
// One entry for each block of the heap.
template <class E> class BlockTable {
 public:
  using Entry = E;
  void attach(E* table, word heap_base) { table_ = table; base_ = heap_base; }
  GARNER_INLINE E& entry_of(word at) const { return table_[(at - base_) / kMarkBlockBytes]; }
  static u32 bit_of(word at) { return u32(at / kWordBytes) & 63; } // of its word in the block

 private:
  E* table_ = nullptr;
  word base_ = 0;
};
template <class M> class Marks : public BlockTable<MarkWord<M>> {
  using Table = BlockTable<MarkWord<M>>;

 public:
  using Entry = MarkWord<M>;
  using Table::bit_of;
  using Table::entry_of;

  GARNER_INLINE bool is_marked(word block) const { return (entry_of(block).bits.load_relaxed() >> bit_of(block)) & 1; }

  // True for the one caller that marked the object first, without a look at the object; extend() makes a run of it.
  GARNER_INLINE bool claim(word block) { return !is_marked(block) && claim_white(block); } // racing markers are told apart by the fetch_or
  // As claim(), by who has just seen that the object is not marked.
  GARNER_INLINE bool claim_white(word block) {
    const u64 first = u64(1) << bit_of(block);
    return (entry_of(block).bits.fetch_or_relaxed(first) & first) == 0; // relaxed: contents of the object are not published by its mark
  }
  // As claim(), for an object that nobody else knows, while others may read its page. Release: whoever finds the bit (each_touching's acquire) finds no type there, or the
  // whole object, and not what lay there before.
  void publish(word block) { entry_of(block).bits.fetch_or_acq_rel(u64(1) << bit_of(block)); }
  // By whoever claimed the object, before anything but is_marked() is asked. `bytes` is the object's size.
  GARNER_INLINE void extend(word block, usize bytes) {
    Entry* entry = &entry_of(block);
    u32 first = bit_of(block);
    usize ones = bytes / kWordBytes - 1;
    entry->bits.fetch_or_relaxed(ones_from(first, ones)); // relaxed: read after the phase; goes on with the release of publish()
    usize done = 64 - first;
    while (GARNER_UNLIKELY(done < ones)) {
      (++entry)->bits.fetch_or_acq_rel(ones_from(0, ones - done)); // release: whoever sees these (each_touching) sees the entry before
      done += 64;
    }
  }
  GARNER_INLINE bool mark(word block, usize bytes) {
    if (!claim(block)) return false;
    extend(block, bytes);
    return true;
  }

  // Live words of the entry, given the carry in from the block before (bit 63 of its bits, same region).
  static u64 live(u64 bits, u64 carry) { return bits | (bits << 1) | carry; }
  static u64 first_words(u64 bits, u64 carry) { return bits & ~((bits << 1) | carry); }

  // Calls fn(block, bytes) for every marked object that starts in [begin, end), both multiples of 512, ascending.
  template <class F> void each(word begin, word end, F fn) const {
    for (word at = begin; at < end; at += kMarkBlockBytes) {
      u64 bits = entry_of(at).bits.load_relaxed();
      u64 carry = at == begin ? 0 : entry_of(at - kMarkBlockBytes).bits.load_relaxed() >> 63;
      for (u64 firsts = first_words(bits, carry); firsts != 0; firsts &= firsts - 1) {
        word block = at + kWordBytes * u64(__builtin_ctzll(firsts));
        fn(block, size_at(block, end));
      }
    }
  }

  // Calls fn(from, to) for every maximal range of [begin, end) that no marked object covers, ascending; begin is a multiple of 512. Not an object is looked at, and what lives
  // without a gap costs a look at each word of bits.
  template <class F> void each_gap(word begin, word end, F fn) const {
    word open = 0; // the gap that has begun and not ended
    u64 carry = 0;
    for (word at = begin; at < end; at += kMarkBlockBytes) {
      const u64 bits = entry_of(at).bits.load_relaxed();
      u64 dead = ~live(bits, carry);
      carry = bits >> 63;
      if (end - at < kMarkBlockBytes) dead &= ones_from(0, (end - at) / kWordBytes);
      for (u32 bit = 0; bit < 64;) { // from one change to the next
        const u64 rest = (open != 0 ? ~dead : dead) >> bit;
        if (rest == 0) break;
        bit += u32(__builtin_ctzll(rest));
        if (open != 0) fn(open, at + bit * kWordBytes), open = 0;
        else open = at + bit * kWordBytes;
      }
    }
    if (open != 0) fn(open, end);
  }
  // Where the gap begins that `at` lies in; `begin` is where the region's objects begin.
  word gap_begin(word at, word begin) const {
    u64 below = (u64(1) << bit_of(at)) - 1;
    for (word entry = align_down(at, kMarkBlockBytes);; entry -= kMarkBlockBytes, below = ~u64(0)) {
      const u64 carry = entry == begin ? 0 : entry_of(entry - kMarkBlockBytes).bits.load_relaxed() >> 63;
      const u64 alive = live(entry_of(entry).bits.load_relaxed(), carry) & below;
      if (alive != 0) return entry + (64 - u64(__builtin_clzll(alive))) * kWordBytes;
      if (entry == begin) return begin;
    }
  }
  // Bytes of [begin, end) that marked objects cover, and of the ranges that each_gap() would tell those of `least` words or more; 32 <= least <= 64. One look at each word of bits,
  // whatever lies there: of such gaps one ends in a word, one begins in it, and between the two lies at most one, in its middle.
  struct Measure {
    usize live_bytes, gap_bytes;
  };
  Measure measure(word begin, word end, u32 least) const {
    usize lives = 0, gaps = 0, open = 0; // open: words of the gap that reaches to here
    u64 carry = 0;
    auto count = [&](usize words) { gaps += words >= least ? words : 0; };
    for (word at = begin; at < end; at += kMarkBlockBytes) {
      const u64 bits = entry_of(at).bits.load_relaxed();
      u64 alive = live(bits, carry);
      carry = bits >> 63;
      if (alive == 0 && end - at >= kMarkBlockBytes) {
        open += 64;
        continue;
      }
      if (alive == ~u64(0) && open == 0) { // most words
        lives += 64;
        continue;
      }
      lives += set_bits(alive);
      if (end - at < kMarkBlockBytes) alive |= ~ones_from(0, (end - at) / kWordBytes); // a gap ends there
      count(open + u32(__builtin_ctzll(alive)));
      const u32 low = u32(alive), high = u32(alive >> 32);
      if (low != 0 && high != 0) count(u32(__builtin_clz(low)) + u32(__builtin_ctz(high)));
      open = u32(__builtin_clzll(alive));
    }
    count(open);
    return {lives * kWordBytes, gaps * kWordBytes};
  }

  // Calls fn(block) for every marked object of which a word lies in [low, high), both multiples of 512, ascending; `begin` is where the region's objects begin. While
  // objects are being marked one that was claimed and not yet made a run of may be missed, or seen with its first word only. A run grows from entry to entry, so what looks
  // like an object at an entry's first word may be the rest of one whose run was not there when the entry before was read: that is read again.
  template <class F> void each_touching(word low, word high, word begin, F fn) const {
    u64 carry = low == begin ? 0 : entry_of(low - kMarkBlockBytes).bits.load_acquire() >> 63;
    if (carry != 0) fn(run_begin(low - kMarkBlockBytes, begin));
    for (word at = low; at < high; at += kMarkBlockBytes) {
      u64 bits = entry_of(at).bits.load_acquire(); // pairs with extend's release, and with publish()
      if ((bits & 1) != 0 && carry == 0 && at != begin) carry = entry_of(at - kMarkBlockBytes).bits.load_relaxed() >> 63;
      for (u64 firsts = first_words(bits, carry); firsts != 0; firsts &= firsts - 1) fn(at + kWordBytes * u64(__builtin_ctzll(firsts)));
      carry = bits >> 63;
    }
  }

  // Size of the marked object that starts at `block`.
  usize size_at(word block, word end) const {
    u32 first = bit_of(block);
    u64 rest = ~entry_of(block).bits.load_relaxed() >> first;
    if (rest != 0) {
      usize ones = usize(__builtin_ctzll(rest));
      if (first + ones < 64) return (ones + 1) * kWordBytes;
    }
    usize ones = 64 - first;
    for (word at = align_down(block, kMarkBlockBytes) + kMarkBlockBytes; at < end; at += kMarkBlockBytes) {
      u64 zeros = ~entry_of(at).bits.load_relaxed();
      if (zeros != 0) return (ones + usize(__builtin_ctzll(zeros)) + 1) * kWordBytes;
      ones += 64;
    }
    return (ones + 1) * kWordBytes;
  }

  void clear(word begin, word end) {
    if (begin >= end) return;
    // A page at a time, and only where something is set: of a heap that was hardly marked most of the table has never been touched, and to write zeros there would bring it.
    u8* at = reinterpret_cast<u8*>(&entry_of(begin));
    for (usize left = usize(end - begin) / kMarkBlockBytes * sizeof(Entry), some; left != 0; at += some, left -= some) {
      some = min_of(left, kPageBytes - word(at) % kPageBytes);
      u64 set = 0;
      for (usize i = 0; i < some; i += sizeof(u64)) set |= *reinterpret_cast<const u64*>(at + i);
      if (set != 0) memset(at, 0, some);
    }
  }

 private:
  // Where the run begins that holds the last word of the entry of `at`.
  word run_begin(word at, word begin) const {
    while (true) {
      u64 zeros = ~entry_of(at).bits.load_acquire();
      if (zeros != 0) return at + kWordBytes * (64 - u64(__builtin_clzll(zeros)));
      if (at == begin) return begin;
      at -= kMarkBlockBytes;
      if ((entry_of(at).bits.load_acquire() >> 63) == 0) return at + kMarkBlockBytes;
    }
  }
  static u64 ones_from(u32 first, usize ones) {
    u64 mask = ones >= 64 ? ~u64(0) : (u64(1) << ones) - 1;
    return mask << first;
  }
};

// Written by those who plan, each block by one of them; read by everybody in the phases after it. Blocks that nothing starts in are not written, and nobody asks for their targets.
struct Target {
  u64 live; // words of the block that live, by Marks::live()
  word target; // address that its first live word goes to
};
class Targets : public BlockTable<Target> {
 public:
  GARNER_INLINE word target_of(word block) const {
    const Target& entry = entry_of(block);
    return entry.target + kWordBytes * u64(set_bits(entry.live & ((u64(1) << bit_of(block)) - 1)));
  }
};

} // namespace garner
