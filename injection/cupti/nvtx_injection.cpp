#include "injection/cupti/nvtx_injection.h"

#include <cstdint>
#include <cstdlib>
#include <string>

// Types only: the functions of this header would call themselves.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include "core/base/utf8.h"
#include "core/model/options.h"
#include "injection/cupti/guarded.h"
#include "injection/recorder/nvtx_ranges.h"

namespace coalescope::cupti {
namespace {

recorder::NvtxRanges& ranges() {
  return recorder::NvtxRanges::instance();
}

// A name that cannot be told is the first one: see NvtxRanges.
constexpr std::uint32_t kNoName = 0;

std::uint32_t number(const char* text) {
  return text == nullptr ? kNoName : ranges().text(text);
}

std::string utf8_of(const wchar_t* text) {
  std::string utf8;
  for (; *text != L'\0'; ++text) base::append_utf8(utf8, static_cast<std::uint32_t>(*text));
  return utf8;
}

std::uint32_t number(const wchar_t* text) {
  return text == nullptr ? kNoName : ranges().text(utf8_of(text));
}

std::uint32_t domain_named(const char* name) {
  return name == nullptr ? kNoName : ranges().domain(name);
}

std::uint32_t domain_named(const wchar_t* name) {
  return name == nullptr ? kNoName : ranges().domain(utf8_of(name));
}

// Handles that the program keeps are our numbers: it never looks behind them.
template <class Handle>
Handle handle_of(std::uint32_t number) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
}
template <class Handle>
std::uint32_t number_of(Handle handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle));
}

std::uint32_t number(const nvtxEventAttributes_t* attributes) {
  if (attributes == nullptr) return kNoName;
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return number(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return number(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return number_of(attributes->message.registered);
    default:
      return kNoName;
  }
}

template <class Function>
auto answered(Function&& function) noexcept -> decltype(function()) {
  decltype(function()) answer{};
  guarded("nvtx", [&] { answer = function(); });
  return answer;
}

template <class Text>
int push(Text text) {
  return answered([&] { return ranges().push(0, number(text)); });
}
int pop() {
  return answered([] { return ranges().pop(0); });
}
template <class Text>
nvtxRangeId_t start(Text text) {
  return answered([&] { return ranges().start(0, number(text)); });
}
void end(nvtxRangeId_t range) {
  guarded("nvtx", [&] { ranges().end(range); });
}

// Of what is left out nobody needs the name.
std::uint32_t number_in(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return number_of(domain) == recorder::NvtxRanges::kLeftOut ? kNoName : number(attributes);
}

int domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return answered([&] { return ranges().push(number_of(domain), number_in(domain, attributes)); });
}
int domain_pop(nvtxDomainHandle_t domain) {
  return answered([&] { return ranges().pop(number_of(domain)); });
}
nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  return answered([&] { return ranges().start(number_of(domain), number_in(domain, attributes)); });
}
void domain_end(nvtxDomainHandle_t, nvtxRangeId_t range) {
  end(range);
}
template <class Text>
nvtxStringHandle_t register_string(nvtxDomainHandle_t, Text text) {
  return handle_of<nvtxStringHandle_t>(answered([&] { return number(text); }));
}
template <class Text>
nvtxDomainHandle_t create_domain(Text text) {
  return handle_of<nvtxDomainHandle_t>(answered([&] { return domain_named(text); }));
}

struct Entry {
  unsigned int id;
  NvtxFunctionPointer function;
};

template <class Function>
NvtxFunctionPointer entry(Function function) {
  return reinterpret_cast<NvtxFunctionPointer>(function);
}

const Entry kCore[] = {
    {NVTX_CBID_CORE_RangePushA, entry(&push<const char*>)},
    {NVTX_CBID_CORE_RangePushW, entry(&push<const wchar_t*>)},
    {NVTX_CBID_CORE_RangePushEx, entry(&push<const nvtxEventAttributes_t*>)},
    {NVTX_CBID_CORE_RangePop, entry(&pop)},
    {NVTX_CBID_CORE_RangeStartA, entry(&start<const char*>)},
    {NVTX_CBID_CORE_RangeStartW, entry(&start<const wchar_t*>)},
    {NVTX_CBID_CORE_RangeStartEx, entry(&start<const nvtxEventAttributes_t*>)},
    {NVTX_CBID_CORE_RangeEnd, entry(&end)},
};
const Entry kDomains[] = {
    {NVTX_CBID_CORE2_DomainRangePushEx, entry(&domain_push)},
    {NVTX_CBID_CORE2_DomainRangePop, entry(&domain_pop)},
    {NVTX_CBID_CORE2_DomainRangeStartEx, entry(&domain_start)},
    {NVTX_CBID_CORE2_DomainRangeEnd, entry(&domain_end)},
    {NVTX_CBID_CORE2_DomainRegisterStringA, entry(&register_string<const char*>)},
    {NVTX_CBID_CORE2_DomainRegisterStringW, entry(&register_string<const wchar_t*>)},
    {NVTX_CBID_CORE2_DomainCreateA, entry(&create_domain<const char*>)},
    {NVTX_CBID_CORE2_DomainCreateW, entry(&create_domain<const wchar_t*>)},
};

template <std::size_t count>
void fill(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module,
          const Entry (&entries)[count]) {
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks.GetModuleFunctionTable(module, &table, &size) == 0 || table == nullptr) return;
  // An older NVTX has fewer functions.
  for (const Entry& each : entries)
    if (each.id < size && table[each.id] != nullptr) *table[each.id] = each.function;
}

bool is_recording() {
  const char* folder = std::getenv(std::string(model::option::kDirectory).c_str());
  return folder != nullptr && *folder != '\0';
}

}  // namespace

void begin_nvtx(const void* (*get_export_table)(unsigned int)) noexcept {
  guarded("nvtx", [&] {
    if (!is_recording() || get_export_table == nullptr) return;
    const auto* callbacks =
        static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
    if (callbacks == nullptr || callbacks->GetModuleFunctionTable == nullptr) return;
    // Now, because a range may be open before CUDA is used.
    if (const char* range = std::getenv(model::option::kRange.data()); range != nullptr)
      ranges().select(range);
    fill(*callbacks, NVTX_CB_MODULE_CORE, kCore);
    fill(*callbacks, NVTX_CB_MODULE_CORE2, kDomains);
  });
}

void hold_nvtx() noexcept {
  ranges().hold();
}
void release_nvtx() noexcept {
  ranges().release();
}
void silence_nvtx() noexcept {
  ranges().silence();
}
void forget_nvtx() noexcept {
  ranges().forget();
}

}  // namespace coalescope::cupti
