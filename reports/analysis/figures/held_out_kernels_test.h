#pragma once
// Names as in real_kernels_test.h that the rules were not written from.

#include "reports/analysis/figures/real_kernels_test.h"

namespace coalescope::analysis {

// Held out: drawn by lot before the rules were written, and looked at once they were.
inline constexpr auto kHeldOutKernels = std::to_array<RealKernel>({
    // bench/real/gpt.py on an H100
    {"_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocastIZZZNS0_23direct_copy_kernel_"
     "cudaERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE2_clEvEUllE_EEvS4_RKT_EUliE_EEviT1_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN2at6native43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6322cunn_SoftMaxForwardRegIN3c108BFloat16EfS4_"
     "NS1_25LogSoftMaxForwardEpilogueElLi8EEEvPT1_PKT_T3_",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN14at_cuda_detail3cub6detail13unique_by_key28DeviceUniqueByKeySweepKernelINS2_10policy_"
     "hubIliE10Policy1000EPKlN6thrust45THRUST_300001_SM_750_800_860_900_1000_1200_NS17counting_iteratorIiNSA_"
     "11use_defaultESC_SC_EEPlSE_SE_NS0_13ScanTileStateIyLb1EEEN4cuda3std3__48equal_toIvEEyNS2_"
     "11VSMemHelperEEEvT0_T1_T2_T3_T4_T5_T6_T7_iNS1_7vsmem_tE",
     Origin::library, "PyTorch ATen"},
    // bench/real/gpt.py on an H100
    {"_ZN14at_cuda_detail3cub6detail4scan16DeviceScanKernelINS2_10policy_hubIllljN2at4cuda3cub38_GLOBAL__N__"
     "5e798be1_6_cub_cu_8a0ccfeb5SumOpIlEEE10Policy1000EPKlPlNS0_13ScanTileStateIlLb1EEESA_NS1_"
     "10InputValueIlSF_EEjlLb0ElEEvT0_T1_T2_iT3_T4_T5_",
     Origin::library, "PyTorch ATen"},
    // tests/fixtures/recorded/torch.coal
    {"_ZN2at6native54_GLOBAL__N__d8ceb000_21_DistributionNormal_cu_0c5b6e8543distribution_elementwise_grid_"
     "stride_kernelIfLi4EZNS0_9templates4cuda20normal_and_transformIffPNS_17CUDAGeneratorImplEZZZNS4_"
     "13normal_kernelIS7_EEvRKNS_10TensorBaseEddT_ENKUlvE_clEvENKUlvE0_clEvEUlfE_EEvRNS_"
     "18TensorIteratorBaseET1_T2_EUlP24curandStatePhilox4_32_10E0_ZNS1_27distribution_nullary_"
     "kernelIff6float4S7_SM_SF_EEvSH_SJ_RKT3_T4_EUlifE_EEvlNS_15PhiloxCudaStateESI_SJ_",
     Origin::library, "PyTorch ATen"},
    // figures/names_test.cpp
    {"_ZN12_GLOBAL__N_120softmax_warp_forwardIfffLi8ELb0ELb0EEEvPT0_PKT_iiiPKbib", Origin::library,
     "PyTorch ATen"},
    // cutlass#2286
    {"cutlass_75_tensorop_bf16_s1688gemm_bf16_256x128_nn_align1", Origin::library, "cuBLAS"},
    // TensorFlow trace
    {"ampere_cgemm_32x32_tn", Origin::library, "cuBLAS"},
    // TensorFlow trace
    {"void dgrad2d_grouped_direct_kernel<float, float, float, true, 0, 0, "
     "(cudnnTensorFormat_t)0>(cudnnTensorStruct, float const*, cudnnFilterStruct, float const*, "
     "cudnnConvolutionStruct, cudnnTensorStruct, float*, float, float, cudnn::reduced_divisor, "
     "cudnn::reduced_divisor)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"ampere_scudnn_128x32_stridedB_splitK_xregs_large_nn_v1", Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void cudnn::detail::dgrad_engine<float, 128, 6, 7, 3, 3, 5, false>(int, int, int, float const*, int, "
     "float const*, int, float*, kernel_grad_params, unsigned long long, int, unsigned long long, int, "
     "float, int, int, int)",
     Origin::library, "cuDNN"},
    // TensorFlow trace
    {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(cudnnTensorStruct, float const*, "
     "cudnnTensorStruct, float*, float const*, float const*, float, float, float*, float*, float*, float*, "
     "float, float)",
     Origin::library, "cuDNN"},
    // TensorFlow trace, shortened
    {"void "
     "xmma_cudnn::gemm::kernel<xmma_cudnn::implicit_gemm::wgrad_indexed::Kernel_traits<xmma_cudnn::Ampere_"
     "hmma_fp32_traits, xmma_cudnn::Cta_tile<xmma_cudnn::Ampere, 256, 128, 32, 4, 2, 1, 1>, false, 3> "
     ">(xmma_cudnn::implicit_gemm::wgrad_indexed::Kernel_traits<xmma_cudnn::Ampere_hmma_fp32_traits, "
     "xmma_cudnn::Cta_tile<xmma_cudnn::Ampere, 256, 128, 32, 4, 2, 1, 1>, false, 3>::Params)",
     Origin::library, "cuDNN"},
    // PyTorch profiler of gsplat
    {"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, false, "
     "long, int, int, int>(int*, int*, int*, int const*, long*, long const*, int*, int const*, int, int, "
     "int)",
     Origin::library, "CUB"},
    // nvprof of a page rank
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__scan::ScanAgent<int*, int*, "
     "thrust::plus<int>, int, int, thrust::detail::integral_constant<bool, false> >, int*, int*, "
     "thrust::plus<int>, int, thrust::cuda_cub::cub::ScanTileState<int, true>, "
     "thrust::cuda_cub::__scan::AddInitToExclusiveScan<int, thrust::plus<int> > >(int*, int*, "
     "thrust::plus<int>, int, thrust::cuda_cub::cub::ScanTileState<int, true>, "
     "thrust::cuda_cub::__scan::AddInitToExclusiveScan<int, thrust::plus<int> >)",
     Origin::library, "Thrust"},
    // a stub file of nvcc
    {"_ZN6thrust8cuda_cub4core13_kernel_agentINS0_14__parallel_for16ParallelForAgentINS0_20__uninitialized_"
     "fill7functorINS_10device_ptrIfEEfEEmEES9_mEEvT0_T1_",
     Origin::library, "Thrust"},
    // nsys of a graph network
    {"void cusparse::csrmm_v2_kernel<cusparse::CsrMMPolicy<int, float, float, float>, true, false, false, "
     "int, int, int, int, float, float, float>(int, int, int, int, int, int, cusparse::KernelCoeffs<float>, "
     "int, int, int const*, int const*, int const*, float const*, long, float const*, int, long, float*, "
     "int, long)",
     Origin::library, "cuSPARSE"},
    // nsys of a graph network
    {"void cusparse::matrix_scalar_multiply_kernel<cusparse::MatrixWiseMulPolicy, true, long, float, "
     "float>(long, long, long, cusparse::KernelCoeff<float>, float*)",
     Origin::library, "cuSPARSE"},
    // nvprof of a course exercise
    {"void generate_seed_pseudo<rng_config<curandStateXORWOW, (curandOrdering)101> >(unsigned long long, "
     "unsigned long long, unsigned long long, curandOrdering, curandStateXORWOW*, unsigned int*)",
     Origin::library, "cuRAND"},
    // nvbit_tools#1
    {"_ZN10tensorflow7functor28FillPhiloxRandomKernelLaunchINS_6random18NormalDistributionINS2_"
     "12PhiloxRandomEfEEEEvS4_PNT_17ResultElementTypeExS6_",
     Origin::library, "TensorFlow"},
    // cuml#3128, completed
    {"void ML::DT::computeSplitKernel<float, float, int, 128, ML::DT::GiniObjectiveFunction<float, int, int> "
     ">(ML::DT::CountBin*, int, int, int)",
     Origin::library, "RAPIDS"},
    // nsys of a compiled graph network
    {"triton__0d1d2d3d4d", Origin::generated, "torch.compile"},
    // an XLA dump of jit_transpose
    {"wrapped_transpose", Origin::generated, "XLA"},
    // an XLA dump, completed
    {"fusion_117", Origin::generated, "XLA"},
    // cupy#5551, completed
    {"cupyx_scipy_ndimage_spline_filter_2d_ord3_axis0_mirror", Origin::generated, "CuPy"},
    // stumpy#64, parameters cut
    {"cudapy::stumpy::gpu_stump::_compute_and_update_PI_kernel$244(long, Array<double, 1, A, mutable, "
     "aligned>, Array<double, 1, A, mutable, aligned>, long)",
     Origin::generated, "Numba"},
    // numba#2164
    {"cudaPy_prog_2E_util_2E_cuda_5F_methods_2E_awesome_5F_kernel_5F_gpu_24_51_2E_array_28_float64_2C__20_1d_"
     "2C__20_A_29_",
     Origin::generated, "Numba"},
    // TensorFlow trace
    {"redzone_checker", Origin::tool, "XLA autotuning"},
    // CUDA samples
    {"_Z7reduce6IiLj512ELb1EEvPT_S1_j", Origin::user, ""},
    // bench/real/wavefront.cu
    {"_ZN41_GLOBAL__N__85cd9700_12_wavefront_cu_main12align_skewedEPiPKcS2_iii", Origin::user, ""},
    // CUDA samples, completed
    {"FiniteDifferencesKernel(float*, float const*, int, int, int)", Origin::user, ""},
    // nvprof of a ray tracer
    {"render(vec3*, int, int, int, camera**, hittable**, curandStateXORWOW*)", Origin::user, ""},
    // nvprof of an OpenMP program
    {"__omp_offloading_10305_40788d_main_l29", Origin::user, ""},
    // AWP-ODC, completed
    {"void dtopo_vel_111_split1<1, 2, 4>(float*, float*)", Origin::user, ""},
    // tricky: begins like sm80_xmma
    {"sm_update(float*, int)", Origin::user, ""},
    // tricky: a namespace that ATen has, too
    {"native::relu_kernel(float*, int)", Origin::user, ""},
    // BabelStream; cuBLAS has the name, too
    {"void dot_kernel<256>(double const*, double const*, double*, int)", Origin::user, ""},
    // BabelStream
    {"triad_kernel(double*, double const*, double const*)", Origin::user, ""},
    // tricky: XLA has kernels of this kind
    {"delay_kernel(long)", Origin::user, ""},
    // meshmode#103
    {"multiply", Origin::user, ""},
});

// Collected after the rules were written, from sources that were not read before.
inline constexpr auto kLaterKernels = std::to_array<RealKernel>({
    // TensorFlow trace of a YOLO
    {"cask_cudnn::computeOffsetsKernel(cask_cudnn::ComputeOffsetsParams)", Origin::library, "cuDNN"},
    // TensorFlow trace of a YOLO
    {"void cudnn::winograd::generateWinogradTilesKernel<1, float, "
     "float>(cudnn::winograd::GenerateWinogradTilesParams<float, float>)",
     Origin::library, "cuDNN"},
    // TensorFlow trace of a YOLO
    {"void tensorflow::functor::RowReduceKernel<float const*, float*, cub::Sum>(float const*, float*, int, "
     "int, cub::Sum, std::iterator_traits<float const*>::value_type)",
     Origin::library, "TensorFlow"},
    // TensorFlow trace of a YOLO
    {"void tensorflow::functor::ShuffleInTensor3Simple<float, 2, 1, 0, false>(int, float const*, "
     "tensorflow::functor::Dimension<3>, float*)",
     Origin::library, "TensorFlow"},
    // TensorFlow trace of a YOLO
    {"void "
     "Eigen::internal::EigenMetaKernel<Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorSlicingOp<"
     "Eigen::array<int, 2ul> const, Eigen::array<int, 2ul> const, Eigen::TensorMap<Eigen::Tensor<float, 2, "
     "1, int>, 16, Eigen::MakePointer> >, Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16, "
     "Eigen::MakePointer> const> const, Eigen::GpuDevice>, "
     "int>(Eigen::TensorEvaluator<Eigen::TensorAssignOp<Eigen::TensorSlicingOp<Eigen::array<int, 2ul> const, "
     "Eigen::array<int, 2ul> const, Eigen::TensorMap<Eigen::Tensor<float, 2, 1, int>, 16, "
     "Eigen::MakePointer> >, Eigen::TensorMap<Eigen::Tensor<float const, 2, 1, int>, 16, Eigen::MakePointer> "
     "const> const, Eigen::GpuDevice>, int)",
     Origin::library, "Eigen"},
    // nsys of vLLM on two GPUs, completed
    {"void marlin::awq_marlin_repack_kernel<256, 4, false>(unsigned int const*, unsigned int*, int, int)",
     Origin::library, "Marlin"},
    // nsys of vLLM on two GPUs, completed
    {"void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*, vllm::RankSignals, vllm::Signal*, "
     "__half*, int, int)",
     Origin::library, "vLLM"},
    // nsys of vLLM on two GPUs
    {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Origin::library, "NCCL"},
    // nsys of vLLM on two GPUs
    {"void "
     "cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_relu_f16_128x256_32x3_tn_align8>(cutlass_80_"
     "tensorop_f16_s16816gemm_relu_f16_128x256_32x3_tn_align8::Params)",
     Origin::library, "cuBLAS"},
    // nsys of vLLM on two GPUs
    {"void "
     "cutlass::Kernel2<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8>(cutlass_80_wmma_"
     "tensorop_f16_s161616gemm_f16_16x16_128x2_tn_align8::Params)",
     Origin::library, "cuBLAS"},
    // nsys of vLLM on two GPUs
    {"triton_red_fused__to_copy_add_marlin_gemm_mean_mul_pow_rsqrt_2", Origin::generated, "torch.compile"},
    // nsys of vLLM on two GPUs
    {"triton_poi_fused_marlin_gemm_mul_silu_slice_1", Origin::generated, "torch.compile"},
    // nsys of vLLM on two GPUs
    {"triton_poi_fused_3", Origin::generated, "torch.compile"},
    // nsys of vLLM on two GPUs
    {"triton_", Origin::generated, "torch.compile"},
    // nsys of vLLM on two GPUs, completed
    {"at::native::(anonymous namespace)::fill_reverse_indices_kernel(long*, int, "
     "at::cuda::detail::IntDivider<unsigned int>)",
     Origin::library, "PyTorch ATen"},
    // nsys of vLLM on two GPUs, completed
    {"void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(float*, float const*, "
     "unsigned int, unsigned int, unsigned int, float, std::plus<float>)",
     Origin::library, "PyTorch ATen"},
    // nsys of vLLM on two GPUs, completed
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, "
     "unsigned int, long, 4, 4> >(at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, "
     "long, 4, 4>)",
     Origin::library, "PyTorch ATen"},
    // AI-Infra-Auto-Driven-SKILLS#1, completed
    {"void at::native::sbtopk::gatherTopK<c10::BFloat16, unsigned int, 2, "
     "false>(at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, unsigned int, unsigned int, "
     "bool)",
     Origin::library, "PyTorch ATen"},
    // AI-Infra-Auto-Driven-SKILLS#1, completed
    {"void sglang::cross_device_reduce_1stage<__nv_bfloat16, 2>(sglang::RankData*, sglang::RankSignals, "
     "sglang::Signal*, __nv_bfloat16*, int, int)",
     Origin::library, "SGLang"},
    // sglang#14544, parameters cut
    {"void flashinfer::sampling::OnlineSoftmaxMapKernel<1024u, float>(float*, float*)", Origin::library,
     "FlashInfer"},
    // sglang#22440
    {"nvjet_tst_512x8_64x3_2x1_v_bz_TNT", Origin::library, "cuBLAS"},
    // sglang#22440
    {"_matmul_ogs_NNT_bf16xbf16xmxfp4_16x256x128x1_swiglu", Origin::generated, "Triton"},
    // nvprof of a transitive closure
    {"void thrust::cuda_cub::core::_kernel_agent<thrust::cuda_cub::__unique::UniqueAgent<Entity*, Entity*, "
     "is_equal, int, int*>, Entity*, Entity*, is_equal, int*, int, cub::ScanTileState<int, true>, unsigned "
     "long>(Entity*, Entity*, is_equal, int*, int, cub::ScanTileState<int, true>, unsigned long)",
     Origin::library, "Thrust"},
    // nvprof of a transitive closure
    {"void cub::DeviceScanInitKernel<cub::ScanTileState<int, true> >(cub::ScanTileState<int, true>, int)",
     Origin::library, "CUB"},
    // nvprof of a transitive closure
    {"get_join_result_size(Entity*, long, int*, long, int, int*)", Origin::user, ""},
    // nvprof of a transitive closure
    {"build_hash_table(Entity*, long, int*, long, int)", Origin::user, ""},
    // nvprof of a course exercise
    {"gpuRecursiveReduceNosync(int*, int*, unsigned int)", Origin::user, ""},
    // nvprof of a digit classifier
    {"kMultiplyWithSharedMemory(float*, int, int, float*, int, int, float*)", Origin::user, ""},
    // nvprof of a digit classifier
    {"kSoftMaxCrossEntropyLoss(float*, int, int, float*, float*)", Origin::user, ""},
    // nvprof of a book's example
    {"setColReadCol(int*)", Origin::user, ""},
    // nvprof of a tutorial
    {"reduce_shfl(float const*, float*, int)", Origin::user, ""},
    // nvprof of a Jacobi solver
    {"JacobiComputeKernel(double const*, double*, int4, int, double*)", Origin::user, ""},
    // nvprof of a Jacobi solver
    {"HaloToBufferKernel(double*, double const*, double const*, int2, int, int)", Origin::user, ""},
    // Rodinia
    {"srad_cuda_1(float*, float*, float*, float*, float*, float*, int, int, float)", Origin::user, ""},
    // nvprof of a Rust program
    {"sum", Origin::user, ""},
    // nvprof of an OpenMP program
    {"__omp_offloading_2e_20895b0f__ZN7maptestIdE3runEv_l51", Origin::user, ""},
    // nvprof of ZPIC
    {"_move_deposit_kernel_b(ParticlesTile const*, int2*, float2*, float3*, float3*, unsigned int, uint2, "
     "float2, float, float2)",
     Origin::user, ""},
    // nvprof of ZPIC
    {"void _bnd_out_r1<(coord::cart)0>(int, ParticlesTile*, int2*, float2*, float3*, ParticlesTile*, int2*, "
     "float2*, float3*)",
     Origin::user, ""},
    // sglang#14544: llama.cpp's, by now of many programs
    {"mul_mat_q2_K", Origin::user, ""},
    // nvprof of a course exercise
    {"convertSpecialUpperToLowerCase(char*, char*, int, unsigned int)", Origin::user, ""},
});

}  // namespace coalescope::analysis
