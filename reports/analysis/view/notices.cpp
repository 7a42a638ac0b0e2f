#include "reports/analysis/view/notices.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/notice_kinds.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/kernel_rows.h"
#include "reports/analysis/rows/unmeasured.h"
#include "reports/analysis/view/missing_lines.h"
#include "reports/analysis/view/shown.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Diagnostic;
using model::Phase;

constexpr double kLargeGap = 0.05;  // of the kernels' time

bool recorded_nothing(const Report& report) {
  return report.kernels.empty() && report.transfers.empty();
}

Diagnostic nothing_recorded(const Report& report) {
  if (report.processes.empty()) return make_diagnostic(notice_kind("no_cuda_calls"));
  if (report.devices.empty()) return make_diagnostic(notice_kind("no_gpu"));
  return make_diagnostic(notice_kind("no_work"));
}

// What else makes a capture incomplete, such as lines that could not be looked up, has a diagnostic of its
// own.
std::optional<Diagnostic> how_it_ended(const Report& report) {
  const model::Capture& capture = report.capture;
  if (capture.clean) return std::nullopt;
  if (capture.exit_signal)
    return make_diagnostic(notice_kind("killed"), {std::to_string(*capture.exit_signal)});
  if (!capture.exit_status) return make_diagnostic(notice_kind("cut_off"));
  const auto unwritten = std::ranges::count_if(
      report.processes, [](const model::Process& each) { return each.ended_ns && !each.clean; });
  if (unwritten == 0) return std::nullopt;
  return make_diagnostic(
      notice_kind("end_not_written"),
      {base::format_count(unwritten), counted(std::ssize(report.processes), "process", "processes")});
}

// The kernels that lack a phase for one reason.
struct Missing {
  std::vector<Phase> phases;
  CoverageReason reason = CoverageReason::measured;
  std::set<ShapeKey> kernels;  // in whichever process
  std::int64_t gpu_ns = 0;
};

std::vector<Missing> all_missing(const Report& report) {
  std::map<std::pair<Phase, CoverageReason>, Missing> by_reason;
  for (const auto& row : report.kernels) {
    if (row.origin == Origin::tool) continue;  // nobody asked for its counts
    for (const auto& missing : row.unmeasured) {
      // Measured and contradictory: the kernel's own row says so.
      const auto samples = samples_of(missing.phase);
      if (samples && (row.*samples).measured > 0) continue;
      // Another shape stands for this size: nothing is missing.
      if (missing.reason == CoverageReason::size_measured) continue;
      auto& gap = by_reason[{missing.phase, missing.reason}];
      gap.kernels.insert(shape_key(row));
      base::add_to(gap.gpu_ns, row.gpu_ns.value_or(0));
    }
  }
  // Phases that the same kernels lack for the same reason are one sentence.
  std::vector<Missing> gaps;
  for (auto& [key, gap] : by_reason) {
    const auto same = std::ranges::find_if(gaps, [&found = gap, reason = key.second](const Missing& other) {
      return other.reason == reason && other.kernels == found.kernels && other.gpu_ns == found.gpu_ns;
    });
    if (same != gaps.end()) {
      same->phases.push_back(key.first);
      continue;
    }
    gap.phases = {key.first};
    gap.reason = key.second;
    gaps.push_back(std::move(gap));
  }
  std::ranges::stable_sort(gaps, std::greater{},
                           [](const Missing& gap) { return std::pair(gap.gpu_ns, gap.kernels.size()); });
  return gaps;
}

double share_of_kernels(const Missing& gap, const Report& report) {
  return static_cast<double>(gap.gpu_ns) /
         std::max(1.0, static_cast<double>(report.totals.kernel_ns - report.totals.tool_ns));
}

// "Source lines and L2 hits were not measured for 12 of 40 kernels (3.1 % of kernel time): too few launches
// to sample."
Diagnostic notice_of(const Missing& gap, const Report& report) {
  std::string subjects;
  for (std::size_t at = 0; at < gap.phases.size(); ++at) {
    const std::string subject(subject_of(gap.phases[at]));
    const bool last = at + 1 == gap.phases.size();
    // "Degree and sectors, and L2 hits".
    const bool plain = at == 1 && (subjects + subject).find(" and ") == std::string::npos;
    subjects += (at == 0 ? "" : !last ? ", " : plain ? " and " : ", and ") + subject;
  }
  const bool only_time = gap.phases == std::vector{Phase::trace};
  const bool one = only_time || gap.phases == std::vector{Phase::traffic};
  const std::string share =
      only_time ? ""
      : gap.gpu_ns == 0
          ? " (their time is not known)"
          : fmt::format(" ({} of kernel time)", base::format_share(share_of_kernels(gap, report)));
  const bool apart = report.totals.shapes > report.totals.kernel_families;
  return make_diagnostic(notice_kind("not_measured"),
                         {upper_first(subjects) + (one ? " was" : " were"),
                          std::to_string(gap.kernels.size()), std::to_string(report.totals.shapes),
                          apart ? "kernel shapes" : "kernels", share, cause_of(gap.reason)});
}

