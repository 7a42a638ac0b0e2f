"""Public code that was held out. See twenty_sixth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("meter_fleet", "electricity meters, forecasts by exponential smoothing and bills", ("G01",),
          r"smooth_fortnight",
          "A thread goes through the readings of its meter, which lie one after the other, so the lanes of a warp read "
          "places 1344 bytes apart, 32 sectors for each load of 4 bytes a lane; keep readings by times, so that lanes "
          "read neighbours (or bring tiles through shared memory).",
          "ProjectPhysX/FluidX3D issue 193: numbers of cells side by side instead of those of a cell, 229 % faster by a "
          "comment in the code; kokkos/kokkos issue 4751: the layout that fits a GPU, 642 GB/s become 1021",
          also=("G01", "F01", "R04")),
    fault("gif_palette", "a video with 256 colours, k-means of pixels", ("A01",), r"sort_pixels",
          "Each pixel adds to four of 1024 sums in global memory, 8.3 million atomic additions to 4 KB in each pass, and "
          "neighbours mostly meet at the same colour; add up in shared memory, and once for each block in global memory.",
          "NVIDIA/raft pull request 1050: sums of clusters of k-means in shared memory first, some "
          "15 % less for all of k-means in some cases; deepmodeling/deepmd-kit pull request 811: fewer atomic additions "
          "to global memory, kernels 3.32 and 2.3 times as fast",
          also=("A01", "F01", "G04", "B01", "S02")),
    fault("crowd_march", "a crowd of walking figures, skins on bones", ("T02",), "",
          "For each frame the skeletons of 256 figures are uploaded by a copy each of 2304 bytes, some 1.5 to 2.5 us of "
          "the host and 1 to 2 us of the GPU a copy, though they lie side by side on both sides; upload them by one copy.",
          "deepmodeling/deepmd-kit pull request 414: lists are put together on the host and copied by one cudaMemcpy, 93 % "
          "of a reference's speed become 98 %; open-goal/jak-project pull request 1374 (OpenGL): bones are sent together "
          "instead of one by one, 1.5 ms become 1.1",
          also=("T03", "T04", "T09", "F01", "R04", "S01", "S02", "G04", "B01")),
    fault("surround_view", "the view from above a car, pictures of four cameras bent by tables", ("T07",), "",
          "The tables of the calibration, 25 MB that never change, are uploaded with the 16 MB of pictures at each moment, "
          "and PCIe is what bounds the program; upload them once, before the first moment.",
          "NVIDIA/VideoProcessingFramework pull request 304: maps of a remap are uploaded when the object is made and not "
          "with each frame, no figure; mtazzari/galario issue 27: data that never change should be copied to the GPU "
          "once, closed without it, no figure",
          also=("T07", "T03", "T04", "F01", "G01", "G05", "S02", "B01")),
    fault("torch_litter", "litter on beaches, training of a detector without anchors", ("T02",),
          "",
          "What is in each of 192 pictures is moved to the GPU tensor by tensor, 960 copies of 4 to 144 bytes a "
          "step, which the host issues in 5 to 9 ms beside some 4 ms of work of the GPU; put the tensors of a batch "
          "together on the host and copy five of them.",
          "m87-labs/kestrel pull request 109: many small fields packed into one buffer and copied at once, some 11 "
          "copies become 1, neutral on an H100 as copies are hidden there; triton-inference-server/fil_backend "
          "issue 125: a batch copied at once instead of part by part, the time of outputs halves",
          "torch", also=("T09", "T03", "T04", "T07", "F01", "R04", "K01", "K02", "G04", "G05", "B01")),
    fault("torch_trademarks", "trademarks, search for logos that are alike", ("T07",),
          "",
          "The vectors of all marks, 134 MB that never change, are copied from pinned memory to the GPU for each "
          "search, some 2.7 ms beside 3 ms of work; keep them on the GPU.",
          "hpcaitech/CachedEmbedding pull request 2: a constant that went to the GPU in each forward pass is kept "
          "there, the host's time in copies halves; Nerogar/OneTrainer pull request 1608: statistics that were "
          "copied in each step stay on the GPU, no figure",
          "torch", also=("T03", "T04", "F01", "R04", "G04", "G05", "B01")),
    fault("cupy_clouds", "droplets of a cloud, counted by height and size", ("A01",),
          r"(?i)scatter_add",
          "scatter_add adds 16.8 million ones to 1024 counts in global memory, a twentieth of them to one line of "
          "128 bytes, some 1.5 to 2.5 ms beside 2.5 ms of work; count in shared memory by block first.",
          "cupy/cupy pull request 10262: counts by CUB instead of atomics in global memory, 50 million numbers in "
          "100 bins, 17.6 ms become 0.8 on an H100; cupy/cupy pull request 6701: the same, 16.6 ms become 0.5 for "
          "ten million",
          "cupy", also=("A01", "F01", "R04", "B01")),
    fault("triton_comics", "comics, pages are coloured by convolutions with norms of channels", ("G01",),
          r"\binstance_norm",
          "A program has one channel of a page that lies in channels_last, so neighbouring lanes read and write 2 "
          "bytes each that are 256 bytes apart, 32 sectors for each warp instead of 2; give a program a part of a "
          "page with all its channels and add up the moments of the parts.",
          "pytorch/pytorch pull request 140440: norms of groups in channels_last, whose reads had a stride of all "
          "channels, no figure read; pytorch/pytorch pull request 194616: channels_last kept in norms of instances, "
          "a script that was 26.5 % slower than in the other layout becomes 2.4 % slower",
          "triton", also=("G04", "F01", "R04", "K01", "B01")),
)

CLEAN = (
    clean("wind_tunnel", "air around a car, lattice Boltzmann with 19 speeds",
          "ProjectPhysX/FluidX3D issue 193: numbers of cells side by side, 229 % faster by a comment in the code; "
          "Geoenergia-Lab/HermiteLBM pull request 59: coalesced access throughout, \"huge performance gain\", no figure",
          also=("R04", "F01", "G05", "B01")),
    clean("baggage_ct", "a scanner of baggage, filtered back projection",
          "ufo-kit/ufo-filters pull request 244: interpolation by hand instead of by textures, 41.09 ms become 15.39; "
          "RTKConsortium/RTK pull request 24: several projections by one kernel, no figure",
          also=("F01", "R04", "G05", "S02", "B01")),
    clean("torch_frogs", "frogs, training on clips that are uploaded meanwhile, spectra made on the GPU",
          "kitzeslab/opensoundscape issue 1176: spectra of batches on the GPU are asked for, no figure; "
          "KellerJordan/modded-nanogpt pull request 231: batches uploaded by a stream of their own, no figure read",
          "torch", also=("F01", "R04", "K02", "B01", "G04", "T07")),
    clean("jax_minerals", "minerals, training of a residual network on spectra that lie on the GPU",
          "google-research/vdm issue 2: several steps of training by one compiled scan, faster, no figure",
          "jax", also=("F01", "R04", "K02", "B01", "F03", "G05")),
)

CASES = FAULTS + CLEAN
