"""Public code, held out until 2026-11-26 and open since. See fourth.md."""
from jury.labels import clean, fault

G01, A01, B01 = ("G01",), ("A01",), ("B01",)

FAULTS = (
    fault("expert_ranks", "mixture of experts, ranks of tokens", A01, "ranks_in_global",
          "8 million pairs add to 64 words with atomics; count in the block and add once an expert and block.",
          "sgl-project/sgl-kernel-xpu pull request 257: counts in the block before the global atomics, 5 to 6 times as fast"),
    fault("camera_gradients", "gradient of a camera's matrix", A01, "camera_by_warp",
          "262,144 warps add to twelve words with atomics; let threads take many points and reduce in the block first.",
          "openvdb/fvdb-core pull requests 697 and 751: a reduction in the block before the atomics"),
    fault("path_states", "light paths, their states", G01, r"(extend|shade)_records",
          "The state of a path is a record, so the lanes lie 56 bytes apart; store its words in arrays.",
          "Enigmatisms/cuda-pt pull request 3: arrays instead of records, much faster"),
    fault("asset_paths", "two assets, stored random numbers", G01, "pay_by_path",
          "The numbers of a path are contiguous, so the lanes read 512 bytes apart; store them step by step.",
          "MaxMLang/cuda-programming-notes prac2/answers_prac2.md@bafbe38ee9e6f38f54b44a03a0a8032187c22459: version 2 against "
          "version 1, 24 times as slow"),
    fault("cyclic_reduction", "tridiagonal systems, cyclic reduction", ("S01",), "solve_plain",
          "Each level doubles the distance of the lanes' words in shared memory, so up to 16 share a bank; leave out a word "
          "in 32.",
          "ashwinsrnth/near-toeplitz-tridiagonal-solvers 02-sharedMem/kernels.cu@c88a7e97cf44ddf4a6c3ff9d874516adbf443131: "
          "strides in shared memory; cudpp/cudpp src/cudpp/kernel/crpcr_kernel.cuh@e827a7aebdc5679177c88de25497ba998b380ccb: "
          "another way once strides have grown"),
    fault("keccak_states", "hashes, Keccak", ("L01",), "hash_by_tables",
          "The 25 words of a thread are indexed by tables at run time and live in local memory; unroll with fixed places.",
          "Keryx-Labs/keryx-miner pull request 7: words in registers, 14 % faster, and 28 % in a branch; aegoroff/hc pull "
          "request 303"),
    fault("sign_patterns", "weights of 2 bits, tables of patterns", ("C01",), "multiply_constant",
          "The lanes look up different entries of tables in constant memory, one after the other; keep the tables in global "
          "memory.",
          "ggml-org/llama.cpp pull request 4773: 108 tokens a second with constant signs, 155 with global ones"),
    fault("wave_slabs", "waves, order of blocks", ("R04",), "advance_by_planes",
          "The blocks finish a plane of 16 MB before the next, so each plane is read nine times from DRAM; let them go "
          "through the planes of a few rows first.",
          "NVIDIA/Fuser pull request 87: order of blocks, 20 % to 40 % less time; JuliaGPU/GemmKernels.jl pull request 195: "
          "91 % less from DRAM"),
    fault("activation_bytes", "activations to bytes", ("G04",), "bytes_by_one",
          "A thread reads 2 bytes and stores one; take eight values a thread.",
          "vllm-project/vllm pull request 19233: several values at once; Comfy-Org/comfy-kitchen pull request 127: about twice "
          "as fast"),
    # The lanes of a warp read one offset together, which G02 may mention; the cause is that few lanes work.
    fault("feature_bags", "recommendations, bags in another order", ("G03",), "copy_by_warp",
          "A warp copies a bag of 4.5 values, so most lanes idle; give a bag to eight lanes.",
          "pytorch/FBGEMM pull request 6303: no warp a row any more, 3.5 to 6.6 times as fast"),
    fault("group_norm", "norm over groups of channels", B01, "norm_by_group",
          "32 blocks, one a group, for 132 multiprocessors; split a group over blocks.",
          "vllm-project/vllm-omni pull request 6662: a group is split over blocks", underfilled=True),
    fault("fluid_order", "fluid of particles, density", ("G05", "G01"), "density_by_number",
          "Only the numbers of the particles are sorted, so each neighbour is read from anywhere; bring the particles into "
          "order and let the threads follow it.",
          "Victor2266/The-Fluid-Toy issue 33: sorted particles instead of sorted numbers, about twice as fast"),
    fault("small_eigen", "eigenvalues of small matrices", B01, "eigenvalue_of_one",
          "512 launches of one warp; take all matrices in one launch.",
          "pytorch/pytorch pull request 185645: one launch instead of one a matrix", underfilled=True),
    fault("index_copies", "genome index, download", ("T08",), "",
          "32 MB are pinned and unpinned around each copy; pin them once.",
          "NVIDIA-Genomics-Research/GenomeWorks pull request 481: pinning around copies costs more than it gains"),
    fault("forward_views", "emission tomography, views", ("T07",), "",
          "128 MB that nothing changes are uploaded for each view; upload them once.",
          "UCL/STIR pull request 1687: allocations and uploads before the views"),
    fault("short_edges", "mesh, search for a length", ("U02", "U01"), "count_short",
          "The host reads managed counts after each kernel, so that their pages go to and fro; copy device memory to pinned "
          "memory.",
          "elalish/manifold issue 120: small managed buffers, used by host and device in turn"),
    fault("task_tiles", "task graph, tiles to the device", ("T02",), "",
          "1024 copies of 4 KB bring the tiles of a step; store them side by side and copy once.",
          "ICLDisco/parsec pull request 791: copies of small tiles together"),
    # T08 knew host memory only when these were labelled.
    fault("plasma_sources", "plasma, implicit sources", ("T08",), "",
          "192 MB of the device are allocated and freed in each step, and the GPU idles meanwhile; allocate once.",
          "ammarhakim/gkyl-archive pull request 28: no repeated allocation; NVIDIA/Fuser pull request 5767: repeated "
          "cudaMalloc goes", also=("F01",)),
    fault("torch_calibration_bins", "calibration of a classifier", A01, r"(?i)scatter|elementwise",
          "8 million confidences go into 15 words with atomics; spread them over parts of the sums and add up the parts.",
          "Lightning-AI/torchmetrics pull request 769: bins with scatter_add; pytorch/pytorch pull request 168073: additions "
          "to few words, spread over parts", "torch"),
    fault("torch_page_ranks", "ranks of pages by their links", ("G05", "G01"), r"(?i)index|gather",
          "The pages are in no order, so each lane fetches a sector of its own; number them so that linked pages lie close.",
          "dmlc/dgl issue 3059: nodes of a graph in a better order, 10 to 70 % faster", "torch"),
    fault("torch_replayed_scans", "reinforcement learning, replay", ("T01", "T04"), "",
          "64 MB of transitions come from ordinary memory each round, and the GPU waits for them; pin them and copy the next "
          "batch beside the training.",
          "facebookresearch/drqv2 pull request 17: why the replay buffer pins its batches and copies them beside the training",
          "torch"),
    fault("torch_box_losses", "detection, overlap of boxes", ("T03", "T02"), "",
          "Each boolean mask makes the host wait for a count, and the GPU idles; clamp instead of picking.",
          "pytorch/vision pull request 9518: losses of boxes without boolean masks", "torch"),
    fault("torch_matching_pairs", "contrastive loss of pairs", G01, r"elementwise|copy|(?i:add)",
          "The loss takes the scores turned round, so they are copied, and their gradients added, with lanes 32 KB apart; "
          "multiply once more in the other order.",
          "openai/CLIP clip/model.py@0845fc462666c43bda82243874b66a0071464510: scores turned round; mlfoundations/open_clip "
          "src/open_clip/loss.py@b01786f069955d797150852e55405a27cc928cc7: two products", "torch"),
    fault("torch_molecule_batches", "energies of molecules, batches", ("T02", "T03"), "",
          "768 copies of 4 to 288 bytes bring a batch; put it into one buffer and copy once.",
          "pytorch/tensordict pull requests 814 and 851: tensors in one buffer, copied together", "torch"),
    fault("cupy_field_errors", "error between two fields", ("B01",), "squared_error",
          "A reduction of two arrays to one number runs in one block; reduce rows first.",
          "cupy/cupy pull request 4289: ReductionKernel by CUB, for one array only", "cupy", underfilled=True),
    fault("cupy_known_faces", "nearest faces", ("T02", "T03"), "",
          "512 numbers come to the host one by one, and the GPU idles; fetch both arrays at once.",
          "cupy/cupy issue 3142: get() in a loop over what was found", "cupy"),
    fault("cupy_cell_moments", "moments of sparse rows", G01, "moments_by_thread",
          "A thread walks along a row, so the lanes read about 2 KB apart; give a row to a warp.",
          "scverse/rapids-singlecell pull request 112: a kernel for sums of sparse rows", "cupy"),
    fault("triton_causal_filters", "causal convolution", G01, r"filter_times_together",
          "Lanes take features, while the times of a feature are contiguous, so they lie 64 KB apart; store the features of a "
          "time side by side.",
          "ROCm/hip-ep pull request 722: channels last, after 8 % of the bandwidth; ROCm/aiter pull request 4299: lanes along "
          "the features of a time", "triton"),
    fault("triton_long_contexts", "attention of one token, long context", ("B01",), r"attend",
          "A program takes the whole context of a head, in 8 blocks; split the context over programs and join their results.",
          "sgl-project/sglang pull request 21775: more parts of the context, 75 % faster at 32,000 tokens; pull request 27786",
          "triton", underfilled=True),
    fault("jax_posterior_draws", "predictions by draws from a posterior", ("T07", "T01", "T04"), "",
          "Each call copies the same 32 MB from an array of the host; place it on the device once.",
          "markean/aimz issue 267: a posterior on the host is copied for each batch", "jax"),
)

