// The few figures of statistics that the reports use. All of them take their samples in any order; an empty set gives 0.
#pragma once
#include <vector>

namespace garner::tool {

double median(std::vector<double> samples);
// Nearest rank: the smallest sample that at least `percent` of all samples do not exceed. percent in (0, 100].
double percentile(std::vector<double> samples, double percent);
double sum(const std::vector<double>& samples);
double maximum(const std::vector<double>& samples);
double minimum(const std::vector<double>& samples);
// Of positive samples; those that are not positive are left out.
double geometric_mean(const std::vector<double>& samples);

} // namespace garner::tool
