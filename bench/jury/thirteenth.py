"""Public code that was held out. See thirteenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("pressed_elements", "spectral elements, pressure relaxed", ("S01",), r"relax",
          "Rows of eight doubles lie one behind the other in shared memory, so lanes with lines along x meet eightfold in "
          "the same banks, and those along y twofold; move rows apart or exchange places.",
          "ExtremeFLOW/neko issue 549: bank conflicts where a row has eight nodes, some 10 % of the bandwidth; pull request "
          "550: padded rows"),
    fault("filed_columns", "table, columns decoded from a file", ("T02", "T09", "F01"), "",
          "192 calls in each round clear a buffer each, and the GPU waits for the host; let one kernel clear all from a list.",
          "NVIDIA/cudf issue 15773 and pull request 16281: one batch for the buffers of a reader, about 20 % more in its "
          "benchmarks of 1000 columns", also=("F02", "F01", "R04", "B01")),
    fault("watched_qubits", "qubits, density matrix in time", ("T10", "T03"), "",
          "The host waits for the device after each stage and reads nothing, so the GPU idles until the next launch; do not "
          "wait.",
          "NVIDIA/cuda-quantum pull request 4596: no wait in each call of a stepper, 10 to 15 us saved, 7 % on an A100; "
          "GridTools/gridtools pull request 1107: no wait after a kernel", also=("T09", "F01", "R04")),
    fault("torch_doubted_alloys", "alloys, networks that differ", ("T09", "B01", "F01"),
          r"(?i)gemm|nvjet|cutlass|elementwise|reduce",
          "A loop over 16 networks makes hundreds of small kernels a step, which the host launches one by one; take a layer "
          "of all networks in one product of a batch.",
          "facebookresearch/mbrl-lib pull request 27: an ensemble by matmul, 2.5 times as fast", "torch",
          also=("F01", "R04", "B01", "T09", "G03")),
    fault("torch_coded_sounds", "sounds, codes from several books", ("F02", "F01", "R04"),
          r"(?i)fill|zero|memset|scatter|elementwise|gemm|nvjet|cutlass",
          "For each book 537 MB are filled with zeros, get a one in each row, and are multiplied by the codes; look the "
          "codes up by their numbers.",
          "HorizonRobotics/alf pull request 1409: the code by its index instead of a product; apple/axlearn pull request 823: "
          "no one-hot vectors; ritheshkumar95/pytorch-vqvae pull request 5: less memory, about 3 times as fast", "torch",
          also=("F01", "R04", "G01", "G05")),
    fault("torch_joined_spots", "microscopy, pixels joined to spots", ("T03", "T02", "F01"), "",
          "An index of truths makes a list of places twice a step, and the host waits for its length, so the GPU idles; "
          "multiply by the mask.",
          "kornia/kornia pull request 2609: a product instead of the index, 34.4 ms become 5.1 on a laptop's RTX 3070", "torch",
          also=("F01", "R04", "G01", "G04", "G05", "B01", "T09")),
    fault("torch_played_songs", "songs, vectors from what is played", ("F02",),
          r"(?i)fill|zero|memset|embedding|add|multi_tensor",
          "The gradients of two tables of 307 MB are filled with zeros, and all vectors are read and written to add them; use "
          "sparse gradients.",
          "pytorch/pytorch issue 5309: sparse=True for large tables, which helped a lot; neubig/nn4nlp-code pull request 26: "
          "the same for vectors of words", "torch", also=("F01", "R04", "A01", "B01", "G01", "G03", "G05", "T09")),
    fault("jax_street_backgrounds", "cameras, pictures that are kept", ("F03", "R04", "F01"),
          r"(?i)copy|memcpy|update|fusion|wrapped",
          "Each step copies a memory of 805 MB to put one picture of 17 MB into it; donate the memory to the step.",
          "sgl-project/sglang-jax issue 65: a cache changed without a copy, by donation; ComputationalPsychiatry/pyhgf pull "
          "request 414: the carried state donated", "jax", also=("F01", "R04", "B01")),
    fault("cupy_blurred_starlight", "starlight through layers of air", ("F03", "F01", "R04"), r"(?i)cop",
          "Four shifts a layer copy 134 MB each, only to have the lowest frequency in the middle; keep the factors in the "
          "order of the transforms.",
          "ArcetriAdaptiveOptics/SPECULA pull requests 472 and 496: fewer shifts in the propagation; vccimaging/DeepLens pull "
          "request 43: no shifts in the angular spectrum", "cupy", also=("F01", "R04")),
    fault("triton_stained_tissues", "tissue, strength of stains", ("F02",), r"(?i)fill|zero|memset",
          "671 MB are filled with zeros in each round and then written in whole by the kernels; allocate them empty.",
          "linkedin/Liger-Kernel pull request 217: empty_like instead of zeros_like; vllm-project/vllm pull request 42988: "
          "zeros become empty", "triton", also=("F01", "R04")),
)

CLEAN = (
    clean("spread_forecasts", "weather, forecasts that come apart",
          "SciML/DiffEqGPU.jl issue 187: a whole solution in one kernel", also=("B01", "F01", "R04")),
    clean("torch_trapped_atoms", "atoms in a trap, wave by transforms",
          "chromatix-team/chromatix issue 44: factors of the propagation found once", "torch", also=("F01", "R04")),
    clean("triton_filed_claims", "claims to an insurer, likelihoods",
          "triton-lang/triton pull request 2947: a scan of pairs", "triton"),
)

CASES = FAULTS + CLEAN
