#include "draw.h"

namespace garner::test {
namespace {

// Not drawn: what says nothing to a collection, and what the script sets itself.
bool fixed(Opt option) {
  switch (option) {
    case Opt::preset:
    case Opt::log:
    case Opt::log_format:
    case Opt::log_detail:
    case Opt::notices:
    case Opt::reserve:
    case Opt::limit:
    case Opt::limit_percent:
    case Opt::huge_pages:
    case Opt::stress_every:
    case Opt::stress_kind:
    case Opt::verify:
    case Opt::workers:
    case Opt::seats:
    case Opt::eden:
    case Opt::eden_min:
    case Opt::eden_max: return true;
    default: return false;
  }
}

i64 any_value(const OptRow& row, Random& random) {
  switch (row.type) {
    case OptType::flag: return i64(random.below(2));
    case OptType::choice: {
      i64 choices = 1;
      for (const char* p = row.choices; *p != 0; p++) choices += *p == '|';
      return i64(random.below(u64(choices)));
    }
    default: break;
  }
  if (row.id == Opt::region) return i64(64 * KiB) << random.below(4);
  if (row.id == Opt::queue_capacity || row.id == Opt::root_capacity) return i64(8) << random.below(10);
  u64 span = u64(row.high - row.low);
  i64 value = row.low + i64(random.below(span + 1) >> random.below(log2_floor(span + 1) + 1)); // small ones likely
  return row.type == OptType::bytes ? i64(align_up(u64(value), kWordBytes)) : value;
}

} // namespace

Settings draw_settings(u64 seed) {
  Random random(seed ^ 0x0b710b5);
  Settings settings;
  const char* presets[] = {"", "preset=ps", "preset=interleaved", "preset=naps", "preset=fragmented", "preset=ps_fragopt",
                           "preset=segregated", "preset=org", "preset=aggressive", "preset=hybrid", "preset=relaxed"};
  settings.parse(presets[random.one_in(2) ? 0 : random.below(sizeof presets / sizeof presets[0])]);
  for (const OptRow& row : kTable) {
    if (fixed(row.id)) continue;
    u64 dice = random.below(8);
    if (dice < 2) settings.set_given(row.id, row.mood); // given: else simulated machines take their own for some of them
    else if (dice < 4) settings.set_given(row.id, any_value(row, random));
  }
  if (random.one_in(2)) settings.set(Opt::region, 64 * KiB);
  if (random.one_in(3)) settings.set(Opt::woken_per, i64(random.below(2) * 4096));
  settings.set(Opt::workers, i64(1 + random.below(4)));
  if (random.one_in(3)) settings.set(Opt::scheme, i64(random.below(4)));
  // Segregated spaces want a worker on every node.
  if (u32 nodes = draw_machine(seed).nodes; settings.get(Opt::workers) < nodes)
    for (Opt space : {Opt::space_eden, Opt::space_survivor})
      if (settings.as<SpacePolicy>(space) == SpacePolicy::segregated) {
        if (random.one_in(2)) settings.set(Opt::workers, nodes);
        else settings.set(space, i64(SpacePolicy::fragmented));
      }
  settings.set(Opt::verify, i64(VerifyWhen::both));
  settings.set(Opt::notices, 0); // refused policies are among the faults
  for (const IllegalPair* pair; (pair = settings.illegal()) != nullptr;) {
    Opt change = random.one_in(2) ? pair->a : pair->b;
    if (change == Opt::sync) change = pair->b; // so that both kinds stay equally likely
    if (pair->a == Opt::term_exit) { // the exit, the scheme or the space, as likely
      if (change == Opt::term_exit) settings.set(change, i64(TermExit::count_only));
      else settings.set(change, 0);
      continue;
    }
    settings.set(change, settings.get(change) == 0 ? 1 : 0);
  }
  return settings;
}

Script draw_script(u64 seed, bool real_threads) {
  Random random(seed ^ 0x5c21b7);
  Script script;
  script.seed = seed;
  script.settings = draw_settings(seed);
  script.manners = synthetic::Manners::drawn(seed);
  script.threads = random.one_in(2) ? 1 : u32(2 + random.below(2));
  script.operations = u32(150 + random.below(real_threads ? 2000 : 1000)) / script.threads;
  SyntheticShape& shape = script.shape;
  shape.reserve = 64 * MiB;
  shape.eden = (64 + random.below(448)) * KiB;
  shape.eden_min = 64 * KiB;
  shape.eden_max = random.one_in(2) ? shape.eden : 2 * MiB;
  shape.tight_eden = (8 + random.below(120)) * KiB;
  usize region = script.settings.bytes(Opt::region);
  // Tiny limits: promotion fails, and memory runs out. Never so small that nothing at all can be allocated.
  if (random.one_in(2)) shape.limit = 512 * KiB + (6 + random.below(random.one_in(2) ? 10 : 60)) * region;
  script.context = "replay: garner_seeds --seed " + std::to_string(seed) + (real_threads ? " --machine linux" : "");
  return script;
}

SimConfig draw_machine(u64 seed) {
  Random random(seed ^ 0x3ac41e);
  SimConfig config;
  config.nodes = random.one_in(2) ? 1 : u32(2 + random.below(3));
  config.cores_per_node = 2;
  config.picker = random.one_in(8) ? sim::Picker::earliest : sim::Picker::seeded;
  config.seed = seed;
  if (random.one_in(2)) config.faults = sim::FaultPlan::drawn(seed);
  config.steps_max = 400'000'000;
  return config;
}

std::string option_text(const Settings& settings) {
  std::string text;
  for (const OptRow& row : kTable) {
    if (row.id == Opt::preset || settings.get(row.id) == row.value) continue; // a preset's name would bring back values that were drawn anew
    char value[Settings::kTextBytes];
    settings.print(row.id, value, sizeof value);
    text += (text.empty() ? "" : ",") + std::string(row.name) + "=" + value;
  }
  return text;
}

std::string describe(const Script& script) {
  std::string text = option_text(script.settings) + " ";
  auto flag = [&](bool on, const char* name) {
    if (on) text += std::string(name) + " ";
  };
  const synthetic::Manners& m = script.manners;
  text += "| ";
  flag(m.passing_roots, "passing_roots"), flag(m.late_pins, "late_pins"), flag(m.ambiguous_words, "ambiguous_words");
  flag(m.shared_slots, "shared_slots"), flag(m.reentrant_hooks, "reentrant_hooks"), flag(m.preemptive_destroy, "preemptive_destroy");
  flag(m.tight_eden, "tight_eden"), flag(m.slow_gather, "slow_gather");
  text += "| threads " + std::to_string(script.threads) + " operations " + std::to_string(script.operations) + " eden " +
          std::to_string(script.shape.eden / KiB) + "k limit " + std::to_string(script.shape.limit / KiB) + "k";
  return text;
}

} // namespace garner::test
