// The order of the page: the sections in the order in which a reader needs them, then what the charts draw.
#include "reports/html/page.h"

#include <array>

#include "reports/html/chart_data.h"
#include "reports/html/frame.h"
#include "reports/html/sections.h"

namespace coalescope::html {
namespace {

using analysis::Report;

struct Part {
  std::string_view id, name;
  Html (*make)(const Report&);
};
// The page of a calibration begins with its families of reference kernels.
constexpr std::array kParts{
    Part{"calibration", "Calibration", calibration_section},
    Part{"findings", "Findings", findings_section},
    Part{"gpu-time", "Where the GPU time goes", gpu_time_section},
    Part{"time-line", "Time line", time_line_section},
    Part{"bytes", "Bytes from the request to DRAM", bytes_section},
    Part{"losses", "What is missing", losses_section},
    Part{"kernels", "Kernels", kernels_section},
    Part{"calls", "Call sites", call_sites_section},
    Part{"source", "Source lines", source_section},
    Part{"transfers", "Transfers", transfers_section},
    Part{"memory", "Memory", memory_section},
    Part{"l2", "L2", l2_section},
    Part{"program", "Ranges and waits", program_section},
    Part{"device", "The GPU", device_section},
    Part{"method", "Method and cost", method_section},
    Part{"diagnostics", "Diagnostics", diagnostics_section},
    Part{"glossary", "Glossary", glossary_section},
};

}  // namespace

Html chart(std::string_view kind, std::string_view title, std::string_view words) {
  if (!have_charts()) return {};
  Html caption = element("strong", title);
  caption << Html(" ") << words;
  // Hidden until charts.js has drawn into it: without script there is no empty frame.
  return element("figure", {{"class", "chart"}, {"data-chart", std::string(kind)}, {"hidden", ""}},
                 element("figcaption", caption));
}

std::string to_html(const Report& report) {
  std::vector<Section> sections;
  for (const Part& part : kParts) sections.push_back({part.id, part.name, part.make(report)});
  Html data;
  if (have_charts())
    data = Html::trusted("<script type=\"application/json\" id=\"chart-data\">" + chart_data(report) +
                         "</script>\n");
  std::string name = report.command.empty() ? report.capture_path : report.command.front();
  name = name.substr(name.find_last_of('/') + 1);
  return framed(name, header_section(report), sections, data);
}

}  // namespace coalescope::html
