#include "reports/html/byte_rows.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/analysis/view/byte_levels.h"
#include "reports/html/sections.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::ByteLevel;
using analysis::ByteLevels;
using analysis::Report;

constexpr std::string_view kUnknownCeiling = "not known", kUnmeasuredLevel = "not measured";

double most_of(const ByteLevels& sum) {
  double most = 1;
  for (const ByteLevel& level : sum.levels) most = std::max(most, level.bytes.value_or(0));
  return most;
}

std::optional<double> reached(const ByteLevel& level) {
  if (!level.bandwidth || !level.ceiling) return std::nullopt;
  return *level.bandwidth / level.ceiling->bandwidth;
}

std::string bytes_text(const ByteLevel& level) {
  return level.bytes ? base::format_bytes(*level.bytes) : std::string(kUnmeasuredLevel);
}
std::string bandwidth_text(const ByteLevel& level) {
  return level.bandwidth ? base::format_bandwidth(*level.bandwidth) : "—";
}
std::string ceiling_text(const ByteLevel& level) {
  return level.ceiling ? base::format_bandwidth(level.ceiling->bandwidth) : std::string(kUnknownCeiling);
}
std::string reached_text(const ByteLevel& level) {
  const auto share = reached(level);
  return share ? base::format_share(*share) : "—";
}

// Whose counts these are, where not all of the time is theirs.
std::string coverage_text(const ByteLevels& sum, std::string_view rows_are) {
  if (!sum.levels.front().bytes)
    return "The requested bytes are not known: they were not measured, or TMA moves them, which no counter "
           "covers.";
  if (sum.share > 0.9995)
    return fmt::format("Counted for all of their GPU time, {}.", base::format_ns(sum.gpu_ns));
  return fmt::format("{} {} with {} of the kernels' GPU time ({}); the others lack some of these counts.",
                     sum.kernels, rows_are, base::format_share(sum.share), base::format_ns(sum.gpu_ns));
}

std::string ceiling_source(const ByteLevels& sum) {
  for (const ByteLevel& level : sum.levels)
    if (level.ceiling) return "Ceilings: " + level.ceiling->source + ".";
  return "";
}

Html bar_cell(std::optional<double> share, BarPlace place) {
  return element("td", {{"class", "level-bar"}}, share ? share_bar(*share, place) : Html{});
}

Html level_row(const ByteLevel& level, double most) {
  const auto number = [](const std::string& text) { return element("td", {{"class", "number"}}, text); };
  Html cells = element("th", {{"scope", "row"}, {"title", std::string(level.about)}}, level.name);
  cells << number(bytes_text(level))
        << bar_cell(level.bytes ? std::optional(*level.bytes / most) : std::nullopt, BarPlace::middle)
        << number(bandwidth_text(level)) << number(ceiling_text(level)) << number(reached_text(level))
        << bar_cell(reached(level), BarPlace::left);
  return element("tr", cells);
}

Html level_head() {
  Html cells = element("th", Attributes{{"scope", "col"}}, "Level");
  const auto number = [](std::string_view text) {
    return element("th", {{"scope", "col"}, {"class", "number"}}, text);
  };
  // Bars repeat the number before them.
  const Html bar_column = element("td", Attributes{{"aria-hidden", "true"}});
  cells << number("Bytes") << bar_column << number("Bandwidth") << number("Ceiling") << number("Reached")
        << bar_column;
  return element("thead", element("tr", cells));
}

}  // namespace

Html share_bar(double share, BarPlace place) {
  const double width = 100 * std::clamp(share, 0.0, 1.0);
  const double x = place == BarPlace::middle ? (100 - width) / 2 : 0;
  Html parts;
  if (place == BarPlace::left)
    parts << element("rect", {{"class", "bar-all"}, {"width", "100"}, {"height", "4"}});
  parts << element("rect", {{"class", "bar-part"},
                            {"x", fmt::format("{:.2f}", x)},
                            {"width", fmt::format("{:.2f}", std::max(0.5, width))},
                            {"height", "4"}});
  return element("svg",
                 {{"class", "long-bar"},
                  {"viewBox", "0 0 100 4"},
                  {"preserveAspectRatio", "none"},
                  {"aria-hidden", "true"}},
                 parts);
}

DataPart byte_levels_part(std::span<const analysis::KernelRow* const> shapes, const Report& report) {
  DataPart part{.heading = "Bytes from the request to DRAM, all launches",
                .headings = {"Level", "Bytes", "", "Bandwidth", "Ceiling", "Reached", ""}};
  const auto sum = analysis::byte_levels(shapes, report);
  if (!sum) return part;
  const double most = most_of(*sum);
  DataBars funnel{2, BarPlace::middle, {}}, strip{6, BarPlace::left, {}};
  for (const ByteLevel& level : sum->levels) {
    part.rows.push_back({std::string(level.name), bytes_text(level), "", bandwidth_text(level),
                         ceiling_text(level), reached_text(level), ""});
    funnel.shares.push_back(level.bytes ? std::optional(*level.bytes / most) : std::nullopt);
    strip.shares.push_back(reached(level));
  }
  part.bars = {std::move(funnel), std::move(strip)};
  part.words = {unbroken(coverage_text(*sum, sum->kernels == 1 ? "shape" : "shapes"))};
  if (const auto source = ceiling_source(*sum); !source.empty()) part.words.front() += " " + source;
  return part;
}

Html bytes_section(const Report& report) {
  const auto sum = analysis::byte_levels(report);
  if (!sum || !report.calibration.empty()) return {};
  Html body;
  for (const ByteLevel& level : sum->levels) body << level_row(level, most_of(*sum));
  Html all = element("caption", "All launches. " + unbroken(coverage_text(*sum, "kernel shapes")) + " " +
                                    ceiling_source(*sum));
  all << level_head() << element("tbody", body);
  Html content = paragraph(
      "Requested bytes, and the bytes that each level moved. A level wider than the one above it moved bytes "
      "that "
      "were not requested, or that the one above does not count (constants, textures, instructions). A level "
      "is narrower where the cache above it had hits.");
  content << element(
      "div",
      {{"class", "frame"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Bytes of each level"}},
      element("table", {{"id", "level-table"}}, all));
  return section("bytes", "Bytes from the request to DRAM", content);
}

}  // namespace coalescope::html
