// HandleTable: words outside the heap that hold references, sorted by kind, in chunks that know how young their youngest object may be.
//
// A handle is the address of its slot, which never moves; the slot's first word is the reference, read by the program with a plain
// load. Stride is 16 for kinds with a second word, 8 for the rest. A chunk is 4 KiB, aligned, so kind and owner follow from the address.
// `youngest` is the least generation any object of the chunk can have: lowered by every store, recomputed by the collection that
// visits the chunk; a young collection skips chunks that hold old objects only.
// Concurrency: create, destroy and stores come from any thread, even from a collector thread in the middle of a collection
// (an object dropped eagerly frees its own handle) and, for destroy, from threads that do not stop. So: short spin locks for the
// free bits, slots are updated by compare-and-swap during collections, and chunks are never unmapped while a collection runs.
// A chunk belongs to a stripe, which has a lock, a count and, for each owner and kind, a list of its chunks with room. Programs create from the stripe of the processor they run on, so two that
// make and free many handles (pinned buffers) do not wait for each other, nor for a line. Before a stripe gets a new chunk it takes one with room from another that has two, so what
// stripes cost is a chunk each, of an owner and a kind.
#pragma once
#include <initializer_list>

#include "base/arena.h"
#include "base/atomic.h"
#include "seam/machine.h"

namespace garner {

// The numbers are those of the .NET runtime's HandleType; other hosts use the subset they need.
enum class HandleKind : u8 {
  weak_short = 0, weak_long = 1, strong = 2, pinned = 3, variable = 4, counted = 5, dependent = 6, async_pinned = 7, sized = 8,
  weak_native = 9, weak_interior = 10, cross_reference = 11, count = 12
};
inline constexpr usize kHandleKinds = usize(HandleKind::count);
constexpr bool handle_has_extra(HandleKind kind) {
  return kind == HandleKind::dependent || kind == HandleKind::weak_interior || kind == HandleKind::counted || kind == HandleKind::variable ||
         kind == HandleKind::sized || kind == HandleKind::weak_native || kind == HandleKind::cross_reference;
}

using Handle = word*;

struct HandleOwner; // a store; opaque here

struct HandleChunk {
  static constexpr usize kBytes = 4096;
  static constexpr usize kHeadBytesUsed = 128;
  static constexpr u32 kBitWords = 8;
  HandleKind kind;
  Atomic<u8> youngest;   // relaxed: written by mutators as 0, by the one worker that visits the chunk as what it found
  u16 used;              // slots in use; guarded by the stripe's lock, as what follows and changes of bits
  Atomic<u8> stripe;     // changes under the lock of the stripe that it leaves: release, with the acquire under the lock of the one that it goes to, which shows what was done under the other
  u32 capacity, stride;
  u32 position;          // index in the table's list of this kind
  HandleOwner* owner;    // changes under all locks, or while no stripe has it, under growth_
  HandleChunk* next_free; // list of chunks with room, per owner and kind
  bool listed;           // in such a list, or on its way to one
  Atomic<u64> bits[kBitWords]; // slot in use; relaxed: a collection may see a slot a moment late or early, and then finds null
  word* slot(u32 i) { return reinterpret_cast<word*>(reinterpret_cast<char*>(this) + kHeadBytesUsed) + usize(i) * stride / kWordBytes; }

