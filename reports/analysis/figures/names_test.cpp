#include "reports/analysis/figures/names.h"

#include <gtest/gtest.h>
#include <map>
#include <span>

#include "core/base/demangle.h"
#include "reports/analysis/figures/held_out_kernels_test.h"

namespace coalescope::analysis {
namespace {

std::string shorten(const std::string& mangled) {
  return short_kernel_name(base::demangle(mangled));
}

// Names as frameworks and libraries export them: {mangled, what a table shows}.
struct Name {
  const char* mangled;
  const char* shown;
};

class ShortName : public testing::TestWithParam<Name> {};

TEST_P(ShortName, KeepsWhatPeopleKnowTheKernelBy) {
  EXPECT_EQ(shorten(GetParam().mangled), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Frameworks, ShortName,
    testing::Values(
        // The copy behind x.t().contiguous(): two wrappers around a lambda in direct_copy_kernel_cuda.
        Name{"_ZN2at6native18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastIZZZNS0_23direct_copy_"
             "kernel_cudaERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE5_clEvEUlfE_EEvS4_RKT_EUliE_EEviT1_",
             "elementwise_kernel<128, 4, direct_copy_kernel_cuda(float)>"},
        Name{"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
             "addIfEESt5arrayIPcLm3EEEEviT0_"
             "T1_",
             "vectorized_elementwise_kernel<CUDAFunctor_add<float>>"},
        Name{"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_"
             "functorIfffEclERNS_14TensorIteratorEEUlffE_EEjfLi4EEEEEvT1_",
             "reduce_kernel<512, 1, sum_functor<float, float, float>>"},
        Name{"_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernelIZNS0_17index_kernel_"
             "implINS0_10OpaqueTypeILi4EEEEEvRNS_18TensorIteratorBaseEN3c108ArrayRefIlEES8_EUlPcPKclE_"
             "EEvS5_S8_S8_RKT_EUliE_EEvlT1_",
             "index_elementwise_kernel<index_kernel_impl<OpaqueType<4>>>"},
        Name{"_ZN2at6native12_GLOBAL__N_128vectorized_layer_norm_kernelIffLb0EEEviT0_PKT_S5_S5_PS2_S6_PS3_",
             "vectorized_layer_norm_kernel<float, float, false>"},
        Name{"_ZN12_GLOBAL__N_120softmax_warp_forwardIfffLi8ELb0ELb0EEEvPT0_PKT_iiiPKbib",
             "softmax_warp_forward<float, float, float, 8, false, false>"},
        Name{"_ZN7cutlass7Kernel2I43cutlass_80_simt_sgemm_128x64_8x5_nn_align1_EEvNT_6ParamsE",
             "Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1_>"},
        Name{
            "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_execute_segment_k_off_kernel__5x_cublas",
            "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32"},
        Name{"ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"},
        Name{"triton_per_fused__softmax_add_1", "triton_per_fused__softmax_add_1"},
        Name{"_ZN10coalescope7kernels11offset_copyILi3EEEvPKfPf", "offset_copy<3>"},
        Name{"_Z9transposePfPKfi", "transpose"}));

// Seen on an H100: the wrapper says nothing, the functor says which operation it was.
TEST(ShortNameText, AWrapperGivesWayToItsFunctor) {
  EXPECT_EQ(
      short_kernel_name(
          "void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<at::native::"
          "BinaryFunctor<float, float, bool, at::native::(anonymous namespace)::CompareEqFunctor<float> > >"
          "(at::TensorIteratorBase&, at::native::BinaryFunctor<float, float, bool, at::native::(anonymous "
          "namespace)::CompareEqFunctor<float> > const&)::{lambda(int)#1}>(int, void*)"),
      "elementwise_kernel<BinaryFunctor<CompareEqFunctor<float>>>");
}

TEST(ShortNameText, LongListsOfPlainArgumentsStay) {
  EXPECT_EQ(short_kernel_name("void k<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14>(int)"),
            "k<1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14>");
}

struct Declared {
  const char* declaration;
  const char* shown;
};

class ShortDeclaration : public testing::TestWithParam<Declared> {};

TEST_P(ShortDeclaration, SaysWhatTellsItApart) {
  EXPECT_EQ(short_kernel_name(GetParam().declaration), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Libraries, ShortDeclaration,
    testing::Values(
        // The launcher's name says nothing, the algorithm's and the user's functor do.
        Declared{
            "void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__merge_sort::MergeAgent<Entity*, "
            "Entity*, long, cmp, thrust::detail::integral_constant<bool, false> >, bool, Entity*, long, "
            "cmp>(bool, Entity*, long, cmp)",
            "MergeAgent<cmp, Entity, long>"},
        Declared{
            "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, "
            "false, long, int, int, int>(int*, int*)",
            "DeviceRadixSortOnesweepKernel<false, long, int, int, int>"},
        Declared{
            "void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
            "cutlass::half_t, Flash_kernel_traits<128, 64, 128, 4, cutlass::half_t> >, true, false, false, "
            "false, true, false, false, false>(flash::Flash_fwd_params)",
            "flash_fwd_splitkv_kernel<half_t, 128, 64, 128>"},
        Declared{"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, "
                 "__nv_bfloat16, __nv_bfloat16, float, false, true, true, false, 6, false, "
                 "cublasGemvParamsEx<int, "
                 "cublasGemvTensorStridedBatched<__nv_bfloat16 const> > >(int)",
                 "gemvx::kernel<int, __nv_bfloat16, float>"},
        // From half to float, not the reverse.
        Declared{"void Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<"
                 "Eigen::TensorMap<Eigen::Tensor<float, 1, 1, long>, 0>, Eigen::TensorConversionOp<float, "
                 "Eigen::TensorMap<Eigen::Tensor<Eigen::half const, 1, 1, long>, 0> const> const> const, "
                 "Eigen::GpuDevice>, long>(long)",
                 "EigenMetaKernel<TensorConversionOp, float, long, half>"},
        Declared{"triton_per_fused__to_copy_add_div_masked_fill_mean_mul_pow_rsub_sqrt_sub_view_7",
                 "triton_per_fused__to_copy_add_div_mask...sub_sqrt_sub_view_7"}));

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

TEST(ShortNameText, RealKernelsFitAndStayApart) {
  std::map<std::string, std::string> seen;
  const auto check = [&](std::span<const RealKernel> kernels) {
    for (const auto& kernel : kernels) {
      const std::string full = base::demangle(std::string(kernel.name));
      const std::string shown = short_kernel_name(full);
      EXPECT_LE(shown.size(), kLongestShortName) << full;
      EXPECT_EQ(shown.find("(anonymous"), std::string::npos) << full;
      EXPECT_EQ(shown.find("at::"), std::string::npos) << full;
      const auto [known, is_new] = seen.emplace(shown, without_digits(full));
      EXPECT_TRUE(is_new || known->second == without_digits(full)) << shown << "\n" << full;
    }
  };
  check(kRealKernels);
  check(kHeldOutKernels);
  check(kLaterKernels);
}

// Cut between characters: "é" has two bytes.
TEST(ShortNameText, LongNamesStayUtf8) {
  std::string name;
  for (int i = 0; i < 80; ++i) name += "\xc3\xa9";
  const std::string shown = short_kernel_name(name);
  EXPECT_LE(shown.size(), kLongestShortName);
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (shown[i] == '\xc3') {
      ASSERT_LT(i + 1, shown.size());
      EXPECT_EQ(shown[++i], '\xa9');
    } else {
      EXPECT_EQ(shown[i], '.');
    }
}

// A capture may come from a stranger: unbalanced and deeply nested names must neither hang nor crash.
TEST(ShortNameText, HostileNamesComeBack) {
  EXPECT_EQ(short_kernel_name(""), "");
  EXPECT_EQ(short_kernel_name("<<<>>"), "<<<>>");
  EXPECT_EQ(short_kernel_name("a<b"), "a");
  EXPECT_EQ(short_kernel_name("::"), "::");
  EXPECT_EQ(short_kernel_name("operator>>)"), "operator>>)");
  std::string nested = "k<";
  for (int i = 0; i < 2000; ++i) nested += "a<";
  EXPECT_FALSE(short_kernel_name(nested + std::string(2001, '>')).empty());
}

TEST(Names, OfFunctionsOfTheHost) {
  EXPECT_EQ(short_function_name(
                "(anonymous namespace)::Solver::step(int)::{lambda(float)#1}::operator()(float) const"),
            "Solver::step::{lambda#1}");
  EXPECT_EQ(short_function_name("void run<float, 4>(std::vector<float> const&)"), "run");
  EXPECT_EQ(short_function_name("main"), "main");
  EXPECT_EQ(short_function_name("void app::run<int>(int*) [clone .isra.0]"), "app::run");
  EXPECT_EQ(short_function_name("app::load"), "app::load");
  EXPECT_EQ(short_function_name("a(((<"), "a");
  EXPECT_EQ(short_function_name(""), "");
}

}  // namespace
}  // namespace coalescope::analysis
