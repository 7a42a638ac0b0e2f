#pragma once
// Two captures of a program, before a change and after it, compared: plain data for every format. Made by
// compare() from two Reports. What decides is what the GPU counts, which is the same in each recording of one
// program; times are advice.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/enums.h"
#include "reports/analysis/fields.h"

namespace coalescope::comparison {

// `changed`: neither better nor worse, or both.
enum class Judgement { same, better, worse, changed };
inline constexpr std::array kJudgementNames{
    model::EnumName{Judgement::same, "same"}, model::EnumName{Judgement::better, "better"},
    model::EnumName{Judgement::worse, "worse"}, model::EnumName{Judgement::changed, "changed"}};
constexpr std::string_view name_of(Judgement value) {
  return model::name_in(kJudgementNames, value);
}

// One number of both captures, judged by change.h.
struct Number {
  std::string key;    // "load_sectors": stable
  std::string label;  // "load sectors"
  analysis::Show show = analysis::Show::count;
  std::optional<double> before, after;
  double noise = 0;  // a difference of up to this share of the larger one is none
  Judgement judgement = Judgement::same;
  bool advice = false;  // it decides nothing: a time, or what other work on the GPU changes
};

// How a kernel of one capture was found in the other.
enum class Match { same, other_block, other_arguments, renamed, only_before, only_after };
inline constexpr std::array kMatchNames{model::EnumName{Match::same, "same"},
                                        model::EnumName{Match::other_block, "other_block"},
                                        model::EnumName{Match::other_arguments, "other_arguments"},
                                        model::EnumName{Match::renamed, "renamed"},
                                        model::EnumName{Match::only_before, "only_before"},
                                        model::EnumName{Match::only_after, "only_after"}};
constexpr std::string_view name_of(Match value) {
  return model::name_in(kMatchNames, value);
}

// A kernel family of both captures, or of one. Counts are sums over the shapes that both have and measured,
// each as often as it was launched before.
struct KernelChange {
  Match match = Match::same;
  std::string name;                        // after the change, where there is one
  std::optional<std::string> before_name;  // where it had another
  std::optional<std::string> call_site;
  std::optional<double> share;  // of the run's GPU time, the larger of both
  std::int64_t shapes_compared = 0, shapes_before = 0, shapes_after = 0;
  std::optional<bool> equal_code;  // the cubins' checksums; nullopt: not known of both
  std::vector<Number> numbers;
  std::string not_compared;  // why there are no counts; empty: there are
  Judgement judgement = Judgement::same;
  bool decides = false;   // it is large enough, and no tool's
  double more_bytes = 0;  // that its accesses moved, in sectors, over those shapes
  // Places in Report::kernel_families of the one and the other.
  std::optional<std::size_t> before_family, after_family;
};

enum class FindingState { same, better, worse, appeared, vanished };
inline constexpr std::array kFindingStateNames{
    model::EnumName{FindingState::same, "same"}, model::EnumName{FindingState::better, "better"},
    model::EnumName{FindingState::worse, "worse"}, model::EnumName{FindingState::appeared, "appeared"},
    model::EnumName{FindingState::vanished, "vanished"}};
constexpr std::string_view name_of(FindingState value) {
  return model::name_in(kFindingStateNames, value);
}

struct FindingChange {
  FindingState state = FindingState::same;
  std::string rule, title, subject;
  std::optional<std::string> call_site;
  std::optional<std::string> file;
  std::optional<std::int64_t> line;
  std::optional<std::int64_t> before_lost_ns, after_lost_ns;  // predicted
  // Of one that vanished or got better: how much less GPU time its subject takes; nullopt: `why` says why.
  std::optional<std::int64_t> gained_ns;
  std::string why;       // what the state rests on
  bool decides = false;  // something that is counted changed with it
  // Places in Report::findings of the one and the other.
  std::optional<std::size_t> before, after;
};

// A class of transfers, a kind of memory, or the run.
struct RowChange {
  std::string name;
  std::vector<Number> numbers;
  Judgement judgement = Judgement::same;
};

// One of the two captures.
struct Side {
  std::string path, command, gpus, tool_version;
  std::int64_t started_unix_ns = 0;
  std::optional<double> measured_share;  // of its kernels' GPU time, in kernels whose bytes were measured
};

struct Comparison {
  Side before, after;
  std::vector<std::string> not_comparable;  // each why; empty: they can be compared
  std::vector<std::string> notes;           // what a reader must know to judge the rest
  std::optional<double> coverage;           // of the kernels' GPU time after, in kernels that were compared
  Judgement judgement = Judgement::same;
  bool is_worse = false;                // something is, also where something else is better
  std::string verdict;                  // the one sentence
  std::vector<KernelChange> kernels;    // changed ones first, by the bytes that they move more or less
  std::vector<FindingChange> findings;  // those that decide first
  std::vector<FindingChange>
      aside_findings;  // in both captures, or in the only one; for the gate, never shown
  std::vector<RowChange> transfers, memory;
  RowChange run;
};

}  // namespace coalescope::comparison
