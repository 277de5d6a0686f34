// Recording: a .garner-heap file, read and checked as a whole. What read() accepts holds every invariant below; nothing is taken on trust.
//
//   regions ascend; objects of a region are [first, first + objects), ascending, without overlap, inside the region (a large one has its own)
//   edges of object i are [object(i).first_edge, object(i + 1).first_edge), ascending by slot, slot < slots of its class, target < objects
//   roots name objects < objects; threads are <= tail().threads; all sums are those of the tail
// Memory is at most about 40 times the file's size, whatever the file says: counts are compared with the bytes that are left before anything is
// made from them. Not thread-safe while read() runs; constant afterwards.
#pragma once
#include "base/arena.h"
#include "record/format.h"

namespace garner::record {

struct ClassDef { u64 words, slots, run, skip; }; // words: the whole object, its header counted
struct RegionDef { u64 index; Place place; u8 age, home; u32 first, objects; }; // home: node + 1, 0: not known
struct ObjectDef { u32 class_index; u32 gap_words; u32 first_edge; u16 thread; };
struct EdgeDef { u32 slot, target; };
struct RootDef { RootClass how; u16 thread; u32 target, second; }; // second: dependent only, object + 1; 0: none

class Recording {
 public:
  // Null when the bytes are a recording, else one sentence without a full stop that says why not; the object is empty then.
  const char* read(const u8* data, usize bytes);

  const Head& head() const { return head_; }
  const Tail& tail() const { return tail_; }
  u32 objects() const { return u32(tail_.objects); }
  const ClassDef& shape(u32 object) const { return classes_[objects_[object].class_index]; }
  const ObjectDef& object(u32 i) const { return objects_[i]; } // i == objects(): the end's first_edge
  const Vector<RegionDef>& regions() const { return regions_; }
  const Vector<EdgeDef>& edges() const { return edges_; }
  const Vector<RootDef>& roots() const { return roots_; }
  const Vector<ClassDef>& classes() const { return classes_; }
  // The generation of an object in this region: 0 eden, 1 survivor, 2 others.
  static u32 generation_of(const RegionDef& region) { return region.place == Place::eden ? 0 : region.place == Place::survivor ? 1 : 2; }

 private:
  struct Input;
  const char* read_ends(const u8* data, usize bytes);
  const char* read_body(Input& in);
  const char* read_region(Input& in, const RegionDef* before);
  const char* read_object(Input& in, u64& at_word, u64 region_words, bool large);
  const char* read_class(Input& in, u64 number, ClassDef& shape, u32& index);
  const char* read_slots(Input& in, const ClassDef& shape);
  const char* read_roots(Input& in);
  const char* compare_sums();

  Head head_{};
  Tail tail_{};
  Vector<ClassDef> classes_;
  Vector<RegionDef> regions_;
  Vector<ObjectDef> objects_;
  Vector<EdgeDef> edges_;
  Vector<RootDef> roots_;
  u64 numbered_ = 0, nulls_ = 0, object_words_ = 0, root_counts_[kRootClasses] = {};
};

} // namespace garner::record
