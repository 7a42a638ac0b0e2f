#include "reports/html/chart_data.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/html/escape.h"
#include "reports/html/families.h"
#include "reports/html/values.h"
#include "reports/html/words.h"

namespace coalescope::html {
namespace {

using analysis::Report;
using Json = nlohmann::ordered_json;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json kernels(const Report& report) {
  Json rows = Json::array();
  for (const auto& kernel : report.kernels) {
    if (rows.size() == kKernelsCharted) break;
    if (!kernel.gpu_ns || (!kernel.load.degree && !kernel.store.degree)) continue;
    rows.push_back({{"name", kernel.name},
                    {"anchor", kernel_anchor(kernel.id)},
                    {"gpu_ns", *kernel.gpu_ns},
                    {"launches", kernel.launches},
                    {"load", or_null(kernel.load.degree)},
                    {"store", or_null(kernel.store.degree)}});
  }
  return {{"in_all", report.kernels.size()}, {"rows", rows}};
}

Json losses(const Report& report) {
  Json rows = Json::array();
  std::size_t priced = 0;
  for (const auto& finding : report.findings) {
    if (!finding.lost_ns) continue;
    if (++priced > kFindingsCharted) continue;
    rows.push_back({{"title", finding.title},
                    {"subject", finding.subject},
                    {"lost_ns", *finding.lost_ns},
                    {"subject_ns", or_null(finding.subject_ns)}});
  }
  return {{"in_all", priced}, {"rows", rows}};
}

// Between host and device alone: the memory at the host's end decides the speed and names the series.
std::optional<std::string> series(const analysis::TransferRow& row) {
  if (row.direction == model::Direction::host_to_device)
    return fmt::format("{} to device", words(row.source_memory));
  if (row.direction == model::Direction::device_to_host)
    return fmt::format("device to {}", words(row.destination_memory));
  return std::nullopt;
}

Json transfers(const Report& report) {
  Json rows = Json::array();
  std::size_t in_all = 0;
  for (const auto& row : report.transfers) {
    const auto name = series(row);
    if (!name || row.bytes <= 0 || row.transfers <= 0) continue;
    if (++in_all > kTransfersCharted) continue;
    rows.push_back({{"series", *name},
                    {"asynchronous", row.asynchronous},
                    {"bytes", row.bytes / row.transfers},
                    {"transfers", row.transfers},
                    {"bandwidth", row.bandwidth},
                    {"reference", or_null(row.reference_bandwidth)}});
  }
  return {{"in_all", in_all}, {"rows", rows}};
}

// "offset_copy/3" belongs to the series "offset_copy"; a case without a parameter is a series of its own.
Json curves(const Report& report) {
  std::map<std::string, Json> charts;
  for (const auto& row : report.calibration) {
    if (row.verdict != model::Verdict::measured || !row.abscissa || !row.measured) continue;
    auto [chart, is_new] = charts.try_emplace(row.family);
    if (is_new)
      chart->second = {{"x", family_parameter(row.family)},
                       {"y", row.quantity},
                       {"unit", row.unit},
                       {"rows", Json::array()}};
    if (chart->second["y"] != row.quantity) continue;
    chart->second["rows"].push_back({{"series", row.case_id.substr(0, row.case_id.rfind('/'))},
                                     {"x", *row.abscissa},
                                     {"y", *row.measured}});
  }
  Json all = Json::object();
  for (auto& [family, chart] : charts) all["curve-" + family] = std::move(chart);
  return all;
}

}  // namespace

std::string chart_data(const Report& report) {
  Json data = {{"kernels", kernels(report)},
               {"losses", losses(report)},
               {"transfers", transfers(report)},
               {"curves", curves(report)}};
  return escape_json(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace coalescope::html
