// N2, N7, N8, N10, N16, N17, T4: every memory order that floor 4 declares is needed, and its loss is found. Each line with an atomic operation
// that is more than relaxed, in every piece, is weakened to relaxed in turn; some piece must then race or fail within a few thousand
// schedules. The lines for which none does stand in `not_shown` with the reason; one that is found after all must leave the list. The lines to which no piece
// comes, of floors 5 and 6 too, stand in `elsewhere`; the sources are read for them, so that nothing with an order is in neither.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

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
  usize from = std::string::npos;
  for (const char* root : {"src/work/", "src/heap/", "tests/work/"}) from = min_of(from, line.file.rfind(root));
  std::ifstream in(std::string(GARNER_SOURCE) + "/" + line.file.substr(from));
  std::string text;
  for (u32 i = 0; i < line.number && std::getline(in, text); i++) {}
  if (usize comment = text.find("//"); comment != std::string::npos) text.resize(comment);
  const usize first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

sim::Limits limits_of(const Piece& piece, u64 schedules) {
  sim::Limits limits;
  limits.machine.nodes = piece.nodes;
  limits.machine.races = true;
  limits.machine.preemptions_max = 2;
  limits.schedules_max = schedules;
  return limits;
}

// A piece and the lines with an order that its schedules come to.
struct Reaching {
  const Piece* piece;
  std::set<Line> lines;
};

struct Declared {
  std::map<Line, Where> lines;
  std::vector<Reaching> pieces;
};

bool schedules_pass(const Piece& piece, u64 seeds, Where weakened, u32 lines, Vector<Where>* orders, std::string& text) {
  for (u64 seed = 1; seed <= seeds; seed++) {
    SimConfig config;
    config.picker = seed % 2 == 0 ? sim::Picker::seeded : sim::Picker::priority;
    config.changes_within = 200;
    config.seed = seed;
    config.nodes = piece.nodes;
    config.races = true;
    config.weakened = weakened;
    config.weakened_lines = lines;
    config.orders = orders;
    config.steps_max = 1'000'000;
    Sim sim(config);
    sim::Outcome outcome{};
    if (piece.run(sim, outcome)) continue;
    text = std::string(piece.name) + ": " + outcome.text;
    return false;
  }
  return true;
}

// Lines of floor 4, and the pieces' own calls of the verbs that have an order.
Declared declared(const std::vector<Piece>& pieces) {
  Declared all;
  for (const Piece& piece : pieces) {
    Vector<Where> found;
    sim::Limits limits = limits_of(piece, 500);
    limits.machine.orders = &found;
    EXPECT_FALSE(piece.explore(limits).failed()) << piece.name;
    std::string text;
    EXPECT_TRUE(schedules_pass(piece, 150, {nullptr, 0}, 1, &found, text)) << text;
    Reaching one{&piece, {}};
    for (const Where& where : found) {
      const Line line{where.file, where.line};
      const bool floor = strstr(where.file, "src/work/") != nullptr || strstr(where.file, "src/heap/") != nullptr;
      if (!floor && strstr(where.file, "tests/work/") == nullptr) continue;
      if (!floor && text_of(line).find("forward(") == std::string::npos && text_of(line).find("header(") == std::string::npos) continue;
      all.lines[line] = where;
      one.lines.insert(line);
    }
    all.pieces.push_back(one);
  }
  return all;
}

