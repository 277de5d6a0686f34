// Strands: what one worker of an evacuation follows at a time, each depth first, each into memory of its own.
//
// The order in which survivors are copied is the order in which they lie, and the program walks them later. A stack alone gives the best order, and waits for
// memory at every object. A stack whose entries wait in a queue until their lines have come (Ahead) does not wait, but what it copies one after the other belongs to as many
// places of the graph as the queue is deep: walking a tree then costs the program a miss at every node. So each of the places asked for is a strand: it keeps
// its own few next entries, newest first, and takes room for its copies by chunks, so that a chain, or a tree of small objects, lies as a stack alone would lay it.
// Of what an object refers to the lowest goes first, and a strand divides only where the other part lies elsewhere: a document whose objects were made one behind
// the other is laid as it was made, which is how its program reads it, and how the processor brings it by itself.
//
// Invariants:
//  - What a worker has met (Met) holds for one collection: addresses come again, and where something has gone, or stays, is settled once.
//  - live strands are turn[0 … live) and have `next`, asked for; the others have neither next nor kept entries.
//  - A strand whose stack is full gives its older half to the worker's queue, where thieves find it; a worker shows its queue every kShowEvery objects. At the
//    end of drain() no strand lives, so nothing is lost or hidden when the phase asks whether a worker is idle.
//  - Chunks are cut from the worker's buffers (Collecting::buffers) and outlive drain(); what is left of them is filled at the end of the collection.
// Implements N7 (order); N2 for chunks. Deviation: the papers' workers have one stack and one buffer.
#pragma once
#include "seam/host.h"

namespace garner {

inline constexpr u32 kOldClass = 7; // destination classes: 0..6 survivors of age 1..7, 7 old
inline constexpr u32 kClasses = 8;

struct CopyBuffer { word top = 0, end = 0; };

// Where a worker has been led to again, the last of each of a few sets: an element's parent, a string that all share. Who refers to it too needs no turn of a strand.
struct Met { Ref from, to; };
inline constexpr usize kMet = 16, kMetBytes = 32; // powers of two, so that a heap's place in memory decides nothing
GARNER_INLINE usize set_of(Ref ref) { return ref.at / kMetBytes % kMet; }

struct Strand {
  static constexpr u32 kMost = 12; // more bring nothing, and each leaves a begun chunk
  static constexpr u32 kKept = 16;
  static constexpr usize kLinesAhead = 3; // so far behind a copy a line is asked for: the next one has not come yet where a strand goes on at once
  static constexpr usize kAround = 4096; // bytes: what lies nearer stays in the strand
  static constexpr usize kBeside = 128;  // bytes: twice so near in a row, and the strand goes on before it is its turn, as long as the worker has something to show
  static constexpr u32 kLeastChunk = 512, kMostChunk = 8192; // bytes; the first of a collection is the least, each that follows twice as large: little is left over of little
  static constexpr usize kInChunks = 256; // larger objects go to the worker's buffer: their next line is their own anyway
  struct Step { u64 entry; Ref ref; }; // of the queue, and what its slot held when it was found: nobody else changes that
  Step next = {};
  bool beside = false; // `next` lies beside the object that was followed before it
  bool apart = false; // `next` came from the queue: its copy lies in the worker's buffer, beside those of its neighbours in an array or a table
  u32 count = 0, fresh = 0; // of those kept, from `fresh` on: found at the object that is being followed
  u32 chunk = kLeastChunk; // bytes of the next chunk
  Step kept[kKept]; // the first `count`, newest last
  CopyBuffer chunks[kClasses];

  // Of what has just been found the lowest goes first.
  GARNER_INLINE void in_order() {
    Step* const low = kept + fresh;
    for (Step* each = low + 1; each < kept + count; each++) {
      const Step step = *each;
      Step* to = each;
      for (; to > low && to[-1].ref.at < step.ref.at; to--) *to = to[-1];
      *to = step;
    }
  }
};

// Whether less than `bytes` lie between the begins of two objects.
GARNER_INLINE bool within(Ref a, Ref b, usize bytes) { return a.at - b.at + (bytes - 1) < 2 * bytes - 1; }

} // namespace garner
