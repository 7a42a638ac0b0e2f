#pragma once
// How far the repetitions of a calibration's figures lie apart: a row of its own beside each figure.

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/model/calibration.h"

namespace coalescope::profile {

[[nodiscard]] inline bool is_spread(const model::Calibration& row) {
  return row.quantity.ends_with(model::kSpreadSuffix);
}

// Looked up by case and quantity; the rows must live as long.
class Spreads {
 public:
  explicit Spreads(std::span<const model::Calibration> rows) {
    for (const auto& row : rows) {
      if (!is_spread(row)) continue;
      std::string_view quantity = row.quantity;
      quantity.remove_suffix(model::kSpreadSuffix.size());
      spreads_.emplace(std::pair(std::string_view(row.case_id), quantity), row.measured);
    }
  }

  [[nodiscard]] std::optional<double> of(const model::Calibration& row) const {
    const auto found = spreads_.find({row.case_id, row.quantity});
    return found == spreads_.end() ? std::nullopt : found->second;
  }

 private:
  std::map<std::pair<std::string_view, std::string_view>, std::optional<double>> spreads_;
};

}  // namespace coalescope::profile
