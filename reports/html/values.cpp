#include "reports/html/values.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "core/base/unit_names.h"
#include "core/base/units.h"

namespace coalescope::html {

Cell missing(std::string_view words, std::string_view short_reason, std::string_view reason) {
  Html shown = element("span", {{"class", "missing"}}, words);
  if (!short_reason.empty()) shown << element("small", {{"class", "missing"}}, short_reason);
  return {shown, std::string(reason), std::nullopt};
}

Cell cell_of(const analysis::Shown& shown, analysis::Show show) {
  using State = analysis::Shown::State;
  if (shown.state != State::there)
    return missing(shown.state == State::none           ? shown.text
                   : shown.state == State::not_measured ? "not measured"
                                                        : "not known",
                   shown.brief, shown.reason);
  Html text = show == analysis::Show::name ? element("code", shown.text) : Html(shown.text);
  if (show == analysis::Show::share && shown.order) text << bar(*shown.order);
  return {text, shown.exact, shown.order};
}

Cell count_cell(std::int64_t count, std::string_view unit) {
  return cell_of(analysis::shown(analysis::Show::count, unit, count), analysis::Show::count);
}

Cell time_cell(std::int64_t ns) {
  return cell_of(analysis::shown(analysis::Show::ns, "", ns), analysis::Show::ns);
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

std::string unbroken(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\u00a0";
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool joins = text[at] == ' ' && at > 0 && base::is_unit_of(text[at - 1], text.substr(at + 1));
    if (joins)
      result += kNoBreakSpace;
    else
      result += text[at];
  }
  return result;
}

std::string exact_ns(std::int64_t ns) {
  return exact_count(ns, "ns");
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
