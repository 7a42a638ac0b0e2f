// Most of the library that is preloaded into each program of the run. It is small, needs the C library alone
// and does nothing by itself, so that a program without CUDA pays next to nothing for it.
//
// A program may use CUPTI itself (torch.profiler does), and CUPTI serves one tool at a time: the program has
// the right of way. These entries stand before CUPTI's own, because the library is preloaded. The first call
// of the program's ends our recording; then CUPTI gets what the program asked for. Calls that end its use are
// told, too, so that the recording can go on (target_use.h).
//
// Calls of ours go to CUPTI directly (cupti_api.h) and never come here; calls of CUPTI's to itself are passed
// on.

#include <array>
#include <cstdlib>
#include <cupti.h>
#include <cupti_profiler_target.h>
#include <dlfcn.h>
#include <string_view>

#include "core/model/options.h"
#include "injection/cupti/target_use.h"

namespace {

using coalescope::cupti::TargetCall;
using coalescope::cupti::TargetCallInfo;

// The program's copy may be older than the one that we opened.
constexpr std::array kNames{"libcupti.so.12", "libcupti.so.13"};

void* find_next(const char* function) {
  if (void* found = dlsym(RTLD_NEXT, function); found != nullptr) return found;
  for (const char* name : kNames) {
    void* library = dlopen(name, RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) continue;
    if (void* found = dlsym(library, function); found != nullptr) return found;
  }
  return nullptr;
}

bool comes_from_cupti(const void* caller) {
  Dl_info info{};
  return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
         std::string_view(info.dli_fname).find("libcupti") != std::string_view::npos;
}

// Where nothing is recorded yet, the injected library is loaded for this: it has to know when CUDA begins.
void tell(const TargetCallInfo& info) {
  const char* path = std::getenv(coalescope::model::option::kLibrary.data());
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto target_called =
      reinterpret_cast<void (*)(const TargetCallInfo*)>(dlsym(library, "coalescope_target_called"));
  if (target_called != nullptr) target_called(&info);
}

bool ends_a_use(TargetCall call) {
  return call == TargetCall::disable || call == TargetCall::flush;
}

template <class Function, class... Arguments>
CUptiResult pass_on(const char* name, TargetCallInfo info, const void* caller, Arguments... arguments) {
  info.name = name;
  const auto next = reinterpret_cast<Function>(find_next(info.name));
  if (next == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  if (comes_from_cupti(caller)) return next(arguments...);
  if (!ends_a_use(info.call)) tell(info);
  const CUptiResult result = next(arguments...);
  if (ends_a_use(info.call) && result == CUPTI_SUCCESS) tell(info);
  return result;
}

}  // namespace

#define COALESCOPE_PASS_ON(function, info, ...) \
  return pass_on<decltype(&function)>(#function, info, __builtin_return_address(0) __VA_OPT__(, ) __VA_ARGS__)
#define COALESCOPE_ENTRY extern "C" __attribute__((visibility("default")))

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                                     CUpti_CallbackFunc callback, void* user_data) {
  const TargetCallInfo info;
  COALESCOPE_PASS_ON(cuptiSubscribe, info, subscriber, callback, user_data);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                                        CUpti_CallbackFunc callback, void* user_data,
                                                        CUpti_SubscriberParams* params) {
  const TargetCallInfo info;
  COALESCOPE_PASS_ON(cuptiSubscribe_v2, info, subscriber, callback, user_data, params);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  const TargetCallInfo info{.call = TargetCall::clock, .clock = clock};
  COALESCOPE_PASS_ON(cuptiActivityRegisterTimestampCallback, info, clock);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  const TargetCallInfo info{.call = TargetCall::buffers, .requested = requested, .completed = completed};
  COALESCOPE_PASS_ON(cuptiActivityRegisterCallbacks, info, requested, completed);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  const TargetCallInfo info{.call = TargetCall::enable, .number = static_cast<std::uint32_t>(kind)};
  COALESCOPE_PASS_ON(cuptiActivityEnable, info, kind);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  const TargetCallInfo info{.call = TargetCall::disable, .number = static_cast<std::uint32_t>(kind)};
  COALESCOPE_PASS_ON(cuptiActivityDisable, info, kind);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiActivityFlushAll(std::uint32_t flags) {
  const TargetCallInfo info{.call = TargetCall::flush, .number = flags};
  COALESCOPE_PASS_ON(cuptiActivityFlushAll, info, flags);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  const TargetCallInfo info{.call = TargetCall::for_good};
  COALESCOPE_PASS_ON(cuptiProfilerInitialize, info, params);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiFinalize() {
  const TargetCallInfo info{.call = TargetCall::for_good};
  COALESCOPE_PASS_ON(cuptiFinalize, info);
}
