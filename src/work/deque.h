// Deque: one worker's entries. A bounded Chase-Lev deque with a private end, and behind it an overflow stack (N8).
//
//      top            split                bottom                     Indices only grow, modulo 2^32; entry i lies in slots[i & mask].
//       |  public       |   private          |   overflow             top <= split <= bottom <= top + capacity, but for the
//       v  thieves take v   owner's alone    v   owner's alone        moment inside take_back() and pop_last() when split is lowered.
//   ----[ a  b  c  d  e | f  g  h  i  j  k ) [ l  m  n  … )           Read left to right this is ONE sequence, oldest first;
//                                                                     push appends, pop takes the newest (owner_lifo).
// The classical deque (Share::eager) has no private part: every push publishes and every pop needs a full fence, because owner and
// thief may want the same last entry. Here (Share::lazy) the owner pushes and pops privately with plain instructions; every sixteenth time it looks whether
// thieves see less than half of what it keeps, and if so it publishes as much of the older part as makes both equal (of few entries, fewer than share()'s `from`,
// only when that has been so for a while); when the private part is empty it takes back
// the newer half of the public one with one compare-and-swap. Order and results are those of the classical deque, but that a thief may take several
// entries at once, up to half of what it sees.
//
// Overflow: a push that finds no room goes to the overflow stack, and so do all pushes while that stack is non-empty: pushing to the
// deque beside a non-empty overflow would break the LIFO order that asynchronous flushing rests on (nvm M11). Thieves never see
// it; when the deque has run empty the owner moves the stack's oldest entries over, which keeps the sequence and feeds thieves.
// order=fifo: the owner pops from the thieves' end (N7).
//
// Why the memory orders suffice (x86 and ARM): the stories stand at the fields and in deque.ipp.
#pragma once
#include "base/check.h"
#include "seam/watch.h"
#include "work/bell.h"
#include "work/config.h"
#include "work/tables.h"

