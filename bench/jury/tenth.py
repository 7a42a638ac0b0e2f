"""Public code, opened on 2026-11-28. See tenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("spoken_sounds", "speech, scores of sounds", ("T02",), "",
          "2048 copies of 8 KB a batch on the device, one for each piece of an utterance and one for its scores; let a "
          "kernel copy many pieces at once.",
          "kaldi-asr/kaldi pull request 3351: copies of matrices batched in one kernel, which has them in its parameters"),
    fault("similar_pictures", "pictures, structural similarity", ("F02",), "",
          "Four maps and the gradient, 199 MB each, are filled with zeros before kernels write each of their values; do "
          "not fill them.",
          "openvdb/fvdb-core pull request 212: no fills before the fused kernels of the similarity"),
    fault("subdivided_surfaces", "surfaces, subdivision", ("G01",), r"refine_by_vertex",
          "A thread takes the 12 numbers of a vertex, so lanes read and store 48 bytes apart; give each number a thread.",
          "PixarAnimationStudios/OpenSubdiv pull request 69: several threads a vertex, for better accesses"),
    # The repaired side has the particles in another order; the kernel is the same.
    fault("gyrating_charges", "plasma, charges to a grid", ("A01",), r"deposit",
          "Particles of a cell lie side by side, so the lanes of a warp add to the same words with atomics; sort them "
          "with a stride, one of each cell after the other.",
          "lanl/vpic-kokkos pull request 68: particles sorted with a stride on GPUs"),
    fault("observed_visibilities", "radio telescope, modelled visibilities", ("T04",), "",
          "Copies and kernels take turns in one stream; copy the next chunk to a second buffer in a stream of its own.",
          "ratt-ru/montblanc pull request 75: copies wholly beside kernels"),
    fault("snapped_footsteps", "walking robot, ground beneath its feet", ("B01",), r"snap_feet",
          "Blocks of 32 x 32 cells are 64 blocks for 132 multiprocessors; take blocks of 16 x 16 cells.",
          "ihmcrobotics/ihmc-open-robotics-software pull request 935: blocks of 16 x 16 instead of 32 x 32 cells, to "
          "use more multiprocessors", underfilled=True, also=("B01",)),
    fault("weighed_bands", "pictures, visible wavelet bands", ("L01",), r"weigh_by_copies",
          "A function takes a table of 192 bytes by value, so each thread copies it to local memory for a few words; "
          "pass it by reference.",
          "Netflix/vmaf pull request 1595: tables by reference instead of copies in local memory, which made a kernel "
          "57 times as slow"),
    fault("torch_schedule_free", "training without a schedule, small weights", ("F01", "B01"), r"(?i)elementwise|lerp",
          "The optimiser launches nine small operations for each of 48 weights; a call of torch._foreach works on all.",
          "facebookresearch/schedule_free pull request 10: torch._foreach in the optimiser, 65 ms a step instead of 85",
          "torch", underfilled=True, also=("F01", "B01", "T09")),
    fault("torch_decoded_clips", "clips, convolutions of a decoder", ("K01", "G01"),
          r"(?i)nchw|nhwc|ncdhw|ndhwc|elementwise|copy|transpose|convert",
          "The clip has its channels first, so the library reorders what each convolution reads and writes; keep "
          "weights and clip in channels_last_3d.",
          "ModelTC/LightX2V pull request 860: channels_last_3d, no conversions, about 9 % faster", "torch", also=("F01",)),
    fault("torch_typed_papers", "graph, rows of types into one space", ("F02",), r"(?i)fill|zero|memset",
          "580 MB are filled with zeros, then the products of the types write every row; take an empty result.",
          "dmlc/dgl issue 5454: zeros take a third of the time of products of segments", "torch"),
    fault("torch_picture_windows", "pictures, attention in windows", ("F03", "F01", "R04", "G04"),
          r"(?i)elementwise|cop|triton",
          "Queries and keys are copied out of the layer's product, then turned into new memory; turn them as a view.",
          "vllm-project/vllm pull request 51537: turned as a view, 280 us instead of 780", "torch"),
    fault("torch_field_cameras", "camera of eight bands, normalised frames", ("T07", "T02", "T01", "T03"), "",
          "Two lists of numbers become tensors for each frame: 16 bytes from ordinary memory and a wait, twice; keep "
          "the tensors on the device.",
          "pytorch/vision issue 9576: Normalize makes tensors for each picture, copies from ordinary memory and waits",
          "torch", also=("G04", "B01")),
    fault("torch_angle_sums", "molecules, sums of angles", ("A01",), r"(?i)index",
          "Owners are sorted, so about 20 neighbouring rows are added to one row with atomics; sum segments.",
          "deepmodeling/deepmd-kit pull request 4813: sums of segments, about 25 % faster steps", "torch"),
    fault("cupy_stripe_noise", "microscope, stripes in pictures", ("T05", "T03", "T01"), "",
          "Picture and result go to the host and back, 16 MB each way, while the GPU idles; leave both on the device.",
          "CEA-MetroCarac/pyvsnr pull request 5: no get() before asarray(), results stay on the device", "cupy"),
    fault("triton_road_congestion", "roads, statistic of neighbours", ("G05", "G01"), r"alike",
          "The roads are in no order, so each lane fetches two sectors of its own; sort them by their beginnings.",
          "pyg-team/pytorch_geometric issue 719: edges sorted by their nodes; pytorch/FBGEMM pull request 1113: sorted "
          "indices in index_select", "triton"),
    fault("triton_kept_windows", "decoding, convolutions over four tokens", ("G01", "G04"), r"update",
          "Three kept values of 2 bytes lie side by side for a channel, so lanes load and store at strides of 6 bytes; "
          "store a plane a token.",
          "NVIDIA/TensorRT-LLM pull request 18838: strides of three values of 2 bytes, a packed kernel 1.3 times as "
          "fast", "triton"),
    fault("jax_unjitted_updates", "training, Adam", ("F01", "R04"), r"(?i)wrapped|fusion|loop",
          "The optimiser is not compiled, so its twelve operations a weight read and store 64 MiB each; put the update "
          "into jit.",
          "google-deepmind/optax issue 319: jit around the update, too", "jax"),
)

CLEAN = (
    clean("slipping_faults", "earthquakes, friction of faults",
          "SeisSol/SeisSol pull request 1271: kernels of the friction joined to one"),
    clean("planned_flows", "linear program, flows through a grid",
          "NVIDIA/cuopt pull request 1808: sums of a check side by side, one copy for all"),
    clean("torch_stored_patterns", "associative memory, stored patterns",
          "ml-jku/hopfield-layers hflayers/functional.py: steps of a Hopfield network as attention", "torch"),
    clean("torch_process_fits", "Gaussian process, conjugate gradients",
          "cornellius-gp/linear_operator linear_operator/utils/linear_cg.py: many right sides at once", "torch", also=("F01", "B01")),
    clean("torch_latent_readers", "scenes, latent vectors that read inputs",
          "lucidrains/perceiver-pytorch perceiver_pytorch/perceiver_io.py: few vectors attend to many inputs", "torch"),
    clean("cupy_mixture_fits", "mixture of normal distributions",
          "cupy/cupy examples/gmm/gmm.py: steps of the algorithm, here by two products and a kernel", "cupy"),
)

CASES = FAULTS + CLEAN
