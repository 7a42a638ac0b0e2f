#pragma once
// What the rules found: what is wrong, where, what it costs, what to change. As report.h says, a member that
// is std::nullopt was not measured.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/enums.h"

namespace coalescope::analysis {

enum class Level { note, warning, severe };
inline constexpr std::array kLevelNames{model::EnumName{Level::note, "note"},
                                        model::EnumName{Level::warning, "warning"},
                                        model::EnumName{Level::severe, "severe"}};
constexpr std::string_view name_of(Level value) {
  return model::name_in(kLevelNames, value);
}

// Why a finding is shown only to a reader who asks for all of them (view.h).
enum class Aside {
  library,  // inside a library's kernel, which its reader cannot edit, and no call of his changes it
  tool,     // inside a kernel that runs beside the program's work
  small,    // it costs too little of the run: it is in the data, but in no ranking
  note      // worth knowing, not known to cost time
};
inline constexpr std::array kAsideNames{
    model::EnumName{Aside::library, "library"}, model::EnumName{Aside::tool, "tool"},
    model::EnumName{Aside::small, "small"}, model::EnumName{Aside::note, "note"}};
constexpr std::string_view name_of(Aside value) {
  return model::name_in(kAsideNames, value);
}

// A rule that could not be applied: its inputs are missing. Subjects that lack the same are one row.
struct NotJudged {
  std::string rule;
  std::string title;
  std::string why;            // "its source lines were not measured"
  std::int64_t subjects = 0;  // kernels, classes of transfers, L2 windows
  std::string subject;        // the one with the most GPU time
  std::optional<std::int64_t> gpu_ns;
};

// A row that a finding is about. Names are for readers: two classes of transfers may have one.
enum class SubjectKind { kernel, transfers, timeline, l2_window, allocation, allocated_again };
struct SubjectRef {
  SubjectKind kind = SubjectKind::kernel;
  // KernelRow::id or TransferRow::id; of the others the place from 0 in Program::timelines, l2_windows,
  // migrations, allocated_again.
  std::int64_t row = 0;
  bool operator==(const SubjectRef&) const = default;
};

// A figure of a sentence, for those who read with a program.
struct Fact {
  std::string key;  // "sectors_per_request": stable
  double value = 0;
  std::string unit;  // "sectors", "share", "bytes", "ns", "times"
};

[[nodiscard]] inline std::optional<double> figure_in(const std::vector<Fact>& facts, std::string_view key) {
  const auto found = std::ranges::find(facts, key, &Fact::key);
  return found == facts.end() ? std::nullopt : std::optional(found->value);
}

// One piece of advice: what is wrong, where, what it costs, what to change. Ranked by what is sure to be
// saved.
struct Finding {
  std::string rule;  // "G01": stable
  Level level = Level::warning;
  std::string title;    // "Uncoalesced loads"
  std::string subject;  // kernel name, or class of transfers
  // KernelRow::id; of several shapes the costliest; nullopt: about no kernel, or about several together.
  std::optional<std::int64_t> kernel_id;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
  std::string evidence;                      // "32.0 sectors per request; 12.5 % of the bytes moved ..."
  std::string advice;                        // one sentence
  std::optional<std::int64_t> lost_ns;       // nullopt: the cost could not be predicted; `basis` says why
  std::optional<double> lost_share;          // of the run's GPU time
  std::string basis;                         // how the cost was found, and from which figures
  std::optional<std::int64_t> subject_ns;    // GPU time of the subject as it is; of host calls their own
  std::vector<std::int64_t> kernel_ids;      // of all shapes that have it, or all kernels that it is about
  std::vector<SubjectRef> subjects;          // all rows that it is about, the costliest first
  std::vector<Fact> facts;                   // the figures of the evidence; of several shapes the costliest's
  std::string advice_id;                     // "G01.stride": which advice it is, however it is worded
  std::vector<Fact> advice_parameters;       // the figures of the advice
  std::optional<std::int64_t> call_site_id;  // CallSiteRow::id of the call that costs most of it
  std::optional<std::string> call_site;      // its stack, as KernelRow::call_site
  std::optional<std::string> call_file;      // the author's own line in it
  std::optional<std::int64_t> call_line;
  std::optional<Aside> aside;                               // nullopt: shown in any case
  std::string_view part;                                    // RuleAbout::part: "loads"
  std::optional<std::int64_t> least_lost_ns, most_lost_ns;  // four of five predictions keep to this range
  std::string repair;  // the advice in a phrase, where it is about the call; empty: RuleAbout::repair
  std::int64_t fewer_launches = 0;  // in the run, once repaired
};

[[nodiscard]] inline bool is_of_kernels_alone(const Finding& finding) {
  return !finding.kernel_ids.empty() && std::ranges::none_of(finding.subjects, [](const SubjectRef& row) {
    return row.kind != SubjectKind::kernel;
  });
}

// Its repair shortens the run, by more than it saves GPU time: the GPU idles beside copies, or behind calls.
[[nodiscard]] inline bool is_of_waits(const Finding& finding) {
  const bool more = finding.lost_ns && finding.subject_ns && *finding.lost_ns > *finding.subject_ns;
  return std::ranges::any_of(finding.subjects, [more](const SubjectRef& subject) {
    return subject.kind == SubjectKind::timeline || subject.kind == SubjectKind::allocated_again ||
           (more && subject.kind == SubjectKind::transfers);
  });
}

}  // namespace coalescope::analysis
