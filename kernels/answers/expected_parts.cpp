#include "kernels/answers/expected_parts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace coalescope::kernels {

using model::MetricId;

WarpAccess access_to(std::span<const std::int64_t> words) {
  std::set<std::int64_t> distinct, sectors;
  for (const std::int64_t word : words) {
    distinct.insert(word);
    sectors.insert(word / kSectorWords);
  }
  return {1, std::ssize(distinct) * kWordBytes, std::ssize(sectors), std::ssize(words)};
}

void LaunchAccess::add(const WarpAccess& access, std::int64_t warps) {
  requests += warps * access.requests;
  bytes += warps * access.requests * access.bytes;
  sectors += warps * access.requests * access.sectors;
  ideal_sectors += warps * access.requests * access.ideal_sectors();
  threads += warps * access.requests * access.lanes;
}

void LaunchAccess::add_stretch(std::int64_t first_word, std::int64_t words, std::int64_t times) {
  for (; words > 0; words -= kWarpThreads, first_word += kWarpThreads) {
    const std::int64_t lanes = std::min(words, kWarpThreads);
    const std::int64_t sectors_to_end = (first_word % kSectorWords + lanes + kSectorWords - 1) / kSectorWords;
    add({1, lanes * kWordBytes, sectors_to_end, lanes}, times);
  }
}

void LaunchAccess::add(const LaunchAccess& other) {
  requests += other.requests;
  bytes += other.bytes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  threads += other.threads;
}

std::vector<ExpectedCount> counts_of(const LaunchAccess& load, const LaunchAccess& store,
                                     const LaunchAccess& others) {
  LaunchAccess all = load;
  all.add(store);
  all.add(others);
  return {{MetricId::global_load_bytes, load.bytes},
          {MetricId::global_load_sectors, load.sectors},
          {MetricId::global_load_requests, load.requests},
          {MetricId::global_store_bytes, store.bytes},
          {MetricId::global_store_sectors, store.sectors},
          {MetricId::global_store_requests, store.requests},
          {MetricId::instruction_sectors, all.sectors},
          {MetricId::instruction_ideal_sectors, all.ideal_sectors},
          {MetricId::instruction_loads, load.requests},
          {MetricId::instruction_stores, store.requests},
          {MetricId::instruction_threads, all.threads}};
}

std::vector<ExpectedCount> counts_of(const Work& work) {
  LaunchAccess load, store;
  load.add(work.load, work.threads / kWarpThreads);
  store.add(work.store, work.threads / kWarpThreads);
  return counts_of(load, store);
}

std::vector<ExpectedCount> shared_counts(const SharedAccess& access) {
  return {{MetricId::instruction_shared_requests, access.requests},
          {MetricId::instruction_shared_wavefronts, access.wavefronts},
          {MetricId::instruction_shared_ideal_wavefronts, access.ideal_wavefronts}};
}

void append(std::vector<ExpectedCount>& counts, const std::vector<ExpectedCount>& more) {
  counts.insert(counts.end(), more.begin(), more.end());
}

Case kernel_case(std::string family, const std::string& function, std::optional<int> argument,
                 std::string title) {
  Case one;
  one.family = std::move(family);
  one.id = function;
  one.kernel = "coalescope::kernels::" + function;
  one.title = std::move(title);
  if (argument) {
    const std::string value = std::to_string(*argument);
    one.id += "/" + value;
    one.kernel += "<" + value + ">";
    one.abscissa = *argument;
  }
  return one;
}

Case single(std::string family, const std::string& function, std::string title, std::int64_t useful_bytes,
            const Work& work) {
  Case one = kernel_case(std::move(family), function, std::nullopt, std::move(title));
  one.useful_bytes = useful_bytes;
  one.threads = work.threads;
  one.counts = counts_of(work);
  return one;
}

Case point(std::string family, const std::string& function, int argument, std::string title,
           std::int64_t useful_bytes, const Work& work) {
  Case one = kernel_case(std::move(family), function, argument, std::move(title));
  one.useful_bytes = useful_bytes;
  one.threads = work.threads;
  one.counts = counts_of(work);
  return one;
}

}  // namespace coalescope::kernels
