// Log: the sink that writes one record per collection, to stderr or to a file, as a readable line or as one JSON object per line.
//
// It runs inside a stopped program, on whichever thread emits, so a record is O(1) work: put together on the stack, written with one
// write(2); no malloc, no stdio, no lock, nothing waited for. What it must never do to the program that carries it:
//   - raise a signal: SIGPIPE (nobody reads any more) and SIGXFSZ (the file may not grow) are held back and taken away again;
//   - wait: a pipe or terminal that takes nothing now costs the record, not time; lost records are counted and told by the next one;
//   - touch a file that is not the log: if the program closed our descriptor and its number means something else now, logging ends;
//   - change errno.
// Several threads may emit at once. The record format is described in README.md beside this file; `format` below counts its versions.
#pragma once
#include "base/atomic.h"
#include "base/print.h"
#include "event/event.h"
#include "options/parse.h"

namespace garner {

class Log {
 public:
  static constexpr u32 kFormat = 1;

  Log() = default;
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Opens what general.log and general.log_format name. `start_ns` is the machine's clock when the heap was made: lines tell times
  // since then, and the heap_ready record carries it. False when logging is off: because it was not asked for, or because the path
  // cannot be written, which is told once on stderr. Call once, before the sink is added to an Emitter.
  bool open(const Settings& settings, u64 start_ns);
  // Ends logging; later events are dropped. The file is closed. Not while another thread may emit.
  void close();

  bool on() const { return fd_.load_relaxed() >= 0; }
  u64 records_lost() const { return lost_.load_relaxed(); } // and not yet told by a record
  Sink sink() { return {&Log::receive, this, detail_}; }

 private:
  static void receive(void* self, EventId id, const void* payload);
  bool still_ours(int fd) const;
  bool takes_now(int fd);
  void notice(int error);
  bool write_record(Line& record);

  // No order is needed among these: each is a number on its own, and nothing is published through them. Only a taken count must not be
  // taken twice, hence the exchanges.
  Atomic<i32> fd_{-1};
  Atomic<u32> torn_{0}; // the last record was cut by a full file: the next one starts on a line of its own
  Atomic<u32> noticed_{0}; // that a record was lost for want of room was said
  Atomic<u64> lost_{0};
  LogFormat format_ = LogFormat::line;
  Detail detail_ = Detail::plain; // lines for people have none
  bool own_file_ = false; // opened here; false for stderr
  bool notices_ = true; // general.notices
  bool may_wait_ = false; // not a regular file: ask before writing
  u64 device_ = 0, inode_ = 0;
  u64 start_ns_ = 0;
  u32 pid_ = 0;
};

// The records themselves, as text without the newline; `lost` is the number of records that could not be written before this one.
// For events that have no record in a format, false.
struct RecordContext { u64 start_ns, lost; u32 pid; };
bool line_record(Line& out, EventId id, const void* payload, const RecordContext& context);
bool json_record(Line& out, EventId id, const void* payload, const RecordContext& context);

} // namespace garner
