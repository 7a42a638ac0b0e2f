// What the reader of a finding can do who cannot edit the kernel: real names of kernels through the whole
// judgement.
#include "reports/analysis/judge/call_advice.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/figures/kernel_origin.h"
#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rows/sample_rows_test.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::kRequests;
using testing::HasSubstr;

constexpr const char* kElementwise =
    "void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl_nocast<at::native::"
    "CUDAFunctor_add<float> >(at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> "
    "const&)::{lambda(int)#1}>(int, at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float> >("
    "at::TensorIteratorBase&, at::native::CUDAFunctor_add<float> const&)::{lambda(int)#1})";
constexpr const char* kVectorised =
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, "
    "1ul> "
    ">(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)";
constexpr const char* kCopy =
    "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
    "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}>(int, float)";
constexpr const char* kIndex =
    "void at::native::index_elementwise_kernel<128, 4, at::native::index_copy_kernel_impl<at::native::"
    "OpaqueType<2> > >(long, at::native::index_copy_kernel_impl<at::native::OpaqueType<2> >)";
constexpr const char* kPairs =
    "void at::native::(anonymous namespace)::cdist_kernel_cuda_impl<float, at::native::(anonymous "
    "namespace)::dists<float>::one>(float*, float const*, float const*, float, long, long, long, long, "
    "long, long)";
constexpr const char* kNorm =
    "void at::native::vectorized_layer_norm_kernel<float, float, false>(int, float, float const*)";
constexpr const char* kGemm = "ampere_sgemm_128x64_nn";

KernelRow named(KernelRow row, const char* name) {
  row.name = row.full_name = row.mangled_name = name;
  const KernelOrigin origin = kernel_origin(name, name);
  row.origin = origin.origin;
  row.owner = origin.owner;
  return row;
}

std::vector<Finding> findings_of(KernelRow row, std::vector<PointerRow> pointers = {},
                                 std::vector<CallSiteRow> call_sites = {}) {
  Report report;
  report.call_sites = std::move(call_sites);
  report.totals.kernel_ns = *row.gpu_ns;
  report.kernels = {std::move(row)};
  report.program.pointers = std::move(pointers);
  return judge(report, {{1, test::h100()}}).findings;
}

