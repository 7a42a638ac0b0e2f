// How the GPU's time divides: one bar of transfers and kernels, each coloured by how well it uses memory.
#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/view/verdict.h"
#include "reports/analysis/view/view.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::KernelFamily;
using analysis::Report;

// Of the bytes moved, the share that was asked for; of copies, of the speed that pinned memory reaches.
enum class Use { well, partly, poorly, unknown };
struct UseWords {
  std::string_view css, words;
};
constexpr std::array kUses{UseWords{"use-well", "80 % or more"}, UseWords{"use-partly", "50 to 80 %"},
                           UseWords{"use-poorly", "below 50 %"},
                           UseWords{"use-unknown", "not known (not measured, or moved by TMA)"}};

struct Stretch {
  std::string name, anchor, tip;
  std::int64_t gpu_ns = 0;
  Use use = Use::unknown;
};

// A part of the bar must be wide enough to be seen, and a legend must be read.
constexpr double kLeastPart = 0.02;
constexpr std::size_t kMostParts = 11;
constexpr double kBarWidth = 1000, kBarHeight = 30;

Use use_of(std::optional<double> share) {
  if (!share) return Use::unknown;
  return *share >= 0.8 ? Use::well : *share >= 0.5 ? Use::partly : Use::poorly;
}

// Over all its shapes and launches, loads and stores.
std::optional<double> degree_of(const KernelFamily& family) {
  double bytes = 0, sectors = 0;
  for (const char* access : {"load", "store"}) {
    const auto* data = analysis::find_total(family, std::string(access) + "_bytes");
    const auto* moved = analysis::find_total(family, std::string(access) + "_sectors");
    if (!data || !moved || !data->measured || !moved->measured) continue;
    bytes += static_cast<double>(*data->measured);
    sectors += static_cast<double>(*moved->measured);
  }
  return sectors > 0 ? std::optional(bytes / (32 * sectors)) : std::nullopt;
}

Stretch kernel_part(const KernelFamily& family) {
  const auto degree = degree_of(family);
  return {analysis::shortened(family.name, 80), kernel_anchor(family.kernel_ids.front()),
          degree ? "degree of coalescing " + base::format_share(std::min(1.0, *degree))
                 : "no sectors of loads and stores were counted",
          family.gpu_ns.value_or(0), use_of(degree)};
}

// The time that pinned memory would take against that which they took. Memory sets and copies within a device
// have no such speed: where they take most of the time, the colour of the others would say nothing.
Stretch transfer_part(const Report& report) {
  double taken = 0, needed = 0;
  Stretch part{"Copies and memory sets", "transfers", "", report.totals.transfer_ns, Use::unknown};
  for (const auto& row : report.transfers) {
    if (!row.gpu_ns || !row.reference_bandwidth || *row.reference_bandwidth <= 0) continue;
    taken += static_cast<double>(*row.gpu_ns);
    needed += std::min(static_cast<double>(*row.gpu_ns),
                       static_cast<double>(row.bytes) / *row.reference_bandwidth * 1e9);
  }
  const bool is_most = taken > 0 && 2 * taken >= static_cast<double>(part.gpu_ns);
  if (is_most) part.use = use_of(needed / taken);
  part.tip = is_most ? base::format_share(needed / taken) + " of the speed of pinned memory"
                     : "most of this time went to memory sets, or to copies that do not cross the bus";
  return part;
}