// "2 kernels of XLA autotuning took 6.1 s ...", an owner after the other.
void add_tools(const Report& report, std::vector<Diagnostic>& notices) {
  struct Tool {
    std::set<std::string> names;
    std::int64_t gpu_ns = 0;
    std::int64_t timed = 0, untimed = 0;  // rows
  };
  std::map<std::string, Tool> tools;
  for (const auto& row : report.kernels) {
    if (row.origin != Origin::tool) continue;
    Tool& tool = tools[row.owner];
    tool.names.insert(row.full_name);
    ++(row.gpu_ns ? tool.timed : tool.untimed);
    base::add_to(tool.gpu_ns, row.gpu_ns.value_or(0));
  }
  for (const auto& [owner, tool] : tools) {
    const std::string took =
        tool.timed == 0 ? "not timed" : (tool.untimed == 0 ? "" : "at least ") + base::format_ns(tool.gpu_ns);
    const auto kernels = static_cast<std::int64_t>(tool.names.size());
    notices.push_back(
        make_diagnostic(notice_kind("tool_kernels"),
                        {counted(kernels, "kernel", "kernels"), owner, took, kernels == 1 ? "is" : "are"}));
  }
}

// "sweep", "sweep and apply", "sweep, apply and 3 more".
std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t kMost = 2;
  std::string text = *names.begin();
  if (names.size() == kMost) return fmt::format("{} and {}", text, *std::next(names.begin()));
  if (names.size() > kMost)
    text += fmt::format(", {} and {} more", *std::next(names.begin()), names.size() - kMost);
  return text;
}

std::vector<Diagnostic> missing_lines(const Report& report) {
  const FindingsWithoutLines found = findings_without_lines(report);
  std::vector<Diagnostic> notices;
  if (!found.kernels.empty())
    notices.push_back(make_diagnostic(notice_kind("kernels_without_lines"), {some_of(found.kernels)}));
  if (!found.modules.empty())
    notices.push_back(make_diagnostic(notice_kind("calls_without_lines"), {some_of(found.modules)}));
  return notices;
}

std::string how_often(std::int64_t times, std::size_t processes) {
  const bool once_each = times == static_cast<std::int64_t>(processes);
  if (processes < 2) return times > 1 ? fmt::format(" ({} times)", base::format_count(times)) : "";
  const std::string in = fmt::format("in {} processes", processes);
  return once_each ? " (" + in + ")" : fmt::format(" ({} times, {})", base::format_count(times), in);
}

// The diagnostic of that name, with its count.
std::string launches_untimed(std::int64_t launches) {
  return fmt::format(
      "{} no GPU time: {} failed, {} still running at the end, or the driver returned no record.",
      launches == 1 ? "1 launch has" : base::format_count(launches) + " launches have",
      launches == 1 ? "it" : "they", launches == 1 ? "was" : "were");
}

// Diagnostics of the capture that a reader must know; what several processes say is said once. Remarks
// explain an empty capture; beside measurements they belong to the long report.
std::vector<Diagnostic> from_capture(const Report& report) {
  std::vector<Diagnostic> notices;
  std::vector<std::set<std::int64_t>> processes;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;
  for (const Diagnostic& diagnostic : report.diagnostics) {
    const bool remark = diagnostic.severity == model::Severity::info && diagnostic.code != "sampled";
    if (remark && !recorded_nothing(report)) continue;
    const auto [place, is_new] = places.try_emplace({diagnostic.origin, diagnostic.text}, notices.size());
    if (is_new) {
      notices.push_back(diagnostic);
      processes.emplace_back();
    } else {
      Diagnostic& said = notices[place->second];
      said.count = base::sum_of(said.count, diagnostic.count);
      said.process_id.reset();
    }
    if (diagnostic.process_id) processes[place->second].insert(diagnostic.process_id->value);
  }
  for (std::size_t i = 0; i < notices.size(); ++i) {
    Diagnostic& notice = notices[i];
    const bool untimed = notice.origin == "trace" && notice.code == "launches_untimed";
    if (untimed) notice.text = launches_untimed(notice.count);
    // The sentence about launches begins with how many they are.
    notice.text += how_often(untimed ? static_cast<std::int64_t>(processes[i].size()) : notice.count,
                             processes[i].size());
  }
  return notices;
}

