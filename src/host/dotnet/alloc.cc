// Allocation for a .NET program: buffers for the compiled fast path, large and pinned objects, and what to do when memory is short.
//
// A buffer is [begin, end): all zero when handed out, but for its last word (see next_of_buffer), published as alloc_ptr = begin + 8 and alloc_limit = end - 16, so that the last
// object ends at least 24 bytes before the end and a filler always fits. The compiled path never checks for large objects; buffers
// stay below the large threshold for that reason.
// When a request fails: collect (young, or full when due), then full, then full with everything compacted; then, while objects wait to be finalized, a little of what is kept back, once for each thread;
// once they have been, that again; then pages of its own for the object, and of what is kept back a quarter; then null, which the runtime turns into OutOfMemoryException. Every step is skipped when another thread has collected meanwhile, and comes later when others were faster (Attempts).
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

constexpr usize kTailBytes = 2 * kWordBytes; // from alloc_limit to the buffer's end
// A thread's first buffers are small, so that many idle threads cost little: alloc_count tells how often they have doubled, and nothing else asks for it.
constexpr usize kFirstBuffer = 8 * KiB;
constexpr int kDoublings = 8;

word buffer_end(const clr::gc_alloc_context* context) { return word(context->alloc_limit) + kTailBytes; }

// A batch of holes (Space::Batch): the last word of an open buffer, which no object reaches, tells where the next hole begins, 0: there is none. That is a filler, and the first word
// behind what tells its size tells the one after it. Who closes a buffer and forgets the word loses nothing: they stay fillers until the next collection.
word next_of_buffer(const clr::gc_alloc_context* context) { return buffer_end(context) - kWordBytes; }
word next_of_hole(word hole) { return hole + kMinObjectBytes; }

} // namespace

void DotNet::close_context(clr::gc_alloc_context* context, bool thread_dies) {
  if (const u64 unused = close_buffer(context, thread_dies); unused != 0) count_allocated(0 - unused);
}

void DotNet::close_contexts() {
  ee->GcEnumAllocContexts([](clr::gc_alloc_context* context, void* self) { static_cast<DotNet*>(self)->close_context(context, false); }, this);
}

// Returns what total_allocated() counts too much then. Of a dying thread's buffer that is nothing: the runtime books its rest.
u64 DotNet::close_buffer(clr::gc_alloc_context* context, bool thread_dies) {
  if (context->alloc_ptr == nullptr) return 0;
  const i64 rest = thread_dies ? 0 : context->alloc_limit - context->alloc_ptr;
  context->alloc_bytes -= rest;
  const word begin = word(context->alloc_ptr) - kHeadBytes;
  fill(begin, buffer_end(context) - begin);
  context->alloc_ptr = context->alloc_limit = nullptr;
  return u64(rest);
}

clr::Object* DotNet::allocate(clr::gc_alloc_context* context, usize bytes, u32 flags) {
  bytes = align_up(max_of(bytes, kMinObjectBytes), kWordBytes);
  if (GARNER_UNLIKELY((flags & clr::kAllocFinalize) != 0)) return allocate_finalizable(context, bytes, flags);
  if ((flags & clr::kAllocUserOldHeap) != 0 || bytes > most_small()) return allocate_large(context, bytes, flags);
  return allocate_small(context, bytes, flags);
}

// For a longer list a collection may have to find room, which would move the object: it is dropped then, and there is another. Only when nothing is left does a thread that may have of what
// is kept back have a page of it for the list.
clr::Object* DotNet::allocate_finalizable(clr::gc_alloc_context* context, usize bytes, u32 flags) {
  for (u32 attempt = 0;; attempt++) {
    const u64 seen = cycle->count();
    clr::Object* object = allocate(context, bytes, flags & ~clr::kAllocFinalize);
    if (object == nullptr || add_finalizable(object, Reach::ordinary)) return object;
    if (const usize left = part(context) & ~kLent; attempt >= Attempts::kMost && left != 0 && add_finalizable(object, Reach::all)) {
      set_part(context, left - min_of(left, kPageBytes));
      return object;
    }
    fill(word(object) - kHeadBytes, bytes);
    if (!relieve(attempt, Cause::eden_full, seen, bytes, context)) return out_of_memory(context, bytes);
  }
}

