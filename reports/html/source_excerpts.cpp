#include "reports/html/source_excerpts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/units.h"
#include "reports/html/source_lines.h"
#include "reports/html/values.h"

namespace coalescope::html {
namespace {

using analysis::Report;
using analysis::SourceExcerpt;

// So many lines before and after one of a kernel; a call says enough with its neighbours.
constexpr std::int64_t kAroundKernelLine = 3, kAroundCall = 1;
// Of each kind so many files are open, and of lines without text a file has so many.
constexpr std::size_t kFilesOpen = 1, kLinesWithoutText = 24;

// A file's excerpt as it is shown.
struct Excerpt {
  std::string file, anchor;
  struct Line {
    std::int64_t number = 0;
    std::optional<std::string> text;
    const LineFigures* figures = nullptr;
  };
  std::vector<Line> lines;
  bool has_calls = false, has_sectors = false;
  // The most of one line: heat is relative to it.
  std::int64_t most_gpu_ns = 0, most_lost_ns = 0;
  double most_wasted = 0;
};

void add_line(Excerpt& excerpt, Excerpt::Line line) {
  if (line.figures != nullptr) {
    const LineFigures& figures = *line.figures;
    excerpt.has_calls |= figures.gpu_ns > 0;
    excerpt.has_sectors |= figures.wasted_bytes.has_value();
    excerpt.most_gpu_ns = std::max(excerpt.most_gpu_ns, figures.gpu_ns);
    excerpt.most_lost_ns = std::max(excerpt.most_lost_ns, figures.lost_ns());
    excerpt.most_wasted = std::max(excerpt.most_wasted, figures.wasted_bytes.value_or(0));
  }
  excerpt.lines.push_back(std::move(line));
}

// From 0, nothing, to 4: at least a half of the most.
int step(double value, double most) {
  if (value <= 0 || most <= 0) return 0;
  constexpr std::array kLimits{0.02, 0.1, 0.5};
  return 1 + static_cast<int>(
                 std::ranges::count_if(kLimits, [&](double limit) { return value / most >= limit; }));
}

// What is lost is heat; GPU time alone is a fainter mark, as time well spent is no fault.
std::string heat(const Excerpt& excerpt, const LineFigures& line) {
  const int lost =
      std::max(step(line.wasted_bytes.value_or(0), excerpt.most_wasted),
               step(static_cast<double>(line.lost_ns()), static_cast<double>(excerpt.most_lost_ns)));
  if (lost > 0) return fmt::format("heat-{}", lost);
  const int busy = step(static_cast<double>(line.gpu_ns), static_cast<double>(excerpt.most_gpu_ns));
  return busy > 0 ? fmt::format("busy-{}", busy) : "";
}

Html called_time(const Report& report, const LineFigures& line) {
  if (line.gpu_ns <= 0) return {};
  const double run = static_cast<double>(std::max<std::int64_t>(1, analysis::run_ns(report.totals)));
  const double share = static_cast<double>(line.gpu_ns) / run;
  return exactly(unbroken(fmt::format("{}, {}", base::format_ns(line.gpu_ns), base::format_share(share))),
                 exact_ns(line.gpu_ns));
}

Html wasted_bytes(const LineFigures& line) {
  if (!line.wasted_bytes) return {};
  const std::string exact = fmt::format("{} sectors per launch, ideal {}", base::format_count(line.sectors),
                                        base::format_count(line.ideal_sectors));
  if (*line.wasted_bytes <= 0) return exactly("none", exact);
  return exactly(unbroken(fmt::format("{}, {}", base::format_bytes(*line.wasted_bytes),
                                      base::format_share(line.wasted_share))),
                 exact);
}

// One line for all of the same kind, such as those of several kernels that the line runs.
Html inline_findings(const std::vector<const analysis::Finding*>& alike) {
  const analysis::Finding& first = **std::ranges::max_element(alike, {}, &analysis::Finding::level);
  std::int64_t lost_ns = 0;
  for (const auto* finding : alike) lost_ns += finding->lost_ns.value_or(0);
  Html words = element("code", {{"class", "rule"}}, first.rule);
  words << Html(" ") << first.title << (alike.size() > 1 ? fmt::format(" ({})", alike.size()) : std::string())
        << (lost_ns > 0 ? fmt::format(": {} lost", base::format_ns(lost_ns)) : std::string());
  return element("small", {{"class", fmt::format("inline-finding level-{}", name_of(first.level))}}, words);
}

Html source_cell(const Excerpt::Line& line) {
  Html cell;
  if (line.text)
    cell << element("code", {{"class", "source"}}, Html::verbatim(*line.text));
  else
    cell << element("span", {{"class", "missing"}}, "source not shown");
  if (line.figures == nullptr) return cell;
  if (!line.text && !line.figures->function.empty())
    cell << Html(" in ") << element("code", line.figures->function);
  auto findings = line.figures->findings;
  while (!findings.empty()) {
    std::vector<const analysis::Finding*> alike;
    std::erase_if(findings, [&, title = findings.front()->title](const auto* finding) {
      const bool is_alike = finding->title == title;
      if (is_alike) alike.push_back(finding);
      return is_alike;
    });
    cell << inline_findings(alike);
  }
  return cell;
}

Html excerpt_row(const Report& report, const Excerpt& excerpt, const Excerpt::Line& line) {
  Html cells = element("th", {{"scope", "row"}}, fmt::format("{}", line.number));
  const Attributes verdict{{"class", "verdict"}};
  if (excerpt.has_calls)
    cells << element("td", verdict, line.figures ? called_time(report, *line.figures) : Html());
  if (excerpt.has_sectors)
    cells << element("td", verdict, line.figures ? wasted_bytes(*line.figures) : Html());
  cells << element("td", source_cell(line));
  Attributes attributes;
  if (!excerpt.anchor.empty())
    attributes.push_back({"id", fmt::format("{}-{}", excerpt.anchor, line.number)});
  if (line.figures != nullptr) attributes.push_back({"class", heat(excerpt, *line.figures)});
  return element("tr", attributes, cells);
}

Html table_of(const Report& report, const Excerpt& excerpt) {
  const auto heading = [](const char* text) { return element("th", {{"scope", "col"}}, text); };
  Html head = heading("Line");
  if (excerpt.has_calls) head << heading("GPU time, share of the run");
  if (excerpt.has_sectors) head << heading("Bytes wasted, share of all");
  head << heading("Source");
  const std::string columns =
      fmt::format("{}", 2 + (excerpt.has_calls ? 1 : 0) + (excerpt.has_sectors ? 1 : 0));
  Html rows;
  std::int64_t previous = 0;
  for (const auto& line : excerpt.lines) {
    if (previous != 0 && line.number != previous + 1)
      rows << element("tr", {{"class", "gap"}}, element("td", {{"colspan", columns}}, "…"));
    rows << excerpt_row(report, excerpt, line);
    previous = line.number;
  }
  Html table = element("caption", element("code", excerpt.file));
  table << element("thead", element("tr", head)) << element("tbody", rows);
  return element("div",
                 {{"class", "frame"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", excerpt.file}},
                 element("table", {{"class", "excerpt"}}, table));
}

const LineFigures* figures_at(const FiguresByPlace& places, const std::string& file, std::int64_t line) {
  const auto found = places.find({file, line});
  return found == places.end() ? nullptr : &found->second;
}

Excerpt with_text(const Report& report, const FiguresByPlace& places, std::size_t at) {
  const SourceExcerpt& source = report.sources[at];
  Excerpt excerpt{.file = source.file, .anchor = fmt::format("source-{}", at + 1)};
  std::vector<std::pair<std::int64_t, std::int64_t>> shown;  // ranges
  for (const auto& line : source.lines) {
    const LineFigures* figures = figures_at(places, source.file, line.number);
    if (figures == nullptr || !is_worthy(report, *figures)) continue;
    const std::int64_t around = figures->wasted_bytes ? kAroundKernelLine : kAroundCall;
    shown.emplace_back(line.number - around, line.number + around);
  }
  for (const auto& line : source.lines)
    if (std::ranges::any_of(shown, [&](const auto& range) {
          return range.first <= line.number && line.number <= range.second;
        }))
      add_line(excerpt, {line.number, line.text, figures_at(places, source.file, line.number)});
  return excerpt;
}

// Lines of the author's whose files nobody could read.
std::vector<Excerpt> without_text(const Report& report, const FiguresByPlace& places) {
  std::vector<Excerpt> excerpts;
  for (const auto& line : report.call_lines) {
    const LineFigures* figures = figures_at(places, line.file, line.line);
    if (line.text || figures == nullptr || !is_worthy(report, *figures)) continue;
    auto found = std::ranges::find(excerpts, line.file, &Excerpt::file);
    if (found == excerpts.end()) found = excerpts.insert(excerpts.end(), Excerpt{.file = line.file});
    if (found->lines.size() < kLinesWithoutText) add_line(*found, {line.line, std::nullopt, figures});
  }
  for (Excerpt& excerpt : excerpts) std::ranges::sort(excerpt.lines, {}, &Excerpt::Line::number);
  return excerpts;
}

}  // namespace

SourceExcerpts source_excerpts(const Report& report) {
  const FiguresByPlace places = figures_by_place(report);
  std::vector<Excerpt> excerpts = without_text(report, places);
  for (std::size_t at = 0; at < report.sources.size(); ++at)
    excerpts.push_back(with_text(report, places, at));
  std::ranges::stable_sort(excerpts, std::greater{}, &Excerpt::most_gpu_ns);
  SourceExcerpts made;
  std::size_t with_calls = 0, without = 0;
  for (const Excerpt& excerpt : excerpts) {
    if (excerpt.lines.empty()) continue;
    const Html table = table_of(report, excerpt);
    std::size_t& shown = excerpt.has_calls ? with_calls : without;
    made.html << (shown++ < kFilesOpen ? table : details(excerpt.file, table));
    made.with_time |= excerpt.has_calls;
    made.with_waste |= excerpt.has_sectors;
  }
  return made;
}

}  // namespace coalescope::html
