// SPDX-License-Identifier: Apache-2.0
// Figures over many measurements.
#pragma once

#include <vector>

namespace heddle::tools {

struct Statistics {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double mean = 0;
  double min = 0;
  double max = 0;
};

// Percentiles by nearest rank: values that were measured, not means of two. `values` is not empty.
Statistics StatisticsOf(std::vector<double> values);

}  // namespace heddle::tools
