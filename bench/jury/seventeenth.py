"""Public code that was held out. See seventeenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("pressure_solver", "oil reservoir, conjugate gradients", ("T03", "T05"), "",
          "The host reads both dot products of each iteration and sends their quotient with the next launch, so the GPU idles "
          "twice an iteration; keep the scalars on the GPU and let the next kernel divide them.",
          "spiriMirror/libuipc pull request 358: scalars of the solver on the device, 30 % less time; sonots/cumo pull request "
          "298: 136.7 us an iteration become 65.6", also=("T01", "T02", "T09", "F01")),
    fault("mesh_flow", "gas in an unstructured mesh", ("G05",), r"take_fluxes|smooth_sensor",
          "Cells are numbered at random, so states of neighbours are read from all over 134 MB, a sector or two for 16 bytes; "
          "renumber the cells once along a space-filling curve (or by Cuthill and McKee).",
          "MPAS-Dev/MPAS-Tools pull request 515: cells of a mesh sorted by reverse Cuthill-McKee, as the generator leaves them at "
          "random; FEniCS/dolfinx pull request 1571: cells reordered, noticeably faster", also=("G01", "R04", "F01")),
    fault("citation_ranks", "citations, hubs and authorities", ("G03",), r"gather_scores",
          "A warp gathers the scores for a paper that has seven citations, so most lanes have nothing to read; give a paper eight "
          "lanes.",
          "rapidsai/cugraph pull request 1447: kernels by the degree of vertices, 7.66 s become 1.07; ginkgo-project/ginkgo pull "
          "request 1046: a thread a row instead of a warp for short rows", also=("G05", "R04")),
    fault("frame_rectify", "camera, frames freed from distortion", ("T07",), "",
          "The dark picture and the map of the lens, 7.9 MB that never change, are uploaded with each frame of 10.5 MB; upload "
          "them once.",
          "autowarefoundation/autoware_universe pull request 11420: maps of each camera computed once and kept in GPU memory, 20 "
          "to 30 ms become 4 (with the whole move to the GPU)"),
    fault("alloy_phase", "alloy, two metals that part", ("F03",), "",
          "Each step copies 226 MB of new composition back over the old one; swap the pointers.",
          "arbor-sim/arbor pull request 1027: swap instead of copy, 2.22 s become 2.20 (and 2.13 with another copy saved); "
          "NVIDIA/cuml pull request 3096: buffers exchanged by pointers", also=("F01", "R04")),
    fault("beam_tracking", "accelerator, particles around a ring", ("G01",), r"drift|focus|accelerate|monitor",
          "Particles lie as records of 64 bytes, so lanes read 8 bytes that lie 64 bytes apart, and sectors travel for a part of "
          "them; give each number an array of its own.",
          "BLAST-WarpX/impactx pull request 348, told in quokka-astro/quokka issue 515: arrays instead of records of particles, "
          "1.73 to 2.25 times as fast", also=("F01", "R04")),
    fault("torch_chat", "language model, a word of each chat", ("F03",), r"(?i)cat",
          "Keys and values grow by torch.cat, so each layer copies all 400 MB of them to new memory for each word; allocate them "
          "once for the longest chat and write the new position in place.",
          "RVC-Boss/GPT-SoVITS pull request 2836: a static cache instead of torch.cat in each step; huggingface/transformers "
          "pull request 24115: an experiment with a buffer for past keys and values", "torch",
          also=("T08", "T09", "B01", "F01", "R04")),
    fault("torch_recommender", "recommender, training with embeddings", ("F02",),
          r"(?i)fill|zero|memset|embedding|multi_tensor|functor_?add|add_?functor",
          "The gradient of ten million rows is dense: 2.6 GB are filled with zeros, and the optimiser reads all of it and changes "
          "the whole table for some 400 thousand rows; make the gradient sparse.",
          "keras-team/keras pull request 8681: sparse gradients for SGD, 86 ms become 33; facebookresearch/dlrm issue 15: SGD "
          "is used as it can change just the rows that were looked up", "torch", also=("F01", "R04", "F03", "A01", "T09")),
    fault("torch_classifier", "satellite pictures, training of a residual network", ("T01", "T03"), "",
          "Batches of 100 MB lie in pageable memory, so the host waits for their copies while the GPU idles; pin them once and "
          "copy asynchronously.",
          "mllam/neural-lam pull request 236: pin_memory, so that copies are asynchronous; kohya-ss/sd-scripts pull request "
          "1894: pinned batches, 8 to 10 % faster", "torch", also=("T04", "T09", "K01", "K02", "F01", "R04", "G04")),
    fault("torch_point_clouds", "scans of roads, training of a network of points", ("T02", "T03"), "",
          "Each of 128 clouds is copied to the GPU by itself and waited for, while the GPU idles; stack them on the host and copy "
          "them at once.",
          "MPI-Dortmund/tomotwin-cryoet pull request 105: put together before they are moved to the GPU; asyml/texar-pytorch "
          "pull request 213: whole batches are moved, 15 % faster", "torch", also=("T01", "T04", "T09", "F01", "F02", "R04")),
    fault("cupy_turbulence", "turbulence, Fourier transforms in two dimensions", ("T07",), "",
          "The same table of 34 MB is copied from the host in each step; copy it once.",
          "wheelerMT/pygpe pull request 18: no more asarray around what can lie on the device; cupy/cupy issue 7016: an "
          "array that never changes shall be copied once", "cupy", also=("T01", "T03", "T04", "T09", "F01", "F03", "R04")),
    fault("jax_plasma", "plasma, particles in cells", ("A01",), r"(?i)scatter|fusion",
          "17 million particles add their charges to the same 256 numbers by atomics, which queue up in L2; let particles side by "
          "side add to copies of the cells of their own, and add up the copies.",
          "BLAST-WarpX/warpx pull requests 2550 and 2692: charges are gathered in tiles before they reach the grid; "
          "pytorch/pytorch pull request 168073: contended scatters add to several copies, whose sum is taken", "jax",
          also=("F01", "R04", "B01", "T09")),
)

CLEAN = (
    clean("basket_option", "finance, options on a basket of shares",
          "cupy/cupy pull request 493: a thread draws and sums its samples in registers; InfiniTensor/Learning-CUDA pull request "
          "67: a thread a path by Philox, only moments kept"),
    clean("seismic_shot", "seismic survey, waves of a shot",
          "BLAST-WarpX/warpx issue 4807: stencils with sizes known to the compiler and planes in shared memory; "
          "devitocodes/opesci-fd issue 43: the acoustic equation with 25 points"),
    clean("click_sessions", "shop, visits cut from clicks",
          "rapidsai/gpu-bdb pull request 107: clicks sorted once, not twice, for sessions; NVIDIA/cudf pull request 19136: "
          "times sorted by radix, 1.8 to 5 times as fast"),
    clean("torch_diffusion", "diffusion, steps of sampling",
          "AUTOMATIC1111/stable-diffusion-webui pull request 15823 and huggingface/diffusers pull request 6173: levels of noise "
          "stay on the CPU, so that sampling does not wait for the device", "torch", also=("F01", "R04")),
    clean("torch_robots", "robots, actions and values learnt from replay",
          "strands-labs/robots issue 861: what is replayed lies on the GPU; laboroai/border pull request 44: the same, 3 % faster",
          "torch", also=("F01", "R04", "T09", "F03")),
    clean("triton_llama", "language model, reading of prompts",
          "linkedin/Liger-Kernel pull request 812: sum and norm in one kernel, 2 to 4 times as fast; vllm-project/vllm pull "
          "request 1667: the same, 10 % faster", "triton", also=("F01", "R04")),
)

CASES = FAULTS + CLEAN
