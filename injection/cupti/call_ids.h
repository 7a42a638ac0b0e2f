#pragma once
// What the tables of watched driver calls have in common. Rows have a member `id`.

#include <algorithm>
#include <array>
#include <cuda.h>
#include <cupti.h>

namespace coalescope::cupti {

template <class Call, std::size_t count>
[[nodiscard]] constexpr std::array<CUpti_CallbackId, count> ids_of(const std::array<Call, count>& calls) {
  std::array<CUpti_CallbackId, count> ids{};
  std::transform(calls.begin(), calls.end(), ids.begin(), [](const Call& call) { return call.id; });
  return ids;
}

template <class Call, std::size_t count>
[[nodiscard]] constexpr const Call* find_call(const std::array<Call, count>& calls, CUpti_CallbackId id) {
  const auto found =
      std::find_if(calls.begin(), calls.end(), [id](const Call& call) { return call.id == id; });
  return found == calls.end() ? nullptr : &*found;
}

// At the call's EXIT: it did what it was asked to.
[[nodiscard]] inline bool succeeded(const CUpti_CallbackData& data) {
  return data.callbackSite == CUPTI_API_EXIT && data.functionReturnValue != nullptr &&
         *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
}

}  // namespace coalescope::cupti
