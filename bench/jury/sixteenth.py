"""Public code that was held out. See sixteenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("sequenced_rivers", "genomics, words of DNA in water", ("A01",), r"count_globally",
          "268 million words are counted by atomics on some 2000 words of global memory, which queue up in L2; let each block "
          "count in shared memory and add its counts once.",
          "NVIDIA/cuml pull request 1218: counts by atomics in shared memory besides those in global memory; NVIDIA/cccl pull "
          "request 10556: counters of a block in shared instead of global memory, 1.7 to 5.2 times as fast", also=("S01",)),
    fault("metered_homes", "power, use of homes by quarters of an hour", ("G01",), r"sum_columns",
          "A block adds up a column of a table that lies in rows, so lanes read 2688 bytes apart and use 4 of 32 bytes; give "
          "columns side by side to lanes side by side, and slabs of rows to the blocks.",
          "karpathy/llm.c pull request 221: sums of columns with coalesced reads, up to 4 times as fast", also=("R04",)),
    fault("remembered_books", "language model, a word after a long text", ("B01",), r"attend",
          "A block has a head, so 16 blocks read 1.1 GB while most multiprocessors idle; split the keys of a head among blocks "
          "and join their parts.",
          "gty111/gLLM pull request 273: keys split, as four blocks took 81 % of the time of all kernels; paiml/aprender issue "
          "3725: 16 blocks for a long context", underfilled=True),
    fault("trembling_towers", "towers, recursive filter of sensors", ("S01",), r"smooth",
          "Each lane walks along its own row of a tile of 32 x 32 floats in shared memory, so all 32 lanes meet in one bank; pad "
          "the rows to 33.",
          "tile-ai/TileOPs pull request 1995: rows padded so that lanes meet different banks, 1.38 TB/s become 3.09",
          also=("S02",)),
    fault("surging_lagoons", "sea, shallow water by finite volumes", ("F01",), r"find_flows|apply_flows",
          "One kernel writes what flows through the sides of cells, six arrays, and another one reads them and the water anew; "
          "let one kernel find the flows in registers and change the water.",
          "trixi-gpu/TrixiCUDA.jl pull request 102: flux and weak form by one kernel, 24 us become 17; SeisSol/SeisSol pull "
          "request 1487: four flux kernels become one", also=("R04",)),
    fault("creeping_glaciers", "glaciers, ice that creeps", ("T08",), "",
          "Each step allocates 268 MB for its half step and frees them, so the GPU waits for the host to do so; allocate once "
          "before the first step.",
          "GOMC-WSU/GOMC issue 38: 3 times as fast without a cudaFree at each call; cholla-hydro/cholla pull request 14: memory "
          "of a step allocated once", also=("T09", "T10")),
    fault("torch_hardened_concretes", "building, strength of concrete", ("T03",), "",
          "The length of the gradients is summed on the host, so 76 numbers a step are copied singly and waited for while the "
          "GPU idles; find the length on the GPU (clip_grad_norm_), which waits for nothing.",
          "pytorch/pytorch issue 31474: no number of each gradient for the host, a good deal faster; SeonghwanSeo/kfold pull "
          "request 195: all lengths by one call on the GPU, no gain told", "torch",
          also=("T02", "T09", "B01", "F01", "R04")),
    fault("torch_dated_manuscripts", "manuscripts, age from letters", ("F02",), r"(?i)zero|fill|memset|functor_?add|add_?functor",
          "1.1 GB of gradients are filled with zeros in each step, and the backward pass reads them and adds to them; set them "
          "to None instead.",
          "pytorch/pytorch pull request 92731: gradients become None by default; tenstorrent/tt-metal pull request 43629: no "
          "gradients of zeros, 4.6 % of a step", "torch", also=("F01", "R04")),
    fault("torch_staged_sleepers", "sleep, stages of a night", ("T09",), "",
          "A loop in Python calls a cell for each of 240 parts of a night, so the GPU waits for the launches of short kernels; "
          "give the whole night to the library's recurrent layer.",
          "dr-costas/SEDLM issue 1: a loop of GRUCell is really slow beside nn.GRU; rossumai/OCkRE issue 2: cuDNN's "
          "layer, 6 times as fast", "torch", also=("F01", "B01")),
    fault("cupy_melting_passes", "mountains, melting snow", ("F01",), r"(?i)cupy_|multiply|add|subtract|minimum|maximum",
          "The balance of energy is an expression of arrays, so ten kernels read and write whole arrays of 67 MB; one "
          "elementwise kernel reads each once.",
          "scverse/rapids-singlecell pull request 159: an elementwise kernel instead of operations on arrays; cupy/cupy pull "
          "request 3312: 22 ms become 1.3", "cupy", also=("R04",)),
    fault("jax_repeated_bursts", "radio telescope, bursts that repeat", ("F03",), "",
          "The function may not write into what it is given, so each call copies 1.1 GB of spectra within the device to change "
          "16 rows; donate the argument.",
          "hr0nix/dejax issue 2: what is kept is donated, so that it is updated in place; jax-ml/jax pull request 9258: "
          "donated arguments save a copy", "jax", also=("R04",)),
    fault("triton_recorded_choirs", "choir, levels of microphones", ("G01",), r"show_one",
          "A program takes the moments of one of 64 microphones whose sounds lie together, so lanes read 4 bytes that lie 256 "
          "bytes apart; let a program take rows of all microphones.",
          "pytorch/pytorch pull request 17945: norms of channels that lie together, 533 ms become 84 (backwards); pull request "
          "12844: 222 ms become 103", "triton", also=("R04",)),
)

CLEAN = (
    clean("stacked_nights", "sky, exposures put together",
          "halide/Halide issue 1510: medians by networks of minima and maxima; openastroproject/openastro issue 402: stacks by "
          "medians"),
    clean("ordering_alloys", "alloy, order of two kinds of atoms",
          "NVIDIA/ising-gpu optimized/cuIsingModel/README.md@935796d7: a chessboard's colours apart, 128 spins a word"),
    clean("pulsating_stars", "stars, periods of their light",
          "NVlabs/cuda-oxide pull request 976: a ring of pinned slots, copies beside kernels; sh1ng/arboretum pull request 7: "
          "copies and computation at once"),
    clean("torch_archived_letters", "archive, vectors of letters",
          "NVIDIA/NeMo-Retriever pull request 1757: a network loaded as bfloat16 instead of autocast, 15 to 20 % more texts",
          "torch", also=("F01", "R04")),
    clean("torch_priced_flats", "flats, what they cost",
          "pytorch/pytorch pull request 10260: rows of tables in memory are taken by index_select, 1.39 s become 0.09",
          "torch", also=("F01", "R04")),
    clean("cupy_drilled_ices", "ice, cycles of the climate",
          "rapidsai/cusignal pull request 202: kernels of their own for floats, sine and cosine by one call, 1.35 times as fast",
          "cupy"),
)

CASES = FAULTS + CLEAN
