"""Public code that was held out. See nineteenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("ship_radar", "radar, moving targets among echoes of the sea", ("S01",), r"doppler",
          "Rows of a tile in shared memory begin 512 bytes apart, and lanes have a row each, so all lanes meet in the "
          "same two banks in each pass of the transform; make a row one element longer.",
          "ExtremeFLOW/neko pull request 550: shared arrays padded, as a size of eight made lanes meet; "
          "deepspeedai/DeepSpeed pull request 8055: padding that was declared but not used, 4 to 6 % faster",
          also=("F01", "R04")),
    fault("photo_panorama", "pictures of eight cameras joined to a ring", ("T08",), "",
          "Nine arrays of up to 34 MB are allocated when a ring begins and freed when it is done, while the GPU has "
          "nothing to do; keep them for the next ring.",
          "opencv/opencv pull request 11401: a blender prepared once for many pictures, 2.74 times as fast; "
          "FLAMEGPU/FLAMEGPU issue 195: temporary memory allocated and freed in each iteration",
          also=("T09", "T10", "B01", "F01", "R04")),
    fault("epidemic_ages", "disease, spread among households and ages", ("A01",), r"live_day",
          "Whoever falls ill or recovers adds to one of 32 counters in global memory, so some hundred thousand atomics "
          "queue up in a step; count in shared memory and add once a block.",
          "kr-colab/pg_gpu pull request 45: sums of a warp before the atomic addition, 2.1 times as fast; "
          "taichi-dev/taichi pull request 2487: one atomic a warp for reductions",
          also=("B01", "G03")),
    fault("cinema_colours", "film, colours of a print for the cinema", ("C01",), r"print_film",
          "The curves of the print lie in constant memory and each lane looks up a node of its own, so nodes are read one "
          "after the other; read them from global memory through L1 (or from shared memory).",
          "JustVugg/colibri pull request 935: a table moved from constant to shared memory, 8.40 s become 1.58; "
          "ahrefs/ocannl issue 195: constant arrays removed, and not faster where threads read different places",
          also=("F01", "R04")),
    fault("battery_fleet", "batteries of cars, models fitted and aged", ("B01",), r"sum_residuals",
          "A kind of battery has one block, so 36 of 132 multiprocessors do nothing and the others have eight warps each; "
          "let several blocks share a kind.",
          "NVIDIA/cudf issue 23487 and pull request 23686: several blocks for a segment where segments are few; "
          "NVIDIA/cuml pull request 2838: a row split among blocks, 18 to 34 % faster",
          underfilled=True, also=("B01",)),
    fault("ultrasound_beam", "ultrasound, pictures from echoes of flat waves", ("T04",), "",
          "One kernel of each picture is launched into the legacy default stream, which waits for all other streams and "
          "lets them wait, so copies and kernels take turns though there are three streams; launch it in the picture's "
          "stream (or make streams non-blocking and order them by events).",
          "mtazzari/galario issue 60: work in the default stream keeps copies from overlapping; torch/cutorch issue 216: "
          "no overlap with kernels in the default stream, however many others there are",
          also=("T03", "T09", "F01")),
    fault("torch_coins", "coins, looked up in catalogues", ("R04",), r"(?i)gemv|gemm|dot|xmma|cutlass|nvjet",
          "All 537 MB of the catalogues are read for one coin after the other, 32 times a round; multiply them by the "
          "vectors of all 32 coins at once.",
          "YuanGongND/cav-mae issue 15: likenesses one by one are very slow, all at once much faster; "
          "BlueBrain/Search pull request 125: two vectors are put together and multiplied once", "torch",
          also=("F01", "B01", "T09")),
    fault("torch_trains", "trains, how late they will be", ("T09", "F01"), r"(?i)elementwise|lerp|addcmul|addcdiv|copy",
          "The optimiser goes through 291 arrays of weights one by one, with 13 operations of some 2 us for each, "
          "which the host launches more slowly than the GPU carries them out; use operations on lists of arrays.",
          "sail-sg/Adan issue 1: operations on lists proposed, as the optimiser is slower than the library's; "
          "facebookresearch/schedule_free pull request 10: the same, a step of 85 ms becomes 65", "torch",
          also=("F01", "R04", "F03")),
    fault("torch_balloons", "balloons, places told by a transformer", ("T10",), "",
          "A stopwatch waits for the GPU 48 times a round and reads nothing from it, so the GPU idles each time until "
          "the host has launched again; note the times by events, and read these at the end.",
          "HuguesTHOMAS/KPConv-PyTorch issue 22: waits for the times of parts, 25 % slower; meta-pytorch/tnt pull "
          "request 1029: a timer that does not wait unless it is asked to", "torch",
          also=("T09", "F01", "G03", "R04")),
    fault("cupy_sonar", "sonar, beams and echoes", ("T04",), "",
          "Echoes are uploaded, worked on and downloaded by one stream, so 67 MB a round are copied while the GPU "
          "works on nothing, and the other way round; use a stream for each of the three.",
          "chainer/chainer pull request 3336: the next batch is copied while kernels work on this one; cupy/cupy pull "
          "request 2588: an example whose streams did not overlap", "cupy",
          also=("F01", "R04", "G04")),
    fault("jax_whales", "whales, followed by particles", ("T05", "T03"), "",
          "Particles are drawn by NumPy, so each round the weights go to the host and the numbers of the particles "
          "come back, and the GPU idles meanwhile; sum and search the weights on the GPU.",
          "fbpic/fbpic pull request 433: a running sum moved to the GPU, as less is copied to the host and back; "
          "mrc-ide/dust pull request 224: a whole particle filter on the GPU", "jax",
          also=("T01", "T02", "T09", "F01", "G05")),
    fault("triton_grid", "power grid, readings that stray", ("G01",), r"smooth_sensor\b",
          "A program follows one sensor, so lanes read and write 4 bytes that lie 8 KB apart, and a sector travels for "
          "each; let a program follow 64 sensors side by side, with lanes along them.",
          "gabrieldemarmiesse/torch-mojo-backend pull request 393: threads a row apart in a running sum, 7 times as "
          "slow; tile-ai/TileOPs pull request 1526: a recurrence by tiles whose accesses are coalesced", "triton",
          also=("F01", "R04")),
)

CLEAN = (
    clean("video_motion", "video, motion of blocks for an encoder",
          "ratt-ru/montblanc pull request 75: copies that overlap with kernels from the first one on; NVIDIA/ACCV-Lab "
          "pull request 33: copies on the decoder's stream and one wait instead of many", also=("G01",)),
    clean("lens_design", "optics, a lens improved by traced rays",
          "ecto/vcad pull request 578: surfaces traced in their order, exactly, and a spot as what is judged; "
          "TracePy-Org/tracepy issue 28: sequential tracing on the GPU", also=("G02",)),
    clean("elastic_cloth", "cloth that falls on a ball",
          "newton-physics/newton pull request 3995: a thread gathers the contact forces of its particle; "
          "google-deepmind/mujoco_warp pull request 1478: one thread a constraint, 1.6 times as many steps of a cloth"),
    clean("torch_mushrooms", "mushrooms, training of a transformer of pictures",
          "talmolab/sleap-nn pull request 406: pictures copied as bytes and normalised on the GPU, 14.5 times as fast "
          "as before; KellerJordan/modded-nanogpt pull request 231: the next batch is copied by a stream of its own",
          "torch", also=("K02", "F01", "R04", "F03", "G04")),
    clean("torch_potatoes", "potatoes on a belt, green ones found",
          "nanoporetech/bonito pull request 86: results downloaded by a stream of their own, 15 to 25 % faster; "
          "sgl-project/sglang pull request 29075: results go to pinned memory beside the next step", "torch",
          also=("K01", "F01", "R04", "G01", "G04")),
    clean("torch_tides", "tides, training of recurrent layers",
          "keras-team/keras pull request 22874: the library's LSTM instead of a loop; meta-pytorch/torchtune pull "
          "request 522: the loss is no longer read in each step, which took 40 to 50 ms", "torch",
          also=("F01", "R04", "B01", "T09")),
)

CASES = FAULTS + CLEAN
