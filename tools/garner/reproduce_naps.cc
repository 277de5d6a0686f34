// E1 to E11: the experiments of the NAPS paper (naps.md section 4), with its reported values and the shapes they have.
//
// Common to all: the paper's machine (amd48), 48 threads of the program, collector threads 1 … 48, heap sizes of a fixed eden (but E2).
// work.root_batch=16 beside every preset: a task of the paper's collector is one thread's stack, and a stack here holds 4 to 16 roots.
#include "reproduce.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace garner::tool {
namespace {

constexpr const char* kBase = ",cycle.resize=fixed,work.root_batch=16";
const std::vector<std::string> kPresets = {"ps", "interleaved", "fragmented", "segregated", "naps"};
const std::vector<std::string> kThree = {"jbb", "xml-transform", "tradesoap"};
const std::vector<std::string> kSeven = {"jbb", "xml-transform", "xml-validation", "compiler", "aes", "eclipse", "tradesoap"};

Run run_of(const Scale& scale, const std::string& workload, const std::string& preset, unsigned workers) {
  Run run;
  run.workload = workload;
  run.options = "preset=" + preset + kBase;
  run.workers = workers;
  run.percent = scale.percent();
  run.collections = scale.collections();
  run.locality = preset == "segregated"; // what E8 counts
  return run;
}

std::vector<Run> sweep(const Scale& scale, const std::vector<std::string>& workloads, const std::vector<std::string>& presets, const std::vector<unsigned>& workers) {
  std::vector<Run> all;
  for (const std::string& w : workloads)
    for (const std::string& p : presets)
      for (unsigned n : workers)
        if (p != "segregated" || n >= 8) all.push_back(run_of(scale, w, p, n)); // N23: a worker on each node
  return all;
}

Plot curves(const Results& results, const Scale& scale, const std::string& workload, const std::vector<std::string>& presets, const std::string& path, double unit, const std::string& title, const std::string& y) {
  Plot figure{Plot::Kind::lines, title, "collector threads", y, {}, {}};
  for (unsigned n : scale.workers()) figure.xs.push_back(std::to_string(n));
  for (const std::string& p : presets) {
    Series series{p, {}};
    for (unsigned n : scale.workers()) series.values.push_back(results.number(run_of(scale, workload, p, n), path) * unit);
    figure.series.push_back(series);
  }
  return figure;
}

// The first value that no later one passes by 3 %.
size_t knee_of(const std::vector<double>& values) {
  size_t i = 0;
  while (i + 1 < values.size() && *std::max_element(values.begin() + long(i) + 1, values.end()) >= values[i] * 1.03) i++;
  return i;
}

// What the presets that are not there leave open.
void tell_missing(Section& section, const Results& results, const Run& run, const std::string& what) {
  if (results.good(run) == nullptr) section.claims.push_back({what, "", results.error(run), Outcome::unavailable, ""});
}

// ---- E1 ----

const char* const kPlacementNames[] = {"unbalanced-remote", "balanced-remote", "balanced-local", "unbalanced-local"};

Run placement_run(const Scale& scale, const char* placement, unsigned threads) {
  Run run;
  run.workload = std::string("placement:") + placement;
  run.workers = threads;
  run.percent = scale.quick ? 24 : 96; // megabytes
  return run;
}
const std::vector<unsigned> kPlacementThreads = {1, 4, 8, 16, 24, 32, 40, 48};

Section judge_e1(const Results& results, const Scale& scale) {
  Section section;
  Plot figure{Plot::Kind::lines, "Speed-up of a fixed amount of reading", "threads", "speed-up over one thread", {}, {}};
  for (unsigned n : kPlacementThreads) figure.xs.push_back(std::to_string(n));
  std::vector<unsigned> knees;
  for (const char* placement : kPlacementNames) {
    Series series{placement, {}};
    const double alone = results.number(placement_run(scale, placement, 1), "gb_s");
    for (unsigned n : kPlacementThreads) series.values.push_back(results.number(placement_run(scale, placement, n), "gb_s") / alone);
    knees.push_back(kPlacementThreads[knee_of(series.values)]);
    figure.series.push_back(series);
  }
  const bool known = !std::isnan(figure.series[0].values.back());
  const unsigned expected[] = {8, 32, 40};
  for (int i = 0; i < 3; i++)
    section.claims.push_back(claim(fmt::format("{} stops rising", kPlacementNames[i]), fmt::format("{} threads", expected[i]), fmt::format("{} threads", knees[size_t(i)]), knees[size_t(i)] == expected[i], known));
  auto last = [&](int i) { return figure.series[size_t(i)].values.back(); };
  section.claims.push_back(claim("order at 48 threads: balanced-local > balanced-remote > both unbalanced", "as said", fmt::format("{:.1f} > {:.1f} > {:.1f}, {:.1f}", last(2), last(1), last(0), last(3)),
                                 last(2) > last(1) && last(1) > last(0) && last(1) > last(3), known));
  section.figures.push_back(figure);
  return section;
}

// ---- E2 ----

Run resize_run(const Scale& scale, const std::string& preset) {
  Run run = run_of(scale, "jbb", preset, 48);
  run.options = "preset=" + preset + ",cycle.resize=adaptive,work.root_batch=16";
  run.percent = scale.quick ? 12 : 25;
  run.collections = scale.quick ? 6 : 16; // of the first eden's size
  run.eden_min_percent = 50, run.eden_max_percent = 400;
  run.from_start = true; // eden is resized while a program starts
  return run;
}

Section judge_e2(const Results& results, const Scale& scale) {
  Section section;
  const Run ps = resize_run(scale, "ps"), flawed = resize_run(scale, "ps_fragopt"), cured = resize_run(scale, "fragmented");
  section.table = {{"", "GC throughput GB/s", "collections", "resize share"}};
  for (const auto& [name, run] : {std::pair<const char*, const Run&>{"ps", ps}, {"ps_fragopt (N21)", flawed}, {"fragmented (N22)", cured}})
    section.table.push_back({name, short_number(results.number(run, "gc_gb_s")), short_number(results.number(run, "collections")), fmt::format("{:.1f} %", 100 * results.number(run, "resize_share"))});
  auto ratio = [&](const Run& run, const char* path) { return results.number(run, path) / results.number(ps, path); };
  section.figures.push_back({Plot::Kind::bars, "The option against the default, jbb, 48 collector threads", "", "of the default (ps)", {"GC throughput", "collections"},
                             {{"ps_fragopt (N21)", {ratio(flawed, "gc_gb_s"), ratio(flawed, "collections")}}, {"fragmented (N22)", {ratio(cured, "gc_gb_s"), ratio(cured, "collections")}}}, true});
  const bool known = results.good(ps) != nullptr && results.good(flawed) != nullptr && results.good(cured) != nullptr;
  section.claims.push_back(gain_claim("the virtual machine's own option lowers GC throughput", "-35 % (98.4 to 63.6 GB/s)", 98.4 / 63.6, percent(ratio(flawed, "gc_gb_s")), 1 / ratio(flawed, "gc_gb_s")));
  section.claims.push_back(gain_claim("it collects more often", "x1.84 (177 to 325)", 1.84, fmt::format("x{:.2f}", ratio(flawed, "collections")), ratio(flawed, "collections")));
  section.claims.push_back(claim("a good part of its GC time is resizing", "about 20 %", fmt::format("{:.1f} %", 100 * results.number(flawed, "resize_share")), results.number(flawed, "resize_share") > 0.1, known));
  section.claims.push_back(claim("with counters and over-reservation (N22) the count is the default's", "equal", fmt::format("x{:.2f}", ratio(cured, "collections")), std::abs(ratio(cured, "collections") - 1) <= 0.1, known));
  section.claims.push_back(claim("and resizing is for free", "about 0", fmt::format("{:.2f} %", 100 * results.number(cured, "resize_share")), results.number(cured, "resize_share") < 0.005, known));
  return section;
}

// ---- E3 ----

Run first_run(const Scale& scale, const std::string& workload) {
  Run run = run_of(scale, workload, "ps", 48);
  run.from_start = true;
  run.collections = 1;
  return run;
}

Section judge_e3(const Results& results, const Scale& scale) {
  Section section;
  Plot figure{Plot::Kind::bars, "Eden's pages by node at the first collection", "node", "share of pages, %", {}, {}};
  for (int n = 0; n < 8; n++) figure.xs.push_back(std::to_string(n));
  for (const char* workload : {"jbb", "tradesoap"}) {
    std::vector<double> pages;
    if (const auto* result = results.good(first_run(scale, workload)); result != nullptr) pages = (*result)["eden_pages_first"].get<std::vector<double>>();
    double sum = 0;
    for (double p : pages) sum += p;
    for (double& p : pages) p = 100 * p / std::max(sum, 1.0);
    const bool known = !pages.empty();
    pages.resize(8);
    figure.series.push_back({workload, pages});
    std::sort(pages.rbegin(), pages.rend());
    if (workload == std::string("jbb")) section.claims.push_back(claim("jbb: one node has nearly all of eden", "95 %", fmt::format("{:.0f} %", pages[0]), pages[0] >= 90, known));
    else section.claims.push_back(claim("Tradesoap: two nodes have most of it", "mainly two", fmt::format("{:.0f} % and {:.0f} %", pages[0], pages[1]), pages[0] + pages[1] >= 80 && pages[0] < 80, known));
  }
  section.figures.push_back(figure);
  return section;
}

// ---- E4 ----

Section judge_e4(const Results& results, const Scale& scale) {
  Section section;
  section.table = {{"non-locality / imbalance", "space", "ps", "interleaved", "fragmented", "segregated"}};
  auto value = [&](const std::string& app, const std::string& preset, const char* space, const char* what) { return results.number(run_of(scale, app, preset, 48), std::string("spaces/") + space + "/" + what); };
  for (const std::string& app : kThree)
    for (const char* space : {"eden", "from", "to", "old"}) {
      std::vector<std::string> row = {app, space};
      for (const char* preset : {"ps", "interleaved", "fragmented", "segregated"})
        row.push_back(std::isnan(value(app, preset, space, "imbalance")) ? "-" : fmt::format("{:.2f} / {:.2f}", value(app, preset, space, "non_locality"), value(app, preset, space, "imbalance")));
      section.table.push_back(row);
    }
  // The cells of the paper's table that its text leaves without doubt, and the imbalance of segregated spaces as it is best read; each must hold in every space named, for
  // every program.
  struct Cell { const char *text, *preset; std::vector<const char*> spaces; const char *what, *paper; bool below; double bound; };
  const std::vector<Cell> cells = {
      {"ps: eden is badly unbalanced", "ps", {"eden"}, "imbalance", "2.6 / 2.6 / 1.9", false, 1.5},
      {"ps: from-space is balanced", "ps", {"from"}, "imbalance", "<= 0.3", true, 0.3},
      {"ps: to-space is balanced", "ps", {"to"}, "imbalance", "<= 0.3", true, 0.3},
      {"ps: old space is balanced", "ps", {"old"}, "imbalance", "<= 0.3", true, 0.3},
      {"ps: all is accessed from elsewhere", "ps", {"eden", "from", "to", "old"}, "non_locality", ">= 0.7", false, 0.7},
      {"interleaved: all is balanced", "interleaved", {"eden", "from", "to", "old"}, "imbalance", "<= 0.3", true, 0.3},
      {"interleaved: all is accessed from elsewhere", "interleaved", {"eden", "from", "to", "old"}, "non_locality", ">= 0.7", false, 0.7},
      {"fragmented: eden is roughly balanced", "fragmented", {"eden"}, "imbalance", "0.1 / 0.6 / 0.5", true, 0.7},
      {"fragmented: from-space and to-space are balanced", "fragmented", {"from", "to"}, "imbalance", "<= 0.3", true, 0.3},
      {"fragmented: to-space is local", "fragmented", {"to"}, "non_locality", "0.0", true, 0.05},
      {"fragmented: the rest is accessed from elsewhere", "fragmented", {"eden", "from", "old"}, "non_locality", ">= 0.7", false, 0.7},
      {"segregated: eden is local", "segregated", {"eden"}, "non_locality", "0.0", true, 0.05},
      {"segregated: from-space is local", "segregated", {"from"}, "non_locality", "0.0", true, 0.05},
      {"segregated: to-space is local", "segregated", {"to"}, "non_locality", "0.0", true, 0.05},
      {"segregated: old space is accessed from elsewhere", "segregated", {"old"}, "non_locality", ">= 0.7", false, 0.7},
      {"segregated: eden is roughly balanced", "segregated", {"eden"}, "imbalance", "0.1 / 0.6 / 0.64", true, 0.7},
      {"segregated: from-space is roughly balanced", "segregated", {"from"}, "imbalance", "0.2 / 0.2 / 0.4", true, 0.5},
      {"segregated: to-space is balanced", "segregated", {"to"}, "imbalance", "< 0.3", true, 0.3},
      {"segregated: old space is unbalanced", "segregated", {"old"}, "imbalance", ">= 0.5", false, 0.5},
  };
  for (const Cell& cell : cells) {
    std::string ours;
    bool holds = true, known = true;
    for (const std::string& app : kThree) {
      double worst = kNone; // of the spaces
      for (const char* space : cell.spaces)
        if (const double v = value(app, cell.preset, space, cell.what); std::isnan(v)) known = false;
        else if (std::isnan(worst) || (cell.below ? v > worst : v < worst)) worst = v;
      ours += fmt::format("{}{:.2f}", ours.empty() ? "" : " / ", worst);
      holds = holds && (cell.below ? worst <= cell.bound : worst >= cell.bound);
    }
    section.claims.push_back(claim(cell.text, cell.paper, ours, holds, known));
  }
  for (const auto& [what, name] : {std::pair<const char*, const char*>{"non_locality", "Accesses from other nodes, jbb"}, {"imbalance", "Imbalance by node, jbb"}}) {
    Plot figure{Plot::Kind::bars, name, "space", *what == 'n' ? "share of accesses" : "0: all equal", {"eden", "from", "to", "old"}, {}};
    for (const char* preset : {"ps", "interleaved", "fragmented", "segregated"}) {
      Series series{preset, {}};
      for (const std::string& space : figure.xs) series.values.push_back(value("jbb", preset, space.c_str(), what));
      figure.series.push_back(series);
    }
    section.figures.push_back(figure);
  }
  return section;
}

// ---- E5 E6 E7 E8 ----

Section judge_e5(const Results& results, const Scale& scale) {
  Section section;
  auto at = [&](const std::string& app, const std::string& preset, unsigned n) { return results.number(run_of(scale, app, preset, n), "gc_gb_s"); };
  const double gain[3] = {1.75, 1.10, 1.01}, sync[3] = {1.23, 1.40, 1.34};
  for (size_t i = 0; i < kThree.size(); i++) {
    const std::string& app = kThree[i];
    section.figures.push_back(curves(results, scale, app, kPresets, "gc_gb_s", 1, "GC throughput, " + app, "GB allocated per second of GC"));
    const double inter = at(app, "interleaved", 48) / at(app, "ps", 48), with_sync = at(app, "naps", 48) / at(app, "fragmented", 48);
    section.claims.push_back(gain[i] > 1.05 ? gain_claim(app + ": interleaved against ps at 48", percent(gain[i]), gain[i], percent(inter), inter)
                                               : claim(app + ": interleaved is like ps at 48", percent(gain[i]), percent(inter), std::abs(inter - 1) < 0.1, !std::isnan(inter)));
    section.claims.push_back(gain_claim(app + ": lock-free queue and parking on top of fragmented at 48", percent(sync[i]), sync[i], percent(with_sync), with_sync));
  }
  auto same = [&](const std::string& app, unsigned most, const std::string& where) { // with up to `most` threads
    double worst = 0;
    for (unsigned n : scale.workers())
      if (const double apart = std::abs(at(app, "fragmented", n) / at(app, "interleaved", n) - 1); n <= most && !(apart <= worst)) worst = std::isnan(worst) ? worst : apart; // not a number stays
    section.claims.push_back(claim(app + ": fragmented equals interleaved" + where, "the same", fmt::format("at most {:.0f} % apart", 100 * worst), worst <= 0.15, !std::isnan(worst)));
  };
  same("jbb", 32, " up to 32");
  const double above = at("jbb", "fragmented", 48) / at("jbb", "interleaved", 48);
  section.claims.push_back(claim("jbb: beyond 32 fragmented is above interleaved", "above", percent(above), above > 1.03, !std::isnan(above)));
  for (const char* app : {"xml-transform", "tradesoap"}) same(app, 48, ""); // "for jbb only" the one gets above the other
  for (const char* app : {"jbb", "xml-transform"}) {
    const double below = at(app, "segregated", 48) / at(app, "fragmented", 48), rise = at(app, "segregated", 48) / at(app, "segregated", scale.quick ? 8 : 40);
    section.claims.push_back(claim(std::string(app) + ": segregated at 48 is below fragmented", "below", percent(below), below < 1, !std::isnan(below)));
    section.claims.push_back(claim(std::string(app) + ": segregated rises up to 48", "scales to 48", fmt::format("48 threads: x{:.2f} of {}", rise, scale.quick ? 8 : 40), rise > 1.03, !std::isnan(rise)));
  }
  const unsigned knee = scale.workers()[knee_of(section.figures[0].series[1].values)]; // jbb, interleaved
  section.claims.push_back(claim("jbb: interleaved stops rising", "32 threads", fmt::format("{} threads", knee), knee >= 24 && knee <= 40, !scale.quick && !std::isnan(above)));
  unsigned matters = 0; // the fewest threads from which on the gain stays above 5 %
  for (unsigned n : scale.workers())
    if (at("jbb", "naps", n) / at("jbb", "fragmented", n) < 1.05) matters = 0;
    else if (matters == 0) matters = n;
  section.claims.push_back(claim("jbb: lock-free queue and parking matter", "from 24 threads on", matters == 0 ? "nowhere" : fmt::format("from {} threads on", matters), matters >= 16 && matters <= 32, !scale.quick && !std::isnan(above)));
  const double scaled = at("tradesoap", "naps", 48) / at("tradesoap", "naps", 8);
  section.claims.push_back(claim("Tradesoap does not scale", "flat", fmt::format("48 threads: x{:.2f} of 8", scaled), scaled > 1 / 1.15 && scaled < 1.15, !std::isnan(scaled)));
  return section;
}

Section judge_e6(const Results& results, const Scale& scale) {
  Section section;
  const std::vector<std::string> presets = {"ps", "naps"};
  section.figures.push_back(curves(results, scale, "tradesoap", presets, "wall_ns", 1e-6, "Completion time, tradesoap", "ms"));
  section.figures.push_back(curves(results, scale, "xml-transform", presets, "wall_ns", 1e-6, "Completion time, xml-transform", "ms"));
  section.figures.push_back(curves(results, scale, "jbb", presets, "program_gb_s", 1, "Throughput, jbb", "GB/s allocated by the program"));
  auto ratio = [&](const char* app, const char* path) { return results.number(run_of(scale, app, "naps", 48), path) / results.number(run_of(scale, app, "ps", 48), path); };
  const double soap = ratio("tradesoap", "wall_ns"), xml = ratio("xml-transform", "wall_ns"), jbb = ratio("jbb", "program_gb_s");
  section.claims.push_back(gain_claim("Tradesoap finishes sooner at 48", "-9 %", 1 / 0.91, percent(soap), 1 / soap));
  Claim put_in = gain_claim("XML Transform finishes sooner at 48", "-28 %", 1 / 0.72, percent(xml) + ", put in: how long it computes was chosen by this figure", 1 / xml);
  put_in.outcome = Outcome::unavailable;
  section.claims.push_back(put_in);
  section.claims.push_back(gain_claim("jbb's throughput more than doubles at 48", "> x2", 2, fmt::format("x{:.2f}", jbb), jbb));
  return section;
}

Section judge_e7(const Results& results, const Scale& scale) {
  Section section;
  section.figures.push_back(curves(results, scale, "xml-transform", {"ps", "interleaved", "fragmented"}, "app_ns", 1e-6, "Application-only time, xml-transform", "ms"));
  auto at = [&](const char* preset) { return results.number(run_of(scale, "xml-transform", preset, 48), "app_ns"); };
  const double inter = at("interleaved") / at("ps"), frag = at("fragmented") / at("interleaved");
  section.claims.push_back(gain_claim("interleaved shortens the application's own time", "-26 %", 1 / 0.74, percent(inter), 1 / inter));
  section.claims.push_back(claim("fragmented the same as interleaved", "the same", percent(frag), std::abs(frag - 1) <= 0.1, !std::isnan(frag)));
  return section;
}

Section judge_e8(const Results& results, const Scale& scale) {
  Section section;
  const Run run = run_of(scale, "jbb", "segregated", 48);
  const double share = results.number(run, "requests_sent") / results.number(run, "copied_objects"), edges = results.number(run, "locality/crossing_edges");
  Plot figure{Plot::Kind::bars, "Objects asked of another node under segregated spaces", "program", "% of the objects copied", kThree, {{"ours", {}}}};
  for (const std::string& app : kThree) figure.series[0].values.push_back(100 * results.number(run_of(scale, app, "segregated", 48), "requests_sent") / results.number(run_of(scale, app, "segregated", 48), "copied_objects"));
  section.figures.push_back(figure);
  Claim asked = claim("jbb: scanned objects whose home is not the node that found them (scan requests over objects)", "12 %", fmt::format("{:.1f} %; of the references between young objects {:.1f} % cross nodes", 100 * share, 100 * edges),
                      share >= 0.06 && share <= 0.24, !std::isnan(share));
  if (asked.outcome == Outcome::fails && share > 0.01) asked.outcome = Outcome::direction;
  section.claims.push_back(asked);
  tell_missing(section, results, run, "jbb under segregated spaces");
  return section;
}

// ---- E9 E10 E11 ----

Section judge_e9(const Results& results, const Scale& scale) {
  Section section;
  for (const std::string& app : kSeven) {
    section.figures.push_back(curves(results, scale, app, {"ps", "naps"}, "gc_gb_s", 1, "GC throughput, " + app, "GB allocated per second of GC"));
    auto at = [&](const char* preset, unsigned n) { return results.number(run_of(scale, app, preset, n), "gc_gb_s"); };
    double worst = 9;
    unsigned where = 0;
    for (unsigned n : scale.workers())
      if (const double r = at("naps", n) / at("ps", n); r < worst || std::isnan(r)) worst = r, where = n;
    section.claims.push_back(claim(app + ": naps is never below ps", ">= 1", fmt::format("at least x{:.2f} ({} threads), x{:.2f} at 48", worst, where, at("naps", 48) / at("ps", 48)), worst >= 0.97, !std::isnan(worst)));
    if (app == "compiler") {
      const double same = at("naps", 48) / at("ps", 48);
      section.claims.push_back(claim("compiler: naps and ps are equal", "equal (its pause falls by 26 % in E10)", fmt::format("x{:.2f} at 48", same), std::abs(same - 1) < 0.1, !std::isnan(same)));
    }
    double most = 0, least = 9, sum = 0; // least: of the best with fewer threads
    for (unsigned n : scale.workers()) most = std::max(most, at("naps", n)), least = std::min(least, at("naps", n) / most), sum += at("naps", n);
    if (app != "eclipse") section.claims.push_back(claim(app + ": naps never degrades with threads", "never", fmt::format("at least x{:.2f} of fewer threads", least), least >= 0.95, !std::isnan(sum)));
    const double from = scale.quick ? at("naps", 8) : at("naps", 40), rise = at("naps", 48) / from;
    if (app == "aes") {
      const double flat = scale.quick ? kNone : at("naps", 48) / at("naps", 24);
      section.claims.push_back(claim("aes: flat after 24", "flat", fmt::format("48 threads: x{:.2f} of 24", flat), flat > 1 / 1.15 && flat < 1.15, !std::isnan(flat)));
    } else if (app == "eclipse") {
      const double falls = scale.quick ? kNone : at("naps", 48) / at("naps", 32);
      section.claims.push_back(claim("eclipse: degrades after 32", "falls", fmt::format("48 threads: x{:.2f} of 32", falls), falls < 0.97, !std::isnan(falls)));
    } else if (app != "tradesoap") {
      section.claims.push_back(claim(app + ": naps rises up to 48", "rises", fmt::format("48 threads: x{:.2f} of {}", rise, scale.quick ? 8 : 40), rise > 1.03, !std::isnan(rise)));
    }
  }
  return section;
}

Section judge_e10(const Results& results, const Scale& scale) {
  Section section;
  struct Row { const char* app; double ps, naps; };
  const Row rows[] = {{"jbb", 105, 49}, {"compiler", 108, 80}, {"xml-transform", 14, 9.2}, {"xml-validation", 80, 55}, {"aes", 25.6, 9}, {"eclipse", 17.8, 13}};
  section.table = {{"mean pause", "paper ps ms", "paper naps ms", "ratio", "ours ps ms", "ours naps ms", "ratio"}};
  Plot figure{Plot::Kind::bars, "Mean pause of ps over that of naps, 48 collector threads", "program", "ps / naps (above 1: naps is shorter)", {}, {{"paper", {}}, {"ours", {}}}, true};
  for (const Row& row : rows) {
    const double ps = results.number(run_of(scale, row.app, "ps", 48), "mean_pause_ms"), naps = results.number(run_of(scale, row.app, "naps", 48), "mean_pause_ms");
    section.table.push_back({row.app, short_number(row.ps), short_number(row.naps), fmt::format("{:.2f}", row.ps / row.naps), short_number(ps), short_number(naps), fmt::format("{:.2f}", ps / naps)});
    figure.xs.push_back(row.app);
    figure.series[0].values.push_back(row.ps / row.naps);
    figure.series[1].values.push_back(ps / naps);
    section.claims.push_back(gain_claim(fmt::format("{}: pauses are shorter", row.app), fmt::format("x{:.2f}", row.ps / row.naps), row.ps / row.naps, fmt::format("x{:.2f}", ps / naps), ps / naps));
  }
  section.figures.push_back(figure);
  return section;
}

Section judge_e11(const Results& results, const Scale& scale) {
  Section section;
  section.figures.push_back(curves(results, scale, "jbb", {"ps"}, "pause_ns", 1e-6, "Time in collections, jbb", "ms"));
  auto at = [&](unsigned n, const char* path) { return results.number(run_of(scale, "jbb", "ps", n), path); };
  unsigned best = 1;
  for (unsigned n : scale.workers())
    if (at(n, "pause_ns") < at(best, "pause_ns")) best = n;
  const double share = at(48, "gc_share"), after = at(48, "pause_ns") / at(8, "pause_ns");
  section.claims.push_back(claim("ps degrades after about 8 collector threads", "8", fmt::format("shortest at {}; 48 threads take x{:.2f} of 8", best, after), best <= 16, !std::isnan(after)));
  section.claims.push_back(claim("more than a third of the time is GC at 48", "> 1/3", fmt::format("{:.0f} %", 100 * share), share > 1.0 / 3, !std::isnan(share)));
  section.claims.push_back({"G1 collapses after 20 cores", "cited", "there is no such collector here", Outcome::unavailable, ""});
  return section;
}

} // namespace

