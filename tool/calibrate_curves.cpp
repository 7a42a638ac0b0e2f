#include "tool/calibrate_curves.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <unordered_map>

#include "core/base/scope_exit.h"
#include "tool/process.h"

namespace coalescope::tool {
namespace {

using base::ErrorCode;
using base::failure;
using base::Result;
using kernels::KernelRuns;
using kernels::Measurement;
using model::Calibration;
using model::MetricId;
using model::Verdict;
using Json = nlohmann::json;
using RunsByKernel = std::unordered_map<std::string, KernelRuns>;

constexpr double kSectorBytes = 32;

std::optional<double> number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::nullopt : std::optional(found->get<double>());
}

Verdict verdict_named(const std::string& name) {
  for (const auto& verdict : model::kVerdictNames)
    if (verdict.name == name) return verdict.value;
  throw Json::other_error::create(501, "no verdict is called '" + name + "'", nullptr);
}

Measurement measurement_of(const Json& object) {
  Measurement measurement;
  Calibration& row = measurement.row;
  row.family = object.at("family").get<std::string>();
  row.case_id = object.at("case").get<std::string>();
  row.quantity = object.at("quantity").get<std::string>();
  row.unit = object.at("unit").get<std::string>();
  row.abscissa = number(object, "x");
  row.expected = number(object, "expected");
  row.measured = number(object, "measured");
  row.verdict = verdict_named(object.at("verdict").get<std::string>());
  if (!object.at("note").is_null()) row.note = object.at("note").get<std::string>();
  measurement.spread = number(object, "spread");
  measurement.kernel = object.at("kernel").get<std::string>();
  return measurement;
}

std::optional<double> median(const KernelRuns& runs, MetricId metric) {
  const auto found = runs.counts.find(metric);
  if (found == runs.counts.end() || found->second.empty()) return std::nullopt;
  std::vector<std::int64_t> values = found->second;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return static_cast<double>(*middle);
}

std::optional<double> sum(const KernelRuns& runs, MetricId one, MetricId other) {
  const auto first = median(runs, one), second = median(runs, other);
  return first && second ? std::optional(*first + *second) : std::nullopt;
}

// The two come from different launches of the kernel: no chip counts both at once.
std::optional<Calibration> hit_rate_of(const Measurement& measurement, const RunsByKernel& runs) {
  const auto found = runs.find(measurement.kernel);
  if (measurement.kernel.empty() || found == runs.end()) return std::nullopt;
  const auto hits = median(found->second, MetricId::l2_hit_sectors);
  const auto all = sum(found->second, MetricId::l2_read_sectors, MetricId::l2_write_sectors);
  if (!hits || !all || *all <= 0) return std::nullopt;
  Calibration row = measurement.row;
  row.quantity = "l2_hit_rate";
  row.unit = "";
  row.expected.reset();
  row.measured = std::min(1.0, *hits / *all);
  row.verdict = Verdict::measured;
  row.note.reset();
  return row;
}

struct Level {
  const char* name;
  MetricId read, write;
  double unit_bytes;
};
constexpr std::array kLevels{
    Level{"needed_share_l1", MetricId::global_load_sectors, MetricId::global_store_sectors, kSectorBytes},
    Level{"needed_share_l2", MetricId::l2_read_sectors, MetricId::l2_write_sectors, kSectorBytes},
    Level{"needed_share_dram", MetricId::dram_read_bytes, MetricId::dram_write_bytes, 1}};

}  // namespace

Result<std::vector<Measurement>> read_measurements(std::string_view text) {
  std::vector<Measurement> measurements;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    try {
      measurements.push_back(measurement_of(Json::parse(text.substr(0, end))));
    } catch (const Json::exception& error) {
      return failure(ErrorCode::damaged,
                     fmt::format("the reference kernels wrote a row that cannot be read: {}", error.what()),
                     "see that coalescope and coalescope_kernels are of the same version");
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return measurements;
}

Result<std::vector<Measurement>> measure_curves(const std::filesystem::path& program,
                                                std::vector<std::string> arguments) {
  std::string rows = (std::filesystem::temp_directory_path() / "coalescope-curves-XXXXXX").string();
  const int descriptor = ::mkstemp(rows.data());
  if (descriptor < 0)
    return failure(ErrorCode::not_permitted, fmt::format("cannot make the file '{}'", rows),
                   "set TMPDIR to a folder that can be written to");
  ::close(descriptor);
  const base::ScopeExit remove_rows([&] { std::filesystem::remove(rows); });

  arguments.insert(arguments.begin(), {program.string(), "--measure", rows});
  Target target{program.string(), std::move(arguments), {}};
  for (char* const* variable = environ; *variable != nullptr; ++variable)
    target.environment.emplace_back(*variable);
  const Inheritance inheritance;
  const auto ending = run_target(target, inheritance);
  if (!ending) return base::relay(ending);
  if (ending->signal)
    return failure(ErrorCode::failed,
                   fmt::format("the measuring of curves was ended by signal {}", *ending->signal));
  // A wrong result is a row of its own, with the verdict that it deserves.
  std::ifstream file(rows);
  return read_measurements(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::vector<Calibration> rows_of(std::span<const Measurement> measurements,
                                 const kernels::CaptureRows& rows) {
  const RunsByKernel runs = kernels::runs_by_kernel(rows);
  std::vector<Calibration> result;
  for (const Measurement& measurement : measurements) {
    result.push_back(measurement.row);
    if (measurement.spread) {
      Calibration spread = measurement.row;
      spread.quantity += model::kSpreadSuffix;
      spread.expected.reset();
      spread.measured = measurement.spread;
      result.push_back(std::move(spread));
    }
    if (auto hit_rate = hit_rate_of(measurement, runs)) result.push_back(std::move(*hit_rate));
  }
  return result;
}

std::vector<Calibration> levels_of(std::span<const kernels::Case* const> cases,
                                   const kernels::CaptureRows& rows) {
  const RunsByKernel runs = kernels::runs_by_kernel(rows);
  std::vector<Calibration> result;
  for (const kernels::Case* one : cases) {
    const auto found = runs.find(one->kernel);
    if (one->family != "A4" || !one->abscissa || found == runs.end()) continue;
    for (const Level& level : kLevels) {
      const auto carried = sum(found->second, level.read, level.write);
      if (!carried || *carried <= 0) continue;
      Calibration row;
      row.family = "E3";
      row.case_id = fmt::format("{}/{}", level.name, *one->abscissa);
      row.quantity = "needed_share";
      row.abscissa = one->abscissa;
      row.measured = static_cast<double>(one->useful_bytes) / (*carried * level.unit_bytes);
      result.push_back(std::move(row));
    }
  }
  return result;
}

}  // namespace coalescope::tool
