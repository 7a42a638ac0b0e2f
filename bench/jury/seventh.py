"""Public code that was held out until it was opened. See seventh.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("reaction_rates", "flames, rates of reactions", ("G01",), "rates_cell_by_cell",
          "The species of a cell lie side by side, so lanes read and write 96 bytes apart; store them species by "
          "species.",
          "Pele-Suite/PelePhysics pull request 183: the vector of the solver turned, for coalesced accesses"),
    fault("descriptor_forces", "molecules, forces from descriptors", ("A01",), "forces_by_products",
          "1536 atomics add to the three words of an atom; add up in registers and by blocks first.",
          "deepmodeling/deepmd-kit pull request 811: products added up before their atomics, 3.3 times as fast"),
    fault("field_transforms", "proofs, transforms over a field", ("S01",), "transform_in_a_row",
          "Lanes are four or eight words apart in shared memory and share banks; take butterflies side by side.",
          "matter-labs/era-boojum-cuda pull request 15: new transforms without bank conflicts"),
    fault("shifted_updates", "conjugate gradients of several shifts", ("R04",), "update_one_shift",
          "A kernel for each of eight shifts brings the residual from DRAM each time; update all shifts in one kernel.",
          "lattice/quda issue 113: one kernel for all shifts, 20 % less traffic"),
    fault("mapped_samples", "radio telescope, dispersions", ("Z01",), "disperse_mapped",
          "The kernel reads samples through mapped memory of the host, once for each dispersion; copy them to the device.",
          "nlesc-recruit/cudawrappers pull request 211: mapped memory performs poorly, explicit copies best"),
    fault("euler_fluxes", "gas, fluxes of fifth order", ("L01",), "flow_with_bounds",
          "Bounds of the launch leave 32 registers a thread, so variables spill to local memory; leave the bounds out.",
          "CliMA/ClimaCore.jl issue 2380: slower with 32 registers at most; NVlabs/cuda-oxide pull request 798: such "
          "bounds buy occupancy with spills"),
    fault("torch_track_places", "tracks, places from moves", ("B01", "G03"), r"(?i)scan",
          "cumsum along the rows of a narrow matrix is one block of eight threads; turn the matrix and add up each column.",
          "pytorch/pytorch issue 122170: two to 32 columns over a thousand times as slow as one", "torch", underfilled=True),
    fault("torch_stored_anchors", "detector, boxes from anchors", ("T07", "T01", "T03"), "",
          "The same 3 MB of anchors are copied from ordinary memory in each round; keep them on the device.",
          "yhenon/pytorch-retinanet as used in LiMeng95/MultiPoseNet.pytorch issue 6: anchors made on the host and "
          "copied, 200 ms of a step", "torch"),
    fault("torch_finite_gradients", "training, gradients checked", ("T03", "T02"), "",
          "The host waits for a flag of each of 128 gradients; keep the flags on the device and read one now and then.",
          "HyperGAN/HyperGAN pull request 355: one read a phase instead of 103 a step", "torch"),
    # Not one of the rules is about copies that are not needed.
    fault("torch_shifted_scores", "language model, losses of next words", ("R04",), r"(?i)copy",
          "The scores but the last are copied, 537 MB, and their gradients copied back; shift the words instead.",
          "huggingface/transformers pull request 35646: no copy of the scores", "torch"),
    fault("torch_class_losses", "street scenes, losses of classes", ("A01",), r"(?i)scatter",
          "Four million atomics add to 19 words; add to many parts, and then add up the parts.",
          "pytorch/pytorch pull request 168073, as described in ROCm/pytorch pull request 2894: partitions against "
          "contended atomics", "torch"),
    fault("torch_turned_experts", "experts of a language model", ("G01", "K01"), r"(?i)copy",
          "Weights are turned and copied before each product, with lanes 4 KB apart; hand them over as they are.",
          "pytorch/pytorch issue 113560: such a copy is ten times too slow; pytorch/pytorch issue 2159: products take "
          "turned matrices for free", "torch"),
    fault("torch_ray_colours", "radiance fields, colours of rays", ("T01", "T03"), "",
          "The host picks colours from pictures and copies them from ordinary memory while the GPU idles; keep the "
          "pictures on the device.",
          "nerfstudio-project/nerfstudio pull request 2288: pictures on the device, 1.4 to 3.5 times as fast", "torch"),
    fault("cupy_joint_levels", "pictures, joint histogram", ("A01",), r"(?i)scatter",
          "16 million atomics in global memory count pairs of levels, neighbours the same; count in shared memory first.",
          "cupy/cupy pull request 6701: counts of ten million values by CUB, 32 times as fast", "cupy"),
    # No rule is about chains of element-wise operations as such.
    fault("cupy_tapered_signals", "signals, windows", ("F01", "R04"), r"cupy_(multiply|cos|add|subtract)",
          "Nine operations for a window bring 134 MB from DRAM each; write it as one kernel.",
          "cupy/cupy pull request 3312: windows by one kernel each, 9 to 17 times as fast", "cupy"),
    fault("triton_head_norms", "attention, norms of heads", ("G03", "G04"), r"norm_one_head",
          "128 threads take 64 values of two bytes, in a million programs; take many rows a program.",
          "ROCm/aiter pull request 1350: norms of many short rows up to 36 times as fast; ROCm/TransformerEngine pull "
          "request 615: rows packed", "triton"),
    fault("triton_recurrent_states", "linear attention, word by word", ("B01",), r"walk_along",
          "A program for each of eight heads leaves 124 multiprocessors without work; split the state by its columns.",
          "fla-org/flash-linear-attention fla/ops/common/fused_recurrent.py@228d7f1fa8b57878cdf20f2122a2503420d606be: "
          "programs take a part of the values each", "triton", underfilled=True),
    fault("jax_shown_losses", "training, losses for a curve", ("T03",), "",
          "float() of the loss in each step makes the host wait, and the GPU idles while it draws the next records; "
          "read losses later.",
          "AI-Hypercomputer/maxdiffusion pull request 81: reads break the overlap of input and steps; "
          "AI-Hypercomputer/maxtext pull request 1956: metrics buffered, steps queued", "jax"),
)

CLEAN = (
    clean("picked_events", "detector, events above a threshold", "NVIDIA/cuda-samples "
          "Samples/3_CUDA_Features/warpAggregatedAtomicsCG/warpAggregatedAtomicsCG.cu@"
          "f5cb14f3aa1aefa07059c287f0e875ada3ecde14: filtering, here with one atomic a block"),
    clean("reported_residuals", "potential, changes for the host", "AMReX-Codes/amrex Src/Base/AMReX_Reduce.H@"
          "8a7309bcc60ac375bbe1510337f23db42a93488a: sums that a kernel writes to pinned memory"),
    clean("packed_bases", "genomics, letters to four bits", "nahmedraja/GASAL2 src/kernels/pack_rc_seqs.h@"
          "17cc1b38609af24a7998cea56e1d506f61e3ecc0: several letters a read"),
    clean("torch_paired_towers", "pictures and texts, training", "mlfoundations/open_clip src/open_clip/loss.py@"
          "b01786f069955d797150852e55405a27cc928cc7: both losses from one product", "torch"),
    clean("torch_continued_texts", "decoding, stored keys", "pytorch-labs/gpt-fast generate.py@"
          "a4bd2f89999fde73a0224a78b7c60c73475971ec: memory of one size, words that stay on the device", "torch"),
    clean("torch_sampled_pictures", "pictures from noise", "NVlabs/edm generate.py@"
          "62072d2612c7da05165d6233d13d17d71f213fee: Heun's method", "torch"),
    clean("torch_masked_patches", "autoencoder of patches, training", "facebookresearch/mae models_mae.py@"
          "6a2ba402291005b003a70e99f7c87d1a2c376b0d: random patches picked and put back", "torch"),
    clean("cupy_lanczos_steps", "plate, Lanczos's method", "cupy/cupy cupyx/scipy/sparse/linalg/_eigen.py@"
          "775d5120fb5a9c4d840eb2009077b937981aa3a1: products of vectors that stay on the device", "cupy"),
    clean("triton_padded_histories", "recommender, histories of one length", "pytorch/FBGEMM "
          "fbgemm_gpu/fbgemm_gpu/triton/jagged/triton_jagged_tensor_ops.py@"
          "2e66377be73d66b45f890fc6ccb5b0989c844fd9: jagged to dense", "triton"),
    clean("jax_mixed_patches", "mixer of patches, training", "google-research/vision_transformer "
          "vit_jax/models_mixer.py@2ecbc73207056d8fcbd7513ab43cd417a0b385b3: products along both axes", "jax"),
)

CASES = FAULTS + CLEAN
