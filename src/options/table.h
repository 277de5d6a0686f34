// Every option of the collector, one row each. Pure data: no reading of environments here (parse.h), no policy (cycle/pace).
//
// A row gives name (floor.option), type, unit, range or choices, default, one sentence, the mechanisms it selects, the
// paper's own name for it, and the value it takes in a bad mood under test. `garner options`, the man page and
// docs/options.md are printed from this table. Illegal combinations and presets stand below it.
#pragma once
#include "base/words.h"

namespace garner {

enum class Opt : u16 {
  preset, workers, log, log_format, log_detail, live, seed, notices,
  region, reserve, limit, limit_percent, tlab, plab_young, plab_old, tenure_age, tenure, en_masse, space_eden, space_survivor, space_old, trim, retain,
  hold, huge_pages, poison,
  task_queue, sync, term_exit, term_count, lock, order, steal, queue_capacity, conductor, join, pin, seats, root_batch,
  victim, steal_half, share_from, root_capacity, request_batch, last_resort,
  scheme, node_lookup, lookup_batch, flush_threshold, old_roots, root_take, card_phase,
  compact_dense, compact_into, in_place, ahead, ahead_by, by_place, part, no_room, full_promotes, marking, sweep_beside, moved_at_once,
  resize, lean, eden, eden_min, eden_max, pause_goal, gc_share, old_growth, conserve, idle, verify, stress_every, stress_kind, woken_per,
  record_file, record_at, record_most, record_time,
  count
};
inline constexpr usize kOptions = usize(Opt::count);

enum class OptType : u8 { number, bytes, choice, flag, text };

struct OptRow {
  Opt id;
  const char* name;      // "floor.option"; the floor may be left out where the rest is unique
  OptType type;
  const char* unit;      // "" for none
  i64 low, high;         // inclusive, for number and bytes
  i64 value;             // default: number, bytes, index into choices, 0/1, index into kTextDefaults
  const char* choices;   // "a|b|c" for choice; null otherwise
  const char* sentence;
  const char* tags;      // mechanisms, "N2 N22"
  const char* alias;     // the papers' name(s), space-separated, or ""
  i64 mood;              // value under test in a bad mood
  const char* values = nullptr; // the papers' names of the choices where they differ, in the same order
};

// Defaults of text options. Each text option has one text of its own, in the order of the rows.
inline constexpr const char* kTextDefaults[] = {"off", "largest"};

// Choice values, in the order of the rows' `choices`.
enum class Preset : i64 { garner, ps, interleaved, naps, fragmented, ps_fragopt, segregated, org, aggressive, hybrid, relaxed };
enum class LogFormat : i64 { line, json };
enum class SpacePolicy : i64 { automatic, firsttouch, interleaved, fragmented, fragmented_hotspot, segregated };
enum class HugePages : i64 { off, on, automatic };
enum class TaskQueueKind : i64 { monitor, msqueue, array };
enum class SyncKind : i64 { monitor, futex };
enum class TermExit : i64 { literal, count_only };
enum class TermCount : i64 { flat, by_node };
enum class LockKind : i64 { spin_cas_then_posix, posix };
enum class Order : i64 { owner_lifo, fifo };
enum class Conductor : i64 { works, waits };
enum class Join : i64 { fixed, late };
enum class Pinning : i64 { automatic, none, rr };
enum class Victim : i64 { random, nearest };
enum class Scheme : i64 { org, aggressive, hybrid, relaxed };
enum class NodeLookup : i64 { address, cache, syscall };
enum class OldRoots : i64 { random, home };
enum class RootTake : i64 { own, any };
enum class CardPhase : i64 { fused, apart };
enum class Resize : i64 { adaptive, fixed };
enum class VerifyWhen : i64 { off, before, after, both };
enum class StressKind : i64 { mixed, young, full };
enum class Promotes : i64 { aged, all };
enum class MarkingWhen : i64 { stopped, concurrent, automatic };
enum class NoRoom : i64 { keep, full };
enum class CompactInto : i64 { own, fresh };
enum class AheadBy : i64 { queue, batches, strands };
enum class Tenure : i64 { fixed, adaptive };
enum class EnMasse : i64 { off, adaptive, mostly };

inline constexpr i64 kMaxBytes = i64(1) << 46;

inline constexpr OptRow kTable[] = {
  // -- general --
  {Opt::preset, "general.preset", OptType::choice, "", 0, 0, 0, "garner|ps|interleaved|naps|fragmented|ps_fragopt|segregated|org|aggressive|hybrid|relaxed", "A named set of values; single options given beside it win.", "N24 T1 T8", "naps.preset", 1},
  {Opt::workers, "general.workers", OptType::number, "threads", 0, 1024, 0, nullptr, "Collector threads that may take part in a pause; 0 asks the machine.", "N4 N25", "naps.gc_threads", 3},
  {Opt::log, "general.log", OptType::text, "", 0, 0, 0, nullptr, "Where one record per collection goes: off, stderr, or a file's path.", "N27", "", 0},
  {Opt::log_format, "general.log_format", OptType::choice, "", 0, 0, 0, "line|json", "Shape of the log's records.", "N27", "", 1},
  {Opt::log_detail, "general.log_detail", OptType::choice, "", 0, 0, 1, "plain|full|roots", "What a json log holds: collections and phases; also what each worker did when and, on several nodes, bytes, accesses and steals by node; also where the objects below each root lie, for which all roots are followed before each collection.", "N27 T15", "topo.trace_locality", 2, "none|off|on"},
  {Opt::live, "general.live", OptType::flag, "", 0, 1, 1, nullptr, "Show the heap's figures to 'garner top' in a page of memory.", "N27", "", 0},
  {Opt::seed, "general.seed", OptType::number, "", 0, i64(1) << 62, 1, nullptr, "Seed of every random choice of the collector (victims, stress).", "N9", "", 7},
  {Opt::notices, "general.notices", OptType::flag, "", 0, 1, 1, nullptr, "Print notices (a setting that is not supported, a policy the system refused) once, on stderr.", "", "", 1},
  // -- heap --
  {Opt::region, "heap.region", OptType::bytes, "bytes", 64 * 1024, 512 * 1024, 256 * 1024, nullptr, "Size of a region, a power of two.", "M1", "", 64 * 1024},
  {Opt::reserve, "heap.reserve", OptType::bytes, "bytes", 0, kMaxBytes, 0, nullptr, "Address space reserved at start; 0 uses the formula of the operator guide.", "N22", "", 0},
  {Opt::limit, "heap.limit", OptType::bytes, "bytes", 0, kMaxBytes, 0, nullptr, "Most memory the heap and its tables may use; 0 asks the runtime's settings and the container.", "N12", "", 0},
  {Opt::limit_percent, "heap.limit_percent", OptType::number, "percent", 0, 100, 0, nullptr, "The same as a share of the memory of machine or container; 0 is off.", "N12", "", 0},
  {Opt::tlab, "heap.tlab", OptType::bytes, "bytes", 1024, 64 * 1024, 32 * 1024, nullptr, "Largest allocation buffer of a program's thread.", "N2", "naps.tlab", 1024},
  {Opt::plab_young, "heap.plab_young", OptType::bytes, "bytes", 1024, 1 << 20, 32 * 1024, nullptr, "Allocation buffer of a collector thread in survivor space.", "N2", "naps.plab_young", 1024},
  {Opt::plab_old, "heap.plab_old", OptType::bytes, "bytes", 1024, 1 << 20, 32 * 1024, nullptr, "Allocation buffer of a collector thread in old space.", "N2", "naps.plab_old", 1024},
  {Opt::tenure_age, "heap.tenure_age", OptType::number, "collections", 0, 6, 1, nullptr, "Collections an object spends in survivor space before it is promoted.", "N1", "naps.tenure_age", 2},
  {Opt::tenure, "heap.tenure", OptType::choice, "", 0, 0, 1, "fixed|adaptive", "Whether all survivors spend that time there, or none while nearly all that did came through alive.", "N1", "", 0},
  {Opt::en_masse, "heap.en_masse", OptType::choice, "", 0, 0, 1, "off|adaptive|mostly", "Whether all that is young is promoted where it lies, without being looked at: never, while nearly all of eden survives, three times in four (for tests).", "N1", "", 0},
  {Opt::space_eden, "heap.space_eden", OptType::choice, "", 0, 0, 0, "auto|firsttouch|interleaved|fragmented|fragmented_hotspot|segregated", "Placement of eden's pages over the nodes; auto: fragmented where there are several; segregated: fragmented, and objects are collected by workers of their node only.", "N18 N19 N20 N21 N23 N24 T12", "naps.space.eden topo.tlab", 4,
   "auto|os_firsttouch|os_interleave|node_local"},
  {Opt::space_survivor, "heap.space_survivor", OptType::choice, "", 0, 0, 0, "auto|firsttouch|interleaved|fragmented|fragmented_hotspot|segregated", "Placement of survivor pages over the nodes; fragmented: copies go to the node of the worker that makes them; segregated: as for eden.", "N18 N19 N20 N21 N23 N24 T11", "naps.space.survivor topo.plab", 4,
   "auto|os|os_interleave|node_local"},
  {Opt::space_old, "heap.space_old", OptType::choice, "", 0, 0, 0, "auto|firsttouch|interleaved|fragmented|fragmented_hotspot", "Placement of old and large pages over the nodes; auto: as for eden.", "N18 N19 N20 N21 N24", "naps.space.old naps.space.perm", 2},
  {Opt::trim, "heap.trim", OptType::flag, "", 0, 1, 0, nullptr, "Give every emptied region's pages back after each collection.", "N22", "naps.trim_after_gc", 1},
  {Opt::retain, "heap.retain", OptType::flag, "", 0, 1, 0, nullptr, "Keep emptied pages for later instead of giving them back.", "N12", "", 0},
  {Opt::hold, "heap.hold", OptType::flag, "", 0, 1, 1, nullptr, "Leave memory that has been written to before to the next collection's copies, as much as they are expected to take, and give eden memory that the system must bring first. Simulations only do it when it is given.", "N12", "", 0},
  {Opt::huge_pages, "heap.huge_pages", OptType::choice, "", 0, 0, 0, "off|on|auto", "Ask the system for transparent huge pages, for the whole heap or (auto) for what lies beyond its first 64 MB, 2 MB at a time while the limit has room for all of them, and the marks that belong to it; auto asks no longer where two in a row, or one in three, took more than a millisecond each.", "", "", 1, "0|1"},
  {Opt::poison, "heap.poison", OptType::flag, "", 0, 1, 0, nullptr, "Fill emptied regions with 0xDB, so that a stale reference is seen; of a large object its first region.", "", "", 1},
  // -- work --
  {Opt::task_queue, "work.task_queue", OptType::choice, "", 0, 0, 2, "monitor|msqueue|array", "The queue of root tasks.", "N6 N16", "naps.task_queue", 1},
  {Opt::sync, "work.sync", OptType::choice, "", 0, 0, 1, "monitor|futex", "How workers are started, ended and parked.", "N5 N11 N17 T10", "naps.sync topo.finaliser", 1, "barrier|lazy"},
  {Opt::term_exit, "work.term_exit", OptType::choice, "", 0, 0, 1, "literal|count_only", "When an idle worker may leave: as the paper prints it, or only when all are idle.", "N10", "naps.term_exit", 1},
  {Opt::term_count, "work.term_count", OptType::choice, "", 0, 0, 1, "flat|by_node", "Whether idle workers are counted in one word for all, or by node and then nodes; by_node needs join=late and conductor=works and is flat otherwise.", "N10 N17", "", 0},
  {Opt::lock, "work.lock", OptType::choice, "", 0, 0, 1, "spin_cas_then_posix|posix", "The monitor's lock.", "N5 N15", "naps.lock", 0},
  {Opt::order, "work.order", OptType::choice, "", 0, 0, 0, "owner_lifo|fifo", "Which end of its own deque a worker takes from.", "N7", "naps.order", 1},
  {Opt::steal, "work.steal", OptType::flag, "", 0, 1, 1, nullptr, "Idle workers take work from others.", "N9", "naps.steal", 1},
  {Opt::queue_capacity, "work.queue_capacity", OptType::number, "entries", 8, 1 << 22, 1 << 17, nullptr, "Entries of a worker's deque, a power of two; the rest overflows.", "N8", "naps.queue_capacity", 8},
  {Opt::conductor, "work.conductor", OptType::choice, "", 0, 0, 0, "works|waits", "Whether the thread that runs the collection is worker 0 or sleeps meanwhile.", "N4", "", 1},
  {Opt::join, "work.join", OptType::choice, "", 0, 0, 1, "fixed|late", "Whether a phase waits for every wanted worker, or counts workers from the moment they have woken up.", "N10 N17", "", 0},
  {Opt::pin, "work.pin", OptType::choice, "", 0, 0, 0, "auto|none|rr", "Pin collector threads, going round the nodes; auto: where there are several.", "N25", "naps.pin", 1},
  {Opt::seats, "work.seats", OptType::flag, "", 0, 1, 1, nullptr, "On one node, where collector threads are as many as the processors that the process may use, and at most 64: keep each of them on a processor of its own, and none on that of the thread that runs the collection; pin=rr turns it off.", "", "", 0},
  {Opt::root_batch, "work.root_batch", OptType::number, "roots", 1, 1 << 16, 256, nullptr, "Roots in one task.", "N7", "", 2},
  {Opt::victim, "work.victim", OptType::choice, "", 0, 0, 1, "random|nearest", "Whom an idle worker steals from: anybody at random, or the nearest first.", "N9 T7", "topo.victim", 0},
  {Opt::steal_half, "work.steal_half", OptType::flag, "", 0, 1, 1, nullptr, "A theft takes half of what the victim shows, 128 entries at most, and one thief at a time goes to a victim; off: one entry, and whoever wants.", "N9", "", 0},
  {Opt::share_from, "work.share_from", OptType::number, "entries", 2, 4096, 8, nullptr, "Entries that a worker holds back before it shares them without waiting: fewer are shared when they have lasted for a while.", "N8", "", 2},
  {Opt::root_capacity, "work.root_capacity", OptType::number, "entries", 8, 1 << 22, 1 << 14, nullptr, "Entries of a node's queue of roots and of its inbox, a power of two; the rest spills.", "T4 N23", "topo.root_queue_capacity", 8},
  {Opt::request_batch, "work.request_batch", OptType::number, "requests", 1, 256, 32, nullptr, "Scan requests for one node that are sent at once; 1 is the paper's.", "N23", "naps.seg.batch", 3},
  {Opt::last_resort, "work.last_resort", OptType::number, "us", 0, 1000000, 0, nullptr, "Idle time after which a worker may take a whole root of another node; 0 is never.", "T7", "", 1},
  // -- collect --
  {Opt::scheme, "collect.scheme", OptType::choice, "", 0, 0, 0, "org|aggressive|hybrid|relaxed", "How roots are handed out: where they are found, to their object's node, to a random node, or to a random node whose queue is anybody's.", "T1 T2 T3 T8", "topo.scheme", 1},
  {Opt::node_lookup, "collect.node_lookup", OptType::choice, "", 0, 0, 0, "address|cache|syscall", "How a root's node is found: from its address (where that does not tell, from the cache), from a table of pages asked for once, or by a system call.", "T5", "topo.node_lookup", 2, "address_range|pagemap_cache|syscall"},
  {Opt::lookup_batch, "collect.lookup_batch", OptType::number, "roots", 1, 128, 100, nullptr, "Roots asked for in one system call, with node_lookup=syscall.", "T5", "", 3},
  {Opt::flush_threshold, "collect.flush_threshold", OptType::number, "roots", 1, 4096, 100, nullptr, "Roots for one node that a worker collects before it hands them over.", "T6", "topo.flush_threshold", 2},
  {Opt::old_roots, "collect.old_roots", OptType::choice, "", 0, 0, 0, "random|home", "Where aggressive puts roots found on cards: to any node, or home like the others.", "T9", "topo.o2y", 1},
  {Opt::root_take, "collect.root_take", OptType::choice, "", 0, 0, 0, "own|any", "Whose roots workers take under hybrid.", "T8", "topo.hybrid_root_take", 1},
  {Opt::card_phase, "collect.card_phase", OptType::choice, "", 0, 0, 0, "fused|apart", "Whether cards are scanned among the other roots or before them, in a timed phase of its own.", "T16", "", 1},
  {Opt::compact_dense, "collect.compact_dense", OptType::number, "percent", 1, 101, 75, nullptr, "A full collection leaves a region in place when at least this share of it lives; 101 moves always.", "N13", "", 101},
  {Opt::compact_into, "collect.compact_into", OptType::choice, "", 0, 0, 0, "own|fresh", "Where a full collection moves what lives: together within the regions that hold it (sliding), or into free regions as long as there is memory for more (evacuating).", "N13", "", 1},
  {Opt::in_place, "collect.in_place", OptType::number, "slots", 0, 1'000'000'000, 1'000'000, nullptr, "A full collection that has marked through so many references, an object counting as eight, and would gain little room by moving objects leaves all where they are.", "N13", "", 0},
  {Opt::ahead, "collect.ahead", OptType::number, "objects", 0, 32, 20, nullptr, "Objects a worker has asked the memory for before it looks at the first of them; 0 is off. Simulations ask for 12 when it is not given.", "N7", "", 0},
  {Opt::ahead_by, "collect.ahead_by", OptType::choice, "", 0, 0, 2, "queue|batches|strands", "Young collections: whether each of them is looked at when another has been asked for, all of them when so many have been, or as the next of as many strands, each followed depth first and copied together. Simulations take queue when it is not given; with work.order=fifo strands are queue.", "N7", "", 1},
  {Opt::by_place, "collect.by_place", OptType::flag, "", 0, 1, 1, nullptr, "Full collections that stop the program: once a worker's own part of its deque holds a quarter of what it has room for, objects marked next are looked at by where they lie, 512 KB after 512 KB; not with work.order=fifo.", "N13", "", 1},
  {Opt::part, "collect.part", OptType::bytes, "bytes", 0, 64 * 1024, 512, nullptr, "References of a larger survivor are queued by parts of this size, so that workers share an array between them, in steps of 8 and 64 at least; 0 queues each.", "N9", "", 64},
  {Opt::no_room, "collect.no_room", OptType::choice, "", 0, 0, 0, "keep|full", "When survivors find no memory: they stay where they are and buffers are cut from between them, or a full collection follows under the same stop.", "N14", "", 1},
  {Opt::full_promotes, "collect.full_promotes", OptType::choice, "", 0, 0, 0, "aged|all", "Whether a full collection ages young objects by one generation or makes all of them old.", "N13", "", 1},
  {Opt::marking, "collect.marking", OptType::choice, "", 0, 0, 2, "stopped|concurrent|auto", "Whether old objects are marked while the program stands, or by a thread beside it between two young collections; what is dead is swept where it lies, and regions that are mostly empty are emptied by and by. auto: beside it where stopping for it would take more than eight times cycle.pause_goal, or may, as the heap has grown well beyond all that full collections have looked at.", "", "", 1},
  {Opt::sweep_beside, "collect.sweep_beside", OptType::flag, "", 0, 1, 1, nullptr, "What a marking beside the program has found dead is swept beside it too; off, or where memory is short: in the marking's last pause.", "", "", 1},
  {Opt::moved_at_once, "collect.moved_at_once", OptType::bytes, "bytes", 0, 1 << 30, 4 * MiB, nullptr, "After a marking beside the program: about so many bytes of old objects are moved out of mostly empty regions at the end of a young collection, and more where reading what was written takes longer; 0 moves none.", "", "", 256 * KiB},
  // -- cycle --
  {Opt::resize, "cycle.resize", OptType::choice, "", 0, 0, 0, "adaptive|fixed", "Whether eden's size follows the goals or stays.", "N12", "naps.resize", 1},
  {Opt::lean, "cycle.lean", OptType::flag, "", 0, 1, 1, nullptr, "Memory has its price: eden grows beyond 16 MiB, or an eighth of what lives, only where pauses with it have taken so much time that it pays. Without a limit it starts at its least size, too, and old space may grow by less, a quarter at least, where a full collection takes little more than a young one, and by twice as much where full ones take a large share of the time. Not with resize=fixed, for eden not where eden_max is given, for old space not where old_growth is; simulations only do it when it is given.", "N12", "", 0},
  {Opt::eden, "cycle.eden", OptType::bytes, "bytes", 0, kMaxBytes, 0, nullptr, "Eden's size at start, and always when resize is fixed; 0 derives it from the last cache and the limit, or takes eden_min where there is no limit and cycle.lean counts.", "N12 N22", "", 1 << 20},
  {Opt::eden_min, "cycle.eden_min", OptType::bytes, "bytes", 256 * 1024, kMaxBytes, 4 << 20, nullptr, "Eden never shrinks below this, but for the limit.", "N12", "", 256 * 1024},
  {Opt::eden_max, "cycle.eden_max", OptType::bytes, "bytes", 0, kMaxBytes, 0, nullptr, "Eden never grows above this; 0 derives it: the limit, or four times the last cache and at least 64 MiB.", "N12", "", 4 << 20},
  {Opt::pause_goal, "cycle.pause_goal", OptType::number, "ms", 1, 60000, 10, nullptr, "Young pauses the adaptive policy aims at.", "N12", "", 1},
  {Opt::gc_share, "cycle.gc_share", OptType::number, "percent", 1, 90, 5, nullptr, "Share of time in young pauses above which eden grows; where cycle.lean counts that of an eden of 16 MiB.", "N12", "", 1},
  {Opt::old_growth, "cycle.old_growth", OptType::number, "percent", 5, 1000, 100, nullptr, "Growth of old and large space over the live size that starts a full collection; without a limit it may be from a quarter of the default to twice as much with cycle.lean, under one several times as much.", "N12 N13", "", 20},
  {Opt::conserve, "cycle.conserve", OptType::number, "", 0, 9, 0, nullptr, "Readiness to spend time for memory, 0 to 9: smaller growth of old space before a full collection.", "N12", "", 5},
  {Opt::idle, "cycle.idle", OptType::number, "s", 0, 86400, 30, nullptr, "After so long without a collection, and with next to nothing allocated, the heap is collected once and all free memory goes back to the system; 0 is never.", "N12", "", 1},
  {Opt::verify, "cycle.verify", OptType::choice, "", 0, 0, 0, "off|before|after|both", "Walk and check the whole heap around every collection.", "", "", 3},
  {Opt::stress_every, "cycle.stress_every", OptType::number, "refills", 0, 1 << 30, 0, nullptr, "Collect at every so many buffer refills; 0 is off.", "", "", 50},
  {Opt::stress_kind, "cycle.stress_kind", OptType::choice, "", 0, 0, 0, "mixed|young|full", "What stress_every collects.", "", "", 0},
  {Opt::woken_per, "cycle.woken_per", OptType::bytes, "bytes", 0, 1 << 30, 64 << 10, nullptr, "Expected work per worker below which fewer are woken; 0 wakes all.", "N4", "", 0},
  // -- record --
  {Opt::record_file, "record.file", OptType::text, "", 0, 0, 0, nullptr, "Where the heap before a collection is recorded as a graph: off, or a file's path ('garner record' sets it).", "", "", 0},
  {Opt::record_at, "record.at", OptType::text, "", 0, 0, 1, nullptr, "Which collections are recorded: largest, or their numbers joined by +, as in 3+7.", "", "", 0},
  {Opt::record_most, "record.most", OptType::bytes, "bytes", 4096, i64(1) << 32, 64 << 20, nullptr, "Most bytes of a recording; of a larger heap whole sub-graphs are left out.", "", "", 1 << 20},
  {Opt::record_time, "record.time", OptType::number, "ms", 1, 600000, 10000, nullptr, "Longest time the program stands for one recording.", "", "", 1000},
};
static_assert(sizeof(kTable) / sizeof(kTable[0]) == kOptions, "one row per option");
constexpr bool table_in_order() {
  for (usize i = 0; i < kOptions; i++)
    if (usize(kTable[i].id) != i) return false;
  return true;
}
static_assert(table_in_order(), "rows stand in the order of Opt");
// The number of a text option among the text options; also how many there are before `id`.
constexpr usize text_index(Opt id) {
  usize n = 0;
  for (usize i = 0; i < usize(id); i++) n += kTable[i].type == OptType::text;
  return n;
}
inline constexpr usize kTexts = text_index(Opt::count);

// What a preset sets, beyond the defaults and beyond what its base sets. `garner` is the defaults themselves.
struct PresetBase { Preset preset, base; };
inline constexpr PresetBase kBases[] = {
  {Preset::interleaved, Preset::ps}, {Preset::fragmented, Preset::ps}, {Preset::ps_fragopt, Preset::ps}, {Preset::segregated, Preset::ps},
  {Preset::naps, Preset::fragmented}, {Preset::org, Preset::interleaved},
  {Preset::relaxed, Preset::org}, {Preset::hybrid, Preset::relaxed}, {Preset::aggressive, Preset::relaxed},
};
struct PresetValue { Preset preset; Opt option; i64 value; };
inline constexpr PresetValue kPresets[] = {
  {Preset::ps, Opt::task_queue, i64(TaskQueueKind::monitor)}, {Preset::ps, Opt::sync, i64(SyncKind::monitor)},
  {Preset::ps, Opt::term_exit, i64(TermExit::literal)}, {Preset::ps, Opt::term_count, i64(TermCount::flat)}, {Preset::ps, Opt::share_from, 2}, {Preset::ps, Opt::victim, i64(Victim::random)}, {Preset::ps, Opt::steal_half, 0},
  {Preset::ps, Opt::space_eden, i64(SpacePolicy::firsttouch)}, {Preset::ps, Opt::space_survivor, i64(SpacePolicy::firsttouch)},
  {Preset::ps, Opt::space_old, i64(SpacePolicy::firsttouch)}, {Preset::ps, Opt::pin, i64(Pinning::none)}, {Preset::ps, Opt::seats, 0}, {Preset::ps, Opt::lock, i64(LockKind::spin_cas_then_posix)},
  {Preset::ps, Opt::conductor, i64(Conductor::waits)}, {Preset::ps, Opt::plab_old, 8 * 1024}, {Preset::ps, Opt::tlab, 64 * 1024},
  {Preset::ps, Opt::woken_per, 0}, {Preset::ps, Opt::join, i64(Join::fixed)}, {Preset::ps, Opt::no_room, i64(NoRoom::full)},
  {Preset::ps, Opt::tenure, i64(Tenure::fixed)}, {Preset::ps, Opt::en_masse, i64(EnMasse::off)},
  {Preset::interleaved, Opt::space_eden, i64(SpacePolicy::interleaved)}, {Preset::interleaved, Opt::space_survivor, i64(SpacePolicy::interleaved)},
  {Preset::interleaved, Opt::space_old, i64(SpacePolicy::interleaved)},
  {Preset::fragmented, Opt::space_eden, i64(SpacePolicy::fragmented)}, {Preset::fragmented, Opt::space_survivor, i64(SpacePolicy::fragmented)},
  {Preset::fragmented, Opt::space_old, i64(SpacePolicy::interleaved)},
  {Preset::ps_fragopt, Opt::space_eden, i64(SpacePolicy::fragmented_hotspot)},
  {Preset::ps_fragopt, Opt::space_survivor, i64(SpacePolicy::fragmented_hotspot)},
  {Preset::naps, Opt::task_queue, i64(TaskQueueKind::msqueue)}, {Preset::naps, Opt::sync, i64(SyncKind::futex)},
  {Preset::naps, Opt::term_exit, i64(TermExit::count_only)}, {Preset::naps, Opt::pin, i64(Pinning::rr)},
  {Preset::segregated, Opt::term_exit, i64(TermExit::count_only)}, {Preset::segregated, Opt::request_batch, 1},
  {Preset::segregated, Opt::space_eden, i64(SpacePolicy::segregated)}, {Preset::segregated, Opt::space_survivor, i64(SpacePolicy::segregated)},
  {Preset::segregated, Opt::space_old, i64(SpacePolicy::interleaved)}, {Preset::segregated, Opt::pin, i64(Pinning::rr)},
  {Preset::relaxed, Opt::term_exit, i64(TermExit::count_only)}, {Preset::relaxed, Opt::scheme, i64(Scheme::relaxed)},
  {Preset::relaxed, Opt::pin, i64(Pinning::rr)},
  {Preset::hybrid, Opt::scheme, i64(Scheme::hybrid)},
  {Preset::aggressive, Opt::scheme, i64(Scheme::aggressive)}, {Preset::aggressive, Opt::node_lookup, i64(NodeLookup::syscall)},
  {Preset::aggressive, Opt::lookup_batch, 1},
};

// The row that decides an option under a preset: its own, or the nearest base's. Null: the default.
constexpr const PresetValue* preset_row(Preset preset, Opt option) {
  for (const PresetValue& row : kPresets)
    if (row.preset == preset && row.option == option) return &row;
  for (const PresetBase& base : kBases)
    if (base.preset == preset) return preset_row(base.base, option);
  return nullptr;
}

// Two values that must not stand together, and why.
struct IllegalPair { Opt a; i64 a_value; Opt b; i64 b_value; const char* sentence; const char* tag; };
inline constexpr const char* kLiteralMail =
  "work.term_exit=literal does not go with queues per node (collect.scheme other than org; heap.space_eden or heap.space_survivor segregated): workers that leave because all deques look empty would leave roots and requests behind";
inline constexpr IllegalPair kIllegal[] = {
  {Opt::sync, i64(SyncKind::futex), Opt::term_exit, i64(TermExit::literal),
   "work.term_exit=literal needs work.sync=monitor: without the final barrier a worker that leaves early would still move objects while the program runs", "N10"},
  {Opt::sync, i64(SyncKind::monitor), Opt::join, i64(Join::late),
   "work.join=late needs work.sync=futex: the monitor's final barrier counts every worker", "N11"},
  {Opt::term_exit, i64(TermExit::literal), Opt::scheme, i64(Scheme::aggressive), kLiteralMail, "T13"},
  {Opt::term_exit, i64(TermExit::literal), Opt::scheme, i64(Scheme::hybrid), kLiteralMail, "T13"},
  {Opt::term_exit, i64(TermExit::literal), Opt::scheme, i64(Scheme::relaxed), kLiteralMail, "T13"},
  {Opt::term_exit, i64(TermExit::literal), Opt::space_eden, i64(SpacePolicy::segregated), kLiteralMail, "N23"},
  {Opt::term_exit, i64(TermExit::literal), Opt::space_survivor, i64(SpacePolicy::segregated), kLiteralMail, "N23"},
};

} // namespace garner
