#pragma once
// What every function of the stand-in's driver does around its work: fail when the script says so, and tell
// CUPTI at its ENTER and its EXIT.

#include <cstring>
#include <memory>

#include "tests/standin/device.h"
#include "tests/standin/faults.h"

// Only the recorder's calls fail: what the program itself does is the script's business.
#define STANDIN_DRIVER_FAULT(function)                                                    \
  if (standin::is_recorder(__builtin_return_address(0))) {                                \
    if (const auto code = standin::fault(#function)) return static_cast<CUresult>(*code); \
  }

namespace standin {

// Of the call that this thread makes; 0: nobody listens.
inline thread_local std::uint32_t correlation_id = 0;
// Of the outermost call; 0: it makes none.
inline thread_local std::uint32_t called_id = 0;

[[nodiscard]] CUresult ready();
[[nodiscard]] CUcontext current_context();
// Tells of a module's code, once.
void announce(CUmod_st& module);
void tell_resource(CUpti_CallbackId id, CUcontext context, void* descriptor);

// `symbol`: the kernel that is launched, or null. A body that reads `params` reads them as the callback
// leaves them, as the driver does.
template <class Params, class Body>
CUresult driver_call(CUpti_CallbackId id, const char* name, const Params& params, const std::string* symbol,
                     Body body) {
  if (const auto code = ready(); code != CUDA_SUCCESS) return code;
  auto* listener = device().listener.load();
  correlation_id = 0;
  if (listener == nullptr) return body();
  // The name is CUPTI's only during the callback.
  const std::unique_ptr<char, decltype(&std::free)> copy(
      symbol == nullptr ? nullptr : strdup(symbol->c_str()), &std::free);
  CUresult result = CUDA_SUCCESS;
  std::uint64_t word = 0;
  CUpti_CallbackData data{};
  data.callbackSite = CUPTI_API_ENTER;
  data.functionName = name;
  data.functionParams = &params;
  data.functionReturnValue = &result;
  data.symbolName = copy.get();
  data.context = current_context();
  data.contextUid = data.context->uid;
  data.correlationData = &word;
  // The calls that a callback makes have the id of the call that it belongs to.
  const bool outer = called_id == 0;
  if (outer) called_id = next_id();
  data.correlationId = called_id;
  listener->driver_call(id, data);
  correlation_id = data.correlationId;
  result = body();
  data.callbackSite = CUPTI_API_EXIT;
  listener->driver_call(id, data);
  if (outer) called_id = 0;
  return result;
}

}  // namespace standin
