#include "injection/recorder/variants.h"

#include <algorithm>
#include <array>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "injection/recorder/group_table.h"

namespace coalescope::recorder {
namespace {

using model::MetricId;
using model::Phase;

// Launches of a kernel with one number as its parameter.
class VariantsTest : public ::testing::Test {
 protected:
  VariantsTest() : first_(table_.find_or_add("_Z3addPf", 0, {{64, 1, 1}, {128, 1, 1}})) {
    table_.tell_apart(first_, {{0, 4}});
    (void)group_of(7);
  }

  Group& group_of(std::int32_t parameter, std::uint32_t correlation = 0) {
    const std::array<const void*, 1> parameters{&parameter};
    LaunchInfo launch;
    launch.parameters = parameters.data();
    launch.correlation = correlation;
    Group& group = table_.variant_of(first_, launch);
    table_.launched(correlation, group, false);
    return group;
  }
  static void measured(Group& group, std::int64_t l1_load_sectors, std::int64_t l2_sysmem_sectors = 0) {
    group.needs.count(Phase::traffic, 1);
    group.variants.load()->measured(group, {{MetricId::l1_load_sectors, l1_load_sectors},
                                            {MetricId::l2_sysmem_sectors, l2_sysmem_sectors}});
  }
  std::map<std::int64_t, model::KernelGroup> rows() {
    for (const model::KernelGroup& row : table_.take_changed_rows()) rows_[row.id.value] = row;
    return rows_;
  }

