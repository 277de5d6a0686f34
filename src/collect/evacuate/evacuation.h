// Evacuation: the parallel copying collection of the young generations (and later of any set of regions).
//
// What happens, in order (cycle/cycle.ipp calls it; "workers" marks what runs on the gang):
//   begin       sequential: which regions are collected and where their survivors go; spaces that go on are aligned to a card
//   gather      workers: the host's roots and pins into RootBuffers; regions with dirty cards are listed
//   (cards      workers: with card_phase=apart, slots on dirty cards are written down: T16)
//   freeze      sequential: every pinned object is forwarded to itself, so the copying path knows nothing of pins
//   evacuate    workers: roots, kept objects, strong handles, dirty cards; then the closure, with stealing (N7, N8, N9)
//   (weak things: cycle/weak.ipp, on keep() and alive())
//   put_back    what stays gets its header back; marks tell from here on that it lives. Workers, where pins are many. (The host's side tables are next,
//               and hosts change headers there: .NET takes back the index of an unused sync block.)
//   finish      sequential: buffers are closed, kept regions swept (workers before, where pins are many), the rest freed
//
// Invariants:
//  - An object is copied by whoever wins the compare-and-swap of its header (N7). The copy is complete before that: the swap's
//    release publishes it, the header load's acquire lets losers read it.
//  - An object that stays in place (pinned, or no memory: N14) is forwarded to itself; its header is remembered and put back.
//  - Where memory may run out survivors' slots are checked from the start (eden_kept_), so that what stays in eden may go on there.
//  - Slots are found in one order and looked at in another: between queue and copy an entry waits for its object's line, in Ahead or as the next of a strand.
//  - A slot in an uncollected region whose object is younger than the slot's region lies on a dirty card when the phase ends.
//  - Survivors go to the space of their age (N1); without room there to old (N3); without room there they stay (N14).
//  - With queues per node (collect.scheme, segregated spaces) roots and references take the ways told in distribution.ipp; copying is the same.
// Implements N1 N2 N3 N7 N14, N23, T1 to T9, T11, T16. Deviation: spaces are lists of regions, not address ranges; ages belong to regions, not objects.
#pragma once
#include "collect/ahead.h"
#include "collect/by_place.h"
#include "collect/evacuate/strands.h"
#include "heap/cards.h"
#include "heap/finalizers.h"
#include "heap/handles.h"
#include "heap/roots.h"
#include "heap/space.h"
#include "heap/starts.h"
#include "options/parse.h"
#include "work/gang.h"

