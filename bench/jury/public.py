"""Public code that was held out until 2026-11-23 and is open since: rules may be tuned on it. See public.md."""
from jury.labels import Case, clean, fault

LLM_C = "karpathy/llm.c dev/cuda/"
HECBENCH = "zjin-lcf/HeCBench src/"
BLOG = "NVIDIA-developer-blog/code-samples "
BLOG_COMMIT = "@72d62ec464442786a36754508bcb1094d197d6a5: "
SAMPLES = "NVIDIA/cuda-samples Samples/"
SAMPLES_COMMIT = "@c94ff366aed18c797b8a85dfaac7817b0228b420: "

G01 = ("G01",)

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
    Case("torch_clip_gradients", "gradient clipping", "torch", ("T02", "T03"), "",
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
    Case("cupy_round_trip", "density of orbitals", "cupy", ("T05",), "",
         "The density goes to the host and comes back unchanged; leave it on the device.",
         "pyscf/gpu4pyscf pull request 810: takes out round trips through the host"),
    fault("neighbour_lists", "molecular dynamics, neighbour lists", G01, "forces_atom_major",
          "The list of an atom is contiguous, so the lanes read 128 bytes apart; store the lists neighbour by neighbour.",
          "lammps/lammps pull request 3187: an option to store the lists of neighbours transposed on GPUs"),
    fault("rng_states", "random number generators", G01, "draw_records",
          "The state of a generator is a record of 48 bytes, so the lanes read and write 48 bytes apart; store the states "
          "word by word.",
          "pangenome/odgi src/cuda/layout.h@237fc1b07ffa7d2590a08f960b79f0f01b6fef1e: curandStateXORWOWCoalesced_t keeps "
          "the states word by word, instead of an array of curandState"),
    fault("cable_matrices", "tridiagonal systems, one a thread", G01, "solve_cell_major",
          "The compartments of a cell are contiguous, so the lanes read and write 2 KB apart; interleave the cells' systems.",
          "arbor-sim/arbor issue 185: interleaved storage of the matrices and vectors, a thread a matrix", underfilled=True),
    fault("pool_channels_last", "max pooling, channels last", G01, "pool_along_pixels",
          "Neighbouring threads take neighbouring pixels of images whose channels lie side by side, 512 bytes apart; let "
          "them take neighbouring channels.",
          "pytorch/pytorch pull request 24872: kernels of max_pool2d for channels last, with threads along the channels"),
    fault("upsample_gradient", "enlargement of images, backwards", ("A01",), "gradient_by_atomics",
          "16 threads add to one pixel with atomics; let a thread gather the 16 values of its pixel.",
          "pytorch/pytorch pull request 21694: upsample_nearest backwards without atomicAdd"),
    fault("group_aggregates", "table, aggregates of groups", ("A01",), "aggregate_in_global",
          "All rows add to the sums and counts of 64 groups in global memory; aggregate in shared memory and add once a "
          "block.",
          "rapidsai/cudf issue 15262 and pull request 16619: aggregates of few groups in shared memory"),
    fault("case_conversion", "strings, capital letters", ("G01", "G04"), "capitals_by_string",
          "A thread goes through a string byte by byte, so the lanes read and write bytes 256 bytes apart; let neighbouring "
          "lanes take neighbouring bytes, several at once.",
          "rapidsai/cudf pull request 15441: case conversion of long strings in parallel within a string"),
    fault("spin_energy", "energy of spins, one sum", ("A01",), "energy_by_atomics",
          "Every thread adds to one word with an atomic; reduce in warps and blocks first.",
          "spirit-code/spirit issue 80: sums by atomicAdd become parallel reductions (commit 08d912bc)"),
    fault("fp4_expand", "weights of 4 bits to halves", ("G04", "G01"), "expand_by_byte",
          "A thread loads one byte and stores two halves by themselves; take 8 weights a thread and store 16 bytes.",
          "microsoft/onnxruntime pull request 32128: 8 weights a thread in the expansion of NVFP4"),
    fault("offsets_on_host", "packing of records", ("T05", "T03"), "",
          "The lengths go to the host for their scan and the places come back, and the GPU idles meanwhile; scan on the "
          "device.",
          "rapidsai/cudf pull request 2706: the scan of the lengths of rows of CSV in device code"),
    fault("expert_uploads", "weights of experts, uploads", ("T02",), "",
          "256 copies of 24 KB each bring a layer; copy the layer at once.",
          "kekzl/imp pull request 1412: a whole layer per transfer instead of copies for each expert"),
    fault("feature_fetch", "graph, features of a batch", ("Z01",), "gather_mapped",
          "The kernel gathers from mapped memory of the host over the bus in each batch; keep the features on the device.",
          "dmlc/dgl pull request 4341: a cache of features on the GPU for what was read from pinned host memory"),
    fault("spike_flags", "spiking neurons, flags read by the host", ("U02", "U01"), "step_managed",
          "The host reads managed flags that the kernel writes, so their pages go to and fro in each step; copy the flags "
          "to pinned memory.",
          "genn-team/genn pull request 282: managed memory beside explicit copies, and why it costs more"),
    fault("csr_to_coo", "sparse matrix, rows of entries", G01, "repeat_by_row",
          "A thread writes all entries of a row, so the lanes write 8 KB apart, in 16 blocks; let a warp or more take a row.",
          "dmlc/dgl src/array/cuda/csr2coo.cu@e3a78fed49381dae6c2b2876d93d55b5f3dd523d: _RepeatKernel, as issue 3457 found "
          "it",
          underfilled=True),
    fault("fft_in_shared", "Fourier transform in shared memory", ("S01",), "transform_plain",
          "The bit-reversed places of a warp's points are 32 words apart and share a bank; pad the array after each 32 "
          "words.",
          "KAdamek/SMFFT issue 2: the reordering and its stride of 33; codeplaysoftware/portFFT pull request 12: padding"),
    fault("delta_decode", "decoding of differences", ("S01",), "decode_plain",
          "A thread's 16 words are contiguous in shared memory, so the lanes share two banks; pad after each 32 words.",
          "NVIDIA/cccl cub/cub/block/block_exchange.cuh@307f50b739736e4cee5ac272253fabe82baa0bd7: INSERT_PADDING"),
    fault("median_window", "median filter", ("L01",), "median_by_selection",
          "The window is an array that is indexed at run time, in local memory; sort by a network of fixed places, in "
          "registers.",
          "cupy/cupy pull request 3813: sorts in median_filter, and networks of 7 to 66 times the speed"),
    fault("nearest_lists", "nearest neighbours", ("L01",), "nearest_of_any_length",
          "The lists of a thread have a length known at run time only and lie in local memory; fix the length and unroll.",
          "facebookresearch/pytorch3d pytorch3d/csrc/knn/knn.cu@3fef5068955e3628948236e7eea7d98f4e37b11e: versions 0 to 3"),
    fault("cipher_tables", "block cipher with tables", ("C01",), "encrypt_by_constants",
          "The lanes look up different words of a table in constant memory, one after the other; keep copies of the table "
          "in shared memory.",
          "openwall/john pull requests 5613 and 5806: tables of AES in local (shared) memory, one copy for several threads"),
    fault("wide_update", "column-major arrays", G01, "update_across",
          "threadIdx.x counts the columns of column-major arrays, so the lanes lie 4 KB apart; let it count the rows.",
          "JuliaGPU/JACC.jl pull request 401: swaps the axes of a wide array only where the grid demands it"),
    fault("quadrature_jacobians", "finite elements, matrix-free", G01, "gradients_point_major",
          "The components of a point are contiguous, so the lanes read 72 and 24 bytes apart; store component by component.",
          "dealii/dealii pull request 18328: arrays of Portable::MatrixFree in the order of coalesced access"),
    fault("component_fractions", "reservoir, mixtures", G01, "fractions_cell_major",
          "The components of a cell are contiguous, so the lanes lie 64 bytes apart; store component by component.",
          "GEOS-DEV/GEOS pull request 1463: layouts of multiphase arrays for CUDA"),
    fault("crop_bytes", "images, crop", ("G04",), "slice_by_bytes",
          "A thread loads and stores one byte; take 4 bytes or more a thread.",
          "NVIDIA/DALI pull request 3568: several neighbouring bytes a thread in SliceGPU"),
    fault("field_gather", "particle in cell, field gather", ("G05", "G01"), "gather_unsorted",
          "The particles are in no order, so each lane fetches sectors of its own; sort the particles by cell.",
          "Hi-PACE/hipace issue 238: sorting accelerates gather and deposition, as in BLAST-WarpX/warpx pull request 739"),
    fault("l2_window", "table in an L2 window", ("R01", "R04"), "combine",
          "The window asks for 32 MB with hitRatio 1, while 16 MB were set aside, so its lines drive each other out; set "
          "hitRatio to the part that fits.",
          "dotsimulate/StreamDiffusion pull request 52: hitRatio computed from the working set and the clamped window"),
    fault("l2_leftover", "sweeps after an L2 window", ("R02", "R04"), "sweep",
          "The persisting lines of an earlier kernel stay, and the sweeps have the rest of L2 only; reset the persisting "
          "lines.",
          "dotsimulate/StreamDiffusion pull request 52: adds the missing cudaCtxResetPersistingL2Cache"),
    fault("torch_moe_masks", "mixture of experts", ("T02", "T03"), "",
          "For each expert the host waits three times for a few bytes, and the GPU idles; sort the tokens by expert on the "
          "device.",
          "jingyaogong/minimind issue 835 and pull request 837: one wait a layer instead of three for each expert", "torch"),
    fault("torch_sampling_on_host", "decoding, drawing of tokens", ("T03", "T05", "T01"),
          "",
          "The probabilities go to the host, which draws and sends the tokens back, and the GPU idles meanwhile; draw on "
          "the device.",
          "rasbt/reasoning-from-scratch issue 177: multinomial without .cpu(), 20 % faster", "torch"),
    fault("torch_same_stream_batches", "training input", ("T04",), "",
          "The copy of a batch and the step take turns in one stream; copy the next batch in a stream of its own.",
          "NVIDIA/apex issue 304: why data_prefetcher copies in a side stream", "torch"),
    fault("torch_channel_slices", "images, grey values", G01, r"elementwise|(?i:mul|add)",
          "A channel's values are 12 bytes apart, as the frames are only viewed with channels first; make them contiguous "
          "once.",
          "pytorch/vision issue 4199 and pull request 2483: contiguous tensors after the permutation of an image", "torch"),
    fault("cupy_basis_rows", "orthogonal vectors", G01, r"(?i)multiply|subtract|cupy",
          "A vector is a column of a matrix in C order, so the lanes lie 64 bytes apart; keep the matrix in Fortran order.",
          "cupy/cupy cupyx/scipy/sparse/linalg/_iterative.py@cedde93e4212f4c29ec2c996fd1c5ccbf53e3c2c: gmres has its basis "
          "with order='F'", "cupy"),
    fault("cupy_pageable_frames", "uploads of frames", ("T01",), "",
          "64 MB come from an ordinary array each round; keep it in pinned memory.",
          "cupy/cupy pull request 4870: NumPy arrays in pinned memory", "cupy"),
    fault("triton_expand_weights", "weights of 4 bits, turned round", ("G01", "G04"), r"expand_in_order",
          "Lanes that write neighbours read bytes 2 KB apart; take tiles, so that loads and stores are both contiguous.",
          "microsoft/onnxruntime pull request 31349: tiles in the expansion of packed MXFP4 and NVFP4 weights", "triton"),
    fault("triton_weight_gradient", "norm, gradient of weights", ("A01",), r"gradient_by_row",
          "16,384 programs add to each of 4096 words with atomics; let a program take many rows and leave partial sums.",
          "triton-lang/triton python/tutorials/05-layer-norm.py@545699290b851e70231ee3017481851170f1583d: partial sums in "
          "buffers; linkedin/Liger-Kernel src/liger_kernel/ops/rms_norm.py@43c5fe1bbfe72ddd8648cab7a5e470ab37158766: many "
          "rows a program",
          "triton"),
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
    clean("bilateral_texture", "bilateral filter", "opencv/opencv_contrib modules/cudaimgproc/src/cuda/bilateral_filter.cu@"
          "2ced97e8eba7b73c0d9776648fc6433debce76a5: pixels through a texture"),
    clean("pi_counter_based", "Monte Carlo, numbers from a counter",
          "pangenome/odgi pull request 599: Philox instead of states"),
    clean("rms_norm_vectors", "root mean square norm", "vllm-project/vllm csrc/layernorm_kernels.cu@"
          "c66917853995af6fb7c37c5f11501eb3f32ef4cf: 16 bytes a thread"),
    clean("rotary_pairs", "rotary embedding", "vllm-project/vllm csrc/pos_encoding_kernels.cu@"
          "320a622ec4d098f2da5d097930f4031517e7327b: pairs of the two halves of a head"),
    clean("dot_partial_sums", "dot product", "UoB-HPC/BabelStream src/cuda/CUDAStream.cu@"
          "f3801aeac259507bfc417436ab77c04fc7e4f476: dot, with a sum a block"),
    clean("row_filter_uniform", "filter of rows", "opencv/opencv_contrib modules/cudafilters/src/cuda/row_filter.hpp@"
          "eaff239d52300ba2d9b3315b199862977547ed58: weights in constant memory"),
    clean("brightness_bytes", "images, brightness", "NVIDIA/DALI dali/kernels/imgproc/pointwise/multiply_add_gpu.h@"
          "48304f48c9d51f01541a61f2ece942d200fce016: a multiplication and an addition a byte, here 16 a thread"),
    clean("cublas_strided_batches", "batched matrix products",
          "NVIDIA/CUDALibrarySamples cuBLAS/Extensions/GemmStridedBatchedEx@"
          "dd31287850a3fefe5b0e61f666115ef72c48a9b8: as it is"),
    clean("cusparse_spmm", "sparse times dense matrix", "NVIDIA/CUDALibrarySamples cuSPARSE/spmm_csr@"
          "59cdeac05f2df734783170ef15ff82be0c1b4c38: as it is, row-major"),
    clean("cub_select_flagged", "selection", "NVIDIA/cccl cub/examples/device/example_device_select_if.cu@"
          "fb6d503f45ce888181827991fe3432cd1e1009ae: as it is"),
    clean("cub_run_lengths", "run lengths", "NVIDIA/cccl thrust/examples/run_length_encoding.cu@"
          "49b533b646e33106b209d016c3962ef86e958149: the same by CUB"),
    clean("qubit_gate", "quantum state, one gate", "QuEST-Kit/QuEST QuEST/src/GPU/QuEST_gpu.cu@"
          "3ce6b30b09548b8525b655c26c68cd4858349520: a thread a pair of amplitudes"),
    clean("upload_double_buffer", "uploads beside kernels",
          "NVIDIA/cuvs pull request 230: kernels beside the copy of the next batch"),
    clean("managed_resident", "heat, managed memory",
          "xnd-project/cuda-benchmarks pull request 3: managed memory with prefetching"),
    clean("lu_interleaved", "batched LU of 8 x 8",
          "kokkos/kokkos-kernels batched/dense/impl/KokkosBatched_LU_Serial_Internal.hpp@"
          "9a5100a4b98acc72a95137462430c280b6b477c8: a matrix a thread, with interleaved storage"),
    clean("aggregate_features", "graph, sums over neighbours", "dmlc/dgl src/array/cuda/ge_spmm.cuh@"
          "3311299fd517729715a91d570cf1adfcde2f0582: lanes along the features"),
    clean("torch_lstm_training", "training of an LSTM", "pytorch/examples word_language_model/model.py@"
          "61176010ea6cfebc8127be8f965424d5f1838387: the library's layers", "torch"),
    clean("torch_fused_adam", "optimiser", "pytorch/pytorch torch/optim/adam.py@"
          "dc80ccded5385cca3e777472d64cfe3d874fad89: fused=True", "torch"),
    clean("torch_spectrogram", "spectrogram", "pytorch/audio src/torchaudio/functional/functional.py@"
          "b29b6ad97020c7ac98fdcad7c4d83492996322d0: stft of all recordings at once", "torch"),
    clean("cupy_monte_carlo", "option price, paths", "cupy/cupy examples/finance/monte_carlo.py@"
          "49ad994ad0e39c8ae0e238520bb90cc0f325abee: one kernel makes numbers and paths", "cupy"),
    clean("cupy_fft_poisson", "Poisson equation by transforms",
          "AMReX-Codes/amrex pull request 4202: solver by transforms", "cupy"),
    clean("triton_grouped_matmul", "matrix product", "triton-lang/triton python/tutorials/03-matrix-multiplication.py@"
          "7649d87cce6c12361bb9da234b9b227b2880b499: groups of tiles", "triton"),
    clean("triton_seeded_dropout", "dropout", "triton-lang/triton python/tutorials/04-low-memory-dropout.py@"
          "7fd4724371b3a1ab786c0610df19c7683cb6a23b: seeded", "triton"),
    clean("jax_oscillators", "Runge and Kutta", "jax-ml/jax jax/experimental/ode.py@"
          "b277b55d1c85505024f6197c8cd686f7262d7d55: a compiled step", "jax"),
)

CASES = FAULTS + CLEAN
