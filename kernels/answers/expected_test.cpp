// The closed forms against brute force: every lane of many warps is simulated, and distinct sectors and bytes
// are counted one by one. The address functions repeat what the pattern files do, not what expected.cpp says.

#include "kernels/answers/expected.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "kernels/answers/geometry.h"
#include "kernels/answers/simulation_test.h"

namespace coalescope::kernels {
namespace {

using model::MetricId;
using test::case_called;
using test::Tally;

// The families that this file simulates, and how many cases they have.
const std::map<std::string, int> kSizes{{"A1", 1}, {"A2", 4}, {"A3", 33}, {"A4", 32}, {"A5", 1},
                                        {"A6", 6}, {"A7", 5}, {"D1", 36}, {"D6", 8},  {"E1", 1}};

bool is_simulated(const Case& one) {
  return !one.kernel.empty() && kSizes.contains(one.family);
}

// From the thread's number to the element that it touches.
using Index = std::function<std::int64_t(std::int64_t thread)>;

struct Simulated {
  std::int64_t threads = kArrayWords;
  std::int64_t element_bytes = kWordBytes;
  std::vector<Index> loads, stores;
};

std::string function_of(const Case& one) {
  return one.id.substr(0, one.id.find('/'));
}

int argument_of(const Case& one) {
  return std::stoi(one.id.substr(one.id.find('/') + 1));
}

Simulated simulated(const Case& one) {
  const Index same = [](std::int64_t t) { return t; };
  const std::string function = function_of(one);
  if (function == "sequential_copy") return {kArrayWords, 4, {same}, {same}};
  if (function == "permuted_read" || function == "permuted_write") {
    const Index permuted = [mask = argument_of(one)](std::int64_t t) { return t ^ mask; };
    if (function == "permuted_read") return {kArrayWords, 4, {permuted}, {same}};
    return {kArrayWords, 4, {same}, {permuted}};
  }
  if (function == "offset_copy") {
    const Index shifted = [offset = argument_of(one)](std::int64_t t) { return t + offset; };
    return {kArrayWords - 256, 4, {shifted}, {shifted}};
  }
  if (function == "strided_copy") {
    const int stride = argument_of(one);
    const Index strided = [stride](std::int64_t t) { return t * stride; };
    return {kArrayWords / stride / 256 * 256, 4, {strided}, {strided}};
  }
  if (function == "grid_strided_copy") {
    const Index scattered = [](std::int64_t t) { return t / 256 + t % 256 * (kArrayWords / 256); };
    return {kArrayWords, 4, {scattered}, {scattered}};
  }
  if (function == "broadcast") return {kArrayWords, 4, {[](std::int64_t) { return 0; }}, {same}};
  if (function == "multicast") {
    const int lanes = argument_of(one);
    return {kArrayWords, 4, {[lanes](std::int64_t t) { return t / lanes; }}, {same}};
  }
  if (function == "element_copy") return {kArrayBytes / argument_of(one), argument_of(one), {same}, {same}};
  if (function.ends_with("strided_read"))
    return {kArrayWords / 8, 4, {[](std::int64_t t) { return t * 8; }}, {same}};
  if (function.ends_with("read_twice"))
    return {
        kArrayWords, 4, {same, [](std::int64_t t) { return (t + kArrayWords / 2) % kArrayWords; }}, {same}};
  if (function == "l2_copy") {
    std::vector<Index> passes;
    for (int pass = 0; pass < 8; ++pass)
      passes.push_back([pass](std::int64_t t) { return (t + pass * 65'536) % 524'288; });
    return {8 * 524'288, 4, passes, passes};
  }
  EXPECT_THAT(function, testing::AnyOf("zero_copy_read", "staged_read", "zero_copy_write", "staged_write"));
  return {kArrayWords, 4, {same}, {same}};
}

Tally one_warp(const Simulated& kernel, const std::vector<Index>& accesses, std::int64_t warp) {
  Tally tally;
  for (const Index& index : accesses)
    tally.add(test::request([&](std::int64_t lane) { return index(warp * 32 + lane) * kernel.element_bytes; },
                            kernel.element_bytes));
  return tally;
}

// Warps at the beginning, at the end, and in between at a distance that is no multiple of any period here.
// All must agree, or the sum over the launch would not be one warp's figure times the warps.
Tally whole_launch(const Simulated& kernel, const std::vector<Index>& accesses) {
  const std::int64_t warps = kernel.threads / 32;
  const Tally first = one_warp(kernel, accesses, 0);
  const auto check = [&](std::int64_t warp) {
    EXPECT_EQ(one_warp(kernel, accesses, warp), first) << "warp " << warp;
  };
  for (std::int64_t warp = 0; warp < 32; ++warp) check(warp);
  for (std::int64_t warp = 0; warp < warps; warp += 16'411) check(warp);
  for (std::int64_t warp = warps - 32; warp < warps; ++warp) check(warp);
  return {first.requests * warps, first.bytes * warps, first.sectors * warps, first.ideal_sectors * warps,
          first.threads * warps};
}

std::map<MetricId, std::int64_t> counts_of(const Case& one) {
  std::map<MetricId, std::int64_t> counts;
  for (const ExpectedCount& expected : one.counts)
    EXPECT_TRUE(counts.emplace(expected.metric, expected.count).second) << "listed twice";
  return counts;
}

double load_degree(const std::string& id) {
  auto counts = counts_of(case_called(id));
  return static_cast<double>(counts[MetricId::global_load_bytes]) /
         (32.0 * static_cast<double>(counts[MetricId::global_load_sectors]));
}

TEST(Expected, CountsAreThoseOfEachLaneSimulated) {
  for (const Case& one : cases()) {
    if (!is_simulated(one)) continue;
    SCOPED_TRACE(one.id);
    const Simulated kernel = simulated(one);
    EXPECT_EQ(one.threads, kernel.threads);
    ASSERT_EQ(kernel.threads % 256, 0);
    const Tally load = whole_launch(kernel, kernel.loads);
    const Tally store = whole_launch(kernel, kernel.stores);
    const std::map<MetricId, std::int64_t> simulated_counts{
        {MetricId::global_load_bytes, load.bytes},
        {MetricId::global_load_sectors, load.sectors},
        {MetricId::global_load_requests, load.requests},
        {MetricId::global_store_bytes, store.bytes},
        {MetricId::global_store_sectors, store.sectors},
        {MetricId::global_store_requests, store.requests},
        {MetricId::instruction_sectors, load.sectors + store.sectors},
        {MetricId::instruction_ideal_sectors, load.ideal_sectors + store.ideal_sectors},
        {MetricId::instruction_loads, load.requests},
        {MetricId::instruction_stores, store.requests},
        {MetricId::instruction_threads, load.threads + store.threads}};
    EXPECT_EQ(counts_of(one), simulated_counts);
  }
}

TEST(Expected, EveryIndexStaysInsideItsArray) {
  for (const Case& one : cases()) {
    if (!is_simulated(one)) continue;
    const Simulated kernel = simulated(one);
    for (const auto* accesses : {&kernel.loads, &kernel.stores})
      for (const Index& index : *accesses)
        for (const std::int64_t thread : {std::int64_t{0}, kernel.threads / 2, kernel.threads - 1}) {
          EXPECT_GE(index(thread), 0) << one.id;
          EXPECT_LT(index(thread) * kernel.element_bytes, kArrayBytes) << one.id;
        }
  }
}

TEST(Expected, DegreesAreTheTextbooks) {
  EXPECT_DOUBLE_EQ(load_degree("sequential_copy"), 1);
  EXPECT_DOUBLE_EQ(load_degree("offset_copy/1"), 0.8);
  EXPECT_DOUBLE_EQ(load_degree("offset_copy/24"), 1);
  EXPECT_DOUBLE_EQ(load_degree("strided_copy/2"), 0.5);
  EXPECT_DOUBLE_EQ(load_degree("strided_copy/32"), 0.125);
  EXPECT_DOUBLE_EQ(load_degree("broadcast"), 0.125);
  EXPECT_DOUBLE_EQ(load_degree("multicast/8"), 0.5);
  EXPECT_DOUBLE_EQ(load_degree("element_copy/16"), 1);
}

TEST(Expected, IdsAreUniqueAndNameTheKernel) {
  std::set<std::string> ids, kernels;
  for (const Case& one : cases()) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    if (one.kernel.empty()) {
      EXPECT_TRUE(one.copy) << one.id << " is neither kernel nor copy";
      continue;
    }
    EXPECT_TRUE(kernels.insert(one.kernel).second) << one.kernel;
    const std::string argument = one.abscissa ? "<" + std::to_string(argument_of(one)) + ">" : "";
    EXPECT_EQ(one.kernel, "coalescope::kernels::" + function_of(one) + argument);
  }
}

TEST(Expected, EveryFamilyIsThere) {
  std::map<std::string, int> sizes;
  for (const Case& one : cases()) ++sizes[one.family];
  for (const auto& [family, size] : kSizes) EXPECT_EQ(sizes[family], size) << family;
}

}  // namespace
}  // namespace coalescope::kernels
