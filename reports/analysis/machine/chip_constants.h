#pragma once
// What prices need of a chip and `calibrate` does not measure. One row a chip, each number with its source. A
// GPU of a chip without a row gets those of the H100, and every price says so.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/device.h"

namespace coalescope::analysis {

struct ChipConstants {
  std::string_view chip;         // CUPTI's name of it
  std::string_view measured_on;  // "an H100"
  // Of no other chip: a recording that could not read counters has no name from CUPTI.
  std::int64_t capability_major = 0, capability_minor = 0;
  // Of what the scattered copy takes longer in L2, the reads' part; the writes' is the rest of two.
  double scattered_read_part = 0;
  // How many times its share of L2's rate a multiprocessor gets where others load nothing.
  double lone_l2_share = 0;
  // Warps of a multiprocessor from which on requests hide each other's latency.
  double warps_that_hide = 0;
  // Bytes that DRAM moves for each byte of a surplus sector.
  double dram_bytes_a_load_byte = 0, dram_bytes_a_store_byte = 0;
  // The part of a level's rate that scattered sectors reach at least.
  double saturated_share = 0;
  // The same of DRAM, where scattered sectors are written between reads.
  double saturated_update_share = 0;
  double tile_wait_ns = 0;   // of a warp for a tile through registers, if nothing else runs
  double queued_gap_ns = 0;  // between operations that wait in a queue
  // Of gpu__time_duration, beyond the time that a trace tells of the same kernel.
  double duration_beyond_ns = 0;
};

inline constexpr ChipConstants kGh100{
    .chip = "GH100",
    .measured_on = "an H100",
    .capability_major = 9,
    .capability_minor = 0,
    // The transposition that reads columns moves 112 sectors a ns, the one that writes them 54.
    .scattered_read_part = 0.65,
    // 8 of 132 multiprocessors: 547 ns for a request of 32 lines instead of 996 (docs/decisions/018).
    .lone_l2_share = 1.8,
    .warps_that_hide = 8,  // docs/decisions/018
    // A lone sector brings its neighbour: DRAM is read by 64 bytes. A sector that is written in part is read
    // first, so that a lone store moves two such pieces (docs/calibration.md, A4 and E3).
    .dram_bytes_a_load_byte = 2,
    .dram_bytes_a_store_byte = 4,
    .saturated_share = 0.55,  // stride 32 (docs/calibration.md, A4)
    // Updates of a region beyond L2 move 1.18 TB/s of the 3.0 that a copy reaches (curve residency_update).
    .saturated_update_share = 0.39,
    .tile_wait_ns = 330,     // the twin of B4 lost 82 us over 248 tiles
    .queued_gap_ns = 1'500,  // of LU's 61,898 gaps between queued kernels nine of ten were 1.12 to 1.44 us
    // The median of 105 reference kernels below 0.1 ms, 1.25 to 1.50 us from the tenth to the ninetieth
    // percentile (CUPTI 13.0.1, tests/fixtures/recorded/calibration.coal).
    .duration_beyond_ns = 1'400,
};

inline constexpr std::array kChips{kGh100};

struct KnownChip {
  ChipConstants constants = kGh100;
  std::string
      remark;  // "; the model's constants [...] were measured on an H100 and not on GA100"; else empty
};
[[nodiscard]] KnownChip chip_of(const model::Device& device);

}  // namespace coalescope::analysis
