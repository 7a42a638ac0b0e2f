#include "reports/analysis/rows/given_arrays.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/owners.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rows/array_accesses.h"

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kSeldom =
    10;  // a kernel that is launched so many times less often only made the array

bool reads_apart(const capture::InstructionView& instruction) {
  if (instruction.loads.value_or(0) <= 0) return false;
  const Shape shape = shape_of({sectors_per_request(instruction.sectors, instruction.loads),
                                sectors_per_request(instruction.ideal_sectors, instruction.loads),
                                lanes(instruction.threads, instruction.loads)});
  return shape == Shape::strided || shape == Shape::apart;
}

class GivenArrays {
 public:
  GivenArrays(std::span<const KernelRow> kernels, std::span<const model::GroupPointer> pointers,
              std::span<const capture::InstructionView> instructions)
      : accesses_(array_accesses(kernels, pointers, instructions)) {
    for (const KernelRow& row : kernels) launches_[row.id] = row.launches;
    for (const auto& pointer : pointers) {
      given_[pointer.address].push_back(&pointer);
      addresses_[{pointer.group_id.value, pointer.parameter, pointer.byte}] = pointer.address;
    }
    for (const auto& instruction : instructions)
      if (reads_apart(instruction)) apart_[instruction.group_id.value].insert(address_of(instruction));
  }

  [[nodiscard]] bool reads_only_given_apart(const KernelRow& row) const {
    const auto apart = apart_.find(row.id);
    return apart != apart_.end() && std::ranges::all_of(apart->second, [&](const auto& address) {
             return address && is_given(*address, row.launches / kSeldom);
           });
  }

 private:
  using Address = std::optional<std::int64_t>;
  using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // group, parameter, byte

  [[nodiscard]] Address address_of(const capture::InstructionView& instruction) const {
    if (!instruction.code || !instruction.code->parameter) return std::nullopt;
    const auto found = addresses_.find(
        {instruction.group_id.value, *instruction.code->parameter, instruction.code->parameter_byte});
    return found == addresses_.end() ? std::nullopt : Address(found->second);
  }

  [[nodiscard]] bool is_given(std::int64_t address, std::int64_t seldom) const {
    return std::ranges::none_of(
        given_.at(address), [&](const model::GroupPointer* pointer) { return may_store(*pointer, seldom); });
  }

  // Whether the kernel that was given it stores there, or to a place that its code does not tell.
  [[nodiscard]] bool may_store(const model::GroupPointer& pointer, std::int64_t seldom) const {
    const auto launches = launches_.find(pointer.group_id.value);
    if (launches == launches_.end() || launches->second <= seldom) return false;
    const auto kernel = accesses_.find(pointer.group_id.value);
    if (kernel == accesses_.end()) return true;
    double known_bytes = 0;
    bool stores = false;
    for (const ArrayAccess& array : kernel->second.arrays) {
      known_bytes += array.store_bytes;
      stores |= array.address == pointer.address && (array.store_bytes > 0 || array.adds);
    }
    return stores || known_bytes < kernel->second.store_bytes;
  }

  std::unordered_map<std::int64_t, ArrayAccesses> accesses_;
  std::unordered_map<std::int64_t, std::int64_t> launches_;
  std::unordered_map<std::int64_t, std::vector<const model::GroupPointer*>> given_;  // by their address
  std::map<Place, std::int64_t> addresses_;
  std::unordered_map<std::int64_t, std::set<Address>> apart_;  // by the kernel; nullopt: not known
};

}  // namespace

void mark_given_arrays(std::vector<KernelRow>& kernels, std::span<const model::GroupPointer> pointers,
                       std::span<const capture::InstructionView> instructions) {
  if (std::ranges::find(kernels, kXla, &KernelRow::owner) == kernels.end()) return;
  const GivenArrays given(kernels, pointers, instructions);
  for (KernelRow& row : kernels)
    row.reads_given_apart = row.owner == kXla && given.reads_only_given_apart(row);
}

}  // namespace coalescope::analysis
