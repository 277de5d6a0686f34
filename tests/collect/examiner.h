// Examiner: compares the heap with its shadow around every collection, while the world stands.
//
//   every identity is in the heap at most once, with its type, header and payload, and its slots lead where the shadow says
//   what must live is there; after a full collection nothing else is
//   roots, statics, handles, ready objects and side entries hold the right object, what is pinned has not moved
//   weak handles are null only for what may be dead, and after a full collection for all that must be
//   every registration of a finalizer is still there, or became ready, or was dropped for a reason
//   bookkeeping that equations tie together: charges of regions, ages of handle chunks and of finalization lists
// The first difference ends the process with one line.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "host/synthetic/synthetic.h"
#include "shadow.h"

namespace garner::test {

template <class M> class Examiner {
 public:
  using Host = Synthetic<M>;
  Examiner(Host& host, Shadow& shadow) : host_(host), shadow_(shadow) {}
  SyntheticObserver observer() {
    return {[](void* self, Kind kind) { static_cast<Examiner*>(self)->before(kind); },
            [](void* self, Kind asked, Kind done) { static_cast<Examiner*>(self)->after(asked, done); }, this};
  }

  std::vector<Id> static_ids, passing_ids; // beside the host's words
  void (*on_before)(void*) = nullptr;      // whoever wants to act while a collection runs
  void* on_before_self = nullptr;

  u64 digest() const { return digest_; }
  u64 collections(Kind kind) const { return collections_[u32(kind)]; }
  u64 failed_promotions() const { return failed_promotions_; }
  u64 en_masse() const { return en_masse_; } // collections that promoted all that was young, unseen
  u64 moves() const { return moves_; }       // those that moved old objects out of mostly empty regions
  u64 marked_beside() const { return marked_beside_; } // collections that ended a marking beside the program
  u64 most_objects() const { return most_objects_; }
  u64 objects() const { return objects_; } // after the last collection
  u64 resurrected() const { return resurrected_; }
  std::string context;                     // printed with a failure

  void before(Kind kind);
  void after(Kind asked, Kind done);
  // The object that covers the word before `pointer`, found by walking: 0 for none.
  Ref covering(word pointer);

 private:
  struct Placed { Id id; word at; };

  std::vector<Id> roots(bool may);
  void walk_heap();
  void check_edges(Ref ref);
  void check_alive();
  void check_roots();
  void check_finalizers();
  void forget_dropped();
  void check_handles();
  void check_handle(Shadow::HandleNote& note);
  void check_chunks();
  void check_charges();
  void fold(u64 value) { digest_ = mix64(digest_ ^ value); }
  [[noreturn]] void fail(const char* what, u64 a = 0, u64 b = 0, u64 c = 0);

  Host& host_;
  Shadow& shadow_;
  bool full_ = false, twice_ = false; // what the last collection was; twice: a young one, then a full one because promotion failed, or the last pause of a marking
  std::vector<word> heap_at_;         // by identity
  std::vector<Placed> pins_;          // what must not move
  std::vector<Id> hit_;               // what ambiguous words lead to
  std::vector<Id> fresh_;             // became ready in the last collection
  u64 digest_ = 1, collections_[3] = {}, failed_promotions_ = 0, marked_beside_ = 0, en_masse_ = 0, moves_ = 0, most_objects_ = 0, objects_ = 0, resurrected_ = 0;
};

} // namespace garner::test

#include "examiner.ipp"
