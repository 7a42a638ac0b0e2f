// B against brute force. The address functions repeat what the pattern files do, in plain numbers.

#include <gtest/gtest.h>

#include "kernels/answers/geometry.h"
#include "kernels/answers/simulation_test.h"

namespace coalescope::kernels {
namespace {

using model::MetricId;
using test::case_called;
using test::expected_count;
using test::Request;
using test::request;
using test::SharedTally;
using test::Tally;

constexpr std::int64_t kWarps = 262'144 / 32;

Tally in_order(std::int64_t requests, std::int64_t element_bytes = 4) {
  Tally tally;
  tally.add(request([&](std::int64_t lane) { return lane * element_bytes; }, element_bytes), requests);
  return tally;
}

// 4 elements a thread are written in order, then 128 are read, `row` by row of the banks.
void expect_shared_reads(const std::string& id, const std::function<std::int64_t(std::int64_t)>& element,
                         std::int64_t element_bytes) {
  SharedTally shared;
  shared.add(request([&](std::int64_t lane) { return lane * element_bytes; }, element_bytes), 4 * kWarps);
  for (std::int64_t pass = 0; pass < 128; ++pass)
    shared.add(request([&](std::int64_t lane) { return (element(lane) + pass * 32) % 1024 * element_bytes; },
                       element_bytes),
               kWarps);
  expect_shared(case_called(id), shared);
  expect_global(case_called(id), {}, in_order(kWarps));
}

TEST(ExpectedOnChip, SharedStrides) {
  for (std::int64_t stride = 1; stride <= 32; ++stride) {
    const auto strided = [&](std::int64_t lane) { return lane * stride; };
    expect_shared_reads("shared_stride/" + std::to_string(stride), strided, 4);
    expect_shared_reads("shared_stride_wide/" + std::to_string(stride), strided, 8);
  }
}

TEST(ExpectedOnChip, SharedMulticast) {
  for (const int lanes : {2, 4, 8, 16, 32})
    expect_shared_reads(
        "shared_multicast/" + std::to_string(lanes), [&](std::int64_t lane) { return lane / lanes; }, 4);
}

TEST(ExpectedOnChip, CornerTurning) {
  Tally direct;
  for (std::int64_t column = 0; column < 32; ++column)
    direct.add(request([&](std::int64_t lane) { return (lane * 32 + column) * 4; }), 67'108'864 / 32 / 32);
  expect_global(case_called("corner_direct"), direct, in_order(67'108'864 / 32 / 32));
  for (const std::int64_t pitch : {16, 17, 32, 33}) {
    const std::int64_t columns = pitch < 32 ? 16 : 32, rows_at_once = 32 / columns;
    const std::int64_t warps = 67'108'864 / columns / 32;
    SharedTally shared;
    for (std::int64_t row = 0; row < 32; row += rows_at_once)
      shared.add(
          request([&](std::int64_t lane) { return ((row + lane / columns) * pitch + lane % columns) * 4; }),
          warps);
    for (std::int64_t column = 0; column < columns; ++column)
      shared.add(request([&](std::int64_t lane) { return (lane * pitch + column) * 4; }), warps);
    const Case& turned = case_called("corner_turned/" + std::to_string(pitch));
    expect_shared(turned, shared);
    expect_global(turned, in_order(warps * columns), in_order(warps));
  }
}

TEST(ExpectedOnChip, Staging) {
  for (const std::int64_t bytes : {4, 8, 16}) {
    const std::int64_t requests = 268'435'456 / bytes / 32;
    const Tally moved = in_order(requests, bytes);
    const std::string argument = "/" + std::to_string(bytes);
    const Case& registers = case_called("staged_through_registers" + argument);
    expect_global(registers, moved, moved);
    SharedTally shared;
    shared.add(request([&](std::int64_t lane) { return lane * bytes; }, bytes), requests);
    shared.add(request([&](std::int64_t lane) { return (255 - lane) * bytes; }, bytes), requests);
    expect_shared(registers, shared);
    const Case& asynchronous = case_called("staged_asynchronously" + argument);
    test::expect_loads(asynchronous, {});
    test::expect_stores(asynchronous, moved);
    expect_shared(asynchronous, shared, requests);
    EXPECT_EQ(expected_count(asynchronous, MetricId::instruction_sectors), 2 * moved.sectors);
    EXPECT_EQ(expected_count(asynchronous, MetricId::instruction_ideal_sectors), 2 * moved.ideal_sectors);
    EXPECT_EQ(expected_count(asynchronous, MetricId::instruction_threads), moved.threads);
    EXPECT_EQ(expected_count(asynchronous, MetricId::async_copy_bytes), moved.bytes);
    EXPECT_EQ(expected_count(asynchronous, MetricId::async_copy_sectors), moved.sectors);
    EXPECT_EQ(expected_count(asynchronous, MetricId::async_copy_requests), moved.requests);
  }
}

// Word w of lane l of a warp's local memory.
std::int64_t local_address(std::int64_t word, std::int64_t lane) {
  return word * 128 + lane * 4;
}

TEST(ExpectedOnChip, LocalArrays) {
  for (const std::int64_t words : {16, 32})
    for (const bool by_lane : {false, true}) {
      Tally load, store;
      for (std::int64_t k = 0; k < words; ++k) {
        store.add(request([&](std::int64_t lane) { return local_address(k, lane); }), kWarps);
        load.add(request([&](std::int64_t lane) {
                   return local_address((5 + (by_lane ? lane : 0) + k) % words, lane);
                 }),
                 kWarps);
      }
      const Case& one =
          case_called((by_lane ? "local_array_by_lane/" : "local_array/") + std::to_string(words));
      EXPECT_EQ(expected_count(one, MetricId::local_load_sectors), load.sectors) << one.id;
      EXPECT_EQ(expected_count(one, MetricId::local_store_sectors), store.sectors) << one.id;
      EXPECT_EQ(expected_count(one, MetricId::instruction_local_sectors), load.sectors + store.sectors);
      expect_global(one, in_order(kWarps * words), in_order(kWarps));
    }
}

TEST(ExpectedOnChip, SpilledRegistersAreALeastCount) {
  for (const ExpectedCount& expected : case_called("live_words/32").counts)
    EXPECT_EQ(expected.or_more, expected.metric == MetricId::local_load_sectors ||
                                    expected.metric == MetricId::local_store_sectors ||
                                    expected.metric == MetricId::instruction_local_sectors);
  EXPECT_EQ(expected_count(case_called("live_words/128"), MetricId::local_load_sectors), 0);
}

void expect_reductions(const std::string& id, const Tally& updates) {
  const Case& one = case_called(id);
  EXPECT_EQ(expected_count(one, MetricId::global_reduction_sectors), updates.sectors) << id;
  EXPECT_EQ(expected_count(one, MetricId::global_reduction_bytes), updates.bytes) << id;
  EXPECT_EQ(expected_count(one, MetricId::instruction_reductions), updates.requests) << id;
  expect_global(one, in_order(kWarps), {}, updates);
}

// As they were measured on an H100: lanes of one word are one sector, and what they wait for is no sector.
TEST(ExpectedOnChip, AtomicsOfFewWords) {
  const std::map<std::int64_t, std::int64_t> sectors{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 2}, {32, 4}};
  for (const auto& [words, count] : sectors) {
    const std::int64_t addresses = words;
    Tally updates;
    updates.add(request([&](std::int64_t lane) { return lane % addresses * 4; }), kWarps);
    EXPECT_EQ(updates.sectors, count * kWarps);
    expect_reductions("reduction/" + std::to_string(addresses), updates);
    if (addresses != 1 && addresses != 8 && addresses != 32) continue;
    const Case& fetch = case_called("fetch_add/" + std::to_string(addresses));
    EXPECT_EQ(expected_count(fetch, MetricId::global_atomic_sectors), updates.sectors) << fetch.id;
    EXPECT_EQ(expected_count(fetch, MetricId::global_atomic_bytes), updates.bytes) << fetch.id;
    EXPECT_EQ(expected_count(fetch, MetricId::instruction_atomics), updates.requests) << fetch.id;
    expect_global(fetch, {}, in_order(kWarps), updates);
  }
}

TEST(ExpectedOnChip, ReductionsThatMeetLessOften) {
  Tally one_lane;
  one_lane.add(request([](std::int64_t lane) { return lane == 0 ? 0 : -1; }), kWarps);
  expect_reductions("reduction_aggregated", one_lane);
  expect_reductions("reduction_spread", in_order(kWarps));
}

TEST(ExpectedOnChip, Histograms) {
  Tally updates;
  SharedTally shared;
  for (std::uint32_t first = 0; first < 262'144; first += 32) {
    const Request bins = request([&](std::int64_t lane) {
      return std::int64_t{(((first + static_cast<std::uint32_t>(lane)) * 2654435761U + 12345U) >> 12) & 255} *
             4;
    });
    updates.add(bins);
    shared.add(bins, 1);
  }
  EXPECT_EQ(updates.bytes, 262'144 * 4) << "a warp has a bin twice: shared memory would serve it twice";
  expect_reductions("histogram_global", updates);
  shared.add(request([](std::int64_t lane) { return lane * 4; }), 2 * kWarps);
  expect_shared(case_called("histogram_privatised"), shared);
  expect_reductions("histogram_privatised", in_order(kWarps));
}

}  // namespace
}  // namespace coalescope::kernels
