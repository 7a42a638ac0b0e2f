"""Public code that was held out, and opened. See fifth.md."""
from jury.labels import clean, fault

LIBRARIES = "NVIDIA/CUDALibrarySamples "

FAULTS = (
    fault("haplotype_pairs", "genetics, pairs of haplotypes", ("A01",), "lengths_by_pair",
          "130,560 pairs add to the two words of each variant with atomics; add up in warps and blocks first.",
          "kr-colab/pg_gpu issue 44 and pull request 45: sums in the warp before the atomics, twice as fast"),
    fault("classifier_rows", "classifier, losses and gradients", ("R04",), "gradient_by_warp",
          "All rows are under way at once, 537 MB, so each of three passes brings them from DRAM; give a row to a block, so "
          "that later passes hit a cache.",
          "karpathy/llm.c pull request 150: a row a block of 1024 threads, whose second pass hits L2, 3.7 ms instead of 6"),
    # The repaired side has the splats in another order; the kernel is the same.
    fault("splat_order", "splats, order in memory", ("G05", "G01"), "weigh_entries",
          "The splats of a tile lie anywhere, so each lane fetches sectors of its own; bring them into the order of the tiles.",
          "AndrewBoessen/3DGS issue 39 and pull request 53: splats sorted by Morton codes; openvdb/fvdb-reality-capture pull "
          "request 233: 8 to 10 % faster"),
    fault("cumulative_rows", "survival curves, running sums", ("S01",), "cumulate_plain",
          "Rows of 32 words in shared memory: lanes that walk along their own rows share a bank; pad the rows by a word.",
          "tile-ai/TileOPs pull request 1713: padded rows, after conflicts of 32 lanes; pull request 1995: 1.38 TB/s against "
          "3.09 by another pad"),
    fault("descriptor_distances", "distances of descriptors", ("L01",), "distances_for_any_block",
          "Bounds of 1024 threads leave 64 registers, and the sums are spilled, though blocks have 256 threads; state the true "
          "size.",
          "halide/Halide pull request 9284: tells ptxas the size of the block, no spills, 0.233 ms instead of 0.314"),
    fault("element_nodes", "finite elements, nodes to elements", ("G01",), "bring_by_element",
          "A thread brings all nodes of an element, so the lanes lie 256 and 1536 bytes apart; give a node to a thread.",
          "CEED/libCEED issue 128: the thread of an element reads and stores with strides"),
    fault("cell_signals", "artificial life, signals", ("G03",), "spread_signals",
          "Blocks of eight threads leave 24 of 32 lanes idle; pack the same threads into blocks of 128.",
          "chrxh/alien pull request 833: kernels of eight threads a block get blocks of 128"),
    fault("long_channels", "energies of few long channels", ("B01",), "energy_by_channel",
          "Eight blocks, one a channel, for 132 multiprocessors; cut a channel into chunks for many blocks.",
          "NVIDIA/cccl issue 6865 and pull request 7114: a block a segment of a segmented reduction reaches 30 % of the "
          "bandwidth; two phases", underfilled=True),
    fault("arrow_columns", "table, columns to the device", ("T01",), "",
          "64 MB of columns come from ordinary memory each round; pin them.",
          "gabotechs/libcudf-rs pull request 35: arrays of Arrow in pinned memory"),
    fault("point_batches", "nearest centres, batches from the host", ("T04",), "",
          "Copies and kernels take turns in one stream; copy the next batch to a second buffer in a stream of its own.",
          "NVIDIA/cuvs issue 2292 and pull request 2538: two buffers for k-means on points of the host"),
    fault("affine_directions", "interior point method", ("T05", "T04", "T03"), "",
          "32 MB go to the host and from there back to other arrays, and the GPU idles meanwhile; copy on the device.",
          "NVIDIA/cuopt pull request 1397: a snapshot on the device instead of copies to the host"),
    fault("strided_operands", "tensors with strides", ("T02", "T07"), "",
          "Three copies of 16 bytes before each kernel bring sizes and strides that never change; pass them as parameters.",
          "chelsea0x3b/dfdx issue 609: the copies take longer than the kernels; torch/cutorch issue 207: parameters instead, "
          "0.27 s instead of 0.51"),
    fault("torch_odd_vocabulary", "language model, odd vocabulary", ("G04", "G01"), r"(?i)gemm|cutlass|xmma|nvjet",
          "Rows of 50,257 values of 2 bytes are not aligned, so the products go value by value; pad the vocabulary to 50,304.",
          "PaddlePaddle/models pull request 5134: a padded vocabulary, 10 ms instead of 14 for a product; "
          "rasbt/LLMs-from-scratch pull request 582: 50,304 words instead of 50,257", "torch"),
    fault("torch_emptied_cache", "training, cache emptied in each step", ("T08",), "",
          "Each step gives the memory of its activations back and allocates it again; do not call empty_cache in the loop.",
          "huggingface/transformers pull request 31530: no empty_cache in the training loop, which issue 31372 found slow",
          "torch"),
    # Each copy is of memory that is not pinned, brings what is there already, and is waited for.
    fault("torch_rotary_tables", "diffusion transformer, tables of turns", ("T07", "T01", "T03"), "",
          "The same 8 MB come from ordinary memory in each step, and the host waits for them; keep them on the device.",
          "huggingface/diffusers pull request 13406: tables kept on the device, no wait of 76 ms for them any more", "torch"),
    fault("torch_colour_clusters", "k-means, sums of clusters", ("T03", "T02"), "",
          "nonzero for each cluster makes the host wait for a count, and the GPU idles; sum all clusters with one product.",
          "kornia/kornia issue 4533 and pull request 4545: no loop over the clusters with a wait in it", "torch"),
    fault("torch_box_distances", "detection, matching of queries", ("G03",), r"cdist",
          "A block of 256 threads takes the distance of two boxes of 4 values, so most lanes idle; take the differences of all "
          "pairs and add them up.",
          "roboflow/rf-detr pull request 1486: no torch.cdist for boxes, 15 to 29 times as fast", "torch"),
    fault("torch_cell_outlines", "microscopy, convolutions in halves", ("K01",), r"(?i)nchw|nhwc",
          "The library converts each picture to channels last and back; store network and picture in channels_last.",
          "instanseg/instanseg pull request 144: channels_last, about 30 % faster", "torch"),
    fault("cupy_band_means", "reflectances, means of a panel", ("B01",), r"(?i)mean",
          "Means over the first axis with 16 results run in one block; reduce parts of the axis first.",
          "cupy/cupy pull request 4008: mean(axis=0) of 1,000,000 x 16 values slower than a call a column", "cupy",
          underfilled=True),
    fault("cupy_sensor_spectra", "sensors, spectra along time", ("G01",), r"(?i)copy",
          "The copy of the transposed array reads 16 KB apart in each step; let the library transpose (asfortranarray).",
          "chainer/chainer pull request 2049: asfortranarray by geam of cuBLAS, 23 times as fast as the elementwise copy",
          "cupy"),
    fault("triton_key_groups", "cache of keys, groups to 8 bits", ("G04",), r"quantise_group",
          "A lane reads one value of 2 bytes and stores one byte; let a program take several groups.",
          "flagos-ai/FlagGems pull request 3688: several groups a program", "triton"),
    fault("triton_slot_lists", "decoding, lists of slots", ("B01",), r"list_slots",
          "A program walks along a whole request, in 8 blocks; split the tokens of a request over programs.",
          "sgl-project/sglang pull request 27320: a program a block of pages, 2 us instead of 15; pull request 37659: programs "
          "for blocks of tokens", "triton", underfilled=True),
    fault("jax_system_energies", "particles, energies of systems", ("A01",), r"(?i)scatter",
          "A million pairs go into 32 words with atomics, twice; the pairs of a system lie side by side, so sum each row.",
          "cusp-ai-oss/kUPS issue 248 and pull request 335: sums of pairs into few systems; openxla/xla issue 26371: such "
          "scatters with few destinations", "jax"),
)

