"""Public code that was held out until it was opened. See eighth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("depth_fusion", "depth camera, signed distances", ("G01",), r"integrate|cast_rays",
          "Depth is the fastest axis of the grid, but lanes lie along x, so they read and write 2 MB apart; make x "
          "the fastest axis.",
          "achsvg/MiroirFusion issue 1: the grid indexed with x as the fastest axis, twice the frames a second"),
    fault("drift_trials", "radio telescope, drifting signals", ("R04",), r"add_one_drift",
          "Blocks go through all channels for one drift after the other, so the spectra come from DRAM 128 times; keep "
          "a tile of channels in shared memory for all drifts.",
          "UCBerkeleySETI/hyperseti issue 24: threads of all trials read the same values, shared memory asked for"),
    fault("calibrated_rows", "quantised layers, statistics of rows", ("G04",), r"statistics_by_values",
          "Each thread loads one byte at a time, 32 bytes a warp; load 16 bytes a thread.",
          "tensorflow/tensorflow pull request 36752: several eight-bit values a thread in reductions of rows, 3 times "
          "as fast"),
    fault("flow_timesteps", "gas, length of steps", ("T03",), "",
          "The host waits in each step for a copy of the blocks' wave speeds and looks for the fastest while the GPU "
          "idles; reduce on the device and leave the step there.",
          "ExtremeFLOW/neko pull request 733: reduction to the end on the device instead of large arrays copied"),
    fault("neutron_queues", "neutrons, queues by energy", ("T05", "T03"), "",
          "The queue goes to the host to be sorted and comes back while the GPU idles; sort on the device.",
          "exasmr/openmc pull request 18: queues sorted on the device, 1.4 times the particles a second"),
    fault("swapped_pages", "language model, pages of keys from the host", ("T02",), "",
          "4096 copies of 4 KB a step, one for each page and layer; copy runs of pages that follow one another at once.",
          "taco-project/FlexKV pull request 193: runs of blocks merged into fewer copies"),
    fault("probed_lattice", "flow, lattice Boltzmann with probes", ("U02", "U01"), r"stream_and_collide",
          "The host reads probes in managed memory each round, so pages go to the host and fault back; gather the "
          "probes on the device and copy them.",
          "Geoenergia-Lab/HermiteLBM pull request 31: cudaMalloc again, as cudaMallocManaged causes page faults"),
    fault("torch_peak_places", "poses, peaks of heat maps", ("T03", "T05", "T01"), "",
          "The maps go to ordinary memory of the host, which looks for peaks while the GPU idles; look on the device.",
          "tlpss/keypoint-detection pull request 31: peaks by max_pool2d and topk, 5 to 70 times as fast", "torch"),
    fault("torch_widened_frames", "video, bytes to floats", ("T01", "T03", "T04"), "",
          "The host widens bytes and copies four times as much from ordinary memory; copy the bytes from pinned memory "
          "beside the kernels.",
          "talmolab/sleap-nn pull request 406: bytes copied, widened on the device", "torch"),
    fault("torch_offset_norms", "language model, norms", ("F01", "R04"), r"(?i)elementwise|reduce|copy",
          "A chain of operations in float32 stores each result; call rms_norm.",
          "pytorch/torchtitan pull request 4607: F.rms_norm instead of seven operations", "torch"),
    fault("torch_window_scores", "volumes, attention in windows", ("F01", "R04"), r"(?i)elementwise|softmax",
          "Scores are stored and read again for the bias and the softmax; call scaled_dot_product_attention.",
          "Project-MONAI/MONAI issue 8973: attention of windows bound by the scores that it stores", "torch"),
    fault("torch_expert_biases", "experts, biases of tokens", ("T03",), "",
          "repeat_interleave reads the length from the device in each layer; give output_size.",
          "pytorch/torchtitan pull request 3274: output_size given, no wait", "torch"),
    fault("cupy_particle_bounds", "particles in a box", ("F01", "G03", "G01"), r"(?i)cupy_all|inside_by_rows|Reduce",
          "all() over rows of three values wastes threads and reads flags again; compare the columns in one kernel.",
          "struphy-hub/struphy pull request 347: columns joined instead of all(axis=1)", "cupy"),
    fault("triton_norm_slopes", "layer norm, gradients of weights", ("A01",), r"slopes_by_atomics",
          "65,536 programs add to the same 1024 words; keep partial sums and add them up.",
          "linkedin/Liger-Kernel pull request 945: partial sums instead of atomics, 5 to 12 times as fast", "triton"),
    fault("triton_scaled_tokens", "language model, values to bytes", ("B01",), r"scale_tokens",
          "48 programs of 32 rows leave most multiprocessors idle; take a row a program.",
          "ROCm/aiter pull request 306: a program a row instead of 32, 60 us become 5.5", "triton", underfilled=True),
    fault("jax_event_likelihoods", "gravitational waves, likelihoods", ("T07", "T01", "T03"), "",
          "The same 67 MB of events are copied in each step; put them on the device once.",
          "kokabsc/gwkokab pull request 467: device_put for the data", "jax"),
)

CLEAN = (
    clean("reversed_orders", "proofs, order of reversed bits",
          "supranational/sppark pull request 28: permutation of reversed bits by tiles"),
    clean("lit_scenes", "pictures of spheres, edited lamps",
          "cuteday/KiRaRay pull request 51: asynchronous copies of edited parameters of a scene"),
    clean("event_pages", "collisions, squared amplitudes",
          "madgraph5/madgraph4gpu issue 16: momenta in arrays of structures of arrays"),
    clean("torch_retrieved_passages", "search, nearest passages", "facebookresearch/faiss issue 3621: search by products and topk of "
          "PyTorch", "torch"),
    clean("torch_upscaled_tiles", "pictures, upscaling", "xinntao/Real-ESRGAN realesrgan/utils.py: tiles in half precision",
          "torch"),
    clean("torch_forecast_windows", "series, forecasts", "cure-lab/LTSF-Linear: windows of series", "torch"),
    clean("cupy_ring_waves", "plate, waves", "devitocodes/devito examples/seismic: acoustic waves", "cupy"),
    clean("jax_coded_images", "pictures, autoencoder", "google/flax examples/vae: training", "jax"),
)

CASES = FAULTS + CLEAN
