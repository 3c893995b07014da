// SPDX-License-Identifier: Apache-2.0
#include "tools/statistics.h"

#include <algorithm>
#include <numeric>

namespace heddle::tools {

Statistics StatisticsOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t count = values.size();
  const auto percentile = [&](size_t percent) {
    const size_t rank = (count * percent + 99) / 100;  // from 1, rounded up
    return values[std::max<size_t>(rank, 1) - 1];
  };
  Statistics statistics;
  statistics.p50 = percentile(50);
  statistics.p90 = percentile(90);
  statistics.p99 = percentile(99);
  statistics.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  statistics.min = values.front();
  statistics.max = values.back();
  return statistics;
}

}  // namespace heddle::tools