CLEAN = (
    clean("covariances", "products of variables", LIBRARIES + "cuBLAS/Level-3/syrk/cublas_syrk_example.cu@"
          "dd31287850a3fefe5b0e61f666115ef72c48a9b8: as it is"),
    clean("cufft_cubes", "Fourier transform of a cube", LIBRARIES + "cuFFT/3d_c2c/3d_c2c_example.cpp@"
          "d5480ce06967962dc98ceb7b865748091508b626: as it is, scaled 16 bytes a lane"),
    clean("cub_three_parts", "partition into three", "NVIDIA/cccl cub/cub/device/device_partition.cuh@"
          "ba66bbd70e5cde70a860c54b3c91f53cf42f7f3e: as its comments show it"),
    clean("sliced_rows", "sparse matrix in slices times vector", "ginkgo-project/ginkgo "
          "common/cuda_hip/matrix/sellp_kernels.cpp@d4e0e9f8c8eb36cc2044189834d82742b925f27e: slices column by column, here a "
          "thread a row"),
    clean("tensor_norms", "norms of many tensors", "NVIDIA/apex csrc/multi_tensor_l2norm_kernel.cu@"
          "741bdf50825a97664db08574981962d66436d16a: chunks of all tensors in one launch"),
    clean("pool_scratch", "roughness of an image, scratch memory", "NVIDIA/cuda-samples "
          "Samples/2_Concepts_and_Techniques/streamOrderedAllocation/streamOrderedAllocation.cu@"
          "ca37378cb454b74e3979fa7a14c110045d3c4437: allocation in the order of the stream, with a release threshold"),
    clean("torch_prefetched_records", "training input, prefetched records", "huggingface/pytorch-image-models "
          "timm/data/loader.py@36d930ffc9437bfc7bd9a2e8b7111ef24bdbf49e: a stream for copies from pinned memory", "torch"),
    clean("torch_captured_controls", "controls of simulated systems, a captured step", "pytorch-labs/LeanRL "
          "leanrl/td3_continuous_action_torchcompile.py@f1a0156635c6f66322b8e32ea8db51af878b6540: updates in graphs", "torch"),
    clean("torch_averaged_weights", "gated blocks, averages of weights", "huggingface/pytorch-image-models "
          "timm/utils/model_ema.py@0a044bf43ddc280594c6f9237c17b41b7067a26e: one call for all averages", "torch"),
    clean("cupy_radar_pulses", "radar, compression of pulses", "rapidsai/cusignal python/cusignal/radartools/radartools.py@"
          "05c8eafb5de566af6f443af3e380d837fcfd112e: transforms of rows, here without copies of the pulse", "cupy"),
    clean("triton_lion_updates", "optimiser by signs", "lucidrains/lion-pytorch lion_pytorch/triton.py@"
          "66295196111875bde30c8060d4f0f76add98377f: one kernel an update", "triton"),
    clean("triton_attention_tiles", "attention by tiles", "triton-lang/triton python/tutorials/06-fused-attention.py@"
          "dc6ee3ed2cf9b2b436544d6153351f9bc679cc61: forward, without a mask", "triton"),
    clean("jax_sampled_chains", "Monte Carlo, Hamiltonian chains", "blackjax-devs/blackjax blackjax/mcmc/integrators.py@"
          "28167ad35fb880f7b90d0a78d8324f7fda8032e2: leaps of many chains, compiled as a whole", "jax"),
)

CASES = FAULTS + CLEAN
