"""Public code that was held out. See fifteenth.md."""
from jury.labels import clean, fault

FAULTS = (

    fault("insured_houses", "insurance, losses of houses in floods", ("G05",), r"damage",
          "Houses are listed as policies were sold, so lanes read the map of water at scattered places, at least 32 bytes for "
          "each 8; put the houses in order of place once.",
          "isl-org/Open3D pull request 3397: points copied in the order of their cells, faster searches; microsoft/SPTAG pull "
          "request 215: queries put in order, up to 4 times as fast in a stage, up to 2 in all", also=("G01", "R04")),
    fault("thawing_grounds", "ground, heat in columns of layers", ("L01",), r"conduct",
          "The number of layers is known only when the kernel runs, so two arrays of each thread lie in local memory; let the "
          "compiler know the number and unroll, so that they stay in registers.",
          "llnl/zfp pull request 61: counts known to the compiler instead of a variable, 1.18 times as fast on a GP100; "
          "llnl/RAJAPerf pull request 696: loops unrolled because arrays lay in local memory", also=("R04",)),
    fault("infected_orchards", "plants, a fungus among trees", ("T10",), "",
          "The host waits for the kernel of each day and reads nothing, so the GPU idles until the next launch; wait once at "
          "the end.",
          "seanwevans/fluid-sims pull request 15: no wait after each step; NVIDIA/cuda-quantum pull request 4596: "
          "a needless wait removed, 10 to 15 us, 7 %", also=("T09",)),

    fault("torch_weighed_lorries", "bridge, lorries by gauges", ("T02",), "",
          "The readings of each of 128 lorries are copied to the GPU by themselves, so small copies and waits come one after "
          "the other while the GPU idles; pack them on the host and copy once.",
          "m87-labs/kestrel pull request 109: small fields of several types packed, one copy instead of one a field; pull "
          "request 110: one copy instead of three a step", "torch",
          also=("T01", "T03", "T04", "T09", "T10", "B01", "F01", "F03", "R04")),
    fault("torch_measured_canopies", "forest, heights above ground", ("G05",), r"(?i)take|index|gather",
          "Echoes are kept in no order, so lanes look up cells far from each other, and four bytes cost a sector; sort echoes "
          "by their cells once.",
          "InteractiveComputerGraphics/cuNSearch issue 8: points themselves are to be sorted, not only their indices; "
          "Victor2266/The-Fluid-Toy issue 33: the same, about twice as fast", "torch", also=("G01", "F01", "R04")),
    fault("torch_graded_boards", "wood, grades of boards", ("K02", "F03"), r"(?i)cop|elementwise|convert",
          "Under autocast, 537 MB of weights are converted to bfloat16 in each round, although they never change; convert the "
          "network once.",
          "chaiNNer-org/chaiNNer pull request 1024: a converted network instead of autocast; huggingface/diffusers pull request "
          "2021: autocast is always slower than half precision", "torch", also=("F01", "R04", "T09")),
    fault("cupy_drifting_buoys", "sea, drift of buoys", ("G01",), r"drift",
          "A buoy is a row of eight floats of which a step takes four, so lanes load and store 32 bytes apart, and half of what "
          "is moved is not needed; keep a row for each quantity.",
          "geoarrow/geoarrow pull request 26: coordinates apart instead of side by side, 9.1 ms become 3.3 on a GPU", "cupy",
          also=("R04",)),
    fault("jax_named_odours", "chemistry, substances in spectra of masses", ("T07",), "",
          "The library of spectra is an array of NumPy, so each call copies the same 34 MB to the GPU; put it there once.",
          "kokabsc/gwkokab pull request 467: what stays the same is put on the device before", "jax",
          also=("T01", "T03", "T04", "T09", "F01", "R04")),
    fault("triton_felt_heat", "thermal camera, degrees of pixels", ("F02",), r"(?i)fill|zero|memset|elementwise",
          "1.3 GB are filled with zeros before a kernel that writes all of them; ask for memory only (torch.empty).",
          "linkedin/Liger-Kernel pull request 217: empty_like instead of zeros_like before kernels in Triton; dmlc/dgl issue "
          "5454: zeros take a third of an operation's time", "triton", also=("F01", "R04")),
)

CLEAN = (

    clean("ripening_fields", "satellites, greenness of fields",
          "tensorflow/probability pull request 981: moments of a stream; NVIDIA/DALI pull request 5148: states kept by copies "
          "that stay on the device"),
    clean("ranked_ballots", "elections, pairs of candidates",
          "kr-colab/pg_gpu pull request 45: sums of a warp before anything is atomic, 1.2 s become 0.58"),

    clean("torch_counted_plankton", "plankton, kinds from pictures",
          "talmolab/sleap-nn pull request 406: bytes are converted on the GPU; instanseg/instanseg pull request 144: "
          "channels last",
          "torch", also=("F01", "R04", "G04")),
    clean("torch_echoing_towns", "power, networks that echo",
          "tensorflow/addons pull request 1811: a leaking cell of an echo state network", "torch", also=("F01", "R04")),
    clean("cupy_flooded_marshes", "sea, highest tides",
          "tsutterley/pyTMD pyTMD/predict.py: heights as sums of cosines of tides", "cupy", also=("G02", "R04")),
)

CASES = FAULTS + CLEAN
