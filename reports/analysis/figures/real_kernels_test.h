#pragma once
// Names of real kernels and whose they are, for tests. Each row says where the name was read: an issue of a
// public repository, a profile in one, a capture of this project, or the sources of the kernel. "Completed"
// are names that were cut there or had no arguments, which come from the kernel's sources or its like.
// "Tricky" names are made up in the way in which authors choose them.

#include <array>
#include <string_view>

#include "reports/analysis/figures/kernel_origin.h"

namespace coalescope::analysis {

struct RealKernel {
  std::string_view name;  // mangled where the source has it so
  Origin origin;
  std::string_view owner;
};

// What the rules were written from.
inline constexpr auto kRealKernels = std::to_array<RealKernel>({
    // bench/real/gpt.py on an H100
    {"_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_illllb", Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native53_GLOBAL__N__21739cd4_20_layer_norm_kernel_cu_9c5ada8a28vectorized_layer_norm_"
     "kernelIffLb0EEEviT0_PKT_S6_S6_PS3_S7_PS4_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native29vectorized_elementwise_kernelILi8EZZZNS0_18GeluCUDAKernelImplERNS_"
     "18TensorIteratorBaseENS0_8GeluTypeEENKUlvE0_clEvENKUlvE2_clEvEUlN3c108BFloat16EE_"
     "St5arrayIPcLm2EEEEviT0_T1_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_cudaERNS_"
     "18TensorIteratorBaseEENKUlvE1_clEvENKUlvE5_clEvEUlfE_"
     "St5arrayIPcLm2EELi4E23TrivialOffsetCalculatorILi1EjESB_NS0_6memory12LoadWithCastILi1EEENSC_"
     "13StoreWithCastILi1EEEEEviT_T0_T2_T3_T4_T5_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIN3c108BFloat16ENS0_14func_wrapper_tIS4_ZNS0_11sum_"
     "functorIS4_fS4_EclERNS_14TensorIteratorEEUlffE_EEjS4_Li4ELi8EEEEEvT1_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native40_GLOBAL__N__0f1a8107_8_Shape_cu_49f7391c19CatArrayBatchedCopyINS1_"
     "10OpaqueTypeILj2EEEjLi4ELi64ELi64EEEvPT_NS1_25CatArrInputTensorMetadataIS5_T0_XT2_EXT3_EEENS1_"
     "16TensorSizeStrideIS8_Lj4EEEiS8_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN50_GLOBAL__N__fa15d16e_17_RangeFactories_cu_38772b0829elementwise_kernel_with_"
     "indexIiZZZN2at6native15arange_cuda_outERKN3c106ScalarES6_S6_RNS1_6TensorEENKUlvE_clEvENKUlvE2_"
     "clEvEUllE_EEvT_T0_PN15function_traitsISD_E11result_typeE",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN14at_cuda_detail3cub6detail10radix_sort30DeviceRadixSortHistogramKernelINS1_5radix10policy_"
     "hubIlN2at4cuda3cub6detail10OpaqueTypeILi8EEEyE10Policy1000ELNS0_9SortOrderE0ElyNS1_21identity_"
     "decomposer_tEEEvPT2_PKT1_SG_iiT3_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native51_GLOBAL__N__d9d46141_18_ForeachReduceOp_cu_b83ec48c25multi_tensor_apply_kernelINS1_"
     "18TensorListMetadataILi1EEENS0_13LpNormFunctorIfLNS0_8NormTypeE1EfLi1ELi1ELi0EEEJPfiEEEvT_T0_DpT1_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native54_GLOBAL__N__f8a10d72_21_ForeachPointwiseOp_cu_ef478fac25multi_tensor_apply_kernelINS1_"
     "18TensorListMetadataILi3EEENS1_24PointwiseOpScalarFunctorIfLi3ELi3ELi0EEEJSt10multipliesIfEfEEEvT_T0_"
     "DpT1_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_49_GLOBAL__N__d2ba64fb_16_TensorCompare_cu_"
     "71e06f4e19launch_clamp_scalarERNS_18TensorIteratorBaseEN3c106ScalarES6_NS0_"
     "6detail11ClampLimitsEENKUlvE_clEvENKUlvE5_clEvEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native59_GLOBAL__N__4b0cc4ca_26_EmbeddingBackwardKernel_cu_5d1cf09b24krn_partials_per_"
     "segmentIlEEvPT_PKS3_PKll",
     Origin::library, "PyTorch ATen"},
    // nvprof of a PyG model
    {"void cunn_ClassNLLCriterion_updateOutput_kernel<float, float>(float*, float*, float*, long*, float*, "
     "int, int, int, int, long)",
     Origin::library, "PyTorch ATen"},
    // a sweep over PyTorch's attention backends
    {"fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t, "
     "cutlass::arch::Sm80, true, 64, 128, 128, true, true>::Params)",
     Origin::library, "PyTorch ATen"},
    // pytorch#131257, completed
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
     "false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t> "
     ">, false, true, false, false, true, true, false>(pytorch_flash::Flash_fwd_params)",
     Origin::library, "PyTorch ATen"},
    // nsys of a graph network
    {"void at::native::_scatter_gather_elementwise_kernel<128, 4, "
     "at::native::_cuda_scatter_gather_internal_kernel<true, "
     "float>::operator()<at::native::ReduceAdd>(at::TensorIterator&, long, long, long, at::native::ReduceAdd "
     "const&)::{lambda(int)#1}>(int, at::native::_cuda_scatter_gather_internal_kernel<true, "
     "float>::operator()<at::native::ReduceAdd>(at::TensorIterator&, long, long, long, at::native::ReduceAdd "
     "const&)::{lambda(int)#1})",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"nvjet_sm90_tst_192x128_64x5_1x2_h_bz_coopB_bias_TNT", Origin::library, "cuBLAS"},
    // sglang#22353
    {"nvjet_tst_64x24_64x16_4x1_v_bz_splitK_TNT", Origin::library, "cuBLAS"},
    // tests/fixtures/recorded/torch.coal
    {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8_stage3_warpsize4x2x1_ffma_aligna4_alignc4_"
     "execute_kernel__5x_cublas",
     Origin::library, "cuBLAS"},
    // figures/names_test.cpp
    {"sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_execute_segment_k_off_kernel__5x_cublas",
     Origin::library, "cuBLAS"},
    // figures/names_test.cpp
    {"_ZN7cutlass7Kernel2I43cutlass_80_simt_sgemm_128x64_8x5_nn_align1_EEvNT_6ParamsE", Origin::library,
     "cuBLAS"},
    // triton#8000
    {"_ZN7cutlass7Kernel2I63cutlass_80_tensorop_bf16_s16816gemm_bf16_128x256_64x3_tn_align2EEvNT_6ParamsE",
     Origin::library, "cuBLAS"},
    // figures/names_test.cpp
    {"ampere_sgemm_128x64_nn", Origin::library, "cuBLAS"},
    // nnue-pytorch#96
    {"volta_sgemm_32x128_tn", Origin::library, "cuBLAS"},
    // pytorch#90204
    {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_nn", Origin::library, "cuBLAS"},
    // nanochat#105
    {"ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_32x3_nn", Origin::library, "cuBLAS"},
    // TensorFlow trace
    {"volta_gcgemm_32x32_nt", Origin::library, "cuBLAS"},
    // TensorFlow trace of a Maxwell GPU
    {"sgemm_128x128x8_TN", Origin::library, "cuBLAS"},
    // nnue-pytorch#96, completed
    {"void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false, true, "
     "cublasGemvParams<cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float "
     "const>, cublasGemvTensorStridedBatched<float>, float> "
     ">(cublasGemvParams<cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float "
     "const>, cublasGemvTensorStridedBatched<float>, float>, float, float)",
     Origin::library, "cuBLAS"},
    // vLLM decode profile, completed
    {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, "
     "__nv_bfloat16, float, false, true, true, false, 6, false, cublasGemvParamsEx<int, "
     "cublasGemvTensorStridedBatched<__nv_bfloat16 const>, cublasGemvTensorStridedBatched<__nv_bfloat16 "
     "const>, cublasGemvTensorStridedBatched<__nv_bfloat16>, float> >(cublasGemvParamsEx<int, "
     "cublasGemvTensorStridedBatched<__nv_bfloat16 const>, cublasGemvTensorStridedBatched<__nv_bfloat16 "
     "const>, cublasGemvTensorStridedBatched<__nv_bfloat16>, float>)",
     Origin::library, "cuBLAS"},
    // nsys of a graph network
    {"void splitKreduce_kernel<float, float, float, float, true, false>(cublasSplitKParams<float>, float "
     "const*, float const*, float*, float const*, float const*, float const*, void*, long, float*, int*)",
     Origin::library, "cuBLAS"},
    // nsys of a graph network
    {"void magma_sgemmEx_kernel<float, float, float, true, false, 6, 4, 6, 3, 4>(int, int, int, Tensor, int, "
     "Tensor, int, Tensor, int, Tensor, int, int, int, float const*, float const*, float, float, int, "
     "cublasLtEpilogue_t, int, void const*)",
     Origin::library, "cuBLAS"},
    // a kernel of cuBLAS, completed
    {"void gemmSN_TN_kernel<float, 128, 16, 2, 4, 6, 7, false, cublasGemvTensorStridedBatched<float const>, "
     "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float> "
     ">(cublasGemmSmallNParams<cublasGemvTensorStridedBatched<float const>, "
     "cublasGemvTensorStridedBatched<float const>, cublasGemvTensorStridedBatched<float>, float>)",
     Origin::library, "cuBLAS"},
    // a kernel of cuBLAS, completed
    {"void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<float const>, "
     "cublasGemvTensorStridedBatched<float> > >(cublasDotParams<cublasGemvTensor<float const>, "
     "cublasGemvTensorStridedBatched<float> >)",
     Origin::library, "cuBLAS"},
    // a kernel of cuBLAS, completed
    {"void gemvNSP_kernel<float, float, float, float, 1, 32, 4, 1024, "
     "cublasGemvParams<cublasGemvTensorBatched<float const>, cublasGemvTensorBatched<float const>, "
     "cublasGemvTensorBatched<float>, float> >(cublasGemvParams<cublasGemvTensorBatched<float const>, "
     "cublasGemvTensorBatched<float const>, cublasGemvTensorBatched<float>, float>)",
     Origin::library, "cuBLAS"},
    // TensorFlow trace
    {"void transpose_readWrite_alignment_kernel<float2, float2, 1, false, 6, 4, "
     "4>(cublasTransposeParams<float2>, float2 const*, float2*, float2 const*)",
     Origin::library, "cuBLAS"},
    // bench/real/gpt.py on an H100
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x64_4x1x1_cga1x1x1_kernel0_0",
     Origin::library, "cuDNN"},
    // a sweep over PyTorch's attention backends
    {"cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_3_64x64x128_4x1x1_kernel0_0",
     Origin::library, "cuDNN"},
    // bench/real/gpt.py on an H100
    {"_ZN5cudnn6fusion28compute_dot_do_o_specializedILb1ELi64EEEvPKvS3_PvS4_jjjjjjjjjjjjjjjjjfS3_S3_S3_S3_S3_"
     "bS3_S4_S3_iiiiiiiii",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int, int, int, float const*, "
     "int, float*, float const*, kernel_grad_params, unsigned long long, int, float, int, int, int, int)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"ampere_scudnn_winograd_128x128_ldg1_ldg4_relu_tile244t_nt_v1", Origin::library, "cuDNN"},
    // TensorFlow trace of a Maxwell GPU
    {"maxwell_scudnn_128x64_relu_interior_nn_v1", Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void implicit_convolve_sgemm<float, float, 128, 5, 5, 3, 3, 3, 1, false, true, true>(int, int, int, "
     "float const*, int, float*, float const*, kernel_conv_params, unsigned long long, int, float, float, "
     "int, float const*, float const*, bool, int, int)",
     Origin::library, "cuDNN"},
    // XLA dump of a ResNeXt, completed
    {"void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, "
     "(cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>, __half const*, __half*)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void cudnn::winograd_nonfused::winogradForwardData9x9_5x5<float, "
     "float>(cudnn::winograd_nonfused::WinogradDataParams<float, float>)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void pointwise_mult_and_sum_complex<float2, 8, 4>(float2*, float2*, float2*, int, int, int, int, int, "
     "float2)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void fft2d_r2c_64x64<float>(float2*, float const*, int, int, int, int, int, int, int, int)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void fft2d_c2r_32x32<float, false, true, 0u, false, false>(float*, float2 const*, int, int, int, int, "
     "int, int, int, int, int, float, float, cudnn::reduced_divisor, bool, float*, float*, int2, int, int)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void DSE::vector_fft<0, 1, 256, 16, 16, 1, float, float, float2>(float2*, float2*, int, int3, int3)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void im2col4d_kernel<float, int>(im2col4d_params, cudnnConvolutionStruct, cudnnTensor4dStruct, float "
     "const*, float*, int)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void "
     "cutlass_cudnn::Kernel<cutlass_tensorop_f16_s16816dgrad_optimized_f16_128x256_32x3_unity_stride>("
     "cutlass_tensorop_f16_s16816dgrad_optimized_f16_128x256_32x3_unity_stride::Params)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize256x64x32_stage3_warpsize4x1x1_"
     "g1_tensor16x8x16_kernel",
     Origin::library, "cuDNN"},
    // nvprof of a relational join
    {"void cub::DeviceReduceKernel<cub::DeviceReducePolicy<int, int, int, thrust::plus<int> >::Policy600, "
     "int*, int*, int, thrust::plus<int> >(int*, int*, int, cub::GridEvenShare<int>, thrust::plus<int>)",
     Origin::library, "CUB"},
    // TensorFlow trace
    {"void cub::DeviceSegmentedReduceKernel<cub::DeviceReducePolicy<float, float, int, cub::Sum>::Policy600, "
     "float const*, float*, cub::TransformInputIterator<int, tensorflow::functor::RowOffset, "
     "cub::CountingInputIterator<int, long>, long>, int, cub::Sum, float>(float const*, float*, "
     "cub::TransformInputIterator<int, tensorflow::functor::RowOffset, cub::CountingInputIterator<int, "
     "long>, long>, cub::TransformInputIterator<int, tensorflow::functor::RowOffset, "
     "cub::CountingInputIterator<int, long>, long>, int, cub::Sum, float)",
     Origin::library, "CUB"},
    // gadgetron#1036
    {"_ZN3cub28DeviceRadixSortUpsweepKernelINS_21DeviceRadixSortPolicyIjfiE9Policy800ELb0ELb0EjiEEvPKT2_PT3_"
     "S7_iiNS_13GridEvenShareIS7_EE",
     Origin::library, "CUB"},
    // nvprof of a course exercise
    {"void "
     "thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__parallel_for::ParallelForAgent<thrust::cuda_"
     "cub::__uninitialized_fill::functor<thrust::device_ptr<float>, float>, unsigned long>, "
     "thrust::cuda_cub::__uninitialized_fill::functor<thrust::device_ptr<float>, float>, unsigned "
     "long>(thrust::cuda_cub::__uninitialized_fill::functor<thrust::device_ptr<float>, float>, unsigned "
     "long)",
     Origin::library, "Thrust"},
    // nvprof of a transitive closure
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__merge_sort::MergeAgent<Entity*, "
     "Entity*, long, cmp, thrust::detail::integral_constant<bool, false> >, bool, Entity*, Entity*, long, "
     "Entity*, Entity*, cmp, long*, long>(bool, Entity*, Entity*, long, Entity*, Entity*, cmp, long*, long)",
     Origin::library, "Thrust"},
    // openmm#3389
    {"void regular_fft<2u, 2u, 256u, 8u, (padding_t)1, (twiddle_t)0, (loadstore_modifier_t)2, (layout_t)1, "
     "unsigned int, float>(kernel_arguments_t<unsigned int>)",
     Origin::library, "cuFFT"},
    // tike#65
    {"void composite_2way_fft<384u, 8u, 8u, (padding_t)0, (twiddle_t)0, (loadstore_modifier_t)2, 12u, "
     "(layout_t)1, unsigned int, float>(kernel_arguments_t<unsigned int>)",
     Origin::library, "cuFFT"},
    // a kernel of cuFFT, completed
    {"void vector_fft<256u, 16u, 16u, 1u, (padding_t)0, (twiddle_t)0, (loadstore_modifier_t)2, (layout_t)0, "
     "unsigned int, float>(kernel_arguments_t<unsigned int>)",
     Origin::library, "cuFFT"},
    // a roofline test
    {"regular_fft_factor", Origin::library, "cuFFT"},
    // nsys of a graph network
    {"void cusparse::partition_kernel<128, int, int>(int const*, int, int, int, int, int*)", Origin::library,
     "cuSPARSE"},
    // a kernel of cuSPARSE, completed
    {"void csrMv_kernel<float, float, float, 128, 1, 2, 1>(cusparseCsrMvParams<float, float, float>)",
     Origin::library, "cuSPARSE"},
    // pytorch#154312
    {"xxtrf4_set_info_ker", Origin::library, "cuSOLVER"},
    // pytorch#154312, completed
    {"void getrf_pivot<float, float, 7, 256, 4, 7>(int, int, float*, int, int*, int*, int, int*)",
     Origin::library, "cuSOLVER"},
    // a roofline test, completed
    {"void getrf_wo_pivot_params<float, float, 128, 64, 0>(getrf_wo_pivot_params_<float>)", Origin::library,
     "cuSOLVER"},
    // pytorch#154312, completed
    {"void ipiv_lower_small<long>(int, int, int, long*, int*)", Origin::library, "cuSOLVER"},
    // timemachine#1225
    {"void gen_sequenced<curandStateXORWOW, float2, normal_args_st, &(float2 "
     "curand_normal_scaled2<curandStateXORWOW>(curandStateXORWOW*, normal_args_st)), "
     "rng_config<curandStateXORWOW, (curandOrdering)101> >(curandStateXORWOW*, float2*, unsigned long, "
     "unsigned long, normal_args_st)",
     Origin::library, "cuRAND"},
    // vLLM decode profile
    {"ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Origin::library, "NCCL"},
    // PyTorch profiler of FSDP
    {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Origin::library,
     "NCCL"},
    // nsys of a decoding server
    {"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", Origin::library, "NCCL"},
    // nccl#739, completed
    {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", Origin::library,
     "NCCL"},
    // nccl#739, completed
    {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", Origin::library,
     "NCCL"},
    // nvbit_tools#1
    {"_ZN5Eigen8internal15EigenMetaKernelINS_15TensorEvaluatorIKNS_14TensorAssignOpINS_9TensorMapINS_"
     "6TensorIfLi1ELi1EiEELi16ENS_11MakePointerEEEKNS_18TensorCwiseUnaryOpINS0_11scalar_leftIffNS0_17scalar_"
     "product_opIffEELb0EEEKNS4_INS5_IKfLi1ELi1EiEELi16ES7_EEEEEENS_9GpuDeviceEEEiEEvT_T0_",
     Origin::library, "Eigen"},
    // TensorFlow trace
    {"void "
     "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::"
     "Tensor<float, 1, 1, long>, 16, Eigen::MakePointer>, Eigen::TensorConversionOp<float, "
     "Eigen::TensorMap<Eigen::Tensor<Eigen::half const, 1, 1, long>, 16, Eigen::MakePointer> const> const> "
     "const, Eigen::GpuDevice>, "
     "long>(Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorMap<Eigen::Tensor<float, 1, 1, long>, "
     "16, Eigen::MakePointer>, Eigen::TensorConversionOp<float, Eigen::TensorMap<Eigen::Tensor<Eigen::half "
     "const, 1, 1, long>, 16, Eigen::MakePointer> const> const> const, Eigen::GpuDevice>, long)",
     Origin::library, "Eigen"},
    // TensorFlow trace
    {"void tensorflow::functor::ApplyAdamKernel<float>(int, float*, float*, float*, float const*, float "
     "const*, float const*, float const*, float const*, float const*, float const*, bool)",
     Origin::library, "TensorFlow"},
    // TensorFlow trace
    {"Mul_GPU_DT_FLOAT_DT_FLOAT_kernel", Origin::library, "TensorFlow"},
    // TensorFlow trace
    {"Square_GPU_DT_FLOAT_DT_FLOAT_kernel", Origin::library, "TensorFlow"},
    // cuvs#1115, parameters cut
    {"void cuvs::neighbors::ivf_pq::detail::process_and_fill_codes_kernel<256u, 8u, long>(long, unsigned "
     "int, unsigned int*)",
     Origin::library, "RAPIDS"},
    // cudf#13571
    {"void cudf::io::parquet::gpu::(anonymous namespace)::gpuDecodePageData<256, unsigned "
     "char>(cudf::io::parquet::gpu::PageInfo*, cudf::device_span<cudf::io::parquet::gpu::ColumnChunkDesc "
     "const, 18446744073709551615ul>, unsigned long, unsigned long)",
     Origin::library, "RAPIDS"},
    // sources of RAFT
    {"void "
     "raft::linalg::detail::coalescedReductionThickKernel<raft::linalg::detail::ReductionThickPolicy<256, "
     "64>, float, float, int, raft::sq_op, raft::add_op>(float*, float const*, int, int, float, raft::sq_op, "
     "raft::add_op)",
     Origin::library, "RAPIDS"},
    // vLLM decode profile
    {"void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, "
     "cutlass::half_t, Flash_kernel_traits<128, 64, 128, 4, cutlass::half_t> >, true, false, false, false, "
     "true, false, false, false>(flash::Flash_fwd_params)",
     Origin::library, "FlashAttention"},
    // sglang#22440, shortened
    {"void "
     "cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::"
     "CollectiveMainloopFwdSm90<2, cute::tuple<cute::C<1>, cute::C<1>, cute::C<1> >, "
     "cute::tuple<cute::C<64>, cute::C<192>, cute::C<64> >, 64, cutlass::bfloat16_t, float, "
     "cutlass::arch::Sm90, false, true>, flash::VarlenDynamicPersistentTileScheduler<64, 192, 128, 128, "
     "false> > > >(flash::FlashAttnFwdSm90<int>::Params)",
     Origin::library, "FlashAttention"},
    // flash-attention#2564
    {"kernel_cutlass_kernel_flash_attncuteflash_fwd_sm100FlashAttentionForwardSm100_object_at__"
     "tensor0000o11101213_0",
     Origin::library, "FlashAttention"},
    // nm-vllm#332, completed
    {"void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat16 const*, "
     "float, int, int)",
     Origin::library, "vLLM"},
    // sglang#22353, completed
    {"void flashinfer::norm::RMSNormKernel<8u, __nv_bfloat16>(__nv_bfloat16*, __nv_bfloat16*, "
     "__nv_bfloat16*, unsigned int, unsigned int, unsigned int, float, float)",
     Origin::library, "FlashInfer"},
    // an Inductor cache
    {"triton_poi_fused_add_0", Origin::generated, "torch.compile"},
    // a torch.compile trace
    {"triton_per_fused__to_copy_native_layer_norm_view", Origin::generated, "torch.compile"},
    // a torch.compile trace, completed
    {"triton_red_fused__fused_rms_norm_add_3", Origin::generated, "torch.compile"},
    // a torch.compile trace, completed
    {"triton_tem_fused_mm_12", Origin::generated, "torch.compile"},
    // an Inductor cache
    {"triton_per_fused__to_copy_add_div_masked_fill_mean_mul_pow_rsub_sqrt_sub_view_7", Origin::generated,
     "torch.compile"},
    // an XLA dump
    {"loop_add_fusion", Origin::generated, "XLA"},
    // a JAX decoding profile
    {"input_reduce_fusion_92", Origin::generated, "XLA"},
    // a JAX decoding profile
    {"gemm_fusion_dot_265", Origin::generated, "XLA"},
    // an XLA dump, completed
    {"input_concatenate_fusion", Origin::generated, "XLA"},
    // a JAX profile, completed
    {"loop_multiply_reduce_fusion_3", Origin::generated, "XLA"},
    // a multi-GPU trace
    {"cupy_multiply__float32_float_float32", Origin::generated, "CuPy"},
    // tike#65
    {"cupy_copy__complex64_complex64", Origin::generated, "CuPy"},
    // nvprof of a CuPy program
    {"cupy_sum", Origin::generated, "CuPy"},
    // CuPy, argmax of a contiguous array
    {"cupy_cub_argmax", Origin::library, "CUB"},
    // a dump of Numba
    {"_ZN6cudapy8__main__13gaussian_"
     "blurB2v1B98cw51cXTLSUwv1oDHpC0oJQBDAi1SkIQh8Y8kgBqnMAkkq2yr1cHmq1spGOgoqIP8BLIKyIWoVYeFC1AEGr7qQK1AnnGt"
     "JgA_3dE5ArrayIfLi2E1C7mutable7alignedE5ArrayIfLi2E1C7mutable7alignedEx",
     Origin::generated, "Numba"},
    // numba-cuda#217
    {"_ZN8__main__"
     "9histogramB2v1B90cw51cXTLSUwv1sDUYKthoaNgpqmjAE8StqAkBQxStNhFEoYkJCQB1MQBk0ByrG21OiwI1a0UoFGhDpQE8gxqNQ"
     "E_3dE5ArrayIfLi1E1C7mutable7alignedEff5ArrayIiLi1E1C7mutable7alignedE",
     Origin::generated, "Numba"},
    // sources of nvFuser, completed
    {"nvfuser_pointwise_f0_c1_r0_g0", Origin::generated, "nvFuser"},
    // sources of XLA, completed
    {"_ZN15stream_executor3gpu26RedzoneAllocatorKernelImplEPhhmPj", Origin::tool, "XLA autotuning"},
    {"_ZN15stream_executor3gpu12_GLOBAL__N_111DelayKernelEPVNS0_17GpuSemaphoreStateES2_", Origin::tool,
     "XLA autotuning"},
    // XLA dump of a ResNeXt
    {"__xla_fp32_comparison", Origin::tool, "XLA autotuning"},
    {"void stream_executor::gpu::xla_fp_comparison<float>(float*, float*, float, unsigned long, int*)",
     Origin::tool, "XLA autotuning"},
    // a classifier of graph-internal kernels
    {"memset32", Origin::tool, "CUDA driver"},
    // a classifier of graph-internal kernels
    {"memset32_post", Origin::tool, "CUDA driver"},
    // a classifier of graph-internal kernels
    {"memcpy32_post", Origin::tool, "CUDA driver"},
    // sources of PyTorch, torch.cuda._sleep, completed
    {"_ZN2at4cuda12_GLOBAL__N_111spin_kernelEl", Origin::tool, "PyTorch delay"},
    // CUDA samples
    {"_Z13matrixMulCUDAILi32EEvPfS0_S0_ii", Origin::user, ""},
    // the template of Visual Studio
    {"_Z9addKernelPiPKiS1_", Origin::user, ""},
    // bench/real/lu.cu
    {"_ZN33_GLOBAL__N__010a988c_5_lu_cu_main6updateEPfi", Origin::user, ""},
    // kernels/patterns
    {"_ZN10coalescope7kernels11offset_copyILi3EEEvPKfPf", Origin::user, ""},
    // nvprof of a ray tracer
    {"rand_init(curandStateXORWOW*)", Origin::user, ""},
    // nvprof of a solver
    {"fillSudoku(unsigned char*, unsigned char*, unsigned int*, bool*)", Origin::user, ""},
    // nvprof of a particle swarm
    {"new_vel_pos(ParticleSystem*)", Origin::user, ""},
    // nvprof of a relational join
    {"gpu_get_join_data_dynamic(int*, int*, int*, int, int, int, int*, int, int, int)", Origin::user, ""},
    // timemachine#312
    {"void timemachine::k_nonbonded<float>(int, double const*, double const*, double const*, double, int "
     "const*, int const*, double, double, int const*, unsigned int const*, long long*, long long*)",
     Origin::user, ""},
    // openmm#3389
    {"computeNonbonded", Origin::user, ""},
    // openmm#3389
    {"gridSpreadCharge", Origin::user, ""},
    // openmm#2009
    {"sortBuckets", Origin::user, ""},
    // brian2cuda
    {"kernel_neurongroup_thresholder_codeobject(unsigned int, unsigned int, int*, double*, double*, double*, "
     "bool*)",
     Origin::user, ""},
    // Gaussian splatting
    {"void renderCUDA<3u, 16u>(uint2 const*, unsigned int const*, int, int, float2 const*, float const*, "
     "float const*, float4 const*, float*, unsigned int*, float const*, float*, float*)",
     Origin::user, ""},
    // Jacquard#122
    {"cosim_simulate_stage", Origin::user, ""},
    // CUDA.jl#2177
    {"_Z18_kron_mat_kernelA_13CuDeviceArrayI7Float32Li2ELi1EES_IS0_Li2ELi1EES_IS0_Li2ELi1EE5Int64S1_S1_S1_",
     Origin::user, ""},
    // tricky: a name that cuBLAS could have
    {"gemm_kernel(float const*, float const*, float*, int, int, int)", Origin::user, ""},
    // tricky: a reduction of one's own
    {"void my_reduce<256, float>(float const*, float*, int)", Origin::user, ""},
    // tricky: a name that PyTorch could have
    {"softmax_kernel(float*, float const*, int, int)", Origin::user, ""},
    // tricky: ATen's name in another namespace
    {"void native::elementwise_kernel<128, 4, native::Relu>(int, native::Relu)", Origin::user, ""},
    // tricky: begins and reads like cuBLAS
    {"ampere_gemm_optimized(float*, float*, float*)", Origin::user, ""},
    // tricky: ends like a fusion of XLA
    {"sensor_fusion", Origin::user, ""},
    // tricky: begins like NCCL
    {"nccl_like_allreduce(float*, int)", Origin::user, ""},
    // tricky: begins like cub
    {"cubic_interpolation(float*, float const*, int)", Origin::user, ""},
    // tricky: cub in a namespace
    {"my::cub_wrapper::reduce_kernel(float*)", Origin::user, ""},
    // tricky: begins like thrust
    {"thrusters::update_kernel(float*, int)", Origin::user, ""},
    // tricky: sparse
    {"csr_spmv_kernel(int, int const*, int const*, double const*, double const*, double*)", Origin::user, ""},
    // tricky: the driver has kernels of this kind
    {"my_memset_kernel(int*, int)", Origin::user, ""},
    // tricky: plain
    {"stencil_kernel(double*, double const*, int, int)", Origin::user, ""},
    // tricky: an FFT of one's own
    {"_Z10fft_radix2P6float2i", Origin::user, ""},
    // tricky: an extension with PyTorch's types
    {"void my_project::layer_norm_kernel<c10::BFloat16>(c10::BFloat16*, c10::BFloat16 const*, int)",
     Origin::user, ""},
});

}  // namespace coalescope::analysis
