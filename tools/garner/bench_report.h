// What `garner bench` tells: one table per figure and heap size, the first mode's ratio to each other one and to the best of them, and geometric means.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "measure.h"
#include "table.h"

namespace garner::tool {

// One workload at one heap size.
struct BenchResult {
  std::string workload, at; // "2", "unlimited": times the minimum heap
  uint64_t min_heap_bytes = 0;
  bool paced = false;
  std::vector<Contender> contenders; // the first is what is compared with the others
  std::string difference;            // of a result from the stock reference's; empty when all agree

  std::string trouble() const; // of the first contender's runs and of all results; empty when there is none
};

struct TitledTable {
  std::string title;
  Table table;
};
std::vector<TitledTable> bench_tables(const std::vector<BenchResult>& results);
// Of one figure: a table for each heap size.
std::vector<TitledTable> bench_tables(const std::vector<BenchResult>& results, const Figure& figure);
std::string bench_remarks(const std::vector<BenchResult>& results);
nlohmann::ordered_json bench_json(const std::vector<BenchResult>& results);

} // namespace garner::tool
