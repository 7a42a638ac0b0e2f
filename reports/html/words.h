#pragma once
// The capture's enumerations as words for people who meet them for the first time.

#include <string>
#include <string_view>

#include "core/model/enums.h"
#include "reports/analysis/report.h"

namespace coalescope::html {

std::string_view words(model::Direction direction);  // "host to device"
std::string_view words(model::MemoryKind kind);      // "pageable host memory"
std::string_view words(model::Severity severity);    // "data loss"

// What a phase counts, and how it does so.
std::string_view about(model::Phase phase);

// The mark that stands beside a word, so that colour is not the only sign.
std::string_view mark(model::Verdict verdict);
std::string_view mark(analysis::Level level);
std::string_view mark(model::Severity severity);

}  // namespace coalescope::html