std::vector<Stretch> parts_of(const Report& report, std::int64_t all_ns) {
  std::vector<Stretch> parts;
  // Those that are too small for a part of their own, by how they use memory.
  std::array<Stretch, kUses.size()> rest;
  std::array<std::int64_t, kUses.size()> others{};
  if (report.totals.transfer_ns > 0) parts.push_back(transfer_part(report));
  const auto kernels = analysis::kernels_by_id(report);
  for (const auto& family : report.kernel_families) {
    if (kernels.at(family.kernel_ids.front())->origin == analysis::Origin::tool) continue;  // not in the sum
    const Stretch part = kernel_part(family);
    if (static_cast<double>(part.gpu_ns) >= kLeastPart * static_cast<double>(all_ns) &&
        parts.size() < kMostParts) {
      parts.push_back(part);
      continue;
    }
    const auto use = static_cast<std::size_t>(part.use);
    const std::int64_t sum_ns = rest[use].gpu_ns + part.gpu_ns;
    rest[use] = part;  // where it is the only one, it keeps its name
    rest[use].gpu_ns = sum_ns;
    ++others[use];
  }
  std::ranges::stable_sort(parts, std::greater{}, &Stretch::gpu_ns);
  for (std::size_t use = 0; use < rest.size(); ++use) {
    if (rest[use].gpu_ns == 0) continue;
    if (others[use] > 1)
      rest[use] = {analysis::counted(others[use], "other kernel", "other kernels"), "kernels",
                   std::string(kUses[use].words), rest[use].gpu_ns, static_cast<Use>(use)};
    parts.push_back(rest[use]);
  }
  return parts;
}

// Drawn with attributes alone: the page's content policy forbids inline styles. What was not counted is
// hatched by a dashed line as thick as the bar.
Html stretch(Use use, double x, double width) {
  const auto number = [](double value) { return fmt::format("{:.1f}", value); };
  Html drawn = element("rect", {{"class", std::string(kUses[static_cast<std::size_t>(use)].css)},
                                {"x", number(x)},
                                {"width", number(std::max(0.5, width - 1.5))},
                                {"height", number(kBarHeight)}});
  if (use == Use::unknown)
    drawn << element("line", {{"class", "hatch"},
                              {"x1", number(x)},
                              {"x2", number(x + std::max(0.5, width - 1.5))},
                              {"y1", number(kBarHeight / 2)},
                              {"y2", number(kBarHeight / 2)}});
  return drawn;
}

Html drawing(std::string css, double width, const Html& inside) {
  return element("svg",
                 {{"class", std::move(css)},
                  {"viewBox", fmt::format("0 0 {} {}", width, kBarHeight)},
                  {"preserveAspectRatio", "none"},
                  {"aria-hidden", "true"}},
                 inside);
}

Html swatch(Use use) {
  return drawing("swatch", kBarHeight, stretch(use, 0, kBarHeight));
}

Html legend(const std::vector<Stretch>& parts, double all_ns) {
  Html items;
  for (const Stretch& part : parts) {
    Html item = swatch(part.use);
    item << element("a", {{"href", "#" + part.anchor}, {"title", part.tip}}, Html::verbatim(part.name))
         << Html(" ")
         << element("span", fmt::format("{}, {}", base::format_ns(part.gpu_ns),
                                        base::format_share(static_cast<double>(part.gpu_ns) / all_ns)));
    items << element("li", item);
  }
  return element("ol", {{"class", "time-parts"}}, items);
}

Html meanings_of_colours() {
  Html items;
  for (std::size_t at = 0; at < kUses.size(); ++at)
    items << element("li", Html(swatch(static_cast<Use>(at))) << Html(std::string(kUses[at].words)));
  return element("ul", {{"class", "time-uses"}}, items);
}

}  // namespace

Html gpu_time_section(const Report& report) {
  const std::int64_t all_ns = analysis::run_ns(report.totals);
  if (all_ns <= 0 || !report.calibration.empty()) return {};
  const std::vector<Stretch> parts = parts_of(report, all_ns);
  Html bar;
  double x = 0;
  for (const Stretch& part : parts) {
    const double width = kBarWidth * static_cast<double>(part.gpu_ns) / static_cast<double>(all_ns);
    bar << stretch(part.use, x, width);
    x += width;
  }
  Html content = paragraph(unbroken(fmt::format(
      "{} of kernels and transfers{}. Colour of a kernel: requested bytes / bytes moved by its "
      "loads and stores. Colour of copies: their bandwidth / that of pinned memory.",
      base::format_ns(all_ns),
      report.totals.tool_ns == 0
          ? ""
          : fmt::format("; kernels of autotuners and other tools took {} more, which are left out here",
                        base::format_ns(report.totals.tool_ns)))));
  content << drawing("time-bar", kBarWidth, bar) << meanings_of_colours()
          << legend(parts, static_cast<double>(all_ns));
  return section("gpu-time", "Where the GPU time goes", content);
}

}  // namespace coalescope::html