// Reach::all is for who holds on to the object by its address, or has come to the end: as little as will do, and of what is kept back.
bool DotNet::add_finalizable(clr::Object* object, Reach reach) {
  const u32 generation = min_of(generation_of({word(object)}), 2u);
  if (GARNER_LIKELY(finalize_queue.add(generation, {word(object)}))) return true;
  Locked<Mutex> guard(growing_); // one grows it for all who wait
  while (!finalize_queue.add(generation, {word(object)}))
    if (!make_places(reach)) return false;
  return true;
}

bool DotNet::make_places(Reach reach) {
  using Growth = FinalizeQueue::Growth;
  // What a region without collections was promised of a limit is not given up for places that will do for a while.
  const bool promised = no_gc_near() && heap().budget().limit() != 0;
  if (!promised && grow_finalizers(Growth::ample, Reach::ordinary)) return true;
  if (grow_finalizers(Growth::page, Reach::ordinary)) return true;
  if (reach == Reach::all) return grow_finalizers(Growth::page, reach) || grow_finalizers(Growth::least, reach);
  // A finalizer makes another: the place of the one that was taken is free.
  return machine.thread() == finalizing_.load_relaxed() && finalize_queue.growth(Growth::least) == 0 && grow_finalizers(Growth::least, reach);
}

bool DotNet::grow_finalizers(FinalizeQueue::Growth growth, Reach reach) {
  const usize bytes = finalize_queue.growth(growth);
  if (bytes != 0 && !heap().lend(bytes, reach)) return false;
  const bool grown = finalize_queue.grow(growth, bytes);
  if (bytes != 0) heap().lent(bytes);
  return grown;
}

clr::Object* DotNet::allocate_small(clr::gc_alloc_context* context, usize bytes, u32 flags) {
  maybe_stress();
  usize most = settings.bytes(Opt::tlab);
  for (Attempts tries;;) {
    // The context first: the runtime also comes here to sample allocations, with room left.
    if (context->alloc_ptr != nullptr && usize(context->alloc_limit - context->alloc_ptr) >= bytes) {
      clr::Object* object = reinterpret_cast<clr::Object*>(context->alloc_ptr);
      context->alloc_ptr += bytes;
      return object;
    }
    u64 seen = cycle->count();
    const usize rest = context->alloc_ptr != nullptr ? usize(context->alloc_limit - context->alloc_ptr) : 0;
    if (bytes > most / 2 || rest > most / 8) { // alone, so that a rest is not lost: the new buffer's, or what this one has left for smaller ones
      Range range = bytes <= most / 2 || leaves_reserve(bytes, 64) ? take_eden(bytes, bytes) : Range{};
      if (range.begin != 0) {
        if (!range.zeroed) {
          if ((flags & clr::kAllocZeroingOptional) == 0) {
            memset(reinterpret_cast<void*>(range.begin), 0, bytes);
          } else { // header, type word, length, and the padding of the last word
            memset(reinterpret_cast<void*>(range.begin), 0, 3 * kWordBytes);
            store_word(range.end - kWordBytes, 0);
          }
        }
        context->alloc_bytes += i64(bytes);
        clr::Object* object = reinterpret_cast<clr::Object*>(range.begin + kHeadBytes);
        account(context, bytes, 0, object, bytes);
        return object;
      }
    } else {
      if (clr::Object* object = from_buffer(context, bytes); object != nullptr) return object;
    }
    if (clr::Object* object = from_reserve(context, bytes); object != nullptr) return object;
    if (!relieve(tries.next(cycle->spaces().eden.given_out(machine.current_node())), Cause::eden_full, seen, bytes, context)) {
      return place_last(context, bytes, false);
    }
  }
}

