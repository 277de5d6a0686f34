// Player: one thread of a game. Each operation is one thing a program does to its heap, with its shadow beside it.
#pragma once
#include "game.h"

namespace garner::test {

template <class M> class Player {
 public:
  using Self = typename M::Self;
  Player(Game<M>& game, Self& self, synthetic::Mutator<M>& mutator, u32 number);
  void play();
  void drop_everything(); // the last player: nothing is reachable afterwards
  bool starved() const { return starved_ > 60; }

 private:
  struct Found { Ref ref; Id id; };
  using Operation = void (Player::*)();

  // -- with the lock held --
  Found find();                                 // an object that is reachable, or {0, 0}
  Found find_with_slots();
  void link(Found holder, usize n, Found to);
  void hold(Found what, word inside = 0, RootKind kind = RootKind::exact);
  void let_go(usize cell);
  void let_go_all_but(usize keep);
  Shadow::HandleNote* pick_note();
  void new_handle(HandleKind kind, Found first, Found second, bool in_store = false);
  void forget(Shadow::HandleNote& note);
  void register_finalizer(Found what);
  void set_static_to(Found found);

  // -- allocation: safepoints --
  Found make(u64 type, Id loader_index = 0, bool pinned_heap = false); // also a root cell, the newest; {0, 0} when memory is out
  void connect(Found made);
  u64 small_type();
  u64 sized_type(usize bytes);

  // -- operations --
  void allocate_small();
  void allocate_medium();
  void allocate_large();
  void allocate_pinned();
  void allocate_garbage();
  void build_list();
  void build_wide();
  void relink();
  void unlink();
  void bulk_copy();
  void add_root();
  void drop_roots();
  void interior_root();
  void pin_root();
  void pass_root();
  void ambiguous_words();
  void set_static();
  void make_handle();
  void free_handle();
  void store_handle();
  void read_handle();
  void toggle_held();
  void make_ephemerons();
  void make_finalizable();
  void run_finalizers();
  void suppress();
  void make_eager();
  void make_loader();
  void make_hidden();
  void side_entry();
  void uproot();
  void collect();
  void change_limit();
  static const Operation kOperations[];
  static const u32 kWeights[];
  static const usize kOperationCount;

  Game<M>& game_;
  Synthetic<M>& host_;
  Shadow& shadow_;
  Self& self_;
  synthetic::Mutator<M>& mutator_;
  Dice dice_;
  std::vector<u32> mix_;     // cumulated weights of this script
  u32 starved_ = 0;
};

} // namespace garner::test
