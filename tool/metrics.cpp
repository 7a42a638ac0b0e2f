#include "tool/metrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/log.h"
#include "core/model/metric_gaps.h"
#include "tool/exit_status.h"
#include "tool/nearest.h"
#include "tool/output.h"

namespace coalescope::tool {

namespace {

using base::ErrorCode;
using base::Result;
using model::Metric;
using model::Phase;

constexpr std::string_view kNone = "0";  // passes of what is refused

Result<ProbeLines> ask_metrics(const Machine& machine, const std::string& chip) {
  auto lines = machine.probe(chip.empty() ? std::vector<std::string>{"metrics"}
                                          : std::vector<std::string>{"metrics", chip});
  if (!lines) return lines;
  for (const auto& fields : *lines)
    if (fields.front() == "error" && fields.size() > 3)
      return base::failure(ErrorCode::failed, fields[2], fields[3]);
  return lines;
}

std::string heading(const ProbeLines& lines) {
  for (const auto& fields : lines)
    if (fields.front() == "cupti" && fields.size() > 2)
      return fmt::format("CUPTI of {} ({})\n", fields[2], fields[1]);
  return {};
}

std::vector<std::string> chips_of(const ProbeLines& lines) {
  std::vector<std::string> chips;
  for (const auto& fields : lines)
    if (fields.front() == "chip" && fields.size() > 1 && !model::is_before_turing(fields[1]))
      chips.push_back(fields[1]);
  return chips;
}

// CUPTI's name of a metric; empty: the chip has none.
std::string name_on_chip(const ProbeLines& lines, std::string_view word, std::string_view key) {
  for (const auto& fields : lines)
    if (fields.front() == word && fields.size() > 2 && fields[1] == key) return fields[2];
  return {};
}

std::string passes_of(const ProbeLines& lines, std::string_view phase) {
  for (const auto& fields : lines)
    if (fields.front() == "passes" && fields.size() > 2 && fields[1] == phase) return fields[2];
  return std::string(kNone);
}

// Why a chip lacks it, and what is there in its place.
std::string why_missing(const Metric& metric, const std::string& chip) {
  const model::MetricGap* gap = model::gap_of(metric.id, chip);
  if (gap == nullptr) return "CUPTI does not know it on this chip";
  return gap->instead.empty() ? std::string(gap->why) : fmt::format("{} ({})", gap->why, gap->instead);
}

std::vector<std::string> missing_on(const ProbeLines& lines) {
  std::vector<std::string> keys;
  for (const Metric& metric : model::metric_catalogue())
    if (name_on_chip(lines, "metric", metric.key).empty() &&
        name_on_chip(lines, "untold", metric.key).empty())
      keys.emplace_back(metric.key);
  return keys;
}

std::string passes_text(const ProbeLines& lines) {
  const std::string together = passes_of(lines, "together");
  return fmt::format("passes: traffic {}, hits {}, bytes {}, {}; one launch that is replayed {}",
                     passes_of(lines, "traffic"), passes_of(lines, "hits"), passes_of(lines, "bytes"),
                     together == "3" ? "in one configuration" : "in a configuration each",
                     passes_of(lines, "replay"));
}

std::string metric_row(const ProbeLines& lines, const Metric& metric, const std::string& chip) {
  const std::string known = name_on_chip(lines, "metric", metric.key);
  const std::string untold = name_on_chip(lines, "untold", metric.key);
  const std::string text = !known.empty() ? known
                           : !untold.empty()
                               ? untold + " (whether this chip has it, CUPTI tells only beside a driver)"
                               : "missing: " + why_missing(metric, chip);
  return fmt::format("{:8}  {:34}  {}\n", model::name_of(metric.phase), metric.key, text);
}

}  // namespace

Result<std::string> chips_text(const Machine& machine) {
  const auto known = ask_metrics(machine, "");
  if (!known) return base::relay(known);
  std::string text = heading(*known);
  for (const std::string& chip : chips_of(*known)) {
    const auto lines = ask_metrics(machine, chip);
    if (!lines) return base::relay(lines);
    const auto missing = missing_on(*lines);
    text += fmt::format("{:6}  {} metrics; {}\n", chip, model::metric_catalogue().size() - missing.size(),
                        passes_text(*lines));
    if (!missing.empty()) text += fmt::format("        missing: {}\n", fmt::join(missing, ", "));
  }
  return text + "'coalescope metrics --chip NAME' names each metric, and says why one is missing.\n";
}

Result<std::string> chip_text(const Machine& machine, const std::string& chip) {
  const auto known = ask_metrics(machine, "");
  if (!known) return base::relay(known);
  const auto chips = chips_of(*known);
  if (std::ranges::find(chips, chip) == chips.end()) {
    const auto meant = nearest(chip, chips);
    return base::failure(ErrorCode::usage, fmt::format("this CUPTI knows no chip '{}' from Turing on", chip),
                         meant ? fmt::format("did you mean '{}'? 'coalescope metrics' lists all", *meant)
                               : "'coalescope metrics' lists all");
  }
  const auto lines = ask_metrics(machine, chip);
  if (!lines) return base::relay(lines);
  std::string text = heading(*lines) + fmt::format("{}: {}\n\n", chip, passes_text(*lines));
  for (const Metric& metric : model::metric_catalogue()) text += metric_row(*lines, metric, chip);
  return text;
}

int run(const MetricsOptions& options) {
  const Machine machine = this_machine();
  const auto text = options.chip.empty() ? chips_text(machine) : chip_text(machine, options.chip);
  if (!text) {
    base::log_error(text.error());
    return text.error().code == ErrorCode::usage ? kUsage : kNoCupti;
  }
  const auto written = write_all(stdout, *text, "to stdout");
  if (!written) base::log_error(written.error());
  return written ? kDone : kUsage;
}

}  // namespace coalescope::tool