// A new buffer, or one of the batch that there is: then no word is touched that other threads write, too.
clr::Object* DotNet::from_buffer(clr::gc_alloc_context* context, usize bytes) {
  const usize want = min_of<usize>(settings.bytes(Opt::tlab), kFirstBuffer << context->alloc_count), least = bytes + kMinObjectBytes;
  word next = context->alloc_ptr == nullptr ? 0 : load_word(next_of_buffer(context));
  Range range = take_from_batch(next, least);
  if (range.begin == 0) {
    Space<Linux>::Batch batch;
    range = cycle->spaces().eden.take(least, max_of(want, least), machine.current_node(), next == 0 ? &batch : nullptr); // it keeps the one it has
    if (range.begin == 0) return nullptr;
    for (u32 i = batch.count; i-- > 0; next = batch.ranges[i].begin) {
      fill(batch.ranges[i].begin, batch.ranges[i].bytes());
      store_word(next_of_hole(batch.ranges[i].begin), next);
    }
  }
  const u64 unused = close_buffer(context, false);
  if (!range.zeroed) memset(reinterpret_cast<void*>(range.begin), 0, range.bytes());
  context->alloc_ptr = reinterpret_cast<u8*>(range.begin + kHeadBytes);
  context->alloc_limit = reinterpret_cast<u8*>(range.end - kTailBytes);
  if (context->alloc_count < kDoublings) context->alloc_count++;
  if (part(context) != 0) give_up_part(context);
  if (next != 0) {
    store_word(next_of_buffer(context), next);
    __builtin_prefetch(reinterpret_cast<void*>(next), 1);
  }
  const usize given = usize(context->alloc_limit - context->alloc_ptr);
  context->alloc_bytes += i64(given);
  clr::Object* object = reinterpret_cast<clr::Object*>(context->alloc_ptr);
  context->alloc_ptr += bytes;
  account(context, given, 0, object, bytes, unused);
  return object;
}

// The first of those that `next` leads to with room for `least` bytes; it leads to the others then.
Range DotNet::take_from_batch(word& next, usize least) {
  for (word before = 0, hole = next; hole != 0; before = hole, hole = load_word(next_of_hole(hole))) {
    const usize bytes = size({hole + kHeadBytes});
    if (bytes < least) continue;
    const word after = load_word(next_of_hole(hole));
    if (before == 0) next = after;
    else store_word(next_of_hole(before), after);
    return {hole, hole + bytes, false};
  }
  return {};
}

Range DotNet::take_eden(usize least, usize want) { return cycle->spaces().eden.take(least, want, machine.current_node()); }

clr::Object* DotNet::allocate_large(clr::gc_alloc_context* context, usize bytes, u32 flags) {
  maybe_stress();
  bool pinned = (flags & clr::kAllocPinnedHeap) != 0;
  bool zero = (flags & clr::kAllocZeroingOptional) == 0;
  struct Left { // by edens, while this thread waits for what a full collection has found
    TheCycle& cycle;
    u64 bytes = 0;
    void ask(u64 n) {
      if (bytes == 0) cycle.leave(bytes = n);
    }
    ~Left() {
      if (bytes != 0) cycle.take_back(bytes);
    }
  } left{*cycle};
  for (u32 attempt = 0;; attempt++) {
    u64 seen = cycle->count();
    if (const u32 region = no_gc_region(); GARNER_UNLIKELY(region != 0) && total_allocated() - no_gc_start_allocated_ + bytes > no_gc_most_) end_region(region, NoGc::exceeded);
    bool due = attempt == 0 && !no_gc_near() && large_due(bytes) && !marked_beside(seen, bytes);
    if (!due) {
      word block = 0;
      if (pinned && bytes <= most_small()) {
        Range range = cycle->spaces().pinned.take(bytes, bytes, machine.current_node());
        block = range.begin;
        if (block != 0 && !range.zeroed) memset(reinterpret_cast<void*>(block), 0, bytes);
      } else {
        block = take_run(bytes, zero, pinned, Reach::ordinary);
      }
      if (block != 0) return grown_old(context, block, bytes, pinned, (flags & clr::kAllocUserOldHeap) != 0);
    }
    if (clr::Object* object = pinned ? nullptr : from_reserve(context, bytes); object != nullptr) return object;
    if (attempt != 0) left.ask(bytes + kept_from(32));
    // Only a full collection frees large objects.
    if (!relieve(attempt, Cause::large_budget, seen, bytes, nullptr)) {
      return bytes <= most_small() ? place_last(context, bytes, pinned) : out_of_memory(context, bytes);
    }
  }
}

