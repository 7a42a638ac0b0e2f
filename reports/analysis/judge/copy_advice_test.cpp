// What can be done about copies, in the words of the framework that makes them.
#include <gtest/gtest.h>
#include <tuple>
#include <utility>

#include "reports/analysis/figures/kernel_origin.h"
#include "reports/analysis/judge/call_advice.h"
#include "reports/analysis/rows/sample_rows_test.h"

namespace coalescope::analysis {
namespace {

constexpr const char* kAddition =
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::"
    "CUDAFunctor_add<float> > >(int, float)";

KernelRow kernel_of(const char* name) {
  KernelRow row = test::strided_copy(1, 1000);
  const KernelOrigin origin = kernel_origin(name, name);
  row.name = row.full_name = row.mangled_name = name;
  row.origin = origin.origin;
  row.owner = origin.owner;
  return row;
}

// With copies in both directions, that findings can be about.
constexpr SubjectRef kUpload{SubjectKind::transfers, 1}, kDownload{SubjectKind::transfers, 2},
    kPauses{SubjectKind::timeline, 0};
Report with_copies() {
  Report report;
  report.transfers.resize(2);
  report.transfers[0].id = 1;
  report.transfers[0].source_memory = model::MemoryKind::pageable;
  report.transfers[0].destination_memory = model::MemoryKind::device;
  report.transfers[1].id = 2;
  report.transfers[1].source_memory = model::MemoryKind::device;
  report.transfers[1].destination_memory = model::MemoryKind::pageable;
  return report;
}

TEST(CopyAdvice, CopiesAreAdvisedInTheWordsOfTheFramework) {
  for (const auto& [kernel, rule, subject, id] :
       {std::tuple{"cupy_add__float32_float32_float32", "T01", kUpload, "T01.cupy_pinned"},
        {"cupy_add__float32_float32_float32", "T01", kDownload, "T01.cupy_pinned_result"},
        {"cupy_add__float32_float32_float32", "T03", kPauses, "T03.cupy_queued"},
        {"loop_transpose_fusion", "T03", kPauses, "T03.jax_queued"},
        {"loop_transpose_fusion", "T07", kUpload, "T07.jax_keep"},
        {"loop_transpose_fusion", "T01", kDownload, "T01.pin"},
        {"users_kernel", "T03", kPauses, "T03.pin"}}) {
    Report report = with_copies();
    report.kernels = {kernel_of(kernel)};
    std::vector<Finding> findings(1);
    findings[0].rule = rule;
    findings[0].subjects = {subject};
    findings[0].advice_id = findings[0].rule + (findings[0].rule == "T07" ? ".keep" : ".pin");
    findings[0].call_file = "train.py";
    advise_copies(findings, report);
    EXPECT_EQ(findings[0].advice_id, id);
    findings[0].advice_id = "unchanged";
    findings[0].call_file = "train.cpp";
    advise_copies(findings, report);
    EXPECT_EQ(findings[0].advice_id, "unchanged") << "another language";
  }
}

TEST(CopyAdvice, CopiesOfPyTorchArePinnedByPyTorch) {
  Finding finding;
  finding.rule = "T01";
  finding.advice_id = "T01.pin";
  finding.call_file = "train.py";
  finding.subjects = {kUpload};
  std::vector<Finding> findings{finding};
  Report report = with_copies();
  advise_copies(findings, report);
  EXPECT_EQ(findings[0].advice, "") << "CuPy and others have words of their own";
  report.kernels = {kernel_of(kAddition)};
  advise_copies(findings, report);
  EXPECT_EQ(findings[0].advice_id, "T01.call_pin_memory");
  findings[0].subjects = {kDownload};
  advise_copies(findings, report);
  EXPECT_EQ(findings[0].advice_id, "T01.call_pinned_result");
}

TEST(CopyAdvice, MemoryIsAdvisedByWhereItIsAllocated) {
  Report report;
  report.kernels = {kernel_of(kAddition)};
  for (const auto& [kind, id] : {std::pair{model::AllocationKind::registered, "T08.call_reuse"},
                                 {model::AllocationKind::device, "T08.call_keep_cache"}}) {
    report.program.allocated_again.assign(1, {});
    report.program.allocated_again[0].kind = kind;
    std::vector<Finding> findings(1);
    findings[0].rule = "T08";
    findings[0].advice_id = "T08.keep";
    findings[0].subjects = {{SubjectKind::allocated_again, 0}};
    advise_copies(findings, report);
    EXPECT_EQ(findings[0].advice_id, id);
  }
}

}  // namespace
}  // namespace coalescope::analysis
