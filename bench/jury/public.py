"""Public code, held out until 2026-11-23 and open since: rules may be tuned on it."""
from jury.labels import Case

LLM_C = "karpathy/llm.c dev/cuda/"
HECBENCH = "zjin-lcf/HeCBench src/"
BLOG = "NVIDIA-developer-blog/code-samples "
BLOG_COMMIT = "@72d62ec464442786a36754508bcb1094d197d6a5: "
SAMPLES = "NVIDIA/cuda-samples Samples/"
SAMPLES_COMMIT = "@c94ff366aed18c797b8a85dfaac7817b0228b420: "

FAULTS = (
    Case("bias_gradient", "column sums", "cuda", ("G01",), "bias_gradient_by_column",
         "The lanes of a warp read one column of a row-major matrix, 4 KB apart; let neighbouring lanes take neighbouring "
         "columns and sum along the rows.",
         LLM_C + "matmul_backward_bias.cu@55fbd7e6adb78e3e2c46afe416852f8004e14881: adds a kernel whose warps read rows and "
         "that adds up in shared memory"),
    Case("softmax_backward", "attention, softmax backward", "cuda", ("G01",), "scores_gradient_by_thread",
         "Each lane walks along its own row of scores, so a warp reads 32 rows at once; give a row to a warp.",
         LLM_C + "attention_backward.cu@e278112c1949d7f1b2f0f8ececa3e812c354b058: gives a warp to each key and reads rows "
         "in order", underfilled=True),
    Case("layernorm_forward", "layer norm", "cuda", ("G01",), "layernorm_by_thread",
         "Each lane walks along its own row of 3 KB, in 64 blocks; give a row to a warp, 16 bytes a lane.",
         LLM_C + "layernorm_forward.cu@f1e2ace651495b74ae22d45d1723443fd00ecd3a: kernel 1 (a thread a row) and kernel 3 (a "
         "warp a row)", underfilled=True),
    Case("layernorm_backward", "layer norm, gradients of parameters", "cuda", ("A01",), "layernorm_gradients_global",
         "Every row adds to the same 512 addresses with global atomics; add up in registers or shared memory and add once a "
         "block.",
         LLM_C + "layernorm_backward.cu@2752212151d1c38d38b64124eaf55e030336c90c: adds up weights and biases in shared "
         "memory first"),
    Case("sgemm_thread_order", "matrix product", "cuda", ("G01",), "sgemm_lane_per_row",
         "threadIdx.x runs over rows of row-major matrices, so the lanes read and write 4 KB apart; let it run over columns, "
         "with tiles in shared memory.",
         "siboehm/SGEMM_CUDA src/kernels/1_naive.cuh@60cba6f9b20a198116c76f18de8047f44df8c8b8: kernel 1, against kernels 2 "
         "and 3, which swap the roles of the lanes and add tiles"),
    Case("transpose_tile", "transpose 32 wide", "cuda", ("S01",), "transpose_tile_plain",
         "A warp reads a column of a tile with rows of 32 words, all in one bank; pad the rows to 33 words.",
         BLOG + "series/cuda-cpp/transpose/transpose.cu" + BLOG_COMMIT + "transposeCoalesced and transposeNoBankConflicts"),
    Case("copy_permuted", "permutation of halves", "cuda", ("G01",), "copy_scalar",
         "Neighbouring lanes read halves that lie a row apart; move tiles through shared memory.",
         "ggml-org/llama.cpp ggml/src/ggml-cuda/cpy.cu@0f8e4e97541ee8586f0c68abc86377d85e47af89: pull request 16841 copies "
         "transposed tensors by tiles"),
    Case("axhelm", "spectral elements", "cuda", ("S01",), "helmholtz_plain",
         "Rows of 8 doubles in shared memory: lanes that read a column of them share two groups of banks; pad the rows to 9 "
         "doubles.",
         "ExtremeFLOW/neko src/math/bcknd/device/cuda/ax_helm_kernel.h@00be21dd0ff1961bf8f959500eeb04ea9655b443: pull request "
         "550 pads the arrays in shared memory for 8 points"),
    Case("noise_table", "random numbers with a table", "cuda", ("S01",), "noise_table_by_thread",
         "Each thread's table of 16 words is contiguous in shared memory, so the lanes' words share two banks; let "
         "neighbouring threads have neighbouring words of an entry.",
         HECBENCH + "urng-cuda/kernel.cu@4daca1e508b7359f970a210af8c2c901161780ce: changes the index of the table in shared "
         "memory"),
    Case("block_transform", "compression", "cuda", ("L01",), "transform_stored_order",
         "An array of a thread is indexed by a table in constant memory, so it lives in local memory; make the table known "
         "to the compiler.",
         "LLNL/zfp src/cuda_zfp@76112759211e0593ee4bf96ebfbd5e7f3963a357: lets the compiler see the table of the permutation "
         "instead of constant memory"),
    Case("kmeans_features", "clustering", "cuda", ("G01",), "assign_point_major",
         "The features of a point are contiguous, so the lanes read 136 bytes apart; store feature by feature.",
         "yuhc/gpu-rodinia cuda/kmeans/kmeans_cuda_kernel.cu@9c10d3ea16ddba2ba057cc3951a9efc4c2cc18a4: invert_mapping turns "
         "the features round before the kernel"),
    Case("lattice_boltzmann", "lattice Boltzmann", "cuda", ("G01",), "stream_cell_major",
         "The 19 populations of a cell are contiguous, so the lanes read and write 76 bytes apart; store direction by "
         "direction.",
         "ProjectPhysX/FluidX3D src/kernel.cpp@f9aba8b3c62bcf9991792166f8dfe95f7c2420ae: index_f, with the layout by "
         "direction and a note on what it gains"),
    Case("particle_drift", "particle records of 72 bytes", "cuda", ("G01",), "drift_records",
         "The kernel reads and writes members of records of 72 bytes; store member by member.",
         "BLAST-ImpactX/impactx src/particles/elements/Drift.H@68bb406bd3678f9888236240be64ecd4f12f1fec: pull request 348 "
         "moves the particles from records to arrays"),
    Case("histogram_global", "histogram", "cuda", ("A01",), "histogram_in_global",
         "All threads count in 1024 words of global memory with atomics; count in shared memory and add once a block.",
         "rapidsai/cuml cpp/src_prims/stats/histogram.cuh@0056a00374cf7b76ad2206d6a399ff465bcff4b9: kernels with atomics in "
         "global and in shared memory"),
    Case("upload_pageable", "upload and reduction", "cuda", ("T01",), "host to device",
         "64 MB come from ordinary memory each round; allocate it pinned.",
         BLOG + "series/cuda-cpp/optimize-data-transfers/bandwidthtest.cu" + BLOG_COMMIT + "pageable and pinned transfers"),
    Case("overlap_chunks", "upload, compute, download", "cuda", ("T04",), "copies and kernels",
         "Upload, kernel and download take turns in one stream; cut the work into chunks in several streams.",
         BLOG + "series/cuda-cpp/overlap-data-transfers/async.cu" + BLOG_COMMIT + "sequential and asynchronous transfers"),
    Case("managed_input", "managed memory", "cuda", ("U01", "U02"), "add_input|managed",
         "The host writes managed memory that the kernel then reads, so its pages move by faults, there and back, each round; "
         "write pinned memory and copy it, or prefetch.",
         HECBENCH + "prefetch-cuda/main.cu@f27000a5188f8ac79bd43fc95a1b3f890c18823d: managed arrays that the host writes and a "
         "kernel adds, without and with prefetch"),
    Case("zerocopy_operand", "mapped host memory", "cuda", ("Z01",), "add_mapped",
         "The kernel reads the same 32 MB of the host over the bus each round; copy them to the device once.",
         SAMPLES + "0_Introduction/simpleZeroCopy" + SAMPLES_COMMIT + "a sum of mapped vectors; vectorAdd: the same with "
         "copies"),
    Case("csr_rows", "sparse matrix times vector", "cuda", ("G01",), "spmv_thread_per_row",
         "Each lane walks along its own row of about 128 entries, so a warp reads 512 bytes apart; give a row to a warp.",
         HECBENCH + "simpleSpmv-cuda/kernels.cu@f27000a5188f8ac79bd43fc95a1b3f890c18823d: mv_csr and vector_mv_csr"),
    Case("derivative_y", "finite differences along y", "cuda", ("G01",), "derivative_narrow",
         "A block is 4 words wide, so each row of it wants half of a sector; make it 32 wide.",
         BLOG + "series/cuda-cpp/finite-difference/finite-difference.cu" + BLOG_COMMIT + "derivative_y with small and large "
         "pencils"),
    Case("yuv_to_rgb16", "video, 16 bits a channel", "cuda", ("G01", "G04"), "rgb_of_pixel",
         "Each thread stores three times 2 bytes, 6 bytes apart, and reads 2 bytes at a time; take 2 x 2 pixels a thread and "
         "store whole words in order.",
         "meta-pytorch/torchcodec src/torchcodec/_core/P016ToRGB16.cu@54f59970ef2e3a0aca9c0d77e0f201c1f8e2959e: pull request "
         "1459 takes 2 x 2 pixels a thread and reads and writes pairs"),
    Case("popcount_table", "bit counts by a table", "cuda", ("C01",), "popcount_lookup",
         "The lanes look up different bytes of a table in constant memory, one after the other; use __popcll, or a table "
         "in shared memory.",
         HECBENCH + "popcount-cuda/main.cu@f27000a5188f8ac79bd43fc95a1b3f890c18823d: kernel 5 (table) and kernel 6 "
         "(instruction)"),
    Case("torch_clip_gradients", "gradient clipping", "torch", ("T02", "T03"), r"item|cudaMemcpyAsync|memcpy",
         "200 norms of 4 bytes come to the host one by one, and the GPU idles meanwhile; keep the norms on the device.",
         "pytorch/pytorch torch/nn/utils/clip_grad.py@01a57d87bd4826d1f528b2dc47360a8087b34f5a: after issues 31474 and 60691 "
         "no norm comes to the host"),
    Case("torch_transpose_bytes", "transpose of bytes", "torch", ("G01",), r"direct_copy|elementwise_kernel|copy",
         "contiguous() of a transposed matrix of bytes reads a byte from each of 32 rows a warp; move tiles, or keep the "
         "matrix in the order that it is read in.",
         "pytorch/pytorch issue 113560: t().contiguous() of 8-bit elements, and the same compiled, 9 times as fast"),
    Case("torch_mixed_formats", "residual sum of tensors", "torch", ("G01",), r"elementwise_kernel|CUDAFunctor_add|add",
         "The operands differ in memory format, so the lanes read one of them 1 KB apart; give both the same format.",
         "pytorch/pytorch issue 45604: pointwise kernels on channels-last tensors that they take for contiguous"),
    Case("torch_group_sums", "sums of groups", "torch", ("A01",), r"index_?[aA]dd|indexFunc|scatter",
         "41 million atomics go to 4096 addresses; multiply by the matrix of memberships, or reduce in blocks first.",
         "pytorch/pytorch aten/src/ATen/native/cuda/Indexing.cu@d4c718120da900f5121cb784e91cf52fa0b02359: index_add, which "
         "pull request 76996 measured with few groups"),
    Case("cupy_take_columns", "embedding", "cupy", ("G05", "G01"), r"take",
         "An item's vector is a column of the table, so each lane's word lies elsewhere; store the table with a row for "
         "each item.",
         "PaddlePaddle/PaddleCustomDevice backends/npu/kernels/gather_kernel.cc@004e86bbf3f67d39606f2f3f12c0b79defc1d8e1: pull "
         "request 1212 transposes before a gather along the last axis (of another accelerator)"),
    Case("triton_column_logsumexp", "reduction of columns", "triton", ("G01",), r"logsumexp_of_column\b",
         "A program reads one column, 512 KB a step; let it read 64 neighbouring columns at a time.",
         "triton-lang/triton issue 949: the shape of the tile decides whether loads are coalesced; flagos-ai/FlagGems "
         "src/flag_gems/ops/softmax.py@08ea6dfc373b287c6756f95d73a53331860b5d13: turns the axis round before it reduces"),
    Case("cupy_round_trip", "density of orbitals", "cupy", ("T05",), r"asarray|cudaMemcpy|memcpy",
         "The density goes to the host and comes back unchanged; leave it on the device.",
         "pyscf/gpu4pyscf pull request 810: takes out round trips through the host"),
)


