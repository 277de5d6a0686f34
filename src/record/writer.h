// Writer: a recording on its way into a file, from inside a stopped program. No malloc, no stdio; what the program must not notice is base/held.h.
//
// The bytes go to PATH.PID.part; publish() gives the whole file its name in one step, abandon() removes it. So under PATH there is a whole
// recording or what was there before, whatever happens to the process; a part file is left only when the process is killed meanwhile.
// More than `most` bytes are counted, not written. One thread; about 64 KiB, made to stand in static storage.
#pragma once
#include "record/format.h"

namespace garner::record {

class Writer {
 public:
  static constexpr usize kPathMost = 600;

  // False with errno's sentence in trouble().
  bool open(const char* path, u64 most);
  // Starts over, with nothing written.
  bool restart();
  // Removes the part file.
  void abandon();
  // Ends the file with its checksum, whose place is the last word of `tail`, and gives it its name. False, with nothing left behind,
  // when anything could not be written.
  bool publish(Tail& tail);

  void byte(u8 value) {
    if (GARNER_UNLIKELY(used_ == sizeof buffer_)) flush();
    buffer_[used_++] = value;
  }
  void number(u64 value) {
    for (; value >= 0x80; value >>= 7) byte(u8(value | 0x80));
    byte(u8(value));
  }
  void bytes(const void* at, usize count) {
    for (usize i = 0; i < count; i++) byte(static_cast<const u8*>(at)[i]);
  }
  u64 size() const { return flushed_ + used_; } // also of what was counted only
  bool over() const { return size() + sizeof(Tail) > most_; }
  const char* trouble() const { return trouble_; } // null: none

 private:
  void flush();
  void fail(int error);

  int fd_ = -1;
  u64 most_ = 0, flushed_ = 0;
  usize used_ = 0;
  const char* trouble_ = nullptr;
  Checksum checksum_;
  char path_[kPathMost] = "", part_[kPathMost] = "";
  alignas(8) u8 buffer_[64 * 1024];
};

} // namespace garner::record
