// Shadow: what the heap ought to look like, kept outside it, by identity and without addresses.
//
// Players change it together with the heap, under one lock. What is reachable is computed twice: `must` holds what no collector may
// lose, `may` what it may still keep (handles that are being destroyed, words that only look like references).
#pragma once
#include <string>
#include <vector>

#include "heap/handles.h"
#include "host/synthetic/objects.h"

namespace garner::test {

using Id = u32; // 0: none

class Shadow {
 public:
  struct Node {
    u64 type = 0;
    Id loader = 0;              // the object its type hangs on
    bool held = false, suppressed = false;
    word outside_at = 0;        // lies outside the heap, here
    u32 registered = 0, ready = 0;
    u32 owned = ~0u;            // eager: index of its handle
    std::vector<Id> slots;      // in the order of each_slot
  };
  struct HandleNote {
    Handle handle;
    HandleKind kind;
    Id first, second;
    bool doomed = false, in_store = false;
    word* interior = nullptr;   // weak_interior: the native word …
    word inside = 0;            // … and how far into the object it points
    bool owned = false;         // freed by an eager object
  };
  enum : u8 { kMustStrong = 1, kMust = 2, kMayStrong = 4, kMay = 8 }; // strong: before finalizers are asked for

  Node& add(Id id, u64 type, Id loader);
  Node& operator[](Id id) { return nodes_[id]; }
  Id count() const { return Id(nodes_.size()); } // identities are below

  // Marks everything reachable from `roots` with `bit`, over slots, loaders and ephemerons. Doomed ephemerons count if asked.
  void reach(const std::vector<Id>& roots, u8 bit, bool with_doomed);
  void start_marks() { marks_.assign(nodes_.size(), 0); }
  bool marked(Id id, u8 bit) const { return (marks_[id] & bit) != 0; }

  static bool strong(HandleKind kind);

  std::vector<HandleNote> handles;
  std::vector<Id> loaders{0}; // beside the host's

 private:
  void close(std::vector<Id>& todo, u8 bit);
  std::vector<Node> nodes_{1};
  std::vector<u8> marks_;
};

} // namespace garner::test
