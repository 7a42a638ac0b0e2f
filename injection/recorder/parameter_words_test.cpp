#include "injection/recorder/parameter_words.h"

#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <set>

namespace coalescope::recorder {
namespace {

// A kernel with a pointer, a structure of three numbers and a counter.
struct Parameters {
  std::uint64_t pointer = 0x7f00'1000'0000;
  std::array<std::int32_t, 3> strides{1, 512, 0};
  std::int32_t step = 0;
};
const std::vector<ParameterPlace> kPlaces{{0, 8}, {8, 12}, {20, 4}};

int variant_of(ParameterWords& words, const Parameters& given) {
  const std::array<const void*, 3> addresses{&given.pointer, &given.strides, &given.step};
  LaunchInfo launch;
  launch.parameters = addresses.data();
  return words.variant_of(launch);
}

TEST(ParameterWords, TellsLaunchesApartByTheirParameters) {
  const HostMemory host_memory;
  ParameterWords words(kPlaces, host_memory);
  Parameters other;
  other.strides = {512, 1, 0};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(variant_of(words, {}), 0);
    EXPECT_EQ(variant_of(words, other), 1);
  }
  EXPECT_EQ(words.difference(1, 0), "parameter 1 byte 0: 512, not 1, parameter 1 byte 4: 1, not 512");
}

TEST(ParameterWords, ReadsThemFromOneBuffer) {
  const HostMemory host_memory;
  ParameterWords words(kPlaces, host_memory);
  Parameters given;
  LaunchInfo launch;
  launch.parameter_buffer = std::as_bytes(std::span(&given, 1));
  EXPECT_EQ(words.variant_of(launch), 0);
  given.strides[0] = 2;
  EXPECT_EQ(words.variant_of(launch), 1);
  launch.parameter_buffer = launch.parameter_buffer.first(1);
  EXPECT_EQ(words.variant_of(launch), 1) << "nothing behind the buffer's end was read";
}

TEST(ParameterWords, WhatTakesManyValuesTellsNothing) {
  const HostMemory host_memory;
  ParameterWords words(kPlaces, host_memory);
  Parameters one, other;
  other.strides = {512, 1, 0};
  for (int i = 0; i < 20; ++i) {
    one.step = other.step = i;
    one.pointer += 512;
    other.pointer = one.pointer + 256;
    const int variants[]{variant_of(words, one), variant_of(words, other)};
    if (i < 6) continue;
    EXPECT_EQ(variants[0], 0) << i;
    EXPECT_EQ(variants[1], 1) << i;
  }
  EXPECT_GT(words.variants(), 2);
  for (int i = 0; i < words.variants(); ++i) EXPECT_LT(words.first_like(i), 2);
}

TEST(ParameterWords, CountsTheValuesThatParametersHad) {
  const HostMemory host_memory;
  ParameterWords words({{0, 8}, {8, 16}}, host_memory);
  struct {
    std::uint64_t table = 0x7f00'1000'0000;
    std::uint64_t rows = 0x7f00'2000'0000;
    std::uint32_t first = 0, size = 12;
  } given;
  LaunchInfo launch;
  launch.parameter_buffer = std::as_bytes(std::span(&given, 1));
  (void)words.variant_of(launch);
  EXPECT_EQ(words.values().size(), 2U) << "numbers that stay are not told";
  for (int i = 0; i < 10; ++i) {
    given.rows += 512;
    given.first = static_cast<std::uint32_t>(i % 3);
    (void)words.variant_of(launch);
  }
  using Values = model::ParameterValues;
  const std::vector<Values> found = words.values();
  EXPECT_EQ(found, (std::vector<Values>{{.parameter = 0, .byte = 0, .different = 1, .span_bytes = 0},
                                        {.parameter = 1, .byte = 0, .different = 4, .span_bytes = 3 * 512},
                                        {.parameter = 1, .byte = 8, .different = 3}}));
}

// Only words that still tell launches apart are copied, and parameters need not begin at a word.
TEST(ParameterWords, FlagsBehindAListOfAddressesTellLaunchesApart) {
  const HostMemory host_memory;
  constexpr std::size_t kAddresses = 300;
  struct {
    std::array<std::uint64_t, kAddresses> list{};
    std::array<bool, 7> flags{};
  } given;
  const std::size_t flags_at = kAddresses * 8 + 1;
  ParameterWords words({{0, kAddresses * 8}, {flags_at, 7}}, host_memory);
  const auto variant = [&](std::uint64_t tensors, bool last) {
    for (std::size_t i = 0; i < kAddresses; ++i) given.list[i] = 0x7f00'0000'0000 + tensors * 4096 + i * 512;
    given.flags[6] = last;
    const std::array<const void*, 2> addresses{&given.list, &given.flags};
    LaunchInfo launch;
    launch.parameters = addresses.data();
    return words.first_like(words.variant_of(launch));
  };
  for (std::uint64_t i = 0; i < 20; ++i) (void)variant(i, false);
  const int without = variant(20, false);
  const int with = variant(21, true);
  EXPECT_NE(without, with);
  for (std::uint64_t i = 30; i < 40; ++i) {
    EXPECT_EQ(variant(i, false), without) << i;
    EXPECT_EQ(variant(i, true), with) << i;
  }
}

TEST(ParameterWords, FewAreToldApart) {
  const HostMemory host_memory;
  ParameterWords words(kPlaces, host_memory);
  Parameters given;
  for (int i = 0; i < 64; ++i) {
    given.strides = {i % 4, i / 4 % 4, i / 16};
    given.pointer = 0x7f00'1000'0000 + static_cast<std::uint64_t>(i % 2) * 512;
    (void)variant_of(words, given);
  }
  int distinct = 0;
  for (int i = 0; i < words.variants(); ++i) distinct += words.first_like(i) == i ? 1 : 0;
  EXPECT_LE(distinct, ParameterWords::kMostVariants);
  EXPECT_GT(distinct, 1);
}

TEST(ParameterWords, SizesTellLaunchesApartBesideAddressesThatDoNotLookLikeSome) {
  // As in a descriptor of a tensor: sizes, then addresses in parts.
  struct Descriptor {
    std::array<std::uint32_t, 2> sizes;
    std::array<std::uint32_t, 4> addresses{};
  };
  const std::vector<ParameterPlace> places{{0, sizeof(Descriptor)}};
  const HostMemory host_memory;
  ParameterWords words(places, host_memory);
  const auto variant_of = [&](std::uint32_t size, std::uint32_t addresses) {
    Descriptor given{.sizes = {size, size - 1}};
    for (std::uint32_t i = 0; i < given.addresses.size(); ++i) given.addresses[i] = 64 + (addresses >> i & 1);
    const std::array<const void*, 1> parameters{&given};
    LaunchInfo launch;
    launch.parameters = parameters.data();
    return words.first_like(words.variant_of(launch));
  };
  // The second size comes early, each address gets its other value later.
  for (std::uint32_t addresses = 0; addresses < 16; ++addresses) {
    const int small = variant_of(64, addresses), large = variant_of(256, addresses);
    EXPECT_NE(small, large) << addresses;
  }
}

TEST(ParameterWords, APointerIsLeftOutWhole) {
  const HostMemory host_memory;
  ParameterWords words(kPlaces, host_memory);
  Parameters given;
  std::uint64_t tensor = 0;
  const auto variant = [&](std::uint64_t region) {
    given.pointer = (0x7f00 + region) << 32 | (tensor += 512);
    return words.first_like(variant_of(words, given));
  };
  for (int i = 0; i < 6; ++i) (void)variant(0);
  for (std::uint64_t region = 0; region < 4; ++region) EXPECT_EQ(variant(region), variant(0)) << region;
}

TEST(ParameterWords, AKernelWithoutParametersHasOne) {
  const HostMemory host_memory;
  ParameterWords words({}, host_memory);
  EXPECT_EQ(words.variant_of({}), 0);
  EXPECT_EQ(words.variant_of({}), 0);
  EXPECT_EQ(words.variants(), 1);
}

TEST(ParameterWords, AnotherPointerIsNamedAsOne) {
  const HostMemory host_memory;
  ParameterWords words(kPlaces, host_memory);
  Parameters other;
  other.pointer += std::uint64_t{5} << 32;
  other.pointer += 512;
  EXPECT_EQ(variant_of(words, {}), 0);
  EXPECT_EQ(variant_of(words, other), 1);
  EXPECT_EQ(words.difference(1, 0), "parameter 0: another pointer");
}

TEST(ParameterWords, MemoryOfTheHostTellsLaunchesApartThoughPointersDoNot) {
  HostMemory host_memory;
  host_memory.add(0x7f00'4000'0000, 4096);
  ParameterWords words(kPlaces, host_memory);
  Parameters given, host;
  host.pointer = 0x7f00'4000'0800;
  for (int i = 0; i < 20; ++i) {
    given.pointer += 512;
    const int device_variant = variant_of(words, given);
    EXPECT_TRUE(device_variant == 0 || i <= 5) << i;
    const int host_variant = variant_of(words, host);
    EXPECT_NE(words.first_like(host_variant), 0);
    EXPECT_EQ(words.difference(host_variant, 0), "parameter 0: memory of the host");
    host.pointer += 16;
  }
}

// All functions share a table in each thread. Programs launch hundreds of them while they pin memory.
TEST(ParameterWords, KeysOfTwoFunctionsNeverMeetWhileTheHostsMemoryChanges) {
  constexpr std::size_t kFunctions = 100, kChanges = 100;
  HostMemory host_memory;
  std::deque<ParameterWords> functions;
  for (std::size_t i = 0; i < kFunctions; ++i) functions.emplace_back(kPlaces, host_memory);
  const Parameters given;
  for (ParameterWords& words : functions) (void)variant_of(words, given);
  const std::array<const void*, 3> addresses{&given.pointer, &given.strides, &given.step};
  LaunchInfo launch;
  launch.parameters = addresses.data();
  std::set<std::uint64_t> keys;
  for (std::size_t i = 0; i < kChanges; ++i, host_memory.add(i << 20U, 4096))
    for (const ParameterWords& words : functions) keys.insert(words.key_of(launch, std::nullopt));
  EXPECT_EQ(keys.size(), kFunctions * kChanges);
}

}  // namespace
}  // namespace coalescope::recorder
