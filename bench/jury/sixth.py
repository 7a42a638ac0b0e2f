"""Public code that was held out until it was opened. See sixth.md."""
from jury.labels import clean, fault

FAULTS = (
    fault("nearest_slots", "nearest candidates of points", ("L01",), "nearest_by_place",
          "A place of the list that is known at run time only puts the lists into local memory; go through fixed "
          "places, so that they stay in registers.",
          "NVIDIA/raft pull request 551: a buffer with such a place is in local memory, twice as slow; "
          "facebookresearch/pytorch3d pytorch3d/csrc/utils/index_utils.cuh@487d4d6607a60a8be7135b334137985f40953a92: "
          "fixed places instead"),
    fault("tone_curves", "picture, curves of its colours", ("C01",), "brighten_by_constants",
          "Lanes look up different values of a table in constant memory, which serves one address at a time; keep the "
          "table in global memory.",
          "NVlabs/cuda-oxide pull request 684: a table of 256 values 49 times as slow in constant memory"),
    fault("sketch_uploads", "genomics, sketches of reads", ("T08",), "",
          "Each batch of 16 MB is pinned before its copy and released after it; pin the memory once.",
          "NVIDIA-Genomics-Research/GenomeWorks pull request 481: pinning for each copy costs more than it saves; "
          "eunomia-bpf/bpftime pull request 507: pinned once"),
    fault("spike_records", "neurons, counts of spikes", ("U01", "U02"), "",
          "2 MB of managed memory move to the host when it reads them, and back when the kernel writes them; use "
          "device memory and a copy to pinned memory.",
          "genn-team/genn pull request 282: 20 % slower with managed memory; sonots/cumo pull request 528: a copy to "
          "pinned memory instead of a page fault for each read"),
    fault("token_rows", "memory of tokens, rows of a table", ("G03", "G01"), "bring_rows",
          "Blocks of one thread leave 31 of 32 lanes idle; launch blocks of 256.",
          "luminal-ai/luminal pull request 268: a gather of one thread a block, 81 times as fast with 256"),
    fault("bus_counts", "trace of a proof, counts of messages", ("B01",), "count_by_message",
          "A warp a message makes eight blocks for 132 multiprocessors; give a row to a thread, which takes all "
          "messages.",
          "powdr-labs/powdr pull request 3745: parallel over rows, after three blocks on 170 multiprocessors (pull "
          "request 3744)",
          underfilled=True),
    fault("best_keys", "scores of queries on tensor cores", ("S01",), "best_by_plain_rows",
          "Rows of 32 words in shared memory: the eight rows of a fragment share a bank; pad the rows by four words.",
          "kekzl/imp pull request 484: padded rows, 1.54 times as fast"),
    fault("cell_tendencies", "weather, cells and their neighbours", ("G01",), "tendencies_cell_by_cell",
          "The table has the nine neighbours of a cell side by side, so lanes read 36 bytes apart; store it place by "
          "place.",
          "MeteoSwiss-APN/dawn pull request 1154: coalesced reads of the tables of neighbours"),
    # The host draws the noise while the device idles, which costs more than the copies.
    fault("torch_drawn_weights", "Bayesian layers, noise of weights", ("T03", "T01"), "",
          "The noise of the weights is drawn on the host and copied from ordinary memory in each step; draw it on the "
          "device.",
          "kumar-shridhar/PyTorch-BayesianCNN pull request 3: drawn on the device, 7 times as fast", "torch"),
    fault("torch_written_gelu", "language model, activations", ("F01", "R04"), r"(?i)elementwise",
          "Eight operations for an activation bring 100 MB from DRAM each; call gelu with the tanh formula.",
          "huggingface/transformers issue 39073 and pull request 40048: one call, 7.65 times as fast", "torch"),
    fault("torch_chunk_owners", "packed sequences, owners of chunks", ("T03", "T02"), "",
          "item() for each sequence makes the host wait for a number, twice, and the GPU idles; find all owners on the "
          "device.",
          "state-spaces/mamba pull request 969: no loop over sequences with waits in it, 100 to 200 ms less", "torch"),
    fault("torch_pruning_bound", "training, smaller weights to zero", ("B01",), r"(?i)kthvalue",
          "kthvalue searches all weights with one block; sort them and take the bound from the result.",
          "pytorch/pytorch issue 75599: kthvalue 20 times as slow as a sort of 100 million values", "torch", underfilled=True),
    fault("torch_draft_masks", "drafted tokens, masks of requests", ("T02", "T01"), "",
          "48 copies of 64 bytes bring the masks of the requests; copy all masks at once.",
          "sgl-project/sglang pull request 32407: no loop over the requests with a copy in it", "torch"),
    fault("torch_channel_norms", "pictures, norms over channels", ("G01", "K01"), r"(?i)copy",
          "The norms need the channels side by side, so each is surrounded by copies that read or write 16 KB apart; "
          "store the pictures that way throughout.",
          "pytorch/vision pull request 5253: channels last and linear layers, 20 % faster; "
          "huggingface/pytorch-image-models pull request 1340: the copies around the norm", "torch"),
    fault("torch_scaled_outputs", "forecasts, scaling undone", ("T05", "T03", "T01"), "",
          "8 MB of outputs go to the host and back in each step, to undo their scaling; keep scales and means on the "
          "device.",
          "MUST-Deep-Learning/KnowIt issue 263: from the device to the host and back in inverse_transform", "torch"),
    fault("cupy_surrogate_coupling", "brains, coupling of phases", ("T08",), "",
          "Each call gives the memory of its arrays back and the next one allocates it again; do not call "
          "free_all_blocks there.",
          "ppsp-team/HyPyP issue 309: the call defeats the pool in loops of surrogates", "cupy"),
    fault("cupy_picture_batches", "classifier, batches from the host", ("T04",), "",
          "Copies and kernels take turns in one stream; copy the next batch to a second buffer in a stream of its own.",
          "chainer/chainer pull request 3336: ConcatWithAsyncTransfer copies the next batch beside the kernels", "cupy"),
    fault("triton_draft_losses", "drafting model, losses of words", ("L01",), r"divergence_of_tokens",
          "Blocks of 131,072 words have 128 values a thread, which spill to local memory; take smaller blocks, one "
          "after another.",
          "vllm-project/speculators pull request 1111: such blocks spill and reach 6 % of the bandwidth", "triton"),
    fault("triton_offset_gradients", "attention, gradients of biases", ("A01",), r"add_by_score",
          "33 million gradients are added to 32,760 words with atomics; add up along many rows first.",
          "triton-lang/triton issue 4276: atomics on global memory are too slow for gradients of position weights",
          "triton"),
    fault("jax_stored_draws", "posterior, predictions by its draws", ("T07", "T01"), "",
          "NumPy arrays as arguments: each call copies the same 17 MB to the device; place them there once.",
          "markean/aimz issue 267: transfers of NumPy arguments are not kept from call to call", "jax"),
)

