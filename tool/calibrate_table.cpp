#include "tool/calibrate_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <vector>

#include "core/base/units.h"
#include "core/model/metric.h"
#include "kernels/answers/comparison.h"

namespace coalescope::tool {
namespace {

using kernels::Case;
using model::Calibration;
using model::MetricId;
using model::Verdict;

// Requests are what people know the answers by: "5 sectors a request", not "10,485,720 sectors".
constexpr std::string_view kRow = "{:<7} {:<39} {:<16} {:<16} {:<8} {}\n";

using Figure = std::optional<double> Calibration::*;
using Results = std::vector<const Calibration*>;

Results results_of(const Case& one, std::span<const Calibration> results) {
  Results found;
  for (const Calibration& result : results)
    if (result.case_id == one.id) found.push_back(&result);
  return found;
}

std::optional<double> figure(const Results& results, MetricId metric, Figure member) {
  for (const Calibration* result : results)
    if (result->quantity == model::metric(metric).key) return result->*member;
  return std::nullopt;
}

std::optional<std::string> per_request(const Results& results, MetricId sectors, MetricId requests,
                                       Figure member) {
  const auto total = figure(results, sectors, member);
  const auto count = figure(results, requests, member);
  if (!total || !count || *count == 0) return std::nullopt;
  return base::format_ratio(*total / *count);
}

// "5.0 + 4.0": sectors a request of loads, then of stores.
std::string sectors_cell(const Case& one, const Results& results, Figure member) {
  if (one.counts.empty()) return "a copy";
  const auto load =
      per_request(results, MetricId::global_load_sectors, MetricId::global_load_requests, member);
  const auto store =
      per_request(results, MetricId::global_store_sectors, MetricId::global_store_requests, member);
  return load && store ? *load + " + " + *store : "not measured";
}

std::string verdict_cell(const Results& results) {
  const auto any = [&](Verdict verdict) {
    return std::ranges::any_of(results, [&](const Calibration* r) { return r->verdict == verdict; });
  };
  if (any(Verdict::fail)) return "FAIL";
  return any(Verdict::pass) ? "pass" : "no count";
}

std::string bandwidth_cell(const Results& results) {
  for (const Calibration* result : results)
    if (result->quantity == kernels::kBandwidthQuantity)
      return result->measured ? base::format_bandwidth(*result->measured * 1e9) : result->note.value_or("");
  return "not measured";
}

std::string count_text(double count) {
  return base::format_count(static_cast<std::int64_t>(count));
}

std::string failure_line(const Calibration& result) {
  const std::string expected = result.expected ? count_text(*result.expected) : "nothing";
  const std::string note = result.note.value_or("");
  if (!result.measured) return fmt::format("        {}: expected {}, {}\n", result.quantity, expected, note);
  return fmt::format("        {}: expected {}, measured {} ({})\n", result.quantity, expected,
                     count_text(*result.measured), note);
}

// A curve's x as its family counts it; sizes are bytes.
std::string case_label(const Calibration& row) {
  const std::string name = row.case_id.substr(0, row.case_id.rfind('/'));
  if (!row.abscissa) return row.case_id;
  const bool is_size = *row.abscissa >= 1024 && row.family != "B7";
  return name + " " + (is_size ? base::format_bytes(*row.abscissa) : fmt::format("{:g}", *row.abscissa));
}

std::string curve_line(const Calibration& row, const std::optional<double>& spread) {
  const std::string measured = row.measured ? base::format_figure(*row.measured, row.unit) : "skipped";
  std::string rest;
  if (spread && row.measured && *row.measured > 0)
    rest += fmt::format("+- {:.1f} %", 50 * *spread / *row.measured);
  if (row.expected)
    rest +=
        fmt::format("{}expected {}", rest.empty() ? "" : ", ", base::format_figure(*row.expected, row.unit));
  if (row.verdict == Verdict::fail) rest += ", FAIL";
  if (row.note && row.verdict != Verdict::pass) rest += (rest.empty() ? "" : ", ") + *row.note;
  return fmt::format("{:<7} {:<39} {:<16} {:<14} {}\n", row.family, case_label(row), row.quantity, measured,
                     rest);
}

}  // namespace

std::string to_curve_table(std::span<const Calibration> rows) {
  std::string table = "Timed without the recorder, medians; +- is half of the interquartile range.\n\n";
  for (const Calibration& row : rows) {
    if (row.quantity.ends_with(model::kSpreadSuffix)) continue;
    const auto spread = std::ranges::find_if(rows, [&](const Calibration& other) {
      return other.case_id == row.case_id &&
             other.quantity == row.quantity + std::string(model::kSpreadSuffix);
    });
    table += curve_line(row, spread == rows.end() ? std::nullopt : spread->measured);
  }
  return table;
}

std::string to_list(std::span<const Case* const> cases,
                    std::span<const kernels::Experiment* const> experiments) {
  std::string text;
  for (const Case* one : cases) text += fmt::format("{:<3} {:<39} {}\n", one->family, one->id, one->title);
  for (const kernels::Experiment* one : experiments)
    text += fmt::format("{:<3} {:<39} {} (timed without the recorder)\n", one->family, one->id, one->title);
  return text;
}

CountVerdicts verdicts(std::span<const Calibration> results) {
  return {std::ranges::count(results, Verdict::pass, &Calibration::verdict),
          std::ranges::count(results, Verdict::fail, &Calibration::verdict)};
}

std::string summary(const CountVerdicts& counts) {
  const std::int64_t all = counts.passed + counts.failed;
  if (all == 0) return "no counts were compared: the chosen families are copies alone";
  return fmt::format("{} of {} counts are exact in every launch that was measured",
                     base::format_count(counts.passed), base::format_count(all));
}

std::string to_table(std::span<const Case* const> cases, std::span<const Calibration> results) {
  if (cases.empty()) return {};
  std::string table =
      "Sectors a request, loads + stores; a count passes only if every measured launch has "
      "exactly the expected value.\n\n";
  const auto out = std::back_inserter(table);
  fmt::format_to(out, kRow, "family", "case", "expected", "measured", "counts", "useful bandwidth");
  for (const Case* one : cases) {
    const Results own = results_of(*one, results);
    fmt::format_to(out, kRow, one->family, one->id, sectors_cell(*one, own, &Calibration::expected),
                   sectors_cell(*one, own, &Calibration::measured), verdict_cell(own), bandwidth_cell(own));
    for (const Calibration* result : own)
      if (result->verdict == Verdict::fail) table += failure_line(*result);
  }
  return table;
}

}  // namespace coalescope::tool
