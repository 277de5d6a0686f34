// Pace: the arithmetic of when to collect and how large the young space is (pace.h). N12.
#include "cycle/pace.h"

namespace garner {
namespace {

// Where old space's growth ends, whatever its threshold: what is left is eden's and its copies'.
u64 end_under(u64 limit) { return limit == 0 ? ~u64(0) : limit / 8 * 7; }

// Old space grows by as much beyond `bytes` before the next full collection: to its threshold, or to where a limit ends that.
u64 grows_by(const Pace& pace, u64 bytes) {
  const u64 end = min_of(pace.old_threshold(), end_under(pace.config().limit));
  return end - min_of(end, bytes);
}

} // namespace

void Pace::init(const PaceConfig& config) {
  config_ = config;
  wanted_ = clamp_to(config.eden_start, min_of(config.eden_min, config.eden_max), config.eden_max);
  eden_.store_relaxed(wanted_);
  if (config_.en_masse && config_.adaptive) begin_look(); // nothing is known yet: what is learned from a small eden spares the copying of a large one
  set_threshold();
}

void Pace::set_limit(const PaceConfig& config) {
  if ((config.limit == 0) != (config_.limit == 0)) quarters_ = kQuarters / 2; // of full collections under the other regime nothing is known in this one
  config_.limit = config.limit, config_.growth_min = config.growth_min;
  config_.eden_min = config.eden_min, config_.eden_max = config.eden_max;
  wanted_ = clamp_to(wanted_, min_of(config_.eden_min, config_.eden_max), config_.eden_max);
  set_threshold();
}

void Pace::set_short(bool is) {
  if (is == short_) return;
  short_ = is;
  set_threshold();
}

void Pace::set_patient(bool is) {
  if (is == patient_) return;
  patient_ = is;
  set_threshold();
}

void Pace::set_threshold() {
  u64 least = live_ * config_.old_growth_percent / 100, growth = least;
  if (u64 limit = config_.limit; limit > live_) growth = max_of(growth, min_of(roomy_ * growth, (limit - live_) / 4 * 3));
  auto allowed = [&](u64 bytes, u32 quarters) {
    bytes = max_of(bytes * (10 - config_.conserve) / 10, config_.growth_min);
    if (quarters != kQuarters) bytes = bytes / kQuarters * quarters;
    return short_ ? min_of(bytes, max_of(live_ / kShortGrowth, config_.growth_min / kShortGrowth)) : bytes;
  };
  growth = allowed(growth, lean_growth() ? quarters_ : kQuarters);
  u64 threshold = live_ + growth;
  if (beside_ && config_.limit == 0) // its end is to come where the threshold of a stop would be
    threshold = max_of(threshold - min_of(marked_growth_, growth), counted_ + max_of(growth / kBetweenMarkings, min_of(growth, config_.growth_min)));
  threshold_.store_relaxed(threshold);
  half_.store_relaxed(counted_ + (threshold - min_of(counted_, threshold)) / 2);
  const u64 end = max_of(live_ + growth, end_under(config_.limit));
  // What lived last time will live, or half of all that is there; where about as much lived as the time before, half of that half. Of a heap that is larger than any that
  // was looked at nobody knows what that would take: it may have become a chain since.
  const u64 bearable = kLongStop * config_.pause_goal_ns, much = u64(double(bearable) / stop_ns_), grown = u64(2 * double(bearable) / unknown_ns_);
  long_from_.store_relaxed(patient_ ? 0 : stops_ != 0 ? ~u64(0) : live_ > much ? 0 : steady_ ? 4 * much : min_of(2 * much, max_of(live_, most_seen_) + grown));
  // A marking takes as long, however soon it began. The first without a limit is waited for: nobody knows how long it takes, and those behind it begin sooner for what it took.
  allowance_ = allowed(least, kQuarters);
  const u64 late = config_.limit != 0 ? allowance_ / 2 : marked_growth_ == 0 ? kFirstMarking * allowance_ : allowance_ / 4;
  const u64 roomy = short_ || config_.conserve != 0 ? 0 : config_.limit / 4 * 3; // what may be used anyway is no reason to stop the program, as long as eden has its part
  wait_end_.store_relaxed(config_.limit != 0 ? 0 : max_of(live_ + growth, threshold) + allowance_ / 4);
  overdue_.store_relaxed(patient_ && !short_ ? end : max_of(min_of(max_of(live_ + growth, threshold) + late, end), roomy));
}

void Pace::begins_late(u64 old_bytes) {
  if (config_.limit == 0) overdue_.store_relaxed(max_of(overdue_.load_relaxed(), old_bytes + marked_growth_ + allowance_ / 4));
}

void Pace::count_share(u64 pause_ns, u64 interval_ns) {
  paused_ns_ += pause_ns, ran_ns_ += interval_ns, pauses_++;
  proof_paused_ns_ += pause_ns, proof_ns_ += pause_ns + interval_ns;
  if (proof_ns_ > 4 * kProofNs) proof_paused_ns_ /= 2, proof_ns_ /= 2; // a rush is not weighed against the hours before it
  longest_ns_ = max_of(longest_ns_, pause_ns);
  double cycle_ns = double(pause_ns + interval_ns);
  double share = cycle_ns > 0 ? double(pause_ns) / cycle_ns : 0;
  const double weight = max_of(0.4, cycle_ns / (cycle_ns + kShareNs)); // of the last one alone where it took long
  share_ = share_ == 0 ? share : (1 - weight) * share_ + weight * share;
}

void Pace::after_young(const YoungFacts& facts) {
  most_old_ = max_of(most_old_, facts.old_bytes);
  count_share(facts.pause_ns, facts.interval_ns);
  double survived = facts.eden_used == 0 ? 0 : double(facts.survived) / double(facts.eden_used);
  // A partly filled eden (an induced collection) says little about survival.
  if (facts.eden_used >= config_.eden_min / 2) {
    double survival = clamp_to(survived, 0.02, 1.0);
    survival_ = survival > survival_ ? survival : 0.7 * survival_ + 0.3 * survival; // quick to fear, slow to trust
    learn_copies(facts);
  }
  if (facts.promoted > 0) grown_since_full_ = true;
  if (config_.en_masse) judge_looking(facts);
  if (config_.adapt_tenure) judge_waiting(facts);
  if (config_.adaptive && !looks_) resize(facts, survived); // a look's eden was made small
  if (looks_ && lean() && goes_unseen() && facts.pause_ns > calm_ns()) wanted_ = max_of(wanted_, min_of(2 * wanted_, min_of(eden_free(), config_.eden_max))); // promoted en masse it takes no more, and saves looks
  fit(facts.room);
  if (full_ns_ != 0 && base_count_ < kBase) room_after_full_ = max_of(room_after_full_, eden()); // what lay among pins has become old, and left room
  if (!looks_) count_debt(facts);
  squeeze(facts.old_bytes, facts.room);
  looks_ = false;
}

// Whether pauses with this eden have taken, for long enough, a share that speaks for a larger one: of twice as much eden, twice as large a one.
bool Pace::may_grow(u64 eden) const {
  if (short_) return false;
  if (!lean() || eden < eden_free()) return true;
  const double share = 100 * double(proof_paused_ns_) / double(max_of<u64>(proof_ns_, 1));
  return proof_ns_ >= kProofNs && share * double(eden_free()) > config_.gc_share_percent * double(eden);
}

void Pace::resize(const YoungFacts& facts, double survived) {
  const u64 had = wanted_;
  const u64 pause = facts.pause_ns - facts.beside_ns;
  const double shorter = double(calm_ns()) / double(max_of<u64>(pause, 1));
  const double of_seldom = share_ * 100 * kSeldom / max_of(config_.gc_share_percent, 1u); // and at most 1 by a smaller eden whose pauses are as long
  const bool often = share_ * 100 > config_.gc_share_percent, seldom = of_seldom < 1;
  // As much as a program may have for the asking, where a share in proportion speaks for it, saves something by it and makes no pause too long.
  const bool cheap = lean() && had < eden_free() && !seldom && share_ * 100 * double(eden_free()) > config_.gc_share_percent * double(had) && pause <= config_.pause_goal_ns && survived <= kMostlyAlive;
  const bool came_soon = facts.eden_used < eden() / 8 * 7 && facts.eden_used >= soon().bytes / 8 * 7 && facts.interval_ns >= soon_ns();
  if ((often || facts.pause_ns > kSlow * config_.pause_goal_ns) && survived > kMostlyAlive) aim(facts);
  else if (often || cheap) wanted_ = min_of(wanted_ * 2, config_.eden_max);
  else if (seldom && (shorter < 1 || came_soon))
    wanted_ = max_of(u64(double(came_soon ? min_of(facts.eden_used, wanted_) : wanted_) * clamp_to(shorter, max_of(of_seldom, 0.5), 1.0)), min_of(config_.eden_min, config_.eden_max));
  if (!may_grow(had)) wanted_ = min_of(wanted_, had);
  else if (lean() && had < eden_free()) wanted_ = min_of(wanted_, eden_free());
  if (wanted_ > had || wanted_ < had / 4 * 3) proof_ns_ = proof_paused_ns_ = 0; // less is noise about an aim
  if (facts.eden_used <= soon().bytes / 8 * 9 || pause < soon_pause_ns_) soon_pause_ns_ = pause;
  if (facts.eden_used >= config_.eden_min / 2) soon_bytes_ = u64(double(facts.eden_used) * min_of(shorter, 1e3));
}

void Pace::after_en_masse(u64 pause_ns, u64 interval_ns, u64 old_bytes, u64 room) {
  count_share(pause_ns, interval_ns);
  if (unseen_ != 0) unseen_--;
  // What was built before, and lived, is built: sixteen edens of a server's requests, filled in a second each, are a heap of garbage twice as large as what lives.
  if (unseen_ != 0 && filled_ns_ != 0 && double(interval_ns) > kOtherWork * filled_ns_ * double(max_of(eden(), MiB))) unseen_ = 0;
  most_old_ = max_of(most_old_, old_bytes);
  grown_since_full_ = true;
  fit(room);
  squeeze(old_bytes, room);
  if (unseen_ == 0 && room < 3 * min_of(wanted_, room_after_full_)) unseen_ = 1, left_to_full_ = true; // the full collection that is near sees as much as a look
  if (unseen_ == 0) begin_look();
}

void Pace::begin_look() {
  looks_ = true;
  if (config_.adaptive && eden_floor() == 0) eden_.store_relaxed(max_of(eden() / kLookAt, min_of(eden(), config_.eden_min)));
}

// Squeezed: old space has taken eden's room, and not survivors that wait, who leave it again. Either nearly all of it, or enough that the more frequent young collections have cost as
// much already as the full one that would give the room back.
void Pace::squeeze(u64 old_bytes, u64 room) {
  u64 had = min_of(wanted_, room_after_full_);
  const u64 grown = old_bytes - min_of(old_bytes, old_after_full_);
  bool taken = grown_since_full_ && room < (~u64(0) >> 2) && eden() < had && grown > max_of(old_after_full_ / 50, (had - eden()) / kTakenByOld);
  pressed_.store_relaxed(taken && eden() < min_of(most_had_, room_after_full_) / 6);
  squeezed_ = pressed() || (taken && (eden() < had / 6 || debt_ns_ > max_of(double(full_ns_), beside_ ? stop_ns_ * double(live_) : 0))); // a marking's last pause is not what it has cost
}

bool Pace::promotes_en_masse(u64 young, u64 old_bytes, u64 room, bool marking) const {
  return goes_unseen() && young <= left_for_young(marking ? ~u64(0) : growth_left(old_bytes), room);
}

// To fill them takes as long as to copy so many bytes, and saves what they are of all that old space grows by from one full collection to the next.
bool Pace::passes_over(u64 holes, u64 old_bytes) const {
  const double full = max_of(full_cost(seen_ns_, old_bytes), stop_ns_ * double(live_)); // a marking's last pause is not what it has cost
  return goes_unseen() && full < seen_ns_ * double(grows_by(*this, live_ + holes));
}

bool Pace::full_due_instead(u64 old_bytes, u64 young, u64 room) const {
  const u64 left = left_for_young(growth_left(old_bytes), room), grown = old_bytes - min_of(old_bytes, live_);
  return goes_unseen() && young > left && full_cost(seen_ns_, old_bytes) * double(left) <= seen_ns_ * double(young) * double(grown + left);
}

bool Pace::marking_due(u64 old_bytes, u64 young, u64 room) const {
  if (config_.limit == 0 || live_ == 0) return false;
  const u64 survivors = u64(survival_ * double(young)), old = old_bytes + survivors, growth = marked_growth_ + marked_growth_ / 4;
  room += young - min_of(young, survivors);
  return old - min_of(old, live_) >= live_ / kGrownToMark && eden_in(room - min_of(room, growth)) < min_of(wanted_, room_after_full_) / 2;
}

void Pace::after_stop(u64 pause_ns, u64 live_bytes, u64 large_bytes) {
  if (live_bytes < kStopSeen) return;
  const double took = double(pause_ns) / double(live_bytes);
  stop_ns_ = max_of((stop_ns_ + took) / 2, 1e-3);
  if (live_bytes - min_of(live_bytes, large_bytes) >= kUnknownSeen) unknown_ns_ = max_of((unknown_ns_ + 2 * took) / 3, stop_ns_);
}

// A stop would have marked and moved, half of what lives as a rule. The thread that marked had less than a processor, so this can only be too much: it lowers what stops have taught, or
// one that took long in a bad moment would never be tried again.
void Pace::after_marking(u64 grown_bytes, u64 trace_ns, u64 live_bytes) {
  marked_ = true;
  became_old_ = grown_bytes;
  marked_growth_ = max_of(grown_bytes, marked_growth_ / 4 * 3);
  if (trace_ns == 0 || live_bytes < kStopSeen) return;
  const double moving = copy_ns_ != 0 ? copy_ns_ / 2 : kStopNs / 2;
  stop_ns_ = min_of(stop_ns_, (stop_ns_ + double(trace_ns) / double(live_bytes) + moving) / 2);
}

u64 Pace::expected_copies(u64 waiting, u64 old_bytes, bool may_go_unseen) const {
  const u64 young = eden() + waiting;
  const bool none = may_go_unseen && goes_unseen() && (young <= growth_left(old_bytes) || full_due_instead(old_bytes, young, ~u64(0)));
  if (none) return 0;
  // Of an eden that has grown half as much more survives: what does is mostly what is in use just then, however large eden is.
  auto of_eden = [&](const Copied& last) { return last.of == 0 ? 0 : double(last.bytes) * (1 + double(eden()) / double(last.of)) / 2; };
  return u64(max_of(of_eden(copied_[0]), of_eden(copied_[1]))) + expected_to_come_through(waiting);
}

// Before the first one: it looks at each live byte, and moves it, for about twice what copying it took.
double Pace::full_cost(double copying_ns, u64 old_bytes) const { return full_ns_ != 0 ? double(full_ns_) : 2.0 * copying_ns * double(old_bytes); }

// Before at_once_ changes: what survived of eden is told from what waited by it.
u64 Pace::copied_of_eden(const YoungFacts& facts) const { return facts.survived - min_of(at_once_ != 0 ? facts.waited : facts.promoted, facts.survived); }

// Where too few copies are expected some wait for the system's memory; where too many are, as much memory is kept for nothing.
void Pace::learn_copies(const YoungFacts& facts) {
  copied_[1] = copied_[0];
  copied_[0] = {copied_of_eden(facts), facts.eden_used};
  if (at_once_ != 0) came_through_ = 0.5; // nothing waits, and what does afterwards may come through or not
  else if (facts.waited >= MiB) came_through_ = min_of(1.0, double(facts.promoted) / double(facts.waited));
}

void Pace::judge_looking(const YoungFacts& facts) {
  left_to_full_ = false;
  const u64 copied = copied_of_eden(facts), dead = facts.eden_used - min_of(copied, facts.eden_used);
  const double full = full_cost(double(facts.pause_ns) / double(max_of<u64>(facts.survived, 1)), facts.old_bytes);
  const double cost = full * double(dead) / double(max_of<u64>(grows_by(*this, live_), MiB));
  const bool pays = facts.eden_used >= config_.eden_min / 2 && double(copied) >= kSeldomDead * double(facts.eden_used) && 2 * cost <= double(facts.pause_ns);
  unseen_ = pays ? unseen_next_ : 0;
  unseen_next_ = pays ? min_of(2 * unseen_next_, kUnseenMost) : kUnseenFirst;
  if (!pays) return;
  filled_ns_ = double(facts.interval_ns) / double(max_of<u64>(facts.fresh, 1));
  const double seen = double(facts.pause_ns) / double(facts.eden_used);
  seen_ns_ = seen_ns_ == 0 ? seen : min_of(seen, seen_ns_ * 1.1); // some copies wait for the system's memory: that is no price to reckon with
}

void Pace::after_full_look(u64 eden_used, u64 survived) {
  left_to_full_ = false;
  if (eden_used < config_.eden_min / 2) { // and says little: what was known before is believed once more, half as much as before
    unseen_ = unseen_next_ > kUnseenFirst ? max_of(unseen_, 1u) : 0;
    unseen_next_ = max_of(unseen_next_ / 2, kUnseenFirst);
    return;
  }
  if (unseen_ == 0) return;
  const bool pays = double(survived) >= kSeldomDead * double(eden_used);
  unseen_ = pays ? unseen_next_ : 0;
  unseen_next_ = pays ? min_of(2 * unseen_next_, kUnseenMost) : kUnseenFirst;
}

// What young collections since the last full one have cost beyond the price per byte of the first of them, when eden was largest.
// One of an eden that was kept among pins says nothing of what a byte costs.
void Pace::count_debt(const YoungFacts& facts) {
  const u64 pause_ns = facts.pause_ns - facts.beside_ns; // what was done for a marking, or moved behind one, is no price of eden's
  if (base_count_ < kBase) {
    if (facts.fresh < facts.eden_used / kMostlyKept) return;
    base_count_++;
    base_ns_ += double(pause_ns);
    base_bytes_ += double(facts.fresh);
  } else if (base_bytes_ > 0) {
    debt_ns_ = max_of(0.0, debt_ns_ + double(pause_ns) - base_ns_ / base_bytes_ * double(facts.fresh));
  }
}

// What is promoted at once is found dead by full collections only. So nearly all that waited must have come through, and either much of eden live, which is copied twice else, or the pause be
// too long, as cards are looked at twice for the same. It ends when eden's survivors become few, of the second kind when there are many more than had waited, when memory is short or
// when pauses are short by more than this can have brought; or after some collections, to look again.
void Pace::judge_waiting(const YoungFacts& facts) {
  u64 copied = facts.survived - (at_once_ != 0 ? 0 : min_of(facts.promoted, facts.survived)); // of eden
  const bool mostly = double(copied) > kMostlyAlive * double(facts.eden_used), slow = facts.pause_ns > kSlow * config_.pause_goal_ns / (at_once_ != 0 ? kShorter : 1);
  if (at_once_ != 0) {
    at_once_ = mostly || (slow && copied <= 2 * waited_slowly_ && !short_ && !pressed()) ? at_once_ - 1 : 0;
  } else if (facts.waited >= MiB) {
    bool all = (mostly || (slow && !short_ && !pressed())) && double(facts.promoted) >= kNearlyAll * double(facts.waited);
    at_once_ = all ? at_once_next_ : 0;
    at_once_next_ = all ? min_of(2 * at_once_next_, kAtOnceMost) : kAtOnceFirst;
    waited_slowly_ = slow ? facts.waited : 0;
  }
}

// Most of eden survives, so what copying costs is the same in few large collections or many small ones; only what each costs besides
// (cards, roots, stopping) speaks for fewer. Aims at kSlow times the pause goal, but lets copying take at least as long as the rest.
void Pace::aim(const YoungFacts& facts) {
  double pause = double(facts.pause_ns), goal = double(kSlow * config_.pause_goal_ns), copied = double(max_of<u64>(facts.survived, 1));
  if (facts.survived >= MiB) copy_ns_ = copy_ns_ == 0 ? pause / copied : min_of(pause / copied, copy_ns_ * 1.002);
  double copying = min_of(max_of(copy_ns_ * copied, pause / 16), pause), rest = pause - copying;
  double target = clamp_to(2 * rest, goal, 4 * goal);
  double scale = clamp_to((target - rest) / copying, 0.5, 2.0);
  wanted_ = clamp_to(u64(double(min_of(wanted_, facts.eden_used)) * scale), min_of(config_.eden_min, config_.eden_max), config_.eden_max);
}

// Of the cycle that ends with this pause.
void Pace::judge_marking(u64 pause_ns) {
  const double price = double(paused_ns_ + pause_ns) / double(max_of<u64>(ran_ns_, 1)), stop = stop_ns_ * double(live_), longest = double(max_of(longest_ns_, pause_ns));
  paused_ns_ = ran_ns_ = longest_ns_ = pauses_ = 0;
  if (!beside_) {
    price_stop_ = price;
    stops_ -= stops_ != 0;
    return;
  }
  const bool dear = (price_stop_ != 0 && price > 1.5 * price_stop_) || counted_ - live_ > live_ / 2;
  const bool bearable = steady_ && stop <= double(kBearable * kLongStop * config_.pause_goal_ns); // a heap that grows stops longer each time
  stops_ = bearable && (longest > 0.75 * stop || (dear && longest > 0.4 * stop)) ? stops_next_ : 0;
  stops_next_ = stops_ != 0 ? min_of(2 * stops_next_, kStopsMost) : max_of(stops_next_ / 2, kStopsFirst); // one marking may be good where the next is not: its holes are paid for later
}

// Of a full collection that was due. Under a limit memory may be used, and is the more of it the longer such ones take. Without one memory has its price (lean): where a full collection takes
// little more time than the young one in whose place it comes, in all and by itself, they come up to four times as often; where they take a large share of all time, half as often.
void Pace::judge_growth(u64 pause_ns, u64 since_ns) {
  auto percent = [&](double ns) { return 100 * ns / double(since_ns); };
  const double share = percent(double(pause_ns)), right = config_.gc_share_percent;
  if (share > 2 * right || pause_ns > kSlow * config_.pause_goal_ns) roomy_ = min_of(2 * roomy_, kRoomyMost);
  else if (share < right / 2) roomy_ = max_of(roomy_ / 2, kRoomyLeast);
  if (!lean_growth() || marked_ || live_ == 0) return; // of the first most of the time before it was the program's start
  const double young_ns = double(paused_ns_) / max_of(pauses_, 1u), more_ns = double(pause_ns) - young_ns, more = percent(more_ns);
  const bool dear = share > (quarters_ > kQuarters ? 1.5 : 4) * right; // less of it is what the larger allowance has brought
  if (more > 3 * right || more_ns > max_of(double(kSlow * config_.pause_goal_ns), 2 * young_ns)) quarters_ = 2 * quarters_;
  else if (more < right / 2) quarters_ = max_of(quarters_ / 2, 1u); // twice as often, it will be less than right
  quarters_ = min_of(quarters_, dear ? kQuartersMost : kQuarters);
}

void Pace::after_full(u64 live_bytes, u64 old_bytes, u64 room, u64 pause_ns, u64 since_ns, u64 holes) {
  if (since_ns != 0) judge_growth(pause_ns, since_ns);
  if (marked_) quarters_ = max_of(quarters_, kQuarters); // its pause does not tell what it has cost
  counted_ = max_of(live_bytes, old_bytes);
  most_seen_ = max_of(max_of(most_seen_, most_old_), counted_);
  most_old_ = 0;
  old_after_full_ = old_bytes;
  beside_ = marked_;
  marked_ = false;
  const u64 seen = counted_ - (beside_ ? min_of(became_old_, counted_) : 0);
  const u64 lived = config_.limit != 0 ? counted_ : clamp_to(seen + (seen - min_of(seen, live_)), min_of(live_, counted_), counted_);
  steady_ = lived <= live_ + live_ / 4;
  live_ = lived;
  judge_marking(pause_ns);
  grown_since_full_ = squeezed_ = false;
  pressed_.store_relaxed(0);
  full_ns_ = pause_ns;
  debt_ns_ = base_ns_ = base_bytes_ = 0;
  base_count_ = 0;
  looks_ = false;
  set_threshold();
  fit(room);
  if (holes == 0) most_had_ = eden();
  room_after_full_ = holes == 0 ? eden() : min_of(max_of(wanted_, most_had_), eden_in(room + holes));
  if (!left_to_full_) return;
  left_to_full_ = false;
  unseen_ = 0;
  begin_look();
}

void Pace::end_eden_floor(u64 room) {
  set_eden_floor(0);
  fit(room);
}

// Eden and the copies of what survives of it must both fit.
void Pace::fit(u64 room) {
  u64 next = max_of(min_of(wanted_, eden_in(room)), min_of<u64>(512 * KiB, room)); // the least: the last step before full collections take over
  if (const u64 floor = eden_floor(); floor != 0) next = max_of(next, min_of(floor, room));
  most_had_ = max_of(most_had_, next);
  eden_.store_relaxed(next); // at once: whoever reads meanwhile gets a size that is or was
}

} // namespace garner