// The block of an object that has regions of its own; 0 when there is no memory.
word DotNet::take_run(usize bytes, bool zero, bool pinned, Reach reach) {
  u32 region = leaves_reserve(bytes, 32) ? heap().take_large(bytes, zero, pinned, cycle->spaces().old.home(machine.current_node()), reach) : kNoRegion;
  return region == kNoRegion ? 0 : heap().begin_of(region);
}

// told: the runtime has asked for old space, so its barrier sees to the type word too, where that leads to a loader that may be younger, or unmarked. Else that is done here; nobody
// looks before the runtime has written the word.
clr::Object* DotNet::grown_old(clr::gc_alloc_context* context, word block, usize bytes, bool pinned, bool told) {
  heap().born_old(block, bytes);
  if (!told) {
    heap().mark_card(block + kHeadBytes);
    if (heap().marking()) heap().written().note(block + kHeadBytes);
  }
  cycle->grew_old(bytes);
  note_approach();
  context->alloc_bytes_uoh += i64(bytes);
  clr::Object* object = reinterpret_cast<clr::Object*>(block + kHeadBytes);
  account(context, bytes, pinned ? 2 : 1, object, bytes);
  return object;
}

// Pins may have left holes in every region and none of them large enough, while pages are left that make no whole region.
clr::Object* DotNet::place_last(clr::gc_alloc_context* context, usize bytes, bool pinned) {
  word block = take_run(bytes, true, pinned, Reach::quarter);
  return block != 0 ? grown_old(context, block, bytes, pinned, pinned) : out_of_memory(context, bytes);
}

// The runtime throws now. This thread, and only it, may have a little of what is kept back, for the exception and those who catch it.
clr::Object* DotNet::out_of_memory(clr::gc_alloc_context* context, usize bytes) {
  cycle->emitter().emit(EventId::out_of_memory, OutOfMemory{bytes, heap().budget().committed(), heap().budget().limit()});
  set_part(context, kThrowingBytes);
  return nullptr;
}

// How much of what is kept back this thread may still have (a multiple of 8) | kLent if it has once been lent some of it, which it keeps until it ends.
word DotNet::part(const clr::gc_alloc_context* context) { return reinterpret_cast<word>(context->gc_reserved_1); }
void DotNet::set_part(clr::gc_alloc_context* context, usize bytes) { context->gc_reserved_1 = reinterpret_cast<void*>((part(context) & kLent) | bytes); }

// There is memory again: what is left of its part stays with those who have none. But not what was lent, which it gets once, and has where it next finds no buffer: this one may be the last for a while.
// No collection comes first: behind it the region that it lies in is the program's, and each such thread would take another of what is kept back.
void DotNet::give_up_part(clr::gc_alloc_context* context) { set_part(context, (part(context) & kLent) != 0 ? min_of(part(context) & ~kLent, kWaitingBytes) : 0); }

clr::Object* DotNet::from_reserve(clr::gc_alloc_context* context, usize bytes) {
  const usize left = part(context) & ~kLent;
  if (GARNER_LIKELY(left < bytes)) return nullptr;
  Range range = cycle->spaces().last_resort.take(bytes, bytes);
  if (range.begin == 0) return nullptr;
  set_part(context, left - bytes);
  if (!range.zeroed) memset(reinterpret_cast<void*>(range.begin), 0, bytes);
  context->alloc_bytes += i64(bytes);
  clr::Object* object = reinterpret_cast<clr::Object*>(range.begin + kHeadBytes);
  account(context, bytes, 0, object, bytes);
  return object;
}

