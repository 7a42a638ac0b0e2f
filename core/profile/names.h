#pragma once
// The names of what a machine profile may hold. Each is a row of the table in derive.cpp, which says from
// which calibration rows it comes.

#include <string_view>

namespace coalescope::profile {

// Figures. GB/s are 1e9 bytes a second, reads and writes together unless the name says which.
namespace figure {
inline constexpr std::string_view kDramRead = "dram_read_gb_s";    // the ceiling of a kernel that only reads
inline constexpr std::string_view kDramWrite = "dram_write_gb_s";  // that only writes
inline constexpr std::string_view kDramCopy = "dram_copy_gb_s";    // that reads as much as it writes
inline constexpr std::string_view kL2Read = "l2_read_gb_s";  // between L1 and L2, from data that stays in L2
inline constexpr std::string_view kL2Copy = "l2_copy_gb_s";
inline constexpr std::string_view kGridStridedCopy =
    "grid_strided_copy_gb_s";                                             // useful bytes; L2 moves 8 times
inline constexpr std::string_view kZeroCopyRead = "zero_copy_read_gb_s";  // a kernel in the host's memory
inline constexpr std::string_view kZeroCopyWrite = "zero_copy_write_gb_s";
inline constexpr std::string_view kZeroCopyStrided = "zero_copy_strided_read_gb_s";  // useful bytes, stride 8
inline constexpr std::string_view kHostToDevice = "host_to_device_gb_s";  // one large copy of pinned memory
inline constexpr std::string_view kDeviceToHost = "device_to_host_gb_s";
inline constexpr std::string_view kBothWays =
    "both_ways_gb_s";  // copies in both directions at once, together
inline constexpr std::string_view kCopyFixed =
    "copy_fixed_ns";  // GPU time of a pinned copy, without its bytes
inline constexpr std::string_view kCopyCall =
    "copy_call_ns";  // of each further copy in a queue of small ones
inline constexpr std::string_view kSynchronousCopy =
    "synchronous_copy_ns";                                // a small cudaMemcpy, for the host
inline constexpr std::string_view kLaunch = "launch_ns";  // of each further empty kernel in a queue of them
inline constexpr std::string_view kLaunchAndWait =
    "launch_and_wait_ns";                                        // one empty kernel and its end, for the host
inline constexpr std::string_view kPeerCopy = "peer_copy_gb_s";  // between two GPUs with peer access
inline constexpr std::string_view kPeerCopyStaged = "peer_copy_staged_gb_s";  // without
inline constexpr std::string_view kManagedFirstTouch =
    "managed_first_touch_gb_s";  // a kernel that faults pages in
inline constexpr std::string_view kManagedPrefetched =
    "managed_prefetched_gb_s";                                               // prefetch and kernel together
inline constexpr std::string_view kPersistingBytes = "persisting_l2_bytes";  // the set-aside that C2 used
}  // namespace figure

// Curves. Useful bytes are those that the threads asked for; carried bytes include what nobody asked for.
namespace curve {
inline constexpr std::string_view kOffset = "bandwidth_over_offset";  // copy, useful GB/s over words 0..32
inline constexpr std::string_view kElementBytes = "bandwidth_over_element_bytes";  // copy, useful GB/s, 1..16
inline constexpr std::string_view kStride = "bandwidth_over_stride";  // copy, useful GB/s over words 1..32
// Carried GB/s of a kernel that only reads, over the sectors of each of its requests, 1..32.
inline constexpr std::string_view kDramSectors = "dram_read_over_sectors";
inline constexpr std::string_view kL2Sectors = "l2_read_over_sectors";
// GB/s that L1 gets from L2 over the share that L2 had, 0..1: the rest came from DRAM.
inline constexpr std::string_view kHitRate = "l2_read_over_hit_rate";
// The same over the bytes of an array that is read again and again.
inline constexpr std::string_view kFootprint = "l2_read_over_footprint";
// GPU time of a copy as GB/s over its bytes.
inline constexpr std::string_view kHostToDevicePinned = "copy_host_to_device_pinned";
inline constexpr std::string_view kDeviceToHostPinned = "copy_device_to_host_pinned";
inline constexpr std::string_view kHostToDevicePageable = "copy_host_to_device_pageable";
inline constexpr std::string_view kDeviceToHostPageable = "copy_device_to_host_pageable";
// The same as the host sees it: from the call of cudaMemcpy to its return.
inline constexpr std::string_view kHostToDevicePinnedCall = "call_host_to_device_pinned";
inline constexpr std::string_view kDeviceToHostPinnedCall = "call_device_to_host_pinned";
inline constexpr std::string_view kHostToDevicePageableCall = "call_host_to_device_pageable";
inline constexpr std::string_view kDeviceToHostPageableCall = "call_device_to_host_pageable";
// 16 MiB in pieces, GB/s over the bytes of a piece; pinned, host to device, queued in one stream.
inline constexpr std::string_view kPieces = "copy_over_piece_bytes";
// Time of copy and compute in n streams over the time of both in turn; n = 1, 2, 4, 8; transfers weigh more,
// or the kernel does.
inline constexpr std::string_view kStagedTransfer = "staged_share_transfer_bound";
inline constexpr std::string_view kStagedCompute = "staged_share_compute_bound";
// C2: GB/s of a kernel over the bytes of the region that it keeps coming back to: without an L2 window, with
// hitRatio 1.0, and with hitRatio = set-aside / region.
inline constexpr std::string_view kResidencyOff = "residency_without_window";
inline constexpr std::string_view kResidencyFull = "residency_hit_ratio_1";
inline constexpr std::string_view kResidencyTuned = "residency_tuned";
// The same where 7 of 8 accesses are to the region, and not 1 of 3.
inline constexpr std::string_view kResidencyMostFull = "residency_most_hit_ratio_1";
inline constexpr std::string_view kResidencyMostTuned = "residency_most_tuned";
// 1e9 per second, of the whole GPU: atomics without a result over the distinct addresses of a warp;
// shared-memory requests over their conflict degree; constant loads over the distinct addresses of a warp.
inline constexpr std::string_view kAtomics = "atomics_over_addresses";
inline constexpr std::string_view kSharedConflicts = "shared_requests_over_conflicts";
inline constexpr std::string_view kConstant = "constant_loads_over_addresses";
}  // namespace curve

}  // namespace coalescope::profile
