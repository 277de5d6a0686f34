// N7, N8, N10, N16, N17: every memory order that floor 4 declares is needed, and its loss is found. Each line with an atomic operation
// that is more than relaxed, in every piece, is weakened to relaxed in turn; some piece must then race or fail within a few thousand
// schedules. The lines for which none does stand in `not_shown` with the reason; one that is found after all must leave the list.
#include <cstring>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "pieces.h"

namespace garner::pieces {
namespace {

struct Line {
  std::string file;
  u32 number;
  bool operator<(const Line& o) const { return file != o.file ? file < o.file : number < o.number; }
};

// The source of a line, without what surrounds it. Compilers give paths relative to where they ran.
std::string text_of(const Line& line) {
  const usize floor = line.file.rfind("src/work/"), test = line.file.rfind("tests/work/");
  std::ifstream in(std::string(GARNER_SOURCE) + "/" + line.file.substr(floor == std::string::npos ? test : floor));
  std::string text;
  for (u32 i = 0; i < line.number && std::getline(in, text); i++) {}
  if (usize comment = text.find("//"); comment != std::string::npos) text.resize(comment);
  const usize from = text.find_first_not_of(' '), to = text.find_last_not_of(' ');
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

sim::Limits limits_of(u64 schedules) {
  sim::Limits limits;
  limits.machine.races = true;
  limits.machine.preemptions_max = 2;
  limits.schedules_max = schedules;
  return limits;
}

std::map<Line, Where> declared(const std::vector<Piece>& pieces) {
  std::map<Line, Where> lines;
  Vector<Where> found;
  for (const Piece& piece : pieces) {
    sim::Limits limits = limits_of(500);
    limits.machine.orders = &found;
    EXPECT_FALSE(piece.explore(limits).failed()) << piece.name;
  }
  for (const Where& where : found)
    if (strstr(where.file, "src/work/") != nullptr || text_of({where.file, where.line}).find("forward(") != std::string::npos ||
        text_of({where.file, where.line}).find("header(") != std::string::npos)
      lines[{where.file, where.line}] = where;
  return lines;
}

// Empty when no piece notices.
std::string noticed_by(const std::vector<Piece>& pieces, Where weakened, u32 lines, bool expected) {
  for (const Piece& piece : pieces) {
    sim::Limits limits = limits_of(expected ? 2'000 : 500);
    limits.machine.weakened = weakened;
    limits.machine.weakened_lines = lines;
    sim::Exploration found = piece.explore(limits);
    if (found.failed()) return std::string(piece.name) + ": " + found.text();
    for (u64 seed = 1; seed <= (expected ? 150 : 30); seed++) {
      SimConfig config;
      config.picker = seed % 2 == 0 ? sim::Picker::seeded : sim::Picker::priority;
      config.changes_within = 200;
      config.seed = seed;
      config.races = true;
      config.weakened = weakened;
      config.weakened_lines = lines;
      config.steps_max = 1'000'000;
      Sim sim(config);
      sim::Outcome outcome{};
      if (!piece.run(sim, outcome)) return std::string(piece.name) + ": " + outcome.text;
    }
  }
  return "";
}

// `lines` 1: no edge hangs on the order; more: another line does the same, and without both it is found.
struct NotShown {
  const char* file;
  const char* text; // a part of the source line and the one before
  u32 lines;
  const char* why;
};
constexpr const char* kTotal = "it orders a store before a later load, which is a total order and no edge; interleavings here always have it";
constexpr const char* kFresh = "an old value of another atomic word would be the consequence; here every load finds the newest";
constexpr NotShown not_shown[] = {
    {"bell.h", "dozers_.load_seq_cst()", 1, kTotal},
    {"bell.h", "dozers_.fetch_add_seq_cst(1)", 1, kTotal},
    {"bell.h", "rings_.fetch_add_acq_rel(1)", 1, kFresh},
    {"bell.h", "return rings_.load_acquire()", 1, kFresh},
    {"deque.h", "looks_stealable_seq_cst()", 1, kTotal},
    {"deque.ipp", "top = top_.load_seq_cst()", 1, kTotal},
    {"deque.ipp", "won = top_.cas_seq_cst(top, past(top, 1))", 1, kTotal},
    {"deque.ipp", "top_.cas_acq_rel(top, tagged)", 1, "what a thief that comes after it must find is the lowered split; here every load finds the newest"},
    {"deque.ipp", "split_.store_release(mine_)", 1, "the slots below were handed on when they were first published, and the compare-and-swap before hands them on too"},
    {"deque.h", "bool empty() const", 1, "the owner looks at a number; whatever uses slots again asks for top with acquire itself"},
    {"deque.ipp", "split_.store_release(end)", 1, "all entries below it are gone, so a thief that reads it finds nothing"},
    {"gang.ipp", "stopping_.store_release(1)", 1, "the stamp that follows is a release too"},
    {"gang.ipp", "stopping_.load_acquire()", 1, "the stamp was read with acquire before"},
    {"task_queue.ipp", "take_array(u32 epoch) { u64 head = head_.load_acquire()", 5, "the compare-and-swap acquires again"},
    {"task_queue.ipp", "head_.cas_acq_rel(head, head + 1)", 1, "the load before acquires; a change keeps what the release of open() left in the word"},
    {"task_queue.ipp", "head_.cas_acq_rel(head, (head", 1, "likewise"},
    {"termination.h", "bool join(u32 epoch, u32 most, u32& ordinal) { u64 w = word_.load_acquire()", 3, "the compare-and-swap acquires again"},
    {"termination.h", "bool withdraw(u32 epoch) { u64 w = word_.load_acquire()", 1, "what a worker takes after it withdrew it takes from a deque"},
    {"termination.h", "bool doze(u32 epoch) { u64 w = word_.load_acquire()", 1, "it only decides whether to sleep"},
    {"termination.h", "word_.cas_acq_rel(w, w + kJoined)", 1, "the load before acquires; the newcomer has written nothing yet"},
    {"termination.h", "word_.cas_acq_rel(w, w - kIdle)", 1, "what it takes next it takes from a deque; what it wrote is released by its next offer"},
    {"termination.h", "word_.cas_acq_rel(w, w | kDozed)", 1, "it sleeps, and comes back through other loads"},
};

TEST(OrdersWeakened, EachIsFound) {
  const std::vector<Piece> pieces = all();
  u32 found = 0;
  for (const auto& [line, where] : declared(pieces)) {
    const std::string text = text_of(line);
    ASSERT_FALSE(text.empty()) << line.file << ":" << line.number;
    const std::string context = text_of({line.file, line.number - 1}) + " " + text;
    const NotShown* hidden = nullptr;
    for (const NotShown& one : not_shown)
      if ((strchr(one.text, '{') != nullptr ? context : text).find(one.text) != std::string::npos && line.file.find(one.file) != std::string::npos) hidden = &one;
    const std::string by = noticed_by(pieces, where, 1, hidden == nullptr);
    if (hidden == nullptr) EXPECT_FALSE(by.empty()) << line.file << ":" << line.number << ": " << text << ": its order can be left out, and nobody notices";
    else EXPECT_TRUE(by.empty()) << text << ": said to be invisible (" << hidden->why << "), but found by " << by;
    if (hidden != nullptr && hidden->lines > 1) EXPECT_FALSE(noticed_by(pieces, where, hidden->lines, true).empty()) << text << ", and its partner: nobody notices";
    found += !by.empty();
  }
  EXPECT_GE(found, 20u);
  RecordProperty("found", int(found));
}

} // namespace
} // namespace garner::pieces
