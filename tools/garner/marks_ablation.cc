#include "marks_ablation.h"

#include <algorithm>

#include <fmt/format.h>

#include "errors.h"
#include "report.h"
#include "stats.h"

namespace garner::tool {
namespace {

constexpr int kRuns = 3; // the fewest that have intervals
constexpr const char* kAt = "2";

constexpr Choice kChoices[] = {
  {"collect.ahead=0", "No object's memory is asked for before the object is looked at.", "survivors random-graph warehouse binary-trees"},
  {"collect.ahead_by=queue", "Objects that were asked for are copied in the order of the asking, whatever they hang on.", "survivors binary-trees lru-cache xml-transform"},
  {"collect.ahead_by=batches", "Many objects are asked for at once, and then all of them are looked at.", "survivors binary-trees"},
  {"heap.en_masse=off", "What is young is always looked at, also where nearly all of it lives.", "dictionary lru-cache gcbench"},
  {"heap.tenure=fixed", "All survivors are copied once more before they are promoted.", "gcbench warehouse"},
  {"collect.compact_dense=95", "A full collection moves all regions but those that are nearly full.", "warehouse lru-cache"},
  {"collect.compact_dense=101", "A full collection moves every region, also those that are nearly full.", "warehouse random-graph"},
  {"collect.compact_into=fresh", "A full collection moves what lives into free regions, as long as there is memory for more.", "warehouse lru-cache random-graph"},
  {"collect.in_place=1000000000", "A full collection moves what can be moved, however little that brings.", "large-objects page-rank gcbench inverted-index"},
  {"collect.by_place=off", "Marked objects wait in deques alone, however many they are.", "random-graph lru-cache warehouse"},
  {"collect.part=0", "An array is one piece of work, however large.", "hostile random-graph"},
  {"collect.marking=stopped", "Old space is marked while the program stands, however large it is.", "dictionary request-server-300 lru-cache@unlimited hostile@3 hostile@unlimited"},
  {"collect.marking=concurrent", "Old space is marked beside the program, however small it is.", "dictionary request-server-300 lru-cache@unlimited hostile@3 hostile@unlimited"},
  {"collect.sweep_beside=off", "What a marking beside the program has found dead is swept in its last pause.", "request-server-300"},
  {"collect.moved_at_once=0", "What lives in mostly empty regions stays there after a marking beside the program.", "request-server-300 lru-cache@unlimited dictionary"},
  {"collect.full_promotes=all", "A full collection makes all that is young old.", "gcbench warehouse documents"},
  {"heap.hold=off", "Memory that has been written to goes to whoever asks first.", "kestrel gcbench@unlimited"},
  {"heap.huge_pages=auto", "The system is asked for huge pages for what lies beyond the first 64 MB.", "random-graph lru-cache@unlimited"},
  {"heap.huge_pages=on", "The system is asked for huge pages for the whole heap.", "random-graph lru-cache@unlimited"},
  {"work.order=fifo", "Workers take what they put into their deques first.", "binary-trees gcbench"},
  {"cycle.pause_goal=20", "Young pauses may take twice as long before eden shrinks for them.", "request-server-300 gcbench dictionary"},
  {"cycle.gc_share=10", "Young pauses may take twice the share of time before eden grows.", "gcbench xml-transform@unlimited"},
  {"cycle.lean=off", "Eden is as large as the last cache at first, and old space may double, though nobody has set a limit.", "gcbench@unlimited xml-transform@unlimited finalizers@unlimited pinned-buffers@unlimited warehouse@unlimited page-rank@unlimited"},
  {"cycle.resize=fixed", "Eden stays as large as it was at start.", "xml-transform warehouse"},
  {"collect.no_room=full", "A full collection follows where survivors find no memory.", "binary-trees"},
  {"workers=1", "One thread collects.", "binary-trees warehouse survivors"},
  {"heap.tlab=8k", "Threads of the program get small allocation buffers.", "xml-transform"},
  {"work.steal_half=off", "A theft takes one entry.", "binary-trees"},
  {"work.steal=off", "Workers do what they have found themselves.", "binary-trees warehouse"},
  {"work.root_batch=16384", "A task has so many roots that few collections have a second one to give away.", "gcbench warehouse"},
  {"work.share_from=256", "Workers keep what they have found to themselves until it is much.", "binary-trees hostile"},
  {"work.seats=off", "Collector threads run on whatever processors the system finds.", "binary-trees kestrel"},
  {"cycle.old_growth=50", "Old space may grow by half as much before a full collection.", "gcbench@unlimited warehouse page-rank"},
  {"cycle.woken_per=0", "All workers are woken for every pause.", "kestrel xml-transform"},
  {"preset=ps", "The baseline of the papers.", "warehouse binary-trees"},
  {"preset=naps", "The lock-free form of the papers.", "warehouse binary-trees"},
};

PartPlan part_of(const Choice& choice, const std::string& name, const std::string& at, int runs) {
  const std::string where = at == "unlimited" ? name : fmt::format("{} at {}", name, at);
  return {fmt::format("{}: {}", choice.options, where), piece_named(name), at, {{Mode::garner}, {Mode::garner, choice.options, choice.options}}, runs > 0 ? runs : kRuns};
}

// Pieces with a figure of their own collect when the program asks for it, and sizes of the heap do not matter to them.
std::string size_of(const std::string& name) { return piece_named(name).figures.empty() ? kAt : "unlimited"; }

std::string ratio_with_interval(const std::vector<double>& changed, const std::vector<double>& as_is) {
  if (changed.empty() || as_is.empty()) return "-";
  const std::string ratio = ratio_text(ratio_of(median(changed), median(as_is)));
  const auto interval = ratio_interval(changed, as_is);
  return interval ? fmt::format("{} ({}–{})", ratio, ratio_text(interval->low), ratio_text(interval->high)) : ratio;
}

bool in_table(const Figure& figure) { return figure.at != &Sample::wall_s; }

std::string own_text(const PartPlan& plan, const BenchResult& part) {
  std::string all;
  for (const OwnFigure& figure : plan.piece.figures)
    all += fmt::format("{}{} {}", all.empty() ? "" : "; ", figure.title, ratio_with_interval(part.contenders[1].all_at(figure.path), part.contenders[0].all_at(figure.path)));
  return all;
}

std::string failure_of(const BenchResult& part) {
  for (const Contender& contender : part.contenders)
    if (!contender.failure.empty()) return fmt::format("{} failed", contender.name());
  return part.difference.empty() ? "" : "result differs";
}

} // namespace

const std::vector<Choice>& choices() {
  static const std::vector<Choice> all(std::begin(kChoices), std::end(kChoices));
  return all;
}

std::vector<Choice> choices_named(const std::vector<std::string>& names) {
  if (names.empty()) return choices();
  std::vector<Choice> chosen;
  for (const std::string& name : names) {
    auto found = std::find_if(choices().begin(), choices().end(), [&](const Choice& choice) { return name == choice.options; });
    if (found == choices().end()) throw UsageError(fmt::format("no choice '{}': garner marks --ablation --list shows them", name));
    chosen.push_back(*found);
  }
  return chosen;
}

std::vector<PartPlan> parts_of(const Choice& choice, const Selection& selection) {
  std::vector<PartPlan> all;
  std::vector<std::string> where = selection.workloads.empty() ? split_words(choice.where) : selection.workloads;
  for (const std::string& word : where) {
    const size_t mark = word.find('@');
    const std::string name = word.substr(0, mark), own = mark == std::string::npos ? size_of(name) : word.substr(mark + 1);
    for (const std::string& at : selection.at.empty() ? std::vector<std::string>{own} : selection.at) all.push_back(part_of(choice, name, at, selection.runs));
  }
  return all;
}

TitledTable table_of(const Choice& choice, const std::vector<PartPlan>& plans, const Parts& parts) {
  std::vector<std::string> head = {"workload"};
  for (const Figure& figure : figures())
    if (in_table(figure)) head.push_back(figure.title);
  head.push_back("its own figures");
  Table table(head);
  table.left(head.size() - 1);
  for (const PartPlan& plan : plans) {
    auto at = parts.find(plan.name);
    std::vector<std::string> cells = {plan.name.substr(plan.name.find(": ") + 2)};
    const std::string failure = at == parts.end() ? "not measured" : failure_of(at->second);
    for (const Figure& figure : figures())
      if (in_table(figure)) cells.push_back(failure.empty() ? ratio_with_interval(at->second.contenders[1].all_of(figure), at->second.contenders[0].all_of(figure)) : "-");
    cells.push_back(failure.empty() ? own_text(plan, at->second) : failure);
    table.row(cells);
  }
  return {fmt::format("{}: {}", choice.options, choice.without), table};
}

nlohmann::ordered_json json_of(const Choice& choice, const std::vector<PartPlan>& plans, const Parts& parts) {
  nlohmann::ordered_json json = {{"options", choice.options}, {"without", choice.without}, {"parts", nlohmann::ordered_json::array()}};
  for (const PartPlan& plan : plans) {
    auto at = parts.find(plan.name);
    if (at == parts.end()) continue;
    const BenchResult& part = at->second;
    nlohmann::ordered_json one = {{"part", plan.name}, {"at", plan.at}, {"trouble", failure_of(part)}};
    for (const Figure& figure : figures())
      if (const double ratio = ratio_of(part.contenders[1].median_of(figure), part.contenders[0].median_of(figure)); ratio >= 0) one["ratios"][figure.key] = ratio;
    for (const OwnFigure& figure : plan.piece.figures)
      if (const double ratio = ratio_of(part.contenders[1].median_at(figure.path), part.contenders[0].median_at(figure.path)); ratio >= 0) one["ratios"][figure.path] = ratio;
    json["parts"].push_back(one);
  }
  return json;
}

} // namespace garner::tool
