#pragma once
// Why something was not measured, in words that say what to do about it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/enums.h"

namespace coalescope::analysis {

// What a phase would have told: "degree and sectors", "source lines".
[[nodiscard]] std::string_view subject_of(model::Phase phase);

// The reason in a few words: "too few launches to sample".
[[nodiscard]] std::string_view cause_of(model::CoverageReason reason);

// "source lines not measured: its 2 launches were used for other measurements; let it run more often in one
// recording, or record with --phases lines". `launches`: std::nullopt leaves their number out.
[[nodiscard]] std::string unmeasured_text(model::Phase phase, model::CoverageReason reason,
                                          std::optional<std::int64_t> launches);

}  // namespace coalescope::analysis
