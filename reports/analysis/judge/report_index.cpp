#include "reports/analysis/judge/report_index.h"

#include "reports/analysis/figures/called_for.h"

namespace coalescope::analysis {
namespace {

template <class Row>
std::unordered_map<std::int64_t, std::vector<const Row*>> by_kernel(const std::vector<Row>& rows) {
  std::unordered_map<std::int64_t, std::vector<const Row*>> map;
  for (const auto& row : rows) map[row.kernel_id].push_back(&row);
  return map;
}

template <class Row>
std::span<const Row* const> rows_of(const std::unordered_map<std::int64_t, std::vector<const Row*>>& rows,
                                    std::int64_t kernel_id) {
  const auto found = rows.find(kernel_id);
  return found == rows.end() ? std::span<const Row* const>{} : found->second;
}

}  // namespace

ReportIndex::ReportIndex(const Report& report, const Machines& machines)
    : machines_(machines), lines_(by_kernel(report.lines)), pointers_(by_kernel(report.program.pointers)) {
  for (const auto& device : report.devices) devices_[device.properties.id.value] = &device.properties;
  for (const auto& kernel : report.kernels) {
    kernels_[kernel.id] = &kernel;
    if (kernel.origin == Origin::library && called_for(kernel) == CalledFor::layout)
      converting_.insert(kernel.process_id);
  }
}

const Machine& ReportIndex::machine(std::int64_t device_id) const {
  static const Machine kUnknown;
  const auto found = machines_.find(device_id);
  return found == machines_.end() ? kUnknown : found->second;
}

const model::Device* ReportIndex::device(std::int64_t device_id) const {
  const auto found = devices_.find(device_id);
  return found == devices_.end() ? nullptr : found->second;
}

std::span<const LineRow* const> ReportIndex::lines(std::int64_t kernel_id) const {
  return rows_of(lines_, kernel_id);
}

std::span<const PointerRow* const> ReportIndex::pointers(std::int64_t kernel_id) const {
  return rows_of(pointers_, kernel_id);
}

std::vector<const KernelRow*> ReportIndex::kernels(const std::vector<std::int64_t>& ids) const {
  std::vector<const KernelRow*> list;
  for (const std::int64_t id : ids)
    if (const auto found = kernels_.find(id); found != kernels_.end()) list.push_back(found->second);
  return list;
}

bool ReportIndex::converts_layouts(std::int64_t process_id) const {
  return converting_.contains(process_id);
}

std::vector<KernelUse> ReportIndex::uses(const std::vector<KernelPart>& parts) const {
  std::vector<KernelUse> list;
  for (const KernelPart& part : parts)
    if (const auto found = kernels_.find(part.kernel_id); found != kernels_.end())
      list.push_back({found->second, part.share});
  return list;
}

}  // namespace coalescope::analysis
