// Bodies of deque.h: the slow paths, and the arguments for the orders.
//
// WHY NO ENTRY IS TAKEN TWICE, lazy. The owner takes [low, end) back; a thief takes [x, x+k) by moving top from (x, tag) to (x+k, tag).
//   owner:  1. split := low                          2. CAS top (t, tag) -> (t, tag+1) (release); repeated when a thief was faster
//   thief:  3. reads top (acquire)                   4. reads split (acquire)            5. CAS top (x, tag) -> (x+k, tag)
// If 3 reads a top from after 2, 1 happens before 4, which finds low or a split published later: what is taken back is not among what the thief sees.
// If 3 reads a top from before 2, then 5 comes before 2 or fails, for 2 changes the word. When it comes before, 2 finds t = x+k: the owner keeps
// [max(low, t), end) only. Without the tag 5 would succeed after 2 whenever t is still x, with a k that was counted up to the old split (Trap::untagged_deque).
//
// WHY NO ENTRY IS TAKEN TWICE, eager. The owner takes the newest public entry x in pop_last without a CAS; a thief, one entry at a time, takes x by
// moving top from x to x+1. A compare-and-swap for each pop would take top's line from all who look at it.
//   owner:  1. split := x (seq_cst)                  2. t := top (seq_cst), t < x
//   thief:  3. reads top == x (seq_cst)              4. reads split > x (seq_cst)     5. CAS top x -> x+1 succeeds
// In 2 the owner saw top below x, so in the single order of seq_cst operations 2 stands before the CAS that made top equal x, and that
// CAS stands before 3. Hence 1 < 2 < 3 < 4, and 4 must read the split of 1 or a later one: either it is <= x and the thief gives up,
// or the owner has published index x again after taking the old entry, and 4 (acquire) sees the new one: another entry.
// With 1 as a release store the processor, x86 included, may let 2 pass it, and 4 may then read the old split: x is taken twice.
// The entry at t itself is not covered by the argument (t < x), which is why the last public entry needs the CAS on both sides.
//
// WHY NO ENTRY IS LOST. top's index moves only by CAS from t to t+k by whoever returns the entries between. bottom falls only in pop, by whoever returns
// that entry, and only below split's private side. Slots are overwritten only below top (see top_ in deque.h).
//
// Machine forms: seq_cst load is mov / ldar, seq_cst store is xchg / stlr, CAS is lock cmpxchg / casal. ldar after stlr is ordered on
// ARM as `1 before 2` asks; a weaker acquire (ldapr) would not be.
#pragma once
#include "work/deque.h"

