"""Public code that was held out. See twenty_second.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("pipe_leaks", "water pipes, sounds of hydrophones through filters", ("S01",), r"pass_band",
          "A thread goes along its own row of a tile in shared memory, and rows are 32 numbers long, so all lanes of a "
          "warp read and write the same bank, 32 turns for each sample; make rows 33 numbers long.",
          "ExtremeFLOW/neko pull request 550: arrays in shared memory made longer, as rows of eight met in banks, no "
          "figure; kekzl/imp pull request 484: rows of exactly 32 banks made longer, the kernel 1.54 times as fast",
          also=("F01", "R04")),
    fault("cloud_light", "sunlight in clouds, photons scattered by droplets", ("C01",), r"\bfly\b",
          "The table of angles lies in constant memory and each lane draws an entry of its own, so a warp's read is done "
          "address by address; let each block keep the table in shared memory.",
          "JustVugg/colibri pull request 935: a table read at another index by each lane moved from constant to shared "
          "memory, 8.40 s become 1.58; NVlabs/cuda-oxide pull request 684: 256 entries in constant memory, 49.5 times "
          "as slow as in global memory",
          also=("G05", "G01", "G03")),
    fault("waste_belt", "waste on a belt, plastics told apart by 64 bands of light", ("R04", "F01"), r"match_plastics",
          "A launch compares the picture with one plastic, so the same 268 MB are read from DRAM by four launches one "
          "after the other; compare a pixel with all plastics while its bands are at hand, by one kernel.",
          "kokkos/kokkos-kernels issue 488: right-hand sides inside the kernel, so the matrix is not read once for each "
          "of them; meta-pytorch/MSLK pull request 372: keys read once for all heads instead of once for each, four "
          "or eight times less to read",
          also=("F01", "R04", "B01", "G04")),
    fault("wind_farm", "wind farms, turbines turned by a controller on the host", ("U01", "U02"), "",
          "Power and yaw of all turbines lie in managed memory that kernels and the controller touch in turn, so its "
          "pages move to the host and back by page faults in each round, while kernels and host wait; keep both in "
          "device memory and copy them from and to pinned memory (or prefetch them).",
          "Geoenergia-Lab/HermiteLBM pull request 31: back to cudaMalloc, as managed memory caused page faults; "
          "genn-team/genn pull request 282: managed memory costs some 20 % in a simulation whose host reads results",
          also=("T03", "T04", "T05", "T09", "F01", "G03")),
    fault("lidar_forest", "forests, trees counted in lidar strips", ("T08",), "",
          "Strips differ in size, and two arrays are freed and allocated again for each of them, which takes the host "
          "longer than the GPU needs for a strip, and each free waits for the GPU; keep arrays that are large enough.",
          "NVIDIA/raft pull request 1495: a pool that is kept between runs, 36.3 s become 10.0; realsenseai/librealsense "
          "issue 11692 and pull request 11737: buffers allocated for each frame, now only where they are too small",
          also=("T09", "T10", "A01", "F01", "R04", "G05", "B01")),
    fault("runway_noise", "noise around an airport, lines of equal noise", ("T05", "T03"), "",
          "The pieces of 65,536 tiles are counted on the GPU, downloaded, summed up by the host and uploaded as starts, "
          "while the GPU idles; sum them up on the GPU.",
          "fbpic/fbpic pull request 433: cumulative sums moved to the GPU, so that much less is copied to and fro; "
          "k2-fsa/k2 pull request 503: sums of 100,000 counts take 65 us on a CPU and 13 on a GPU",
          also=("T04", "T09", "F01", "B01", "G01")),
    fault("torch_engines", "aircraft engines, flights left, training on shards of recordings", ("T08",), "",
          "Each shard of 50 MB is pinned before its copy and unpinned after it, though the same five shards come "
          "again and again, so the host spends longer on pages than on launches and the GPU idles; pin each shard "
          "once.",
          "lupinemachines/lupine pull request 208: memory pinned for each copy, now pinned once and kept, 1156 us "
          "become 52.7; NVIDIA-Genomics-Research/GenomeWorks pull request 481: slower than pageable copies, as "
          "memory is registered and unregistered each time",
          "torch", also=("T03", "T04", "T07", "T09", "T10", "K02", "F01", "R04", "F03", "B01")),
    fault("torch_payments", "payments, a server that scores them for fraud", ("T10", "T09"), "",
          "The host waits for the GPU before and after each of 18 parts of the network in order to take the time, "
          "reads nothing, and the GPU idles until the next part is launched; take the time by events that are read "
          "later.",
          "HuguesTHOMAS/KPConv-PyTorch issue 22: 25 % slower by waits that are there to take the time; "
          "deepspeedai/DeepSpeed pull request 1881: events instead of waits in its timers",
          "torch", also=("F01", "R04", "B01")),
    fault("torch_callers", "callers, a server that knows their voices", ("R04",), r"(?i)gemv|gemm|dot|splitk|cutlass|nvjet",
          "The vectors of a million customers, 537 MB, are read from DRAM once for each of 16 voices; multiply all "
          "voices of a round at once.",
          "volcengine/OpenViking pull request 3382: searches that wait together become one product; "
          "qdrant-labs/supernova pull request 36: all searches share one pass through the vectors",
          "torch", also=("R04", "F01", "B01", "T09")),
    fault("cupy_panels", "solar panels, hot spots in pictures of a heat camera", ("C01",), r"warm\b",
          "The camera's curve is in constant memory, and the points of a warp read some 20 different numbers of it, "
          "which are fetched one after the other; keep the curve in global (or shared) memory.",
          "JustVugg/colibri pull request 935: a table moved from constant to shared memory, as each lane reads "
          "another number of it, 8.40 s become 1.58; ahrefs/ocannl issue 195: a warning that constant memory is not "
          "faster where threads read different places",
          "cupy", also=("F01", "R04", "G04", "G05", "B01")),
    fault("jax_wildfire", "fire in a forest, and lines that crews clear", ("T05",), "",
          "After each round the whole map of 16.8 MB is downloaded, 16384 cells of it are cleared by NumPy, and it "
          "is uploaded again, while the GPU waits; clear the cells on the GPU by .at[].set().",
          "jax-ml/jax pull request 5012: arrays that went to the host and back where they need not; "
          "PlasmaControl/DESC pull request 1051: arrays kept on the GPU, no more large uploads between iterations",
          "jax", also=("T01", "T03", "T04", "T09", "F01", "R04", "F03")),
    fault("triton_bridges", "bridges, wear from readings of strain", ("B01",), r"gauge",
          "A program goes through all four million readings of a sensor, so 64 programs have 1.1 GB to read, and "
          "more than half of 132 multiprocessors have nothing to do; let 64 programs share a sensor and add up their "
          "sums.",
          "pegainfer-project/pegainfer pull request 21: 128 programs instead of 32, some 70 us become 15; "
          "sgl-project/sglang pull request 27786: more programs for few long rows, 1.2 to 3.5 times as fast",
          "triton", also=("B01", "F01", "R04", "G04")),
)

CLEAN = (
    clean("mirror_control", "telescope, a mirror that takes out the blur of the air",
          "LibreYOLO/libreyolo pull request 645: a forward pass recorded as a CUDA graph, 25.7 ms become 3.9; "
          "ahrefs/ocannl issue 488: steps of small kernels as a graph, 0.105 ms become 0.055",
          also=("B01", "F01", "R04")),
    clean("luggage_scan", "luggage at an airport, seen by two X-ray beams",
          "ratt-ru/montblanc pull request 75: copies that overlap with kernels completely; antirez/ds4 pull request "
          "738: four pinned buffers and a stream of their own for uploads",
          also=("G04", "F01")),
    clean("bike_hire", "hire of bicycles, rides counted by hour and district",
          "PaddlePaddle/Paddle pull request 24912: a histogram counted in shared memory, 13.4 become 4.3; "
          "NVIDIA/cuml pull request 1218: a fixed number of blocks, each of which counts many numbers",
          also=("R04",)),
    clean("torch_pollen", "pollen in the air, a compiled forecast hour by hour",
          "NVIDIA/earth2studio pull request 722: forecasts step by step with a compiled network, 1.5 to 3 times as "
          "fast; lucas-maes/le-wm pull request 57: compiled and in bfloat16, 1.13 times as fast",
          "torch", also=("F01", "R04", "B01")),
    clean("torch_apples", "apples, counted in pictures of a drone",
          "talmolab/sleap-nn pull request 406: pictures copied as bytes and converted on the GPU, 14.9 ms become "
          "1.0; JDAI-CV/fast-reid pull request 456: the next pictures copied by a stream of their own",
          "torch", also=("F01", "R04", "G01", "G04", "T07", "B01")),
    clean("triton_coffee", "coffee beans, sorted by their spectra",
          "sgl-project/SpecForge pull request 716: scores that are never stored, 11.17 ms become 1.82; "
          "vllm-project/speculators pull request 951: the same for several losses, 1.2 to 4 times as fast",
          "triton", also=("F01", "R04", "G05", "B01")),
)

CASES = FAULTS + CLEAN
