// Recording: which collections of a .NET program are recorded, into which file, and which thread allocated what (record/format.h, cycle/recorder.h).
//
// A thread is the allocation context that took a buffer. note() keeps one entry for each buffer and for each object that got memory of its own, since
// the last collection; so the thread is known for objects of eden, and for large ones not older. What has moved, and buffers beyond kNotesMost,
// have none. Off, it costs a load and a branch for each buffer.
// note() from any thread of the program; everything else with the world stopped, by the thread that runs the collection.
#pragma once
#include "base/atomic.h"
#include "host/dotnet/clr.h"
#include "options/parse.h"
#include "record/writer.h"

namespace garner::dotnet {

class Recording {
 public:
  // False when record.at is malformed or there is no memory: `trouble` says which. Off, when record.file is.
  bool init(const Settings& settings, const char*& trouble);
  GARNER_INLINE bool on() const { return notes_ != nullptr; }

  GARNER_INLINE void note(const clr::gc_alloc_context* context, word begin, usize bytes) {
    if (GARNER_UNLIKELY(notes_ != nullptr)) put_down(context, begin, bytes);
  }
  void forget() { taken_.store_relaxed(0); } // after a collection: eden is empty, or its objects lie elsewhere

  // Whether this collection is to be recorded. `heap_bytes`: in use now, garbage included; `left_bytes`: what the collection before left.
  bool wants(u64 collection, u64 heap_bytes, u64 left_bytes);
  // The file for it; valid until the next call.
  const char* path(u64 collection);
  // Of a collection that was: nothing much has come of it until keep().
  void tried(u64 heap_bytes, u64 left_bytes) {
    most_heap_ = max_of(most_heap_, heap_bytes), most_left_ = max_of(most_left_, left_bytes);
    passed_ = 0, to_pass_ = 2 * to_pass_ + 1;
  }
  // Bytes of the objects that the recording under the file's name holds, when only a larger one is to replace it. 0: whatever comes.
  u64 to_exceed() const { return at_count_ == 0 ? kept_ : 0; }
  void keep(u64 object_bytes) {
    kept_ = object_bytes;
    if (kept_ >= grown_ + grown_ / 8) grown_ = kept_, to_pass_ = 0;
  }

  // -- RecordThreads --
  void begin_walk(); // notes are put in order
  void end_walk() { walking_ = false; }
  u32 of(word block);
  u32 reporting() { return number(reporting_); }
  u32 count() const { return threads_; }
  void report_for(const clr::gc_alloc_context* context) { // in a collection several workers claim at once, and nobody asks
    if (GARNER_UNLIKELY(walking_)) reporting_ = word(context);
  }

  record::Writer writer;

 private:
  struct Note { word begin, end, context; };
  struct Known { word context; u32 number; };
  static constexpr u64 kNotesMost = u64(1) << 20; // 24 MiB of addresses; touched as far as used
  static constexpr u32 kAtMost = 64;

  u32 number(word context);
  GARNER_COLD void put_down(const clr::gc_alloc_context* context, word begin, usize bytes);
  void sift(u64 from, u64 count);

  Note* notes_ = nullptr;
  Atomic<u64> taken_{0};
  u64 sorted_ = 0, hint_ = 0;
  Known known_[2 * record::kThreadsMost];
  u32 threads_ = 0;
  word reporting_ = 0;
  bool walking_ = false;
  const char* file_ = nullptr;
  char path_[record::Writer::kPathMost];
  u64 at_[kAtMost];
  u32 at_count_ = 0; // 0: the largest heap
  u64 most_heap_ = 0, most_left_ = 0;  // of what was tried
  u64 kept_ = 0, grown_ = 0;           // live bytes of what is in the file; and of what was, when it last grew by an eighth
  u64 passed_ = 0, to_pass_ = 0;       // collections that might have been larger, since the last try; so many are passed over
};

} // namespace garner::dotnet
