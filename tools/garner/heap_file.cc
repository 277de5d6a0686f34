#include "heap_file.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "errors.h"
#include "event/event.h"
#include "paths.h"
#include "table.h"

namespace garner::tool {
namespace {

constexpr uint64_t kFileMost = uint64_t(8) << 30; // the largest bound a recording can be given is 4 GiB

struct Ages {
  uint64_t objects[3] = {}, bytes[3] = {}, old_to_young = 0, known_thread = 0;
};

Ages ages_of(const record::Recording& r) {
  Ages ages;
  std::vector<uint8_t> age(r.objects());
  for (usize i = 0; i < r.regions().size(); i++) {
    const record::RegionDef& region = r.regions()[i];
    const u32 g = record::Recording::generation_of(region);
    for (u32 o = region.first; o < region.first + region.objects; o++) {
      age[o] = uint8_t(g);
      ages.objects[g]++;
      ages.bytes[g] += r.shape(o).words * kWordBytes;
      ages.known_thread += r.object(o).thread != 0;
    }
  }
  for (u32 o = 0; o < r.objects(); o++)
    for (u32 e = r.object(o).first_edge; age[o] == 2 && e < r.object(o + 1).first_edge; e++) ages.old_to_young += age[r.edges()[e].target] != 2;
  return ages;
}

struct ShapeSum {
  uint64_t bytes, slots, objects = 0, references = 0;
};

// Objects of one size with one number of slots, those with the most bytes first.
std::vector<ShapeSum> shapes_of(const record::Recording& r) {
  std::map<std::pair<uint64_t, uint64_t>, ShapeSum> sums;
  for (u32 o = 0; o < r.objects(); o++) {
    const uint64_t bytes = r.shape(o).words * kWordBytes, slots = r.shape(o).slots;
    ShapeSum& sum = sums.try_emplace({bytes, slots}, ShapeSum{bytes, slots}).first->second;
    sum.objects++;
    sum.references += r.object(o + 1).first_edge - r.object(o).first_edge;
  }
  std::vector<ShapeSum> all;
  for (const auto& [key, sum] : sums) all.push_back(sum);
  std::stable_sort(all.begin(), all.end(), [](const ShapeSum& a, const ShapeSum& b) { return a.bytes * a.objects > b.bytes * b.objects; });
  return all;
}

} // namespace

void read_heap(const std::filesystem::path& path, record::Recording& recording) {
  auto refuse = [&](const std::string& why) { throw UsageError(fmt::format("{}: {}", path.string(), why)); };
  std::error_code error;
  const auto type = fs::status(path, error).type();
  if (type == fs::file_type::not_found) refuse("there is no such file");
  if (type != fs::file_type::regular) refuse("a recording is a file");
  const uint64_t bytes = fs::file_size(path, error);
  if (error) refuse(error.message());
  if (bytes > kFileMost) refuse("the file is larger than any recording");
  std::string text;
  if (!read_file(path, text)) refuse("the file cannot be read");
  if (const char* trouble = recording.read(reinterpret_cast<const u8*>(text.data()), text.size())) refuse(trouble);
}

std::string heap_line(const record::Recording& r) {
  const record::Head& head = r.head();
  const record::Tail& tail = r.tail();
  std::string line = fmt::format("{} objects, {} MB of a heap of {} MB, before collection {} ({}, {})", tail.objects, megabytes_text(double(tail.object_bytes)),
                                 megabytes_text(double(head.heap_bytes)), head.collection, name_of(Kind(head.generation)), name_of(Cause(head.cause)));
  if (tail.flags != 0) line += fmt::format("; {} sub-graphs left out, {}", tail.cut_graphs, (tail.flags & record::kCutByTime) != 0 ? "for lack of time" : "for the file's size");
  return line;
}

nlohmann::ordered_json heap_json(const record::Recording& r) {
  const record::Head& head = r.head();
  const record::Tail& tail = r.tail();
  const Ages ages = ages_of(r);
  nlohmann::ordered_json all = {{"version", head.version}, {"collection", head.collection}, {"kind", name_of(Kind(head.generation))}, {"cause", name_of(Cause(head.cause))},
                                {"heap_bytes", head.heap_bytes}, {"young_bytes", head.young_bytes}, {"region_bytes", head.region_bytes}, {"workers", head.workers},
                                {"nodes", head.nodes}, {"objects", tail.objects}, {"object_bytes", tail.object_bytes}, {"references", tail.references},
                                {"null_references", tail.nulls}, {"dropped_references", tail.dropped}, {"regions", tail.regions}, {"classes", tail.classes},
                                {"threads", tail.threads}, {"objects_of_known_thread", ages.known_thread}, {"old_to_young", ages.old_to_young}};
  const char* const names[] = {"eden", "survivor", "old"};
  for (int g = 0; g < 3; g++) all["by_age"][names[g]] = {{"objects", ages.objects[g]}, {"bytes", ages.bytes[g]}};
  all["roots"] = nlohmann::ordered_json::object();
  for (u32 c = 0; c < record::kRootClasses; c++)
    if (tail.roots[c] != 0) all["roots"][record::name_of(record::RootClass(c))] = tail.roots[c];
  all["cut"] = {{"by_size", (tail.flags & record::kCutBySize) != 0}, {"by_time", (tail.flags & record::kCutByTime) != 0}, {"sub_graphs", tail.cut_graphs}, {"roots", tail.cut_roots}};
  return all;
}

nlohmann::ordered_json shapes_json(const record::Recording& r, usize most) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ShapeSum& sum : shapes_of(r)) {
    if (all.size() == most) break;
    all.push_back({{"bytes", sum.bytes}, {"slots", sum.slots}, {"objects", sum.objects}, {"references", sum.references}});
  }
  return all;
}

} // namespace garner::tool
