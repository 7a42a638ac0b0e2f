#include "tests/accuracy/accuracy.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

#include "core/base/demangle.h"
#include "core/base/units.h"
#include "reports/analysis/analyse.h"
#include "reports/analysis/view/view.h"
#include "tests/accuracy/gaps.h"
#include "tests/golden/capture_from_sql.h"

namespace coalescope::accuracy {
namespace {

namespace fs = std::filesystem;
using analysis::Finding;
using analysis::Report;
using kernels::Named;
using kernels::Side;
using kernels::Twin;

constexpr double kRuns = 20;  // of the computation, by coalescope_kernels --twin

// As SQL that a person can read, or as a capture where that would be thousands of lines.
fs::path side_path(const Twin& twin, Side side) {
  const fs::path capture = fixtures() / fmt::format("{}.{}.coal", twin.id, name_of(side));
  return fs::exists(capture) ? capture : fs::path(capture).replace_extension(".sql");
}

bool recorded(const Twin& twin) {
  return fs::exists(side_path(twin, Side::fault)) && fs::exists(side_path(twin, Side::clean));
}

Report report_of(const Twin& twin, Side side) {
  const fs::path given = side_path(twin, side);
  const fs::path capture = fs::temp_directory_path() /
                           fmt::format("coalescope-twin-{}-{}-{}.coal", ::getpid(), twin.id, name_of(side));
  fs::remove(capture);
  if (given.extension() == ".sql") golden::make_capture(given, capture);
  auto report = analysis::analyse((given.extension() == ".sql" ? capture : given).string());
  fs::remove(capture);
  if (!report) throw std::runtime_error(report.error().text());
  if (const auto shown = analysis::apply_view(*report, {}); !shown)
    throw std::runtime_error(shown.error().text());
  return std::move(*report);
}

// Of times.json, or of nsight.json, which is there if scripts/nsight_estimates was run.
nlohmann::json rows_of(const char* name) {
  std::ifstream file(fixtures() / name);
  return file ? nlohmann::json::parse(file).value("twins", nlohmann::json::object())
              : nlohmann::json::object();
}

std::optional<NsightEstimate> estimate_of(const nlohmann::json& rows, std::string_view id) {
  const auto row = rows.find(std::string(id));
  if (row == rows.end() || row->is_null() || row->at("rule").is_null()) return std::nullopt;
  return NsightEstimate{row->at("rule"), row->at("kind"), row->at("estimate_percent").get<double>() / 100};
}

const analysis::KernelRow* kernel_of(const Report& report, const Finding& finding) {
  if (!finding.kernel_id) return nullptr;
  const auto row = std::ranges::find(report.kernels, *finding.kernel_id, &analysis::KernelRow::id);
  return row == report.kernels.end() ? nullptr : &*row;
}

bool is_verdict(const Finding& finding) {
  return finding.level != analysis::Level::note;
}

// Of the kernel; what is no kernel's is of the program, and each program of a twin does one thing.
bool is_about(const Report& report, const Finding& finding, const Twin& twin, std::string_view subject) {
  const auto* row = kernel_of(report, finding);
  if (row == nullptr) return twin.named == Named::call;
  return base::kernel_label(row->mangled_name) == kernels::label_of_twin_kernel(subject);
}

// Whatever it is about: what prepares a twin and looks at its result is to be right, too.
std::vector<std::string> noise_of(const Report& report, Side side) {
  std::vector<std::string> noise;
  for (const Finding& finding : report.findings)
    if (is_verdict(finding))
      noise.push_back(fmt::format("{}: {} {}", name_of(side), finding.rule, finding.title));
  return noise;
}

// Of one run of the computation. A kernel's loss is a share of its time as it was recorded: the recorder may
// have timed its first launch only, which is slower.
double share_of(const Report& report, const Finding& finding, double fault_ns) {
  const double lost = static_cast<double>(finding.lost_ns.value_or(0));
  if (const auto* row = kernel_of(report, finding))
    return row->gpu_ns ? lost / static_cast<double>(*row->gpu_ns) : 0;
  // Waits between measurements are of a part of the runs: their finding's subject is that part. That of first
  // touches are the kernels in whose time pages came.
  if (finding.rule == "T03" || finding.rule == "U01")
    return finding.subject_ns ? lost / static_cast<double>(*finding.subject_ns) : 0;
  return lost / (kRuns * fault_ns);
}

void take_fault(Outcome& outcome, const Report& report, std::optional<double> fault_ns) {
  const Twin& twin = *outcome.twin;
  const auto lines = fault_lines(twin);
  double share = 0;
  bool priced = false;
  for (const Finding& finding : report.findings) {
    if (finding.rule != twin.rule || !is_verdict(finding) || !is_about(report, finding, twin, twin.subject))
      continue;
    outcome.found = true;
    if (!lines.empty() && finding.line) {
      const bool in_file = finding.file && fs::path(*finding.file).filename() == twin.file;
      const bool right = in_file && std::ranges::find(lines, *finding.line) != lines.end();
      outcome.right_line = outcome.right_line.value_or(false) || right;
    }
    if (!finding.lost_ns || !fault_ns) continue;
    const double part = share_of(report, finding, *fault_ns);
    const auto end_of = [&](const std::optional<std::int64_t>& end) {
      return part * static_cast<double>(end.value_or(*finding.lost_ns)) /
             static_cast<double>(std::max<std::int64_t>(1, *finding.lost_ns));
    };
    share += part;
    outcome.least += end_of(finding.least_lost_ns);
    outcome.most += end_of(finding.most_lost_ns);
    priced = true;
  }
  if (priced) outcome.predicted = std::min(1.0, share);
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}

std::string nsight_text(const std::optional<NsightEstimate>& estimate) {
  if (!estimate) return "-";
  return fmt::format("{:.1f} % ({}, {})", 100 * estimate->share, estimate->rule, estimate->kind);
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Both against the measured times, for faults that both have a figure for.
std::string comparison(const std::vector<Outcome>& outcomes) {
  constexpr double kWorthALine = 0.05;
  std::vector<double> theirs, ours;
  int harmless = 0, warned = 0;
  for (const Outcome& outcome : outcomes) {
    if (outcome.twin->verdict == kernels::Verdict::harmless) {
      ++harmless;
      warned += outcome.nsight && outcome.nsight->share >= kWorthALine ? 1 : 0;
    } else if (outcome.nsight && outcome.measured && outcome.error()) {
      theirs.push_back(std::abs(outcome.nsight->share - *outcome.measured));
      ours.push_back(std::abs(*outcome.error()));
    }
  }
  if (theirs.empty()) return {};
  return fmt::format(
      R"(
`Nsight Compute`: the largest "Est. Speedup" of its rules on memory accesses for one launch of the same kernel
(`scripts/nsight_estimates`), with the rule's name; global ones are of the kernel, local ones of a part of it. Of the {}
faults with a figure from both, its median error is {}, and ours {}. It promises 5 % or more for {} of {} harmless
pairs. It does not judge calls: no copies, managed memory or L2 windows.
)",
      theirs.size(), share_text(median(theirs)), share_text(median(ours)), warned, harmless);
}

}  // namespace

fs::path fixtures() {
  return fs::path(COALESCOPE_SOURCE_DIR) / "tests/fixtures/twins";
}

std::optional<double> Outcome::error() const {
  if (!measured || twin->verdict != kernels::Verdict::fault) return std::nullopt;
  if (!found) return -*measured;  // what is not reported is said to gain nothing
  if (!predicted) return std::nullopt;
  return *predicted - *measured;
}

std::vector<Outcome> outcomes() {
  const auto native = rows_of("times.json"), nsight = rows_of("nsight.json");
  std::vector<Outcome> all;
  for (const Twin& twin : kernels::twins()) {
    if (!recorded(twin)) continue;
    Outcome& outcome = all.emplace_back();
    outcome.twin = &twin;
    outcome.nsight = estimate_of(nsight, twin.id);
    std::optional<double> fault_ns;
    if (const auto row = native.find(std::string(twin.id)); row != native.end()) {
      fault_ns = row->at("fault_us").get<double>() * 1e3;
      outcome.measured = 1 - row->at("clean_us").get<double>() * 1e3 / *fault_ns;
    }
    const Report fault = report_of(twin, Side::fault), clean = report_of(twin, Side::clean);
    take_fault(outcome, fault, fault_ns);
    outcome.noise = noise_of(clean, Side::clean);
    if (twin.verdict == kernels::Verdict::harmless)
      std::ranges::move(noise_of(fault, Side::fault), std::back_inserter(outcome.noise));
  }
  return all;
}

std::vector<std::string> missing() {
  std::vector<std::string> ids;
  for (const Twin& twin : kernels::twins())
    if (!recorded(twin)) ids.emplace_back(twin.id);
  return ids;
}

Summary summary_of(const std::vector<Outcome>& outcomes) {
  Summary sum;
  std::vector<double> errors;
  for (const Outcome& outcome : outcomes) {
    ++sum.pairs;
    sum.alarms += static_cast<int>(outcome.noise.size());
    if (outcome.twin->verdict != kernels::Verdict::fault) continue;
    ++sum.faults;
    sum.found += outcome.found ? 1 : 0;
    sum.lines += outcome.right_line ? 1 : 0;
    sum.right_lines += outcome.right_line.value_or(false) ? 1 : 0;
    if (const auto error = outcome.error()) errors.push_back(std::abs(*error));
    if (!outcome.predicted || !outcome.measured) continue;
    ++sum.priced;
    sum.within += *outcome.measured >= outcome.least && *outcome.measured <= outcome.most ? 1 : 0;
  }
  const auto quotient = [](int part, int whole) { return whole > 0 ? double{1} * part / whole : 1; };
  sum.precision = quotient(sum.found, sum.found + sum.alarms);
  sum.recall = quotient(sum.found, sum.faults);
  sum.median_error = median(errors);
  if (!errors.empty()) sum.worst_error = std::ranges::max(errors);
  return sum;
}

std::string page(const std::vector<Outcome>& outcomes) {
  const Summary sum = summary_of(outcomes);
  std::string text = fmt::format(
      R"(# How right it is

Generated from `tests/fixtures/twins` by `scripts/update_docs`; a test compares them.

A twin is a pair of programs that compute the same, with a fault and without it (`kernels/twins`). Both sides were
recorded with the defaults of `coalescope record`, those of C01 with `--replay kernel`, and timed without a recorder, on
the machines that `PROVENANCE.md` there names. The analyser knows neither labels nor times. A verdict is a finding that
is more than a note; on a clean side, and on both sides of a harmless pair, any verdict is a false alarm, whatever it is
about.

- {} of {} faults were named by their rule (recall {:.2f}), {} of {} at a line that is at fault.
- {} findings where nothing is wrong (precision {:.2f}).
- The predicted gain is off by {} of the faulty side's time in the median, by {} at most.
- The measured gain lies in the predicted range for {} of {} faults.

`predicted` and `measured`: the share of the faulty computation's time that the repair saves.
{}
| family | pair | rule | verdict | line | predicted | measured | error | Nsight Compute | false alarms |
|---|---|---|---|---|---|---|---|---|---|
)",
      sum.found, sum.faults, sum.recall, sum.right_lines, sum.lines, sum.alarms, sum.precision,
      share_text(sum.median_error), share_text(sum.worst_error), sum.within, sum.priced,
      comparison(outcomes));
  for (const Outcome& outcome : outcomes) {
    const bool fault = outcome.twin->verdict == kernels::Verdict::fault;
    std::string noise;
    for (const auto& each : outcome.noise) noise += (noise.empty() ? "" : "; ") + each;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", outcome.twin->family,
                    outcome.twin->id, outcome.twin->rule,
                    !fault          ? "harmless"
                    : outcome.found ? "found"
                                    : "**missed**",
                    outcome.right_line ? (*outcome.right_line ? "right" : "**wrong**") : "-",
                    share_text(outcome.predicted), share_text(outcome.measured), share_text(outcome.error()),
                    nsight_text(outcome.nsight), noise.empty() ? "-" : "**" + noise + "**");
  }
  text += "\n## Where it is not right\n\n";
  if (known_gaps().empty())
    return text +
           "Nowhere here: the test fails where a fault is missed, a line is wrong, a verdict stands beside "
           "the fault,\nor a gain is more than 25 points off. What would be listed: "
           "`tests/accuracy/gaps.cpp`.\n";
  text +=
      "The test fails where something else is wrong, and where one of these gets right "
      "(`tests/accuracy/gaps.cpp`).\n\n"
      "| pair | what | why |\n|---|---|---|\n";
  for (const KnownGap& known : known_gaps())
    text += fmt::format("| {} | {} | {} |\n", known.id, name_of(known.gap), known.reason);
  return text;
}

}  // namespace coalescope::accuracy
