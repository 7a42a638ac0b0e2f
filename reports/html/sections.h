#pragma once
// The parts of the page in the order in which a reader needs them. A part without content is an empty Html,
// and page.cpp leaves it out of the page and of its contents.

#include <string_view>

#include "reports/analysis/report.h"
#include "reports/html/markup.h"

namespace coalescope::html {

Html header_section(const analysis::Report& report);       // what ran, where, when, how long
Html losses_section(const analysis::Report& report);       // what is missing from this capture, if anything
Html findings_section(const analysis::Report& report);     // what costs time, and what to change
Html gpu_time_section(const analysis::Report& report);     // how the GPU's time divides
Html time_line_section(const analysis::Report& report);    // when kernels, copies and waits ran
Html bytes_section(const analysis::Report& report);        // from the request to DRAM, of the run
Html kernels_section(const analysis::Report& report);      // every kernel group
Html call_sites_section(const analysis::Report& report);   // whose calls led to them
Html source_section(const analysis::Report& report);       // every line, and the source where it can be read
Html transfers_section(const analysis::Report& report);    // copies and memory sets
Html memory_section(const analysis::Report& report);       // allocations over time and by call site
Html l2_section(const analysis::Report& report);           // hits, windows, set-aside, and what to copy
Html program_section(const analysis::Report& report);      // ranges, waits and asynchronous copies
Html calibration_section(const analysis::Report& report);  // known kernels against their answers
Html device_section(const analysis::Report& report);       // what the GPU is
Html method_section(const analysis::Report& report);       // how it was measured, and what that cost
Html diagnostics_section(const analysis::Report& report);  // everything that the recorder had to say
Html glossary_section(const analysis::Report& report);     // what the words mean

// An empty figure that charts.js fills from the page's data; `words` say what it will show.
Html chart(std::string_view kind, std::string_view title, std::string_view words);

}  // namespace coalescope::html