// Empty when no piece that comes to the line notices.
std::string noticed_by(const Declared& all, const Line& line, u32 lines, bool expected) {
  const Where weakened = all.lines.at(line);
  for (const Reaching& one : all.pieces) {
    if (one.lines.count(line) == 0) continue;
    sim::Limits limits = limits_of(*one.piece, expected ? 2'000 : 500);
    limits.machine.weakened = weakened;
    limits.machine.weakened_lines = lines;
    sim::Exploration found = one.piece->explore(limits);
    if (found.failed()) return std::string(one.piece->name) + ": " + found.text();
    std::string text;
    if (!schedules_pass(*one.piece, expected ? 150 : 30, weakened, lines, nullptr, text)) return text;
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
constexpr const char* kNumber = "a change finds the newest number whatever its order; entries come with bottom or with the lock";
constexpr const char* kDecided = "bottom, which is read next, brings the slots, and the compare-and-swap says whether top was right";
constexpr const char* kOffered = "what the worker wrote is released by its next offer, and a change keeps what others have released in the word";
constexpr NotShown not_shown[] = {
    {"bell.h", "dozers_.load_seq_cst()", 1, kTotal},
    {"bell.h", "dozers_.fetch_add_seq_cst(1)", 1, kTotal},
    {"bell.h", "rings_.fetch_add_acq_rel(1)", 1, kFresh},
    {"bell.h", "return rings_.load_acquire()", 1, kFresh},
    {"deque.h", "looks_stealable_seq_cst()", 1, kTotal},
    {"node_queue.h", "looks_filled_seq_cst()", 1, kTotal},
    {"node_queue.h", "spilled_.store_seq_cst(", 1, kTotal},
    {"node_queue.h", "count_.fetch_add_acq_rel(n)", 1, kNumber},
    {"node_queue.h", "count_.fetch_sub_acq_rel(got)", 1, kNumber},
    {"node_queue.h", "u64 top = top_.load_acquire()", 1, kDecided},
    {"node_queue.h", "return top_.load_acquire()", 1, kDecided},
    {"termination.h", "void raise()", 1, kOffered},
    {"termination.h", "void lower()", 1, kOffered},
    {"deque.ipp", "top = top_.load_seq_cst()", 1, kTotal},
    {"marks.h", "fetch_or_acq_rel(ones_from(0, ones - done))", 1, kFresh},
    {"marks.h", "u64 carry = low == begin ? 0", 1, kFresh},
    {"marks.h", "u64 zeros = ~entry_of(at).bits.load_acquire()", 1, kFresh},
    {"marks.h", "bits.load_acquire() >> 63) == 0) return at + kMarkBlockBytes", 1, kFresh},
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

// What no piece comes to, of the rooms where collectors share work and heap.
struct Elsewhere {
  const char* file;
  const char* text;
  const char* why;
};
constexpr const char* kReal = "an atomic of the real machine, where threads of the program meet; the simulated machine has none and does not see it";
constexpr const char* kVerb = "a verb: its order is the machine's, not the caller's; shown by the piece \"forwarding\"";
constexpr const char* kByHand = "what header() does, by who has no Self; pairs with the release of forward(). No operation of the machine, so it cannot be weakened here";
constexpr Elsewhere elsewhere[] = {
    {"work/gang.ipp", "noticed_.exchange_acq_rel(1)", "a notice is printed once; nothing is handed on"},
    {"work/seats.h", "thread.store_release(thread)", "only where the machine tells its processors apart, which the simulated one does not: tests/work/seats.cc"},
    {"work/seats.h", "thread.load_acquire()", "the same"},
    {"heap/handles.h", "counts_[usize(kind)].load_acquire()", kReal},
    {"heap/handles.cc", "counts_[k].store_release(chunk->position + 1)", kReal},
    {"heap/handles.cc", "chunk->stripe.store_release(u8(stripe))", kReal},
    {"heap/handles.cc", "chunk->stripe.load_acquire() != mine", kReal},
    {"heap/handles.cc", "__atomic_store_n(slot, ref.at, __ATOMIC_RELEASE)", kReal},
    {"heap/handles.cc", "__atomic_store_n(handle, ref.at, __ATOMIC_RELEASE)", kReal},
    {"heap/handles.cc", "__atomic_compare_exchange_n(handle,", kReal},
    {"heap/handles.cc", "__atomic_store_n(handle + 1, extra, __ATOMIC_RELEASE)", kReal},
    {"cycle/cycle.ipp", "count_.store_release(index)", kReal},
    {"cycle/cycle.h", "count_.load_acquire()", kReal},
    {"cycle/cycle.ipp", "begun_.store_release(count() + 1)", kReal},
    {"cycle/cycle.ipp", "begun_.load_acquire()", kReal},
    {"concurrent/marking.ipp", "gone_.load_acquire()", "the thread's end, after which its memory may go; games on both machines end with it"},
    {"concurrent/marking.ipp", "gone_.store_release(1)", "the same"},
    {"concurrent/marking.ipp", "__atomic_load_n(reinterpret_cast<const word*>(ref.at), __ATOMIC_ACQUIRE)", "the type of an object, which is no atomic of the machine's; pairs with the store of it. What it does is in the piece \"born old\""},
    {"concurrent/moving.h", "self.header(Header{slot.at})", kVerb},
    {"concurrent/moving.ipp", "self.header(header_of(ref))", kVerb},
    {"concurrent/moving.ipp", "self.forward(Header{slot.at}", kVerb},
    {"evacuate/evacuation.ipp", "self.header(at)", kVerb},
    {"evacuate/evacuation.ipp", "self.forward(at, header, forward_to(copy))", kVerb},
    {"evacuate/evacuation.ipp", "self.forward(header_of(ref), header, forward_to(ref))", kVerb},
    {"evacuate/evacuation.h", "is_forward(__atomic_load_n(", kByHand},
    {"evacuate/evacuation.h", "word header = __atomic_load_n(", kByHand},
};

// Of a line without its comment.
bool has_order(const std::string& text) {
  static const std::regex operation(R"(\b(load|store|exchange|cas|fetch_add|fetch_sub|fetch_or)_(acquire|release|acq_rel|seq_cst)\(|__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)|__sync_|[.>](header|forward)\()");
  return std::regex_search(text, operation);
}

TEST(OrdersWeakened, NoLineIsLeftOut) {
  const std::vector<Piece> pieces = all();
  const Declared reached = declared(pieces);
  std::set<std::string> explored; // "src/work/bell.h:36"
  for (const auto& [line, where] : reached.lines)
    if (usize at = line.file.rfind("src/"); at != std::string::npos) explored.insert(line.file.substr(at) + ":" + std::to_string(line.number));
  std::set<const Elsewhere*> unused;
  for (const Elsewhere& one : elsewhere) unused.insert(&one);
  u32 lines = 0;
  for (const char* room : {"work", "heap", "collect", "cycle"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(GARNER_SOURCE) + "/src/" + room)) {
      if (!entry.is_regular_file()) continue;
      const std::string file = entry.path().string(), name = file.substr(strlen(GARNER_SOURCE) + 1);
      std::ifstream in(file);
      std::string text;
      for (u32 number = 1; std::getline(in, text); number++) {
        if (usize comment = text.find("//"); comment != std::string::npos) text.resize(comment);
        if (!has_order(text)) continue;
        lines++;
        const Elsewhere* listed = nullptr;
        for (const Elsewhere& one : elsewhere)
          if (name.find(one.file) != std::string::npos && text.find(one.text) != std::string::npos) listed = &one;
        unused.erase(listed);
        const bool seen = explored.count(name + ":" + std::to_string(number)) != 0;
        EXPECT_NE(seen, listed != nullptr) << name << ":" << number << ": " << text << (seen ? ": a piece comes to it, so it does not belong on the list" : ": no piece comes to it, and it is on no list");
      }
    }
  for (const Elsewhere* one : unused) ADD_FAILURE() << one->file << " has no \"" << one->text << "\"";
  EXPECT_GE(lines, 60u);
}

TEST(OrdersWeakened, EachIsFound) {
  const std::vector<Piece> pieces = all();
  const Declared orders = declared(pieces);
  u32 found = 0;
  for (const auto& [line, where] : orders.lines) {
    const std::string text = text_of(line);
    ASSERT_FALSE(text.empty()) << line.file << ":" << line.number;
    const std::string context = text_of({line.file, line.number - 1}) + " " + text;
    const NotShown* hidden = nullptr;
    for (const NotShown& one : not_shown)
      if ((strchr(one.text, '{') != nullptr ? context : text).find(one.text) != std::string::npos && line.file.find(one.file) != std::string::npos) hidden = &one;
    const std::string by = noticed_by(orders, line, 1, hidden == nullptr);
    if (hidden == nullptr) EXPECT_FALSE(by.empty()) << line.file << ":" << line.number << ": " << text << ": its order can be left out, and nobody notices";
    else EXPECT_TRUE(by.empty()) << text << ": said to be invisible (" << hidden->why << "), but found by " << by;
    if (hidden != nullptr && hidden->lines > 1) EXPECT_FALSE(noticed_by(orders, line, hidden->lines, true).empty()) << text << ", and its partner: nobody notices";
    found += !by.empty();
  }
  EXPECT_GE(found, 30u);
  RecordProperty("found", int(found));
}

} // namespace
} // namespace garner::pieces
