"""Public code that was held out. See twelfth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("settled_magnets", "film of magnets, settled by steps", ("B01",), r"sum_map",
          "One block of 256 threads sums energies and torques of 524,288 cells, for 132 multiprocessors; let 256 blocks "
          "make partial sums.",
          "mumax/plus issue 175: kernels for sums locked to one block, some 45 % of runs that minimise energies",
          underfilled=True, also=("B01", "F01")),
    fault("oscillated_neutrinos", "neutrinos, likelihood of oscillations", ("A01",), r"add_events",
          "Events lie in the order of their bins, so the lanes of a warp add to the same two words with atomics; let a "
          "warp sum the events of a bin.",
          "gundam-organization/gundam pull request 533: sums of bins in parallel instead of atomics, twice as fast; issue "
          "530: the sum takes 64 % of the time", also=("F01", "R04", "B01")),
    fault("paired_electrons", "electrons of a cluster, sums over pairs", ("G01",), r"add_pairs",
          "The sums have momenta before frequencies, but neighbouring lanes have neighbouring frequencies, so they load "
          "and store 2 KB apart; put the sums in the order of the threads.",
          "CompFUSE/DCA pull request 112: indices of the sums rearranged, so that neighbouring threads have neighbouring "
          "elements", also=("B01",)),
    fault("correlated_antennas", "radio telescope, products of antennas", ("F01", "R04"), r"reorder|correlate",
          "A kernel only reorders 67 MB of samples, which the next one reads again; let the correlation load them from "
          "where they are.",
          "ska-sa/katgpucbf pull request 194: no kernel that reorders before the correlation"),
    fault("leaving_crowds", "crowds on their way to exits", ("T08",), "",
          "Each step allocates the list of places and the scratch memory of a scan and gives them back, for which the GPU "
          "must come to rest; allocate them once.",
          "FLAMEGPU/FLAMEGPU issue 195: cudaMalloc and cudaFree in each step for a scan of agents", also=("T03", "B01")),
    fault("torch_swaying_arms", "simulated arms, drawn actions", ("T03", "T02"), "",
          "Distributions check their parameters and what they are asked for, so the host waits for three flags a step "
          "and the GPU idles; pass validate_args=False.",
          "leggedrobotics/rsl_rl pull request 69 and Toni-SM/skrl pull request 233: no checks of distributions, for "
          "speed", "torch", also=("F01", "B01", "T09")),
    fault("torch_emulated_spectra", "stars, network that tells spectra", ("F02",), r"(?i)zero|fill|memset|add",
          "1.6 GB of gradients are filled with zeros in each step, and the new ones are added to the zeros; set "
          "gradients to none.",
          "MIC-DKFZ/nnUNet pull request 1630: set_to_none=True; pytorch/pytorch pull request 42754: why", "torch",
          also=("F01", "R04")),
    fault("torch_weighed_patches", "tissue, weights of patches", ("B01",), r"(?i)softmax",
          "A softmax of four rows of two million scores runs in four blocks; take the rows in parts, in two stages.",
          "mlc-ai/mlc-llm pull request 2220: a softmax in two stages, as one by rows is not parallel enough", "torch",
          underfilled=True),
    fault("torch_voiced_frames", "speech, periodic activation", ("F01", "R04"), r"(?i)elementwise|pow|sin",
          "Five operations for an activation store 537 MB each that the next one reads; compile them to one kernel.",
          "sgl-project/sglang-omni pull request 1794: one kernel for the activation of a vocoder instead of eight "
          "launches, with 10 of 22 ms in elementwise work on an H200", "torch"),
    fault("cupy_padded_sentences", "sentences, labels of words", ("T02", "B01", "F01"), "",
          "512 copies of 8 to 64 KB on the device pad the sentences of a batch, one by one; let a kernel pad all.",
          "explosion/thinc pull request 860: a kernel pads all sequences, which had cost more than the layers of a parser",
          "cupy", also=("F02",)),
    fault("triton_packed_texts", "packed texts, convolutions over words", ("T03", "T02"), "",
          "Each layer reads the longest length from the device for its grid, so the host waits and the GPU idles; hand "
          "on the number that the host knows.",
          "FlashML-org/FreeToken pull request 339: the longest length from the host instead of item() before the launch",
          "triton"),
    fault("jax_echoed_series", "series, reservoir of units", ("R04",),
          r"(?i)gemv|gemm|dot|reduce|fusion|splitk|cutlass|nvjet",
          "lax.map takes one series after the other, so 268 MB of weights come from DRAM for each; take all series in "
          "one product by vmap.",
          "reservoirpy/reservoirpy pull request 239: vmap instead of lax.map, 3.7 to 7.7 times as fast on an L4", "jax",
          also=("B01", "F01")),
)

CLEAN = (
    clean("matched_frames", "film, motion by correlation of features",
          "NVIDIA/flownet2-pytorch pull request 90: sums of the correlation in registers and shuffles"),
    clean("pixel_clusters", "collider, clusters of pixels",
          "cms-sw/cmssw pull request 36176: results in one buffer, copied to the host at once"),
    clean("torch_heard_features", "speech, mel spectra and layers",
          "SYSTRAN/faster-whisper pull request 1038: window and filters made once", "torch",
          also=("F01", "G01", "G04", "T07")),
    clean("torch_moved_masses", "masses, cheapest ways to goals",
          "bobxwu/FASTopic pull request 12: Sinkhorn's method with logarithms", "torch"),
)

CASES = FAULTS + CLEAN
