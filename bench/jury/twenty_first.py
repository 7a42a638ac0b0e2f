"""Public code that was held out. See twenty_first.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("tick_archive", "stock exchange, prices unpacked from an archive", ("L01",), r"read_tiles",
          "A lane's packed words lie in an array that is indexed by a width known only at run time, so the array is in "
          "local memory and each of 32 prices loads two words from there; choose among widths that are known at compile "
          "time, so words stay in registers.",
          "NVIDIA/nvcomp issue 47: packed bytes no longer put into a local array first, 37 % faster; lxxue/FRNN issue 3: "
          "lists of neighbours that do not fit into registers go to local memory, as slow as global memory",
          also=("F01", "R04", "B01")),
    fault("paper_ranks", "papers, ranked by who cites them", ("G03",), r"collect_ranks",
          "A warp has a paper, which is cited by 12 others on average, so 20 of 32 lanes have no work and two million "
          "warps wait for their loads one after the other; let eight lanes have a paper.",
          "kokkos/kokkos-kernels issue 400: very slow for rows of seven numbers, not for long ones; "
          "ginkgo-project/ginkgo pull request 1046: a thread for a row is much faster than a warp for a row",
          also=("G02", "G05", "G01", "R04", "F01", "G03")),
    fault("brake_disc", "brake disc, heat in a mesh of tetrahedra", ("G05", "G01"), r"conduct|load_surface",
          "Nodes have the numbers in which the mesher added them, so the neighbours of 32 nodes lie anywhere and each of "
          "14 reads of a node moves a sector of its own; renumber nodes by where they are.",
          "Victor2266/The-Fluid-Toy issue 33: particles themselves sorted instead of their indices, about 2 times as "
          "fast; quinoacomputing/quinoa issue 172: nodes of a mesh renumbered so that fewer reads miss the cache",
          also=("G05", "G01", "R04", "F01")),
    fault("star_watch", "stars, flares in exposures of a telescope", ("T01",), "",
          "Light curves are downloaded to a plain vector of the host, so the copy is staged, the host waits for it and "
          "the next upload begins only after it; let the curves lie in pinned memory.",
          "cholla-hydro/cholla pull request 24: memory that takes part in copies is pinned, about 4 times as fast; "
          "mrc-ide/dust pull request 230: pinned memory for downloads beside the next kernels, copies 30 to 50 % faster",
          also=("T03", "T04", "T09", "F01", "R04", "G01", "G04", "G05")),
    fault("arm_planner", "robot arm, paths drawn and weighed for each command", ("T09",), "",
          "For each command 35 operations are captured and a graph is instantiated and destroyed again, which takes the "
          "host about as long as the GPU needs for the work, and the GPU idles meanwhile; keep the two graphs that there "
          "are, one for each of two plans that take turns.",
          "kekzl/imp pull request 1895: a kept graph is updated instead of instantiated anew, 13.7 ms become 0.1; "
          "pytorch/pytorch issue 171672: a graph instantiated in each iteration, 27 samples a second become 2",
          also=("T02", "T03", "B01", "F01", "G02")),
    fault("sand_dunes", "dunes, sand moved by the wind", ("Z01",), r"note_moves",
          "Notes of 524,288 patches lie in mapped host memory and a kernel adds to each of them in each step, so 2.1 MB "
          "cross the host link both ways; keep them in device memory and download them when they are shown.",
          "nlesc-recruit/cudawrappers pull request 211: mapped memory is rather slow, device memory and copies are "
          "fastest; LMCache/LMCache issue 766: kernels that fetch from host memory themselves can be slow",
          also=("F01", "R04")),
    fault("torch_glaciers", "crevasses of a glacier, a network of the shape of a U", ("K01",),
          r"(?i)nchw|nhwc|transpose",
          "Tiles and weights lie band by band (the default layout), and the library's convolutions for bfloat16 want "
          "the bands of a point together, so it converts the input and the output of each convolution; let both be "
          "channels_last.",
          "instanseg/instanseg pull request 144: channels_last, conversions were 12 % of the time and inference is "
          "some 30 % faster; PaddlePaddle/Paddle pull request 20597: convolutions of channels-last data without "
          "conversion, 0.195 become 0.16 for ResNet50 in 16 bits",
          "torch", also=("F01", "R04", "F03", "G01", "G04")),
    fault("torch_recipes", "recipes, a server that searches them", ("K02",), r"(?i)copy|elementwise|cast",
          "The weights stay in 32 bits and autocast converts all 453 million of them for each batch of questions, so "
          "2.7 GB are read and written for products that read 0.9; convert the network to bfloat16 once.",
          "huggingface/diffusers pull request 511: autocast removed from inference, 19.0 s become 14.0; "
          "chaiNNer-org/chaiNNer pull request 1024: weights converted once instead of by autocast",
          "torch", also=("F01", "R04", "B01", "T09")),
    fault("torch_sleep", "stages of sleep, training on recordings", ("T01",), "",
          "The recordings lie in pageable memory, so 94 MB a round are copied through the driver's buffers while the "
          "host waits and has not launched the round's kernels, and nothing overlaps; pin the memory once.",
          "kohya-ss/sd-scripts pull request 1894: pinned memory for batches, 8 to 10 % faster; pytorch/pytorch issue "
          "16901: batches from pinned memory, 0.03 s become 0.014 for a copy",
          "torch", also=("T03", "T04", "T07", "T09", "K02", "F01", "R04", "F03", "B01")),
    fault("cupy_ash", "ash of a volcano, carried by wind", ("G05", "G01"), r"carry",
          "Grains lie in the order of their birth, so neighbouring lanes read the wind of 16 corners each from cells "
          "far from one another, and some 4 GB of sectors travel where 0.3 are wanted; sort the grains by cell now "
          "and then.",
          "jipolanco/NonuniformFFTs.jl pull request 30: points sorted in space, near 3 times as fast; Hi-PACE/hipace "
          "issue 238 and pull request 257: 16.0 s, and 10.9 where particles stay in order",
          "cupy", also=("F01", "R04")),
    fault("jax_lifts", "lifts, learning from what was kept", ("F03",), "",
          "The state is not donated, so each round copies all 805 MB of what was kept to a new array in order to "
          "write 3 MB; donate it (donate_argnums), and it is written in place.",
          "jax-ml/jax issue 16647: all of a replay buffer is copied each time it is changed; instadeepai/flashbax "
          "issue 31: 13 ms to add to a buffer on a GPU, 0.4 by other libraries",
          "jax", also=("F01", "R04", "G05", "B01")),
    fault("triton_wines", "wines, which grapes are in them", ("L01",), r"refine",
          "A program has 16 chromatograms of 4096 points and four warps, so each thread holds 512 numbers where it "
          "has at most 255 registers, and the rest goes to local memory and back in each pass; let a program have "
          "one chromatogram (or more warps).",
          "triton-lang/triton issue 1101: a block of a whole picture, some 10 times as slow as small blocks; "
          "pytorch/pytorch pull request 119634: 366 spilled registers and 1.33, 26 and 0.76 with four times as many "
          "warps",
          "triton", also=("F01", "R04")),
)

CLEAN = (
    clean("quake_waves", "earthquake, waves through rock",
          "NVIDIA/Fuser pull request 3132: copies to shared memory that go past registers; BLAST-WarpX/warpx issue 4807: "
          "stencils by shared memory with weights known at compile time", also=("B01", "G01", "R04", "F01")),
    clean("motor_field", "electric motor, magnetic field while it turns",
          "ginkgo-project/ginkgo pull request 1609: conjugate gradients within one kernel; dealii/dealii pull request "
          "13698: conjugate gradients whose vectors are read once per iteration", also=("B01", "F01", "R04")),
    clean("tissue_slides", "tissue, nuclei counted on slides",
          "NVIDIA/cuCollections pull request 727: pinned memory, so that copies of several streams do not wait; "
          "slideflow/slideflow pull request 205: a faster reader of slides, 2 to 3 times as fast",
          also=("G04", "F01")),
    clean("torch_bees", "bees, training of a compiled network on tracks",
          "pytorch/torchtitan pull request 442: a compiled norm, some 9 % faster; kyutai-labs/moshi pull request "
          "362: the same, a step of 19.5 ms becomes 16.7",
          "torch", also=("K02", "F01", "R04", "B01", "F03")),
    clean("torch_scribes", "manuscripts, lines read letter by letter",
          "resemble-ai/chatterbox pull request 545: keys and values of a fixed size and a CUDA graph, 29.1 ms become "
          "6.3; GeeeekExplorer/nano-vllm pull request 176: kept pinned memory beside a CUDA graph, 251 words a "
          "second become 262",
          "torch", also=("F01", "R04", "B01", "F03")),
    clean("triton_pottery", "shards of pots, compared with known pots",
          "NVIDIA-BioNeMo/nvMolKit pull request 125: likenesses found within a Triton kernel and never stored; "
          "AnswerDotAI/fastkmeans pull request 1: the same for k-means, 74.5 % faster than another library",
          "triton", also=("R04",)),
)

CASES = FAULTS + CLEAN
