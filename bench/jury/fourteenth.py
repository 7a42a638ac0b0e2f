"""Public code that was held out. See fourteenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("beating_tissue", "heart, waves in a sheet of tissue", ("F03", "R04", "F01"), "",
          "Each step writes the voltages to a second array and copies 134 MB back to the first one; let the two pointers "
          "change places.",
          "arbor-sim/arbor pull request 1027: a swap instead of a copy, and the solution written where it belongs, 2.22 s "
          "become 2.13 on a V100; NVIDIA/cuml pull request 3096: pointers of flags exchanged instead of copies"),
    fault("summed_trips", "taxis, aggregates of a table", ("R04", "F01"), r"add_fares|find_cheapest|find_dearest",
          "Sum, least and largest are kernels of their own, so two columns of 1.07 GB in all come from DRAM three times; "
          "find all three in one pass.",
          "singhpratech/duckdbgpumetaldbram pull request 163: one pass for sum, least and largest, 2.150 ms become 0.719"),
    fault("forecast_rain", "weather, rain carried by the wind", ("T01",), "",
          "Maps of 8 MB are copied to ordinary memory of the host, which is slow and makes the host wait, so no kernel runs "
          "meanwhile; pin the memory.",
          "cholla-hydro/cholla pull request 24: all memory of the host that is copied is pinned, about 4 times as fast; "
          "NVIDIA/cuda-quantum pull request 4261: a state to pinned memory, 0.29 s become 0.04", also=("T03", "T04")),
    fault("following_cars", "traffic, cars that follow one another", ("G01",), r"follow",
          "A car is a record of 40 bytes, so lanes load and store 40 bytes apart, and a step fetches members that it does not "
          "need; keep an array for each member.",
          "ROCm/hip issue 3106: arrays instead of records in HeCBench's example of layouts, 721 us become 172 on a V100; "
          "kokkos/kokkos issue 4751: 642 GB/s become 1021 with another layout"),
    fault("torch_novel_gaits", "robot, archive of gaits", ("F03", "R04", "F01"), r"(?i)cat|copy|memcpy",
          "torch.cat copies the whole archive, 67 to 134 MB, in each round, to add 16 KB; allocate room once and fill it.",
          "ml-explore/mlx pull request 4019: room allocated and filled instead of concatenate, 0.22 ms a step instead of 3.73; "
          "ulissigroup/amptorch issue 12 and pull request 13: the same for torch.cat", "torch",
          also=("F01", "R04", "T08", "B01", "T09")),
    fault("torch_worn_collars", "animals, means over fixes", ("T03", "T02"), "",
          "Slices end at numbers on the device, so the host waits 32 times a round while the GPU idles; take all means at "
          "once by a mask.",
          "tier4/autoware-ml pull request 122: slices with ends on the device, 2900 waits a step; NVIDIA/TransformerEngine "
          "pull request 3268: masks of all samples without a wait for each", "torch", also=("T09", "B01", "F01", "R04")),
    fault("torch_sequenced_soils", "microbes, vectors of words of DNA", ("F03", "K02", "F01", "R04"),
          r"(?i)cop|elementwise|convert",
          "A table of 537 MB is converted to floats in each round, to look up 131,072 of a million rows; look up first, then "
          "convert.",
          "RL-Align/RL-Kernel pull request 169: rows looked up as stored instead of a conversion of the table", "torch",
          also=("F01", "R04")),
    fault("torch_feeding_bees", "bees, scores of all pairs", ("F03", "F01", "R04"),
          r"(?i)copy|cat|elementwise|gemm|nvjet|cutlass|xmma",
          "Bees are repeated for all pairs and joined, 2 GB of copies, before a product; multiply bees and add both results by "
          "broadcasting.",
          "diegoantognini/pyGAT pull request 63: a broadcast sum instead of repeated nodes, less memory and faster; dmlc/dgl "
          "issue 963: two products instead of one of joined nodes", "torch", also=("F01", "R04", "G03")),
    fault("jax_foretold_rivers", "rivers, memories that fade", ("T09", "B01", "F01"),
          r"(?i)fusion|loop|add|multiply|dynamic|copy|wrapped",
          "lax.scan launches a few small kernels for each of 128 days and four layers, which leave the GPU mostly empty; use "
          "associative_scan.",
          "google-deepmind/rlax pull request 168: associative_scan for a linear recurrence, 4.5 times as fast for 16 steps",
          "jax", also=("F01", "R04", "B01", "T09", "G03", "T02", "T03")),
    fault("triton_mixed_winds", "wind, likelihood of forecasts", ("F03", "F01", "R04"), r"(?i)cop|elementwise",
          "Three parts of each row are copied to arrays of their own, 403 MB, before a kernel that takes the distance of rows; "
          "hand over the parts as they are.",
          "sgl-project/sglang pull request 30575: two copies a layer because of fixed distances, 638 us a step; pull request "
          "5953: no contiguous() where the kernel knows strides", "triton", also=("F01", "R04", "F03")),
)

CLEAN = (
    clean("misread_primers", "genomics, primers with misread letters",
          "NVIDIA-Genomics-Research/GenomeWorks pull request 31: distances by words of bits"),
    clean("torch_spread_names", "cells, names from those alike",
          "dmlc/dgl pull request 2852: label propagation", "torch"),
    clean("cupy_bought_molecules", "molecules, likeness by bits",
          "chembl/FPSim2 FPSim2/FPSim2Cuda.py: likeness by an elementwise kernel", "cupy"),
)

CASES = FAULTS + CLEAN
