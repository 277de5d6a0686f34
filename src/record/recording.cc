// Reading a recording: the ends, the checksum, then the body piece by piece, each number checked where it is read (recording.h).
#include "record/recording.h"

#include <new>

namespace garner::record {

namespace {
constexpr const char* kShort = "the file ends in the middle of its body";
constexpr const char* kNoMemory = "no memory to read the recording";
constexpr u64 kWordsMost = u64(1) << 40; // of one object, and of all: beyond any machine
} // namespace

// The body's bytes. After a failed read `good` is false and every further number is 0.
struct Recording::Input {
  const u8* at;
  const u8* end;
  bool good = true;

  u64 left() const { return u64(end - at); }
  u64 number() {
    u64 value = 0;
    for (u32 shift = 0; good && shift < 70; shift += 7) {
      if (at == end) break;
      u8 byte = *at++;
      if (shift == 63 && byte > 1) break;
      value |= u64(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    good = false;
    return 0;
  }
};

const char* Recording::read_ends(const u8* data, usize bytes) {
  if (bytes < sizeof kMagic || memcmp(data, kMagic, sizeof kMagic) != 0) return "this is no recording of a heap";
  if (bytes < sizeof(Head)) return "the file is too short for a recording";
  memcpy(&head_, data, sizeof head_);
  if (head_.version != kVersion) return "the recording has another version than this program reads (1)";
  if (head_.head_bytes != sizeof(Head)) return "the head has another size than its version says";
  if (bytes < sizeof(Head) + sizeof(Tail)) return "the file is too short for a recording";
  memcpy(&tail_, data + bytes - sizeof tail_, sizeof tail_);
  if (tail_.body_bytes != bytes - sizeof(Head) - sizeof(Tail)) return "the file is cut off, or more than one recording";
  Checksum sum;
  sum.add(data, bytes - sizeof tail_.checksum);
  if (sum.value() != tail_.checksum) return "the checksum is wrong: the file is damaged";
  if (head_.generation > 2 || head_.cause >= kCauses) return "the head names no kind of collection";
  if (!is_power_of_two(head_.region_bytes) || head_.region_bytes < 4096 || head_.region_bytes > GiB) return "the head names no possible size of regions";
  // An object takes at least one byte, a region five, a root one; so does each reference.
  if (tail_.objects > tail_.body_bytes || tail_.objects > kObjectsMost || tail_.references > tail_.body_bytes || tail_.regions > tail_.body_bytes / 5)
    return "the tail counts more than the body can hold";
  if (tail_.threads > kThreadsMost || tail_.classes > kObjectsMost) return "the tail counts more than the body can hold";
  return nullptr;
}

const char* Recording::read_class(Input& in, u64 number, ClassDef& shape, u32& index) {
  if (number != 0) {
    if (number > numbered_) return "an object has a class that is not defined";
    index = u32(number - 1);
    shape = classes_[index];
    return nullptr;
  }
  shape = {in.number(), in.number(), in.number(), in.number()};
  if (!in.good) return kShort;
  bool good = shape.words >= 3 && shape.words <= kWordsMost && shape.slots < shape.words && shape.skip < shape.words &&
              (shape.slots == 0 ? shape.run == 0 : shape.run >= 1 && shape.run <= shape.slots);
  if (!good) return "a class is impossible: more slots than words, or less than the smallest object";
  // Numbered ones come first. Beyond kClassesMost every definition is an entry of its own that no number leads to.
  index = u32(classes_.size());
  if (numbered_ < kClassesMost) numbered_++;
  return classes_.push(shape) ? nullptr : kNoMemory;
}

const char* Recording::read_slots(Input& in, const ClassDef& shape) {
  u64 self = objects_.size() - 1, before = self;
  for (u64 slot = 0; slot < shape.slots;) {
    u64 code = in.number();
    if (!in.good) return kShort;
    if (code <= 1) {
      u64 nulls = code == 0 ? 1 : in.number();
      if (!in.good) return kShort;
      if (nulls > shape.slots - slot || (code == 1 && nulls < 2)) return "a run of nulls is longer than its object";
      slot += nulls;
      nulls_ += nulls;
      continue;
    }
    u64 target = before + u64(unzigzag(code - 2));
    if (target >= tail_.objects) return "a reference leads to no object";
    if (slot > ~u32(0)) return "an object has more slots than can be told";
    if (edges_.size() == tail_.references) return "there are more references than the tail counts";
    if (!edges_.push({u32(slot), u32(target)})) return kNoMemory;
    before = target;
    slot++;
  }
  return nullptr;
}

const char* Recording::read_object(Input& in, u64& at_word, u64 region_words, bool large) {
  u64 code = in.number(), gap = (code & 1) != 0 ? in.number() : 0;
  ClassDef shape;
  u32 index;
  if (!in.good) return kShort;
  if (const char* trouble = read_class(in, code >> 1, shape, index); trouble != nullptr) return trouble;
  if (gap > region_words || shape.words > (large ? kWordsMost : region_words) || (!large && at_word + gap + shape.words > region_words)) return "an object reaches past its region";
  at_word += gap + shape.words;
  object_words_ += shape.words;
  if (object_words_ > kWordsMost) return "the objects are larger than any machine's memory";
  if (objects_.size() == tail_.objects) return "there are more objects than the tail counts";
  if (!objects_.push({index, u32(gap), u32(edges_.size()), 0})) return kNoMemory;
  return read_slots(in, shape);
}

const char* Recording::read_region(Input& in, const RegionDef* before) {
  RegionDef r{};
  u64 step = in.number();
  r.index = (before == nullptr ? 0 : before->index) + step - (before == nullptr ? 1 : 0);
  u64 place = in.number(), age = in.number(), home = in.number(), objects = in.number(), runs = in.number();
  if (!in.good) return kShort;
  if (step > kWordsMost || r.index > kWordsMost) return "a region lies outside of any machine's memory";
  if (place < 1 || place > kPlaceLast || age > 255 || home > 255) return "a region has an unknown place";
  if (objects == 0 || objects > in.left()) return "a region counts more objects than the file can hold";
  if (runs > objects) return "a region counts more threads than objects";
  r.place = Place(place);
  r.age = u8(age);
  r.home = u8(home);
  r.first = u32(objects_.size());
  r.objects = u32(objects);
  bool large = r.place == Place::large;
  if (large && objects != 1) return "a large region holds more than one object";
  Vector<u32> threads; // pairs: objects, thread
  for (u64 i = 0, sum = 0; i < runs; i++) {
    u64 count = in.number(), thread = in.number();
    if (!in.good) return kShort;
    sum += count;
    if (count == 0 || count > objects || sum > objects || thread > tail_.threads || (i + 1 == runs && sum != objects)) return "the threads of a region do not fit its objects";
    if (!threads.push(u32(count)) || !threads.push(u32(thread))) return kNoMemory;
  }
  u64 at_word = 0;
  for (u64 i = 0; i < objects; i++)
    if (const char* trouble = read_object(in, at_word, head_.region_bytes / kWordBytes, large); trouble != nullptr) return trouble;
  u32 at = r.first;
  for (usize i = 0; i < threads.size(); i += 2)
    for (u32 n = 0; n < threads[i]; n++) objects_[at++].thread = u16(threads[i + 1]);
  return regions_.push(r) ? nullptr : kNoMemory;
}

const char* Recording::read_roots(Input& in) {
  for (u32 c = 0; c < kRootClasses; c++) {
    u64 count = in.number();
    if (!in.good) return kShort;
    if (count > in.left()) return "a list of roots is longer than the file";
    root_counts_[c] = count;
    u64 before = 0;
    for (u64 i = 0; i < count; i++) {
      u64 target = before + u64(unzigzag(in.number())), extra = 0;
      if (has_thread(RootClass(c)) || RootClass(c) == RootClass::dependent) extra = in.number();
      if (!in.good) return kShort;
      if (target >= tail_.objects) return "a root leads to no object";
      bool dependent = RootClass(c) == RootClass::dependent;
      if (extra > (dependent ? tail_.objects : tail_.threads)) return "a root has an unknown thread or second object";
      if (!roots_.push({RootClass(c), u16(dependent ? 0 : extra), u32(target), u32(dependent ? extra : 0)})) return kNoMemory;
      before = target;
    }
  }
  return nullptr;
}

const char* Recording::read_body(Input& in) {
  while (true) {
    if (in.at == in.end) return kShort;
    if (*in.at == 0) break;
    if (const char* trouble = read_region(in, regions_.empty() ? nullptr : &regions_.back()); trouble != nullptr) return trouble;
    if (regions_.size() < 2) continue;
    const RegionDef& before = regions_[regions_.size() - 2];
    u64 taken = before.place == Place::large ? div_up(shape(before.first).words * kWordBytes, head_.region_bytes) : 1;
    if (regions_.back().index < before.index + taken) return "the regions are out of order";
  }
  in.at++;
  if (const char* trouble = read_roots(in); trouble != nullptr) return trouble;
  return in.at == in.end ? nullptr : "there is something behind the last root";
}

const char* Recording::compare_sums() {
  bool good = regions_.size() == tail_.regions && objects_.size() == tail_.objects && object_words_ == tail_.object_bytes / kWordBytes &&
              tail_.object_bytes % kWordBytes == 0 && edges_.size() == tail_.references && classes_.size() == tail_.classes && nulls_ == tail_.nulls + tail_.dropped;
  for (u32 c = 0; c < kRootClasses; c++) good = good && root_counts_[c] == tail_.roots[c];
  return good ? nullptr : "the sums in the tail are not those of the body";
}

const char* Recording::read(const u8* data, usize bytes) {
  this->~Recording();
  new (this) Recording();
  const char* trouble = read_ends(data, bytes);
  if (trouble == nullptr) {
    Input in{data + sizeof(Head), data + bytes - sizeof(Tail)};
    trouble = read_body(in);
  }
  if (trouble == nullptr) trouble = compare_sums();
  if (trouble == nullptr && !objects_.push({0, 0, u32(edges_.size()), 0})) trouble = kNoMemory;
  if (trouble == nullptr) return nullptr;
  this->~Recording();
  new (this) Recording();
  return trouble;
}

} // namespace garner::record