namespace garner {

// The spaces of a heap that collections copy into.
template <class M> struct Spaces {
  Space<M> eden, old, pinned;
  Space<M> last_resort; // eden too, out of what the budget keeps back
  Space<M> survivor[kOldClass];
  void init(Heap<M>& heap, const Settings& settings) {
    SpacePolicy of_old = settings.as<SpacePolicy>(Opt::space_old);
    eden.init(heap, Role::eden, kLabelEden, 0, settings.as<SpacePolicy>(Opt::space_eden));
    last_resort.init(heap, Role::eden, kLabelEden, 0, settings.as<SpacePolicy>(Opt::space_eden), Reach::all);
    old.init(heap, Role::old, kLabelOld, 0, of_old);
    pinned.init(heap, Role::pinned, kLabelOld, 0, of_old);
    for (u32 i = 0; i < kOldClass; i++) survivor[i].init(heap, Role::survivor, kLabelSurvivor, u8(i + 1), settings.as<SpacePolicy>(Opt::space_survivor));
  }
  Space<M>& of_class(u32 cls) { return cls == kOldClass ? old : survivor[cls]; }
};

// What one worker did with objects, by the node of their page, for the log. References that it followed and what it copied for them; roots
// that are processed where they are found are not in it, but for those of stacks.
struct NodeUse {
  u64 accesses[kSpaceKinds][kMostNodes], bytes[kSpaceKinds][kMostNodes];
  u32 node; // where the worker ran
};

// What one worker owns during a collection. Padded: neighbours are written by other workers.
template <class M> struct alignas(2 * kLineBytes) Collecting {
  struct Kept { Ref ref; word header; };
  CopyBuffer buffers[kClasses];
  CopyBuffer* into = buffers; // where copies go: `buffers`, or the chunks of `on`
  Strand* on = nullptr;       // the strand that is being followed, in drain_strands()
  Strand strands[Strand::kMost];
  u8 turn[Strand::kMost]; // strands in the order of their turns, live ones first
  u32 live = 0;
  Met met[kMet]; // by set_of()
  Ahead ahead;
  Ahead opening; // full collections: marked objects that are to be scanned
  RootBuffer roots;
  Vector<u32> dirty_regions;
  Vector<u64> card_roots; // card_phase=apart: entries found on cards
  Vector<word> noted;     // incremental compaction: slots that refer into regions that go later
  Vector<Kept> kept; // objects that stay because memory ran out (N14) and whose header is not empty
  u64 kept_bytes = 0, copied_bytes = 0, promoted_bytes = 0, copied_objects = 0, promoted_objects = 0, buffers_taken = 0, lost_races = 0, slots = 0, cards = 0;
  u64 marked_bytes = 0, marked_objects = 0;
  static constexpr u32 kAskingMost = 128;
  struct Asking { u64 entry; word at; };
  Asking asking[kAskingMost]; // roots whose node the system is asked for together
  u32 asking_count = 0;
  NodeUse* uses = nullptr; // null unless the log wants to know
  u64 lookups = 0, lookup_calls = 0; // roots classified by node, system calls for it (T5)
  bool gathered = false; // the host has been asked by this worker already
  usize lacking[kClasses]; // a request of so many bytes, or a small one, failed: until the collection ends none that is as large is made again
  Vector<word*> undecided; // ephemerons whose first object is not known to live (cycle/weak.ipp)
  bool unlisted = false;   // and there was no memory for some
  ByPlace by_place;       // full collections: marked objects that are to be scanned, where there are very many. Last, as young ones look at what is before it only
  void reset() {
    gathered = false;
    for (usize& bytes : lacking) bytes = ~usize(0);
    for (Met& each : met) each = {};
    roots.clear();
    dirty_regions.clear();
    card_roots.clear();
    noted.clear();
    asking_count = 0;
    lookups = lookup_calls = 0;
    kept.clear();
    kept_bytes = copied_bytes = promoted_bytes = copied_objects = promoted_objects = buffers_taken = lost_races = slots = cards = 0;
    marked_bytes = marked_objects = 0;
  }
  // What was used is what the last collection has left in the lists, but for `kept`, which only a lack of memory makes long.
  void trim() { // the program may run
    roots.trim();
    card_roots.ease(card_roots.size(), kKeptEntries);
    noted.ease(noted.size(), kKeptEntries);
    kept.ease(kept.size(), kKeptEntries);
    undecided.ease(undecided.size(), kKeptEntries);
  }
  static constexpr usize kKeptEntries = 1 << 14;
};

template <class H, class M> class Evacuation {
 public:
  using Self = typename M::Self;
  using Worker = Collecting<M>;

  Evacuation(Heap<M>& heap, H& host, Gang<M>& gang, Spaces<M>& spaces, Worker* workers, u32 worker_count, const Settings& settings)
      : heap_(heap), host_(host), gang_(gang), spaces_(spaces), workers_(workers), worker_count_(worker_count),
        plab_young_(settings.bytes(Opt::plab_young)), plab_old_(settings.bytes(Opt::plab_old)),
        part_bytes_(settings.bytes(Opt::part) == 0 ? 0 : max_of(align_up(settings.bytes(Opt::part), kWordBytes), kLeastPart)),
        tenure_age_(u32(settings.get(Opt::tenure_age))), root_batch_(u32(settings.get(Opt::root_batch))),
        ahead_(u32(settings.get(Opt::ahead))),
        strands_(settings.as<AheadBy>(Opt::ahead_by) == AheadBy::strands && settings.as<Order>(Opt::order) != Order::fifo ? min_of(ahead_, Strand::kMost) : 0),
        keep_(settings.as<NoRoom>(Opt::no_room) == NoRoom::keep),
        scheme_(settings.as<Scheme>(Opt::scheme)), lookup_(settings.as<NodeLookup>(Opt::node_lookup)), old_roots_(settings.as<OldRoots>(Opt::old_roots)),
        root_take_(settings.as<RootTake>(Opt::root_take)), lookup_batch_(u32(settings.get(Opt::lookup_batch))),
        apart_(settings.as<CardPhase>(Opt::card_phase) == CardPhase::apart),
        batches_(settings.as<AheadBy>(Opt::ahead_by) == AheadBy::batches && ahead_ != 0), segregated_(segregated_spaces(settings)) {}

  // Bit per label (0 eden, 1 survivors): collected by workers of an object's node only (N23).
  static u32 segregated_spaces(const Settings& settings) {
    u32 eden = settings.as<SpacePolicy>(Opt::space_eden) == SpacePolicy::segregated, survivor = settings.as<SpacePolicy>(Opt::space_survivor) == SpacePolicy::segregated;
    return eden << kLabelEden | survivor << kLabelSurvivor;
  }
  bool spreads() const { return scheme_ != Scheme::org || segregated_ != 0; } // where things lie is part of how they are collected
  static bool wants_mail(const Settings& settings) { return settings.as<Scheme>(Opt::scheme) != Scheme::org || segregated_spaces(settings) != 0; }

  // condemned: 0 eden only, 1 eden and survivors. at_once: what survives of eden is promoted whatever heap.tenure_age says.
  void begin(Self& self, u32 condemned, bool at_once);
  u32 gather_tasks(u32 host_calls) const;
  void gather_task(Self& self, u32 task, u32 host_calls, Kind kind);
  void freeze();
  bool cards_apart() const { return apart_; }
  void list_cards(); // before discover_task and evacuate_tasks
  void discover_task(Self& self, u32 task);
  void counting(bool on) { counting_ = on; } // conductor, between phases: every worker has a NodeUse, and counts
  void discovering(bool on) { discovering_ = on; } // conductor: discover_task's phase is about to run, is over
  u32 evacuate_tasks();
  void evacuate_task(Self& self, u32 task);
  // Where there are many pins they are shared: put_back_task's phase comes before put_back(), sweep_task's before finish(). 0: there are few.
  u32 put_back_tasks() const { return shares_pins() ? u32(div_up(pinned_.size(), kPinsPerTask)) : 0; }
  void put_back_task(u32 task);
  void put_back(); // headers of what stays; from here on marks tell that it lives
  u32 sweep_tasks();
  void sweep_task(u32 task);
  void finish(Self& self);
  GARNER_COLD void trim() { // the program may run; under the collection lock
    for (u32 i = 0; i < worker_count_; i++) workers_[i].trim();
    recent_pins_.note(pinned_count_);
    pinned_.ease(recent_pins_.fade(), Worker::kKeptEntries);
  }

  // -- the body of every phase that traces (Gang::run) --
  void drain(Self& self);
  void take(Self& self, u64 entry);

  // -- for weak things --
  Worker* workers() const { return workers_; }
  u32 worker_count() const { return worker_count_; }
  static constexpr bool moves_now = true;
  bool alive(Ref ref) const {
    if (heap_.cset_of(ref.at) == 0) return true;
    if (is_forward(__atomic_load_n(reinterpret_cast<word*>(header_of(ref).at), __ATOMIC_ACQUIRE))) return true;
    return __atomic_load_n(&heap_.region_of(ref).kept, __ATOMIC_RELAXED) && heap_.marks().is_marked(block_of(ref)); // its header is put back already
  }
  // What alive() and now_at() will look at is asked for.
  void expect(Ref ref) const {
    if (heap_.cset_of(ref.at) != 0) __builtin_prefetch(reinterpret_cast<const void*>(header_of(ref).at));
  }
  // Where a live object is now.
  Ref now_at(Ref ref) const {
    if (heap_.cset_of(ref.at) == 0) return ref;
    word header = __atomic_load_n(reinterpret_cast<word*>(header_of(ref).at), __ATOMIC_ACQUIRE);
    return is_forward(header) ? forward_target(header) : ref;
  }
  Ref now_at_if_moved(Ref ref) const { return now_at(ref); }
  // Keeps an object and what it reaches; returns its new address. The closure is traced by the phase that is running.
  Ref keep(Self& self, Ref ref) {
    u8 c = heap_.cset_of(ref.at);
    return c == 0 ? ref : evacuate(self, workers_[self.index], ref, c);
  }
  // The same for an object held by a word of the collector's own, which gets the new address before the phase ends.
  void keep_in(Self& self, Ref& place) {
    if (gang_.parted() && foreign(self, place)) gang_.post(self, Mail::request, heap_.home(heap_.index_of(place)), word(&place.at));
    else place = keep(self, place);
  }
  // The same for the second object of a pair, held by a handle that is rewritten later.
  void keep_second(Self& self, word* slot, Ref ref) {
    if (gang_.parted() && foreign(self, ref)) gang_.post(self, Mail::request, heap_.home(heap_.index_of(ref)), word(slot) | kHandleEntry);
    else keep(self, ref);
  }
  u32 generation_now(Ref ref) const { return heap_.contains(ref.at) ? generation_of_label(future_label(heap_.index_of(ref))) : 2; }
  u32 condemned() const { return condemned_; }
  bool condemned_at_start(Ref ref) const { return heap_.cset_of(ref.at) != 0; }
  bool failed() const { return failed_.load_relaxed() != 0; } // some survivors found no memory
  bool needs_full() const { return failed() && !(keep_ && eden_kept_); } // and may not stay as they are
  u32 card_tasks() const { return card_tasks_; }
  u64 card_bytes() const { return card_bytes_; } // about how much work the cards are, as bytes to copy
  u64 pinned_count() const { return pinned_count_; }
  u64 handle_tasks(HandleKind kind) const { return div_up(host_.handles().chunks(kind), kChunksPerTask); }
  static constexpr u32 kChunksPerTask = 8;

 private:
  // What is asked for in advance: regions whose cards are looked at next, entries of dirty cards that tell where to begin, dirty cards, and how many lines of each.
  static constexpr u32 kRegionsAhead = 2, kStartsAhead = 4, kCardsAhead = 2;
  static constexpr usize kCardLines = 8;
  static constexpr usize kSmallOnCard = 128; // larger ones may be arrays, of which each_slot_in() passes over what is empty
  static constexpr usize kAhead = 16; // pins whose headers are asked for in advance
  // Tags of queue entries (distribution.ipp).
  static constexpr u64 kCheckCard = 1; // the slot's region may be older than its object
  static constexpr u64 kRecordEntry = 2, kHandleEntry = 4, kHolderEntry = 6, kKindBits = 6, kEntryBits = 7;
  static constexpr u32 kPartShift = 48; // above an address: 0, or 1 + the part of a copy
  static constexpr u64 kAddressBits = (u64(1) << kPartShift) - 1;
  static constexpr usize kLeastPart = 64; // a region has fewer than 2^16 - 1 of them
  static bool is_part(u64 entry) { return entry >> kPartShift != 0; }
  static constexpr u32 kKeptPerTask = 64, kBundlesPerTask = 16;
  static constexpr u32 kRegionsPerCardTask = 32, kCardTasksPerWorker = 8; // at most; at least, where there are as many regions
  static constexpr u32 kStripesMost = 8, kStripedPerWorker = 4; // parts of a region; parts for each worker, where regions are few
  // `stripe` of `stripes` equal parts of a region.
  struct CardPart { u32 region; u16 stripe, stripes; };
  // Dirty cards on their way, by where they begin.
  struct CardsAhead { Ahead starts, lines; };

  Ref evacuate(Self& self, Worker& w, Ref ref, u8 c);
  Ref stay(Self& self, Worker& w, Ref ref, word header);
  word allocate(Self& self, Worker& w, u32& cls, usize bytes);
  word allocate_slow(Self& self, Worker& w, u32 cls, usize bytes);
  word refill(Self& self, Worker& w, u32 cls, usize bytes);
  bool alone(u32 cls, usize bytes) const { return bytes > (cls == kOldClass ? plab_old_ : plab_young_) / 2; } // not in a buffer
  static bool fits(const CopyBuffer& buffer, usize bytes) {
    const usize left = buffer.end - buffer.top;
    return GARNER_LIKELY(left >= bytes + kMinObjectBytes) || left == bytes; // what is left behind holds a filler
  }
  void push_slots(Self& self, Worker& w, Ref copy, usize bytes, bool check);
  void push_slot(Self& self, Worker& w, Slot slot, u8 label, bool check);
  void push_parts(Self& self, Ref copy, usize bytes, bool check);
  void open_part(Self& self, Worker& w, u64 entry);
  void process(Self& self, Worker& w, Slot slot, u8 holder_label);
  void process_later(Self& self, Worker& w, Slot slot, Ref ref);
  void mark_card_if_younger(Slot slot, Ref ref, u8 holder_label);
  void hidden(Self& self, Worker& w, Ref holder);
  void follow_hidden(Self& self, Worker& w, Ref holder, Ref ref);
  void scan_batch(Self& self, Worker& w, u32 task);
  void scan_cards(Self& self, Worker& w, CardsAhead& ahead, CardPart part);
  void ask_for_region(u32 index);
  void ask_for_card(Self& self, Worker& w, CardsAhead& ahead, word low);
  void scan_card(Self& self, Worker& w, word low);
  template <class F> void scan_marked(Self& self, Worker& w, u32 index, word low, word high, F look);
  word scan_limit(u32 index);
  void list_dirty(Self& self, Worker& w, u32 task);
  bool list_written(Worker& w, u32 first, u32 last);
  void update_root(Self& self, Worker& w, RootRecord& record);
  void drain_batches(Self& self);
  // strands.ipp
  void drain_strands(Self& self);
  void begin_strand(Self& self, Worker& w, const Strand::Step& step, bool apart);
  bool go_on(Self& self, Worker& w, Strand& strand);
  bool next_queued(Self& self, Worker& w, Strand::Step& step);
  void put(Self& self, Worker& w, u64 entry, Ref ref);
  void give_older(Self& self, Strand& strand);
  bool show(Self& self, Worker& w);
  void follow(Self& self, Worker& w, u64 entry, Ref ref);
  void follow(Self& self, Worker& w, u64 entry) { follow(self, w, entry, self.load(Slot{entry & ~kCheckCard})); }
  void count_around(Self& self, Worker& w, u64 entry);
  void find_roots(Self& self, Worker& w, u32 task, bool parted);
  void card_batch(Self& self, Worker& w, u32 worker, u32 first);
  // distribution.ipp
  Ref target_of(Self& self, u64 entry);
  bool foreign(Self& self, Ref ref) const;
  void perform(Self& self, Worker& w, u64 entry);
  void drain_slowly(Self& self);
  void update_handle(Self& self, Worker& w, word* slot);
  void found(Self& self, Worker& w, u64 entry, Ref ref, bool old);
  void found_slot(Self& self, Worker& w, word at, u64 check);
  void send_home(Self& self, u64 entry, u8 home);
  void ask(Self& self, Worker& w);
  u32 generation_to_be(u8 c) const;
  void discovered(Worker& w, u64 entry);
  void strong_chunk(Self& self, Worker& w, HandleChunk& chunk);
  // Of how many pins a phase of the gang is worth while: each costs two or three lines of memory, twice. What found no memory is put back by one.
  static constexpr usize kPinsToShare = 512;
  static constexpr u32 kPinsPerTask = 256, kSweptPerTask = 4;
  bool shares_pins() const { return pinned_count_ >= kPinsToShare && !failed(); }
  void put_back(const Vector<typename Worker::Kept>& list, usize first, usize last);
  void sweep_kept(u32 index);
  void retire_buffers();
  // The label a region will have when the collection ends: a kept survivor region becomes old, a kept eden region a survivor's when it ages. Known from freeze() on.
  u8 future_label(u32 index) const {
    u8 label = heap_.label(index);
    if (heap_.cset(index) == 0) return label;
    return label == kLabelSurvivor ? kLabelOld : label == kLabelEden && ages(heap_.region(index)) ? kLabelSurvivor : label;
  }
  // Pins in eden are looked at by every young collection. A region with many, which have stayed several times, ages as survivors do. Few cost little, and
  // as eden the rest of their region is used again at once; so at most a kilobyte leaves eden for a pin, and old space has no more than kAgedHoles of such
  // rests (a 32nd of a limit): what promotions do not fill no pacing sees.
  static constexpr u32 kPinnedBefore = 2, kBytesPerPin = 1024;
  static constexpr usize kAgedHoles = 32 * MiB, kAgesNow = ~usize(0);
  usize pins_of_many() const { return heap_.region_bytes() / kBytesPerPin; }
  bool many_pins(const Region<M>& r) const { return r.role == Role::eden && r.pins >= pins_of_many(); }
  bool ages(const Region<M>& r) const { return r.role == Role::eden && r.pins == kAgesNow; }
  void choose_ageing();

  Heap<M>& heap_;
  H& host_;
  Gang<M>& gang_;
  Spaces<M>& spaces_;
  Worker* workers_;
  u32 worker_count_;
  usize plab_young_, plab_old_;
  usize part_bytes_; // a larger copy's references are queued by parts of so many bytes; 0: never
  u32 tenure_age_, root_batch_, ahead_, strands_; // strands_: 0 where collect.ahead_by is another
  bool keep_;
  Scheme scheme_;
  NodeLookup lookup_;
  OldRoots old_roots_;
  RootTake root_take_;
  u32 lookup_batch_;
  bool apart_, batches_, discovering_ = false, counting_ = false;
  u32 segregated_;
  u32 condemned_ = 0;
  u64 card_bytes_ = 0;
  bool short_ = false;     // there may not be room for all survivors
  bool eden_kept_ = false; // objects stay in eden, or may have to: survivors' slots need a card check too
  Vector<typename Worker::Kept> pinned_;
  Recent recent_pins_;
  u64 pinned_count_ = 0;
  typename M::template Atomic<u32> failed_; // relaxed: read after the phase's end, which publishes it
  // Task ranges of the evacuate phase: [0, cards) [.., roots) [.., kept) [.., strong) and one; `cards` are some of dirty_ each, or batches of card_parts_
  struct Part { u32 worker, first; };
  Vector<Part> card_parts_;
  Vector<Part> root_parts_;
  Vector<CardPart> dirty_;
  Vector<u32> swept_; // regions with pins, where workers sweep them
  u32 kept_tasks_ = 0, strong_tasks_[kHandleKinds] = {}, card_tasks_ = 0;
};

} // namespace garner
