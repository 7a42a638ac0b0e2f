#include "reports/folded/folded.h"

#include <algorithm>
#include <map>

#include "core/base/clean.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/view/savings.h"

namespace coalescope::folded {
namespace {

using analysis::CallStacks;
using analysis::Report;
using Lines = std::map<std::string, std::int64_t>;

constexpr std::string_view kUnknown = "(unknown call site)";

// A frame's name must not look like several, nor like a weight.
std::string plain(std::string text) {
  std::ranges::replace(text, ';', ',');
  std::ranges::replace(text, '\n', ' ');
  return base::clean(text);
}

// A finding has a line, which several modules of PyTorch may call: its stack is shown without them.
std::string stack_text(const CallStacks& stacks, std::int64_t site, bool with_modules = true) {
  std::string text;
  auto frames = stacks.stack(site);
  std::ranges::reverse(frames);
  for (const auto* frame : frames)
    if (with_modules || frame->kind != model::FrameKind::torch_module)
      text += (text.empty() ? "" : ";") + plain(analysis::frame_text(*frame));
  return text.empty() ? std::string(kUnknown) : text;
}

void add(Lines& lines, const std::string& stack, const std::string& what, std::int64_t weight) {
  if (weight > 0) lines[stack + ";" + plain(what)] += weight;
}

template <class Row>
void add_row(const CallStacks& stacks, const Row& row, const std::string& name, Lines& lines) {
  for (const auto& use : row.call_sites)
    if (use.role != model::SiteRole::graph_node)
      add(lines, stack_text(stacks, use.call_site_id), name, use.estimated_ns);
  if (row.call_sites.empty()) add(lines, std::string(kUnknown), name, row.gpu_ns.value_or(0));
}

}  // namespace

const std::vector<std::string>& weight_names() {
  static const std::vector<std::string> kNames{"gpu-time", "lost-time"};
  return kNames;
}

std::optional<Weight> weight_of(std::string_view name) {
  const auto found = std::ranges::find(weight_names(), name);
  if (found == weight_names().end()) return std::nullopt;
  return static_cast<Weight>(found - weight_names().begin());
}

std::string to_folded(const Report& report, Weight weight) {
  const CallStacks stacks(report.call_sites);
  Lines lines;
  if (weight == Weight::gpu_time) {
    for (const auto& row : report.kernels) add_row(stacks, row, row.name, lines);
    for (const auto& row : report.transfers) add_row(stacks, row, analysis::transfer_class_name(row), lines);
  } else {
    const auto counted = analysis::counted_findings(report);
    for (const auto& finding : report.findings)
      if (counted.contains(&finding))
        add(lines,
            finding.call_site_id ? stack_text(stacks, *finding.call_site_id, false) : std::string(kUnknown),
            finding.rule + " " + finding.title + ": " + finding.subject, finding.lost_ns.value_or(0));
  }
  std::string text;
  for (const auto& [stack, sum] : lines) text += stack + " " + std::to_string(sum) + "\n";
  return text;
}

}  // namespace coalescope::folded
