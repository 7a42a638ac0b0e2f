"""Public code that was held out. See twenty_ninth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("toll_gates", "toll gates around a city, drives that choose a gate and are billed", ("A01",), r"bill",
          "Each of 16.8 million drives a day adds one to a count and its fare to a sum of one of 576 accounts in global "
          "memory, 33.5 million atomic additions to some 9 KB, and the busiest gates get several times as many as others, "
          "some 0.4 to 1.5 ms beside 0.35 to 0.55 ms of work; add up in shared memory, and once for each block in "
          "global memory.",
          "NVIDIA/cudf issue 23256: a group that is met often serializes its atomic additions, 24 ms become 39 for skewed "
          "keys, and a path through shared memory saves 30 to 100 times in the extreme; NVIDIA/cccl pull request 9222: "
          "fewer atomic additions to a histogram in global memory, 412 us become 110 where few bins are met",
          also=("A01", "F01", "R04", "S01", "B01", "G03")),
    fault("laundry", "vibrations of washing machines, recursive filters of records", ("S01",), r"filter_records",
          "Lanes go through rows of a tile of shared memory that are 32 floats long, so all 32 lanes are at one bank, 32 "
          "turns for each load and each store, some 0.5 to 0.65 ms instead of 0.14 to 0.2; make rows 33 floats long.",
          "ExtremeFLOW/neko pull request 550: arrays in shared memory are padded because of bank conflicts, faster, no "
          "figure; deepseek-ai/DeepGEMM pull request 78: bank conflicts are solved by padding, 1 % in general and some 10 % "
          "for small products",
          also=("S01", "F01", "R04", "S02", "B01")),
    fault("cave_survey", "a cave seen by a scanner, points gathered in voxels by sorting", ("T08",), "",
          "Nine arrays, 134 MB together with those of the sort, are allocated by cudaMalloc for each scan and freed by "
          "cudaFree after it, which waits for the GPU, so the GPU is idle for some 0.5 to 2 ms beside 0.4 to 0.7 ms of work; "
          "allocate them once.",
          "FLAMEGPU/FLAMEGPU issue 195: cudaMalloc and cudaFree for a scan in each iteration leave large gaps, significant "
          "gain of a first try (figures of its table not read); moderngpu/moderngpu issue 39: a sort that "
          "allocates each time, a program is 10 to 30 % slower",
          also=("T09", "T10", "F01", "R04", "G05", "B01", "G01")),
    fault("planetarium", "a planetarium, the sky of an evening shown by six projectors", ("F01", "R04"),
          r"\b(bend|balance|blend|tone|encode)\b",
          "What goes to the projectors passes through DRAM as four floats a pixel between five kernels that have a pixel "
          "a thread (bend, balance, blend, tone, encode). They move 2 GB per frame, which takes 0.47 to 0.55 ms. One kernel "
          "moves 0.22 GB, which takes 0.08 to 0.12 ms. Their other work takes 0.2 to 0.35 ms. Make one kernel of them.",
          "rapidsai/cucim pull request 809: many kernels of elements become one for distances of colours, 31 times "
          "scikit-image's speed become 251 for large pictures; kornia/kornia-rs pull request 954: a normalization is part "
          "of the kernel that makes pictures smaller, some 1.7 times as fast",
          also=("F01", "R04", "G05", "G04", "G02")),
    fault("torch_ski_jumpers",
          "ski jumpers, joints found by maps of a network and refined by a second one",
          ("T05", "T03"), "",
          "Maps of 16 joints in 32 frames, 33.6 MB a round, are copied to the host, where NumPy looks for the "
          "brightest points, and 8 KB of places go back for the second network; the GPU is idle for some 6 to 12 ms "
          "beside 5.5 to 7 ms of work; look for them on the GPU (max over flattened maps), some 20 us.",
          "tlpss/keypoint-detection pull request 31: keypoints are extracted from maps by torch instead of scipy on "
          "the host, 5.231 ms become 0.653 (256 x 256), 110 become 1.2 (1920 x 1080); NVIDIA-AI-IOT/trt_pose issue "
          "30: maps that are copied to the host for what follows should stay on the GPU, no figure",
          "torch", also=("T01", "T03", "T04", "T09", "F01", "R04", "G04", "G05", "K01", "B01")),
    fault("torch_escalators",
          "escalators, a transformer that remembers a window of moments as keys and values",
          ("F03",), r"(?i)cat",
          "For each moment all keys and values that are remembered, 2 GB in five layers, are copied to new memory to "
          "drop the oldest moment and append the newest (torch.cat), 4 GB of traffic, some 0.9 to 1.5 ms a moment "
          "beside 0.7 to 0.9 ms of work; write the newest moment over the oldest one in a ring.",
          "kornia/kornia-rs issue 903: concatenation copies the whole cache in each step, memory made beforehand is "
          "asked for, no figure; apple/axlearn pull request 1208: keys and values of a sliding window in a ring "
          "buffer, no figure",
          "torch", also=("F03", "F01", "R04", "T09", "B01", "G04")),
    fault("cupy_hail",
          "hail in a thunderstorm, stones that rise, grow and fall",
          ("F01",), r"(?i)cupy_+(subtract|multiply|add|square|exp|clip|absolute|abs|maximum|true_divide|divide)",
          "How stones grow is worked out by 20 operations on whole arrays, each a kernel that reads and writes arrays "
          "of 67 MB, 3 GB a step, some 0.8 to 1 ms beside 0.45 to 0.6 ms of work; put the expression into the kernel "
          "that moves the stones (cupy.ElementwiseKernel), where it costs next to nothing.",
          "cupy/cupy pull request 3312: expressions of arrays become one elementwise kernel, 11.25 ms become 1.24 for "
          "ten million numbers; cupy/cupy issue 1072: many tight operations that could be fused are asked about, no "
          "figure for it",
          "cupy", also=("F01", "R04", "F03", "B01")),
    fault("jax_hotels",
          "cancelled bookings of hotels, a Bayesian network by Langevin steps",
          ("T07",), "",
          "Features and labels of all bookings, 136 MB that never change, are NumPy arrays that go to the compiled "
          "function in each round, so JAX uploads them each time, some 9 to 17 ms beside 6 to 9 ms of work; put them "
          "on the GPU once (jax.device_put).",
          "jax-ml/jax issue 1989: data used by many runs should be copied to the device once, device_put is the "
          "answer, no figure; kokabsc/gwkokab pull request 467: data are put on the device directly, compilation some "
          "5 times faster (no figure for runs)",
          "jax", also=("T01", "T03", "T04", "T09", "F01", "R04", "B01")),
)

CLEAN = (
    clean("black_hole", "a film of a black hole, rays in curved space, glare and exposure",
          "kavan010/black_hole pull request 45: steps that follow the distance and rays that end early, 4.7 times as fast "
          "(OpenGL, with a part of the gain on the CPU)",
          also=("F01", "B01", "G02", "G03", "R04", "G04")),
    clean("microwave_dinner", "a microwave oven, Maxwell's equations on Yee's grid",
          "beamzorg/beamz pull request 192: fused CUDA kernels for Yee's grid, no figure read; beamzorg/beamz issue 201: "
          "what remains is the traffic of fields, no figure",
          also=("R04", "F01", "G01", "G03")),
    clean("torch_stamps", "stamps, training of a compiled residual network on bytes that lie on the GPU",
          "GaTech-RL2/EgoVerse pull request 676: augmentation by batches on the GPU and compilation, 245 ms a step "
          "become 109 on an H100; NVIDIA/apex pull request 668: channels_last in mixed precision, 22 % faster",
          "torch", also=("F01", "R04", "K01", "K02", "G04", "G05", "B01")),
    clean("triton_patents", "patents that are alike, an encoder with kernels for norms, turns and gates",
          "vllm-project/vllm pull request 51406: norms and turns of queries and keys by one Triton kernel, 562.3 us "
          "become 138.7 for 4096 tokens (an AMD GPU); sgl-project/sglang pull request 28844: the same within one "
          "kernel instead of two, 12.0 us become 7.3 (an AMD GPU)",
          "triton", also=("F01", "R04", "G04", "G05", "B01", "F03")),
)

CASES = FAULTS + CLEAN
