// Evacuation: where roots go, and references whose object another node's workers must copy (evacuation.h). N23; T1 to T9, T16.
//
// A queue entry is an address and three bits, and above them the number of a part. Deques hold slots and parts; the queues of nodes hold anything a root can be:
//   slot     a word that holds a reference; with kCheckCard it lies in a region that may be older than its object
//   record   a RootRecord: its slot gets object and offset
//   handle   a slot of the handle table, which its owner may zero meanwhile
//   holder   an object with an edge that has no slot (Host::hidden_edge)
//   part     some of the slots of a copy that has many (evacuation.ipp, push_parts), with kCheckCard as above; never posted, as it leads to no object
// Whoever performs an entry owns that word alone until the phase ends: it was found once and handed on once.
//
// scheme=org      a root is processed where it is found: T1. No queue of a node is used, unless spaces are segregated.
// other schemes   every root is posted to a node, and whoever takes it there follows it to its end: T2, T3. Interior references stay in deques.
// segregated      whoever is about to perform an entry whose object lies on a node served by others posts it there instead: a scan request.
#pragma once
#include "collect/evacuate/evacuation.h"

namespace garner {

// ---- performing entries of a phase that shares work out by node ----

template <class H, class M> Ref Evacuation<H, M>::target_of(Self& self, u64 entry) {
  word at = entry & ~kEntryBits;
  switch (entry & kKindBits) {
    case kRecordEntry: return reinterpret_cast<RootRecord*>(at)->object;
    case kHandleEntry: return {__atomic_load_n(reinterpret_cast<word*>(at), __ATOMIC_RELAXED)};
    case kHolderEntry: return host_.hidden_edge({at});
    default: return self.load(Slot{at});
  }
}

// Only workers of its node may copy it, and this is none of them. Objects of a node on which nobody works are anybody's (T14).
template <class H, class M> bool Evacuation<H, M>::foreign(Self& self, Ref ref) const {
  if (heap_.cset_of(ref.at) == 0 || (segregated_ >> heap_.label_of(ref) & 1) == 0) return false;
  u8 home = heap_.home(heap_.index_of(ref));
  return home < kMostNodes && !gang_.serves(self, home);
}

template <class H, class M> void Evacuation<H, M>::perform(Self& self, Worker& w, u64 entry) {
  if (segregated_ != 0 && gang_.parted())
    if (Ref ref = target_of(self, entry); foreign(self, ref)) return gang_.post(self, Mail::request, heap_.home(heap_.index_of(ref)), entry);
  word at = entry & ~kEntryBits;
  switch (entry & kKindBits) {
    case kRecordEntry: return update_root(self, w, *reinterpret_cast<RootRecord*>(at));
    case kHandleEntry: return update_handle(self, w, reinterpret_cast<word*>(at));
    case kHolderEntry: return hidden(self, w, {at});
    default: return follow(self, w, entry);
  }
}

// drain() for entries of every kind, and, when that is asked for, counted by node (N27).
template <class H, class M> void Evacuation<H, M>::drain_slowly(Self& self) {
  auto& queue = gang_.queue(self.index);
  Worker& w = workers_[self.index];
  for (u64 entry, due;;) {
    if (queue.pop(entry)) {
      if (GARNER_UNLIKELY(is_part(entry))) {
        open_part(self, w, entry);
        continue;
      }
      ask_for(self, target_of(self, entry));
      if (!w.ahead.pass(entry, due)) continue;
    } else if (!w.ahead.rest(due)) {
      return;
    }
    if (GARNER_UNLIKELY(counting_)) count_around(self, w, due);
    else perform(self, w, due);
  }
}

template <class H, class M> void Evacuation<H, M>::update_handle(Self& self, Worker& w, word* slot) {
  Ref ref{__atomic_load_n(slot, __ATOMIC_RELAXED)};
  u8 c = heap_.cset_of(ref.at);
  if (c == 0) return;
  Ref now = evacuate(self, w, ref, c);
  word expected = ref.at; // its owner may have zeroed it meanwhile: then it stays so
  __atomic_compare_exchange_n(slot, &expected, now.at, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// ---- handing roots out ----

// A root that leads to `ref`, in a phase that shares work out. `old`: found on a card (T9).
template <class H, class M> void Evacuation<H, M>::found(Self& self, Worker& w, u64 entry, Ref ref, bool old) {
  if (scheme_ == Scheme::org) return perform(self, w, entry);
  u32 nodes = gang_.nodes();
  if (scheme_ != Scheme::aggressive || (old && old_roots_ == OldRoots::random)) // T8: no lookup; T9
    return gang_.post(self, Mail::root, u32(self.random.below(nodes)), entry);
  w.lookups++;
  u8 home = kNoNode;
  switch (lookup_) {
    case NodeLookup::address:
      home = heap_.node_at(block_of(ref));
      if (home < kMostNodes || nodes == 1) break;
      [[fallthrough]]; // first touch decided: the address does not tell
    case NodeLookup::cache: home = heap_.page_nodes().node(block_of(ref), w.lookup_calls); break;
    case NodeLookup::syscall:
      w.asking[w.asking_count++] = {entry, block_of(ref)};
      if (w.asking_count >= lookup_batch_) ask(self, w);
      return;
  }
  send_home(self, entry, home);
}

template <class H, class M> void Evacuation<H, M>::send_home(Self& self, u64 entry, u8 home) {
  u32 nodes = gang_.nodes();
  gang_.post(self, Mail::root, home < nodes ? home : u32(self.random.below(nodes)), entry); // nobody knows: any node
}

// One system call for all roots that wait for an answer.
template <class H, class M> void Evacuation<H, M>::ask(Self& self, Worker& w) {
  if (w.asking_count == 0) return;
  word pages[Worker::kAskingMost];
  u8 nodes[Worker::kAskingMost];
  for (u32 i = 0; i < w.asking_count; i++) pages[i] = w.asking[i].at;
  heap_.machine().ask_nodes(pages, w.asking_count, nodes);
  w.lookup_calls++;
  for (u32 i = 0; i < w.asking_count; i++) send_home(self, w.asking[i].entry, nodes[i]);
  w.asking_count = 0;
}

// A slot of an object that stays, or a word of the collector's: its reference is a root.
template <class H, class M> void Evacuation<H, M>::found_slot(Self& self, Worker& w, word at, u64 check) {
  Ref ref{load_word(at)};
  if (heap_.cset_of(ref.at) != 0) found(self, w, at | check, ref, false);
}

// The generation that an object of the collection set will be in at least.
template <class H, class M> u32 Evacuation<H, M>::generation_to_be(u8 c) const {
  return eden_kept_ ? 0 : u32(c - 1) == kOldClass ? 2 : 1;
}

// ---- cards in a phase of their own (T16) ----

template <class H, class M> void Evacuation<H, M>::list_cards() {
  dirty_.clear();
  u32 regions = 0;
  for (u32 i = 0; i < worker_count_; i++) regions += u32(workers_[i].dirty_regions.size());
  // Few regions and many workers: stripes, so that they all find something and end together.
  u32 stripes = gang_.workers() == 1 || regions == 0 ? 1 : clamp_to(kStripedPerWorker * gang_.workers() / regions, 1u, kStripesMost);
  bool good = true;
  for (u32 i = 0; i < worker_count_; i++)
    for (u32 index : workers_[i].dirty_regions)
      for (u32 k = 0; k < stripes; k++) good = dirty_.push({index, u16(k), u16(stripes)}) && good;
  GARNER_CHECK(good, "no memory for the list of tasks");
  static_assert(kStripedPerWorker <= kCardTasksPerWorker, "a stripe is a task");
  card_tasks_ = u32(div_up(dirty_.size(), clamp_to(u32(dirty_.size()) / (kCardTasksPerWorker * gang_.workers()), 1u, kRegionsPerCardTask)));
  card_bytes_ = u64(regions) * (heap_.region_bytes() / 4);
}

// Nothing moves in this phase: what is found is written down, and is handed out in the next one.
template <class H, class M> void Evacuation<H, M>::discover_task(Self& self, u32 task) {
  Worker& w = workers_[self.index];
  scan_batch(self, w, task);
}

template <class H, class M> void Evacuation<H, M>::discovered(Worker& w, u64 entry) {
  GARNER_CHECK(w.card_roots.push(entry), "no memory to record a root on a card");
}

} // namespace garner
