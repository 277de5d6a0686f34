// Timeline: what one worker did from when to when during a collection, and from whose deques it took; for the log, and only when one asks.
//
// Written by the worker itself at the gang's spots, like its statistics: from joining a phase to its last offer; the conductor closes what is
// open when the phase is over. So what orders statistics (gang.h) orders this too. One look at the clock for each change.
// Bounded: when the list is full, spans that touch each other are joined in pairs under the name of the longer. Joined spans are coarse; the
// sums of `total_ns` stay exact.
#pragma once
#include "event/event.h"
#include "work/config.h"

namespace garner {

class Timeline {
 public:
  static constexpr u32 kMost = 256; // spans

  void clear() {
    count_ = 0;
    open_ = false;
    memset(total_ns_, 0, sizeof total_ns_);
    memset(taken_from_, 0, sizeof taken_from_);
  }
  // From `now` on it does something else, or the same.
  void enter(Activity what, u64 now) {
    if (open_ && now_doing_ == what) return;
    close(now);
    open_ = true;
    now_doing_ = what;
    since_ns_ = now;
  }
  void close(u64 now) {
    if (open_ && now > since_ns_) add({now_doing_, since_ns_, now});
    open_ = false;
  }
  void took(u32 node) { taken_from_[node]++; }

  u32 count() const { return count_; }
  const Span* spans() const { return spans_; }
  const u64* total_ns() const { return total_ns_; } // by Activity
  const u64* taken_from() const { return taken_from_; } // thefts by the victim's node

 private:
  void add(Span span) {
    total_ns_[u8(span.what)] += span.end_ns - span.begin_ns;
    if (count_ == kMost) join();
    if (count_ < kMost) spans_[count_++] = span; // else all 256 stand apart: as many phases in one collection there are not
  }
  void join() {
    u32 kept = 0;
    for (u32 i = 0; i < count_; kept++) {
      Span one = spans_[i++];
      if (i < count_ && spans_[i].begin_ns == one.end_ns) {
        const Span& next = spans_[i++];
        if (next.end_ns - next.begin_ns > one.end_ns - one.begin_ns) one.what = next.what;
        one.end_ns = next.end_ns;
      }
      spans_[kept] = one;
    }
    count_ = kept;
  }

  Span spans_[kMost];
  u64 total_ns_[kActivities];
  u64 taken_from_[kNodesMost];
  u64 since_ns_;
  u32 count_;
  Activity now_doing_;
  bool open_;
};

} // namespace garner
