// The uniform cost model; see model.h for the contract and config.h for the prices and their sources.
#include "machine/sim/model.h"

#include "base/check.h"

namespace garner::sim {

bool Model::reset(const Costs& costs, u32 nodes) {
  costs_ = costs;
  places_.clear();
  places_.set_rules(Places::plain_rules(nodes));
  if (!lines_.reset() || !rows_.resize(nodes)) return false;
  const u64 near[kKinds] = {costs.slot_load,      costs.slot_store,   costs.line_in,       costs.read_line,
                            costs.write_line, costs.copy_from_line, costs.copy_to_line, costs.stream_to_line};
  for (u32 from = 0; from < nodes; from++) {
    for (u32 kind = 0; kind < kKinds; kind++) {
      rows_[from].price[kind][0] = 0;
      for (u32 at = 0; at < nodes; at++)
        rows_[from].price[kind][at + 1] = max_of<u64>(1, at == from ? near[kind] : near[kind] * costs.remote_percent / 100);
    }
  }
  leave();
  return true;
}

void Model::enter(u32 fiber, u32 node) {
  fiber_ = fiber;
  node_ = node;
  bit_ = u64(1) << (fiber % 64);
  row_ = &rows_[node];
}

void Model::leave() {
  fiber_ = kNoFiber;
  row_ = &rows_[0];
  seen_.bytes = 0; // so that no verb takes its fast path
}

bool Model::see(word at) {
  if (at - seen_.base < seen_.bytes) return true;
  Range* range = places_.find(at);
  if (range == nullptr) return false;
  seen_ = {range->base, range->bytes, range->offset, range->node_of_page};
  return true;
}

// The price of `units` accesses to the page of `at`, with its fault if this is the first.
u64 Model::page_price(Kind kind, word at, u64 units) {
  if (fiber_ == kNoFiber) return 0;
  if (!see(at)) return units * row_->price[kind][node_ + 1]; // memory we know nothing of counts as near
  usize page = (at - seen_.base) / kPageBytes;
  u8 where = seen_.node_of_page[page];
  if (where != 0) return units * row_->price[kind][where];
  u32 home = places_.touch(*places_.find(at), page, node_);
  return costs_.page_fault + units * row_->price[kind][home + 1];
}

u64 Model::sequence_price(Kind kind, word at, usize bytes) {
  u64 price = 0;
  while (bytes > 0) {
    usize inside = see(at) ? (at - seen_.base) % kPageBytes : 0; // outside every range: no position, as if page-aligned
    usize part = min_of(bytes, kPageBytes - inside);
    price += page_price(kind, at, div_up(part, kLineBytes));
    at += part;
    bytes -= part;
  }
  return price;
}

CacheLine& Model::line_of(word at, Visit& visit, u64& fresh_price) {
  if (GARNER_LIKELY(at - seen_.base < seen_.bytes) || see(at)) {
    const usize inside = at - seen_.base;
    visit.id = seen_.offset + inside;
    CacheLine& line = lines_.at_offset(visit.id);
    const u8 where = seen_.node_of_page[inside / kPageBytes];
    fresh_price = row_->price[kLineIn][where];
    if (GARNER_UNLIKELY(where == 0)) {
      visit.clock += page_price(kLineIn, at, 0);
      fresh_price = row_->price[kLineIn][seen_.node_of_page[inside / kPageBytes]];
    }
    return line;
  }
  u64 number;
  CacheLine* line = lines_.stranger(at, number);
  GARNER_CHECK(line != nullptr, "the simulated machine is out of memory for its line table");
  visit.id = kStranger | number;
  fresh_price = costs_.line_in;
  return *line;
}

Model::Visit Model::look(u64 clock, word at) {
  Visit visit{clock, 0};
  u64 fresh_price;
  CacheLine& line = line_of(at, visit, fresh_price);
  if (GARNER_LIKELY((line.sharers & bit_) != 0)) {
    visit.clock += costs_.atomic_load;
  } else if (line.fresh()) {
    visit.clock += fresh_price;
  } else {
    visit.clock = max_of(visit.clock, line.busy_until) + between(costs_.line_fetch, line);
    line.busy_until = visit.clock;
  }
  line.sharers |= bit_;
  return visit;
}

Model::Visit Model::take(u64 clock, word at, Use use) {
  Visit visit{clock, 0};
  const u64 own = use == Use::store ? costs_.slot_store : costs_.atomic_own;
  u64 fresh_price;
  CacheLine& line = line_of(at, visit, fresh_price);
  if (GARNER_LIKELY(line.sharers == bit_ && (line.writer == 0 || line.writer == fiber_ + 1))) {
    visit.clock += own;
  } else if (line.fresh()) {
    visit.clock += fresh_price + own;
  } else {
    visit.clock = max_of(visit.clock, line.busy_until) + between(costs_.line_take, line);
    line.busy_until = visit.clock;
  }
  line.sharers = bit_;
  line.writer = fiber_ + 1;
  line.node = node_;
  return visit;
}

void Model::renew(word at) { lines_.renew(at); }

u64 Model::id_of(word at) {
  if (const Range* range = places_.find(at)) return range->offset + (at - range->base);
  u64 number;
  return lines_.stranger(at, number) != nullptr ? kStranger | number : 0;
}

u32 Model::node_of_page(word at) {
  Range* range = places_.find(at);
  if (range == nullptr) return kNoNode;
  u8 where = range->node_of_page[(at - range->base) / kPageBytes];
  return where == 0 ? kNoNode : where - 1u;
}

} // namespace garner::sim
