#include "reports/analysis/view/l2_code.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rules/rules.h"
#include "reports/analysis/view/shown.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kMostCodes = 4;

struct L2WindowSize {
  double num_bytes = 0, hit_ratio = 0;
  std::optional<double> set_aside_bytes;
  std::string pointer = "pointer";  // what base_ptr is, in the code
};

// Rounded down: what persists must fit into the set-aside.
std::string ratio_text(double ratio) {
  return fmt::format("{:.2f}f", std::floor(100 * std::clamp(ratio, 0.0, 1.0)) / 100);
}

std::string l2_window_code(const L2WindowSize& window) {
  std::string code;
  if (window.set_aside_bytes)
    code =
        fmt::format("cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, {:.0f});\n", *window.set_aside_bytes);
  return code + fmt::format(
                    "cudaStreamAttrValue attribute{{}};\n"
                    "attribute.accessPolicyWindow.base_ptr = {};\n"
                    "attribute.accessPolicyWindow.num_bytes = {:.0f};\n"
                    "attribute.accessPolicyWindow.hitRatio = {};\n"
                    "attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;\n"
                    "attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;\n"
                    "cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &attribute);",
                    window.pointer, window.num_bytes, ratio_text(window.hit_ratio));
}

L2Code tuned(const Finding& finding) {
  return {"A window that fits the set-aside", upper_first(finding.evidence) + ".",
          l2_window_code({figure_in(finding.advice_parameters, "num_bytes").value_or(0),
                          figure_in(finding.advice_parameters, "hit_ratio").value_or(0),
                          figure_in(finding.advice_parameters, "set_aside_bytes"), "pointer"})};
}

L2Code given_back(const Finding& finding) {
  return {"Persisting lines given back after their last use", upper_first(finding.evidence) + ".",
          "cudaStreamAttrValue attribute{};\n"
          "attribute.accessPolicyWindow.num_bytes = 0;\n"
          "cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &attribute);\n"
          "cudaCtxResetPersistingL2Cache();"};
}

L2Code shared_out(const Finding& finding) {
  return {"Windows of several streams within one set-aside", upper_first(finding.evidence) + ".",
          fmt::format("attribute.accessPolicyWindow.hitRatio = {};  // in each of the streams\n"
                      "cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &attribute);",
                      ratio_text(figure_in(finding.advice_parameters, "hit_ratio").value_or(0)))};
}

const PointerRow* largest_pointer(const Report& report, std::int64_t kernel_id) {
  const PointerRow* largest = nullptr;
  for (const auto& pointer : report.program.pointers)
    if (pointer.kernel_id == kernel_id && pointer.memory == model::MemoryKind::device &&
        pointer.allocation_bytes.value_or(0) > (largest ? *largest->allocation_bytes : 0))
      largest = &pointer;
  return largest;
}

const model::Device* device_of(const Report& report, const KernelRow& kernel) {
  const auto device = std::ranges::find_if(
      report.devices, [&](const DeviceRow& row) { return row.properties.id.value == kernel.device_id; });
  return device == report.devices.end() ? nullptr : &device->properties;
}

// What fits into L2 needs no L2 window, unless other data drive it out, which is not counted.
bool exceeds_l2(const KernelRow& kernel, const model::Device& device) {
  return kernel.footprint_bytes && device.l2_bytes && *kernel.footprint_bytes > *device.l2_bytes;
}

// Which part of its memory a kernel reads again is not counted: this is something to try.
std::optional<L2Code> to_try(const Report& report, const Finding& finding) {
  const auto kernel = std::ranges::find(report.kernels, finding.kernel_id, &KernelRow::id);
  if (kernel == report.kernels.end()) return std::nullopt;
  const PointerRow* pointer = largest_pointer(report, kernel->id);
  const model::Device* device = device_of(report, *kernel);
  if (!pointer || !device || !exceeds_l2(*kernel, *device) ||
      device->persisting_l2_max_bytes.value_or(0) <= 0 ||
      device->access_policy_max_window_bytes.value_or(0) <= 0)
    return std::nullopt;
  const auto aside = static_cast<double>(*device->persisting_l2_max_bytes);
  const auto bytes =
      static_cast<double>(std::min(*pointer->allocation_bytes, *device->access_policy_max_window_bytes));
  return L2Code{
      "A window to try for " + shortened(finding.subject),
      fmt::format(
          "{}. The window lies over the largest allocation that its pointers lead to, {} of parameter {}; "
          "which part of it is read again was not counted, so measure before and after.",
          upper_first(finding.evidence), base::format_bytes(static_cast<double>(*pointer->allocation_bytes)),
          pointer->parameter),
      l2_window_code(
          {bytes, std::min(1.0, aside / bytes), aside, fmt::format("parameter_{}", pointer->parameter)})};
}

std::optional<L2Code> code_of(const Report& report, const Finding& finding) {
  if (finding.advice_id == kTuneHitRatioAdvice) return tuned(finding);
  if (finding.advice_id == kGiveBackAdvice) return given_back(finding);
  if (finding.advice_id == kShareSetAsideAdvice) return shared_out(finding);
  if (finding.advice_id == kWorkInBlocksAdvice) return to_try(report, finding);
  return std::nullopt;
}

}  // namespace

std::vector<L2Code> l2_codes(const Report& report) {
  std::vector<L2Code> codes;
  for (const auto& finding : report.findings) {
    if (codes.size() == kMostCodes) break;
    auto code = code_of(report, finding);
    if (code && std::ranges::find(codes, code->code, &L2Code::code) == codes.end())
      codes.push_back(std::move(*code));
  }
  return codes;
}

}  // namespace coalescope::analysis