  // Calls fn(slot) for every slot in use.
  template <class F> void each(F fn) {
    for (u32 w = 0; w < kBitWords; w++)
      for (u64 b = bits[w].load_relaxed(); b != 0; b &= b - 1) fn(slot(w * 64 + u32(__builtin_ctzll(b))));
  }
  // The same, and ahead(slot) some slots before that.
  template <class A, class F> void each(A ahead, F fn) {
    for (u32 w = 0; w < kBitWords; w++) {
      const u64 all = bits[w].load_relaxed();
      u64 later = all;
      auto look = [&] {
        if (later != 0) ahead(slot(w * 64 + u32(__builtin_ctzll(later))));
        later &= later - 1;
      };
      for (u32 i = 0; i < kAhead; i++) look();
      for (u64 b = all; b != 0; b &= b - 1) {
        look();
        fn(slot(w * 64 + u32(__builtin_ctzll(b))));
      }
    }
  }
  static constexpr u32 kAhead = 8;
};
static_assert(sizeof(HandleChunk) <= HandleChunk::kHeadBytesUsed);

// weak_interior: the handle's second word is the address of a native word that points into the object, and moves with it. Read
// once: a thread that does not stop may be destroying the handle.
inline void move_native_word(word* slot, word by) {
  if (word native = __atomic_load_n(slot + 1, __ATOMIC_RELAXED); native != 0 && by != 0) store_word(native, load_word(native) + by);
}

inline HandleChunk* chunk_of(Handle handle) { return reinterpret_cast<HandleChunk*>(align_down(word(handle), HandleChunk::kBytes)); }

inline constexpr u32 kHandleStripes = 16;

struct HandleOwner {
  HandleChunk* roomy[kHandleStripes][kHandleKinds] = {}; // chunks with room, by next_free
};

class HandleTable {
 public:
  // Of a limit it is told around each growth, which is never refused: who makes a handle holds on to an object by its address, so no collection may come.
  using Grows = void (*)(void* who, usize bytes, bool begins); // under growth_, in turn
  void tell_growth(Grows grows, void* who) { grows_ = grows, who_ = who; } // before there are threads that make handles
  // Null when there is no memory. `owner` outlives its handles. processor: of the calling thread, a hint.
  Handle create(HandleOwner& owner, HandleKind kind, Ref ref, word extra, u32 processor = 0);
  void destroy(Handle handle);          // any thread
  void uproot(HandleOwner& owner);      // any thread: every handle of a store holds nothing from now on, and stays the store's
  void destroy_all(HandleOwner& owner); // frees every handle of a store
  // Stores keep the chunk's youngest right. `store` on a handle that a collection is updating is excluded by the world's stop.
  void store(Handle handle, Ref ref);
  bool compare_exchange(Handle handle, Ref& expected, Ref ref);
  void set_extra(Handle handle, word extra);
  static word extra(Handle handle) { return handle_has_extra(chunk_of(handle)->kind) ? __atomic_load_n(handle + 1, __ATOMIC_RELAXED) : 0; }

  // -- for collections (the list of chunks may grow meanwhile; what is new holds no object that needs visiting) --
  u32 chunks(HandleKind kind) const { return counts_[usize(kind)].load_acquire(); } // pairs with the release in add_chunk
  HandleChunk* chunk(HandleKind kind, u32 i) const { return lists_[usize(kind)][i]; }
  u32 in_use() const { // a chunk may be filled in one stripe and emptied in another: only the sum, modulo 2^32, tells
    u32 all = 0;
    for (const Stripe& stripe : stripes_) all += stripe.in_use.load_relaxed();
    return all;
  }

 private:
  static constexpr u32 kMaxChunks = 1u << 20; // per kind: 256 M to 512 M handles
  struct alignas(kLineBytes) Stripe {
    SpinLock lock;
    Atomic<u32> in_use; // relaxed: a count
  };
  HandleChunk* add_chunk(HandleOwner& owner, HandleKind kind, u32 stripe);
  HandleChunk* move_chunk(HandleOwner& owner, HandleKind kind, u32 stripe);
  HandleChunk* map_chunk();
  void lock_all();
  void unlock_all();
  Handle take_slot(HandleChunk& chunk, Ref ref, word extra);

  Stripe stripes_[kHandleStripes];
  SpinLock growth_;                          // guards chunk lists' growth and dead_; taken last, but for the heap's own
  HandleChunk** lists_[kHandleKinds] = {};   // reserved at full length on first use, so readers never see them move
  Atomic<u32> counts_[kHandleKinds];
  HandleChunk* dead_[kHandleKinds] = {};     // the emptied chunks of stores that are gone, by next_free; they stay in their lists
  Grows grows_ = nullptr;
  void* who_ = nullptr;
  word next_ = 0, end_ = 0;                  // rest of the block that chunks are cut from
};

} // namespace garner
