#include "kernels/twins/twins.h"

#include <algorithm>
#include <array>

#include "coalescope_twins_embedded.h"

namespace coalescope::kernels {
namespace {

using base::ErrorCode;
using base::failure;
using base::Result;
using enum Named;
using enum Verdict;

// Twins of kernels that are templates have the template's arguments in their name.
constexpr std::array kTwins{
    Twin{"swapped_pairs", "A2", "G01", harmless, line, "copy_swapped", "copy_in_order", "shifts.cu",
         "Neighbours read each other's word"},
    Twin{"offset_copy", "A3", "G01", harmless, line, "copy_shifted", "copy_shifted", "shifts.cu",
         "A copy that begins one word behind a segment"},
    Twin{"misaligned_rows", "A3", "G01", fault, line, "gather_rows", "gather_rows", "shifts.cu",
         "Rows of 128 bytes behind a header of 4, in no order"},
    Twin{"strided_field", "A4", "G01", fault, line, "take_field", "take_field_array", "strides.cu",
         "One word of each record of four is read"},
    Twin{"strided_store", "A4", "G01", fault, line, "put_field", "put_field_array", "strides.cu",
         "One word of each record of four is written"},
    Twin{"grid_strided", "A5", "G01", fault, line, "scale_across_blocks", "scale_in_order", "strides.cu",
         "Lanes are a whole grid of words apart"},
    Twin{"chunk_per_thread", "A5", "G01", fault, line, "scale_chunks", "scale_interleaved", "strides.cu",
         "Each thread goes over 16 words of its own"},
    Twin{"broadcast_factor", "A6", "G02", harmless, line, "scale_by_pointer", "scale_by_parameter",
         "uniform.cu", "One factor for all, read from global memory"},
    Twin{"broadcast_table", "A6", "G02", fault, line, "evaluate_global", "evaluate_constant", "uniform.cu",
         "64 coefficients for all, read from global memory"},
    Twin{"byte_elements", "A7", "G04", fault, line, "brighten_bytes", "brighten_vectors", "elements.cu",
         "A byte a thread, against 16"},
    Twin{"short_elements", "A7", "G04", fault, line, "halve_shorts", "halve_vectors", "elements.cu",
         "Two bytes a thread, against 16"},
    Twin{"whole_records", "A8", "G01", harmless, line, "square_records", "square_arrays", "layouts.cu",
         "Records of 12 bytes of which all is read at once"},
    Twin{"record_field", "A8", "G01", fault, line, "double_first_of_records", "double_array", "layouts.cu",
         "Records of 12 bytes of which 4 are read"},
    Twin{"record_update", "A8", "G01", fault, line, "update_records", "update_arrays", "layouts.cu",
         "Records of 28 bytes of which 4 are written"},
    Twin{"long_rows", "A9", "G01", harmless, line, "copy_rows", "copy_rows", "shifts.cu",
         "Rows of 1,001 words without a pitch, gone over in order"},
    Twin{"unpitched_rows", "A9", "G01", fault, line, "copy_panel", "copy_panel", "shifts.cu",
         "The beginnings of rows of 65 words, without a pitch"},
    Twin{"transpose_strided_writes", "A10", "G01", fault, line, "transpose_writing_columns",
         "transpose_tiled<33>", "transposes.cu", "A matrix is read along rows and written along columns"},
    Twin{"transpose_strided_reads", "A10", "G01", fault, line, "transpose_reading_columns",
         "transpose_tiled<33>", "transposes.cu", "A matrix is read along columns and written along rows"},
    Twin{"transpose_unpadded", "A10", "S01", fault, line, "transpose_tiled<32>", "transpose_tiled<33>",
         "transposes.cu", "A matrix turned over in tiles without padding"},
    Twin{"shuffled_gather", "A11", "G05", fault, line, "sum_gathered", "sum_gathered", "gathers.cu",
         "A list of indices in no order"},
    Twin{"block_of_48", "A12", "G03", fault, kernel, "hash_words", "hash_words", "lanes.cu",
         "Blocks of a warp and a half"},
    Twin{"every_second_lane", "A12", "G03", fault, line, "hash_every_second", "hash_words", "lanes.cu",
         "Every second lane has nothing to do"},
    Twin{"guarded_tail", "A12", "G03", harmless, line, "copy_guarded", "copy_whole", "lanes.cu",
         "The last block has threads without work"},
    Twin{"shared_rows_2", "B1", "S01", fault, line, "walk_rows<2, 2>", "walk_rows<2, 3>", "shared.cu",
         "Rows of 2 words in shared memory, one a lane"},
    Twin{"shared_rows_8", "B1", "S01", fault, line, "walk_rows<8, 8>", "walk_rows<8, 9>", "shared.cu",
         "Rows of 8 words in shared memory, one a lane"},
    Twin{"shared_rows_32", "B1", "S01", fault, line, "walk_rows<32, 32>", "walk_rows<32, 33>", "shared.cu",
         "Rows of 32 words in shared memory, one a lane"},
    Twin{"rectangular_tile", "B1", "S01", fault, line, "walk_columns<32>", "walk_columns<34>", "shared.cu",
         "A tile of 16 by 32 words, read along its columns"},
    Twin{"shared_multicast", "B2", "S01", harmless, line, "double_through_shared", "double_by_shuffles",
         "shared.cu", "Two lanes read each word of shared memory"},
    Twin{"corner_direct", "B3", "G01", fault, line, "sum_rows_directly", "sum_rows_turned<33>",
         "transposes.cu", "Each thread adds up a row of 32 words of its own"},
    Twin{"corner_unpadded", "B3", "S01", fault, line, "sum_rows_turned<32>", "sum_rows_turned<33>",
         "transposes.cu", "The same through a tile of shared memory without padding"},
    Twin{"staged_once", "B4", "S02", harmless, line, "reverse_through_registers", "reverse_asynchronously",
         "staging.cu", "To shared memory through registers, with many warps"},
    Twin{"staged_in_turn", "B4", "S02", fault, line, "weigh_tiles_in_turn", "weigh_tiles_ahead", "staging.cu",
         "Tile by tile to shared memory, with few warps and nothing under way"},
    Twin{"constant_by_lane", "B5", "C01", fault, line, "weigh_by_constants", "weigh_by_globals", "uniform.cu",
         "Constant memory, another word for each lane", true},
    Twin{"indexed_array", "B6", "L01", fault, line, "count_in_local", "count_in_shared", "local.cu",
         "An array of each thread, indexed by the data"},
    Twin{"spilled_registers", "B6", "L01", fault, kernel, "mix_in_few_registers", "mix_in_registers",
         "local.cu", "64 words in use, and 32 registers"},
    Twin{"atomic_each_thread", "B7", "A01", fault, line, "add_up_by_threads", "add_up_by_blocks",
         "atomics.cu", "All threads add to one word"},
    Twin{"histogram_in_global", "B7", "A01", fault, line, "count_in_global", "count_in_blocks", "atomics.cu",
         "All threads count in 256 words of global memory"},
    Twin{"returning_atomics", "B7", "A01", fault, line, "accumulate_watched", "accumulate", "atomics.cu",
         "The old value is requested, and not needed"},
    Twin{"unblocked_passes", "C1", "R04", fault, kernel, "sum_in_passes", "sum_in_passes", "l2.cu",
         "Four passes over 256 MiB, against four over each part that L2 holds"},
    Twin{"window_too_large", "C2", "R01", fault, call, "cudaStreamSetAttribute", "cudaStreamSetAttribute",
         "l2.cu", "An L2 window half as large again as the set-aside"},
    Twin{"window_untuned", "C3", "R01", fault, call, "cudaStreamSetAttribute", "cudaStreamSetAttribute",
         "l2.cu", "hitRatio 1.0 on such an L2 window, against set-aside / region"},
    Twin{"window_left_on", "C4", "R02", fault, call, "cudaStreamSetAttribute",
         "cudaCtxResetPersistingL2Cache", "l2.cu", "Lines that persist while another kernel works"},
    Twin{"windows_together", "C5", "R03", fault, call, "cudaStreamSetAttribute", "cudaStreamSetAttribute",
         "l2.cu", "Four L2 windows at once, together larger than the set-aside"},
    Twin{"pageable_upload", "D1", "T01", fault, call, "cudaMemcpy", "cudaMemcpy", "host.cu",
         "64 MiB to the device from pageable memory"},
    Twin{"pageable_download", "D1", "T01", fault, call, "cudaMemcpy", "cudaMemcpy", "host.cu",
         "64 MiB to pageable memory of the host"},
    Twin{"upload_again", "D1", "T07", fault, call, "cudaMemcpy", "stir", "host.cu",
         "64 MiB that nothing changes, copied before each kernel"},
    Twin{"pinned_again", "D1", "T08", fault, call, "cudaHostAlloc", "stir", "host.cu",
         "16 MiB of the host pinned and given back in each round"},
    Twin{"set_before", "A1", "F02", fault, call, "cudaMemsetAsync", "stir", "host.cu",
         "64 MiB set to 0 before a kernel stores to all of them"},
    Twin{"launched_late", "A1", "T09", fault, call, "cudaLaunchKernel", "cudaGraphLaunch", "launches.cu",
         "200 short kernels, each of which the host launches 15 us after the one before"},
    Twin{"waited_for_each", "A1", "T10", fault, call, "cudaStreamSynchronize", "cudaLaunchKernel",
         "launches.cu", "200 short kernels, each of which the host waits for"},
    Twin{"small_copies", "D2", "T02", fault, call, "cudaMemcpyAsync", "cudaMemcpyAsync", "host.cu",
         "4 MiB in pieces of 4 KiB"},
    Twin{"synchronous_copies", "D3", "T03", fault, call, "cudaMemcpy", "cudaMemcpyAsync", "host.cu",
         "Copies and kernels that are waited for one by one"},
    Twin{"copies_in_turn", "D4", "T04", fault, call, "cudaMemcpyAsync", "cudaMemcpyAsync", "host.cu",
         "Upload, kernel and download of all data in one stream"},
    Twin{"round_trip", "D5", "T05", fault, call, "cudaMemcpyAsync", "stir", "host.cu",
         "What one kernel made goes through the host to the next"},
    Twin{"zero_copy_again", "D6", "Z01", fault, kernel, "sum_touches", "sum_touches", "host.cu",
         "Host memory read three times in place"},
    Twin{"zero_copy_strided", "D6", "Z01", fault, kernel, "take_eighth", "take_in_order", "host.cu",
         "One word of eight of the host's memory, in place"},
    Twin{"managed_first_touch", "D7", "U01", fault, call, "cudaMallocManaged", "cudaMemPrefetchAsync",
         "host.cu", "A kernel is the first on the GPU to touch managed memory"},
    Twin{"managed_ping_pong", "D7", "U02", fault, call, "cudaMallocManaged", "cudaMemcpyAsync", "host.cu",
         "GPU and host take turns with managed memory"},
    Twin{"peer_without_access", "D8", "T06", fault, call, "cudaMemcpyPeerAsync", "cudaDeviceEnablePeerAccess",
         "host.cu", "64 MiB to another GPU without peer access"},
};

bool names(std::string_view marks, std::string_view id) {
  while (!marks.empty()) {
    const std::size_t blank = std::min(marks.find(' '), marks.size());
    if (marks.substr(0, blank) == id) return true;
    marks.remove_prefix(std::min(blank + 1, marks.size()));
  }
  return false;
}

}  // namespace

std::string_view name_of(Side side) {
  return side == Side::fault ? "fault" : "clean";
}

Result<Side> side_named(std::string_view name) {
  for (const Side side : {Side::fault, Side::clean})
    if (name == name_of(side)) return side;
  return failure(ErrorCode::usage, "'" + std::string(name) + "' is no side of a twin",
                 "a side is 'fault' or 'clean'");
}

std::string_view name_of(Verdict verdict) {
  return verdict == fault ? "fault" : "harmless";
}

std::span<const Twin> twins() {
  return kTwins;
}

Result<const Twin*> twin_named(std::string_view id) {
  const auto* const found = std::ranges::find(kTwins, id, &Twin::id);
  if (found != kTwins.end()) return found;
  return failure(ErrorCode::usage, "there is no twin '" + std::string(id) + "'", "'--list-twins' names them");
}

std::string label_of_twin_kernel(std::string_view kernel) {
  return "coalescope::kernels::" + std::string(kernel);
}

std::vector<int> fault_lines(const Twin& twin) {
  // No two files have marks of the same twin.
  for (const std::string_view source : twin_sources())
    if (std::vector<int> lines = fault_lines(source, twin.id); !lines.empty()) return lines;
  return {};
}

std::vector<int> fault_lines(std::string_view source, std::string_view id) {
  constexpr std::string_view kMark = "// fault: ";
  std::vector<int> lines;
  for (int line = 1; !source.empty(); ++line) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    const std::string_view text = source.substr(0, end);
    const std::size_t mark = text.find(kMark);
    if (mark != std::string_view::npos && names(text.substr(mark + kMark.size()), id)) lines.push_back(line);
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return lines;
}

}  // namespace coalescope::kernels
