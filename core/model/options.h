#pragma once
// The settings that reach the injected library. They travel as COALESCOPE_* environment variables only: one
// function of the tool sets them, one of the recorder reads them, both from these names.

#include <array>
#include <cstdint>
#include <string_view>

namespace coalescope::model {

// Launches and transfers that are listed before a long run is sampled, and before one is whose launches
// follow so fast that listing them costs it time; see injection/recorder/trace_pace.h.
inline constexpr std::int64_t kMostListed = 1'000'000;
inline constexpr std::int64_t kMostListedBusy = 50'000;

namespace option {
// Where things are.
inline constexpr std::string_view kDirectory = "COALESCOPE_DIRECTORY";  // where processes leave their parts
inline constexpr std::string_view kRing = "COALESCOPE_RING";  // the way to the process that writes them
inline constexpr std::string_view kStartedNs =
    "COALESCOPE_STARTED_NS";  // the capture's zero, unix time in ns
inline constexpr std::string_view kCuptiPath = "COALESCOPE_CUPTI_PATH";  // folder of libcupti
inline constexpr std::string_view kLibrary = "COALESCOPE_LIBRARY";       // absolute path of the library
// How much is traced.
inline constexpr std::string_view kTrace =
    "COALESCOPE_TRACE";  // launches and transfers listed at first, or "all"
// How much is measured.
inline constexpr std::string_view kSamples = "COALESCOPE_SAMPLES";  // launches wanted per group and phase
inline constexpr std::string_view kPhases = "COALESCOPE_PHASES";    // "bytes,lines,traffic,hits"
inline constexpr std::string_view kBudget = "COALESCOPE_BUDGET";  // "auto", "10%" of the run, "2s", or "none"
inline constexpr std::string_view kReplay = "COALESCOPE_REPLAY";  // "kernel", or "none"
// Which launches are measured.
inline constexpr std::string_view kKernel = "COALESCOPE_KERNEL";      // regular expression over kernel names
inline constexpr std::string_view kExclude = "COALESCOPE_EXCLUDE";    // the same, of those to leave out
inline constexpr std::string_view kSkip = "COALESCOPE_SKIP";          // launches to let pass first
inline constexpr std::string_view kLaunches = "COALESCOPE_LAUNCHES";  // launches to choose among after that
inline constexpr std::string_view kAfter = "COALESCOPE_AFTER";        // "30s" from the beginning
inline constexpr std::string_view kFor = "COALESCOPE_FOR";            // "60s" from there on
inline constexpr std::string_view kRange = "COALESCOPE_RANGE";        // inside NVTX ranges of this name
inline constexpr std::string_view kFromStart = "COALESCOPE_FROM_START";  // "off": from cudaProfilerStart on
inline constexpr std::string_view kTimed =
    "COALESCOPE_TIMED";  // launches that the program times itself: "avoid", or "measure"
inline constexpr std::string_view kGraphs =
    "COALESCOPE_GRAPHS";  // their kernels are measured one by one: "node", or not: "graph"
inline constexpr std::string_view kStacks =
    "COALESCOPE_STACKS";  // whose calls led to each launch: "none", "python" or "all"
inline constexpr std::string_view kModules =
    "COALESCOPE_MODULES";  // "on": a hook in Python says which torch.nn.Module a thread is inside of
inline constexpr std::string_view kAllocations =
    "COALESCOPE_ALLOCATIONS";  // "pytorch": a hook in Python tells of what its caching allocator hands out
}  // namespace option

}  // namespace coalescope::model
