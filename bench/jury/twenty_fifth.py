"""Public code that was held out. See twenty_fifth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("river_sonar", "sonar of a river, recursive filters along rows through tiles in shared memory", ("S01",),
          r"smooth_(forward|backward)",
          "Each lane goes along its row of a tile of 32 by 32 numbers, so all lanes of a warp read and write the same bank "
          "at each of 32 samples, 32 passes an access; make rows 33 numbers long.",
          "deepspeedai/DeepSpeed pull request 8055: a tile's padding is used by its index, too, 5.4 us become 5.1; "
          "ExtremeFLOW/neko pull request 550: arrays in shared memory padded against bank conflicts, no figure",
          also=("F01", "R04", "B01")),
    fault("harbour_waves", "waves in a harbour, shallow water in small steps", ("T10", "T09"), "",
          "After each launch the host waits for the GPU though it reads nothing, so the GPU idles some 6 to 10 us after "
          "each kernel of 3 to 9 us; check launches without waiting.",
          "NVIDIA/cuda-quantum pull request 4596: a wait that nothing needs removed, 10 to 15 us a call, 7 % of a small "
          "benchmark; PointCloudLibrary/pcl issue 711: waits after kernels lower the rate of frames, no figure",
          also=("T09", "F01", "R04", "G05", "B01")),
    fault("orchard_lidar", "lidar over an orchard, points thinned by voxels", ("T08",), "",
          "Each scan allocates five buffers of the GPU and frees them at its end, and the host waits for the GPU at each "
          "cudaFree, some 0.5 to 1.2 ms beside 0.5 ms of work; keep the buffers (or use cudaMallocAsync with a pool that "
          "keeps its memory).",
          "kornia/kornia-rs pull request 1010: memory that is not given back after each frame, 8.47 ms become 1.31 on a "
          "Jetson; realsenseai/librealsense pull request 11737: buffers of frames kept, no figure",
          also=("T10", "T09", "T03", "F01", "R04", "G01", "B01")),
    fault("film_grading", "film, frames that go through a colourist's operators", ("F01", "R04"), r"\bgrade\b",
          "Six operators for each pixel are six kernels, so 133 MB of a frame are read and written six times from DRAM, "
          "some 0.4 ms beside 0.2; put the operators into one kernel.",
          "kornia/kornia-rs pull request 954: size and scale of values in one kernel, some 1.7 times as fast (closed); "
          "intel/libxcam pull request 131: all kernels of a camera's pictures joined, no figure",
          also=("F01", "R04", "G01", "G04", "A01")),
    fault("torch_corals", "coral reefs, training of a U-Net on crops of pictures", ("T08",),
          "",
          "After each step torch.cuda.empty_cache gives some 2.5 GB of unused blocks back by cudaFree, which waits "
          "for the GPU, and the next step allocates them anew by cudaMalloc, some 30 to 45 blocks of 33 to 134 MB; "
          "leave the call out, as the allocator has the same blocks for the next step.",
          "huggingface/peft pull request 2894: empty_cache left out of the training loop, 65 s become 45; "
          "huggingface/transformers pull request 31530: empty_cache removed from the training loop, no figure",
          "torch", also=("T10", "T09", "F01", "R04", "K02", "G04", "F03", "B01")),
    fault("torch_crosswords", "crosswords, clues written word by word by a transformer", ("T09",),
          "",
          "A word takes some 80 to 90 kernels of 2 to 10 us, which Python launches one by one in about twice the "
          "time that the GPU needs; record the step as a CUDA graph and replay it, as all buffers stay where they "
          "are.",
          "resemble-ai/chatterbox pull request 545: the step of a decoder replayed as a CUDA graph, 29.1 ms a token "
          "become 6.3; facebookresearch/metaseq pull request 270: the same for 175 thousand million weights on eight "
          "GPUs, 95 ms become 66",
          "torch", also=("F01", "R04", "B01", "F03", "G05")),
    fault("cupy_farmland", "farmland, soil water and plants of many plots day by day", ("F01", "R04"),
          r"(?i)cupy_(add|subtract|multiply|true_divide|minimum|maximum|where|less)",
          "A day of the plots is some 30 operations on arrays of 33.5 MB, each of which is a kernel that reads its "
          "inputs from DRAM and writes its output there, 2.6 GB in all instead of 0.4; write them as one "
          "ElementwiseKernel (or use cupy.fuse).",
          "cupy/cupy pull request 3312: windows by one elementwise kernel each, 22.36 become 1.33 for ten million "
          "points; cupy/cupy issue 1072: the same asked for a model of waves, no figure",
          "cupy", also=("F01", "R04", "B01")),
    fault("jax_permafrost", "frozen ground, heat with melting and freezing", ("T05",),
          "",
          "To set eight rows, all 16.8 MB of temperatures are copied to NumPy and back to the GPU in each round, "
          "while the GPU waits; set them on the GPU (at[].set in a compiled function that donates the array).",
          "PlasmaControl/DESC pull request 1051: arrays kept by JAX instead of NumPy, large uploads between "
          "iterations disappear, no figure; coarse-graining/cgnet pull request 99: a loop of simulation without "
          "conversions to NumPy, no figure",
          "jax", also=("T01", "T03", "T04", "T09", "F01", "F03", "R04", "B01")),
)

CLEAN = (
    clean("star_cluster", "a cluster of stars, gravity of all pairs by tiles in shared memory",
          "taichi-dev/taichi issue 5338: stars in tiles of shared memory, about 2 times as fast; beehive-lab/TornadoVM pull "
          "request 1021: the same, 1.01 times as fast on one GPU, as square roots bound the time",
          also=("B01", "F01")),
    clean("quake_watch", "earthquakes, known shapes looked for in samples that are uploaded meanwhile",
          "NVIDIA/cuvs pull request 2538: batches uploaded to two buffers in turn during the work on those before, figure "
          "not read; pyxem/pyxem pull request 796: a kernel that matches templates improved, 46 ms become 28",
          also=("B01", "F01")),
    clean("torch_trams", "trams, training of a compiled forecaster of time series",
          "wandb/senpai pull request 289: a compiled transformer, 31 s an epoch become 24.2; Lightning-AI/litgpt "
          "pull request 857: fused AdamW, 2 to 3 ms less a step",
          "torch", also=("F01", "R04", "K02", "B01", "G05", "F03")),
    clean("triton_pollen", "pollen, foretold from stations by likeness and distance",
          "vllm-project/vllm pull request 55629: a bias of attention by place worked out in a Triton kernel instead "
          "of stored, 384 MiB less, no time read; ecmwf/anemoi-core pull request 716: attention in Triton, 4.08 ms "
          "become 3.14, and no gain at other sizes",
          "triton", also=("F01", "R04", "B01", "G02")),
)

CASES = FAULTS + CLEAN
