"""Public code, opened on 2026-11-28. See ninth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("embedded_points", "points in the plane, attractions", ("A01",), r"attract_by_pair",
          "Pairs are listed row after row, so the lanes of a warp add to the same two words with atomics, 33 million "
          "times a step; add up the run of a row in the warp first.",
          "NVIDIA/cuml pull request 8565: pairs of a row summed in the warp before the atomics of t-SNE"),
    fault("joined_weights", "weights, bytes put together", ("G04",), r"join_by_value",
          "A thread reads one byte of each stream and stores two; take eight values a thread.",
          "facebook/openzl pull request 907: four values a thread, wide loads and stores"),
    fault("reef_diversity", "picture of a reef, diversity", ("G01",), r"differ",
          "The five bands of a pixel lie side by side, so lanes read 20 bytes apart; store a plane a band.",
          "chapel-lang/chapel pull request 22838: the picture turned, so that neighbouring threads read neighbouring "
          "values, 2.8 times as fast"),
    fault("absorbed_waves", "electric and magnetic fields", ("L01",), r"advance_in_order",
          "Places in the array of neighbours' values depend on an order of axes known at run time only, so the array "
          "is in local memory, 320 bytes a thread; fix the order, so that it stays in registers.",
          "ComputationalRadiationPhysics/picongpu pull request 3881 and issue 3870: no stack frame of 336 bytes in "
          "the update of fields any more"),
    fault("camera_frames", "cameras, colours of frames", ("T08",), "",
          "Each frame allocates three arrays on the device and gives them back, for which the device must come to "
          "rest; keep them from frame to frame.",
          "realsenseai/librealsense issue 11692 and pull request 11737: buffers on the device kept between frames; "
          "pull request 15118: the same for clouds of points"),
    fault("conformation_energies", "molecules, energies of conformations", ("T05", "T03"), "",
          "To set places, the host fetches the array in which the charges are, waits, and sends all back while the GPU "
          "idles; send the places only, and put them beside the charges on the device.",
          "openmm/openmm pull request 4945: no copy to the host when positions are set"),
    fault("listed_neighbours", "molecules, lists of neighbours", ("T02",), "",
          "8192 copies of 512 bytes an update, one for each atom's row; put the rows together on the host and copy "
          "once.",
          "deepmodeling/deepmd-kit pull request 414: rows put together on the host and copied once"),
    fault("torch_shared_heads", "language model, heads that share keys", ("F01", "R04", "G04"), r"(?i)elementwise|copy|index",
          "Keys and values are repeated for each head of queries, so eight copies are written and read again; let the "
          "attention share them (enable_gqa).",
          "mosaicml/llm-foundry pull request 628: keys and values expanded instead of repeated", "torch"),
    fault("torch_class_masks", "pictures, classes of points", ("F01",), r"(?i)elementwise|scatter|fill|copy",
          "one_hot makes integers of 8 bytes, which are converted and multiplied in tensors of their own; write the "
          "floats by scatter_ into one tensor.",
          "ultralytics/ultralytics pull request 25244: targets by one scatter_, 0.1 ms instead of 0.7", "torch"),
    fault("torch_orthogonal_gradients", "training, orthogonal gradients", ("T03", "T02"), "",
          "sub needs its factor on the host, so each weight waits for four bytes while the GPU idles; multiply by the "
          "tensor on the device.",
          "Koratahiu/Advanced_Optimizers pull request 5: no item() in sub, steps about 50 % faster", "torch"),
    fault("torch_token_returns", "reinforcement learning, advantages of words", ("F01", "B01"), r"(?i)elementwise|copy",
          "A loop launches three small operations for each of 1024 words; without discounts one reversed cumsum does.",
          "NVIDIA-NeMo/RL pull request 4156: reversed cumsum instead of a loop over words", "torch", underfilled=True),
    fault("torch_finger_joints", "simulated hands, driven joints", ("T07", "T02", "T01", "T03"), "",
          "Each use of a list as an index copies 160 bytes from ordinary memory and waits; keep the indices on the "
          "device.",
          "isaac-sim/IsaacLab pull request 5472: indices as tensors of the device, 15 to 34 % more frames", "torch"),
    fault("torch_crowd_masks", "detection, masks for the host", ("T01", "T03"), "",
          "Each tensor goes to ordinary memory by a copy that is waited for, while the GPU idles; copy all to pinned "
          "memory and wait once.",
          "roboflow/rf-detr pull request 1420: copies queued, one wait a picture instead of four", "torch"),
    fault("torch_decoder_norms", "diffusion, decoder of pictures", ("G01", "K01"), r"(?i)elementwise|copy|nchw|nhwc",
          "group_norm turns channels last into channels first and the convolution turns it back; use a norm that keeps "
          "the layout.",
          "sgl-project/sglang pull request 33451: norm for channels last in the decoder, 29 ms instead of 98 in all",
          "torch"),
    fault("cupy_loud_sensors", "sensors, sums and bounds", ("B01",), r"(?i)fused",
          "A fused sum and comparison is launched with a few blocks; sum first and compare in a second kernel.",
          "cupy/cupy issue 9008: 4 blocks for a fused sum and comparison, 357,899 for the sum by itself", "cupy",
          underfilled=True),
    fault("triton_turned_pairs", "video model, turned pairs", ("G01", "G04"), r"turn_by_halves",
          "Lanes load and store every other value of 2 bytes, twice; load runs and split them in registers.",
          "sgl-project/sglang pull request 28147: contiguous loads and tl.split, 1.14 times as fast on an H100",
          "triton"),
    fault("jax_plasma_rays", "plasma, absorption of rays", ("T05", "T03", "T01"), "",
          "A callback computes a function on the host, so 8 MB go there and back in each step while the GPU idles; write "
          "the function in JAX.",
          "proximafusion/raytrax pull request 10: no pure_callback to SciPy, 2.2 times as fast", "jax"),
)

CLEAN = (
    clean("packed_columns", "table, numbers of few bits",
          "vortex-data/vortex pull requests 6145 and 6483: bits in the order of FastLanes, decoded in one kernel"),
    clean("traded_strategies", "prices, profits of strategies",
          "enarjord/passivbot issue 1739: candles that threads share in shared memory"),
    clean("torch_mesh_messages", "mesh, means of neighbours",
          "pyg-team/pytorch_geometric torch_geometric/nn/conv/sage_conv.py: means of neighbours, here by bags", "torch"),
    clean("torch_distilled_student", "classifier, distillation",
          "huggingface/pytorch-image-models timm/task/distillation.py: a student learns what a teacher says", "torch"),
    clean("cupy_lost_phases", "pictures from magnitudes",
          "AdvancedPhotonSource/tike src/tike/ptycho: magnitudes replaced between transforms", "cupy"),
    clean("triton_divergences", "language model, divergences",
          "linkedin/Liger-Kernel src/liger_kernel/ops/kl_div.py: forward", "triton"),
    clean("jax_world_models", "simulated world, eight models",
          "facebookresearch/mbrl-lib mbrl/models/gaussian_mlp.py: products for all models at once", "jax"),
)

CASES = FAULTS + CLEAN
