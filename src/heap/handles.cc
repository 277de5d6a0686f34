// HandleTable: chunks mapped, linked and given back; slots created, stored to and freed (handles.h).
#include "heap/handles.h"

#include "base/check.h"

namespace garner {
// Chunks come from blocks of 64, so that a small program maps once. Null when there is no memory.
HandleChunk* HandleTable::map_chunk() {
  if (next_ == end_) {
    constexpr usize kBlock = 64 * HandleChunk::kBytes;
    next_ = word(map_own(kBlock));
    end_ = next_ == 0 ? 0 : next_ + kBlock;
    if (next_ == 0) return nullptr;
    count_list(i64(kBlock)); // it stays ours
  }
  next_ += HandleChunk::kBytes;
  return reinterpret_cast<HandleChunk*>(next_ - HandleChunk::kBytes);
}

HandleChunk* HandleTable::add_chunk(HandleOwner& owner, HandleKind kind) {
  usize k = usize(kind);
  if (HandleChunk* old = dead_.roomy[k]; old != nullptr) {
    dead_.roomy[k] = old->next_free;
    old->next_free = nullptr;
    old->owner = &owner;
    return old;
  }
  if (lists_[k] == nullptr) lists_[k] = static_cast<HandleChunk**>(map_own(kMaxChunks * sizeof(HandleChunk*)));
  u32 position = counts_[k].load_relaxed();
  if (lists_[k] == nullptr || position == kMaxChunks) return nullptr;
  HandleChunk* chunk = map_chunk();
  if (chunk == nullptr) return nullptr;
  memset(static_cast<void*>(chunk), 0, HandleChunk::kBytes);
  chunk->kind = kind;
  chunk->stride = handle_has_extra(kind) ? 16 : 8;
  chunk->capacity = u32(min_of(usize(512), (HandleChunk::kBytes - HandleChunk::kHeadBytesUsed) / chunk->stride));
  chunk->owner = &owner;
  chunk->position = position;
  lists_[k][position] = chunk;
  counts_[k].store_release(position + 1); // pairs with chunks(): the entry is written before it is counted
  return chunk;
}

Handle HandleTable::create(HandleOwner& owner, HandleKind kind, Ref ref, word extra) {
  Locked<SpinLock> guard(lock_);
  HandleChunk*& roomy = owner.roomy[usize(kind)];
  if (roomy == nullptr) {
    roomy = add_chunk(owner, kind);
    if (roomy == nullptr) return nullptr;
    roomy->listed = true;
  }
  HandleChunk* chunk = roomy;
  u32 index = 0;
  for (u32 w = 0; w < HandleChunk::kBitWords; w++) {
    u64 free = ~chunk->bits[w].load_relaxed();
    if (free == 0) continue;
    index = w * 64 + u32(__builtin_ctzll(free));
    break;
  }
  GARNER_CHECK(index < chunk->capacity, "handle chunk count is wrong");
  word* slot = chunk->slot(index);
  if (chunk->stride == 16) __atomic_store_n(slot + 1, extra, __ATOMIC_RELAXED);
  chunk->youngest.store_relaxed(0);
  __atomic_store_n(slot, ref.at, __ATOMIC_RELEASE);
  chunk->bits[index / 64].fetch_or_relaxed(u64(1) << (index % 64));
  in_use_.fetch_add_relaxed(1);
  if (++chunk->used == chunk->capacity) {
    roomy = chunk->next_free;
    chunk->next_free = nullptr;
    chunk->listed = false;
  }
  return slot;
}

void HandleTable::destroy(Handle handle) {
  HandleChunk* chunk = chunk_of(handle);
  Locked<SpinLock> guard(lock_);
  u32 index = u32((word(handle) - word(chunk->slot(0))) / chunk->stride);
  u64 bit = u64(1) << (index % 64), bits = chunk->bits[index / 64].load_relaxed();
  if ((bits & bit) == 0) return; // freed twice by the program: the second one changes nothing
  if (chunk->stride == 16) __atomic_store_n(handle + 1, word(0), __ATOMIC_RELAXED);
  __atomic_store_n(handle, word(0), __ATOMIC_RELAXED);
  chunk->bits[index / 64].store_relaxed(bits & ~bit);
  in_use_.fetch_sub_relaxed(1);
  chunk->used--;
  if (!chunk->listed) {
    HandleChunk*& roomy = chunk->owner->roomy[usize(chunk->kind)];
    chunk->next_free = roomy;
    chunk->listed = true;
    roomy = chunk;
  }
}

void HandleTable::uproot(HandleOwner& owner) {
  Locked<SpinLock> guard(lock_);
  for (usize k = 0; k < kHandleKinds; k++)
    for (u32 i = 0; i < counts_[k].load_relaxed(); i++) {
      HandleChunk* chunk = lists_[k][i];
      if (chunk->owner != &owner) continue;
      chunk->each([&](word* slot) {
        __atomic_store_n(slot, word(0), __ATOMIC_RELAXED); // a collection that is updating it compares before it swaps
        if (chunk->stride == 16) __atomic_store_n(slot + 1, word(0), __ATOMIC_RELAXED);
      });
    }
}

void HandleTable::destroy_all(HandleOwner& owner) {
  // The chunks stay in their lists, emptied, and wait with the owner of the dead for the next store that needs one.
  Locked<SpinLock> guard(lock_);
  for (usize k = 0; k < kHandleKinds; k++) {
    for (u32 i = 0; i < counts_[k].load_relaxed(); i++) {
      HandleChunk* chunk = lists_[k][i];
      if (chunk->owner != &owner) continue;
      for (u32 w = 0; w < HandleChunk::kBitWords; w++) chunk->bits[w].store_relaxed(0);
      in_use_.fetch_sub_relaxed(chunk->used);
      chunk->used = 0;
      chunk->owner = &dead_;
      chunk->listed = true;
      chunk->next_free = dead_.roomy[k];
      dead_.roomy[k] = chunk;
    }
    owner.roomy[k] = nullptr;
  }
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
