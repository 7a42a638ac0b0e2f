#include "kernels/expected_parts.h"

#include <utility>

#include "kernels/geometry.h"

namespace coalescope::kernels {

using model::MetricId;

std::vector<ExpectedCount> counts_of(const Work& work) {
  const WarpAccess& load = work.load;
  const WarpAccess& store = work.store;
  const std::int64_t loads = work.threads / kWarpThreads * load.requests;
  const std::int64_t stores = work.threads / kWarpThreads * store.requests;
  return {
      {MetricId::global_load_bytes, loads * load.bytes},
      {MetricId::global_load_sectors, loads * load.sectors},
      {MetricId::global_load_requests, loads},
      {MetricId::global_store_bytes, stores * store.bytes},
      {MetricId::global_store_sectors, stores * store.sectors},
      {MetricId::global_store_requests, stores},
      {MetricId::instruction_sectors, loads * load.sectors + stores * store.sectors},
      {MetricId::instruction_ideal_sectors, loads * load.ideal_sectors() + stores * store.ideal_sectors()},
      {MetricId::instruction_loads, loads},
      {MetricId::instruction_stores, stores}};
}

// A kernel without parameter.
Case single(std::string family, const std::string& function, std::string title, std::int64_t useful_bytes,
            const Work& work) {
  Case one;
  one.family = std::move(family);
  one.id = function;
  one.kernel = "coalescope::kernels::" + function;
  one.title = std::move(title);
  one.useful_bytes = useful_bytes;
  one.threads = work.threads;
  one.counts = counts_of(work);
  return one;
}

// A kernel with a number as template argument.
Case point(std::string family, const std::string& function, int argument, std::string title,
           std::int64_t useful_bytes, const Work& work) {
  const std::string value = std::to_string(argument);
  Case one = single(std::move(family), function, std::move(title), useful_bytes, work);
  one.id += "/" + value;
  one.kernel += "<" + value + ">";
  one.abscissa = argument;
  return one;
}

}  // namespace coalescope::kernels
