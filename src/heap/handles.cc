// HandleTable: chunks mapped, linked and given back; slots created, stored to and freed (handles.h).
#include "heap/handles.h"

#include "base/check.h"

namespace garner {
// Chunks come from blocks of 64, so that a small program maps once. Null when there is no memory.
HandleChunk* HandleTable::map_chunk() {
  if (next_ == end_) {
    constexpr usize kBlock = 64 * HandleChunk::kBytes;
    if (grows_ != nullptr) grows_(who_, kBlock, true);
    next_ = word(map_own(kBlock));
    end_ = next_ == 0 ? 0 : next_ + kBlock;
    if (next_ != 0) count_list(i64(kBlock)); // it stays ours
    if (grows_ != nullptr) grows_(who_, kBlock, false);
    if (next_ == 0) return nullptr;
  }
  next_ += HandleChunk::kBytes;
  return reinterpret_cast<HandleChunk*>(next_ - HandleChunk::kBytes);
}

// A chunk without a handle, on its way to the stripe's list.
HandleChunk* HandleTable::add_chunk(HandleOwner& owner, HandleKind kind, u32 stripe) {
  Locked<SpinLock> guard(growth_);
  usize k = usize(kind);
  HandleChunk* chunk = dead_[k];
  if (chunk != nullptr) {
    dead_[k] = chunk->next_free;
  } else {
    if (lists_[k] == nullptr) lists_[k] = static_cast<HandleChunk**>(map_own(kMaxChunks * sizeof(HandleChunk*)));
    u32 position = counts_[k].load_relaxed();
    if (lists_[k] == nullptr || position == kMaxChunks) return nullptr;
    chunk = map_chunk();
    if (chunk == nullptr) return nullptr;
    memset(static_cast<void*>(chunk), 0, HandleChunk::kBytes);
    chunk->kind = kind;
    chunk->stride = handle_has_extra(kind) ? 16 : 8;
    chunk->capacity = u32(min_of(usize(512), (HandleChunk::kBytes - HandleChunk::kHeadBytesUsed) / chunk->stride));
    chunk->position = position;
    lists_[k][position] = chunk;
  }
  chunk->owner = &owner;
  chunk->listed = true;
  chunk->stripe.store_release(u8(stripe));
  if (chunk->position == counts_[k].load_relaxed()) counts_[k].store_release(chunk->position + 1); // pairs with chunks(): the entry is written before it is counted
  return chunk;
}

// A chunk with room of another stripe that has several, on its way to this one's list; null: there is none. No two locks at once: `listed` keeps whoever frees a slot of it meanwhile
// from listing it.
HandleChunk* HandleTable::move_chunk(HandleOwner& owner, HandleKind kind, u32 stripe) {
  for (u32 i = 1; i < kHandleStripes; i++) {
    const u32 other = (stripe + i) % kHandleStripes;
    Locked<SpinLock> guard(stripes_[other].lock);
    HandleChunk*& roomy = owner.roomy[other][usize(kind)];
    HandleChunk* chunk = roomy;
    if (chunk == nullptr || chunk->next_free == nullptr) continue;
    roomy = chunk->next_free;
    chunk->stripe.store_release(u8(stripe));
    return chunk;
  }
  return nullptr;
}

Handle HandleTable::take_slot(HandleChunk& chunk, Ref ref, word extra) {
  u32 index = 0;
  for (u32 w = 0; w < HandleChunk::kBitWords; w++) {
    u64 free = ~chunk.bits[w].load_relaxed();
    if (free == 0) continue;
    index = w * 64 + u32(__builtin_ctzll(free));
    break;
  }
  GARNER_CHECK(index < chunk.capacity, "handle chunk count is wrong");
  word* slot = chunk.slot(index);
  if (chunk.stride == 16) __atomic_store_n(slot + 1, extra, __ATOMIC_RELAXED);
  chunk.youngest.store_relaxed(0);
  __atomic_store_n(slot, ref.at, __ATOMIC_RELEASE);
  chunk.bits[index / 64].store_relaxed(chunk.bits[index / 64].load_relaxed() | u64(1) << (index % 64)); // written under the lock only
  chunk.used++;
  return slot;
}

Handle HandleTable::create(HandleOwner& owner, HandleKind kind, Ref ref, word extra, u32 processor) {
  const u32 mine = processor % kHandleStripes;
  Stripe& stripe = stripes_[mine];
  HandleChunk*& roomy = owner.roomy[mine][usize(kind)];
  HandleChunk* fresh = nullptr;
  while (true) {
    {
      Locked<SpinLock> guard(stripe.lock);
      if (fresh != nullptr) fresh->next_free = roomy, roomy = fresh;
      if (HandleChunk* chunk = roomy; chunk != nullptr) {
        Handle slot = take_slot(*chunk, ref, extra);
        stripe.in_use.store_relaxed(stripe.in_use.load_relaxed() + 1); // written under the lock only
        if (chunk->used == chunk->capacity) {
          roomy = chunk->next_free;
          chunk->next_free = nullptr;
          chunk->listed = false;
        }
        return slot;
      }
    }
    fresh = move_chunk(owner, kind, mine);
    if (fresh == nullptr) fresh = add_chunk(owner, kind, mine);
    if (fresh == nullptr) return nullptr;
  }
}

void HandleTable::destroy(Handle handle) {
  HandleChunk* chunk = chunk_of(handle);
  u8 mine = chunk->stripe.load_relaxed();
  for (stripes_[mine].lock.lock(); chunk->stripe.load_acquire() != mine; stripes_[mine].lock.lock()) { // it has moved
    stripes_[mine].lock.unlock();
    mine = chunk->stripe.load_relaxed();
  }
  Stripe& stripe = stripes_[mine];
  u32 index = u32((word(handle) - word(chunk->slot(0))) / chunk->stride);
  u64 bit = u64(1) << (index % 64), bits = chunk->bits[index / 64].load_relaxed();
  if ((bits & bit) != 0) { // else freed twice by the program: the second one changes nothing
    if (chunk->stride == 16) __atomic_store_n(handle + 1, word(0), __ATOMIC_RELAXED);
    __atomic_store_n(handle, word(0), __ATOMIC_RELAXED);
    chunk->bits[index / 64].store_relaxed(bits & ~bit);
    stripe.in_use.store_relaxed(stripe.in_use.load_relaxed() - 1);
    chunk->used--;
    if (!chunk->listed) {
      HandleChunk*& roomy = chunk->owner->roomy[mine][usize(chunk->kind)];
      chunk->next_free = roomy;
      chunk->listed = true;
      roomy = chunk;
    }
  }
  stripe.lock.unlock();
}

void HandleTable::lock_all() {
  for (Stripe& stripe : stripes_) stripe.lock.lock();
  growth_.lock();
}

void HandleTable::unlock_all() {
  growth_.unlock();
  for (Stripe& stripe : stripes_) stripe.lock.unlock();
}

void HandleTable::uproot(HandleOwner& owner) {
  lock_all();
  for (usize k = 0; k < kHandleKinds; k++)
    for (u32 i = 0; i < chunks(HandleKind(k)); i++) {
      HandleChunk* chunk = lists_[k][i];
      if (chunk->owner != &owner) continue;
      chunk->each([&](word* slot) {
        __atomic_store_n(slot, word(0), __ATOMIC_RELAXED); // a collection that is updating it compares before it swaps
        if (chunk->stride == 16) __atomic_store_n(slot + 1, word(0), __ATOMIC_RELAXED);
      });
    }
  unlock_all();
}

void HandleTable::destroy_all(HandleOwner& owner) {
  // The chunks stay in their lists, emptied, and wait with those of the dead for the next store that needs one.
  lock_all();
  for (usize k = 0; k < kHandleKinds; k++) {
    for (u32 i = 0; i < counts_[k].load_relaxed(); i++) {
      HandleChunk* chunk = lists_[k][i];
      if (chunk->owner != &owner) continue;
      for (u32 w = 0; w < HandleChunk::kBitWords; w++) chunk->bits[w].store_relaxed(0);
      stripes_[0].in_use.fetch_sub_relaxed(chunk->used);
      chunk->used = 0;
      chunk->owner = nullptr;
      chunk->listed = true;
      chunk->next_free = dead_[k];
      dead_[k] = chunk;
    }
    for (auto& roomy : owner.roomy) roomy[k] = nullptr;
  }
  unlock_all();
}

void HandleTable::store(Handle handle, Ref ref) {
  chunk_of(handle)->youngest.store_relaxed(0);
  __atomic_store_n(handle, ref.at, __ATOMIC_RELEASE);
}

bool HandleTable::compare_exchange(Handle handle, Ref& expected, Ref ref) {
  chunk_of(handle)->youngest.store_relaxed(0);
  return __atomic_compare_exchange_n(handle, &expected.at, ref.at, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void HandleTable::set_extra(Handle handle, word extra) {
  if (!handle_has_extra(chunk_of(handle)->kind)) return;
  chunk_of(handle)->youngest.store_relaxed(0);
  __atomic_store_n(handle + 1, extra, __ATOMIC_RELEASE);
}

} // namespace garner
