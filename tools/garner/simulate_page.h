// The page of `garner simulate -o`: what each preset does with each number of workers, as curves and as a table, and for each preset what its workers did when in
// its shortest collection. Charts (charts.h) for light and dark screens, in one file that asks the network for nothing.
#pragma once
#include <string>
#include <vector>

#include "replay.h"

namespace garner::tool {

// The rows as replay_all made them, with timelines.
std::string draw_replays(const ReplayPlan& plan, const std::vector<ReplayRow>& rows);

} // namespace garner::tool
