// All of the library that is preloaded into each program of the run. It is small, needs the C library alone
// and does nothing by itself, so that a program without CUDA pays next to nothing for it.
//
// A program may use CUPTI itself (torch.profiler does), and CUPTI serves one tool at a time: the program has
// the right of way. These entries stand before CUPTI's own, because the library is preloaded. The first call
// of the program's ends our recording; then CUPTI gets what the program asked for.
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

namespace {

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
void step_aside_for(const char* call) {
  const char* path = std::getenv(coalescope::model::option::kLibrary.data());
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto step_aside = reinterpret_cast<void (*)(const char*)>(dlsym(library, "coalescope_step_aside"));
  if (step_aside != nullptr) step_aside(call);
}

template <class Function, class... Arguments>
CUptiResult pass_on(const char* name, const void* caller, Arguments... arguments) {
  const auto next = reinterpret_cast<Function>(find_next(name));
  if (next == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  if (!comes_from_cupti(caller)) step_aside_for(name);
  return next(arguments...);
}

}  // namespace

#define COALESCOPE_PASS_ON(name, ...) \
  return pass_on<decltype(&name)>(#name, __builtin_return_address(0) __VA_OPT__(, ) __VA_ARGS__)
#define COALESCOPE_ENTRY extern "C" __attribute__((visibility("default")))

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber,
                                                     CUpti_CallbackFunc callback, void* user_data) {
  COALESCOPE_PASS_ON(cuptiSubscribe, subscriber, callback, user_data);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiSubscribe_v2(CUpti_SubscriberHandle* subscriber,
                                                        CUpti_CallbackFunc callback, void* user_data,
                                                        CUpti_SubscriberParams* params) {
  COALESCOPE_PASS_ON(cuptiSubscribe_v2, subscriber, callback, user_data, params);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(
    CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed) {
  COALESCOPE_PASS_ON(cuptiActivityRegisterCallbacks, requested, completed);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  COALESCOPE_PASS_ON(cuptiActivityEnable, kind);
}

COALESCOPE_ENTRY CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params* params) {
  COALESCOPE_PASS_ON(cuptiProfilerInitialize, params);
}
