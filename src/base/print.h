// Line: text put together in a fixed buffer and written with one write(2). For processes whose malloc and stdio are not ours to call.
//
// Output past the capacity is cut, never overrun. Not thread-safe per object; one write keeps lines of two threads apart.
#pragma once
#include "base/words.h"

namespace garner {

class Line {
 public:
  static constexpr usize kCapacity = 4096;
  Line& text(const char* s);
  Line& text(const char* s, usize bytes);
  Line& num(u64 value);
  Line& num(i64 value);
  Line& num(u32 value) { return num(u64(value)); }
  Line& num(int value) { return num(i64(value)); }
  Line& hex(u64 value);
  // value / 10^scale printed with `scale` decimals: fixed(1234, 3) is "1.234".
  Line& fixed(u64 value, u32 scale);
  Line& json_string(const char* s); // quoted and escaped
  const char* c_str();
  usize size() const { return used_; }
  void clear() { used_ = 0; }
  // Adds a newline and writes to the file descriptor; errors are ignored (there is nobody to tell). Clears.
  void flush(int fd);

 private:
  char buffer_[kCapacity];
  usize used_ = 0;
};

// "garner: " + text + newline on stderr.
void say(const char* message);

} // namespace garner