Finding strided_in(const char* name) {
  const auto findings = findings_of(named(test::strided_copy(32, 136'500), name));
  EXPECT_EQ(findings.size(), 1U) << name;
  return findings.empty() ? Finding{} : findings.front();
}

// All of such a kernel is what the caller can spare, whatever its accesses are like.
TEST(CallAdvice, AConversionOfALayoutIsOneFinding) {
  const auto row =
      named(test::strided_copy(32, 136'500), "void cudnn::ops::nchwToNhwcKernel<float, float>(float*)");
  const auto findings = findings_of(row);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].rule, "K01");
  EXPECT_EQ(findings[0].lost_ns, row.gpu_ns);
  EXPECT_EQ(findings[0].aside, std::nullopt);
  EXPECT_THAT(findings[0].advice, HasSubstr("channels_last"));
  EXPECT_EQ(findings[1].aside, Aside::library);
  for (const Finding& finding : findings_of(named(test::strided_copy(32, 136'500), "nchwToNhwc(float*)")))
    EXPECT_NE(finding.rule, "K01") << "the author's own";
}

KernelRow off_by_a_word() {
  KernelRow row = test::kernel(access(kRequests, 128, 5), access(kRequests, 128, 4), 20'971'520, 11'000);
  row.l2_sectors = 9 * kRequests;
  return row;
}

TEST(CallAdvice, AUsersKernelKeepsTheRules) {
  const Finding finding = strided_in("copy(float*, float const*)");
  EXPECT_EQ(finding.advice_id, "G01.far");
  EXPECT_EQ(finding.aside, std::nullopt);
}

TEST(CallAdvice, ALibrarysInsideStandsAside) {
  EXPECT_EQ(strided_in(kGemm).aside, Aside::library);
  EXPECT_EQ(strided_in(kVectorised).aside, Aside::library) << "its operands are contiguous";
  EXPECT_EQ(strided_in("void cub::DeviceReduceKernel<float>(float*)").aside, Aside::library);
  EXPECT_EQ(strided_in("void stream_executor::gpu::DelayKernel(int*)").aside, Aside::tool);
}

TEST(CallAdvice, ALibrarysCallNeedsAPriceWhereOthersHaveOne) {
  KernelRow untimed = named(test::strided_copy(32, 136'500), kCopy);
  untimed.gpu_ns.reset();
  untimed.median_gpu_ns.reset();
  EXPECT_NE(findings_of(untimed).at(0).aside, Aside::library) << "on a GPU without prices";
  KernelRow priced = named(test::strided_copy(32, 136'500), "copy(float*, float const*)");
  priced.id = untimed.id + 1;
  Report report;
  report.kernels = {untimed, priced};
  for (const Finding& finding : judge(report, {{1, test::h100()}}).findings)
    EXPECT_EQ(finding.aside, finding.kernel_id == priced.id ? std::nullopt : std::optional(Aside::library));
}

TEST(CallAdvice, OfAReductionWhatItReadsIsTheCallersChoice) {
  const auto findings =
      findings_of(named(test::strided_copy(32, 136'500),
                        "void at::native::reduce_kernel<128, 4, at::native::ReduceOp<float> >(float)"));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].part, "loads");
  EXPECT_EQ(findings[0].aside, std::nullopt);
  EXPECT_EQ(findings[1].aside, Aside::library) << "PyTorch stores the results";
  EXPECT_EQ(
      strided_in("void at::native::(anonymous namespace)::nll_loss2d_forward_no_reduce_kernel<float>(long)")
          .aside,
      Aside::library)
      << "it does not reduce";
}

TEST(CallAdvice, XlaChoosesTheLayoutOfWhatItComputes) {
  const auto of_xla = [](const char* name, bool given = false) {
    KernelRow row = test::strided_copy(32, 136'500);
    row.reads_given_apart = given;
    row.full_name = row.name = row.mangled_name = name;
    row.origin = Origin::generated;
    row.owner = kXla;
    const auto findings = findings_of(row);
    return findings.empty() ? Finding{} : findings.front();
  };
  EXPECT_EQ(of_xla("loop_add_fusion_6").aside, Aside::library);
  EXPECT_EQ(of_xla("loop_add_fusion_6", true).advice_id, "G01.call_operands");
  const Finding moves = of_xla("loop_transpose_fusion");
  EXPECT_EQ(moves.aside, std::nullopt);
  EXPECT_EQ(moves.advice_id, "G01.call_operands");
}

TEST(CallAdvice, IsAboutTheCallOfPyTorch) {
  for (const auto& [name, id, words] : {std::tuple{kElementwise, "G01.call_contiguous", ".contiguous()"},
                                        {kCopy, "G01.call_copy", "channels_last"},
                                        {kIndex, "G01.call_index", "indexed dimension"}}) {
    const Finding finding = strided_in(name);
    EXPECT_EQ(finding.aside, std::nullopt) << name;
    EXPECT_EQ(finding.advice_id, id);
    EXPECT_THAT(finding.advice, HasSubstr(words));
  }
}

TEST(CallAdvice, ACopyThatNeedNotBeMadeCostsAllOfItsTime) {
  const KernelRow copy = test::strided_copy(32, 136'500);
  EXPECT_EQ(strided_in(kCopy).lost_ns, copy.gpu_ns);
  EXPECT_DOUBLE_EQ(strided_in(kCopy).lost_share.value_or(0), 1);
  EXPECT_LT(strided_in(kElementwise).lost_ns, copy.gpu_ns);
}

TEST(CallAdvice, NarrowElementsOfPyTorchAreFused) {
  const Access bytes = access(kRequests, 32, 1);
  KernelRow row = test::kernel(bytes, bytes, 4'194'304, 11'000);
  row.load.lanes = row.store.lanes = 32;
  const auto findings = findings_of(named(row, kElementwise));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].advice_id, "G04.call_wider");
  EXPECT_EQ(findings[0].aside, std::nullopt);
}

// Such as the bias of a convolution: no layout of the operands would widen its elements.
TEST(CallAdvice, ABroadcastOperandIsNobodysLayout) {
  const Access bytes = access(kRequests, 32, 1);
  KernelRow row = test::kernel(bytes, bytes, 4'194'304, 11'000);
  row.load.lanes = row.store.lanes = 32;
  row.load.l2_degree = 2;
  const auto findings = findings_of(named(row, kElementwise));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].rule, "G04");
  EXPECT_EQ(findings[0].aside, Aside::library);
}

// 50,257 columns of two bytes: the library picks a kernel that loads them one by one.
TEST(CallAdvice, ProductsOfOperandsThatAreNotAlignedArePadded) {
  for (const char* name : {"void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1>("
                           "cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1::Params)",
                           "turing_fp16_s1688gemm_fp16_128x64_ldg2_f2f_tn"}) {
    const Finding finding = strided_in(name);
    EXPECT_EQ(finding.advice_id, "G01.call_pad_product") << name;
    EXPECT_EQ(finding.repair, "align the operands of a matrix product");
    EXPECT_EQ(finding.aside, std::nullopt);
  }
  // The gradient of a layer with one output has nothing to pad.
  KernelRow outer = named(test::strided_copy(32, 136'500), "turing_fp16_s1688gemm_fp16_128x64_ldg2_f2f_tn");
  outer.l2_read_sectors = 74'514;
  outer.l2_write_sectors = 4'194'304;
  EXPECT_EQ(findings_of(outer).at(0).aside, Aside::library);
  for (const char* name : {"cutlass_80_tensorop_f16_s16816gemm_f16_128x128_tn_align8",
                           "ampere_i8_s16832gemm_256x128_ldg16_f2f_tn", "a_gemm_tn_align16"})
    EXPECT_EQ(strided_in(name).advice_id.find("pad_product"), std::string::npos) << name;
}

TEST(CallAdvice, SharedMemoryIsTheCompilersAffair) {
  KernelRow row = test::strided_copy(1, 100'000);
  row.shared = {1'000'000, 20'000'000, 1'000'000, 19'000'000};
  const auto aside = [&](const char* name) {
    const auto findings = findings_of(named(row, name));
    const auto conflicts = std::ranges::find(findings, "S01", &Finding::rule);
    return conflicts == findings.end() ? Aside::note : conflicts->aside;
  };
  EXPECT_EQ(aside("triton_per_fused_amax_1"), Aside::library);
  EXPECT_EQ(aside("scale(float*)"), std::nullopt);
}

TEST(CallAdvice, ShortRowsAreTheCallers) {
  const Access words = access(kRequests, 128, 4);
  KernelRow row = test::kernel(words, words, 16'777'216, 11'000);
  row.load.lanes = row.store.lanes = 4;
  for (const auto& [name, advice] :
       {std::pair(kPairs, "G03.call_short_rows"), std::pair(kNorm, "G03.call_short_norm")}) {
    const auto findings = findings_of(named(row, name));
    const auto idle = std::ranges::find(findings, "G03", &Finding::rule);
    ASSERT_NE(idle, findings.end()) << name;
    EXPECT_EQ(idle->advice_id, advice);
    EXPECT_EQ(idle->aside, std::nullopt);
  }
}

CallSiteRow frame(std::int64_t id, std::int64_t caller, const char* file, const char* function) {
  CallSiteRow row;
  row.id = id;
  if (caller != 0) row.caller_id = caller;
  row.kind = model::FrameKind::python;
  row.file = file;
  row.line = 1;
  row.function = function;
  row.own = row.file->find("site-packages") == std::string::npos;
  return row;
}

// The innermost has number 3.
std::vector<CallSiteRow> called_for_gradients() {
  return {frame(1, 0, "train.py", "step"),
          frame(2, 1, "/site-packages/torch/autograd/__init__.py", "backward"),
          frame(3, 2, "/site-packages/torch/autograd/graph.py", "_engine_run_backward")};
}

// PyTorch chooses what computes gradients. What the author calls in a backward() of his own is his choice.
TEST(CallAdvice, OperandsOfGradientsAreNobodysChoice) {
  const Access bytes = access(kRequests, 32, 1);
  KernelRow row = test::kernel(bytes, bytes, 4'194'304, 11'000);
  row.load.lanes = row.store.lanes = 32;
  row.call_sites.resize(1);
  row.call_sites[0].call_site_id = 3;
  row.call_sites[0].calls = 10;
  auto stack = called_for_gradients();
  auto findings = findings_of(named(row, kElementwise), {}, stack);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].aside, Aside::library);
  stack.back() = frame(3, 2, "train.py", "backward");
  findings = findings_of(named(row, kElementwise), {}, stack);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].aside, std::nullopt);
}

TEST(CallAdvice, OperationsThatPyTorchRunsAreChangedWhereTheirAuthorAsksForThem) {
  const Access bytes = access(kRequests, 128, 4);
  Report report;
  for (const std::int64_t id : {1, 2, 3}) {
    KernelRow row = named(test::kernel(bytes, bytes, 0, 60'000), kVectorised);
    row.id = id;
    row.call_sites.resize(1);
    row.call_sites[0].call_site_id = 3;
    row.call_sites[0].calls = 10;
    report.totals.kernel_ns += *row.gpu_ns;
    report.kernels.push_back(row);
  }
  report.program.operation_chains = {{0, 1, {1, 2, 3}, 1}};
  report.call_sites = called_for_gradients();
  const auto advice = [&] { return judge(report, {{1, test::h100()}}).findings.at(0).advice_id; };
  EXPECT_EQ(advice(), "F01.compile_forward");
  report.call_sites = {frame(1, 0, "train.py", "step"),
                       frame(3, 1, "/site-packages/torch/optim/sgd.py", "step")};
  EXPECT_EQ(advice(), "F01.fused_optimiser");
  report.call_sites = {frame(3, 0, "train.py", "forward")};
  EXPECT_EQ(advice(), "F01.compile");
}

TEST(CallAdvice, StridedOperandsOfGradientsAreNobodysChoice) {
  KernelRow row = named(test::strided_copy(32, 136'500), kElementwise);
  row.call_sites.resize(1);
  row.call_sites[0].call_site_id = 3;
  row.call_sites[0].calls = 10;
  auto findings = findings_of(row, {}, called_for_gradients());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].aside, Aside::library);
  findings = findings_of(row, {}, {frame(3, 0, "train.py", "forward")});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].advice_id, "G01.call_contiguous");
}

KernelRow joined_at(std::int64_t call_site) {
  KernelRow row =
      named(test::strided_copy(32, 136'500),
            "void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<float, 2>(float*)");
  SiteUse& use = row.call_sites.emplace_back();
  use.call_site_id = call_site;
  use.calls = 10;
  return row;
}

// Of what unbind() has taken apart PyTorch joins the gradients.
TEST(CallAdvice, JoinsOfGradientsStandAside) {
  const auto findings = findings_of(joined_at(3), {}, called_for_gradients());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].aside, Aside::library);
}

// torch.cdist joins tensors inside.
TEST(CallAdvice, JoinsThatTheAuthorDoesNotCallStandAside) {
  const KernelRow row = joined_at(1);
  Report report;
  report.call_sites = {frame(1, 0, "train.py", "step")};
  report.totals.kernel_ns = *row.gpu_ns;
  report.kernels = {row};
  const auto aside_at = [&](std::optional<std::string> text) {
    CallLineRow line;
    line.file = "train.py";
    line.line = 1;
    line.text = std::move(text);
    report.call_lines = {line};
    return judge(report, {{1, test::h100()}}).findings.at(0).aside;
  };
  EXPECT_EQ(aside_at("near = torch.cdist(x, y).argmin(1)"), Aside::library);
  EXPECT_EQ(aside_at("x = scatter(category, allocate)"), Aside::library) << "parts of other words";
  EXPECT_EQ(aside_at("x = torch.cat([x, y], 1)"), std::nullopt);
  EXPECT_EQ(aside_at(std::nullopt), std::nullopt) << "the line is not at hand";
}

// Two layers convert; the model is called at one line.
TEST(CallAdvice, ALayoutIsChangedWhereTheModelIsCalled) {
  KernelRow row =
      named(test::strided_copy(32, 136'500), "void cudnn::ops::nchwToNhwcKernel<float, float>(float*)");
  for (const std::int64_t site : {3, 4}) {
    SiteUse& use = row.call_sites.emplace_back();
    use.call_site_id = site;
    use.calls = 10;
    use.gpu_ns = *row.gpu_ns / 2;
  }
  auto call = frame(2, 1, "train.py", "step"), first = frame(3, 2, "model.py", "forward"), second = first;
  call.line = 47;
  first.line = 12;
  second.id = 4;
  second.line = 13;
  auto findings = findings_of(row, {}, {frame(1, 0, "train.py", "main"), call, first, second});
  EXPECT_EQ(findings.at(0).call_file, "train.py");
  EXPECT_EQ(findings.at(0).call_line, 47);
  row.call_sites.pop_back();
  findings = findings_of(row, {}, {frame(1, 0, "train.py", "main"), call, first});
  EXPECT_EQ(findings.at(0).call_line, 12) << "one layer, one line";
}

TEST(CallAdvice, IsInTheCallersLanguage) {
  EXPECT_THAT(strided_in("cupy_add__float32_float32_float32").advice, HasSubstr("ascontiguousarray"));
  EXPECT_THAT(strided_in("loop_transpose_fusion").advice, HasSubstr("x.T"));
  EXPECT_THAT(strided_in("triton_poi_fused_add_0").advice, HasSubstr("outside of what is compiled"));
  EXPECT_THAT(strided_in("column_scale_0d1d2d3").advice, HasSubstr("tl.arange"));
}

// In Triton the result of an atomic is asked for by its order, not by its use.
TEST(CallAdvice, AtomicsOfTritonAreRelaxed) {
  KernelRow row = test::kernel(access(kRequests, 128, 4), access(kRequests, 128, 4), 16'777'216, 1'000'000);
  row.atomic = access(kRequests, 128, 4);
  row.atomic.lanes = 32;
  Machine machine = test::h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {262'144, 100, {}}}}, "test"};
  Report report;
  report.totals.kernel_ns = *row.gpu_ns;
  report.kernels = {named(row, "slope_of_row_0d1d2d3")};
  const auto findings = judge(report, {{1, machine}}).findings;
  const auto found = std::ranges::find(findings, "A01.call_relaxed", &Finding::advice_id);
  ASSERT_NE(found, findings.end());
  EXPECT_THAT(found->advice, HasSubstr("sem=\"relaxed\""));
}

TEST(CallAdvice, AMisalignedPointerIsTheCallers) {
  PointerRow pointer;
  pointer.kernel_id = 1;
  pointer.offset_bytes = 4;
  const auto found = findings_of(named(off_by_a_word(), kGemm), {pointer});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].advice_id, "G01.call_align");
  EXPECT_EQ(found[0].aside, std::nullopt);
  pointer.offset_bytes = 64;
  EXPECT_EQ(findings_of(named(off_by_a_word(), kGemm), {pointer}).at(0).aside, Aside::library);
}

// What a functor accesses is its author's.
TEST(CallAdvice, AFunctorsAccessesKeepTheRules) {
  const Finding finding = strided_in(
      "void cub::detail::for_each::static_kernel<cub::detail::for_each::policy_hub_t::policy_350_t, long, "
      "__nv_dl_wrapper_t<__nv_dl_tag<void (*)(int), &(md::step(int)), 1u>, float*> >(long)");
  EXPECT_EQ(finding.aside, std::nullopt);
  EXPECT_EQ(finding.advice_id, "G01.far");
}

}  // namespace
}  // namespace coalescope::analysis
