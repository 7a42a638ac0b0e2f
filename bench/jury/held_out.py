"""Public code that is held out: no rule may be tuned on it. See held_out.md."""
from jury.labels import clean, fault

SAMPLES = "NVIDIA/cuda-samples Samples/"
SAMPLES_COMMIT = "@c94ff366aed18c797b8a85dfaac7817b0228b420: "
LIBRARIES = "NVIDIA/CUDALibrarySamples "

G01, A01, S01 = ("G01",), ("A01",), ("S01",)

FAULTS = (
    fault("splat_gradients", "splats, gradients from an image", A01, "gradients_by_pixel",
          "All 256 pixels of a tile add to the same words with atomics; reduce in the block and add once.",
          "graphdeco-inria/diff-gaussian-rasterization pull request 53: a reduction in the block before the atomics; "
          "AndrewBoessen/3DGS issue 33"),
    fault("scene_bounds", "box around points", A01, "bounds_by_point",
          "16 million points go into six words with atomics; reduce in threads, warps and blocks first.",
          "taichi-dev/taichi pull request 2956: minima and maxima are reduced in warps before the atomic"),
    fault("row_packing", "table, columns to rows", G01, "pack_by_row",
          "A thread stores a row of 64 bytes word by word, so the lanes store 64 bytes apart; go through shared memory and "
          "store in order.",
          "NVIDIA/cudf pull request 11063: conversion of columns to rows, more than twice as fast"),
    fault("sphere_basis", "spherical harmonics", G01, "harmonics_by_thread",
          "A thread stores the nine values of its direction, so the lanes store 36 bytes apart; write out a buffer in "
          "shared memory in order.",
          "lab-cosmo/sphericart pull request 33: buffers are written to global memory in order"),
    fault("radiation_columns", "radiation through layers of air", G01, "descend_column_major",
          "The layers of a column are contiguous, so the lanes lie 256 bytes apart; store layer by layer.",
          "CliMA/RRTMGP.jl pull request 610: columns come first in all arrays, up to 36 % less time"),
    fault("heat_order", "heat in a cube, order of threads", G01, "heat_along_planes",
          "threadIdx.x counts planes, so the lanes lie a plane apart; let it count columns.",
          "llnl/RAJAPerf pull request 194: reorders the indices of HEAT_3D"),
    fault("box_rows", "mean along rows", G01, "mean_by_thread",
          "A thread goes along a row, so the lanes lie 16 KB apart, in 64 blocks; give a row to a block.",
          SAMPLES + "2_Concepts_and_Techniques/boxFilter/boxFilter_kernel.cu@2e41896e1b2c7e2699b7b7f6689c107900c233bb: the "
          "passes along x and y", underfilled=True),
    fault("argmax_rows", "place of the largest score", G01, "argmax_by_thread",
          "A thread goes through a row, so the lanes read 128,000 bytes apart, in 4 blocks; give a row to a block.",
          "ggml-org/llama.cpp pull request 10441: a row a group of warps; microsoft/onnxruntime pull request 32092",
          underfilled=True),
    fault("split_rows", "decision trees, split of rows", G01, "split_row_major",
          "The features of a row are contiguous, so the lanes read a byte of each 64; store feature by feature.",
          "microsoft/LightGBM src/io/cuda/cuda_column_data.cpp@4f47547c88cc72de4b8f04de8de4e2b79a9240e7: columns for splits, "
          "beside the rows for histograms"),
    fault("split_heads", "heads of attention, permutation of rows", ("G04",), "heads_by_half",
          "A thread copies one half; copy 16 bytes a thread.",
          "OpenNMT/CTranslate2 pull request 1068: several elements at once in the permutation 0213"),
    fault("score_tiles", "attention, products of queries and keys", S01, "scores_plain",
          "Rows of 64 words in shared memory: lanes that read their own keys share a bank; pad the rows by a word.",
          "kekzl/imp pull request 484: padded rows of attention's tiles, 1.54 times the speed"),
    fault("dct_blocks", "cosine transform of 8 x 8 blocks", S01, "blocks_plain",
          "Rows of 32 words in shared memory: eight lanes that take neighbouring rows share a bank; pad the rows by a word.",
          SAMPLES + "2_Concepts_and_Techniques/dct8x8/dct8x8_kernel2.cuh@ca37378cb454b74e3979fa7a14c110045d3c4437: rows of 33 "
          "words"),
    fault("shape_factors", "particle in cell, shapes", ("L01",), "carry_by_offset",
          "Arrays of a thread are indexed at run time and live in local memory; select among fixed places instead.",
          "BLAST-WarpX/warpx issue 5199 and pull request 3210: arrays of shape factors without dynamic indices"),
    fault("perlin_noise", "noise on a lattice", ("C01",), "noise_by_table",
          "The lanes look up different words of a table in constant memory, one after the other; compute the values.",
          "forums.developer.nvidia.com thread 1877, Perlin noise and arrays: a hash instead of the constant table"),
    fault("ghost_planes", "exchange of planes between halves", ("T05", "T04", "T03"), "",
          "The planes go to the host and from there back to the device, which idles meanwhile; copy on the device.",
          "cholla-hydro/cholla pull request 106: exchange on the device, 5 to 6 times as fast"),
    fault("kv_blocks", "cache of keys and values, saving of blocks", ("T02",), "",
          "512 copies of 16 KB save the blocks; gather them and copy once.",
          "llm-d/llm-d-kv-cache pull request 607: all blocks in one submission, about twice as fast"),
    fault("shown_frames", "frames, read by the host", ("U02", "U01"), "render|managed",
          "The host reads managed pages that the kernel writes, so they go to and fro for each frame; copy device memory to "
          "pinned memory.",
          "NVIDIA/NvPipe issue 45: managed against device memory"),
    fault("offloaded_weights", "matrix times vector, offloaded weights", ("Z01",), "multiply_offloaded",
          "The kernel reads the same 64 MB of the host over the bus each round; keep the weights on the device.",
          "vllm-project/vllm pull request 29941: copies ahead of time instead of zero-copy access to offloaded weights"),
    fault("event_weights", "weights of events, download", ("T04",), "",
          "Kernel and download take turns in one stream; let two streams take turns.",
          "madgraph5/madgraph4gpu issue 11: two streams to hide the copy of the output"),
    fault("mesh_nodes", "mesh, differences of neighbours", ("G05", "G01"), "differ_from_neighbours",
          "The nodes are in no order, so each lane fetches sectors of its own; number them so that neighbours lie close by.",
          "MPAS-Dev/MPAS-Tools pull request 515: sorts cells, edges and vertices of a mesh"),
    fault("torch_gate_up_pairs", "gated activation", G01, r"elementwise|silu|(?i:mul)",
          "Gates and values lie in pairs, so each is read 8 bytes apart; store them in halves.",
          "vllm-project/vllm pull request 27024: weights of gate and value in halves", "torch"),
    fault("torch_stacked_channels", "planes put together", G01, r"CatArray|elementwise|copy",
          "Planes are stacked along the last axis, so the lanes store 32 bytes apart; stack along the first axis.",
          "pytorch/pytorch pull request 151818: writes of cat along a short last axis are not coalesced", "torch"),
    fault("torch_offloaded_layers", "layers, weights from the host", ("T01", "T04"), "",
          "32 MB of ordinary memory come for each layer, and the GPU waits for them; pin them and copy the next layer in a "
          "stream of its own.",
          "huggingface/diffusers pull request 10516: groups of layers, prefetched in a stream", "torch"),
    fault("torch_results_on_host", "results of steps, download", ("T01", "T04"), "",
          "64 MB of results go to ordinary memory, in turn with the steps; pin them and copy beside the next step.",
          "sgl-project/sglang pull request 29075: results go to pinned memory beside the next step", "torch"),
    fault("torch_noise_levels", "steps against noise", ("T03", "T02"), "",
          "The host asks for levels of noise in each step, and the GPU idles; keep them on the host.",
          "huggingface/diffusers pull request 9475: a wait in each step of a scheduler, about 42 % faster without it", "torch"),
    fault("cupy_level_counts", "histogram", A01, r"count_in_global",
          "32 million atomics go to 64 words; count in shared memory and add once a block.",
          "cupy/cupy pull request 6701: bincount by CUB, 32 times as fast for 10 million values", "cupy"),
    fault("cupy_residual_checks", "conjugate gradients", ("T03", "T02"), "",
          "The residual comes to the host after each step, and the GPU idles; ask once in many steps.",
          "NVIDIA/warp warp/optim/linear.py@013af01621a61a483f52c66b8124a5d0ab9bdce8: check_every", "cupy"),
    fault("cupy_nearest_so_far", "smallest distances so far", G01, r"keep_in_rows",
          "The distances of a place are contiguous, so the lanes read 64 bytes apart; store them rank by rank.",
          "stumpy-dev/stumpy issue 64: a transposed array, so that threads write consecutively", "cupy"),
    fault("triton_head_sums", "running sums of heads", G01, r"sums_of_head\b",
          "A program takes one of 64 heads that lie side by side, so its lanes lie 256 bytes apart; take several heads.",
          "triton-lang/triton-ascend issue 434: columns with the stride of the heads, taken together", "triton"),
    fault("triton_wide_rows", "softmax of long rows", ("L01",), r"softmax_of_wide_row",
          "512 values a lane spill to local memory; take more warps.",
          "triton-lang/triton issue 1101: kernels with large blocks, 10 times as slow", "triton"),
)

