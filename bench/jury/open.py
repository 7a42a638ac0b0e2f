"""The open half of the jury: rules may be tuned on it."""
from jury.labels import Case

G01 = ("G01",)


def fault(name: str, kind: str, rules: tuple, subject: str, wants: str, language: str = "cuda", underfilled: bool = False) -> Case:
    return Case(name, kind, language, rules, subject, wants, "", underfilled)


def nothing(name: str, kind: str, language: str = "cuda") -> Case:
    return Case(name, kind, language, (), "", "Nothing is wrong.", "")


FAULTS = (
    fault("transpose_16", "transpose 16 wide", G01, "transpose_naive",
          "The stores go down columns of the result: turn a 16 x 16 tile in shared memory."),
    fault("transpose_32", "transpose 32 wide", G01, "transpose_by_columns",
          "The loads go down columns of the matrix: turn a padded tile in shared memory."),
    fault("stencil_columns", "stencil, column-major access", G01, "heat_by_columns",
          "Lanes lie a row apart, as threadIdx.x counts rows: let it count columns."),
    fault("reduce_interleaved", "reduction", ("S01",), "sum_interleaved",
          "Strides of powers of two meet few banks: add halves of neighbouring words."),
    fault("chunk_sums", "reduction of short runs", G01, "sums_by_threads",
          "A thread goes through 32 words of its own: let neighbouring lanes read neighbouring words."),
    fault("scan_conflicts", "scan", ("S01",), "scan_rows",
          "The tree's strides of powers of two meet few banks: pad a word after each 32."),
    fault("bins_global", "histogram", ("A01",), "count_in_global",
          "All threads add to 128 words in global memory: count in each block's shared memory first."),
    fault("particles_28", "particles, records of 28 bytes", G01, "move_structures",
          "Fields of a structure of 28 bytes lie 28 bytes apart from lane to lane: an array for each field."),
    fault("particles_64", "particles, records of 64 bytes", G01, "energy_of_structures",
          "28 of each structure's 64 bytes are used: keep velocities and masses in arrays of their own."),
    fault("spmv_scalar", "sparse product", G01, "multiply_by_threads",
          "A thread goes through a row of the matrix: let a warp do it."),
    fault("layer_norm_rows", "layer norm", G01, "norm_by_threads",
          "A thread goes through a row, and the few rows leave most of the GPU idle: a block for each row.", underfilled=True),
    fault("embedding_tokens", "embedding", G01, "embed_by_threads",
          "A thread copies a row of 256 floats: let neighbouring threads copy neighbouring words of a row."),
    fault("quant_matvec", "quantised matrix-vector product", ("G04",), "multiply_bytes",
          "Each lane loads single bytes: load 16 at once."),
    fault("nchw_to_nhwc", "permutation of axes", G01, "interleave_naive",
          "Lanes store 256 bytes apart: turn a tile in shared memory."),
    fault("gather_random", "gather", ("G05",), "look_up",
          "Indices in any order fetch a sector for each value: sort them once."),
    fault("community_sizes", "graph, sums by vertex label", ("A01",), "weigh_by_vertices",
          "All lanes of a warp add to one address: add up in the warp first."),
    fault("slot_alloc", "allocation of slots", ("A01",), "take_by_threads",
          "Each thread moves one cursor and waits for its value: one atomic for each block."),
    fault("rgb_bytes", "image, 3-byte pixels", ("G01", "G04"), "grey_by_pixels",
          "Threads move single bytes of interleaved pixels: take four pixels as three words."),
    fault("matvec_rows", "dense matrix-vector product", G01, "multiply_by_threads",
          "A thread goes through a row of the matrix, and rows are few: a block for each row.", underfilled=True),
    fault("dilated_conv", "misaligned rows", G01, "convolve_behind_header",
          "Rows begin one word off a sector, and each load touches one sector more: align them."),
    fault("shared_columns", "small matrix products", ("S01",), "multiply_tiles",
          "The lanes of a warp read a column of a tile of 32 words a row: pad the rows by a word."),
    fault("spill_bounds", "projection on polynomials", ("L01",), "project_bounded",
          "The launch bounds leave 32 registers, and sums are spilled: smaller blocks."),
    fault("local_counts", "vote", ("L01",), "vote_locally",
          "An array that is indexed at run time lies in local memory: keep it in shared memory."),
    fault("row_blocks_40", "records of 40 values", ("G03",), "activate_records",
          "Blocks of 40 threads leave 24 of 64 lanes idle: blocks of whole warps over all values."),
    fault("pageable_upload", "upload each round", ("T01",), "pageable",
          "The batch is copied from ordinary memory: allocate it with cudaMallocHost."),
    fault("reread_passes", "moments", ("R04",), "moments_by_passes",
          "Four passes bring the values from DRAM four times: compute all moments in one."),
    fault("torch_transposed_add", "non-contiguous operand", G01, "elementwise",
          "One operand is a transposed view: make it contiguous once.", "torch"),
    fault("torch_random_index", "gather", ("G05",), "(?i)index|gather",
          "Indices in any order fetch a sector for each value: sort them once.", "torch"),
    fault("torch_channels_each_step", "image format", G01, "elementwise|copy|(?i:nchw)",
          "Each step brings the images to channels_last: keep them in it.", "torch"),
    fault("cupy_mixed_orders", "C and Fortran order", G01, "subtract",
          "One operand has Fortran order: give both one order.", "cupy"),
    fault("triton_columns", "column-major access", G01, "scale_down_columns",
          "tl.arange runs down the rows: let it run along a row.", "triton"),
)

CLEAN = (
    nothing("sgemm_tiled", "matrix product"),
    nothing("cast_halves", "32 bytes a lane in two halves"),
    nothing("reduce_shuffle", "reduction"),
    nothing("blur_halo", "stencil halo"),
    nothing("stencil_march", "stencil in three dimensions"),
    nothing("cub_suite", "sort, scan, reduction"),
    nothing("thrust_pipeline", "transformation, scan"),
    nothing("pipeline_async", "asynchronous copies"),
    nothing("histogram_private", "histogram"),
    nothing("nbody_tiles", "n-body"),
    nothing("softmax_fused", "softmax"),
    nothing("records_16", "particles, records of 16 bytes"),
    nothing("masked_store", "conditional stores, tail guard"),
    nothing("material_table", "small table with a stride"),
    nothing("scalar_axpy", "broadcast of one value"),
    nothing("rotate_tiles", "rotation by tiles"),
    nothing("torch_encoder", "encoder block", "torch"),
    nothing("cupy_statistics", "row statistics", "cupy"),
    nothing("triton_softmax", "softmax", "triton"),
)

CASES = (*FAULTS, *CLEAN)
