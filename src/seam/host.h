// The second seam: what a collector may ask of the program whose objects it moves.
//
// Host = Objects && Roots && Weak && World. A reference is the address of an object's first payload word; the word before it is
// the header, so an object of size s at r owns the bytes [r - 8, r - 8 + s). Sizes are multiples of 8, at least 24, and count the header.
//
// Objects: size and references of an object, from the object alone. Valid for old and new copies at any time of a collection:
//          forwarding is recorded in the header word only (bit 63), so everything else of an old copy stays as it was.
// Roots:   gather() is called once by every worker of the gather phase; the host divides itself among the callers. Nothing moves
//          before the last call returned. Pins are reported like any root, in any order, even after other roots of the same object.
// Weak:    the tables of handles and finalizable objects (heap/handles.h, heap/finalizers.h), and the host's own decisions about them.
// World:   stop and resume, and the hooks that a runtime wants between. Called by the thread that runs the collection, in the order
//          enter, stop, begin, before_roots, (gather by workers), after_strong, side_tables, finish, resume, leave. Of a collection that
//          promotes en masse, the four from before_roots to side_tables are left out; where old objects move after a young collection of either kind, before_roots, (gather by
//          workers), after_walk and side_tables come then.
//          A host that may walk through old space at the begin of a collection, and not by each_block (heap/starts.h), has records() too, which says so.
//          A host whose program may stop allocating has marking_rests() too: the thread that marks beside the program calls it, outside of its turns (work/turns.h), when
//          only a collection can go on. It may wait there, and ask for one as any thread of the program would (Cause::marked, Cause::moves).
#pragma once
#include "event/event.h"
#include "seam/machine.h"

namespace garner {

inline constexpr usize kHeadBytes = 8;        // from an object's first byte to its reference
inline constexpr usize kMinObjectBytes = 24;  // header, type word, one payload word; also the smallest filler

// -- the header's forwarding form: bit 63 set, the rest the address of the new copy (or of the object itself: it stays) --
inline constexpr word kForwardBit = word(1) << 63;
constexpr bool is_forward(word header) { return (header & kForwardBit) != 0; }
constexpr word forward_to(Ref to) { return kForwardBit | to.at; }
constexpr Ref forward_target(word header) { return {header & ~kForwardBit}; }
constexpr Header header_of(Ref ref) { return {ref.at - kHeadBytes}; }
constexpr word block_of(Ref ref) { return ref.at - kHeadBytes; }
constexpr Ref ref_of(word block) { return {block + kHeadBytes}; }

// How a root holds its object.
enum class RootKind : u8 { exact, interior, pinned, pinned_interior, value };

// What gather() reports into. `slot.at` is 0 for a root that has no slot to update (RootKind::value).
template <class T> concept RootSink = requires(T& sink, Slot slot, word value, RootKind kind) { sink.root(slot, value, kind); };

template <class H, class Self> concept Objects = requires(H& host, Self& self, Ref ref, word at, usize n, void (*slot_fn)(Slot)) {
  { host.size(ref) } -> std::same_as<usize>;
  { host.leaf(ref) } -> std::same_as<bool>;              // no reference slots and no hidden edge
  { host.each_slot(ref, slot_fn) };                      // every reference slot, ascending within a series
  { host.each_slot_in(ref, at, at, slot_fn) };           // those with low <= address < high, but perhaps without some that hold nothing
  { host.divides(ref) } -> std::same_as<bool>;           // each_slot_in() of a small range costs little, and most of the object are references
  { host.hidden_edge(ref) } -> std::same_as<Ref>;        // an object kept alive without a slot; 0 for none
  { host.fill(at, n) };                                  // makes [at, at + n) one or more dead objects; n >= 24, multiple of 8
  { host.filler(ref) } -> std::same_as<bool>;
  { host.plausible(ref) } -> std::same_as<bool>;         // verifier: could be an object's start
};

template <class H, class Self, class Sink> concept Roots = requires(H& host, Self& self, Sink& sink, Kind kind) {
  { host.gather(self, sink, kind) };
  { H::needs_gathered } -> std::convertible_to<bool>;    // pins come late: fused roots are refused
};

template <class H> concept Weak = requires(H& host, Ref ref) {
  host.handles();                                        // HandleTable&
  host.finalizers();                                     // FinalizeQueue&
  { host.counted_alive(ref) } -> std::same_as<bool>;     // a ref-counted handle's object is held from outside
  { host.drop_eagerly(ref) } -> std::same_as<bool>;      // a dead finalizable object that needs no finalizer
  { host.take_suppressed(ref) } -> std::same_as<bool>;   // finalization was suppressed; forgets that
  { host.critical(ref) } -> std::same_as<bool>;          // finalized after the ordinary ones
};

template <class H> concept World = requires(H& host, Kind kind, Cause cause, u64 index, Ref (*resolve)(Ref)) {
  { host.enter() };                                      // one collection at a time; waits in a way that lets others stop us
  { host.leave() };
  { host.stop(cause) };                                  // returns when every thread of the program stands
  { host.begin(kind, cause, index) };                    // allocation buffers of the program are closed and filled here
  { host.before_roots(kind) };
  { host.after_walk() };                                 // a walk of the roots that is not part of a collection's phases has ended
  { host.after_strong(kind) };                           // everything strongly reachable is marked or copied
  { host.side_tables(resolve) };                         // each entry becomes resolve(entry): its new address, or 0 for the dead
  host.watch_writes(true);                               // from here on the program's barrier notes every page it stores a reference into (heap/written.h), or no longer
  { host.memory_short() } -> std::same_as<bool>;         // the memory of the machine, or of a container, is nearly used up, the latter also where a limit says how much is ours
  { host.finish(kind, cause, index) };                   // the heap is whole again, the world still stopped
  { host.resume() };                                     // every thread of the program may run from here on
  { host.release() };                                    // wakes those that sleep until then; the clock of the pause has been read
};

} // namespace garner
