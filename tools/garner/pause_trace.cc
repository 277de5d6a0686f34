// The "Nettrace" file, version 4: a header string, then objects, each with a type name, until a null tag. Three kinds matter here: Trace (the
// clock's frequency), MetadataBlock (which number stands for which event) and EventBlock. Blocks hold events with compressed headers: a field
// is written only when a flag says that it changed.
#include "pause_trace.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>

#include "paths.h"

namespace garner::tool {
namespace {

constexpr const char* kProvider = "Microsoft-Windows-DotNETRuntime";
constexpr uint32_t kRestartEnd = 3, kSuspendBegin = 9; // event numbers of that provider
constexpr uint32_t kForCollection = 1, kForCollectionPrepared = 6; // reasons of a suspension

// Reads forward; once the end is passed, everything reads as zero and good() is false.
class Bytes {
 public:
  Bytes(const char* begin, const char* end) : at_(begin), end_(end) {}
  bool good() const { return good_; }
  bool more() const { return good_ && at_ < end_; }
  const char* at() const { return at_; }

  template <class T> T fixed() {
    T value{};
    if (const char* from = take(sizeof(T))) std::memcpy(&value, from, sizeof(T));
    return value;
  }
  // Seven bits a byte, the lowest first.
  uint64_t variable() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      auto byte = fixed<uint8_t>();
      value |= uint64_t(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  std::string wide_string() { // UTF-16, ends with zero; what is not ASCII does not matter here
    std::string text;
    for (char16_t c = fixed<char16_t>(); c != 0 && good_; c = fixed<char16_t>()) text += c < 0x80 ? char(c) : '?';
    return text;
  }
  const char* take(size_t bytes) {
    if (size_t(end_ - at_) < bytes) {
      good_ = false;
      return nullptr;
    }
    const char* from = at_;
    at_ += bytes;
    return from;
  }

 private:
  const char* at_;
  const char* end_;
  bool good_ = true;
};

struct Event {
  uint32_t metadata = 0;
  uint64_t time = 0;
  const char* payload = nullptr;
  uint32_t bytes = 0;
};

// Calls `each` with every event of a block.
template <class Each> void events_of(Bytes block, Each each) {
  auto header_bytes = block.fixed<uint16_t>();
  auto flags = block.fixed<uint16_t>();
  if ((flags & 1) == 0 || header_bytes < 4 || block.take(header_bytes - 4u) == nullptr) return; // only compressed headers are written by .NET 5 and later
  Event event;
  while (block.more()) {
    auto changed = block.fixed<uint8_t>();
    if (changed & 1) event.metadata = uint32_t(block.variable());
    if (changed & 2) { // sequence number, thread that wrote, processor
      block.variable();
      block.variable();
      block.variable();
    }
    if (changed & 4) block.variable(); // thread
    if (changed & 8) block.variable(); // stack
    event.time += block.variable();
    if (changed & 16) block.take(16); // activity
    if (changed & 32) block.take(16); // related activity
    if (changed & 128) event.bytes = uint32_t(block.variable());
    event.payload = block.take(event.bytes);
    if (!block.good()) return;
    each(event);
  }
}

class Trace {
 public:
  bool read(const std::string& bytes) {
    Bytes in(bytes.data(), bytes.data() + bytes.size());
    const char* magic = in.take(8);
    if (magic == nullptr || std::memcmp(magic, "Nettrace", 8) != 0) return false;
    in.take(in.fixed<uint32_t>());
    while (in.more() && object(in, bytes.data())) {}
    return frequency_ > 0;
  }

  void pauses(std::vector<double>& ms) {
    std::stable_sort(stops_.begin(), stops_.end(), [](const Stop& a, const Stop& b) { return a.time < b.time; });
    const Stop* begun = nullptr;
    for (const Stop& stop : stops_) {
      if (stop.begins) begun = &stop;
      else if (begun != nullptr) {
        if (begun->for_collection) ms.push_back(double(stop.time - begun->time) * 1000 / double(frequency_));
        begun = nullptr;
      }
    }
  }

 private:
  struct Stop {
    uint64_t time;
    bool begins, for_collection;
  };

  bool object(Bytes& in, const char* file) {
    if (in.fixed<uint8_t>() != 5) return false; // 1: end of the file
    in.take(2 + 4 + 4);                         // tags of the type, its version, the reader's least version
    auto name_bytes = in.fixed<uint32_t>();
    const char* name = in.take(name_bytes);
    in.take(1);
    if (!in.good()) return false;
    body(in, std::string(name, name_bytes), file);
    in.take(1);
    return in.good();
  }

  void body(Bytes& in, const std::string& name, const char* file) {
    if (name == "Trace") {
      in.take(16 + 8); // date, clock at that date
      frequency_ = in.fixed<uint64_t>();
      in.take(16);
      return;
    }
    auto size = in.fixed<uint32_t>();
    in.take((4 - size_t(in.at() - file) % 4) % 4);
    const char* block = in.take(size);
    if (block == nullptr) return;
    if (name == "MetadataBlock") events_of(Bytes(block, block + size), [this](const Event& event) { define(event); });
    if (name == "EventBlock") events_of(Bytes(block, block + size), [this](const Event& event) { note(event); });
  }

  void define(const Event& event) {
    Bytes payload(event.payload, event.payload + event.bytes);
    auto number = payload.fixed<uint32_t>();
    if (payload.wide_string() == kProvider) meaning_[number] = payload.fixed<uint32_t>();
  }

  void note(const Event& event) {
    auto meaning = meaning_.find(event.metadata);
    if (meaning == meaning_.end()) return;
    if (meaning->second == kRestartEnd) stops_.push_back({event.time, false, false});
    if (meaning->second != kSuspendBegin) return;
    auto reason = Bytes(event.payload, event.payload + event.bytes).fixed<uint32_t>();
    stops_.push_back({event.time, true, reason == kForCollection || reason == kForCollectionPrepared});
  }

  uint64_t frequency_ = 0;
  std::map<uint32_t, uint32_t> meaning_; // number in this file to event number
  std::vector<Stop> stops_;
};

} // namespace

Environment pause_trace_settings(const fs::path& directory) {
  return {{"DOTNET_EnableEventPipe", "1"},
          {"DOTNET_EventPipeConfig", std::string(kProvider) + ":0x1:4"}, // collections, informational
          {"DOTNET_EventPipeRundown", "0"},
          {"DOTNET_EventPipeOutputPath", (directory / "{pid}.nettrace").string()}};
}

bool read_pause_trace(const std::string& bytes, std::vector<double>& pauses_ms) {
  Trace trace;
  if (!trace.read(bytes)) return false;
  trace.pauses(pauses_ms);
  return true;
}

bool read_pause_traces(const fs::path& directory, std::vector<double>& pauses_ms) {
  bool any = false;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error)) {
    std::string bytes;
    if (entry.path().extension() == ".nettrace" && read_file(entry.path(), bytes)) any |= read_pause_trace(bytes, pauses_ms);
  }
  return any;
}

} // namespace garner::tool
