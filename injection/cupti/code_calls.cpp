#include "injection/cupti/code_calls.h"

#include <array>
#include <dlfcn.h>

#include "injection/cupti/call_ids.h"

namespace coalescope::cupti {
// Names of its own: other files of the folder have such tables, too.
namespace code_calls {
namespace {

template <class Params>
const Params& params_of(const CUpti_CallbackData& data) {
  return *static_cast<const Params*>(data.functionParams);
}

// What a call loads or unloads.
struct Code {
  const void* image = nullptr;  // loaded from memory
  recorder::UnloadedCode unloaded;
};

template <class Params>
Code image(const CUpti_CallbackData& data) {
  return {params_of<Params>(data).image, {}};
}
Code fat_binary(const CUpti_CallbackData& data) {
  return {params_of<cuModuleLoadFatBinary_params>(data).fatCubin, {}};
}
Code library_image(const CUpti_CallbackData& data) {
  return {params_of<cuLibraryLoadData_params>(data).code, {}};
}
Code file(const CUpti_CallbackData&) {
  return {};
}
Code module(const CUpti_CallbackData& data) {
  return {nullptr, {reinterpret_cast<std::uint64_t>(params_of<cuModuleUnload_params>(data).hmod), 0}};
}
Code library(const CUpti_CallbackData& data) {
  return {nullptr, {0, reinterpret_cast<std::uint64_t>(params_of<cuLibraryUnload_params>(data).library)}};
}

enum class Does { load, unload };
struct Call {
  CUpti_CallbackId id;
  Does does;
  Code (*code)(const CUpti_CallbackData&);
};
constexpr std::array kCalls{
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleLoad, Does::load, &file},
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, Does::load, &image<cuModuleLoadData_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx, Does::load, &image<cuModuleLoadDataEx_params>},
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary, Does::load, &fat_binary},
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, Does::load, &library_image},
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile, Does::load, &file},
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, Does::unload, &module},
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload, Does::unload, &library},
};
constexpr auto kIds = ids_of(kCalls);

// Code that a compiler has put into the program or one of its libraries stays until the end. Any other was
// made or read while the program runs, and may go again.
bool is_built_in(const void* image) {
  Dl_info info{};
  return image != nullptr && dladdr(image, &info) != 0;
}

thread_local int unloading = 0;  // calls of this thread

}  // namespace
}  // namespace code_calls

std::span<const CUpti_CallbackId> CodeCalls::ids() {
  return code_calls::kIds;
}

void CodeCalls::on_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const code_calls::Call* call = find_call(code_calls::kCalls, id);
  if (call == nullptr) return;
  const bool unloads = call->does == code_calls::Does::unload;
  if (data.callbackSite == CUPTI_API_EXIT) {
    code_calls::unloading -= unloads ? 1 : 0;
    recording_.code_change_ended();
    return;
  }
  recording_.code_change_begins();
  code_calls::unloading += unloads ? 1 : 0;
  if (data.functionParams == nullptr) return;
  const code_calls::Code code = call->code(data);
  if (unloads)
    unload(code.unloaded);
  else if (!code_calls::is_built_in(code.image))
    recording_.code_loaded_at_run_time();
}

void CodeCalls::unload(const recorder::UnloadedCode& code) {
  if (backend_.code_unloading(code)) recording_.patched_code_unloading();
}

void CodeCalls::module_unloading() {
  if (code_calls::unloading == 0) unload({});
  recording_.functions_changed();
}

}  // namespace coalescope::cupti
