"""Public code that was held out. See twenty_fourth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("lightning_map", "lightning, strokes sorted by place and joined to flashes", ("R04",),
          r"(?i)radix|onesweep|sort",
          "Codes of places have 22 bits in 64, and SortPairs sorts by all 64, so 16.8 million codes and strokes, 268 MB, "
          "are read and written by eight passes instead of three; tell SortPairs the last bit (or use codes of 32 bits).",
          "mosure/bevy_gaussian_splatting pull request 229: keys of 16 bits, two digit places instead of four, with two "
          "other changes 2.4 times as fast; NVIDIA-Genomics-Research/GenomeWorks pull request 287: largest keys are "
          "told so that CUB sorts fewer bits, three rounds instead of six for 16 bits",
          also=("R04", "F01", "F03", "B01", "G03")),
    fault("grain_silo", "grain in a silo, discrete elements with a grid of cells", ("G05", "G01"), r"collide",
          "Only numbers of grains are sorted by cells, so each thread reads the places and speeds of its neighbours by "
          "an index from anywhere in 134 MB, and a warp touches some 32 lines for each of them; put places and speeds in "
          "the order of cells once a step and read these.",
          "Victor2266/The-Fluid-Toy issue 33: sort the particles and not only their indices, about 2 times as fast by "
          "hearsay; InteractiveComputerGraphics/cuNSearch issue 8: points are not sorted but read by sorted indices, no "
          "figure",
          also=("G05", "G01", "G03", "F01", "R04")),
    fault("bread_ovens", "bread in a tunnel oven, stiff reactions of eight substances", ("L01",), r"\breact\b",
          "Rows of the small matrix are swapped by an index that is not known to the compiler, so the matrix of 256 "
          "bytes of each thread lies in local memory and is read and written there by the whole elimination; swap by "
          "comparisons in unrolled loops, so that it stays in registers (or leave the pivots out).",
          "NVlabs/cuda-oxide issue 707: an array of 128 bytes indexed at run time lies in local memory, 31 % of a "
          "kernel; ComputationalRadiationPhysics/picongpu issue 3870: 336 bytes of stack in a kernel by weights that "
          "are not known when it is compiled, no figure",
          also=("F01", "R04")),
    fault("bank_notes", "bank notes, a machine that sorts them by pictures", ("Z01",), r"measure_light|straighten",
          "Pictures stay in mapped memory of the host, and two kernels read them three times across PCIe; copy a tray "
          "to the GPU once, in the stream of its lane.",
          "dmlc/dgl pull request 3727: features read from pinned memory by kernels 4.13 s an epoch, from the GPU's own "
          "memory 1.88 s; madgraph5/madgraph4gpu issue 566: an array in pinned memory was handed to kernels directly, "
          "no figure",
          also=("G04", "G01", "F01", "T03", "B01")),
    fault("torch_butterflies", "butterflies, training of a vision transformer on photographs", ("T01",), "",
          "Batches of 50 MB lie in pageable memory, so each copy goes through the driver's staging buffer at a fraction of "
          "the link's speed, and the host cannot launch the step before it; pin the batches (pin_memory of the loader).",
          "ostris/ai-toolkit pull request 813: pinned memory of the loader, 20 s a step become 10; kohya-ss/sd-scripts "
          "pull request 1894: the same, epochs 8 to 10 % faster",
          "torch", also=("T01", "T03", "T04", "T07", "T09", "K02", "F01", "F03", "G03", "R04", "G01", "G04", "B01")),
    fault("torch_lost_property", "lost property, a server that reads reports", ("K02",),
          r"(?i)copy|elementwise|convert|cast",
          "Weights are kept in 32 bits, so autocast converts all 604 million of them to bfloat16 in each round, 3.6 GB; "
          "convert the weights of the products once, when the server starts.",
          "huggingface/diffusers pull request 511: no autocast at inference, 25 to 35 % faster; "
          "AUTOMATIC1111/stable-diffusion-webui pull request 15820: no conversions at inference, some 50 ms less for each "
          "iteration",
          "torch", also=("K02", "F01", "R04", "B01")),
    fault("torch_frescoes", "frescoes, what is missing is painted by diffusion", ("K01",),
          r"(?i)nchw|nhwc|permute|transpose",
          "Latents and weights of the U-Net are in NCHW order, so cuDNN converts the input and the output of nearly all of 26 "
          "convolutions to NHWC and back; keep both in channels_last.",
          "instanseg/instanseg pull request 144: channels_last, some 30 % faster, conversions were 12 % of the time; "
          "ultralytics/ultralytics pull request 25362: channels_last with mixed precision, 1.19 to 1.26 times as fast",
          "torch", also=("F01", "R04", "B01", "G04")),
    fault("jax_seashells", "sea shells, patterns of two pigments", ("F03",), "",
          "The compiled function that puts a picture into the film may not reuse the film's memory, so all 1.6 GB are copied "
          "for a picture of 16.8 MB; donate the film (donate_argnums).",
          "alonfnt/bayex pull request 7: an array is extended by a jitted function that donates it, no figure; jax-ml/jax "
          "issue 15684: 100 of 60,000 rows set without donation take 9.2 ms on a GPU",
          "jax", also=("F01", "R04", "F03", "B01")),
)

CLEAN = (
    clean("ice_rink", "an ice rink, heat in layers by a graph with asynchronous copies",
          "newton-physics/newton pull request 2457: a loop of simulation recorded as a graph, 125 s become 85; "
          "GollyGang/ready issue 122: tiles of a stencil kept in shared memory, some 10 % faster",
          also=("B01", "F01", "R04", "G01")),
    clean("card_tables", "poker, a Monte Carlo simulation that learns when to call",
          "pangenome/odgi pull request 599: counter-based random numbers in registers, some 17 % faster on a V100; "
          "diku-dk/futhark issue 688: histograms in shared memory are always faster than in global memory for sums",
          also=("G03", "G01", "B01", "F01")),
    clean("torch_statues", "statues, damage in scans by a compiled graph network",
          "pyg-team/pytorch_geometric issue 8779: a compiled graph network, 5.7 ms an epoch become 2.9 on one machine, and "
          "4 % or less are gained on another; pytorch/pytorch pull request 91501: the compiler fuses gathers and sums of "
          "neighbours well enough, no figure",
          "torch", also=("G05", "G02", "G04", "F01", "R04", "B01")),
    clean("triton_bells", "bells, sound stored by residual code books",
          "AnswerDotAI/fastkmeans pull request 1: nearest centres found in a Triton kernel, 20 to 24 % faster than PyTorch; "
          "svg-project/flash-kmeans pull request 4: the same for cosines, 15.4 ms become 5.8",
          "triton", also=("F01", "R04", "G05", "B01")),
)

CASES = FAULTS + CLEAN
