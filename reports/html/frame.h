#pragma once
// What every page has: policy and theme before first paint, the contents, the scripts last.

#include <string>
#include <string_view>
#include <vector>

#include "reports/html/markup.h"

namespace coalescope::html {

struct Section {
  std::string_view id, name;
  Html content;  // empty: it is left out of the page and of its contents
};

// Without npm the build embeds no charts.
[[nodiscard]] bool have_charts();

// `data` is what the charts draw; empty: the page has none, and needs no code for them.
[[nodiscard]] std::string framed(std::string_view title, const Html& header,
                                 const std::vector<Section>& sections, const Html& data);

}  // namespace coalescope::html
