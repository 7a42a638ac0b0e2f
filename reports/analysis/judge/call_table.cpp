#include "reports/analysis/judge/call_table.h"

#include <array>
#include <string_view>

#include "reports/analysis/figures/owners.h"

namespace coalescope::analysis {
namespace {

// Misaligned requests come from where a slice begins, or from rows of an odd length, whatever the operation.
constexpr std::string_view kAlign =
    "An operand is not aligned to 32 bytes, as with a slice such as x[1:]. Copy it once into a tensor of its "
    "own (.clone()), or slice at multiples of 32 bytes.";
constexpr std::string_view kPad =
    "The rows of an operand are not aligned to 32 bytes, because it is a slice or its rows are not a "
    "multiple of 32 bytes long. Make it contiguous once (.contiguous()), or pad its last dimension.";
constexpr std::string_view kContiguous =
    "An operand of this operation is transposed, permuted or strided. Store it once in the order of the "
    "other operands (x = x.contiguous()) and use that each time; for images, give all of them channels_last.";
constexpr std::string_view kOrder =
    "The operands differ in their order (C and Fortran), or one is transposed or strided. Convert it once, "
    "so that all have one order: cupy.ascontiguousarray(x) or cupy.asfortranarray(x).";

constexpr std::string_view kEmpty =
    "Make the tensor with torch.empty() instead of torch.zeros() or .zero_(): the next kernel stores to all "
    "of it.";
constexpr std::string_view kEmptyArray =
    "Make the array with cupy.empty() instead of cupy.zeros() or .fill(): the next kernel stores to all of "
    "it.";

constexpr std::string_view kStoreOperand = "store an operand in the order in which it is read";
constexpr std::string_view kXlaOperand =
    "XLA made this kernel from your array operations, and one of their operands is transposed, strided or "
    "indexed (x.T, x[:, ::n], x[index]). Store that operand once in the order in which it is read, or keep "
    "side by side what is used together; sort indices if their order does not matter.";

constexpr std::string_view kDivideRows = "divide long rows among more blocks";
constexpr std::string_view kLongSoftmax =
    "PyTorch gives each row of a softmax a block of its own, and there are few rows. Compile the function "
    "that contains it (torch.compile), or write it as a reduction, which divides long rows among many "
    "blocks: (x - x.logsumexp(-1, keepdim=True)).exp().";

constexpr bool kForwardOnly = true, kUnlessBroadcast = true, kSavesAll = true;
constexpr std::array<std::string_view, 9> kJoin{"cat",    "concat", "concatenate",  "stack",     "hstack",
                                                "vstack", "dstack", "column_stack", "block_diag"};

constexpr std::array kCallRows = std::to_array<CallRow>({
    // Where memory lies is the caller's choice, whoever reads it.
    {"", CalledFor::any, "Z01", false, "", "", ""},
    {kTorch, CalledFor::any, "F02.leave_out", false, "call_empty", "leave out a fill", kEmpty},
    {kCupy, CalledFor::any, "F02.leave_out", false, "call_empty", "leave out a fill", kEmptyArray},
    {"", CalledFor::any, "F02.leave_out", false, "", "", ""},
    // The accesses are those of the author's functor.
    {"", CalledFor::functor, "", false, "", "", ""},

    {kTorch, CalledFor::elementwise, "G01.offset", false, "call_align", "align an operand", kAlign},
    {kTorch, CalledFor::elementwise, "G01.rows", false, "call_pad", "pad the rows of an operand", kPad},
    {kTorch, CalledFor::elementwise, "G01", false, "call_contiguous", "make the operands contiguous",
     kContiguous, kForwardOnly},
    {kTorch, CalledFor::elementwise, "G05", false, "call_contiguous", "make the operands contiguous",
     kContiguous, kForwardOnly},
    {kTorch, CalledFor::elementwise, "G04", false, "call_wider",
     "make the operands contiguous and of one type",
     "PyTorch moves one element of 1 or 2 bytes per lane here, as it does where an operand is sliced, "
     "permuted, or their types differ. Make the operands contiguous and of one type, or fuse this operation "
     "with those around it (torch.compile).",
     kForwardOnly, kUnlessBroadcast},
    {kTorch, CalledFor::vectorised, "G01.offset", false, "call_align", "align an operand", kAlign},
    {kTorch, CalledFor::vectorised, "G04", false, "call_wider", "align the operands, and give them one type",
     "PyTorch moves one element of 1 or 2 bytes per lane here, as it does where an operand is not aligned to "
     "16 bytes or their types differ. Align the operands and give them one type, or fuse this operation with "
     "those around it (torch.compile).",
     kForwardOnly},
    {kTorch, CalledFor::copy, "G01.offset", false, "call_align", "align an operand", kAlign},
    {kTorch, CalledFor::copy, "G01.rows", false, "call_pad", "pad the rows of an operand", kPad},
    {kTorch, CalledFor::copy, "G0", false, "call_copy", "avoid copying a tensor",
     "This kernel copies a tensor into another layout or type (.contiguous(), .reshape(), .to() or .copy_() "
     "of a transposed or strided one). Keep the copy instead of making it again, or create the tensor in the "
     "layout in which it is used; for images that is channels_last.",
     kForwardOnly, !kUnlessBroadcast, kSavesAll},
    {kTorch, CalledFor::concatenation, "G0", false, "call_cat", "avoid joining tensors",
     "This kernel joins tensors (torch.cat, torch.stack), and its inputs are not contiguous or the pieces "
     "short. Make the inputs contiguous, join along the first dimension, or avoid it: let each operation "
     "write into its part of one tensor (out=).",
     kForwardOnly, !kUnlessBroadcast, !kSavesAll, kJoin},
    {kTorch, CalledFor::index, "G01", false, "call_index", "select along the first dimension",
     "The elements that one index selects are not contiguous. Make the indexed dimension the first one of a "
     "contiguous tensor, so that each index selects a contiguous run, and sort the indices if their order "
     "does not matter."},
    {kTorch, CalledFor::index, "G05", false, "call_sort", "sort the indices",
     "Neighbouring indices select elements far apart. Sort the indices if their order does not matter, or "
     "reorder the tensor once. With the indexed dimension first, each index selects a contiguous run."},
    {kTorch, CalledFor::index, "A01.add_up_first", false, "call_segments", "add up equal indices first",
     "Many indices are equal, so their additions wait for each other. Sort the indices and add up runs "
     "(torch.segment_reduce), or count with torch.bincount."},
    {kTorch, CalledFor::index, "A01.segments", false, "call_segments", "add up equal indices first",
     "Many rows are added to each row, so their additions wait for each other. Sort the indices once if "
     "they stay the same, and add up segments (torch.segment_reduce)."},
    {kTorch, CalledFor::reduction, "G01.offset", false, "call_align", "align an operand", kAlign},
    {.owner = kTorch,
     .called_for = CalledFor::reduction,
     .cause = "G01",
     .id = "call_reduce",
     .repair = "reduce over the last dimension",
     .text =
         "The reduced elements are not contiguous. Reduce over the last dimension of a contiguous tensor: "
         "store the tensor in that order once (.transpose(...).contiguous()), or let the operation before it "
         "write that order.",
     .forward_only = true,
     .loads_only = true},
    {kTorch, CalledFor::norm, "G03", false, "call_short_norm", "let torch.compile make the norm",
     "PyTorch gives each row of a layer norm a block of its own, and these rows are so short that most "
     "of its threads have nothing to do. Compile the norm (torch.compile): the kernel that it makes "
     "takes many rows per block."},
    {kTorch, CalledFor::by_row, "G03", false, "call_short_rows", "compute all pairs at once",
     "PyTorch computes each pair of rows in a block of its own here, and the rows are so short that most of "
     "its threads have nothing to do. Compute all pairs at once: the differences by broadcasting "
     "(x[:, None] - y), or for p=2 a matrix product."},

    {kTorch, CalledFor::selection, "B01", false, "call_sort", "select from a sorted tensor",
     "PyTorch selects by rank (kthvalue, median, mode) with one block for each row, and there are few rows. "
     "Sort the tensor (torch.sort) or take the largest values (torch.topk), which use the whole GPU, and "
     "index the result; or select from more rows at once."},
    {kTorch, CalledFor::scan, "B01", false, "call_scans", "scan one column at a time",
     "PyTorch computes a cumulative operation (cumsum, cumprod) of several rows or columns with a few "
     "threads for each, and there are few of them. For a tensor of one dimension it uses the whole GPU: call "
     "it for each row or column alone, made contiguous first (torch.stack([row.cumsum(0) for row in "
     "x.t().contiguous()]))."},
    {kTorch, CalledFor::softmax, "B01", false, "call_long_rows", kDivideRows, kLongSoftmax},
    {kTorch, CalledFor::log_softmax, "B01", false, "call_long_rows", kDivideRows, kLongSoftmax},
    {kTorch, CalledFor::norm, "B01", false, "call_long_norm", kDivideRows,
     "PyTorch gives each row of a norm a block of its own, and there are few rows. Compile the norm "
     "(torch.compile), which can divide long rows among many blocks; or take the mean and the variance of "
     "the rows with torch.var_mean, which does that, too."},

    {kCupy, CalledFor::any, "B01", false, "call_parts", "reduce in two steps",
     "CuPy computes the results of a reduction in few blocks where there are few of them. Reduce in two "
     "steps: reshape the reduced axis into parts, reduce each part, then the results of the parts."},
    {kCupy, CalledFor::any, "G01.offset", false, "call_align", "align an operand",
     "An operand is not aligned to 32 bytes, as with a slice such as x[1:]. Copy it once into an array of "
     "its own (x.copy()), or slice at multiples of 32 bytes."},
    {kCupy, CalledFor::index, "G0", false, "call_sort", "sort the indices",
     "Neighbouring indices select elements far apart. Sort the indices if their order does not matter, or "
     "let the indexed axis be the first of an array in C order."},
    {kCupy, CalledFor::any, "G04", false, "call_wider", "fuse an operation with those around it",
     "CuPy moves one element of 1 or 2 bytes per lane here. Fuse this operation with those around it "
     "(cupy.fuse, or a cupy.ElementwiseKernel), or compute on a view of a wider type."},
    {kCupy, CalledFor::any, "G01", false, "call_order", "give all operands one order", kOrder},
    {kCupy, CalledFor::any, "G05", false, "call_order", "give all operands one order", kOrder},
    {kCupy, CalledFor::any, "", false, "call_fuse", "fuse an operation with those around it",
     "CuPy made this kernel from one operation: fuse it with those around it (cupy.fuse), or write it "
     "yourself (cupy.ElementwiseKernel, cupy.RawKernel)."},

    {"", CalledFor::narrow_product, "G0", false, "call_pad_product", "align the operands of a matrix product",
     "This matrix product loads one or two elements at a time, because an operand is not aligned to 16 "
     "bytes: the length of its rows, or the place where a slice begins, is no multiple of 16 bytes. Pad that "
     "dimension once to a multiple of 64 elements (a vocabulary of 50,257 to 50,304)."},

    // What such kernels waste is part of the conversion.
    {"", CalledFor::layout, "K01", false, "", "", ""},
    {"", CalledFor::channel_norm, "K01", false, "", "", ""},

    {kXla, CalledFor::any, "G04", false, "call_wider", "",
     "XLA moves one element of 1 or 2 bytes per lane here. Give the operands one layout and a last dimension "
     "that is a multiple of 16 bytes, or compute in a wider type."},
    {kXla, CalledFor::rearranging, "G0", false, "call_operands", kStoreOperand, kXlaOperand},
    {.owner = kXla,
     .cause = "G0",
     .id = "call_operands",
     .repair = kStoreOperand,
     .text = kXlaOperand,
     .loads_only = true,
     .of_given_arrays = true},
    // XLA chooses the layout of all that lies between a function's arguments and its results.
    {.owner = kXla, .cause = "G0", .never = true},
    // Where things lie in shared memory is these compilers' own affair.
    {.owner = kXla, .cause = "S0", .never = true},
    {.owner = kCompiled, .cause = "S0", .never = true},
    {kXla, CalledFor::any, "", false, "call_generated", "",
     "XLA made this kernel from your array operations: change their order, shapes or types, or write the "
     "step as a kernel of your own (Pallas)."},
    {kCompiled, CalledFor::any, "G04", false, "call_wider", "",
     "torch.compile moves one element of 1 or 2 bytes per lane here. Make the operands contiguous, with a "
     "last dimension that is a multiple of 16 bytes, or compute in a wider type."},
    {kCompiled, CalledFor::any, "G0", false, "call_operands", kStoreOperand,
     "torch.compile made this kernel from your operations, and one of their operands is transposed, strided "
     "or indexed. Store that operand once in the order in which it is read (x.contiguous(), outside of what "
     "is compiled), or use channels_last for images; sort indices if their order does not matter."},
    {kCompiled, CalledFor::any, "", false, "call_generated", "",
     "torch.compile made this kernel from your operations: change their order, shapes or types, or write the "
     "step as a kernel of your own (Triton)."},

    // Triton's authors write no threads: tl.arange and BLOCK decide what a lane does.
    {kTriton, CalledFor::any, "G01.offset", false, "", "", ""},
    {kTriton, CalledFor::any, "G01.rows", false, "", "", ""},
    {kTriton, CalledFor::any, "G01", false, "call_arange", "",
     "The offsets of a block (tl.arange) run over a dimension whose elements are not contiguous in memory. "
     "Let the last tl.arange run over the dimension with stride 1, and the program id over the other; or "
     "load a tile of both and turn it (tl.trans)."},
    {kTriton, CalledFor::any, "G04", false, "call_wider", "",
     "Each lane moves one element of 1 or 2 bytes. Let a program handle more elements (a larger BLOCK, or "
     "fewer warps), and tell the compiler that addresses are aligned (tl.multiple_of, tl.max_contiguous)."},
    {kTriton, CalledFor::any, "B01", false, "call_grid", "",
     "Few programs run. Launch more of them (a larger grid, a smaller BLOCK), or give parts of a program's "
     "loop to other programs and add up their results (as split-K does)."},
    {kTriton, CalledFor::any, "A01.ignore_result", false, "call_relaxed", "",
     "By default Triton's atomics order all other accesses and return the old value: pass sem=\"relaxed\" to "
     "tl.atomic_add where only the sum counts. Where many programs add to the same addresses, let each keep "
     "a "
     "sum of its own and store it, and add up these in a second kernel."},
    {kTriton, CalledFor::any, "G03", false, "call_block", "",
     "Masks switch most lanes off: choose BLOCK nearer to the size of the data, or fewer warps (num_warps)."},
    {kTriton, CalledFor::any, "S0", false, "call_shape", "",
     "Triton chose the layout in shared memory: try other sizes of BLOCK, num_warps and num_stages "
     "(triton.autotune), or let the operands lie so that nothing has to be turned."},
    {kTriton, CalledFor::any, "L01", false, "call_block", "",
     "The values of a program do not fit into registers: choose a smaller BLOCK, or more warps (num_warps)."},
    {kTriton, CalledFor::any, "", false, "", "", ""},

    {"", CalledFor::any, "G01.offset", true, "call_align", "align an operand",
     "A pointer argument is not aligned to 32 bytes, as with a slice. Start the slice at a multiple of 32 "
     "bytes, or copy it once into memory of its own."},
});

constexpr std::array kCopyRows = std::to_array<CopyRow>({
    {kTorch, "F02.leave_out", false, "call_empty", kEmpty},
    {kTorch, "T01", true, "call_pinned_result",
     "Copy into a pinned tensor that is kept (torch.empty(..., pin_memory=True)) with copy_(x, "
     "non_blocking=True) instead of .cpu(), and wait once, before the host reads it."},
    {kTorch, "T01", false, "call_pin_memory",
     "Pin the tensor on the host once (DataLoader(pin_memory=True), x.pin_memory(), or torch.empty(..., "
     "pin_memory=True)) and copy with non_blocking=True."},
    {kTorch, "T02.clear_at_once", false, "call_clear_at_once",
     "Clear these tensors at once: make them views of one tensor and call zero_() on that, or use "
     "torch._foreach_zero_()."},
    {kTorch, "T02.gather", false, "call_gather",
     "Copy many pieces at once: with torch.cat(), torch._foreach_copy_(), index_copy_() or indexing by a "
     "tensor of indices, instead of a copy for each slice in a loop."},
    {kTorch, "T02", true, "call_results",
     "Read results such as a loss (.item()) once in many steps, or put them into one tensor before the copy. "
     "Indexing with a mask (x[mask]), nonzero() and if tensor: wait for a number, too: torch.where() and "
     "multiplying by the mask do not."},
    {kTorch, "T02", false, "call_pack",
     "Copy less often: put small tensors into one before the copy, make constants on the device "
     "(device=\"cuda\"), and read results such as a loss (.item()) once in many steps."},
    {kTorch, "T03.prepare", false, "call_prepare",
     "The host makes these data while the GPU waits. Make them on the device (torch.randn(..., "
     "device=\"cuda\")), or prepare the next ones while the GPU works (DataLoader(num_workers=4, "
     "pin_memory=True), and copies with non_blocking=True)."},
    {kTorch, "T03.evaluate", false, "call_evaluate",
     "The host works on these results while the GPU waits. Do that on the device, where the tensors are, and "
     "read what comes of it; or hand the results to another thread and go on."},
    {kTorch, "T03", false, "call_non_blocking",
     "Keep work queued: copy pinned tensors with non_blocking=True (DataLoader(pin_memory=True)), the next "
     "batch while this one is computed, and read results (.item(), .cpu()) once in many steps. Indexing with "
     "a mask (x[mask]) and nonzero() wait, too: torch.where() does not."},
    {kTorch, "T07.keep", false, "call_keep",
     "Make this tensor on the device (device=\"cuda\"), or move it there once, before the loop, and keep it "
     "(register_buffer() in a module)."},
    {kTorch, "T08", true, "call_keep_cache",
     "PyTorch gives memory back to the driver here and asks for it again, as after torch.cuda.empty_cache(). "
     "Do not call that in a loop: PyTorch uses freed memory again by itself."},
    {kTorch, "T08", false, "call_reuse",
     "Keep one pinned tensor (torch.empty(..., pin_memory=True)) and copy_() each batch into it, or use "
     "DataLoader(pin_memory=True): PyTorch keeps what it has pinned, unless the program registers memory "
     "itself or empties the host's cache."},
    {kTorch, "T09", false, "call_compile",
     "Launch less often: compile the whole step (torch.compile(step, mode=\"reduce-overhead\")), or capture "
     "it with torch.cuda.graph() and replay it. Larger batches, and one operation on a stacked tensor "
     "instead of a loop over its parts, help too."},

    {kTorch, "T10", false, "call_leave_out",
     "Leave out torch.cuda.synchronize() (or stream.synchronize()): operations of one stream run in order by "
     "themselves, and what reads a result, such as .item(), waits by itself. To take times, use "
     "torch.cuda.Event(enable_timing=True)."},

    {kCupy, "F02.leave_out", false, "call_empty", kEmptyArray},
    {kCupy, "T10", false, "cupy_leave_out",
     "Leave out this wait (synchronize()): operations of one stream run in order by themselves, and what "
     "reads a result, such as x.get(), waits by itself. To take times, use cupy.cuda.Event."},
    {kCupy, "T01", true, "cupy_pinned_result",
     "Copy into a pinned array that is kept: make out = cupyx.empty_pinned(shape, dtype) once, before the "
     "loop, and call x.get(out=out) in it."},
    {kCupy, "T01", false, "cupy_pinned",
     "Keep the data in a pinned array (cupyx.empty_pinned(shape, dtype)), and copy it with x.set(array) into "
     "an array that is on the device already."},
    {kCupy, "T02.clear_at_once", false, "cupy_clear_at_once",
     "Clear these arrays at once: make them views of one array, and fill that with zeros."},
    {kCupy, "T02.gather", false, "cupy_gather",
     "Copy many pieces at once: with cupy.concatenate(), cupy.take() or indexing by an array of indices, "
     "instead of a copy for each slice in a loop."},
    {kCupy, "T02", false, "cupy_pack",
     "Copy less often: put small arrays into one before the copy, make constants on the device once, and "
     "read results (float(x), x.item(), x.get()) once in many steps."},
    {kCupy, "T03", false, "cupy_queued",
     "Keep work queued: read results (float(x), bool(x), x.item(), x.get()) once in many steps, and copy "
     "pinned arrays in a stream of their own."},
    {kCupy, "T07.keep", false, "cupy_keep",
     "Move this array to the device once, before the loop (cupy.asarray), and keep it."},
    {kCupy, "T08", true, "cupy_keep_pool",
     "CuPy gives memory back to the driver here and asks for it again, as after free_all_blocks(). Do not "
     "call that in a loop: CuPy's pool uses freed memory again by itself."},
    {kCupy, "T08", false, "cupy_reuse",
     "Keep one pinned array (cupyx.empty_pinned), and copy each batch into it. CuPy keeps what it has "
     "pinned, unless the program frees its pool or registers memory itself."},
    {kCupy, "T09", false, "cupy_at_once",
     "Launch less often: work on all parts at once (one operation on a stacked array instead of a loop), "
     "fuse "
     "operations (@cupy.fuse()), or capture the round (stream.begin_capture()) and launch the graph."},

    // JAX queues its steps by itself, until somebody asks for a result.
    // Within a device XLA copies by itself, such as what the rounds of a loop hand on.
    {kXla, "T02.gather", false, "", ""},
    {kXla, "T02.clear_at_once", false, "", ""},
    {kXla, "T02", false, "jax_pack",
     "Copy less often: make constants inside the compiled function, pass one array instead of many small "
     "ones, and read results (float(x), numpy.asarray(x)) once in many steps."},
    {kXla, "T07.keep", false, "jax_keep",
     "Put these arrays on the device once, before the loop (jax.device_put), and hand what it returns to the "
     "compiled function: arrays of NumPy are copied with each call."},
    {kXla, "T10", false, "", ""},
    {kXla, "T09", false, "jax_whole_step",
     "Launch less often: compile the whole step (@jax.jit), and loops of steps with jax.lax.scan or "
     "jax.lax.fori_loop."},
    {kXla, "T03", false, "jax_queued",
     "Keep work queued: read results (float(x), numpy.asarray(x), x.block_until_ready()) once in many steps, "
     "and keep data on the device (jax.device_put) between them."},
});

}  // namespace

std::span<const CallRow> call_rows() {
  return kCallRows;
}

std::span<const CopyRow> copy_rows() {
  return kCopyRows;
}

}  // namespace coalescope::analysis
