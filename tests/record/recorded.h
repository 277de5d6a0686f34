// A small heap recorded into memory: what the tests of recordings begin with.
#pragma once
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "bytes.h"
#include "collect/small_heap.h"
#include "cycle/recorder.ipp"

namespace garner::test {

// Every object of eden is said to be of thread 1 or 2, in turn by KiB.
struct TwoThreads {
  Heap<Linux>* heap = nullptr;
  u32 of(word block) { return heap->label_of(ref_of(block)) == kLabelEden ? 1 + u32(block / KiB % 2) : 0; }
  u32 reporting() { return 2; }
  u32 count() { return 2; }
};

struct Recorded {
  bool good = false, smaller = false;
  std::string bytes, trouble;
  record::Tail tail{};
};

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Records before a collection of `kind`, as a host does: the world stands, buffers are closed. Without a collection's hooks around it.
inline Recorded record_heap(SmallHeap& heap, Kind kind = Kind::full, u64 most = 64 * MiB, u64 exceed = 0) {
  struct Context {
    SmallHeap& heap;
    u64 most, exceed;
    Recorded out;
  } context{heap, most, exceed, {}};
  heap.host.observer.self = &context;
  heap.host.observer.before = [](void* self, Kind now) {
    auto& [h, bound, least, out] = *static_cast<Context*>(self);
    const std::string path = "/tmp/garner-record-test-" + std::to_string(getpid());
    static record::Writer writer;
    TwoThreads threads{&h.heap()};
    record::Head head{};
    memcpy(head.magic, record::kMagic, sizeof head.magic);
    head.version = record::kVersion;
    head.head_bytes = sizeof head;
    head.collection = 1;
    head.generation = u32(now);
    head.region_bytes = h.heap().region_bytes();
    Recorder<Synthetic<Linux>, Linux, TwoThreads> recorder(h.heap(), h.host, threads, {bound, u64(60) * 1'000'000'000, least}, [](const char*, u32) {});
    out.good = writer.open(path.c_str(), bound) && recorder.run(head, writer, [&](auto& sink) {
      Linux::Self worker(h.machine, 0);
      h.host.before_roots(Kind::full);
      h.host.gather(worker, sink, Kind::full);
      h.host.after_walk();
    });
    const char* why = recorder.trouble() != nullptr ? recorder.trouble() : writer.trouble();
    out.trouble = why == nullptr ? "" : why;
    out.smaller = recorder.smaller();
    out.tail = recorder.tail();
    if (out.good) out.bytes = bytes_of(path);
    unlink(path.c_str());
  };
  heap.collect(kind);
  heap.host.observer.before = nullptr;
  return context.out;
}

} // namespace garner::test
