// A recording made of any bytes: each byte decides something about regions, objects, references or roots, and the file that comes of it is right.
//
// Mutated recordings hardly ever have the sums that their tail tells; these always have, so what stands behind the reader gets heaps that no program had:
// wild sizes, cycles, objects without references and references to oneself, roots of every class, threads that allocated nothing.
#pragma once
#include <string>
#include <vector>

#include "../record/bytes.h"

namespace garner::test {

class MadeHeap {
 public:
  MadeHeap(const unsigned char* data, usize bytes) : at_(data), end_(data + bytes) {}

  std::string file() {
    record::Head head{};
    memcpy(head.magic, record::kMagic, sizeof head.magic);
    head.version = record::kVersion, head.head_bytes = sizeof head, head.collection = 1;
    head.generation = u32(below(3)), head.region_bytes = u64(4096) << below(9), head.workers = 1, head.nodes = 1;
    region_words_ = head.region_bytes / kWordBytes;
    tail_ = {};
    tail_.threads = below(8) == 0 ? below(256) : below(6);
    decide();
    if (objects_.empty()) { // none fitted
      regions_.push_back({record::Place::eden, 0, 1});
      objects_.push_back({.words = 3, .slots = 0, .run = 0, .skip = 0, .gap = 0, .defined_as = ++classes_, .defines = true});
    }
    body_.clear();
    for (usize i = 0; i < regions_.size(); i++) write_region(i);
    number(0);
    write_roots();
    tail_.body_bytes = body_.size();
    tail_.objects = objects_.size(), tail_.regions = regions_.size(), tail_.classes = classes_;
    std::string file(reinterpret_cast<const char*>(&head), sizeof head);
    file += body_;
    file.append(reinterpret_cast<const char*>(&tail_), sizeof tail_);
    return resigned(file);
  }

 private:
  struct Object { u64 words, slots, run, skip, gap, defined_as; bool defines; };
  struct Region { record::Place place; usize first, objects; };

  u64 byte() { return at_ == end_ ? 0 : *at_++; }
  u64 below(u64 n) { return n == 0 ? 0 : (n <= 256 ? byte() : byte() << 16 | byte() << 8 | byte()) % n; }

  void number(u64 value) {
    for (; value >= 0x80; value >>= 7) body_ += char((value & 0x7f) | 0x80);
    body_ += char(value);
  }

  void decide() {
    for (u64 left = 1 + below(6); left > 0; left--) {
      const auto place = record::Place(1 + below(record::kPlaceLast));
      decide_region(place, place == record::Place::large ? 1 : 1 + below(48));
    }
  }
  void decide_region(record::Place place, u64 count) {
    regions_.push_back({place, objects_.size(), 0});
    const bool large = place == record::Place::large;
    for (u64 room = large ? u64(1) << 30 : region_words_; count > 0; count--) {
      Object o{};
      if (!objects_.empty() && below(3) == 0) o = objects_[below(objects_.size())];
      o.defines = o.words == 0;
      o.gap = below(4) == 0 ? below(9) : 0;
      if (o.defines) decide_shape(o, large);
      if (o.gap + o.words > room) break;
      room -= o.gap + o.words;
      if (o.defines) o.defined_as = ++classes_;
      objects_.push_back(o);
      regions_.back().objects++;
    }
    if (regions_.back().objects == 0) regions_.pop_back();
  }

  void decide_shape(Object& o, bool large) {
    o.words = 3 + (below(16) == 0 ? below(large && below(8) == 0 ? u64(1) << 29 : u64(1) << 12) : below(24));
    o.slots = below(3) == 0 ? o.words - 1 : below(min_of<u64>(o.words, 256));
    o.run = o.slots == 0 ? 0 : 1 + below(o.slots), o.skip = below(min_of<u64>(o.words, 256));
  }

  void write_region(usize n) {
    const Region& r = regions_[n];
    const bool after_large = n != 0 && regions_[n - 1].place == record::Place::large;
    number(1 + below(3) + (after_large ? objects_[r.first - 1].words / region_words_ : 0));
    number(u64(r.place)), number(below(8)), number(below(4)), number(r.objects);
    const u64 head = below(r.objects + 1); // two runs of threads, one, or none
    if (tail_.threads == 0 || head == 0) {
      number(0);
    } else {
      number(head == r.objects ? 1 : 2);
      number(head), number(below(tail_.threads + 1));
      if (head != r.objects) number(r.objects - head), number(below(tail_.threads + 1));
    }
    for (usize i = r.first; i < r.first + r.objects; i++) write_object(i);
  }
  void write_object(usize i) {
    const Object& o = objects_[i];
    number((o.defines ? 0 : o.defined_as) * 2 + (o.gap != 0));
    if (o.gap != 0) number(o.gap);
    if (o.defines) number(o.words), number(o.slots), number(o.run), number(o.skip);
    tail_.object_bytes += o.words * kWordBytes;
    u64 before = i, slot = 0;
    for (u64 wanted = below(20); slot < o.slots && wanted > 0; wanted--, slot++) {
      if (below(4) == 0) {
        number(0), tail_.nulls++;
        continue;
      }
      const u64 target = below(objects_.size());
      number(2 + record::zigzag(i64(target) - i64(before)));
      before = target, tail_.references++;
    }
    if (o.slots - slot == 1) number(0);
    else if (o.slots != slot) number(1), number(o.slots - slot);
    tail_.nulls += o.slots - slot;
  }
  void write_roots() {
    for (u32 c = 0; c < record::kRootClasses; c++) {
      const u64 count = below(4) == 0 || c == 0 ? below(6) : 0;
      number(count), tail_.roots[c] = count;
      for (u64 i = 0, before = 0; i < count; i++) {
        const u64 target = below(objects_.size());
        number(record::zigzag(i64(target) - i64(before)));
        before = target;
        if (record::has_thread(record::RootClass(c))) number(below(tail_.threads + 1));
        if (record::RootClass(c) == record::RootClass::dependent) number(below(objects_.size() + 1));
      }
    }
  }

  const unsigned char *at_, *end_;
  u64 region_words_ = 0, classes_ = 0; // classes: fewer than kClassesMost, so all have numbers
  std::vector<Object> objects_;
  std::vector<Region> regions_;
  std::string body_;
  record::Tail tail_{};
};

} // namespace garner::test