CLEAN = (
    clean("cub_key_sums", "sums by key", "NVIDIA/cccl cub/cub/device/device_reduce.cuh@"
          "ba66bbd70e5cde70a860c54b3c91f53cf42f7f3e: ReduceByKey as its comments show it"),
    clean("message_digests", "digests of messages", "hashcat/hashcat OpenCL/inc_hash_sha256.cl@"
          "7b24986096cb76caeb8b3e6c4badea0013dd8f6f: a schedule in registers, one constant for all lanes"),
    clean("remapped_pictures", "picture through a map", "opencv/opencv_contrib modules/cudawarping/src/cuda/remap.cu@"
          "8a6ea82ed0b42a7105cedb23fe9afdd901c6d360: interpolation between places of a smooth map"),
    clean("plotted_fields", "heat, pictures for the host", "AMReX-Codes/amrex Src/Base/AMReX_AsyncOut.cpp@"
          "749dd60a1c7418ee1376ae18a565bd0c2aacce0f: output beside the next steps"),
    clean("torch_interaction_features", "recommender, sums of rows", "facebookresearch/dlrm dlrm_s_pytorch.py@"
          "fcd09698d3b317304c56740adc4c985ba5ec7844: embedding bags and products of pairs", "torch"),
    clean("torch_logged_losses", "language model, training", "karpathy/nanoGPT train.py@"
          "e2221318e607eb5ee0669d6b7641af25a2111545: words from pinned memory, a loss read now and then", "torch"),
    clean("torch_sampled_tokens", "decoding, words for the host", "vllm-project/vllm vllm/v1/worker/gpu_model_runner.py@"
          "4e1790651fc758c06c7a903dd4cd82364ac91b27: outputs fetched in a stream of their own", "torch"),
    clean("cupy_mapped_products", "products in streams", "cupy/cupy examples/stream/map_reduce.py@"
          "bee11445bad3606dc63fbd09856ef632c5cc5ccc: streams, events and a sum", "cupy"),
    clean("triton_token_shifts", "tokens mixed with those before", "fla-org/flash-linear-attention fla/modules/token_shift.py@"
          "09b70f771a9cdc55d04ebf152e64a9ec4167a289: forward, texts of one length", "triton"),
    clean("jax_tracer_transport", "wind, transport of a tracer", "google/jax-cfd jax_cfd/base/finite_differences.py@"
          "29f956a0e82f9801debd644cadb0ca773e5c7eea: shifted reads, compiled as a whole", "jax"),
)

CASES = FAULTS + CLEAN
