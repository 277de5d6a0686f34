// Recording a .NET program's heap: the choice of collections, threads of objects, and the recording itself, before a collection begins.
#include "host/dotnet/recording.h"

#include <sys/resource.h>

#include "base/arena.h"
#include "base/print.h"
#include "cycle/recorder.ipp"
#include "host/dotnet/host.h"

namespace garner::dotnet {
namespace {

static_assert(record::kCauses == kCauses, "a recording names each cause");

constexpr const char* kEnding = ".garner-heap";
constexpr u64 kSmallest = 256 * KiB; // "largest" begins here

void tell_progress(const char* what, u32 percent) {
  Line line;
  line.text("recording the heap: ").text(what).text(", ").num(percent).text(" %");
  say(line.c_str());
}

} // namespace

bool Recording::init(const Settings& settings, const char*& trouble) {
  file_ = settings.text(Opt::record_file);
  if (strcmp(file_, "off") == 0) return true;
  const char* at = settings.text(Opt::record_at);
  trouble = "record.at is malformed; expected largest, or numbers of collections like 3+7, at most 64, from 1";
  if (strcmp(at, "largest") != 0) {
    while (true) {
      u64 value = 0;
      u32 digits = 0;
      for (; *at >= '0' && *at <= '9' && digits < 18; at++, digits++) value = value * 10 + u64(*at - '0');
      if (value == 0 || at_count_ == kAtMost || (*at != 0 && *at != '+')) return false;
      at_[at_count_++] = value;
      if (*at++ == 0) break;
    }
  }
  trouble = "no memory to record the heap";
  notes_ = static_cast<Note*>(map_own(kNotesMost * sizeof(Note)));
  return notes_ != nullptr;
}

// The largest is the heap with most live bytes, and those are known when its graph is. Not every collection is looked at: those before which there is an
// eighth more than ever, or after whose predecessor an eighth more was left than ever, so that a growing heap is seen whether garbage hides it or not; and of the others
// that might be larger one, then the second next, then the fourth, until one is by an eighth.
bool Recording::wants(u64 collection, u64 heap_bytes, u64 left_bytes) {
  const auto grown = [](u64 now, u64 most) { return now >= max_of(kSmallest, most + most / 8); };
  if (at_count_ == 0) return grown(heap_bytes, most_heap_) || grown(left_bytes, most_left_) || (grown(heap_bytes, kept_) && passed_++ >= to_pass_);
  for (u32 i = 0; i < at_count_; i++)
    if (at_[i] == collection) return true;
  return false;
}

// One file for one collection; of several, each has its number before the ending.
const char* Recording::path(u64 collection) {
  if (at_count_ <= 1) return file_;
  usize length = strlen(file_), ending = strlen(kEnding);
  bool ends = length >= ending && strcmp(file_ + length - ending, kEnding) == 0;
  Line line;
  line.text(file_, ends ? length - ending : length).text(".").num(collection).text(ends ? kEnding : "");
  usize n = min_of(line.size(), sizeof path_ - 1);
  memcpy(path_, line.c_str(), n);
  path_[n] = 0;
  return path_;
}

// ---- threads ----

u32 Recording::number(word context) {
  if (context == 0) return 0;
  for (u64 i = mix64(context);; i++) {
    Known& k = known_[i % (2 * record::kThreadsMost)];
    if (k.context == context) return k.number;
    if (k.context != 0) continue;
    if (threads_ == record::kThreadsMost) return 0;
    k = {context, ++threads_};
    return k.number;
  }
}

void Recording::put_down(const clr::gc_alloc_context* context, word begin, usize bytes) {
  u64 i = taken_.fetch_add_relaxed(1); // relaxed: entries are read when every thread stands, and the stop publishes them
  if (i < kNotesMost) notes_[i] = {begin, begin + bytes, word(context)};
}

void Recording::sift(u64 from, u64 count) {
  Note item = notes_[from];
  for (u64 child; (child = 2 * from + 1) < count; from = child) {
    if (child + 1 < count && notes_[child + 1].begin > notes_[child].begin) child++;
    if (notes_[child].begin <= item.begin) break;
    notes_[from] = notes_[child];
  }
  notes_[from] = item;
}

void Recording::begin_walk() {
  memset(known_, 0, sizeof known_);
  threads_ = 0;
  hint_ = 0;
  reporting_ = 0;
  walking_ = true;
  sorted_ = min_of(taken_.load_relaxed(), kNotesMost);
  for (u64 i = sorted_ / 2; i-- > 0;) sift(i, sorted_);
  for (u64 n = sorted_; n > 1; n--) {
    Note first = notes_[0];
    notes_[0] = notes_[n - 1];
    notes_[n - 1] = first;
    sift(0, n - 1);
  }
}

u32 Recording::of(word block) {
  if (sorted_ == 0) return 0;
  if (notes_[hint_].begin > block || (hint_ + 1 < sorted_ && notes_[hint_ + 1].begin <= block)) {
    u64 low = 0, high = sorted_; // the last note that begins at or below the block
    while (high - low > 1) (notes_[(low + high) / 2].begin <= block ? low : high) = (low + high) / 2;
    hint_ = low;
  }
  const Note& note = notes_[hint_];
  return note.begin <= block && block < note.end ? number(note.context) : 0;
}

// ---- one recording ----

void DotNet::record_heap(Kind kind, Cause cause, u64 index) {
  GenerationSizes sizes = cycle->sizes();
  u64 used = sizes.total() - sizes.total_holes(), left = cycle->last_any().end.heap_after;
  if (!recording.wants(index, used, left)) return;
  record::Head head{};
  memcpy(head.magic, record::kMagic, sizeof head.magic);
  head.version = record::kVersion;
  head.head_bytes = sizeof head;
  head.collection = index;
  head.generation = u32(kind);
  head.cause = u32(cause);
  head.region_bytes = heap().region_bytes();
  head.heap_bytes = used;
  head.young_bytes = sizes.bytes[0] + sizes.bytes[1] - sizes.holes[0];
  head.workers = cycle->gang().workers();
  head.nodes = machine.nodes();

  RecordBounds bounds{settings.bytes(Opt::record_most), u64(settings.get(Opt::record_time)) * 1'000'000, recording.to_exceed()};
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY) bounds.bytes = min_of<u64>(bounds.bytes, most.rlim_cur);
  const char* path = recording.path(index);
  u64 began = machine.now();
  recording.begin_walk();
  auto progress = settings.on(Opt::notices) ? &tell_progress : [](const char*, u32) {};
  Recorder<DotNet, Linux, Recording> recorder(heap(), *this, recording, bounds, progress);
  bool good = recording.writer.open(path, bounds.bytes) && recorder.run(head, recording.writer, [&](auto& sink) {
    Linux::Self self(machine, 0);
    before_roots(Kind::full); // a walk of its own
    pinned_claimed_.store_relaxed(1); // pinned handles are read with the other tables
    gather(self, sink, Kind::full);
    after_walk();
  });
  recording.end_walk();
  recording.tried(used, left); // when it failed too: it would fail again at once
  const record::Tail& tail = recorder.tail();
  Line line;
  if (recorder.smaller()) {
    line.text("collection ").num(index).text(tail.flags != 0 ? " is cut and no larger: " : " is not the largest: ").fixed(tail.object_bytes * 100 / MiB, 2).text(tail.flags != 0 ? " MB would be recorded, " : " MB live, ").fixed(bounds.exceed * 100 / MiB, 2).text(" recorded before");
    if (settings.on(Opt::notices)) say(line.c_str());
    return;
  }
  if (good) {
    recording.keep(tail.object_bytes);
    line.text("collection ").num(index).text(" recorded: ").num(tail.objects).text(" objects, ").fixed(tail.object_bytes * 100 / MiB, 2).text(" of ").fixed(used * 100 / MiB, 2);
    line.text(" MB, ").num(recording.writer.size()).text(" bytes in ").text(path).text(", ").num((machine.now() - began) / 1'000'000).text(" ms");
    if (tail.flags != 0) line.text("; ").num(tail.cut_graphs).text((tail.flags & record::kCutByTime) != 0 ? " sub-graphs left out, for record.time" : " sub-graphs left out, for record.most");
  } else {
    const char* why = recorder.trouble() != nullptr ? recorder.trouble() : recording.writer.trouble();
    line.text("collection ").num(index).text(" is not recorded in ").text(path).text(": ").text(why == nullptr ? "unknown" : why);
  }
  if (!good || settings.on(Opt::notices)) say(line.c_str());
}

} // namespace garner::dotnet
