"""Public code that was held out. See twenty_seventh.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("sleep_lab", "a sleep laboratory, a night of eight electrodes filtered, scaled and told by epochs", ("B01",),
          r"add_moments",
          "The moments of each electrode are added up by one block, so 8 of 132 multiprocessors read 67 MB, some 80 to "
          "180 us beside 110 us of work for the night; split each electrode among many blocks (33 here) and add up their "
          "parts, some 18 us.",
          "sonots/cumo pull request 235: one block for each output split into many, a sum of four million doubles 3.06 ms "
          "become 0.32; vllm-project/vllm-omni pull request 6662: 32 programs for the norms of groups split along the "
          "picture, no figure read",
          underfilled=True, also=("F01", "R04", "B01", "S02")),
    fault("watch_gestures", "gestures at watches, dynamic time warping of windows", ("L01",), r"compare_windows",
          "A row of 22 distances is indexed by a loop whose length the compiler does not know, so it lies in local memory "
          "and is read and written in each of 704 cells of a table; loops of constant length, unrolled, keep it in "
          "registers, some 1.9 to 2.5 ms instead of 3 to 5 a minute.",
          "BLAST-WarpX/warpx issue 5199: arrays with an index that is not known lie in thread-local memory, much slower "
          "than registers, no figure; BLAST-WarpX/warpx pull request 3210: dynamic loops and indices avoided, no figure",
          also=("F01", "B01", "G02", "S02", "R04")),
    fault("isobars", "weather charts, isobars of a weighted ensemble drawn as lines in order", ("T05",), "",
          "The counts of 16384 tiles, 66 KB, are copied to the host, added up there, and the sums are copied back for each "
          "chart, while the GPU waits some 35 to 60 us beside 70 to 90 us of work; scan them on the GPU by "
          "cub::DeviceScan::ExclusiveSum, some 5 us.",
          "nest/nest-gpu issue 5: a prefix scan on the GPU is to replace two blocking copies, no figure; "
          "diku-dk/futhark pull request 1658: work kept on the GPU to have fewer synchronous copies, no figure read",
          also=("T03", "T04", "T09", "T10", "F01", "R04", "B01", "G01", "S02")),
    fault("asteroid_hunt", "asteroids, frames of a telescope stacked along many ways", ("T01",), "",
          "Frames of 16.8 MB are uploaded from ordinary memory, which the driver copies through a buffer of its own, some "
          "1.1 to 3.4 ms a frame in which the host waits, beside 0.6 to 0.9 ms of work; pin the buffers, and "
          "0.35 ms of upload lie behind the work.",
          "gabotechs/libcudf-rs pull request 35: arrays in pinned instead of pageable memory, copies become asynchronous, "
          "no figure read; tracel-ai/cubecl issue 539: pinned memory asked for, 0.7 GiB/s against 11.4 on a laptop",
          also=("T03", "T04", "T07", "F01", "R04", "G01")),
    fault("torch_retina", "photographs of eyes, grades by a vision transformer, batches uploaded meanwhile", ("T01",),
          "",
          "Batches of 101 MB lie in pageable memory, so each upload goes through the driver's own buffers at 5 to 15 GB/s "
          "and holds the host up for 7 to 20 ms beside 4 to 6 ms of work, which is launched only afterwards, in spite of "
          "non_blocking and a stream of its own; keep the batches in pinned memory, some 2 ms a copy, which hides behind "
          "the work.",
          "ostris/ai-toolkit pull request 813: pin_memory of the loader, a step of some 20 s becomes 10 (one user's "
          "figure, with layers offloaded); kohya-ss/sd-scripts pull request 1894: the same, roughly 8 to 10 % for "
          "an epoch",
          "torch", also=("T03", "T04", "T07", "T09", "F01", "R04", "G04", "B01")),
    fault("torch_sprites", "figures for a game, drawn by a diffusion transformer", ("K02",),
          r"(?i)(bfloat16_copy|direct_copy|unrolled_elementwise|vectorized_elementwise|elementwise_kernel)",
          "Weights lie as 32-bit numbers, and autocast converts all 511 million of them for each of eight steps, as those "
          "that need no slopes are not cached: 3.1 GB a step, some 0.7 to 0.9 ms beside 0.9 to 1.2 ms of work; convert the "
          "weights of the products to bfloat16 once, before the first step.",
          "AUTOMATIC1111/stable-diffusion-webui pull request 15820: no casts during inference by half precision "
          "throughout, some 50 ms less an iteration; chaiNNer-org/chaiNNer pull request 1024: models made half instead "
          "of autocast for each picture, no figure",
          "torch", also=("K02", "T09", "F01", "R04", "B01", "G04")),
    fault("jax_cabins", "lifts of houses, double Q-learning from kept steps", ("F03",),
          r"(?i)(copy|dynamic_update_slice|memcpy)",
          "The compiled function that puts 2048 steps among those kept does not own its argument, so XLA copies all "
          "541 MB to change 2 MB, eight times a round, some 0.25 to 0.3 ms each; donate the argument (donate_argnums=0), so "
          "that it is changed in place.",
          "jax-ml/jax issue 16647: kept steps are copied as a whole with each change unless they are donated, no figure "
          "for it (the writer's first try with donation was slower); hr0nix/dejax issue 2: kept steps are changed in "
          "place where they are donated, no figure",
          "jax", also=("F03", "R04", "F01", "T09", "K02", "G05", "G04", "B01")),
    fault("triton_heartbeats", "beats of hearts foretold one by one, attention to a whole night", ("B01",),
          r"^attend$|\battend\b",
          "Attention to 32768 beats has a program for each person and set of heads, so 16 programs on 132 multiprocessors, "
          "which get a quarter of the DRAM's bandwidth; split the night into 32 parts with a program each, and join what "
          "they found by a small kernel.",
          "sgl-project/sglang pull request 27786: more parts of long contexts for few requests, decoding 1.2 to 3.5 times "
          "as fast; Wenyueh/MinivLLM pull request 93: parts instead of 16 programs for one request, figures of the long "
          "contexts not read",
          "triton", underfilled=True, also=("B01", "F01", "R04", "G04", "F03")),
)

CLEAN = (
    clean("college_endowment", "the endowment of a college, scenarios by the Monte Carlo method",
          "sonots/cumo pull request 223: random numbers made by the kernel instead of the host, 2202 us become 9 for a "
          "million; "
          "taichi-dev/taichi pull request 1419: a faster generator within the kernel, 66 samples a second become 102",
          also=("B01", "F01", "A01", "S01", "G01")),
    clean("card_fraud", "payments by card, a forest of boosted trees in shared memory",
          "google/yggdrasil-decision-forests issue 30: forests on a GPU are asked for, some 30 times as fast as one thread "
          "by an old trial; dmlc/treelite issue 15: the same asked for, no figure",
          also=("S01", "S02", "B01", "F01", "G02", "R04")),
    clean("torch_openings", "chess, training of a compiled transformer that foretells moves",
          "Lightning-AI/litgpt pull request 857: fused AdamW, 2 to 3 ms less a step; karpathy/nanoGPT pull request 392: "
          "compiled and not, logs of both, some 22 and 41 ms a step at the start",
          "torch", also=("F01", "R04", "K02", "B01", "G04", "G05", "F03")),
    clean("cupy_pensions", "pensions, lives drawn month by month in registers",
          "cupy/cupy pull request 493: prices of options by lives drawn within one kernel, 39 s for 1000 options of "
          "100 million draws, nothing compared",
          "cupy", also=("B01", "F01", "R04", "F03")),
)

CASES = FAULTS + CLEAN
