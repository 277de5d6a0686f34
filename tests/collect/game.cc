// The two games that are compiled once: on real threads and on the simulated machine.
#include "game.ipp"
#include "player.ipp"

namespace garner::test {

template class Game<Linux>;
template class Game<Sim>;

Result play(Linux& machine, const Script& script) {
  Game<Linux> game(machine, script);
  if (!game.start()) return {.trouble = "the heap could not be made"};
  game.conduct();
  return game.result();
}

Result play(Sim& machine, const Script& script) {
  Game<Sim> game(machine, script);
  if (!game.start()) return {.trouble = "the heap could not be made"};
  machine.start([](void* at) { static_cast<Game<Sim>*>(at)->conduct(); }, &game);
  Sim::Outcome outcome = machine.run();
  if (outcome.end != sim::End::finished) return {.trouble = outcome.text};
  Result result = game.result();
  result.digest = mix64(result.digest ^ machine.digest());
  return result;
}

} // namespace garner::test
