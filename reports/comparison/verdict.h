#pragma once
// The comparison in one sentence, and its judgement.

#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

// Of all that decides. Needs every other member.
void take_verdict(Comparison& comparison);

// "+5.0 %", "-33 %", "from none".
[[nodiscard]] std::string relative_text(const Number& number);

// Of those that decide the first that changed: the one to name; nullptr: none did.
[[nodiscard]] const Number* main_number(const KernelChange& change);

}  // namespace coalescope::comparison
