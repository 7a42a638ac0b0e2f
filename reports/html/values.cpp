#include "reports/html/values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"

namespace coalescope::html {

Cell missing(std::string_view words, std::string_view short_reason, std::string_view reason) {
  Html shown = element("span", {{"class", "missing"}}, words);
  if (!short_reason.empty()) shown << element("small", {{"class", "missing"}}, short_reason);
  return {shown, std::string(reason), std::nullopt};
}

Cell count_cell(std::int64_t count, std::string_view unit) {
  return {base::format_count(count), exact_count(count, unit), static_cast<double>(count)};
}

Cell time_cell(std::int64_t ns) {
  return {base::format_ns(ns), exact_ns(ns), static_cast<double>(ns)};
}

Cell bytes_cell(std::int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return {base::format_bytes(value), exact_count(bytes, "bytes"), value};
}

Cell bandwidth_cell(double bytes_per_second) {
  return {base::format_bandwidth(bytes_per_second), exact_bandwidth(bytes_per_second), bytes_per_second};
}

Cell share_cell(double share, std::string_view of_what) {
  Html shown = base::format_share(share);
  shown << bar(share);
  return {shown, fmt::format("{} {}", exact_share(share), of_what), share};
}

Cell ratio_cell(double ratio, std::string_view unit) {
  return {base::format_ratio(ratio), fmt::format("{:.6g} {}", ratio, unit), ratio};
}

// Drawn with attributes alone: the page's content policy forbids inline styles.
Html bar(double share) {
  const double width = std::clamp(share, 0.0, 1.0) * 100.0;
  Html parts = element("rect", {{"class", "bar-all"}, {"width", "100"}, {"height", "4"}});
  parts << element("rect", {{"class", "bar-part"}, {"width", fmt::format("{:.2f}", width)}, {"height", "4"}});
  return element(
      "svg",
      {{"class", "bar"}, {"viewBox", "0 0 100 4"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}},
      parts);
}

std::string exact_ns(std::int64_t ns) {
  return exact_count(ns, "ns");
}

std::string exact_count(std::int64_t count, std::string_view unit) {
  return fmt::format("{} {}", base::format_count(count), unit);
}

std::string exact_share(double share) {
  return fmt::format("{:.6g} %", share * 100.0);
}

std::string exact_bandwidth(double bytes_per_second) {
  return exact_count(base::whole(std::floor(bytes_per_second)), "bytes a second");
}

std::string samples_text(analysis::Samples samples) {
  return fmt::format("{} of {} {} measured", base::format_count(samples.measured),
                     base::format_count(samples.seen), samples.seen == 1 ? "launch" : "launches");
}

std::string utc_time(std::int64_t unix_ns) {
  const auto seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(seconds));
}

std::string place_text(const std::optional<std::string>& file, std::optional<std::int64_t> line) {
  if (!file) return "no line information";
  const std::string name = file->substr(file->find_last_of('/') + 1);
  return line ? fmt::format("{}:{}", name, *line) : name;
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", base::format_count(count), count == 1 ? one : many);
}

std::int64_t unjudged_kernels(const analysis::Report& report) {
  const auto is_unjudged = [](const analysis::KernelRow& row) {
    return row.bytes.measured == 0 && row.lines.measured == 0;
  };
  return std::ranges::count_if(report.kernels, is_unjudged);
}

std::string kernel_anchor(std::int64_t kernel_id) {
  return fmt::format("kernel-{}", kernel_id);
}

std::string line_anchor(const analysis::Report& report, const std::string& file, std::int64_t line) {
  for (std::size_t at = 0; at < report.sources.size(); ++at) {
    if (report.sources[at].file != file) continue;
    const auto& lines = report.sources[at].lines;
    const bool shown =
        std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.number == line; });
    if (shown) return fmt::format("source-{}-{}", at + 1, line);
  }
  return {};
}

Html place_link(const analysis::Report& report, const std::optional<std::string>& file,
                std::optional<std::int64_t> line) {
  const Html code = element("code", place_text(file, line));
  if (!file || !line) return exactly(code, file.value_or("built without -lineinfo"));
  const std::string anchor = line_anchor(report, *file, *line);
  if (anchor.empty()) return exactly(code, *file);
  return element("a", {{"href", "#" + anchor}, {"title", *file}}, code);
}

}  // namespace coalescope::html