// The larger an object, the less it may take of the last memory: threads that allocate little must go on. `share`: a 32nd or a 64th of the
// limit stays. Without a limit an object may be as large as memory and swap: pages that nobody touches cost nothing, so that several such
// objects may be larger than the machine, as on stock; what is touched beyond it is the system's to refuse.
bool DotNet::leaves_reserve(usize bytes, u32 share) {
  u64 limit = heap().budget().limit();
  if (limit == 0) return bytes <= stock.total_memory + stock.swap;
  return heap().budget().room() + heap().free_charged() + cycle->spaces().eden.hole_bytes() >= bytes + kept_from(share);
}

u64 DotNet::kept_from(u32 share) {
  return no_gc_active() ? 0 : min_of<u64>(heap().budget().limit() / share, 256 / share * heap().region_bytes()); // what a region without collections was promised is its own
}

// Whether a full collection comes before this large object. GCLatencyMode.LowLatency holds it back but for lack of memory.
bool DotNet::large_due(usize bytes) {
  bool held = latency_mode.load_relaxed() == i32(clr::LatencyMode::low_latency);
  return (!held && cycle->pace().large_due(cycle->old_bytes(), bytes)) || beyond_memory(bytes);
}

// A large object that is due finds that old space is being marked beside the program, or begins or ends that, instead of a collection that stops it for as long.
bool DotNet::marked_beside(u64 seen, usize bytes) {
  if (GARNER_LIKELY(!cycle->marks_beside()) || beyond_memory(bytes)) return false;
  // Not `bytes` more: they are no sign that marking is too slow, and a stop would not make them fewer. Where it is, the last pause marks what is left, which is less than everything.
  const bool marking = cycle->marking();
  if (!marking && !(begins_beside() && cycle->prefers_beside(bytes))) return false;
  if (!marking && cycle->waits_to_move()) return true;
  if (marking && cycle->awaits() != Awaits::last_pause && !cycle->pace().overdue(cycle->old_bytes())) return true;
  Request request;
  request.seen = seen;
  request.optional = true;
  request.cause = Cause::large_budget;
  request.begin_marking = true;
  cycle->collect(request);
  return true;
}

// Without a limit: the heap would outgrow the machine, so dead objects must go first. Not at every object: what stays may be untouched.
bool DotNet::beyond_memory(usize bytes) {
  if (GARNER_LIKELY(heap().budget().limit() != 0 || heap().budget().charged() + bytes <= stock.total_memory)) return false;
  return cycle->old_bytes() + bytes > last_full().end.heap_after + stock.total_memory / 16;
}

// One step against a lack of memory. False when there is none left. Behind the first any other thread's collection will not do: only one that looks at all that lives, and began after this
// thread was given nothing, tells that there is none.
bool DotNet::relieve(u32 attempt, Cause cause, u64 seen, usize bytes, clr::gc_alloc_context* context) {
  if (attempt >= Attempts::kMost) return attempt == Attempts::kMost && finalizers_give(bytes, context);
  if (const u32 region = no_gc_region(); region != 0) end_region(region, NoGc::exceeded); // the promise was for less than this
  Request request;
  request.seen = seen;
  request.optional = attempt == 0;
  request.shared = attempt != 0;
  request.cause = attempt == 0 || cause == Cause::large_budget ? cause : Cause::memory_limit;
  request.kind = attempt == 0 && cause != Cause::large_budget ? Kind::young1 : Kind::full;
  request.compact_all = attempt >= 2;
  request.may_mark = !cycle->marks_beside() || begins_beside(); // GCLatencyMode.Batch: an old collection that is due stops the program
  // GCLatencyMode.LowLatency: no full collection but for lack of memory (then attempt is not 0).
  request.may_widen = latency_mode.load_relaxed() != i32(clr::LatencyMode::low_latency);
  cycle->collect(request);
  return true;
}

clr::Object* DotNet::next_finalizable() {
  if (finalizing_.load_relaxed() == 0) finalizing_.store_relaxed(machine.thread());
  return object(finalize_queue.next_ready());
}

