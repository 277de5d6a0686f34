// Test help: fibers of a simulated machine from lambdas. The bodies live as long as the Team, which must outlive run().
#pragma once
#include <deque>
#include <functional>

#include "machine/sim/sim.h"

namespace garner {

class Team {
 public:
  explicit Team(Sim& machine) : machine_(machine) {}
  // Any number, from outside or from a body.
  bool start(std::function<void()> body) {
    bodies_.push_back(std::move(body));
    return machine_.start([](void* at) { (*static_cast<std::function<void()>*>(at))(); }, &bodies_.back());
  }

 private:
  Sim& machine_;
  std::deque<std::function<void()>> bodies_; // a deque: growing moves nothing
};

} // namespace garner
