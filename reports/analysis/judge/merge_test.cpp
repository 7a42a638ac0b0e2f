// One fault, one finding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/judge/merge_calls.h"
#include "reports/analysis/judge/merge_shapes.h"
#include "reports/analysis/judge/merging.h"
#include "reports/analysis/rows/kernel_families.h"

namespace coalescope::analysis {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Finding of_kernel(std::int64_t kernel, std::string_view part, std::int64_t lost_ns) {
  Finding finding;
  finding.rule = "G01";
  finding.title = "Uncoalesced " + std::string(part);
  finding.part = part;
  finding.subject = "kernel<" + std::to_string(kernel) + ">";
  finding.kernel_id = kernel;
  finding.kernel_ids = {kernel};
  finding.subjects = {{SubjectKind::kernel, kernel}};
  finding.advice_id = "G01.far";
  finding.evidence = std::string(part) + " seen";
  finding.basis = "a basis";
  finding.facts = {{"degree", 0.5, "share"}};
  finding.lost_ns = lost_ns;
  finding.lost_share = static_cast<double>(lost_ns) / 1000;
  finding.subject_ns = 100;
  return finding;
}

Report with_kernels(std::initializer_list<std::int64_t> ids) {
  Report report;
  for (const auto id : ids) {
    KernelRow row;
    row.id = id;
    row.name = "kernel<" + std::to_string(id) + ">";
    report.kernels.push_back(row);
  }
  return report;
}

TEST(MergeShapes, LoadsAndStoresOfOneCauseAreOneFinding) {
  std::vector<Finding> findings{of_kernel(1, "loads", 40), of_kernel(1, "stores", 30)};
  merge_shapes(findings, with_kernels({1}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].title, "Uncoalesced loads and stores");
  EXPECT_EQ(findings[0].evidence, "loads: loads seen; stores: stores seen");
  EXPECT_EQ(findings[0].basis, "a basis");
  EXPECT_EQ(findings[0].lost_ns, 70);
  EXPECT_EQ(findings[0].subject_ns, 100) << "one kernel, counted once";
  EXPECT_THAT(findings[0].kernel_ids, ElementsAre(1));
  ASSERT_EQ(findings[0].facts.size(), 2U);
  EXPECT_EQ(findings[0].facts[1].key, "stores_degree");
}

TEST(MergeShapes, TheTitleNamesPartsInOneOrder) {
  std::vector<Finding> findings{of_kernel(1, "stores", 40), of_kernel(1, "loads", 30)};
  merge_shapes(findings, with_kernels({1}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].title, "Uncoalesced loads and stores");
}

TEST(MergeShapes, PartsAreOneByCauseOrByLine) {
  Finding loads = of_kernel(1, "loads", 40), stores = of_kernel(1, "stores", 30);
  stores.advice_id = "G01.stride";
  std::vector<Finding> apart{loads, stores};
  merge_shapes(apart, with_kernels({1}));
  EXPECT_EQ(apart.size(), 2U);
  loads.file = stores.file = "a.cu";
  loads.line = stores.line = 7;
  std::vector<Finding> one{loads, stores};
  merge_shapes(one, with_kernels({1}));
  EXPECT_EQ(one.size(), 1U);
}

// As a benchmark does that tries one kernel with several block sizes.
TEST(MergeShapes, AFaultInSeveralBlockSizesIsOneFinding) {
  Report report = with_kernels({1, 2, 3});
  for (KernelRow& row : report.kernels) {
    row.mangled_name = row.id == 3 ? "other" : "kernel";
    row.block = {32 * row.id, 1, 1};
    row.process_id = 1;
  }
  report.kernel_families = kernel_families(report.kernels);
  std::vector<Finding> findings{of_kernel(1, "loads", 40), of_kernel(2, "loads", 30),
                                of_kernel(3, "loads", 20)};
  merge_shapes(findings, report);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].lost_ns, 70);
  EXPECT_THAT(findings[0].evidence, HasSubstr("the same in 2 shapes"));
  EXPECT_THAT(findings[0].kernel_ids, ElementsAre(1, 2));
  EXPECT_EQ(findings[1].lost_ns, 20) << "another function";
}

