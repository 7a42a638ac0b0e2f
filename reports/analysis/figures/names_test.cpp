#include "reports/analysis/figures/names.h"

#include <gtest/gtest.h>

#include "core/base/demangle.h"

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
             "elementwise_kernel<128, 4, direct_copy_kernel_cuda>"},
        Name{"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_"
             "addIfEESt5arrayIPcLm3EEEEviT0_"
             "T1_",
             "vectorized_elementwise_kernel<CUDAFunctor_add<float>>"},
        Name{"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapper_tIfZNS0_11sum_"
             "functorIfffEclERNS_14TensorIteratorEEUlffE_EEjfLi4EEEEEvT1_",
             "reduce_kernel<512, 1, sum_functor>"},
        Name{"_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernelIZNS0_17index_kernel_"
             "implINS0_10OpaqueTypeILi4EEEEEvRNS_18TensorIteratorBaseEN3c108ArrayRefIlEES8_EUlPcPKclE_"
             "EEvS5_S8_S8_RKT_EUliE_EEvlT1_",
             "index_elementwise_kernel<128, 4, index_kernel_impl>"},
        Name{"_ZN2at6native12_GLOBAL__N_128vectorized_layer_norm_kernelIffLb0EEEviT0_PKT_S5_S5_PS2_S6_PS3_",
             "vectorized_layer_norm_kernel<float, float, false>"},
        Name{"_ZN12_GLOBAL__N_120softmax_warp_forwardIfffLi8ELb0ELb0EEEvPT0_PKT_iiiPKbib",
             "softmax_warp_forward<float, float, float, 8, false, false>"},
        Name{"_ZN7cutlass7Kernel2I43cutlass_80_simt_sgemm_128x64_8x5_nn_align1_EEvNT_6ParamsE",
             "Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1_>"},
        Name{
            "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_execute_segment_k_off_kernel__5x_cublas",
            "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_execute_segment_k_off_kernel__5x_"
            "cublas"},
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
  EXPECT_EQ(short_function_name("app::load"), "app::load");
  EXPECT_EQ(short_function_name("a(((<"), "a");
  EXPECT_EQ(short_function_name(""), "");
}

}  // namespace
}  // namespace coalescope::analysis