CLEAN = (
    clean("mandelbrot_pixels", "Mandelbrot set", SAMPLES + "5_Domain_Specific/Mandelbrot" + SAMPLES_COMMIT + "a pixel a thread"),
    clean("walsh_transform", "Walsh transform",
          SAMPLES + "5_Domain_Specific/fastWalshTransform" + SAMPLES_COMMIT + "here in registers and shuffles"),
    clean("sobol_points", "quasi-random points", SAMPLES + "5_Domain_Specific/SobolQRNG" + SAMPLES_COMMIT + "a dimension a block"),
    clean("graph_of_steps", "relaxation, a graph",
          SAMPLES + "3_CUDA_Features/simpleCudaGraphs" + SAMPLES_COMMIT + "kernels in a captured graph"),
    clean("bias_gelu", "bias and activation", "NVIDIA/FasterTransformer src/fastertransformer/kernels/activation_kernels.cu@"
          "acb80918effdbe268b2613307d618390f37bd33f: pairs of halves, here 8 a thread"),
    clean("key_hashes", "hashes of keys", "NVIDIA/cuCollections include/cuco/detail/hash_functions/xxhash.cuh@"
          "f841fce3e85c75854cdc213a0ca65318c88092c5: hashes of 32 bits"),
    clean("cub_segment_sums", "sums of segments", "NVIDIA/cccl cub/cub/device/device_segmented_reduce.cuh@"
          "b8a5e4570c31c15468d92e33de5347fa6c0eb961: as its comments show it"),
    clean("cub_even_bins", "histogram", "NVIDIA/cccl cub/cub/device/device_histogram.cuh@"
          "774a2a552e9c42a9e5085e9aef2baa835daa2f69: as its comments show it"),
    clean("cublas_half_products", "matrix product of halves", LIBRARIES + "cuBLAS/Extensions/GemmEx/cublas_GemmEx_example.cu@"
          "dd31287850a3fefe5b0e61f666115ef72c48a9b8: as it is"),
    clean("cusparse_band", "sparse matrix times vector", LIBRARIES + "cuSPARSE/spmv_csr/spmv_csr_example.c@"
          "99a15c7698ac02513f1d46618c63e10515e2d5a3: as it is"),
    clean("triad_doubles", "triad of vectors", "llnl/RAJAPerf src/stream/TRIAD-Cuda.cpp@"
          "e2f944b3b064fca9aa89fbc07684af718703155a: a word a thread"),
    clean("link_transport", "lattice gauge theory", "lattice/quda include/gauge_field_order.h@"
          "c8d7936e1d60e387efd74a85b9e8386a0b196291: arrays over the sites"),
    clean("torch_image_patches", "vision transformer", "huggingface/pytorch-image-models timm/models/vision_transformer.py@"
          "94567641e33d5c16b2262ccbec33f2a603e612ed: fused attention", "torch"),
    clean("torch_item_scores", "recommendations", "facebookresearch/dlrm dlrm_s_pytorch.py@"
          "fcd09698d3b317304c56740adc4c985ba5ec7844: bags of embeddings and a perceptron", "torch"),
    clean("cupy_sorted_values", "sort", "cupy/cupy cupy/_sorting/sort.py@4c7ac380fc5e562bfb07b823e9964d3d052f353e: as it is",
          "cupy"),
    clean("cupy_batched_layers", "batched products", "cupy/cupy examples/gemm/sgemm.py@"
          "4cb8959fd48dd74f3ef7148b12da886bf75094b2: the library's product", "cupy"),
    clean("triton_gated_units", "gated linear units", "linkedin/Liger-Kernel src/liger_kernel/ops/swiglu.py@"
          "3baaa6bb1419664955c4534d5c90d18f682ae9a6: one kernel", "triton"),
    clean("triton_cross_entropy", "cross entropy", "linkedin/Liger-Kernel src/liger_kernel/ops/cross_entropy.py@"
          "9a12d7e67dddd9c429323768f60c298face0fed3: a running maximum", "triton"),
    clean("triton_residual_norm", "norm with a residual", "Dao-AILab/flash-attention flash_attn/ops/triton/layer_norm.py@"
          "fd2fc9d85c8e54e5c20436465bca709bc1a6c5a1: sum and norm in one kernel", "triton"),
    clean("jax_feed_forward", "feed-forward layer", "google/flax examples/lm1b/models.py@"
          "f095d13dd6a74bd14f22cae0f9887bcc0b5ac3eb: a compiled step", "jax"),
)

CASES = FAULTS + CLEAN
