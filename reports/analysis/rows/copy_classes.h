#pragma once
// The classes of transfers that a report's rows are, to find that of a copy which is listed.

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

class CopyClasses {
 public:
  explicit CopyClasses(std::span<const TransferRow> rows) : rows_(rows) {
    for (std::size_t place = 0; place < rows.size(); ++place) {
      const TransferRow& row = rows[place];
      places_[{row.device_id, row.direction, row.source_memory, row.destination_memory, row.asynchronous}]
          .push_back(place);
    }
  }

  // The place of its row; nullopt: it has none.
  [[nodiscard]] std::optional<std::size_t> of(const capture::TransferPlace& copy) const {
    const auto kind = places_.find(
        {copy.device, copy.direction, copy.source_memory, copy.destination_memory, copy.asynchronous});
    if (kind == places_.end()) return std::nullopt;
    for (const std::size_t place : kind->second)
      if (copy.bytes >= rows_[place].smallest_bytes && copy.bytes <= rows_[place].largest_bytes) return place;
    return std::nullopt;
  }

 private:
  // But for the sizes.
  using Kind = std::tuple<std::int64_t, model::Direction, model::MemoryKind, model::MemoryKind, bool>;

  std::span<const TransferRow> rows_;
  std::map<Kind, std::vector<std::size_t>> places_;
};

}  // namespace coalescope::analysis
