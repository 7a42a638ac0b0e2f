// The order of the page: policy and theme before first paint, then the sections in the order in which a
// reader needs them, then what the charts draw, and the scripts last.
#include "reports/html/page.h"

#include <array>
#include <map>

#include "coalescope_html_embedded.h"
#include "reports/html/chart_data.h"
#include "reports/html/content_policy.h"
#include "reports/html/sections.h"

namespace coalescope::html {
namespace {

using analysis::Report;

// Without npm the build embeds an empty bundle.
bool have_charts() {
  return !charts_js().empty();
}

struct Part {
  std::string_view id, name;
  Html (*make)(const Report&);
};
constexpr std::array kParts{
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
    Part{"calibration", "Calibration", calibration_section},
    Part{"device", "The GPU", device_section},
    Part{"method", "Method and cost", method_section},
    Part{"diagnostics", "Diagnostics", diagnostics_section},
    Part{"glossary", "Glossary", glossary_section},
};

std::string policy() {
  const std::array<std::string_view, 4> scripts{theme_js_sha256(), table_js_sha256(), data_table_js_sha256(),
                                                charts_js_sha256()};
  return content_policy(style_css_sha256(), std::span(scripts).first(have_charts() ? 4 : 3));
}

Html script(std::string_view code) {
  return code.empty() ? Html{} : Html::trusted("<script>" + std::string(code) + "</script>\n");
}

Html footer() {
  Html content =
      paragraph("Made by coalescope. This file loads nothing from anywhere and can be passed on as it is.");
  if (have_charts())
    content << details("Licences of what is embedded in this page",
                       element("pre", {{"tabindex", "0"}}, Html(licences_txt())));
  else
    content << paragraph(
        "Charts are off: this coalescope was built without npm. The tables hold all numbers.");
  return element("footer", content);
}

// One pass over the template, so that a slot's content is never searched for slots.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& slots) {
  std::string out;
  for (std::size_t open = page.find("{{"); open != page.npos; open = page.find("{{")) {
    const std::size_t close = page.find("}}", open);
    out += page.substr(0, open);
    out += slots.at(page.substr(open + 2, close - open - 2));
    page.remove_prefix(close + 2);
  }
  return out.append(page);
}

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
  Html contents, sections;
  for (const Part& part : kParts) {
    const Html section = part.make(report);
    if (section.empty()) continue;
    contents << element("li", element("a", {{"href", "#" + std::string(part.id)}}, part.name));
    sections << section << Html::trusted("\n");
  }
  Html data;
  if (have_charts())
    data = Html::trusted("<script type=\"application/json\" id=\"chart-data\">" + chart_data(report) +
                         "</script>\n");
  std::string name = report.command.empty() ? report.capture_path : report.command.front();
  name = name.substr(name.find_last_of('/') + 1);
  return filled(page_html(), {{"policy", policy()},
                              {"title", escape_text(name)},
                              {"style", std::string(style_css())},
                              {"theme", script(theme_js()).markup()},
                              {"contents", element("ul", contents).markup()},
                              {"header", header_section(report).markup()},
                              {"sections", sections.markup()},
                              {"footer", footer().markup()},
                              {"data", data.markup()},
                              {"table", script(table_js()).markup()},
                              {"data_table", script(data_table_js()).markup()},
                              {"charts", script(charts_js()).markup()}});
}

}  // namespace coalescope::html
