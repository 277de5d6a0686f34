// Recordings as strings: reading one, and signing anew one whose body was changed.
#pragma once
#include <string>

#include "record/recording.h"

namespace garner::test {

inline const char* read(record::Recording& recording, const std::string& bytes) { return recording.read(reinterpret_cast<const u8*>(bytes.data()), bytes.size()); }

// A file whose body was changed, with sums of its own right again: what only the checks of the body can refuse.
inline std::string resigned(std::string bytes) {
  if (bytes.size() < sizeof(record::Head) + sizeof(record::Tail)) return bytes;
  record::Tail tail;
  char* at = bytes.data() + bytes.size() - sizeof tail;
  memcpy(&tail, at, sizeof tail);
  tail.body_bytes = bytes.size() - sizeof(record::Head) - sizeof tail;
  memcpy(at, &tail, sizeof tail);
  record::Checksum sum;
  sum.add(bytes.data(), bytes.size() - 8);
  tail.checksum = sum.value();
  memcpy(at, &tail, sizeof tail);
  return bytes;
}

} // namespace garner::test
