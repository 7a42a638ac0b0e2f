"""Public code that was held out. See eighteenth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("weather_archive", "weather, fields packed for an archive", ("L01",), r"pack",
          "The numbers of a block are indexed through a table that the compiler does not know, so all 64 lie in "
          "local memory; make the table known to the compiler, so that they stay in registers.",
          "llnl/zfp pull request 65: a table that the compiler knows, no local memory, 1.25 times as fast; "
          "NVlabs/cuda-oxide issue 707: an index known only at run time, 31 % of a kernel",
          also=("F01",)),
    fault("cortex_probe", "neurons, a network that a probe records", ("U02", "U01"), "",
          "Host and GPU use managed memory in turn for what neurons are given and what they did, so pages move "
          "there and back in each step; copy both between device memory and pinned memory, beside the kernels.",
          "genn-team/genn pull request 282: managed memory costs about 20 %, as pages move in each step; "
          "elalish/manifold issue 120: page faults as GPU and CPU take turns",
          also=("G05", "T09")),
    fault("collider_jets", "collider, events with four jets", ("Z01",), r"weigh",
          "The kernel reads 8.4 MB of couplings, which never change, from pinned memory of the host in each round; "
          "copy them to the GPU once.",
          "madgraph5/madgraph4gpu issue 566: couplings in pinned host memory are read directly by the kernel",
          also=("F01", "R04")),
    fault("song_prints", "songs, found by fingerprints", ("R04",), r"compare",
          "All 537 MB of prints are read for one recording after the other, eight times; compare each print with "
          "all eight recordings when it is read.",
          "kokkos/kokkos-kernels issue 488: the matrix loaded once for several vectors; ml-explore/mlx pull request"
          " 3764: weights read once for two to eight vectors, 1.0 to 1.6 times as fast for two",
          also=("F01", "B01")),
    fault("city_traffic", "cars and exhaust in a city", ("T10",), "",
          "The host waits after each of three kernels a step and reads nothing, so the GPU idles between them; "
          "remove the waits.",
          "KeitaNakamura/Tesserae.jl pull request 152: waits kept only where the host reads; NVIDIA/cuda-quantum "
          "pull request 4596: a needless wait removed, 7 % faster",
          also=("T09", "B01", "F01")),
    fault("cell_film", "microscope, moving cells in a film", ("G04",), r"bytes",
          "Each thread has one pixel of a byte, so a warp loads and stores 32 bytes at a time; give a thread four "
          "pixels as a word (or 16).",
          "NVIDIA/DALI pull request 3568: bytes stored as words, up to 40 % more throughput; "
          "meta-pytorch/torchcodec pull request 1459: several pixels a thread, as vectors",
          also=("F01", "R04")),
    fault("torch_kidneys", "computed tomography, training of a U-shaped network", ("K01",),
          r"(?i)nchw|nhwc|transpose|transform|convert|permute",
          "Weights and pictures have the default layout, so cuDNN converts what nearly every convolution reads and "
          "writes to channels_last and back; put the network and the pictures in channels_last once.",
          "ultralytics/ultralytics pull request 25362: channels_last for training, 1.19 to 1.26 times as fast; "
          "keras-team/keras pull request 22324: convolutions without copies to another layout", "torch",
          also=("K02", "F01", "R04", "T09")),
    fault("torch_proteins", "proteins, training of a language model", ("F01", "R04"), r"(?i)softmax",
          "Attention is written out, so 100 million likenesses a layer are written and read several times between "
          "products, conversions and the softmax, forward and backward; use scaled_dot_product_attention, which is "
          "one kernel.",
          "m87-labs/moondream pull request 78: scaled_dot_product_attention, 20 % faster; LTH14/JiT issue 15: the "
          "same, faster training with less memory", "torch", also=("K02", "F01", "F03", "T09")),
    fault("torch_birds", "recordings of birds, training of a transformer", ("T08",), "",
          "empty_cache() after each round gives all memory back to the driver, so the next round waits for "
          "gigabytes to be allocated again; leave the memory with the library.",
          "huggingface/transformers pull request 31530: empty_cache taken out of the loop of training; "
          "huggingface/peft pull request 2894: 65 s become 45 without it", "torch",
          also=("T09", "T10", "K02", "F01", "R04")),
    fault("torch_chess", "chess, positions judged by a transformer", ("K02",), r"(?i)copy|cast|elementwise",
          "The weights are kept in 32 bits, so autocast reads all 1.6 GB and writes them as bfloat16 in each round "
          "before the products read them; convert the network once when it is loaded.",
          "sgl-project/sglang-omni pull request 2262: weights converted once instead of by autocast in each call, "
          "372 ms become 299; chaiNNer-org/chaiNNer pull request 1024: back from autocast to half precision", "torch",
          also=("F01", "R04", "T09")),
    fault("cupy_radiographs", "radiographs of castings, dead pixels", ("L01",), r"add_by_sort",
          "The size of the median's window is known only when the kernel runs, so the array that is sorted lies in "
          "local memory; write the kernel for a window of three, by minima and maxima of values that stay in "
          "registers.",
          "cupy/cupy pull request 3813: networks of comparisons for small windows, 7 times as fast for one of three "
          "as the general sort; ROCm/rpp pull request 681: an array of a thread that would lie in local memory", "cupy",
          also=("F01", "R04", "G03")),
    fault("triton_genomes", "genomes, few summaries attend to many places", ("B01",), r"attend",
          "32 programs walk along all 131072 places, so three quarters of the GPU have nothing to do; cut the "
          "stretches into more parts, and merge what they found.",
          "sgl-project/sglang pull request 27786: more parts of a long context, 1.2 to 3.5 times as fast; "
          "NVIDIA/TensorRT-LLM pull request 15399: attention of few queries to 15360 keys cut into parts", "triton",
          underfilled=True, also=("F01", "R04", "G05", "T09", "B01")),
)

CLEAN = (
    clean("heart_tissue", "heart, waves of excitation",
          "JuliaHealth/Thunderbolt.jl issue 5: an explicit solver of finite differences on the GPU; pull request "
          "104: the monodomain solver in CUDA"),
    clean("insured_cars", "insurance, boosted trees",
          "dmlc/xgboost pull request 3384: histograms in shared memory, 44.8 s become 17.0; rapidsai/legate-boost "
          "pull request 154: gradients as whole numbers of 32 bits",
          also=("B01",)),
    clean("ligand_docking", "a molecule docked at a protein",
          "uw-ipd/tmol pull request 246: poses scored together from fast memory, 2.2 times as fast; "
          "UoB-HPC/miniBUDE cuda/bude_cuda.cu@1af5b39: a thread scores poses in registers, all lanes with the same "
          "atom of the protein"),
    clean("torch_etchings", "etchings, two networks that compete",
          "fideus-labs/KonfAI pull request 128: losses not read in each step, a fused average of weights, "
          "channels_last; HyperGAN/HyperGAN pull request 355: some 100 reads by the host a step become one for each "
          "network", "torch", also=("K01", "K02", "F01", "R04", "T09")),
    clean("torch_shops", "shops, sales told day by day",
          "LibreYOLO/libreyolo pull request 645: a network recorded as a CUDA graph, 3 to 9 times as fast; "
          "vllm-project/vllm-omni pull request 2520: a loop over small steps recorded, half the time", "torch",
          also=("F01", "B01", "F03")),
    clean("jax_atoms", "molecules, training of the energies of atoms",
          "micdoh/XLRON pull request 29: products in bfloat16 with weights of 32 bits, 2.1 times as fast; "
          "Neural-Mechanics-Lab/folax pull request 19: weights and the state of the optimiser are donated", "jax",
          also=("F01", "R04")),
)

CASES = FAULTS + CLEAN