namespace garner {

template <class M> bool Deque<M>::start(M& machine, u32 capacity, Order order) {
  GARNER_CHECK(is_power_of_two(capacity), "deque capacity");
  writes<M>(slots_) = static_cast<Entry*>(map_table(machine, usize(capacity) * sizeof(Entry)));
  if (slots_ == nullptr) return false;
  machine_ = &machine;
  mask_ = capacity - 1;
  order_ = order;
  bottom_ = mine_ = index_of(top_.load_relaxed()); // what an earlier life left
  room_ = bottom_ + capacity;
  split_.store_relaxed(mine_);           // made visible by whatever tells thieves of this worker
  spilled_ = spill_front_ = 0;
  overflows_ = 0;
  share(Share::lazy);
  return true;
}

template <class M> void Deque<M>::grow_old(u32 entries) {
  bottom_ = mine_ = entries;
  room_ = bottom_ + u32(capacity());
  top_.store_relaxed(entries);
  split_.store_relaxed(entries);
}

template <class M> void Deque<M>::stop() {
  if (slots_ == nullptr) return;
  unmap_table(*machine_, slots_, capacity() * sizeof(Entry));
  slots_ = nullptr;
  spill_.release();
  bell_ = nullptr;
  self_ = nullptr;
}

template <class M> void Deque<M>::share(Share share, u32 from) {
  from_ = from;
  kept_back_ = 0;
  share_ = order_ == Order::fifo ? Share::eager : share;
  if (u32 most = share_ == Share::eager ? 1 : ~u32(0); share_ != Share::none && most != at_once_) writes<M>(at_once_) = most;
  due_ = share_ == Share::eager ? 1 : share_ == Share::lazy ? kSoon : kNever;
}

template <class M> void Deque<M>::trim(usize keep) {
  if (reads<M>(spilled_) == 0 && spill_.capacity() * sizeof(u64) > keep) spill_.release();
}

// Asked after every push when sharing is eager, else now and then: thieves take the line of top_ away, and looking at it after each push or pop would
// make the owner wait for all of them each time.
template <class M> GARNER_COLD void Deque<M>::publish() {
  if (share_ == Share::eager) {
    due_ = 1;
    if (bottom_ != mine_) publish_now(bottom_);
    return;
  }
  if (share_ == Share::none) return void(due_ = kNever);
  due_ = kSoon;
  if (bottom_ - mine_ < 2) return;
  due_ = kLater;
  // To give one of two entries away, and to wake somebody for it, costs more than most objects: only when that has lasted.
  if (bottom_ - mine_ < from_ && ++kept_back_ < kKeptBackMost) return;
  kept_back_ = 0;
  // Not only when all is gone: thieves take half of what they see, so that of thousands of entries a few stayed, again and again, for which everybody came.
  const u32 kept = bottom_ - mine_, shown = mine_ - index_of(top_.load_relaxed()); // relaxed: a hint about our own thieves, who still have something or not
  if (shown < kept / 2) publish_now(mine_ + (kept - shown) / 2);
}

template <class M> void Deque<M>::publish_now(u32 split) {
  mine_ = split;
  if (bell_ == nullptr) return split_.store_release(split); // release: the slots below split come with it
  // Lazy publishing is rare, so it may pay for certainty: story A in bell.h. Eager publishing happens at every push; a sleeper
  // that this relaxed look misses is found by the next push.
  if (share_ == Share::eager) {
    split_.store_release(split);
    if (bell_->anyone()) bell_->ring(*self_, 1);
    return;
  }
  split_.store_seq_cst(split);
  bell_->tell(*self_, far_);
}

template <class M> void Deque<M>::push_slow(u64 entry) {
  if (spilled_ == 0) {
    room_ = index_of(top_.load_acquire()) + u32(capacity()); // pairs with steal's CAS: the reads of stolen slots are over
    if (bottom_ != room_) return put(entry);
  }
  overflows_++;
  GARNER_CHECK(spill_.push(entry), "no memory for the overflow of a worker's queue");
  writes<M>(spilled_)++;
  room_ = bottom_; // all further pushes come here until the stack is empty
  feed();
}

template <class M> bool Deque<M>::pop_slow(u64& entry) {
  if (order_ == Order::fifo) return pop_oldest(entry);
  if (spilled_ != 0) return pop_spilled(entry);
  return share_ == Share::eager ? pop_last(entry) : take_back(entry);
}

// The private part is empty: takes back the newer half of the public one and returns its newest.
template <class M> bool Deque<M>::take_back(u64& entry) {
  const u32 end = mine_;
  u64 top = top_.load_relaxed(); // relaxed: only a first guess, the compare-and-swap tells
  if (index_of(top) == end) return false;
  u32 low = end - (end - index_of(top) + 1) / 2;
  split_.store_release(low); // step 1 of the argument above; release, since a thief may find what lies below through this store
  while (i32(end - index_of(top)) > 0) {
    u64 tagged = mutated<M>(Trap::untagged_deque) ? top : top + kTag;
    if (top_.cas_acq_rel(top, tagged)) break; // step 2
  }
  if (i32(index_of(top) - low) > 0) low = index_of(top); // thieves who had seen the old split
  mine_ = low;
  split_.store_release(mine_); // likewise
  if (low == end) return false;
  bottom_ = end - 1;
  entry = reads<M>(at(bottom_)).load_relaxed();
  return true;
}

// Eager, and nothing is private: the newest public entry.
template <class M> bool Deque<M>::pop_last(u64& entry) {
  const u32 end = mine_;
  u64 top = top_.load_relaxed(); // relaxed: only a first guess
  if (index_of(top) == end) return false;
  split_.store_seq_cst(end - 1);    // step 1 of the argument above
  top = top_.load_seq_cst();        // step 2
  if (i32(end - 1 - index_of(top)) > 0) { // it lies above top: ours without a CAS
    mine_ = bottom_ = end - 1;
    entry = reads<M>(at(bottom_)).load_relaxed();
    return true;
  }
  // One entry, wanted by both sides, or none. The CAS decides; whoever loses has lost it to the other.
  bool won = false;
  if (index_of(top) == end - 1) {
    entry = guesses<M>(at(end - 1)).load_relaxed();
    won = top_.cas_seq_cst(top, past(top, 1));
    guessed<M>(won);
  }
  split_.store_release(end); // release, since a thief's acquire must find the slots through this store too
  return won;
}

template <class M> bool Deque<M>::pop_oldest(u64& entry) {
  while (true) {
    Stolen got = steal(entry);
    if (got == Stolen::got) {
      if (spilled_ != 0) feed();
      return true;
    }
    if (got == Stolen::lost) continue; // somebody else advanced
    if (spilled_ == 0) return false;
    refill(capacity());
  }
}

template <class M> bool Deque<M>::pop_spilled(u64& entry) {
  entry = spill_.back();
  spill_.pop();
  if (--writes<M>(spilled_) == 0) {
    spill_.clear();
    spill_front_ = 0;
    room_ = index_of(top_.load_acquire()) + u32(capacity()); // as in push_slow
  }
  feed();
  return true;
}

// While the owner is busy in its overflow stack, thieves live from the deque; when they see no more than half of it they get the
// rest of it, and after that the stack's older half.
template <class M> void Deque<M>::feed() {
  if (share_ == Share::none) return;
  const u32 shown = mine_ - index_of(top_.load_relaxed());
  if (bottom_ != mine_ && shown < (bottom_ - mine_) / 2 + 1) return publish_now(bottom_); // as in publish()
  if (shown == 0 && spilled_ >= 2) refill(spilled_ / 2);
}

// The deque is empty. The oldest of the overflow stack, at most `most`, become its content.
template <class M> void Deque<M>::refill(usize most) {
  u32 top = index_of(top_.load_acquire()); // as in push_slow; equals bottom_
  GARNER_ASSERT(top == bottom_);
  usize n = min_of(min_of(most, capacity()), spilled_);
  for (usize i = 0; i < n; i++) writes<M>(at(bottom_ + u32(i))).store_relaxed(spill_[spill_front_ + i]);
  bottom_ += u32(n);
  spill_front_ += n;
  spilled_ -= n;
  if (spilled_ == 0) {
    spill_.clear();
    spill_front_ = 0;
  } else if (spill_front_ >= spill_.size() / 2) { // at most as many moves as entries left before
    memmove(spill_.begin(), spill_.begin() + spill_front_, spilled_ * sizeof(u64));
    spill_.truncate(spilled_);
    spill_front_ = 0;
  }
  room_ = spilled_ == 0 ? top + u32(capacity()) : bottom_;
  publish_now(bottom_);
}

template <class M> Stolen Deque<M>::steal(u64& entry) {
  u32 taken;
  return steal(&entry, 1, taken);
}

template <class M> Stolen Deque<M>::steal(u64* entries, u32 most, u32& taken) {
  taken = 0;
  u64 top = top_.load_seq_cst();     // step 3
  u32 split = split_.load_seq_cst(); // step 4; as an acquire it pairs with the owner's stores of split and brings the slots
  const u32 first = index_of(top);
  const i32 there = i32(split - first);
  if (there <= 0) return Stolen::empty;
  reads<M>(slots_);
  const u32 many = min_of(min_of(most, reads<M>(at_once_)), (u32(there) + 1) / 2);
  const u32 straight = min_of(many, u32(capacity()) - (first & mask_)); // up to the end of the table
  guesses_all<M>(&at(first), straight * sizeof(u64)); // worthless unless the CAS succeeds
  if (straight != many) guesses_all<M>(slots_, (many - straight) * sizeof(u64));
  for (u32 i = 0; i < many; i++) entries[i] = at(first + i).load_relaxed();
  bool won = top_.cas_seq_cst(top, past(top, many)); // step 5; its release is what push_slow waits for
  guessed<M>(won);
  if (!won) return Stolen::lost;
  taken = many;
  return Stolen::got;
}

} // namespace garner
