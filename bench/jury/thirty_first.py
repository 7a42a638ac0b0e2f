"""Public code that was held out. See thirty_first.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("palm_veins", "palms at a gate, codes of Gabor filters compared with half a million enrolled ones", ("R04", "F01"),
          r"\bmatch\b",
          "Each of 256 travellers has a launch of its own that reads all enrolled codes, 201 MB, four times the size of L2, so "
          "they come from DRAM 256 times a round, some 48 to 55 us each time, 12 to 14 ms; compare eight travellers with each "
          "code that is read (a launch for eight), and it takes 3.6 to 5 ms (counting bits is then what is slow).",
          "NVIDIA/cuvs issue 2464: a search has one query for each call and should have many, no figure read; NVIDIA/cuvs "
          "pull request 215: all queries in one batch take 0.70 to 0.85 s, one at a time 18 to 19 s (more than reading is "
          "saved there)",
          also=("R04", "F01", "A01", "B01", "S02", "G01")),
    fault("microfilm", "old newspapers on microfilm, pages uploaded, freed of grain, made black and white", ("T01", "T03"), "",
          "Pages of 16.8 MB lie in ordinary (pageable) memory, so cudaMemcpyAsync goes through a buffer of the driver while "
          "the host waits, some 1.2 to 3.4 ms a page beside 0.6 to 0.85 ms of work; allocate pages by cudaMallocHost, and a "
          "copy takes some 0.35 ms behind the work on the page before.",
          "tracel-ai/cubecl issue 539: uploads of pageable memory at 0.7 GiB/s, 11.4 for pinned memory of another program; "
          "gabotechs/libcudf-rs pull request 35: pinned memory for arrays that are uploaded, no figure read",
          also=("T03", "T04", "T07", "T09", "F01", "R04", "G04", "B01", "S02")),
    fault("blinking_dyes", "a microscope for dyes that blink, tilted Gaussians fitted to spots", ("L01",), r"fit_spots",
          "The solver's loops end at a number of parameters that is known at run time only, so the matrix and the vector of each "
          "thread (176 bytes) lie in local memory instead of in registers; each turn loads and stores them for each row of "
          "pixels and some 600 times while it solves, some 1.6 to 3 ms an exposure instead of 0.7 to 1 ms; make the number a "
          "constant of a template and unroll the loops.",
          "BLAST-WarpX/warpx issue 5199: arrays with dynamic indices lie in local memory, and numbers known at run time should "
          "become constants, no figure; NVlabs/cuda-oxide issue 397: small arrays with indices of run time go to local "
          "memory, full unrolling is asked for, no figure",
          also=("L01", "F01", "R04", "A01", "G01", "G05", "B01", "S02")),
    fault("robot_vacuums", "robots that clean a building by night, ways to docks relaxed until nothing changes",
          ("T03", "T02", "T09"), "",
          "After each of some 240 launches a night the host clears a flag, copies it (4 bytes) and waits for it to see "
          "whether anything changed, so the GPU is idle for some 9 to 14 us each time, 2.2 to 3.4 ms beside 1.3 to 2 ms of "
          "work; ask after every sixteenth launch, at most 15 launches more, and a night takes 1.5 to 2.4 ms.",
          "NVIDIA/cudaqx issue 166: a decoder gets a number of iterations after which it asks whether it has converged, no figure; "
          "ginkgo-project/ginkgo pull request 168: a solver's test for its end without new memory and with small copies, 0.817 s "
          "become 0.753",
          also=("T03", "T02", "T09", "F01", "A01", "G01", "G05", "G03", "B01", "S02")),
    fault("torch_subtitles",
          "subtitles of films, feelings told by a transformer in mixed precision",
          ("K02",), r"(?i)copy",
          "The weights are kept in 32 bits, so autocast converts all 604 million of them to bfloat16 in each round, 2.4 GB "
          "read and 1.2 GB written by 98 kernels (biases, too), some 0.9 to 1.3 ms beside 1.9 to 2.6 ms of work; "
          "convert the weights of the products once after the network was read (.to(torch.bfloat16)).",
          "AUTOMATIC1111/stable-diffusion-webui pull request 15820: no casts during inference but weights of 16 bits, some "
          "50 ms an iteration less as quoted; chaiNNer-org/chaiNNer pull request 1024: networks are converted once instead "
          "of autocast for each picture, no figure",
          "torch", also=("K02", "F01", "R04", "T09", "G04", "G05", "B01")),
    fault("torch_potholes",
          "potholes in roads, training of a compiled U-Net on frames that lie in the memory of the host",
          ("T01",), "",
          "The frames of a batch, 23.6 MB, and their marks come from ordinary pageable memory, so non_blocking has no "
          "effect: the driver stages them at 5 to 15 GB/s while the host waits and the GPU does nothing else, some 1.7 to 5 "
          "ms (and launches come late after it) beside 4 to 5.5 ms of work; allocate them with pin_memory=True, and the "
          "copy takes some 0.5 ms and the host runs ahead.",
          "kohya-ss/sd-scripts pull request 1894: pin_memory for the DataLoader, epochs some 8 to 10 % faster by the "
          "writer's figure; constantinpape/torch-em pull request 357: non_blocking copies and pin_memory by default, a "
          "minor gain, no figure",
          "torch", also=("T01", "T03", "T04", "T09", "F01", "R04", "K01", "K02", "G04", "B01", "F03")),
    fault("jax_unicycles",
          "unicycles, riding learnt from a replay buffer by two critics",
          ("F03",), "",
          "The buffer of 738 MB is given to the compiled step without being donated, so each step copies all of it to new "
          "memory to write 8192 new moments (1.4 MB) into it, 1.5 GB of traffic, some 0.35 to 0.42 ms a step beside 0.4 to "
          "0.7 ms of work, six times a round; donate the state (donate_argnums=0), and the moments are written in place.",
          "hr0nix/dejax issue 2: a replay buffer is replaced as a whole in each insertion unless it is donated, no figure; "
          "jax-ml/jax issue 16647: copies of a complete replay buffer each time it is changed (donation made that "
          "writer's own program slower), no figure",
          "jax", also=("F03", "F01", "R04", "G05", "G01", "B01", "T09", "G03")),
    fault("triton_court_hearings",
          "hearings in court, surprise of tokens by a network whose attention reads long caches",
          ("B01",), r"attend",
          "Attention to some 21000 kept tokens has one program for each of 3 hearings and 8 heads of keys, so 24 of 132 SMs "
          "read all of 262 MB a layer, some 0.17 to 0.28 ms instead of 0.065 to 0.08, beside 0.1 ms of other work a layer; "
          "split the tokens among 32 programs and join the parts by a small kernel (768 programs).",
          "sgl-project/sglang pull request 27786: more parts of keys and values for few requests with long contexts, 1.2 to "
          "3.5 times as fast; pegainfer-project/pegainfer pull request 21: attention of a layer in four parts instead of "
          "one, some 70 us become 15, a token 13.03 ms become 11.18",
          "triton", underfilled=True, also=("B01", "F01", "R04", "G04", "F02", "F03", "T09", "G05")),
)

CLEAN = (
    clean("car_radio", "digital radios in cars, a convolutional code decoded by a warp for a frame",
          "tomneda/DABstar pull request 38: a faster Viterbi decoder for digital radio (CPU), no figure read; theori-io/nrsc5 "
          "issue 496: windows of a few lengths of the code are enough for the way back (CPU), figures for memory only",
          also=("F01", "R04", "B01", "G02", "G03")),
    clean("glass_marbles", "a bowl of glass marbles, paths of light through 48 spheres, smoothed and blended",
          "xelatihy/yocto-gl pull request 1341: paths of light by CUDA, no figure; bevyengine/bevy pull request 23898: paths "
          "end by chance to save time (not CUDA), no figure",
          also=("F01", "R04", "B01", "G02", "G03", "S02")),
    clean("torch_buttons", "buttons that customers bring along, a compiled vision transformer and a catalogue",
          "lucas-maes/le-wm pull request 57: compilation and bfloat16 for an encoder and a predictor, 1.13 times as fast on "
          "an H100; huggingface/transformers pull request 24748: compiled vision models for inference, figures of its table "
          "not read",
          "torch", also=("F01", "R04", "G04", "G05", "B01")),
    clean("cupy_rainbows", "rainbows, rays in drops added up in shared memory, and a picture of the sky",
          "arocks/puray pull request 6: rays on a GPU by Numba instead of processes, 45 times as fast; PaddlePaddle/Paddle "
          "pull request 24912: counts of a histogram in shared memory, 0.23 becomes 0.03 and 13.43 become 4.27 (no unit)",
          "cupy", also=("A01", "S01", "B01", "F01", "R04", "G02", "G05", "G03")),
)

CASES = FAULTS + CLEAN
