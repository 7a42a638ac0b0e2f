// For each pair: time both sides without the recorder, then record both with its defaults.
#include "tool/calibrate_twins.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/units.h"
#include "core/model/options.h"
#include "kernels/curves/experiment.h"
#include "kernels/program/progress.h"
#include "tool/exit_status.h"
#include "tool/helper.h"
#include "tool/record.h"

namespace coalescope::tool {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::failure;
using base::Result;
using kernels::Side;
using kernels::Twin;
using Json = nlohmann::json;

constexpr std::array kSides{Side::fault, Side::clean};
constexpr std::string_view kTwinRow = "{:<7} {:<26} {:<5} {:>12} {:>12} {:>8}\n";

std::vector<std::string> arguments_of(const Twin& twin, Side side) {
  return {"--twin", std::string(twin.id), "--side", std::string(name_of(side)), "--quiet"};
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<void> time_side(const fs::path& program, const fs::path& folder, Side side, TwinResult& result) {
  const fs::path written = folder / fmt::format("{}.{}.json", result.twin->id, name_of(side));
  std::vector<std::string> arguments = arguments_of(*result.twin, side);
  arguments.insert(arguments.end(), {"--measure", written.string()});
  auto ended = run_helper(program, arguments);
  const std::string text = read_text(written);
  std::error_code ignored;
  fs::remove(written, ignored);
  // One that was skipped says so by its status, too.
  if (!ended && text.empty()) return ended;
  return read_side(text, side, result);
}

Result<void> record_side(const fs::path& program, const fs::path& folder, const Twin& twin, Side side) {
  RecordOptions recording;
  recording.command = arguments_of(twin, side);
  recording.command.insert(recording.command.begin(), program.string());
  recording.output = (folder / fmt::format("{}.{}.coal", twin.id, name_of(side))).string();
  if (twin.replay) recording.settings = {{model::option::kReplay, "kernel"}};
  const auto outcome = record(recording);
  if (!outcome) return base::relay(outcome);
  if (outcome->ending.exit_status != kDone)
    return failure(ErrorCode::failed, "it did not end well while it was recorded");
  if (!outcome->capture_path) return failure(ErrorCode::failed, "its capture could not be written");
  return {};
}

TwinResult result_of(const fs::path& program, const fs::path& folder, const Twin& twin) {
  TwinResult result;
  result.twin = &twin;
  for (const bool recorded : {false, true})
    for (const Side side : kSides) {
      const auto done =
          recorded ? record_side(program, folder, twin, side) : time_side(program, folder, side, result);
      if (!done) {
        result.failed = fmt::format("{}: {}", name_of(side), done.error().text());
        return result;
      }
      if (result.skipped) return result;
    }
  return result;
}

std::string time_text(const std::optional<double>& us) {
  return us ? base::format_ns(static_cast<std::int64_t>(*us * 1000)) : std::string("-");
}

}  // namespace

std::vector<const Twin*> select_twins(std::span<const std::string> families) {
  std::vector<const Twin*> selected;
  for (const Twin& twin : kernels::twins())
    if (families.empty() || std::ranges::any_of(families, [&](const std::string& family) {
          return kernels::stands_for(family, twin.family);
        }))
      selected.push_back(&twin);
  return selected;
}

Result<void> read_side(std::string_view json, Side side, TwinResult& result) {
  try {
    const Json object = Json::parse(json);
    if (const auto why = object.find("skipped"); why != object.end())
      result.skipped = why->get<std::string>();
    else
      (side == Side::fault ? result.fault_us : result.clean_us) = object.at("us").get<double>();
    return {};
  } catch (const Json::exception& error) {
    return failure(ErrorCode::damaged,
                   fmt::format("the reference kernels wrote a time that cannot be read: {}", error.what()),
                   "see that coalescope and coalescope_kernels are of the same version");
  }
}

std::string to_times_json(std::span<const TwinResult> results) {
  Json twins = Json::object(), skipped = Json::object();
  for (const TwinResult& result : results) {
    const std::string id(result.twin->id);
    if (result.skipped)
      skipped[id] = *result.skipped;
    else if (result.fault_us && result.clean_us)
      twins[id] = {{"family", result.twin->family},
                   {"rule", result.twin->rule},
                   {"verdict", name_of(result.twin->verdict)},
                   {"fault_us", *result.fault_us},
                   {"clean_us", *result.clean_us}};
  }
  return Json{{"twins", twins}, {"skipped", skipped}}.dump(1) + "\n";
}

std::string to_twin_table(std::span<const TwinResult> results) {
  std::string table = fmt::format(kTwinRow, "family", "pair", "rule", "fault", "clean", "gain");
  for (const TwinResult& result : results) {
    const bool both = result.fault_us && result.clean_us && *result.fault_us > 0;
    const std::string gain =
        both ? fmt::format("{:.1f} %", 100 * (1 - *result.clean_us / *result.fault_us)) : std::string("-");
    table += fmt::format(kTwinRow, result.twin->family, result.twin->id, result.twin->rule,
                         time_text(result.fault_us), time_text(result.clean_us), gain);
    if (result.skipped) table += fmt::format("        skipped: {}\n", *result.skipped);
    if (result.failed) table += fmt::format("        FAILED: {}\n", *result.failed);
  }
  return table;
}

int run_twins(const fs::path& program, const fs::path& folder, std::span<const std::string> families) {
  const std::vector<const Twin*> selected = select_twins(families);
  if (selected.empty()) {
    base::log_error("no twin is of these families; 'coalescope calibrate --twins --list' names them");
    return kUsage;
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    base::log_error("cannot make the folder '{}': {}", folder.string(), error.message());
    return kUsage;
  }
  std::vector<TwinResult> results;
  kernels::Progress progress(stderr, isatty(STDERR_FILENO) == 1, {0, 100}, selected.size());
  for (const Twin* twin : selected) {
    progress.step(twin->family, twin->id);
    results.push_back(result_of(program, folder, *twin));
  }
  std::fputs(to_twin_table(results).c_str(), stdout);
  std::ofstream times(folder / "times.json");
  times << to_times_json(results);
  if (!times.flush()) {
    base::log_error("cannot write '{}'", (folder / "times.json").string());
    return kUsage;
  }
  const bool failed =
      std::ranges::any_of(results, [](const TwinResult& one) { return one.failed.has_value(); });
  return failed ? kDiffers : kDone;
}

}  // namespace coalescope::tool