CLEAN = (
    clean("life_words", "game of life, 64 cells a word", "matyas-brabec/2025-europar-llm prompts/game_of_life06.prompt.md@"
          "5d9b12831b349c275cf9ffc1ade1b024d2b3692f: the logic of adders, no shared memory"),
    clean("triangular_batches", "batched triangular systems", "NVIDIA/CUDALibrarySamples cuBLAS/Level-3/trsmBatched/"
          "cublas_trsmBatched_example.cu@dd31287850a3fefe5b0e61f666115ef72c48a9b8: as it is"),
    clean("merge_lists", "merge of sorted lists", "NVIDIA/cccl cub/cub/device/device_merge.cuh@"
          "b0932944988003b5b357f413cae2123e31659eba: as its comments show it"),
    clean("lstm_cells", "cells of an LSTM", "pytorch/pytorch aten/src/ATen/native/cuda/RNN.cu@"
          "f6399c48b10cc83573b50eae0ff91f3068807ea0: the fused cell, here 16 bytes a thread"),
    clean("hash_lookups", "hash table, lookups", "nosferalatu/SimpleGPUHashTable src/linearprobing.cu@"
          "450895f27123ad45261eed784e659a0ef6c0645b: key and value in one place, here one load of 8 bytes"),
    clean("hill_shades", "map of heights, shades", "makepath/xarray-spatial xrspatial/hillshade.py@"
          "6b3693d996597396d8bdcdfbd245b2f1d7a32124: a place a thread"),
    clean("back_projection", "tomography, back projection", "CERN/TIGRE Common/CUDA/voxel_backprojection_parallel.cu@"
          "add08bbe81f3bc710cd5531a2c8378274f3ccfd3: projections in a texture"),
    clean("torch_cached_keys", "decoding with a cache of keys", "meta-pytorch/gpt-fast model.py@"
          "54d610cd157e80e1210dff0e316305819840e972: a cache of fixed size, written in place", "torch"),
    clean("torch_policy_updates", "reinforcement learning, policy", "vwxyzjn/cleanrl cleanrl/ppo_continuous_action.py@"
          "cf8892acff7f4a5d26b69bfc2ce1f7b5fef981d5: clipped ratios, here all on the device", "torch"),
    clean("torch_low_rank_adapters", "adapters of low rank", "huggingface/peft src/peft/tuners/lora/layer.py@"
          "b28a09c44695163806dc2d560ec2faa1ce2949c5: a narrow product beside the frozen one", "torch"),
    clean("cupy_satellite_orbits", "orbits", "cupy/cupy docs/source/user_guide/kernel.rst@"
          "333297856f2718d002d1fa8b87064a756ef9bdc9: an elementwise kernel with several outputs", "cupy"),
    clean("triton_int8_rows", "quantisation of rows", "sgl-project/sglang pull request 2848: 8 bits a value, a program a row",
          "triton"),
    clean("jax_orthogonal_updates", "optimiser with orthogonal updates", "google-deepmind/optax pull request 1126: Muon",
          "jax"),
)

CASES = FAULTS + CLEAN
