#pragma once
// The calibration in words: what each family is, what the parameter of its cases counts, and what came out.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/calibration.h"

namespace coalescope::analysis {

// "A3: copy with an offset"; an unknown family is its id alone.
std::string family_title(std::string_view id);

// "offset in words"; "parameter" for a family that this version does not know.
std::string_view family_parameter(std::string_view id);

// "bandwidth_gb_s" as words.
std::string quantity_words(std::string_view key);

// In the order of the families, "A2" before "A10", and within one as they come.
[[nodiscard]] std::vector<model::Calibration> by_family(std::vector<model::Calibration> rows);

// The rows of each family, of rows in that order.
[[nodiscard]] std::vector<std::span<const model::Calibration>> families_of(
    std::span<const model::Calibration> rows);

std::int64_t verdict_count(std::span<const model::Calibration> rows, model::Verdict verdict);

// "36 of 36 counts exact", "35 of 36 counts exact, 1 failed, 4 figures measured".
std::string outcome(std::span<const model::Calibration> rows);

}  // namespace coalescope::analysis