// Where nobody else uses the GPU, L2 counts next to nothing that instructions do not ask for: of 819 kernels
// recorded alone none had 1.5 times as many sectors, of nine beside other programs three had 24 times and
// more (H200). Stores are compared, because loads of textures are in no other count.
constexpr double kTimesOwnStores = 2;
constexpr double kFewSectors = 10'000;

// How many times its own stores; std::nullopt: both were not measured, or it stores by other means.
std::optional<double> times_own_stores(const KernelRow& row) {
  if (!row.store.sectors || !row.atomic_sectors || !row.local_store_sectors || !row.l2_write_sectors ||
      row.tma_instructions.value_or(0) > 0)
    return std::nullopt;
  const double own = real(row.store.sectors) + real(row.atomic_sectors) + real(row.local_store_sectors);
  return real(row.l2_write_sectors) / std::max(own, kFewSectors);
}

std::optional<Diagnostic> traffic_of_others(const Report& report) {
  std::int64_t compared = 0, exceeded = 0;
  double most = 0;
  for (const KernelRow& row : report.kernels) {
    const auto times = times_own_stores(row);
    if (!times) continue;
    ++compared;
    if (*times > kTimesOwnStores) ++exceeded;
    most = std::max(most, *times);
  }
  if (exceeded == 0) return std::nullopt;
  return make_diagnostic(notice_kind("traffic_of_others"),
                         {base::format_ratio(most), std::to_string(exceeded), std::to_string(compared)});
}

constexpr double kLongPart = 0.3;    // of a kernel's time
constexpr double kLongOfAll = 0.05;  // of all kernels' time

std::optional<Diagnostic> long_launches(const Report& report) {
  std::set<std::string> names;
  double most = 0;
  for (const KernelRow& row : report.kernels) {
    if (!row.long_launches || row.origin == Origin::tool || row.long_launches->share < kLongPart) continue;
    if (row.long_launches->share * real(row.gpu_ns) < kLongOfAll * real(report.totals.kernel_ns)) continue;
    names.insert(row.name);
    most = std::max(most, row.long_launches->share);
  }
  if (names.empty()) return std::nullopt;
  return make_diagnostic(notice_kind("long_launches"),
                         {(names.size() > 1 ? "up to " : "") + base::format_share(most), some_of(names)});
}

}  // namespace

std::vector<Diagnostic> notices_of(const Report& report) {
  std::vector<Diagnostic> notices;
  const bool said =
      std::ranges::find(report.diagnostics, "no_cuda", &Diagnostic::code) != report.diagnostics.end();
  if (recorded_nothing(report) && !said) notices.push_back(nothing_recorded(report));
  std::ranges::move(from_capture(report), std::back_inserter(notices));
  if (auto ended = how_it_ended(report)) notices.push_back(std::move(*ended));
  // Here comes what much of the run's time lacks: behind what went wrong, which may be its reason.
  const auto wrong = std::find_if(notices.rbegin(), notices.rend(), [](const Diagnostic& notice) {
    return notice.severity != model::Severity::info;
  });
  auto place = notices.rend() - wrong;
  if (auto others = traffic_of_others(report)) notices.insert(notices.begin() + place++, std::move(*others));
  if (auto other = long_launches(report)) notices.insert(notices.begin() + place++, std::move(*other));
  if (report.groups_only_later > 0)
    notices.push_back(
        make_diagnostic(notice_kind("only_in_later_runs"), {std::to_string(report.groups_only_later)}));
  if (report.program.l2_windows_left_out > 0)
    notices.push_back(make_diagnostic(notice_kind("windows_not_judged"),
                                      {base::format_count(report.program.l2_windows_left_out)}));
  add_tools(report, notices);
  // A kernel that moves its data by TMA would look as if it moved hardly any.
  if (const auto kernels = std::ranges::count_if(report.kernel_families, &KernelFamily::uses_tma);
      kernels > 0)
    notices.push_back(
        make_diagnostic(notice_kind("tma_not_counted"),
                        {std::to_string(kernels), std::to_string(report.kernel_families.size())}));
  for (const auto& gap : all_missing(report)) {
    const bool large = share_of_kernels(gap, report) >= kLargeGap;
    notices.insert(large ? notices.begin() + place++ : notices.end(), notice_of(gap, report));
  }
  std::ranges::copy(missing_lines(report), std::inserter(notices, notices.begin() + place));
  return notices;
}

}  // namespace coalescope::analysis