def clean(name: str, kind: str, source: str, language: str = "cuda") -> Case:
    return Case(name, kind, language, (), "", "Nothing.", source)


CLEAN = (
    clean("nbody_shared", "n-body", SAMPLES + "5_Domain_Specific/nbody" + SAMPLES_COMMIT + "tiles in shared memory"),
    clean("reduce_sum", "reduction",
          SAMPLES + "2_Concepts_and_Techniques/reduction" + SAMPLES_COMMIT + "the last kernels, with shuffles"),
    clean("cub_scan", "scan", "NVIDIA/cccl cub/examples/device/example_device_scan.cu@"
          "1f3e94f1628d6bc8518c4c30598195cb9455f0d7: as it is"),
    clean("cub_sort", "radix sort", "NVIDIA/cccl cub/examples/device/example_device_radix_sort.cu@"
          "dac1a9a85f0c7d62c034f8b76590c3e62cd26d2d: as it is"),
    clean("thrust_polar", "polar coordinates", "NVIDIA/cccl thrust/examples/saxpy.cu@"
          "aa634f2c85f791968bb27690c29c8afe6f9cd163: one transformation"),
    clean("cufft_filter", "Fourier filter", SAMPLES + "4_CUDA_Libraries/simpleCUFFT" + SAMPLES_COMMIT + "in batches"),
    clean("convolution_separable", "separable convolution",
          SAMPLES + "2_Concepts_and_Techniques/convolutionSeparable" + SAMPLES_COMMIT + "tiles with halos"),
    clean("softmax_rows", "softmax", LLM_C + "softmax_forward.cu@f1e2ace651495b74ae22d45d1723443fd00ecd3a: the kernels with "
          "an online sum"),
    clean("embedding_forward", "embedding", LLM_C + "encoder_forward.cu@f1e2ace651495b74ae22d45d1723443fd00ecd3a: kernel 3"),
    clean("adamw_step", "optimiser", LLM_C + "adamw.cu@f1e2ace651495b74ae22d45d1723443fd00ecd3a: kernel 2"),
    clean("stencil_marching", "stencil in three dimensions",
          SAMPLES + "5_Domain_Specific/FDTD3d" + SAMPLES_COMMIT + "planes in shared memory, the march in registers"),
    clean("quantised_matvec", "quantised matrix times vector", "ggml-org/llama.cpp ggml/src/ggml-cuda/mmvq.cu@"
          "378ab5fd9000e6193ce957a81ee4c6e370c01e72: dot products of four bytes at a time"),
    clean("option_lattice", "binomial lattice",
          SAMPLES + "5_Domain_Specific/binomialOptions" + SAMPLES_COMMIT + "a block an option"),
    clean("torch_encoder_layer", "transformer layer",
          "karpathy/nanoGPT model.py@04a1d697ddc57aadb2edbe95816bf86c6b8918b0: fused attention", "torch"),
    clean("torch_channels_last", "convolutions", "pytorch/tutorials intermediate_source/memory_format_tutorial.py@"
          "2286ae10745d598389338a3555a3090c37572cfe: one memory format throughout", "torch"),
    clean("triton_row_softmax", "softmax", "triton-lang/triton python/tutorials/02-fused-softmax.py@"
          "fd237c7cf9a7262f32fedbaa5027ab2736ead134: a program a row", "triton"),
    clean("cupy_black_scholes", "option prices", "cupy/cupy examples/finance/black_scholes.py@"
          "9cadaa28aa3f49e05409cad31e86d6082e7de11d: one fused kernel", "cupy"),
    clean("jax_classifier_step", "training of a classifier", "jax-ml/jax examples/mnist_classifier_fromscratch.py@"
          "6aa8f2461cd68cd93d3f29a3b53149ce626b6900: a compiled step", "jax"),
)

CASES = FAULTS + CLEAN
