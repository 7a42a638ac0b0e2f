#pragma once
// The members of a comparison, declared for JSON and its schema.

#include "reports/analysis/fields.h"
#include "reports/comparison/comparison.h"

namespace coalescope::analysis {

template <>
struct Fields<comparison::Number> {
  using Row = comparison::Number;
  static constexpr std::string_view kName = "number", kAbout = "One number of both captures.";
  static constexpr auto kAll =
      base::pack(Field{"key", &Row::key, "", "", Show::hidden, "", "Such as load_sectors."},
                 Field{"label", &Row::label, "", "", Show::hidden, "", "The same for people."},
                 Field{"before", &Row::before, "", "", Show::hidden, "", "Null: not measured."},
                 Field{"after", &Row::after, ""},
                 Field{"noise", &Row::noise, "", "", Show::hidden, "",
                       "A difference of up to this share of the larger number is none."},
                 Field{"judgement", &Row::judgement, ""},
                 Field{"advice", &Row::advice, "", "", Show::hidden, "",
                       "It decides nothing: a time, or what other work on the GPU changes."});
};

template <>
struct Fields<comparison::KernelChange> {
  using Row = comparison::KernelChange;
  static constexpr std::string_view kName = "kernel_change",
                                    kAbout = "A kernel, in all shapes, of both captures or of one.";
  static constexpr auto kAll = base::pack(
      Field{"match", &Row::match, "", "", Show::hidden, "",
            "How it was found: the same function and block, with another block, with other template "
            "arguments, renamed at the same call site, or in one capture only."},
      Field{"name", &Row::name, ""},
      Field{"before_name", &Row::before_name, "", "", Show::hidden, "", "Where it had another."},
      Field{"call_site", &Row::call_site, ""},
      Field{"share", &Row::share, "", "", Show::hidden, "", "Of the run's GPU time, the larger of both."},
      Field{"shapes_compared", &Row::shapes_compared, "", "", Show::hidden, "",
            "That both captures have and measured."},
      Field{"shapes_before", &Row::shapes_before, ""}, Field{"shapes_after", &Row::shapes_after, ""},
      Field{"equal_code", &Row::equal_code, "", "", Show::hidden, "",
            "Whether the checksums of its cubins are equal; null: not known of both."},
      Field{"numbers", &Row::numbers, "", "", Show::hidden, "",
            "Sums over the shapes compared, each as often as it was launched before."},
      Field{"not_compared", &Row::not_compared, "", "", Show::hidden, "",
            "Why there are no counts; empty: there are."},
      Field{"judgement", &Row::judgement, ""},
      Field{"decides", &Row::decides, "", "", Show::hidden, "",
            "It takes enough of the run to count, and is no tool's."},
      Field{"more_bytes", &Row::more_bytes, "", "", Show::hidden, "",
            "That its accesses moved after the change, in sectors; below 0: fewer."});
};

template <>
struct Fields<comparison::FindingChange> {
  using Row = comparison::FindingChange;
  static constexpr std::string_view kName = "finding_change", kAbout = "A finding of one capture or both.";
  static constexpr auto kAll = base::pack(
      Field{"state", &Row::state, ""}, Field{"rule", &Row::rule, ""}, Field{"title", &Row::title, ""},
      Field{"subject", &Row::subject, ""}, Field{"call_site", &Row::call_site, ""},
      Field{"file", &Row::file, ""}, Field{"line", &Row::line, ""},
      Field{"before_lost_ns", &Row::before_lost_ns, "", "", Show::hidden, "", "Predicted."},
      Field{"after_lost_ns", &Row::after_lost_ns, ""},
      Field{"gained_ns", &Row::gained_ns, "", "", Show::hidden, "",
            "Of one that vanished or got better: how much less GPU time its subject takes; null: why says "
            "why."},
      Field{"why", &Row::why, "", "", Show::hidden, "", "What the state rests on."},
      Field{"decides", &Row::decides, "", "", Show::hidden, "",
            "Something that is counted changed with it."});
};

template <>
struct Fields<comparison::RowChange> {
  using Row = comparison::RowChange;
  static constexpr std::string_view kName = "row_change",
                                    kAbout = "A class of transfers, a kind of memory, or the run.";
  static constexpr auto kAll = base::pack(Field{"name", &Row::name, ""}, Field{"numbers", &Row::numbers, ""},
                                          Field{"judgement", &Row::judgement, ""});
};

template <>
struct Fields<comparison::Side> {
  using Row = comparison::Side;
  static constexpr std::string_view kName = "side", kAbout = "One of the two captures.";
  static constexpr auto kAll = base::pack(
      Field{"path", &Row::path, ""}, Field{"command", &Row::command, ""}, Field{"gpus", &Row::gpus, ""},
      Field{"tool_version", &Row::tool_version, ""}, Field{"started_unix_ns", &Row::started_unix_ns, ""},
      Field{"measured_share", &Row::measured_share, "", "", Show::hidden, "",
            "Of its kernels' GPU time, in kernels whose bytes were measured."});
};

template <>
struct Fields<comparison::Comparison> {
  using Row = comparison::Comparison;
  static constexpr std::string_view kName = "comparison", kAbout = "Two captures of a program compared.";
  static constexpr auto kAll = base::pack(
      Field{"before", &Row::before, ""}, Field{"after", &Row::after, ""},
      Field{"not_comparable", &Row::not_comparable, "", "", Show::hidden, "",
            "Each reason; empty: they can be compared."},
      Field{"notes", &Row::notes, "", "", Show::hidden, "", "What a reader must know to judge the rest."},
      Field{"coverage", &Row::coverage, "", "", Show::hidden, "",
            "Of the kernels' GPU time after, in kernels that were compared."},
      Field{"judgement", &Row::judgement, ""},
      Field{"is_worse", &Row::is_worse, "", "", Show::hidden, "",
            "Something is worse, also where something else is better."},
      Field{"verdict", &Row::verdict, "", "", Show::hidden, "", "The one sentence."},
      Field{"kernels", &Row::kernels, "", "", Show::hidden, "", "Changed ones first."},
      Field{"findings", &Row::findings, "", "", Show::hidden, "", "Those that decide first."},
      Field{"transfers", &Row::transfers, ""}, Field{"memory", &Row::memory, ""},
      Field{"run", &Row::run, ""});
};

}  // namespace coalescope::analysis
