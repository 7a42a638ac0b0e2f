#include "reports/html/chart_data.h"

#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/html/escape.h"
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

// The end in host memory decides the speed, so it gives the series its name.
std::string series(const analysis::TransferRow& row) {
  const bool from_host = row.direction == model::Direction::host_to_device;
  const bool to_host = row.direction == model::Direction::device_to_host;
  if (from_host) return fmt::format("{} to device", words(row.source_memory));
  if (to_host) return fmt::format("device to {}", words(row.destination_memory));
  return std::string(words(row.direction));
}

Json transfers(const Report& report) {
  Json rows = Json::array();
  std::map<std::string, double> references;
  for (const auto& row : report.transfers) {
    if (rows.size() == kTransfersCharted) break;
    if (row.bytes <= 0 || row.transfers <= 0 || row.bandwidth <= 0) continue;
    rows.push_back({{"series", series(row)},
                    {"asynchronous", row.asynchronous},
                    {"bytes", row.bytes / row.transfers},
                    {"transfers", row.transfers},
                    {"bandwidth", row.bandwidth}});
    if (row.reference_bandwidth) references[std::string(words(row.direction))] = *row.reference_bandwidth;
  }
  Json lines = Json::array();
  for (const auto& [direction, bandwidth] : references)
    lines.push_back({{"direction", direction}, {"bandwidth", bandwidth}});
  return {{"in_all", report.transfers.size()}, {"rows", rows}, {"references", lines}};
}

// What the abscissa of a family's cases counts.
std::string abscissa_unit(const std::string& family) {
  static const std::map<std::string, std::string> kUnits{{"A3", "offset in words"},
                                                         {"A4", "stride in words"},
                                                         {"A7", "bytes an element"},
                                                         {"D1", "bytes a transfer"},
                                                         {"D6", "stride in words"}};
  const auto found = kUnits.find(family);
  return found == kUnits.end() ? "parameter" : found->second;
}

// "offset_copy/3" belongs to the series "offset_copy"; a case without a parameter is a series of its own.
Json curves(const Report& report) {
  std::map<std::string, Json> charts;
  for (const auto& row : report.calibration) {
    if (row.verdict != model::Verdict::measured || !row.abscissa || !row.measured) continue;
    auto [chart, is_new] = charts.try_emplace(row.family);
    if (is_new)
      chart->second = {
          {"x", abscissa_unit(row.family)}, {"y", row.quantity}, {"unit", row.unit}, {"rows", Json::array()}};
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
