#pragma once
// The settings that reach the injected library. They travel as COALESCOPE_* environment variables only: one
// function of the tool sets them, one of the recorder reads them, both from these names.

#include <array>
#include <string_view>

namespace coalescope::model {

namespace option {
inline constexpr std::string_view kDirectory = "COALESCOPE_DIRECTORY";  // where processes leave their parts
inline constexpr std::string_view kStartedNs =
    "COALESCOPE_STARTED_NS";                                        // the capture's zero, unix time in ns
inline constexpr std::string_view kSamples = "COALESCOPE_SAMPLES";  // launches wanted per group and phase
inline constexpr std::string_view kPhases = "COALESCOPE_PHASES";    // "bytes,lines,traffic,hits"
inline constexpr std::string_view kBudget = "COALESCOPE_BUDGET";    // "10%" of the run, or "none"
inline constexpr std::string_view kExclude = "COALESCOPE_EXCLUDE";  // regular expression over kernel names
inline constexpr std::string_view kCuptiPath =
    "COALESCOPE_CUPTI_PATH";                                        // folder of libcupti, if not the usual
inline constexpr std::string_view kLibrary = "COALESCOPE_LIBRARY";  // absolute path of the injected library
}  // namespace option

// They stay in the environment of the target's children, so that those that use CUDA are recorded too.
inline constexpr std::array kOptionNames{option::kDirectory, option::kStartedNs, option::kSamples,
                                         option::kPhases,    option::kBudget,    option::kExclude,
                                         option::kCuptiPath, option::kLibrary};

}  // namespace coalescope::model
