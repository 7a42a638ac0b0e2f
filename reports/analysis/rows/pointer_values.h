#pragma once
// How many addresses the launches of a kernel were given in place of a pointer.

#include <cstdint>
#include <map>
#include <span>
#include <tuple>

#include "core/model/memory.h"

namespace coalescope::analysis {

class PointerValues {
 public:
  explicit PointerValues(std::span<const model::ParameterValues> values) {
    for (const model::ParameterValues& each : values)
      values_.emplace(std::tuple(each.group_id.value, each.parameter, each.byte), &each);
  }

  // A capture before schema 17 tells of none.
  [[nodiscard]] bool are_known() const { return !values_.empty(); }
  // nullptr: its addresses were not followed to the end.
  [[nodiscard]] const model::ParameterValues* of(const model::GroupPointer& pointer) const {
    const auto found = values_.find({pointer.group_id.value, pointer.parameter, pointer.byte});
    return found == values_.end() ? nullptr : found->second;
  }
  // All launches were given the same address.
  [[nodiscard]] bool stays(const model::GroupPointer& pointer) const {
    const auto* const values = of(pointer);
    return values != nullptr && values->different == 1;
  }

 private:
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, const model::ParameterValues*> values_;
};

}  // namespace coalescope::analysis
