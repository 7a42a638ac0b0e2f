#pragma once
// Cells for numbers: rounded for the eye, exact in the title, and words where a number is missing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reports/analysis/report.h"
#include "reports/html/table.h"

namespace coalescope::html {

// What a missing number says for itself: "not measured" and, under it, the reason.
Cell missing(std::string_view words, std::string_view short_reason, std::string_view reason);

Cell count_cell(std::int64_t count, std::string_view unit);
Cell time_cell(std::int64_t ns);
Cell bytes_cell(std::int64_t bytes);
Cell bandwidth_cell(double bytes_per_second);
Cell share_cell(double share, std::string_view of_what);
Cell ratio_cell(double ratio, std::string_view unit);

// A share with a bar beside the number; the bar says nothing that the number does not.
Html bar(double share);

// "61,600 ns", "1,048,576 bytes": the exact values that stand in titles.
std::string exact_ns(std::int64_t ns);
std::string exact_count(std::int64_t count, std::string_view unit);
std::string exact_share(double share);
std::string exact_bandwidth(double bytes_per_second);

// "3 of 400 launches measured"
std::string samples_text(analysis::Samples samples);

// "2025-11-20 14:03:12 UTC"
std::string utc_time(std::int64_t unix_ns);

// The place of an instruction: "transpose.cu:41". The title of its link holds the whole path.
std::string place_text(const std::optional<std::string>& file, std::optional<std::int64_t> line);

// "1 launch", "4,212 launches"
std::string counted(std::int64_t count, std::string_view one, std::string_view many);

// Kernel groups of which no access was counted: no rule could judge them.
std::int64_t unjudged_kernels(const analysis::Report& report);

// The page's ids: a kernel group's row, and a line of a source excerpt.
std::string kernel_anchor(std::int64_t kernel_id);
std::string line_anchor(const analysis::Report& report, const std::string& file, std::int64_t line);

// The place as a link to its excerpt where the page has one, as plain text otherwise.
Html place_link(const analysis::Report& report, const std::optional<std::string>& file,
                std::optional<std::int64_t> line);

}  // namespace coalescope::html
