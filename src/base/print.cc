// Line: how text and numbers are put into the buffer and written (print.h); and how the process dies with one.
#include "base/print.h"

#include <cstdlib>
#include <unistd.h>

#include "base/check.h"

namespace garner {

Line& Line::text(const char* s, usize bytes) {
  usize room = kCapacity - 2 - used_; // newline and terminator always fit
  if (bytes > room) bytes = room;
  memcpy(buffer_ + used_, s, bytes);
  used_ += bytes;
  return *this;
}

Line& Line::text(const char* s) { return text(s, strlen(s)); }

Line& Line::num(u64 value) {
  char digits[20];
  usize n = 0;
  do digits[n++] = char('0' + value % 10);
  while (value /= 10);
  char out[20];
  for (usize i = 0; i < n; i++) out[i] = digits[n - 1 - i];
  return text(out, n);
}

Line& Line::num(i64 value) {
  if (value >= 0) return num(u64(value));
  text("-", 1);
  return num(~u64(value) + 1);
}

Line& Line::hex(u64 value) {
  char out[16];
  usize n = 0;
  for (int shift = 60; shift >= 0; shift -= 4) {
    u32 digit = u32(value >> shift) & 15;
    if (digit != 0 || n != 0 || shift == 0) out[n++] = "0123456789abcdef"[digit];
  }
  return text(out, n);
}

Line& Line::fixed(u64 value, u32 scale) {
  u64 unit = 1;
  for (u32 i = 0; i < scale; i++) unit *= 10;
  num(value / unit);
  if (scale == 0) return *this;
  text(".", 1);
  for (u64 rest = value % unit; scale > 0; scale--) {
    unit /= 10;
    char digit = char('0' + rest / unit);
    rest %= unit;
    text(&digit, 1);
  }
  return *this;
}

Line& Line::json_string(const char* s) {
  text("\"", 1);
  for (; *s != 0; s++) {
    if (*s == '"' || *s == '\\') text("\\", 1);
    if (u8(*s) < 0x20) {
      text("\\u00").text(u8(*s) < 0x10 ? "0" : "1").hex(u8(*s) & 15);
      continue;
    }
    text(s, 1);
  }
  return text("\"", 1);
}

const char* Line::c_str() {
  buffer_[used_] = 0;
  return buffer_;
}

void Line::flush(int fd) {
  buffer_[used_++] = '\n';
  for (usize done = 0; done < used_;) {
    ssize_t n = write(fd, buffer_ + done, used_ - done);
    if (n <= 0) break;
    done += usize(n);
  }
  used_ = 0;
}

void say(const char* message) { Line().text("garner: ").text(message).flush(2); }

void die(const char* what, const char* file, int line) {
  Line().text("garner: fatal: ").text(what).text(" at ").text(file).text(":").num(line).flush(2);
  abort();
}

} // namespace garner
