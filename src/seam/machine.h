// The first of the two seams: what a collector may ask of a machine. Read this and host.h before anything else.
//
// A Machine is an object that owns pages, topology and time; a Self is one worker thread of it. Collectors touch the heap
// only through a Self's verbs. On the real machine (machine/linux) a verb is a plain instruction. On the simulated one
// (machine/sim) the same verb performs the same access on real bytes, charges the worker's virtual clock by the *type* of
// its argument (a Slot is one word somewhere in the heap, a Header is the line a collector must win, a copy is a stream of
// lines), and may hand control to another worker. Collectors never mention cost.
//
// Rules:  - every word that two workers may write at once is an Atomic of the machine, or a Header won with forward();
//         - a Self is used by its own worker only; a Machine's page calls by one thread at a time unless marked any-thread;
//         - no verb allocates, throws or returns an error: pages calls do, and say so by returning null or false.
#pragma once
#include <concepts>

#include "base/random.h"
#include "base/words.h"

namespace garner {

struct Slot { word at; };   // the address of a word holding a reference: a field, a root, a handle
struct Ref { word at; };    // an object's address, 0 for none
struct Header { word at; }; // the address of the word in which collectors record a forwarding

constexpr bool operator==(Ref a, Ref b) { return a.at == b.at; }

// Which of the placements of a range the system could apply.
enum class Placed : u32 { yes, refused, one_node };

struct NodeSet { u64 bits; }; // node numbers as the machine counts them, dense from 0
inline constexpr u8 kNoNode = 0xff; // nobody knows which

template <class S> concept Verbs = requires(S& self, Slot slot, Ref ref, Header header, word w, usize n) {
  { self.index } -> std::convertible_to<u32>;    // worker number, 0-based
  { self.node } -> std::convertible_to<u32>;     // the node it runs on
  { self.random } -> std::convertible_to<Random&>;
  { self.load(slot) } -> std::same_as<Ref>;      // plain read of a reference
  { self.store(slot, ref) };                     // plain write of a reference
  { self.header(header) } -> std::same_as<word>; // acquire: whoever sees a forwarding may read the copy
  { self.set_header(header, w) };                // plain write, only while nobody else can race
  { self.forward(header, w, w) } -> std::same_as<word>; // compare-and-swap seen -> desired, acq_rel; returns what was found
  { self.copy(w, w, n) };                        // to, from, bytes (multiple of 8); ranges do not overlap
  { self.slide(w, w, n) };                       // the same, ranges may overlap
  { self.stream(w, w, n) };                      // the same as copy with stores that pass the caches, fence included
  { self.read(w, n) };                           // charges a sequential read of bytes the caller looks at itself (scan)
  { self.write(w, n) };                          // charges a sequential write of bytes the caller wrote itself (fill, clear)
  { self.touch(w) };                             // prefetch of the line
  { self.pause() };                              // one turn of a bounded spin
  { self.yield() };                              // gives the core away for a while
  { self.now() } -> std::same_as<u64>;           // nanoseconds, monotone, this machine's own clock
};

template <class M> concept Machine = requires(M& machine, typename M::Self& self, typename M::template Atomic<u32>& futex, word at, usize n,
                                              u32 k, void (*entry)(void*), void* arg, const word* pages, u8* page_nodes) {
  typename M::Self;
  typename M::template Atomic<u64>;
  typename M::Lock;                                       // lock() unlock(): short critical sections, spins
  requires Verbs<typename M::Self>;
  { machine.park(self, futex, k) };                       // sleep unless the word differs from k; may return early
  { machine.wake(self, futex, k) };                       // wake up to k sleepers
  { machine.now() } -> std::same_as<u64>;                 // any-thread
  machine.relax(k);                                       // k turns of a bounded spin, by whoever has no Self; any-thread
  { machine.start(entry, arg) } -> std::same_as<bool>;    // a new thread of this machine
  { machine.reserve(n, n) } -> std::same_as<word>;        // bytes, alignment -> zeroed address space, 0 when refused; not to be touched before it is opened
  { machine.reserve_large(n) } -> std::same_as<word>;     // bytes, a multiple of the large page: of pages the system has set aside, all of them ours at once; 0 when they are too few
  { machine.open(at, n) } -> std::same_as<bool>;          // reserved space may be used from here on, pages that the range touches whole; false: refused
  { machine.release(at, n) };
  { machine.discard(at, n) };                             // the pages' contents are dropped and read as zero; any-thread
  { machine.bind(at, n, k) } -> std::same_as<Placed>;     // pages of the range come from node k
  { machine.interleave(at, n) } -> std::same_as<Placed>;  // pages of the range go round the nodes
  { machine.nodes() } -> std::same_as<u32>;               // at least 1
  { machine.current_node() } -> std::same_as<u32>;        // of the calling thread, a hint; any-thread
  { machine.node_of_worker(k) } -> std::same_as<u32>;     // of those with processors, in turn
  { machine.distance(k, k) } -> std::same_as<u32>;        // between two nodes; comparable within a row, a node is nearest to itself
  machine.ask_nodes(pages, k, page_nodes);                // the node of each page, kNoNode for an untouched one; a system call; any-thread
  { machine.interleaved_node(at) } -> std::same_as<u32>;  // of a touched page in an interleaved range, by arithmetic
  { machine.pin(self, k) } -> std::same_as<bool>;         // this thread to node k; false when the system refuses
};

// What a machine may know besides, and then all of it: its processors by number. For work/seats.h; all any-thread.
template <class M> concept TellsProcessors = requires(M& machine, u32 k, u64 set) {
  { machine.processors() } -> std::same_as<u32>;          // that this process may use
  { machine.processor() } -> std::same_as<u32>;           // of the calling thread, a hint
  { machine.thread() } -> std::same_as<u32>;              // the calling thread's number, never 0
  { machine.affinity(k) } -> std::same_as<u64>;           // the processors that thread k may use, a bit each; 0 where one of them has no bit, or nobody says
  { machine.set_affinity(k, set) } -> std::same_as<bool>; // from here on thread k uses these only; false when the system refuses
};

} // namespace garner