// The collections before have come within milliseconds, and what waits to be finalized, or is being, is kept by each of them: so its thread is given time, as long as it gets on with
// that, and then what it has let go of is collected. False where nothing waits, nothing comes of it (this thread may hold what a finalizer waits for), or nothing can.
// Who asks for little (context: not null) has that first, without waiting: what runs finalizers allocates before the first of them, and no call tells whose thread that is. A thread has
// it once: the region it lies in is the program's after the next collection, so a thread that came again would get all that is kept back for throwing, a region a time.
bool DotNet::finalizers_give(usize bytes, clr::gc_alloc_context* context) {
  constexpr u32 kLooks = 500, kInVain = 50; // ms
  const u64 limit = heap().budget().limit();
  if (bytes > (limit != 0 ? limit : stock.total_memory + stock.swap) || machine.thread() == finalizing_.load_relaxed()) return false;
  auto look = [&] { // no collection is going on
    enter();
    const auto seen = finalize_queue.progress();
    leave();
    return seen;
  };
  Atomic<u32> nobody{0}; // wakes this thread
  const bool cooperative = ee->EnablePreemptiveGC();
  auto now = look();
  const bool lends = context != nullptr && now.waiting != 0 && bytes <= kWaitingBytes && part(context) == 0 && heap().budget().half_kept();
  for (u32 looks = 0, in_vain = 0; !lends && looks < kLooks && in_vain < kInVain && now.waiting != 0; looks++) {
    futex_wait_until(nobody, 0, machine.now() + 1'000'000);
    const u64 before = now.ended;
    now = look();
    in_vain = now.ended != before ? 0 : in_vain + 1;
  }
  if (cooperative) ee->DisablePreemptiveGC();
  if (lends) {
    context->gc_reserved_1 = reinterpret_cast<void*>(kWaitingBytes | kLent);
    return true;
  }
  return now.ended != ended_before_full_ && relieve(Attempts::kMost - 1, Cause::memory_limit, cycle->count(), bytes, nullptr);
}

// Exact at any stop of the world, as what is left of each open buffer is known. Programs allocate on all processors, so each counts for itself.
void DotNet::count_allocated(u64 bytes) { total_allocated_[machine.processor() % kCounters].bytes.fetch_add_relaxed(bytes); }

u64 DotNet::total_allocated() const {
  u64 all = 0;
  for (const Counter& each : total_allocated_) all += each.bytes.load_relaxed();
  return all;
}

// unused: bytes that were counted before, and are not handed out after all.
void DotNet::account(clr::gc_alloc_context* context, usize bytes, u32 kind, clr::Object* object, usize object_bytes, u64 unused) {
  recording.note(context, word(object) - kHeadBytes, bytes);
  count_allocated(bytes - unused);
  if (GARNER_UNLIKELY(no_gc_callback_at_.load_relaxed() != 0 && total_allocated() >= no_gc_callback_at_.load_relaxed())) reach_callback();
  if (GARNER_LIKELY(!wants(clr::EventKeyword::gc, clr::EventLevel::verbose))) return;
  if (const u64 since = ticks_[kind].add(bytes); since != 0) ee->EventSink()->FireGCAllocationTick_V4(since, kind, 0, object, object_bytes);
}

void DotNet::maybe_stress() {
  u32 every = u32(settings.get(Opt::stress_every));
  if (GARNER_LIKELY(every == 0)) return;
  u32 n = refills_.fetch_add_relaxed(1) + 1;
  if (n % every != 0) return;
  // Whoever waits here while a region without collections begins is served by the collection that begins it: `seen` comes first, and a start is seen until its region is.
  Request request;
  request.seen = cycle->count();
  request.optional = true;
  if (no_gc_near()) return;
  request.cause = Cause::stress;
  request.may_widen = false;
  request.begin_marking = n / every % 4 == 0; // where marking may run beside the program; a later collection ends it
  switch (settings.as<StressKind>(Opt::stress_kind)) {
    case StressKind::young: request.kind = Kind::young1; break;
    case StressKind::full: request.kind = Kind::full; break;
    case StressKind::mixed: {
      u64 dice = mix64(n + u64(settings.get(Opt::seed)) * 0x10001) % 8;
      request.kind = dice == 0 ? Kind::full : dice < 3 ? Kind::young0 : Kind::young1;
      request.compact_all = mix64(n) % 2 == 0;
      break;
    }
  }
  cycle->collect(request);
}

} // namespace garner::dotnet
