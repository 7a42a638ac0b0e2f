#pragma once
// Brute force for the tests of the closed forms: every lane of a request has an address, and distinct
// sectors, bytes and banks are counted one by one.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernels/answers/expected.h"

namespace coalescope::kernels::test {

// One memory instruction of one warp: the byte addresses of the lanes that take part.
struct Request {
  std::vector<std::int64_t> addresses;
  std::int64_t element_bytes = 4;
};

// 32 lanes; a negative address is a lane that is off.
inline Request request(const std::function<std::int64_t(std::int64_t lane)>& address,
                       std::int64_t element_bytes = 4) {
  Request made{{}, element_bytes};
  for (std::int64_t lane = 0; lane < 32; ++lane)
    if (const std::int64_t byte = address(lane); byte >= 0) made.addresses.push_back(byte);
  return made;
}

struct Tally {
  std::int64_t requests = 0, bytes = 0, sectors = 0, ideal_sectors = 0, threads = 0;
  bool operator==(const Tally&) const = default;

  // A warp without lanes executes nothing.
  void add(const Request& request, std::int64_t times = 1) {
    if (request.addresses.empty()) return;
    std::set<std::int64_t> touched_bytes, touched_sectors;
    for (const std::int64_t address : request.addresses)
      for (std::int64_t byte = address; byte < address + request.element_bytes; ++byte) {
        touched_bytes.insert(byte);
        touched_sectors.insert(byte / 32);
      }
    requests += times;
    bytes += times * std::ssize(touched_bytes);
    sectors += times * std::ssize(touched_sectors);
    // The lanes' bytes, each for itself, in no more sectors than were touched.
    const std::int64_t asked_bytes = std::ssize(request.addresses) * request.element_bytes;
    ideal_sectors += times * std::min(std::ssize(touched_sectors), (asked_bytes + 31) / 32);
    threads += times * std::ssize(request.addresses);
  }
};

// 32 banks of 4 bytes, each of which gives one word a wavefront. Elements of 8 and 16 bytes are served half
// and a quarter of a warp at a time.
inline std::int64_t wavefronts(const Request& request) {
  const std::int64_t words = request.element_bytes / 4;
  const auto lanes_at_once = static_cast<std::size_t>(32 / words);
  std::int64_t total = 0;
  for (std::size_t first = 0; first < request.addresses.size(); first += lanes_at_once) {
    std::map<std::int64_t, std::set<std::int64_t>> words_of_bank;
    for (std::size_t lane = first; lane < std::min(first + lanes_at_once, request.addresses.size()); ++lane)
      for (std::int64_t word = 0; word < words; ++word) {
        const std::int64_t number = request.addresses[lane] / 4 + word;
        words_of_bank[number % 32].insert(number);
      }
    std::size_t most = 0;
    for (const auto& [bank, distinct] : words_of_bank) most = std::max(most, distinct.size());
    total += static_cast<std::int64_t>(most);
  }
  return total;
}

inline const Case& case_called(const std::string& id) {
  for (const Case& one : cases())
    if (one.id == id) return one;
  throw std::out_of_range(id);
}

inline std::int64_t expected_count(const Case& one, model::MetricId metric) {
  for (const ExpectedCount& expected : one.counts)
    if (expected.metric == metric) return expected.count;
  ADD_FAILURE() << one.id << " expects no " << model::metric(metric).key;
  return -1;
}

inline void expect_loads(const Case& one, const Tally& load) {
  using model::MetricId;
  EXPECT_EQ(expected_count(one, MetricId::global_load_requests), load.requests) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::global_load_bytes), load.bytes) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::global_load_sectors), load.sectors) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_loads), load.requests) << one.id;
}

inline void expect_stores(const Case& one, const Tally& store) {
  using model::MetricId;
  EXPECT_EQ(expected_count(one, MetricId::global_store_requests), store.requests) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::global_store_bytes), store.bytes) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::global_store_sectors), store.sectors) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_stores), store.requests) << one.id;
}

// `others`: atomics.
inline void expect_global(const Case& one, const Tally& load, const Tally& store, const Tally& others = {}) {
  using model::MetricId;
  expect_loads(one, load);
  expect_stores(one, store);
  EXPECT_EQ(expected_count(one, MetricId::instruction_sectors), load.sectors + store.sectors + others.sectors)
      << one.id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_ideal_sectors),
            load.ideal_sectors + store.ideal_sectors + others.ideal_sectors)
      << one.id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_threads), load.threads + store.threads + others.threads)
      << one.id;
}

struct SharedTally {
  std::int64_t requests = 0, wavefronts = 0, ideal = 0;

  void add(const Request& request, std::int64_t times) {
    requests += times;
    wavefronts += times * test::wavefronts(request);
    ideal += times * request.element_bytes / 4;
  }
};

// `not_requests`: executions that have wavefronts there but are not counted as such.
inline void expect_shared(const Case& one, const SharedTally& shared, std::int64_t not_requests = 0) {
  using model::MetricId;
  EXPECT_EQ(expected_count(one, MetricId::instruction_shared_requests), shared.requests - not_requests)
      << one.id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_shared_wavefronts), shared.wavefronts) << one.id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_shared_ideal_wavefronts), shared.ideal) << one.id;
}

}  // namespace coalescope::kernels::test
