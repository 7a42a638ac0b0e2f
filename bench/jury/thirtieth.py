"""Public code that was held out. See thirtieth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("pharmacy_stock", "stock of pharmacies, sales of medicines smoothed forwards and backwards", ("G01",),
          r"smooth_sales",
          "A thread goes through the 512 weeks of its medicine, which lie side by side, so the lanes of a warp are 2 KB "
          "apart and each load and store touches 32 sectors instead of 4, some 0.9 to 1.8 ms beside 0.25 to 0.35 ms of "
          "work; keep the weeks apart and the medicines side by side (week after week), and it takes 0.3 to 0.4 ms.",
          "ProjectPhysX/FluidX3D issue 193: values of neighbouring cells side by side instead of values of a cell, 229 % "
          "faster by a comment of the code; Pele-Suite/PelePhysics pull request 183: an array is transposed for coalesced "
          "access, some 4 % for a function",
          also=("G01", "R04", "F01", "B01", "G03")),
    fault("bacteria_swarm", "bacteria that turn as their neighbours do, found by cells of a grid", ("G05", "G01"),
          r"\bsteer\b",
          "Each of two million bacteria reads some 18 neighbours through the sorted index, and bacteria themselves lie in "
          "any order, so each read is a sector of its own at a place that no lane shares, some 0.9 to 1.5 ms beside 0.2 to "
          "0.3 ms of work; sort the bacteria themselves as their cells lie (one gather), and steering takes 0.06 to "
          "0.12 ms.",
          "Victor2266/The-Fluid-Toy issue 33: particles themselves are sorted instead of their indices, some 2 times as "
          "fast by a quoted figure; InteractiveComputerGraphics/cuNSearch issue 8: points are read through sorted "
          "indices and should be moved in memory, no figure read",
          also=("G01", "G05", "R04", "F01", "G03", "B01")),
    fault("zebra_coats", "coats of zebras, stripes by reaction and diffusion", ("T10", "T09"), "",
          "The host waits for the GPU (cudaDeviceSynchronize) after each of 337 launches a day and reads nothing, so the "
          "GPU is idle for some 6 to 12 us each time, 2 to 4 ms beside 3 to 4 ms of work; ask for errors of the launch only "
          "(cudaGetLastError), and launches run ahead.",
          "Hi-PACE/hipace pull request 797: no waits after loops, 0.80 s become 0.45 for 32 points, 22.8 become 21.0 for "
          "512; PointCloudLibrary/pcl issue 711: cudaDeviceSynchronize everywhere lowers the rate of frames, no figure",
          also=("T09", "F01", "R04", "B01")),
    fault("marching_band", "a marching band, figures bent by bones that the host poses", ("T02",), "",
          "The poses of 128 players, which lie side by side in pinned memory, are uploaded by a copy of 1.5 KB each, some "
          "0.2 to 0.4 ms a frame for the host and the GPU beside 0.2 to 0.3 ms of work; upload all 197 KB by one copy, "
          "some 6 us.",
          "kaldi-asr/kaldi pull request 3351: small copies of many tasks become one batched copy, microseconds for each, "
          "no figure for all; llm-d/llm-d-kv-cache pull request 607: copies of a loop submitted as one batch, 3.35 s become "
          "1.77 (CUDA 12.8)",
          also=("T09", "T03", "T04", "A01", "S01", "F01", "R04", "B01", "G05", "G01", "G03", "G04")),
    fault("torch_signatures",
          "signatures on tablets, a recurrent layer and a compiled transformer, compared with customers",
          ("T09",), "",
          "A recurrent layer is a loop of Python with an LSTMCell for each of 200 points, three launches of small kernels "
          "each (some 25 to 35 us on the host for 11 to 13 us of the GPU), so the GPU waits some 1.5 to 4 ms a round beside "
          "4.5 to 5.5 ms of work; take the layer of the library (nn.LSTM, which cuDNN works out in one call, some 1 to 1.5 "
          "ms for the 200 points), or capture the loop in a CUDA graph.",
          "mozilla/DeepSpeech issue 885: cells of a recurrent layer are to become the one of cuDNN, 6 times as fast by simple "
          "benchmarks (TensorFlow); ekzhang/char-rnn-keras pull request 2: the same in Keras, learning is 3 times as fast "
          "by a user's figure",
          "torch", also=("T09", "F01", "R04", "B01", "G04", "F03")),
    fault("torch_keyboards",
          "keys typed on phones, training of a compiled transformer, norms of slopes kept by name",
          ("T03", "T02", "T09"), "",
          "The norm of each parameter's slope is read by the host at once (.item()), 102 copies of 4 bytes a step, each "
          "waited for before the next norm is launched, so the GPU is nearly idle for some 2 to 3.5 ms beside 4.5 to 6 ms "
          "of work; work all norms out together (torch._foreach_norm) and add them up on the GPU, some 0.05 ms.",
          "Koratahiu/Advanced_Optimizers pull request 5: no .item() for each parameter in an optimiser, a step of it some "
          "50 % faster; SeonghwanSeo/kfold pull request 195: norms of slopes for the record by torch._foreach_norm, no "
          "figure",
          "torch", also=("T01", "T02", "T03", "T04", "T09", "F01", "R04", "K02", "B01", "G04", "G05", "F03")),
    fault("cupy_loudspeakers",
          "loudspeakers in a hall, sweeps divided out by FFTs, decay and bands",
          ("T08",), "",
          "All free blocks of CuPy's memory pool go back to the driver after each round (free_all_blocks), so some five "
          "arrays of 134 MB and a few small ones are allocated by cudaMalloc again and freed by cudaFree, which waits for "
          "the GPU, some 0.7 to 2.7 ms beside 2.3 to 2.8 ms of work; leave them in the pool.",
          "ppsp-team/HyPyP issue 309: free_all_blocks after each call makes the next one go through cudaMalloc, and "
          "cudaFree waits, removal is asked for, no figure; cupy/cupy issue 3339: frequent cudaMalloc and cudaFree are "
          "fewer with a pool, no figure read",
          "cupy", also=("T09", "T10", "F01", "R04", "B01", "F03")),
    fault("triton_hearing_aids",
          "hearing aids, speech parted from noise by blocks of norms, products and filters along time",
          ("G01",), r"norm_frame",
          "A program of the norm has one frame, whose 256 channels lie 8 KB apart, so each lane reads and writes 2 bytes of "
          "a sector of its own, 16 times the traffic to L2, some 0.2 to 0.35 ms a block of the network instead of 0.02 to "
          "0.03; give a program 64 frames that follow each other, so that lanes lie along time.",
          "pytorch/pytorch pull request 140440: in norms of groups threads lie along the dimension of stride 1 instead of "
          "along one of stride C, no figure read; triton-lang/triton issue 949: the way a tile lies decides whether loads "
          "of Triton are coalesced, 1.2 times as fast",
          "triton", also=("G01", "F01", "R04", "G02", "G04", "B01", "T09", "F03")),
)

CLEAN = (
    clean("pipe_organ", "a pipe organ, sums of sines by a recurrence, echoes of a church",
          "umlaeute/Gem pull request 443: 200 oscillators added up on a GPU, no figure; csound/manual issue 50: direct and "
          "partitioned convolution by CUDA, no figure",
          also=("B01", "F01", "R04", "G01", "G04")),
    clean("copied_essays", "essays that were copied, least hashes and bands of them",
          "src-d/minhashcuda issue 20: bands of least hashes asked for beside hashes by CUDA, no figure; "
          "NVIDIA-NeMo/Curator pull request 258: stages of finding documents that are alike on GPUs, no figure read",
          also=("F01", "R04", "G05", "G01", "G03", "B01", "A01")),
    clean("torch_gliders", "tracks of gliders, flow matching by a compiled transformer with a slow mean of weights",
          "NVlabs/FastGen pull request 28: training networks are compiled, 0.694 s an iteration become 0.447 on an H100; "
          "67372a/LoRA_Easy_Training_Scripts issue 79: compilation makes training some 50 % faster by a user's figure",
          "torch", also=("F01", "R04", "K02", "B01", "G04", "G05")),
    clean("jax_saucepans", "saucepans that get warm, an operator network whose places are shared by all coils",
          "lululxvi/deepxde pull request 1671: networks of DeepXDE by JAX and its compiler, some twice as fast as PyTorch by "
          "the writer's run; lululxvi/deeponet issue 13: networks whose places are shared (Cartesian product), no figure",
          "jax", also=("F01", "R04", "B01", "G04", "F03")),
)

CASES = FAULTS + CLEAN
