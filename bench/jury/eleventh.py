"""Public code, opened on 2026-11-28. See eleventh.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("read_likelihoods", "genomics, genotypes from reads", ("C01",), r"call_by_constants",
          "The tables lie in constant memory, but the lanes look up different qualities, one value after the other; keep "
          "the tables in shared memory.",
          "JustVugg/colibri pull request 935: table in shared memory instead of constant memory, 8.40 s become 1.58"),
    fault("towed_receivers", "sound beneath the sea, towed receivers", ("U01", "U02"), r"record|managed",
          "The host fills a table of 512 KB in managed memory each round, so pages go to the host and fault back to the "
          "kernel; fill the table by a kernel.",
          "paboyle/Grid pull request 421: the table of a shift filled by a kernel, not by the host in unified memory",
          also=("T03",)),
    fault("spline_patches", "eye, pictures by cubic splines", ("S01",), r"find_coefficients",
          "Rows of the tile lie 64 words apart although it has room for 65, so lanes with a row each meet in one bank; "
          "use the padding in the index.",
          "deepspeedai/DeepSpeed pull request 8055: padded rows of a tile used in the index, too"),
    # The repaired side has the galaxies in another order; the kernel is the same.
    fault("galaxy_potentials", "galaxies, potentials from a grid", ("G05", "G01"), r"add_potentials",
          "The galaxies are in no order, so each lane fetches sectors of its own, 27 times; sort them by cell once.",
          "jipolanco/NonuniformFFTs.jl pull request 30: points sorted by place on GPUs, nearly 3 times as fast"),
    fault("drifting_floes", "sea, floes of ice", ("T05", "T03"), "",
          "The host moves the floes, so velocities go there and floes come back in each round while the GPU idles; move "
          "them on the device.",
          "MFlowCode/MFC issue 1453: bodies computed on the GPU instead of copied back and forth"),
    fault("torch_memory_coreset", "anomalies, patches to keep", ("T03", "T02"), "",
          "item() brings the number of each chosen patch to the host, which waits for it while the GPU idles; keep numbers "
          "as tensors.",
          "open-edge-platform/anomalib pull request 3651: item() after the loop that chooses the coreset", "torch",
          also=("F01", "B01")),
    fault("torch_splat_opacities", "scene of Gaussians, means of near ones", ("G05", "G01"), r"(?i)triton|index",
          "Gaussians lie in the order of their birth, so each lane fetches six sectors of its own; sort them in Morton "
          "order.",
          "openvdb/fvdb-reality-capture pull request 233: Gaussians in Morton order, 8 to 10 % faster", "torch"),
    fault("torch_clicked_features", "clicks, features from the host", ("T02",), "",
          "256 copies of 16 KB a batch, one for each feature; put the features into one buffer and copy once.",
          "meta-pytorch/torchrec pull request 3774: copies of more than 500 tensors a batch keep the host from "
          "submitting kernels", "torch", also=("T04", "T07", "G01")),
    fault("torch_denoised_actions", "robots, policy by diffusion", ("K02", "F01", "R04"), r"(?i)elementwise|copy",
          "autocast converts 0.5 billion weights in each step, which reads 4 bytes and stores 2 that are read again; keep "
          "the weights in half precision.",
          "AUTOMATIC1111/stable-diffusion-webui pull request 15820: half precision without conversions, 50 ms less a "
          "step", "torch", also=("T09",)),
    fault("torch_residue_pairs", "protein, norms of pairs", ("G03",), r"(?i)layer_?norm",
          "128 threads take the norm of 64 values of 2 bytes, in 2.4 million blocks; let a compiled norm take many rows a "
          "block.",
          "pytorch/pytorch issue 143754: LayerNorm of few values slower than one by hand and compiled", "torch"),
    fault("cupy_ring_artefacts", "tomography, rings", ("B01", "F01", "T09"), r"(?i)stripes_above|gem|dot|subtract",
          "A loop over 96 sinograms launches small kernels for each; work on all of them at once.",
          "tomography/tomocupy pull request 68: no loops over slices when stripes are removed, about 1.5 times as fast",
          "cupy", underfilled=True),
    fault("triton_word_surprise", "language model, losses of words", ("R04",), r"surprise_by_passes",
          "The kernel reads all scores for maxima and again for sums; correct the sum whenever the maximum grows, and read "
          "them once.",
          "ROCm/triton pull request 639: online softmax", "triton"),
)

CLEAN = (
    clean("tail_losses", "shares of assets, losses in the tail",
          "NVIDIA/raft pull request 2259: several thin rows a warp with wide loads"),
    clean("torch_replayed_frames", "games, replayed experiences",
          "laboroai/border pull request 44: buffer of experiences on the device", "torch", also=("G04", "F01", "B01")),
    clean("torch_spotted_skins", "spots, reaction and diffusion",
          "JBjoernskov/Twin4Build pull request 139: step of a simulation compiled by Inductor", "torch"),
    clean("jax_sharpened_stars", "pictures of stars, deconvolution",
          "maweigert/gputools issue 17: what depends on the blur is made once", "jax"),
)

CASES = FAULTS + CLEAN
