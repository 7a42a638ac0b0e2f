"""Public code that was held out. See twenty_eighth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("wildfire", "a wildfire, a level set that moves with the wind, and smoke", ("F03",), "",
          "After each of 40 steps a round the new state of 67 MB is copied over the old one on the GPU, 134 MB of "
          "traffic, some 35 to 45 us beside 50 to 65 us of work; swap the two pointers.",
          "NVIDIA/cuml pull request 3096: pointers are switched instead of copies of the buffers, faster, no figure (some "
          "copies went through the host); mrc-ide/dust pull request 164: the states of two steps are swapped by pointer, "
          "no figure",
          also=("F01", "R04", "G03")),
    fault("solar_panels", "solar parks, pictures of a thermal camera and hot panels", ("G01",), r"to_degrees",
          "In blocks of 16 by 16 threads threadIdx.x counts rows, so the lanes of a warp lie in 16 rows, 16 sectors for "
          "each load and store instead of 2 to 4, some 130 to 220 us beside 90 to 110 us of work; let threadIdx.x count "
          "columns, some 30 to 40 us.",
          "siboehm/SGEMM_CUDA issue 7: x as column instead of row in a product of matrices, 340 GFLOPS become 3296; "
          "JuliaGPU/JACC.jl pull request 401: a warp stays on the dimension of stride 1, no figure read",
          also=("G01", "G02", "G04", "F01", "R04", "B01")),
    fault("sawmill", "boards in a sawmill, Gabor filters for grain and knots", ("T04", "T03"), "",
          "Upload (25 MB, 0.5 ms), kernels (0.4 to 0.6 ms) and download (6.3 MB, 0.13 ms) of all boards go through one "
          "stream, so they run in turn though memory is pinned and three boards are in flight; give uploads, kernels and "
          "downloads a stream each, and a board takes 0.5 to 0.65 ms instead of 1 to 1.25.",
          "ratt-ru/montblanc pull request 75: copies overlap with kernels completely, no figure; "
          "Samyssmile/edux issue 216: streams for copies beside kernels, 10 to 20 % of a training are expected",
          also=("T03", "T07", "F01", "R04", "S02")),
    fault("spinnaker", "a sail in gusts, cloth of springs whose mesh the host reads", ("U02", "U01"), r"make_mesh",
          "The meshes of 4.7 MB lie in managed memory that the GPU writes and the host reads for each frame, so pages move "
          "to the host and back by page faults, some 0.5 to 1.2 ms each way beside 0.75 ms of work; keep the mesh in "
          "device memory and copy it to pinned memory by a stream of its own, some 0.1 ms behind the next frame.",
          "Geoenergia-Lab/HermiteLBM pull request 31: cudaMalloc instead of cudaMallocManaged because of page faults, no "
          "figure; ORNL/HeCBench pull request 326: hipMalloc and copies instead of hipMallocManaged, some 700 s become 7 "
          "(an AMD GPU, atomics; closed for another one)",
          also=("U01", "T03", "T09", "F01", "R04", "G01")),
    fault("torch_rooftops", "aerial photographs, roofs found by a U-Net", ("K01",),
          r"(?i)(nchw.{0,4}nhwc|nhwc.{0,4}nchw)",
          "The photographs and all that follows from them lie by planes of channels, and the library wants channels"
          " side by side, so it converts what goes into and what comes out of each convolution, some 4 to 5 GB a "
          "round, 1.5 to 2.5 ms beside 5.5 to 7 ms of work; keep the network and the photographs in channels_last.",
          "instanseg/instanseg pull request 144: channels_last for inference, conversions are 12 % of the GPU's "
          "time, some 30 % faster in all; keras-team/keras pull request 22324: the same for convolutions of Keras, "
          "no figure",
          "torch", also=("K01", "F01", "R04", "G04", "F03", "B01")),
    fault("torch_choir", "voices of a choir, notes written down by a transformer whose parts are timed",
          ("T10", "T09"), "",
          "The host waits for the GPU after each of 34 parts of the network to read its own clock, and reads "
          "nothing from the GPU, so the GPU is idle for some 20 to 35 us each time until the next kernels arrive, "
          "some 0.7 to 1.2 ms beside 2.6 to 3.4 ms of work; record events in the stream and read them two rounds "
          "later.",
          "HuguesTHOMAS/KPConv-PyTorch issue 22: waits that only serve to time parts of the training loop, 25 % "
          "slower by a user's figure; yoshitomo-matsubara/torchdistill pull request 194: torch.cuda.synchronize "
          "removed, no figure",
          "torch", also=("T09", "F01", "R04", "B01", "G04")),
    fault("jax_rovers", "rovers on rough ground, plans tried by chance and weighed", ("T09",), "",
          "Each of 64 moments of the plans is a compiled call from a loop of Python, 256 calls a round of some 15 "
          "to 30 us on the host for 5 to 9 us of the GPU, so the GPU waits more than half of the time; put the loop"
          " into one compiled function (lax.scan).",
          "ryan112358/mbi pull request 129: a loop of Python becomes lax.scan, 1.2 to 1.3 times as fast for three "
          "of five estimators; yang-song/score_sde issue 8: several steps compiled together for faster training, no"
          " figure",
          "jax", also=("T09", "F01", "R04", "G05", "G01", "B01", "F03")),
    fault("triton_histology", "slices of tissue, colours of two stains made alike", ("F02",),
          r"(?i)(fill|memset|zero)",
          "The memory of planes, smoothed planes and pictures is filled with zeros before kernels that write all of"
          " it, 638 MB a batch, some 0.14 to 0.18 ms beside 0.37 to 0.45 ms of work; allocate it by torch.empty.",
          "linkedin/Liger-Kernel pull request 217: zeros_like becomes empty_like before Triton kernels, no figure; "
          "vllm-project/vllm pull request 26680: torch.zeros becomes torch.empty for what attention writes, a "
          "kernel of 1 us less",
          "triton", also=("F01", "R04", "G04", "G01", "B01")),
)

CLEAN = (
    clean("hum_search", "tunes that someone hums, local alignment with gaps, a warp for a tune",
          "asbschmidt/CUDASW4 issue 1: alignment by the DPX instructions of Hopper, no figure; "
          "IPNP-BIPN/bwa-mem4 issue 56: the same is planned, figures are estimates",
          also=("G02", "G04", "B01", "F01", "S01")),
    clean("chip_heat", "heat in a processor, conjugate gradients in a CUDA graph",
          "spiriMirror/libuipc pull request 358: products of vectors within kernels and no waits of the host, 312 ms become "
          "220 a frame; spiriMirror/libuipc pull request 470: the turns as a CUDA graph, 301 ms become 233",
          also=("F01", "B01", "R04", "G01", "G02", "S02")),
    clean("torch_peptides", "proteins, training of a compiled transformer on hidden residues",
          "mlfoundations/open_lm pull request 244: compilation and attention of PyTorch, 9400 tokens a second "
          "become 10800 (one part of what made it so); epfml/llm-baselines issue 7: compilation gives some 10 to 20"
          " %, from memory",
          "torch", also=("F01", "R04", "K02", "B01", "G04", "G05", "F03")),
    clean("cupy_holograms", "holograms of a turning figure, points added up in registers",
          "rapidsai/cusignal pull request 267: kernels of CuPy improved in many places, no figure; gwastro/pycbc "
          "pull request 5249: custom kernels of CuPy beside FFTs, 10 to 100 times as fast as one CPU by a rough "
          "figure of the writer",
          "cupy", also=("F01", "R04", "B01", "G04", "S02")),
)

CASES = FAULTS + CLEAN