TEST(Merging, AKernelLosesNoMoreThanItTakes) {
  Finding loads = of_kernel(1, "loads", 80);
  merge_into(loads, of_kernel(1, "stores", 80));
  EXPECT_EQ(loads.lost_ns, 100);
  EXPECT_DOUBLE_EQ(*loads.lost_share, 0.1);
  EXPECT_EQ(loads.subject_ns, 100);
}

Report called_from_one_line() {
  Report report = with_kernels({1, 2, 3});
  for (auto& row : report.kernels) row.owner = "PyTorch ATen";
  report.kernels[2].name = "other_kernel";
  return report;
}

Finding called(std::int64_t kernel, std::int64_t line) {
  Finding finding = of_kernel(kernel, "loads", 10);
  finding.kernel_ids = {kernel};
  finding.call_file = "train.py";
  finding.call_line = line;
  return finding;
}

TEST(Merging, CopiesOfOneClassThatTwoCallsMakeAreAddedUp) {
  Finding first, second;
  first.subjects = second.subjects = {{SubjectKind::transfers, 1}};
  first.subject_ns = second.subject_ns = 100;
  first.lost_ns = second.lost_ns = 90;
  merge_into(first, std::move(second));
  EXPECT_EQ(first.subject_ns, 200);
  EXPECT_EQ(first.lost_ns, 180);
}

TEST(MergeCalls, KernelsOfOneFunctionThatOneLineCallsAreOneFinding) {
  const Report report = called_from_one_line();
  std::vector<Finding> findings{called(1, 7), called(2, 7), called(3, 7)};
  merge_calls(findings, report);
  ASSERT_EQ(findings.size(), 2U) << "other_kernel is another function";
  EXPECT_EQ(findings[0].lost_ns, 20);
  EXPECT_EQ(findings[0].subject_ns, 200);
  EXPECT_THAT(findings[0].kernel_ids, ElementsAre(1, 2));
  EXPECT_THAT(findings[0].evidence, HasSubstr("the same call also runs kernel<2>"));
  std::vector<Finding> lines{called(1, 7), called(2, 8)};
  merge_calls(lines, report);
  EXPECT_EQ(lines.size(), 2U);
}

TEST(MergeCalls, OperationsOfOneFunctionAreOneFinding) {
  Report report;
  std::vector<Finding> findings;
  for (const std::int64_t id : {1, 2, 3}) {
    CallSiteRow frame;
    frame.id = id;
    frame.function = id == 3 ? "other" : "loss_of";
    frame.file = "train.py";
    frame.line = 10 + id;
    frame.own = true;
    report.call_sites.push_back(frame);
    Finding finding;
    finding.rule = "F01";
    finding.subject = std::to_string(10 - id) + " element-wise operations";
    finding.kernel_ids = {id};
    finding.subjects = {{SubjectKind::kernel, id}};
    finding.facts = {{"operations", id == 1 ? 2.0 : 3.0, "count"}};
    finding.lost_ns = finding.subject_ns = 10;
    finding.call_site_id = id;
    finding.call_file = frame.file;
    finding.call_line = frame.line;
    findings.push_back(finding);
  }
  auto pairs = findings;
  for (Finding& pair : pairs) pair.facts[0].value = 2;
  merge_calls(pairs, report);
  EXPECT_EQ(pairs.size(), 0U) << "two operations are how layers are put together";
  // Launches of one kernel.
  findings[0].kernel_id = 1;
  findings[0].advice_id = "F01.fuse";
  merge_calls(findings, report);
  ASSERT_EQ(findings.size(), 2U) << "one for each function";
  EXPECT_EQ(findings[0].lost_ns, 20);
  EXPECT_EQ(findings[0].call_line, 11);
  EXPECT_THAT(findings[0].kernel_ids, ElementsAre(1, 2));
  EXPECT_THAT(findings[0].basis, HasSubstr("all such operations of that function"));
}

