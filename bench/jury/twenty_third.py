"""Public code that was held out. See twenty_third.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("classroom_air", "air in a classroom, a lattice Boltzmann model", ("F03",), "",
          "After each step all 159 MB of the new distributions are copied back to the array of the old ones, which takes "
          "nearly as long as the step; swap the two pointers.",
          "arbor-sim/arbor pull request 1027: a copy replaced by a swap and another one left out, 2.22 s become 2.186 and "
          "2.129; FireDynamics/ARTSS issue 165: swap pointers instead of copying fields after each solver, no figure",
          also=("F01", "R04", "B01")),
    fault("fish_shoals", "shoals of fish in pictures, particle filters", ("A01",), r"weigh",
          "Each thread adds its three sums to the three numbers of a shoal by atomics, so 393,000 of them meet at 24 "
          "addresses; add up within the block first, and let one thread of a block do the atomics.",
          "kr-colab/pg_gpu pull request 45: sums of a warp before the atomic, 1.2 s become 0.58; vllm-project/vllm pull "
          "request 50365: a counter of a row without contention, 12.22 us become 3.84",
          also=("G05", "G01", "F01", "B01", "G03")),
    fault("dialect_atlas", "dialects, words aligned sound by sound", ("G01",), r"align_words",
          "Each thread's row of the alignment is contiguous, 33 numbers long, so the lanes of a warp touch 32 different "
          "sectors at each load and store; interleave the rows, so that the same column of neighbouring pairs is "
          "contiguous.",
          "ProjectPhysX/FluidX3D issue 193: the index with the threads innermost is 229 % faster; quokka-astro/quokka "
          "issue 515: arrays for each attribute, 1.73 to 2.25 times as fast",
          also=("F01", "G02", "B01")),
    fault("dental_scans", "teeth, scanned by stripes of light", ("T07",), "",
          "The phase map of the plate, 6.3 MB that never change, is uploaded with each scan, and uploads bound the time; "
          "upload it once.",
          "microsoft/DirectX-Graphics-Samples issue 681: 87 MB of samples uploaded for each frame though it is not "
          "required, 100 frames a second become 300; mtazzari/galario issue 27: observations that never change should "
          "be copied only once, no figure",
          also=("F01", "G04")),
    fault("greenhouses", "greenhouses, climate set by a controller on the host", ("T02",), "",
          "The settings of 64 greenhouses are uploaded by 64 copies of 144 bytes, which take the host and the copy engine "
          "longer than the work of the GPU; they are contiguous on both sides, so upload them by one copy.",
          "taco-project/FlexKV pull request 193: neighbouring blocks joined to one copy, as some 2.3 us a call are "
          "longer than the copy itself; deepmodeling/deepmd-kit pull request 414: lists put together on the host and "
          "copied by one call, 93 % become 98 %",
          also=("T03", "T04", "T09", "F01", "R04", "B01", "G02")),
    fault("aquifer_levels", "ground water, a multigrid solver", ("F02",), "",
          "Arrays for the next level and for the residual are cleared before kernels that write each of their numbers, "
          "450 MB a cycle; leave the fills out (those of coarse corrections are needed).",
          "dmlc/dgl issue 5454: an output is filled with zeros and overwritten, almost a third of the time of a product; "
          "arrayfire/arrayfire pull request 465: cudaMemset removed from a detector of corners, no figure",
          also=("F01", "R04", "B01")),
    fault("torch_fables", "fables, training of a small GPT on letters", ("F01", "R04"),
          r"(?i)softmax|masked|elementwise|gemm|cutlass|nvjet|copy",
          "Attention is written out, so the scores of each pair of letters, 134 MB and up to 268 in 32 bits, are written "
          "and read again by the product, the scaling, the mask, the softmax and the conversions, there and back; let "
          "scaled_dot_product_attention do it by one kernel.",
          "lucidrains/vit-pytorch pull request 353: scaled_dot_product_attention and positions found with fewer "
          "launches, 91.1 ms become 58.4; huggingface/diffusers pull request 6470: 4.63 s become 3.31",
          "torch", also=("F01", "R04", "K02", "F03", "B01")),
    fault("torch_podcasts", "podcasts, training of a ranker", ("F02",), r"(?i)fill|zero|memset",
          "The gradients of 138 million weights are kept, filled with zeros, and each new gradient is added to them, "
          "so 2.2 GB a round are moved for nothing; set gradients to None (the default of zero_grad).",
          "tenstorrent/tt-metal pull request 43629: gradients dropped instead of filled with zeros, 467.4 ms become "
          "445.9; marian-nmt/marian-dev issue 229: the first gradient set instead of added, some 30 % faster by "
          "hearsay, and no gain in a first trial",
          "torch", also=("T09", "F01", "R04", "K02", "B01", "G05")),
    fault("torch_gloves", "sign language, a server that reads sensor gloves", ("T02",), "",
          "The recordings of 512 gloves are copied one by one, 3 to 8 KB each, which takes the host longer than the "
          "GPU needs for the network; collate them in pinned memory and copy them at once.",
          "MPI-Dortmund/tomotwin-cryoet pull request 105: tensors put together before they go to the GPU, no figure; "
          "llm-d/llm-d-kv-cache pull request 607: blocks copied by one call instead of one each, 3.35 s become 1.77",
          "torch", also=("T03", "T04", "T07", "T09", "F01", "R04", "B01")),
    fault("cupy_containers", "freight containers, followed by Kalman filters", ("G01",), r"follow",
          "A container's 6 + 36 numbers lie together, so neighbouring lanes read and write 144 bytes from one another, "
          "32 sectors for each access; lay them number by number.",
          "dealii/dealii pull request 18328: arrays arranged for coalesced access, 2 times as fast; "
          "ProjectPhysX/FluidX3D issue 193: number by number is 229 % faster on GPUs by a comment in its code",
          "cupy", also=("F01", "R04", "B01")),
    fault("jax_avalanches", "avalanches on a mountain, steps by scan", ("T07",), "",
          "The mountain, three arrays of 16.8 MB, is kept by NumPy and handed to the compiled function, so the same 50 "
          "MB are uploaded from pageable memory in each round, while the GPU waits; put them on the GPU once "
          "(jax.device_put).",
          "kokabsc/gwkokab pull request 467: data put on the device by jax.device_put, 5 times less time to compile; "
          "mlr-org/mlr3torch issue 434: the data are copied again for each batch, much faster if they are copied once, "
          "no figure",
          "jax", also=("T01", "T03", "T04", "T05", "T09", "F01", "R04", "F03", "B01")),
    fault("triton_cheeses", "cheeses, training with norms of one's own", ("A01",), r"norm_backward",
          "Each of 262144 programs adds its place's slopes to the same 256 sums by atomics, so all of them meet in 1 KB "
          "of L2; let a program add up many places and store its sums, and add these up afterwards.",
          "linkedin/Liger-Kernel pull request 945: atomics of a norm's gradient replaced by sums of each program, 5 to "
          "12 times as fast; ServiceNow/Fast-LLM pull request 546: a fixed number of programs, each with a sum over "
          "many rows, behind by 1.1 to 1.6 times before",
          "triton", also=("F01", "R04", "K02", "B01")),
)

CLEAN = (
    clean("violin_plates", "plate of a violin, conjugate gradients in one cooperative kernel",
          "numba/numba pull request 6245: a loop over rows inside a kernel with grid synchronisation, 3.13 s become 0.08; "
          "owensgroup/RXMesh pull request 52: conjugate gradients on the GPU, no figure",
          also=("F01", "R04")),
    clean("waiting_rooms", "appointments of a clinic, a Monte Carlo simulation and a genetic algorithm",
          "sonots/cumo pull request 223: numbers from counters in kernels, 2201.7 us become 9.0; FLAMEGPU/FLAMEGPU2 issue "
          "362: counter-based generators so that no state of threads is stored, no figure",
          also=("B01", "F01", "G03", "G05")),
    clean("concert_tickets", "concert tickets, a hash join and sums by region",
          "NVIDIA/cudf pull request 2293: matches of a join counted in registers and in a block before they are added "
          "up, no figure of the result read; NVIDIA/raft pull request 735: one atomic of a warp for all its matches, no "
          "figure",
          also=("G05", "R04", "B01", "F01")),
    clean("torch_carpets", "carpets, drawn by a compiled diffusion transformer",
          "huggingface/lerobot pull request 2486: a compiled network of diffusion, 1797 ms become 1469; "
          "sgl-project/sglang pull request 19673: the same for pictures, 5.58 s become 4.32 on an H200",
          "torch", also=("F01", "R04", "B01")),
    clean("torch_breweries", "breweries, a policy learned by PPO on the GPU",
          "PufferAI/PufferLib pull request 614: the environments on the GPU, 3.46 million steps a second become 8.12; "
          "DLR-RM/stable-baselines3 issue 314: actions and what is seen go to the host and back for each step",
          "torch", also=("F01", "R04", "K02", "B01", "F03")),
    clean("triton_oysters", "oysters, graded by X-ray profiles",
          "pytorch/torchtitan pull request 4832: a norm and its gate in one Triton kernel, 1257 us become 262; "
          "sgl-project/sglang pull request 34784: a norm with its scale and shift in one Triton kernel, 0.9 s less for "
          "a generation",
          "triton", also=("F01", "R04", "B01")),
)

CASES = FAULTS + CLEAN
