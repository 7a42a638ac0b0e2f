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

template <class Handle>
std::uint64_t handle(Handle code) {
  return reinterpret_cast<std::uint64_t>(code);
}
template <class Handle>
std::uint64_t returned(const Handle* code) {
  return code == nullptr ? 0 : handle(*code);
}

// What a call loads, unloads or finds.
struct Code {
  const void* image = nullptr;  // loaded from memory,
  const char* file = nullptr;   // or from there
  recorder::UnloadedCode unloaded;
  std::uint64_t made = 0;   // at the call's EXIT: the code that was loaded, or the part that was found
  std::uint64_t whole = 0;  // of a part
};

template <class Params>
Code image(const CUpti_CallbackData& data) {
  const auto& call = params_of<Params>(data);
  return {.image = call.image, .made = returned(call.module)};
}
Code fat_binary(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuModuleLoadFatBinary_params>(data);
  return {.image = call.fatCubin, .made = returned(call.module)};
}
Code library_image(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuLibraryLoadData_params>(data);
  return {.image = call.code, .made = returned(call.library)};
}
Code file(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuModuleLoad_params>(data);
  return {.file = call.fname, .made = returned(call.module)};
}
Code library_file(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuLibraryLoadFromFile_params>(data);
  return {.file = call.fileName, .made = returned(call.library)};
}
Code module(const CUpti_CallbackData& data) {
  return {.unloaded = {handle(params_of<cuModuleUnload_params>(data).hmod), 0}};
}
Code library(const CUpti_CallbackData& data) {
  return {.unloaded = {0, handle(params_of<cuLibraryUnload_params>(data).library)}};
}
Code function_of_module(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuModuleGetFunction_params>(data);
  return {.made = returned(call.hfunc), .whole = handle(call.hmod)};
}
Code module_of_library(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuLibraryGetModule_params>(data);
  return {.made = returned(call.pMod), .whole = handle(call.library)};
}
Code kernel_of_library(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuLibraryGetKernel_params>(data);
  return {.made = returned(call.pKernel), .whole = handle(call.library)};
}
Code function_of_kernel(const CUpti_CallbackData& data) {
  const auto& call = params_of<cuKernelGetFunction_params>(data);
  return {.made = returned(call.pFunc), .whole = handle(call.kernel)};
}

enum class Does { load, unload, find };
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
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile, Does::load, &library_file},
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, Does::unload, &module},
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload, Does::unload, &library},
    Call{CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, Does::find, &function_of_module},
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule, Does::find, &module_of_library},
    Call{CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel, Does::find, &kernel_of_library},
    Call{CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction, Does::find, &function_of_kernel},
};
constexpr auto kIds = ids_of(kCalls);

// Code that a compiler has put into the program or one of its libraries stays until the end. Any other was
// made or read while the program runs, and may go again.
bool is_built_in(const void* image) {
  Dl_info info{};
  return image != nullptr && dladdr(image, &info) != 0;
}

recorder::CodeSource source_of(const Code& code) {
  if (code.file != nullptr) return {code.file, std::nullopt};
  return recorder::code_source(code.image);
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
  if (call->does == code_calls::Does::find) {
    if (!succeeded(data) || data.functionParams == nullptr) return;
    const code_calls::Code code = call->code(data);
    return recording_.code_files().found_part(code.made, code.whole);
  }
  const bool unloads = call->does == code_calls::Does::unload;
  if (data.callbackSite == CUPTI_API_EXIT) {
    code_calls::unloading -= unloads ? 1 : 0;
    recording_.code_change_ended();
    if (unloads || !succeeded(data) || data.functionParams == nullptr) return;
    const code_calls::Code code = call->code(data);
    return recording_.code_files().loaded(code.made, code_calls::source_of(code));
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
  recording_.code_files().unloaded(code.module != 0 ? code.module : code.library);
  if (backend_.code_unloading(code)) recording_.patched_code_unloading();
}

void CodeCalls::module_unloading() {
  if (code_calls::unloading == 0) unload({});
  recording_.functions_changed();
}

}  // namespace coalescope::cupti
