// Ranges and pages of the simulated machine; see places.h for what they mean. Called rarely: nothing here is on a verb's fast path.
#include "machine/sim/places.h"

#include <sys/mman.h>

#include "base/check.h"

namespace garner::sim {
namespace {

usize map_bytes(usize bytes) { return 2 * div_up(bytes, kPageBytes); }

usize line_bytes(usize bytes) { return div_up(bytes, kLineBytes) * sizeof(u32); }

usize use_bytes(const Range& range) { return div_up(range.bytes, kPageBytes) * range.uses_nodes * sizeof(PageUse); }

// Over-maps by the alignment and gives the ends back.
word map_aligned(usize bytes, usize align) {
  usize asked = align > kPageBytes ? bytes + align : bytes;
  void* at = mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return 0;
  word low = reinterpret_cast<word>(at), base = align_up(low, max_of(align, kPageBytes));
  if (base > low) munmap(at, base - low);
  if (base + bytes < low + asked) munmap(reinterpret_cast<void*>(base + bytes), low + asked - base - bytes);
  return base;
}

} // namespace

Places::~Places() {
  clear();
  for (u8* map : spare_maps_) unmap_own(map, kPageBytes);
}

// All zero, for a range of so many bytes.
u8* Places::make_map(usize bytes) {
  const usize needed = map_bytes(bytes);
  if (needed > kPageBytes || spare_maps_.empty()) return static_cast<u8*>(map_own(needed));
  u8* map = spare_maps_.back();
  spare_maps_.pop();
  memset(map, 0, needed);
  return map;
}

void Places::drop_tables(Range& range) {
  if (const usize size = map_bytes(range.bytes); size > kPageBytes || !spare_maps_.push(range.node_of_page)) unmap_own(range.node_of_page, size);
  if (range.lines != nullptr) unmap_own(range.lines, line_bytes(range.bytes));
  if (range.uses != nullptr) unmap_own(range.uses, use_bytes(range));
}

bool Places::insert(Range range, usize align) {
  u64 offset = align_up(next_offset_, max_of<usize>(align, MiB));
  if (offset + range.bytes >= u64(1) << kOffsetBits) return false;
  range.offset = offset;
  range.node_of_page = make_map(range.bytes);
  if (range.node_of_page == nullptr) return false;
  range.rule = range.node_of_page + div_up(range.bytes, kPageBytes);
  if (rules_.with_lines) range.lines = static_cast<u32*>(map_own(line_bytes(range.bytes)));
  if (rules_.with_lines && range.lines == nullptr) {
    drop_tables(range);
    return false;
  }
  usize i = ranges_.size();
  if (!ranges_.push(range)) {
    drop_tables(range);
    return false;
  }
  for (; i > 0 && ranges_[i - 1].base > range.base; i--) ranges_[i] = ranges_[i - 1];
  ranges_[i] = range;
  next_offset_ = offset + range.bytes + MiB; // a gap, so that a stray offset belongs to nobody
  return true;
}

void Places::drop(usize index) {
  Range range = ranges_[index];
  drop_tables(range);
  if (range.ours) munmap(reinterpret_cast<void*>(range.base), range.bytes);
  for (usize i = index; i + 1 < ranges_.size(); i++) ranges_[i] = ranges_[i + 1];
  ranges_.pop();
}

word Places::reserve(usize bytes, usize align) {
  bytes = align_up(bytes, kPageBytes);
  if (bytes == 0 || !is_power_of_two(align)) return 0;
  word base = map_aligned(bytes, align);
  if (base == 0) return 0;
  if (insert({base, bytes, 0, nullptr, nullptr, nullptr, true}, align)) return base;
  munmap(reinterpret_cast<void*>(base), bytes);
  return 0;
}

bool Places::adopt(word at, usize bytes) {
  GARNER_CHECK(is_aligned(at, kLineBytes), "an adopted range must start at a line");
  for (Range& range : ranges_)
    if (at < range.base + range.bytes && range.base < at + bytes) return false;
  return insert({at, bytes, 0, nullptr, nullptr, nullptr, false}, kLineBytes);
}

void Places::release(word at, usize bytes) {
  Range* range = find(at);
  GARNER_CHECK(range != nullptr && range->ours && range->base == at && range->bytes == align_up(bytes, kPageBytes),
               "release() takes exactly what reserve() gave");
  drop(usize(range - ranges_.begin()));
}

void Places::forget(word at) {
  Range* range = find(at);
  GARNER_CHECK(range != nullptr && !range->ours && range->base == at, "forget() takes what adopt() was given");
  drop(usize(range - ranges_.begin()));
}

void Places::discard(word at, usize bytes) {
  if (bytes == 0) return;
  Range* range = find(at);
  GARNER_CHECK(range != nullptr && at + bytes <= range->base + range->bytes, "discard() of memory that was not reserved");
  usize first = (at - range->base) / kPageBytes, last = (at + bytes - 1 - range->base) / kPageBytes;
  memset(range->node_of_page + first, 0, last - first + 1);
  if (!range->ours) return;
  GARNER_CHECK(is_aligned(at, kPageBytes), "discard() takes whole pages");
  madvise(reinterpret_cast<void*>(at), (last - first + 1) * kPageBytes, MADV_DONTNEED);
}

void Places::set_rule(word at, usize bytes, u8 rule) {
  if (bytes == 0) return;
  Range* range = find(at);
  GARNER_CHECK(range != nullptr && at + bytes <= range->base + range->bytes, "placing memory that was not reserved");
  usize first = (at - range->base) / kPageBytes, last = (at + bytes - 1 - range->base) / kPageBytes;
  memset(range->rule + first, rule, last - first + 1);
}

Range* Places::find(word at) {
  usize low = 0, high = ranges_.size();
  while (low < high) {
    usize middle = (low + high) / 2;
    if (at < ranges_[middle].base) high = middle;
    else if (at - ranges_[middle].base < ranges_[middle].bytes) return &ranges_[middle];
    else low = middle + 1;
  }
  return nullptr;
}

bool Places::meter(word at, u32 nodes) {
  Range* range = find(at);
  if (range == nullptr) return false;
  if (range->uses != nullptr) return true;
  range->uses_nodes = nodes;
  range->uses = static_cast<PageUse*>(map_own(use_bytes(*range)));
  return range->uses != nullptr;
}

Places::Rules Places::plain_rules(u32 nodes) {
  Rules rules{};
  for (u32 n = 0; n < nodes; n++) rules.round[n] = u8(n);
  rules.round_nodes = nodes;
  rules.page_bytes = kPageBytes;
  return rules;
}

u32 Places::touch(Range& range, usize page, u32 node) const {
  const usize together = rules_.page_bytes / kPageBytes, first = page / together * together;
  const u8 rule = range.rule[page];
  const u32 home = rule == kFirstTouch ? node : rule == kInterleave ? rules_.round[page / together % rules_.round_nodes] : u32(rule - 1);
  const usize last = min_of(first + together, usize(div_up(range.bytes, kPageBytes)));
  for (usize p = first; p < last; p++)
    if (range.node_of_page[p] == 0) range.node_of_page[p] = u8(home + 1);
  return home;
}

void Places::clear() {
  while (!ranges_.empty()) drop(ranges_.size() - 1);
  next_offset_ = kFirstOffset;
}

} // namespace garner::sim
