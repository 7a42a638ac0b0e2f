#pragma once
// Transfers added up by their class, as model::TransferTotal.

#include <cstdint>
#include <map>
#include <tuple>

#include "core/model/transfer.h"

namespace coalescope::recorder {

[[nodiscard]] model::TransferTotal total_of(const model::Transfer& transfer);

class TransferTotals {
 public:
  // Device, direction, memory at both ends, way of requesting it, size class, and whether it has a time.
  using Class = std::tuple<model::DeviceId, model::Direction, model::MemoryKind, model::MemoryKind, bool,
                           std::int64_t, bool>;

  void add(const model::TransferTotal& more);
  [[nodiscard]] const std::map<Class, model::TransferTotal>& all() const { return all_; }

 private:
  std::map<Class, model::TransferTotal> all_;
};

}  // namespace coalescope::recorder