TEST(MergeGradients, OfOperationsAreAPartOfThem) {
  std::vector<Finding> findings;
  for (const std::string_view advice : {"F01.compile_forward", "F01.compile", "F01.compile"}) {
    Finding finding = of_kernel(std::ssize(findings) + 1, "", 40 - 10 * std::ssize(findings));
    finding.rule = "F01";
    finding.advice_id = advice;
    finding.kernel_id = std::nullopt;
    finding.call_line = std::ssize(findings);
    findings.push_back(finding);
  }
  auto alone = findings;
  alone.resize(1);
  merge_gradients(alone);
  EXPECT_EQ(alone.size(), 1U) << "a loss of the library's own";
  merge_gradients(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].call_line, 1) << "the line of the forward pass, of several the costliest";
  EXPECT_EQ(findings[0].lost_ns, 30 + 40);
  EXPECT_EQ(findings[0].subject_ns, 200);
  EXPECT_THAT(findings[0].kernel_ids, ElementsAre(2, 1));
  EXPECT_THAT(findings[0].evidence, HasSubstr("for their gradients"));
}

// The library's attention takes its operands as they are.
TEST(MergeOperands, CopiesBesideAttentionAreAPartOfIt) {
  Report report = with_kernels({1, 2});
  report.kernels[1].owner = "PyTorch ATen";
  report.kernels[1].full_name =
      "void at::native::elementwise_kernel<128, 4, at::native::direct_copy_kernel_cuda(float)>(int)";
  for (const char* function : {"attend", "other"}) {
    CallSiteRow& site = report.call_sites.emplace_back();
    site.id = std::ssize(report.call_sites);
    site.function = function;
    site.own = true;
    site.file = "model.py";
    site.line = 7;
  }
  Finding attention = of_kernel(1, "", 60);
  attention.rule = "F01";
  attention.advice_id = kAttentionAdvice;
  attention.kernel_id = std::nullopt;
  attention.call_site_id = 1;
  Finding copy = of_kernel(2, "loads", 20);
  copy.call_site_id = 2;
  std::vector<Finding> findings{attention, copy};
  merge_operands(findings, report);
  EXPECT_EQ(findings.size(), 2U) << "of another function";
  findings[1].call_site_id = 1;
  merge_operands(findings, report);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].lost_ns, 80);
  EXPECT_THAT(findings[0].evidence, HasSubstr("for its operands loads seen"));
}

TEST(MergeConsequences, WhatFusingEndsIsAPartOfIt) {
  Finding narrow = of_kernel(2, "", 20);
  narrow.rule = "G04";
  narrow.title = "Elements of 1 or 2 bytes";
  narrow.evidence = "narrow";
  Finding fused = of_kernel(1, "", 60);
  fused.rule = "F01";
  fused.kernel_id = std::nullopt;
  fused.kernel_ids = {1, 2};
  const auto left = [&](std::vector<Finding> findings) {
    merge_consequences(findings);
    return findings.size();
  };
  EXPECT_EQ(left({fused, narrow}), 1U);
  Finding costlier = narrow;
  costlier.lost_ns = 70;
  EXPECT_EQ(left({fused, costlier}), 2U);
  Finding of_another = narrow;
  of_another.kernel_id = 3;
  of_another.kernel_ids = {3};
  EXPECT_EQ(left({fused, of_another}), 2U);
  Finding hidden = fused;
  hidden.aside = Aside::small;
  EXPECT_EQ(left({hidden, narrow}), 2U) << "nobody would see it";
}

TEST(MergeConsequences, SmallCopiesThatAreWaitedForAreAPartOfTheWaits) {
  const auto at_line = [](std::string_view rule, std::string_view title, SubjectKind kind,
                          std::int64_t line) {
    Finding finding;
    finding.rule = rule;
    finding.title = title;
    finding.subjects = {{kind, 0}};
    finding.call_file = "model.py";
    finding.call_line = line;
    finding.lost_ns = kind == SubjectKind::timeline ? 60 : 20;
    return finding;
  };
  const Finding waits =
      at_line("T03", "The GPU idles beside copies that are waited for", SubjectKind::timeline, 23);
  std::vector<Finding> findings{waits, at_line("T02", "Many small copies", SubjectKind::transfers, 23),
                                at_line("T02", "Many small copies", SubjectKind::transfers, 40)};
  merge_consequences(findings);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[1].call_line, 40);
}

