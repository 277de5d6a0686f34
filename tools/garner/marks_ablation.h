// What each choice of the design gives: the collector with one option changed beside the collector as it is, in turn, on the workloads that the choice was made for.
#pragma once
#include <string>
#include <vector>

#include "marks_parts.h"
#include "marks_rows.h"

namespace garner::tool {

struct Choice {
  const char* options; // what is changed
  const char* without; // what the collector does then
  const char* where;   // words: pieces or workloads; those with a heap limit at twice the minimum unless "@unlimited" follows
};
const std::vector<Choice>& choices();
// By their options; all when none is named. UsageError for any other.
std::vector<Choice> choices_named(const std::vector<std::string>& names);

// With workloads or sizes in the selection those instead of the choice's own.
std::vector<PartPlan> parts_of(const Choice& choice, const Selection& selection);
// Ratios of the changed collector to the one as it is, each with its interval from three runs on; above 1 the choice gains something.
TitledTable table_of(const Choice& choice, const std::vector<PartPlan>& plans, const Parts& parts);
nlohmann::ordered_json json_of(const Choice& choice, const std::vector<PartPlan>& plans, const Parts& parts);

} // namespace garner::tool