  GroupTable table_{[](const model::Kernel&) {}, [](const model::KernelGroup&) {},
                    [](std::string_view) { return model::CoverageReason::measured; }};
  Group& first_;
  std::map<std::int64_t, model::KernelGroup> rows_;
};

TEST_F(VariantsTest, SameParametersAreTheSameGroup) {
  EXPECT_EQ(&group_of(7), &first_);
  EXPECT_EQ(&group_of(7), &first_);
  EXPECT_EQ(first_.needs.shared, nullptr);
  EXPECT_TRUE(rows().empty());
}

TEST_F(VariantsTest, TheyAreOfTheShapeOfTheFirst) {
  Group& other = table_.find_or_add("_Z3addPf", 0, {{65, 1, 1}, {128, 1, 1}});
  EXPECT_EQ(group_of(8).needs.shape, first_.needs.shape);
  EXPECT_NE(other.needs.shape, first_.needs.shape);
  EXPECT_EQ(group_of(8).needs.last_shape, other.needs.last_shape);
}

TEST_F(VariantsTest, VariantsShareWhatIsMeasuredUntilTheyDiffer) {
  first_.needs.count(Phase::bytes, 1);
  Group& second = group_of(8);
  ASSERT_NE(&second, &first_);
  EXPECT_EQ(second.needs.shared, first_.needs.shared);
  EXPECT_EQ(second.needs.shared.load()->taken[1], first_.needs.taken[1]);
  measured(first_, 40'000);
  measured(second, 41'000);
  EXPECT_EQ(second.needs.shared, first_.needs.shared) << "5 % are no difference";
  EXPECT_EQ(rows().at(second.row.id.value).same_as, first_.row.id);

  Group& third = group_of(9);
  measured(third, 320'000);
  EXPECT_NE(third.needs.shared, first_.needs.shared);
  EXPECT_EQ(third.needs.shared.load()->taken[1], 0) << "it lacks what the others have";
  const auto written = rows();
  EXPECT_EQ(written.at(first_.row.id.value).variant, 1);
  EXPECT_EQ(written.at(second.row.id.value).same_as, first_.row.id);
  EXPECT_EQ(written.at(third.row.id.value).variant, 2);
  EXPECT_EQ(written.at(third.row.id.value).parameters, "parameter 0: 9, not 7");
  EXPECT_EQ(written.at(third.row.id.value).same_as, std::nullopt);
}

TEST_F(VariantsTest, OneThatDoesWhatAnotherDoesJoinsIt) {
  Group &second = group_of(8), &third = group_of(9);
  measured(first_, 40'000);
  measured(second, 40'000, 20'000);
  measured(third, 40'000, 21'000);
  EXPECT_EQ(second.needs.shared, third.needs.shared);
  EXPECT_NE(second.needs.shared, first_.needs.shared);
  EXPECT_EQ(rows().at(third.row.id.value).same_as, second.row.id);
}

TEST_F(VariantsTest, WhatWasNotMeasuredJoinsNobodyWhereOthersDiffer) {
  Group &second = group_of(8), &third = group_of(9);
  measured(first_, 40'000);
  EXPECT_EQ(rows().at(third.row.id.value).same_as, first_.row.id);
  measured(second, 80'000);
  const auto written = rows();
  EXPECT_EQ(written.at(third.row.id.value).same_as, std::nullopt);
  EXPECT_EQ(written.at(third.row.id.value).variant, 3);
}

// A launch of the first had its bytes counted, in L1; L2's counts of another say nothing of that.
TEST_F(VariantsTest, CountsOfOtherLevelsDoNotJoinThem) {
  Group &second = group_of(8), &third = group_of(9), &fourth = group_of(10);
  const auto traffic = [](Group& group, std::int64_t l2_read_sectors) {
    group.variants.load()->measured(group, {{MetricId::l2_read_sectors, l2_read_sectors}});
  };
  first_.variants.load()->measured(first_, {{MetricId::global_load_sectors, 40'000}});
  traffic(second, 320'000);
  measured(third, 320'000);
  traffic(third, 320'000);
  EXPECT_NE(second.needs.shared, first_.needs.shared) << "it is known by now who else did that";
  EXPECT_EQ(second.needs.shared, third.needs.shared);
  EXPECT_EQ(rows().at(third.row.id.value).same_as, second.row.id);
  fourth.variants.load()->measured(fourth, {{MetricId::l2_sysmem_sectors, 9'000}});
  EXPECT_EQ(rows().at(fourth.row.id.value).same_as, std::nullopt);
}

// The Tensor Memory Accelerator moves what L1 does not count.
TEST_F(VariantsTest, AFewSectorsOfL1DoNotJoinWhatL2Distinguishes) {
  Group &second = group_of(8), &third = group_of(9);
  const auto looked_at = [](Group& group, MetricId id, std::int64_t sectors) {
    group.variants.load()->measured(group, {{id, sectors}});
  };
  for (Group* each : {&first_, &second, &third}) looked_at(*each, MetricId::l1_load_sectors, 2'048);
  EXPECT_EQ(rows().at(third.row.id.value).same_as, first_.row.id) << "nothing speaks against it";
  looked_at(first_, MetricId::l2_read_sectors, 400'000);
  looked_at(second, MetricId::l2_read_sectors, 2'000'000);
  EXPECT_EQ(rows().at(third.row.id.value).same_as, std::nullopt);
  looked_at(third, MetricId::l2_read_sectors, 2'010'000);
  EXPECT_EQ(rows().at(third.row.id.value).same_as, second.row.id);
}

// Whichever look at which variant comes when: once all have been looked at, those of one size are together.
TEST_F(VariantsTest, TheOrderOfLooksDoesNotMatter) {
  constexpr std::size_t kGroups = 8, kSizes = 3;
  constexpr std::array<std::int64_t, kSizes> kL2Reads{400'000, 1'200'000, 3'600'000};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::minstd_rand random(seed + 1);
    Group& first = table_.find_or_add("kernel" + std::to_string(seed), 0, {{64, 1, 1}, {128, 1, 1}});
    table_.tell_apart(first, {{0, 4}, {4, 4}});
    std::vector<std::pair<std::int32_t, Phase>> looks;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(kGroups); ++i)
      for (const Phase phase : {Phase::traffic, Phase::hits}) looks.emplace_back(i, phase);
    std::shuffle(looks.begin(), looks.end(), random);
    std::array<Group*, kGroups> groups{};
    for (const auto& [i, phase] : looks) {
      const std::int32_t low = i % 4, high = i / 4;
      const std::array<const void*, 2> parameters{&low, &high};
      LaunchInfo launch;
      launch.parameters = parameters.data();
      Group& group = table_.variant_of(first, launch);
      groups[static_cast<std::size_t>(i)] = &group;
      if (phase == Phase::traffic)
        group.variants.load()->measured(
            group, {{MetricId::l2_read_sectors, kL2Reads[static_cast<std::size_t>(i) % kSizes]}});
      else
        group.variants.load()->measured(group, {{MetricId::l1_load_sectors, 2'048}});
    }
    for (std::size_t i = 0; i < kGroups; ++i)
      for (std::size_t k = 0; k < i; ++k)
        EXPECT_EQ(groups[i]->needs.shared == groups[k]->needs.shared, i % kSizes == k % kSizes)
            << seed << ": " << i << " and " << k;
  }
}

TEST_F(VariantsTest, InstructionsTellSizesApart) {
  Group &second = group_of(8), &third = group_of(9);
  const auto executed = [](Group& group, std::int64_t instructions) {
    group.variants.load()->measured(
        group, {{MetricId::l2_read_sectors, 400'000}, {MetricId::executed_instructions, instructions}});
  };
  executed(first_, 1'137'602);
  executed(second, 1'137'818);
  executed(third, 1'397'118);
  EXPECT_EQ(second.needs.shared, first_.needs.shared);
  EXPECT_NE(third.needs.shared, first_.needs.shared);
  executed(third, 9'000'000);
  EXPECT_FALSE(third.needs.mixed) << "it waited longer";
}

TEST_F(VariantsTest, FewSectorsAreAnybodys) {
  Group& second = group_of(8);
  measured(first_, 100);
  measured(second, 900);
  EXPECT_EQ(second.needs.shared, first_.needs.shared);
}

TEST_F(VariantsTest, LaunchesWhoseDataVaryAreNoOtherBehaviour) {
  Group& second = group_of(8);
  measured(first_, 40'000);
  measured(first_, 90'000);
  measured(second, 60'000);
  EXPECT_EQ(second.needs.shared, first_.needs.shared);
}

TEST_F(VariantsTest, WhatVariesUnderTheSameParametersIsMixed) {
  measured(first_, 40'000);
  measured(first_, 41'000);
  EXPECT_FALSE(first_.needs.mixed);
  measured(first_, 320'000);
  EXPECT_TRUE(first_.needs.mixed);
}

TEST_F(VariantsTest, BytesAndTrafficOfOtherLaunchesMustAgree) {
  measured(first_, 40'000);
  first_.variants.load()->measured(first_, {{MetricId::global_load_sectors, 40'000}});
  EXPECT_FALSE(first_.needs.mixed);
  first_.variants.load()->measured(first_, {{MetricId::global_load_sectors, 320'000}});
  EXPECT_TRUE(first_.needs.mixed);
}

TEST_F(VariantsTest, AsynchronousCopiesAreLoadsForL1) {
  measured(first_, 84'000);
  first_.variants.load()->measured(
      first_, {{MetricId::global_load_sectors, 4'000}, {MetricId::async_copy_sectors, 80'000}});
  EXPECT_FALSE(first_.needs.mixed);
}

TEST_F(VariantsTest, CallSitesTellApartWhatParametersCannot) {
  const std::int32_t parameter = 7;
  const std::array<const void*, 1> parameters{&parameter};
  LaunchInfo launch;
  launch.parameters = parameters.data();
  const auto from = [&](std::int64_t site) -> Group& {
    return table_.variant_of(first_, launch, model::CallSiteId{site});
  };
  EXPECT_EQ(&from(1), &first_) << "while all launches do the same";
  measured(first_, 40'000);
  measured(first_, 320'000);
  Group &rows_apart = from(1), &side_by_side = from(2);
  EXPECT_NE(&rows_apart, &first_);
  EXPECT_NE(&rows_apart, &side_by_side);
  EXPECT_EQ(&from(1), &rows_apart);
  EXPECT_EQ(&table_.variant_of(first_, launch), &first_) << "not known where";
  measured(rows_apart, 320'000);
  measured(side_by_side, 40'000);
  auto told = rows();
  EXPECT_EQ(told.at(rows_apart.row.id.value).same_as, std::nullopt);
  EXPECT_EQ(told.at(side_by_side.row.id.value).same_as, std::nullopt);
  EXPECT_EQ(told.at(side_by_side.row.id.value).parameters, "another call site");

  measured(rows_apart, 40'000);
  measured(side_by_side, 320'000);
  told = rows();
  EXPECT_EQ(told.at(rows_apart.row.id.value).same_as, first_.row.id) << "the sites do not tell either";
  EXPECT_EQ(told.at(side_by_side.row.id.value).same_as, first_.row.id);
}

// What a thread remembers of parameters must not outlive what decided: here the same parameter three times.
TEST_F(VariantsTest, ParametersThatCameBeforeAreLookedAtAgainWhenTheHostsMemoryChanges) {
  Group& first = table_.find_or_add("_Z4readPf", 0, {{64, 1, 1}, {128, 1, 1}});
  table_.tell_apart(first, {{0, 8}});
  const std::uint64_t pointer = 0x7f00'1234'5600;
  const auto launched = [&]() -> Group& {
    const std::array<const void*, 1> parameters{&pointer};
    LaunchInfo launch;
    launch.parameters = parameters.data();
    return table_.variant_of(first, launch);
  };
  EXPECT_EQ(&launched(), &first);
  EXPECT_EQ(&launched(), &first);
  table_.host_memory().add(pointer, 4096);
  Group& of_host = launched();
  EXPECT_NE(&of_host, &first);
  EXPECT_EQ(&launched(), &of_host);
  table_.host_memory().remove(pointer);
  EXPECT_EQ(&launched(), &first);
}

// More values than tell anything: then all of them are one.
TEST_F(VariantsTest, ParametersThatCameBeforeAreLookedAtAgainWhenTheyTellNothingAnyMore) {
  for (std::int32_t value = 7; value < 11; ++value) (void)group_of(value);
  Group& last = group_of(10);
  ASSERT_NE(&last, &first_);
  (void)group_of(11);
  EXPECT_EQ(&group_of(10), &group_of(7));
}

TEST_F(VariantsTest, RecordsFindTheirVariantByTheirCorrelation) {
  Group& second = group_of(8, 41);
  (void)group_of(7, 42);
  KernelRun run{.kernel_name = "_Z3addPf", .shape = {{64, 1, 1}, {128, 1, 1}}, .correlation = 41};
  EXPECT_EQ(&table_.group_of(run), &second);
  run.correlation = 42;
  EXPECT_EQ(&table_.group_of(run), &first_);
  run.correlation = 0;
  EXPECT_EQ(&table_.group_of(run), &first_);
}

// CUPTI kept records of a thread for 15 s, while other threads launched.
TEST_F(VariantsTest, RecordsFindTheirVariantHoweverLateTheyCome) {
  Group& second = group_of(8, 41);
  Group& third = group_of(9);
  constexpr std::uint32_t kOthers = 1'000'000;
  KernelRun run{.kernel_name = "_Z3addPf", .shape = {{64, 1, 1}, {128, 1, 1}}};
  for (std::uint32_t other = 42; other < kOthers; ++other) {
    table_.launched(other, third, false);
    run.correlation = other;
    ASSERT_EQ(&table_.group_of(run), &third);
  }
  run.correlation = 41;
  EXPECT_EQ(&table_.group_of(run), &second);
}

TEST_F(VariantsTest, RecordsOfOneCorrelationComeInTheOrderOfTheLaunches) {
  Group& second = group_of(8);
  for (const Group* each : {&first_, &second, &second, &first_}) table_.launched(41, *each, true);
  KernelRun run{.kernel_name = "_Z3addPf", .shape = {{64, 1, 1}, {128, 1, 1}}, .correlation = 41};
  for (Group* each : {&first_, &second, &second, &first_, &first_}) EXPECT_EQ(&table_.group_of(run), each);
}

TEST_F(VariantsTest, InGraphsTheyAreKnownByTheirNodes) {
  Group& second = group_of(8, 41);
  table_.name_node(7, second);
  KernelRun run{.kernel_name = "_Z3addPf",
                .shape = {{64, 1, 1}, {128, 1, 1}},
                .graph_id = 1,
                .graph_node = 7,
                .correlation = 41};
  EXPECT_EQ(&table_.group_of(run), &second);
  run.graph_node = 8;
  EXPECT_EQ(&table_.group_of(run), &first_);
  run.graph_node = 7;
  run.kernel_name = "_Z3subPf";
  EXPECT_NE(&table_.group_of(run), &second) << "the node has another kernel now";
}

// The first shapes of a function have variants before it is known that there are many.
TEST_F(VariantsTest, ThoseOfAFirstShapeJoinItsSizeOnceThereAreMany) {
  Group& second = group_of(8);
  second.needs.count(Phase::bytes, 1);
  for (int blocks = 1; blocks <= 32; ++blocks)
    (void)table_.find_or_add("_Z3addPf", 0, {{blocks, 1, 1}, {128, 1, 1}});
  EXPECT_EQ(&group_of(8), &first_);
  const SharedNeeds* const sizes = first_.needs.shared;
  ASSERT_NE(sizes, nullptr);
  EXPECT_TRUE(sizes->of_sizes);
  EXPECT_EQ(sizes->taken[index_of(Phase::bytes)], 1);
  measured(first_, 4000);
  measured(second, 40'000);
  EXPECT_EQ(first_.needs.shared, sizes) << "a reading that comes later moves nobody";
}

TEST_F(VariantsTest, ThoseThatDoDifferentThingsStayApartThough) {
  Group& second = group_of(8);
  measured(first_, 4000);
  measured(second, 40'000);
  for (int blocks = 1; blocks <= 32; ++blocks)
    (void)table_.find_or_add("_Z3addPf", 0, {{blocks, 1, 1}, {128, 1, 1}});
  EXPECT_EQ(&group_of(8), &second);
  EXPECT_FALSE(first_.needs.shared.load()->of_sizes);
}

TEST_F(VariantsTest, ManyShapesAreNotToldApart) {
  for (int blocks = 1; blocks <= 32; ++blocks)
    (void)table_.find_or_add("_Z3addPf", 0, {{blocks, 1, 1}, {128, 1, 1}});
  EXPECT_EQ(&group_of(7), &first_);
  EXPECT_EQ(&group_of(8), &first_);
}

}  // namespace
}  // namespace coalescope::recorder
