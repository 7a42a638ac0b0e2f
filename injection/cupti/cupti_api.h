#pragma once
// Seam B: CUPTI as a table of function pointers, filled at run time. Nothing of ours is linked against CUPTI,
// because a preloaded library whose dependency is missing would end the target. Tests fill the table with
// functions that return scripted codes.

#include <cstddef>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>
#include <string>

#include "core/base/error.h"
#include "injection/cupti/cupti_search.h"

namespace coalescope::cupti {

// X(name): every function that we call; each must exist, and does in the libcupti of CUDA 12.8 and 13.0.
#define COALESCOPE_CUPTI_FUNCTIONS(X)             \
  X(cuptiActivityDisable)                         \
  X(cuptiActivityEnable)                          \
  X(cuptiActivityFlushAll)                        \
  X(cuptiActivityGetNextRecord)                   \
  X(cuptiActivityGetNumDroppedRecords)            \
  X(cuptiActivityRegisterCallbacks)               \
  X(cuptiActivitySetAttribute)                    \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiEnableCallback)                          \
  X(cuptiEnableDomain)                            \
  X(cuptiGetContextId)                            \
  X(cuptiGetCubinCrc)                             \
  X(cuptiGetDeviceId)                             \
  X(cuptiGetGraphNodeId)                          \
  X(cuptiGetResultString)                         \
  X(cuptiGetSassToSourceCorrelation)              \
  X(cuptiGetStreamIdEx)                           \
  X(cuptiGetTimestamp)                            \
  X(cuptiGetVersion)                              \
  X(cuptiProfilerDeviceSupported)                 \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerInitialize)                      \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiSassMetricsDisable)                      \
  X(cuptiSassMetricsEnable)                       \
  X(cuptiSassMetricsFlushData)                    \
  X(cuptiSassMetricsGetDataProperties)            \
  X(cuptiSassMetricsGetProperties)                \
  X(cuptiSassMetricsSetConfig)                    \
  X(cuptiSassMetricsUnsetConfig)                  \
  X(cuptiSubscribe)                               \
  X(cuptiUnsubscribe)

// X(name): functions without which something is not recorded, and all else is.
#define COALESCOPE_CUPTI_OPTIONAL_FUNCTIONS(X)  \
  X(cuptiActivityConfigureUnifiedMemoryCounter) \
  X(cuptiActivityRegisterTimestampCallback)     \
  X(cuptiProfilerHostGetSupportedChips)

struct CuptiApi {
#define COALESCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  COALESCOPE_CUPTI_FUNCTIONS(COALESCOPE_MEMBER)
  COALESCOPE_CUPTI_OPTIONAL_FUNCTIONS(COALESCOPE_MEMBER)
#undef COALESCOPE_MEMBER
  std::string path;           // of the library
  std::string_view origin;    // how it was found
  std::uint32_t version = 0;  // cuptiGetVersion's answer; 0: none
};

// Takes the copy that the target has loaded, else the first of cupti_candidates(). Loaded for the life of the
// process: unloading crashes.
[[nodiscard]] base::Result<CuptiApi> load_cupti(const CuptiClues& clues);
// Of the libnvperf_host in memory, without which libcupti knows no metric; empty: there is none.
[[nodiscard]] std::string host_library_path();

// CUPTI wants each parameter struct zeroed, its size from the macro, pPriv NULL. Those that we use are of the
// same size in the headers of CUDA 12.8 and 13.0.
#define COALESCOPE_PARAMS(Type, name) \
  Type name{};                        \
  name.structSize = Type##_STRUCT_SIZE

// "cuptiRangeProfilerStart: HARDWARE_BUSY (26)" with the remedy, where one is known.
[[nodiscard]] base::Error cupti_error(const CuptiApi& api, CUptiResult code, const char* call);
[[nodiscard]] base::Failure cupti_failure(const CuptiApi& api, CUptiResult code, const char* call);

}  // namespace coalescope::cupti
