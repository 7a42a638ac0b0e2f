// L2: how far it served the kernels, the program's windows in it, and windows to copy into the program.
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/l2_code.h"
#include "reports/analysis/view/l2_hits.h"
#include "reports/analysis/view/shown.h"
#include "reports/html/byte_rows.h"
#include "reports/html/plain_tables.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::Report;
using analysis::Show;

constexpr std::size_t kKernelsOfL2 = 8;

std::string size_words(const Report& report) {
  if (report.devices.empty()) return "";
  const model::Device& device = report.devices.front().properties;
  const auto size = [](const std::optional<std::int64_t>& bytes) {
    return analysis::text_of(Show::bytes, bytes, "a size that is not known");
  };
  return fmt::format("L2 has {}; {} of it can be set aside, and a window covers at most {}.",
                     size(device.l2_bytes), size(device.persisting_l2_max_bytes),
                     size(device.access_policy_max_window_bytes));
}

std::string hit_words(const analysis::L2Hits& hits) {
  if (!hits.hit_ratio) return "No kernel's hits were measured.";
  return fmt::format(
      "L2 hits: {} of the sectors requested from it, over kernels with {} of the kernels' GPU time.",
      base::format_share(*hits.hit_ratio), base::format_share(hits.share));
}

Html hit_row(const analysis::L2Use& use) {
  const auto number = [](const Html& text) { return element("td", {{"class", "number"}}, text); };
  const analysis::KernelRow& row = *use.kernel;
  Html name = element("a", {{"href", "#" + kernel_anchor(row.id)}, {"title", row.full_name}},
                      element("code", analysis::shortened(row.name)));
  name << element("small", analysis::shown(row.grid, "").text + " blocks");
  Html cells = element("th", {{"scope", "row"}}, name);
  cells << number(base::format_bytes(use.l2_bytes)) << number(base::format_share(use.hit_ratio))
        << element("td", {{"class", "level-bar"}}, share_bar(use.hit_ratio, BarPlace::left))
        << number(analysis::text_of(Show::bytes, row.footprint_bytes, "not known"))
        << number(analysis::text_of(Show::bytes, row.dram_read_bytes, "not measured"));
  return element("tr", cells);
}

Html hit_table(const analysis::L2Hits& hits) {
  if (hits.kernels.empty()) return {};
  Html head = element("th", {{"scope", "col"}}, "Kernel shape");
  const auto heading = [&](std::string_view text) {
    head << element("th", {{"scope", "col"}, {"class", "number"}}, text);
  };
  heading("L2 bytes, all launches");
  heading("Hits");
  head << element("td", Attributes{{"aria-hidden", "true"}});
  heading("Memory behind its pointers");
  heading("Read from DRAM per launch");
  Html body;
  for (std::size_t at = 0; at < std::min(kKernelsOfL2, hits.kernels.size()); ++at)
    body << hit_row(hits.kernels[at]);
  Html all = element("caption", "Kernel shapes with the most bytes between L1 and L2");
  all << element("thead", element("tr", head)) << element("tbody", body);
  return details("L2 hits of the kernel shapes that moved the most bytes",
                 element("div",
                         {{"class", "frame"},
                          {"tabindex", "0"},
                          {"role", "region"},
                          {"aria-label", "L2 hits by kernel shape"}},
                         element("table", {{"id", "l2-table"}}, all)));
}

Html codes(const Report& report) {
  Html content;
  for (const auto& code : analysis::l2_codes(report)) {
    Html part = paragraph(code.why);
    part << element("pre", {{"class", "copyable"}, {"tabindex", "0"}},
                    element("code", Html::verbatim(code.code)));
    content << details("Code to copy: " + analysis::lower_first(code.heading), part);
  }
  return content;
}

}  // namespace

Html l2_section(const Report& report) {
  constexpr std::array<std::string_view, 3> kTables{"access-windows", "l2-settings", "persisting-windows"};
  const auto hits = analysis::l2_hits(report);
  const Html tables = plain_tables(report, kTables);
  if (!report.calibration.empty()) {
    return tables.empty() ? Html{} : section("l2", "L2", tables);
  }
  const Html code = codes(report);
  if (hits.kernels.empty() && tables.empty() && code.empty()) return {};
  Html content = paragraph(unbroken(size_words(report) + " " + hit_words(hits)));
  content << hit_table(hits) << code;
  if (tables.empty())
    content << paragraph("The program set no L2 window and set no part of L2 aside.");
  else
    content << tables;
  return section("l2", "L2", content);
}

}  // namespace coalescope::html