TEST(MergeConsequences, PausesBehindCallsForMemoryAreAPartOfThese) {
  const auto of = [](std::string_view rule, std::string_view title, SubjectKind kind, std::int64_t lost_ns) {
    Finding finding;
    finding.rule = rule;
    finding.title = title;
    finding.subjects = {{kind, 0}};
    finding.lost_ns = lost_ns;
    return finding;
  };
  const auto left = [&](std::int64_t pauses_ns) {
    std::vector<Finding> findings{
        of("T03", "The GPU idles beside copies that are waited for", SubjectKind::timeline, pauses_ns),
        of("T08", "Device memory allocated again and again", SubjectKind::allocated_again, 50),
        of("T08", "Device memory allocated again and again", SubjectKind::allocated_again, 40)};
    merge_consequences(findings);
    return findings.size();
  };
  EXPECT_EQ(left(100), 2U);
  EXPECT_EQ(left(120), 3U) << "the copies cause some of them";
}

TEST(MergeCalls, AUsersKernelsStayApart) {
  std::vector<Finding> findings{called(1, 7), called(2, 7)};
  merge_calls(findings, with_kernels({1, 2}));
  EXPECT_EQ(findings.size(), 2U) << "each can be edited";
}

TEST(MergeCalls, CopiesOfOneLineAreOneFinding) {
  Report report;
  std::vector<Finding> findings;
  for (const std::int64_t id : {1, 2, 3}) {
    TransferRow row;
    row.id = id;
    row.direction = id == 3 ? model::Direction::device_to_host : model::Direction::host_to_device;
    row.source_memory = id == 3 ? model::MemoryKind::device : model::MemoryKind::pageable;
    row.destination_memory = id == 3 ? model::MemoryKind::pageable : model::MemoryKind::device;
    row.smallest_bytes = row.largest_bytes = id << 20;
    report.transfers.push_back(row);
    Finding finding;
    finding.rule = "T01";
    finding.subject = std::to_string(id);
    finding.subjects = {{SubjectKind::transfers, id}};
    finding.lost_ns = finding.subject_ns = 10;
    finding.call_file = "train.py";
    finding.call_line = 7;
    findings.push_back(finding);
  }
  merge_calls(findings, report);
  ASSERT_EQ(findings.size(), 2U) << "one each way";
  EXPECT_EQ(findings[0].lost_ns, 20);
  EXPECT_THAT(findings[0].evidence, HasSubstr("copies of 1 more size"));
}

// The grids of a multigrid solver, in a program without -g.
TEST(MergeCalls, SetsOfOneFunctionAreOneFindingWhereNoCallHasALine) {
  Report report;
  std::vector<Finding> findings;
  for (const std::int64_t id : {1, 2, 3}) {
    TransferRow& row = report.transfers.emplace_back();
    row.id = id;
    row.direction = id == 3 ? model::Direction::host_to_device : model::Direction::set;
    CallSiteRow& frame = report.call_sites.emplace_back();
    frame.id = id;
    frame.function = "smooth";
    frame.own = true;
    Finding& finding = findings.emplace_back();
    finding.rule = "F02";
    finding.subject = "memory set " + std::to_string(id);
    finding.subjects = {{SubjectKind::transfers, id}};
    finding.lost_ns = finding.subject_ns = 10;
    finding.call_site_id = id;
  }
  merge_calls(findings, report);
  ASSERT_EQ(findings.size(), 2U) << "copies may be of any data";
  EXPECT_EQ(findings[0].lost_ns, 20);
  EXPECT_THAT(findings[0].evidence, HasSubstr("the same function makes sets of 1 more size"));
}

}  // namespace
}  // namespace coalescope::analysis