namespace garner {

enum class Stolen : u8 { got, empty, lost }; // lost: somebody else took that entry in this moment

template <class M> class Deque {
 public:
  using Self = typename M::Self;
  using Entry = typename M::template Atomic<u64>;

  // False when there is no memory. `capacity` is a power of two. Before any thief may look.
  bool start(M& machine, u32 capacity, Order order);
  // As after so many entries, for tests of what happens when indices wrap. Between start and the first push.
  void grow_old(u32 entries);
  // Nobody may look any more. Entries still inside are dropped.
  void stop();
  bool started() const { return slots_ != nullptr; }

  // -- owner only --
  // from: private entries from which publish() does not wait any longer (lazy).
  void share(Share share, u32 from = 2);
  // Whom to wake when something is published; null bell: nobody. far: see Bell::tell.
  void bind(Bell<M>* bell, Self* self, bool far = false) { bell_ = bell, self_ = self, far_ = far; }

  GARNER_INLINE void push(u64 entry) {
    if (GARNER_UNLIKELY(bottom_ == room_)) return push_slow(entry);
    put(entry);
  }
  // False when nothing is left, overflow included.
  GARNER_INLINE bool pop(u64& entry) {
    if (GARNER_UNLIKELY(bottom_ == mine_ || spilled_ != 0)) return pop_slow(entry);
    entry = reads<M>(at(--bottom_)).load_relaxed(); // private: we wrote it
    if (GARNER_UNLIKELY(--due_ == 0)) publish();
    return true;
  }
  // Lazy: now is a time to look whether thieves see enough, however few entries there are. For an owner who pushes and pops seldom.
  void show() {
    if (share_ != Share::lazy || bottom_ == mine_) return;
    kept_back_ = kKeptBackMost;
    publish();
  }
  bool empty() const { return spilled_ == 0 && bottom_ == mine_ && index_of(top_.load_acquire()) == bottom_; }
  u64 overflows() const { return overflows_; }         // pushes that found no room, since start
  u32 kept() const { return bottom_ - mine_; }          // entries that thieves do not see, but for the overflow stack; the owner
  usize spilled() const { return spilled_; }           // entries in the overflow stack
  // The memory of an emptied overflow stack, when it is more than `keep` bytes. The owner, or anybody between phases.
  void trim(usize keep);

  // -- any thread --
  Stolen steal(u64& entry);
  // The oldest shared entries, oldest first: up to `most`, at most half of what is seen, and of an eager deque one. How many is in `taken`.
  Stolen steal(u64* entries, u32 most, u32& taken);
  // A hint: entries may be gone, or come, at any moment.
  GARNER_INLINE bool looks_stealable() const { return i32(split_.load_relaxed() - index_of(top_.load_relaxed())) > 0; }
  // The same as part of falling asleep (gang.ipp doze): ordered with the sleeper's announcement and the owner's publish.
  bool looks_stealable_seq_cst() const { return i32(split_.load_seq_cst() - index_of(top_.load_seq_cst())) > 0; }

 private:
  static u32 index_of(u64 top) { return u32(top); }
  static u64 past(u64 top, u32 entries) { return (top & ~u64(~u32(0))) | u32(u32(top) + entries); } // the index wraps, the tag stays
  GARNER_INLINE Entry& at(u32 index) const { return slots_[index & mask_]; }
  GARNER_INLINE void put(u64 entry) {
    writes<M>(at(bottom_)).store_relaxed(entry); // made visible by publish()
    bottom_++;
    if (GARNER_UNLIKELY(--due_ == 0)) publish();
  }
  void publish();
  static constexpr u32 kKeptBackMost = 4;      // looks at fewer than from_ entries before they are shared all the same
  static constexpr u64 kSoon = 2, kLater = 16; // pushes and pops from one look to the next: with nothing to give, and otherwise
  static constexpr u64 kNever = u64(1) << 63;
  static constexpr u64 kTag = u64(1) << 32; // one taking back
  void publish_now(u32 split);
  GARNER_COLD void push_slow(u64 entry);
  GARNER_COLD bool pop_slow(u64& entry);
  bool take_back(u64& entry);
  bool pop_last(u64& entry);
  bool pop_oldest(u64& entry);
  bool pop_spilled(u64& entry);
  void feed();
  void refill(usize most);
  usize capacity() const { return usize(mask_) + 1; }

  // tag:32 | index:32 of the next entry to steal. Thieves move the index by CAS, and so does the owner for the last public entry of an eager deque; the
  // owner changes the tag when it takes entries back (deque.ipp). Nobody stores it. A thief that sleeps through 2^32 of either would be deceived.
  //   steal's CAS (release) pairs with push_slow's acquire load. Without it, on ARM: 1. thief reads slot i; 2. thief moves top past i;
  //   3. owner sees the new top, thinks slot i free and overwrites it; 4. the thief's read of 1 returns the new entry: one entry
  //   lost, one doubled. With it the read of 1 happens before the write of 3.
  alignas(kLineBytes) typename M::template Atomic<u64> top_;
  // End of the public part. Only the owner stores it; each store that raises it is at least release and pairs with steal's
  // load: without that a thief could see the new split and an old slot. Those that lower it: deque.ipp.
  alignas(kLineBytes) typename M::template Atomic<u32> split_;
  // Beside split_, because thieves need them too and must not touch the owner's line for them.
  Entry* slots_ = nullptr;
  u32 mask_ = 0;
  u32 at_once_ = ~u32(0); // most entries of one theft: 1 when eager. Changed by the owner before it publishes anything in that way

  // The owner's line.
  alignas(kLineBytes) u32 bottom_ = 0; // one past the newest
  u32 mine_ = 0;                       // what split_ holds, without asking it
  u32 room_ = 0;                       // push may go ahead while bottom_ != room_; room_ == bottom_ while spilled_ != 0
  u64 due_ = 0;                        // pushes and pops until publish() is asked again; never 0
  usize spilled_ = 0;                  // == spill_.size() - spill_front_
  Order order_ = Order::owner_lifo;
  Share share_ = Share::lazy;
  u32 from_ = 2;      // as share() was told
  u32 kept_back_ = 0; // looks since the last sharing that found fewer than from_
  M* machine_ = nullptr;
  usize spill_front_ = 0;              // entries before it have been moved to the deque
  Vector<u64> spill_;
  u64 overflows_ = 0;
  Bell<M>* bell_ = nullptr;
  Self* self_ = nullptr;
  bool far_ = false;
};

} // namespace garner