const std::vector<Experiment>& naps_experiments() {
  static const std::vector<Experiment> kAll = {
      {"naps/E1", "Placement micro-benchmark", "speed-up of reading by four placements, threads 1 to 48", "the curves are lost; the text that tells where each stops is kept",
       [](const Scale& s) {
         std::vector<Run> all;
         for (const char* p : kPlacementNames)
           for (unsigned n : kPlacementThreads) all.push_back(placement_run(s, p, n));
         return all;
       },
       judge_e1},
      {"naps/E2", "The virtual machine's own fragmented option", "ps against ps with the option, jbb, 48 collector threads", "the policy of resizing is not told; here it is our own (N12), with sizes from half to four times the first",
       [](const Scale& s) { return std::vector<Run>{resize_run(s, "ps"), resize_run(s, "ps_fragopt"), resize_run(s, "fragmented")}; }, judge_e2},
      {"naps/E3", "Where eden's pages are", "the first collection of jbb and Tradesoap under ps", "only jbb's 95 % is a number",
       [](const Scale& s) { return std::vector<Run>{first_run(s, "jbb"), first_run(s, "tradesoap")}; }, judge_e3},
      {"naps/E4", "Non-locality and imbalance by space", "four placements, three programs, four spaces, 48 collector threads", "the table's cells are merged in the text that is left; claims here are those of the readable cells",
       [](const Scale& s) { return sweep(s, kThree, {"ps", "interleaved", "fragmented", "segregated"}, {48}); }, judge_e4},
      {"naps/E5", "GC throughput of each optimisation", "five configurations, three programs, collector threads 1 to 48", "curves lost; ratios at 48 and where they part are told",
       [](const Scale& s) { return sweep(s, kThree, kPresets, s.workers()); }, judge_e5},
      {"naps/E6", "What the program gains", "completion time and throughput, ps against naps", "", [](const Scale& s) { return sweep(s, kThree, {"ps", "naps"}, s.workers()); }, judge_e6},
      {"naps/E7", "Application-only time", "XML Transform, without pauses", "the other programs are left out in the paper too", [](const Scale& s) { return sweep(s, {"xml-transform"}, {"ps", "interleaved", "fragmented"}, s.workers()); }, judge_e7},
      {"naps/E8", "References that leave their node", "jbb under segregated spaces", "one number", [](const Scale& s) { return sweep(s, kThree, {"segregated"}, {48}); }, judge_e8},
      {"naps/E9", "GC throughput of naps against ps", "seven programs, collector threads 1 to 48", "all charts are lost; which programs rise is partly inferred", [](const Scale& s) { return sweep(s, kSeven, {"ps", "naps"}, s.workers()); }, judge_e9},
      {"naps/E10", "Mean pause", "ps against naps, six programs", "that it was at 48 threads is inferred; Tradesoap is absent", [](const Scale& s) { return sweep(s, {"jbb", "compiler", "xml-transform", "xml-validation", "aes", "eclipse"}, {"ps", "naps"}, {48}); }, judge_e10},
      {"naps/E11", "How ps scales by itself", "time in collections against collector threads (an older result that the paper cites)", "only cited; the other collectors of that virtual machine are not here", [](const Scale& s) { return sweep(s, {"jbb"}, {"ps"}, s.workers()); }, judge_e11},
  };
  return kAll;
}

} // namespace garner::tool
