#include "reports/analysis/judge/merge_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/base/whole.h"
#include "reports/analysis/figures/called_for.h"
#include "reports/analysis/judge/merging.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

constexpr std::size_t kMostNames = 3;

struct RowsById {
  std::unordered_map<std::int64_t, const KernelRow*> kernels;
  std::unordered_map<std::int64_t, const TransferRow*> transfers;
};

RowsById rows_by_id(const Report& report) {
  RowsById rows;
  for (const auto& row : report.kernels) rows.kernels.emplace(row.id, &row);
  for (const auto& row : report.transfers) rows.transfers.emplace(row.id, &row);
  return rows;
}

// "elementwise_kernel" of all its instances.
std::string function_of(const KernelRow& row) {
  return row.owner + " " + row.name.substr(0, row.name.find('<'));
}

// Two in a row are how layers are put together, such as a bias and an activation: every program that runs
// its operations one by one has them.
constexpr double kLeastInARow = 3;

bool is_of_functions(const Finding& finding) {
  return about_rule(finding).is_of_functions;
}

// The function of the author's that makes the call.
std::string caller_of(const Finding& finding, const CallStacks& stacks) {
  const CallSiteRow* frame = finding.call_site_id ? stacks.own_frame(*finding.call_site_id) : nullptr;
  return frame == nullptr ? std::string() : frame->function;
}

// What the findings of one call have in common; empty: the finding stays by itself. Where calls have no line,
// a function's memory sets are taken for those of one call.
std::string callee_of(const Finding& finding, const RowsById& rows, const CallStacks& stacks) {
  const SubjectRef& first = finding.subjects.front();
  const auto transfers =
      first.kind == SubjectKind::transfers ? rows.transfers.find(first.row) : rows.transfers.end();
  if (!finding.call_file) {
    const bool sets =
        transfers != rows.transfers.end() && transfers->second->direction == model::Direction::set;
    return sets ? caller_of(finding, stacks) : std::string();
  }
  if (transfers != rows.transfers.end())
    return transfer_way_name(*transfers->second);  // one line copies batches of all sizes
  if (about_rule(finding).has_one_repair) return finding.rule;
  if (is_of_functions(finding)) return finding.rule + " " + caller_of(finding, stacks);
  const auto row = finding.kernel_id ? rows.kernels.find(*finding.kernel_id) : rows.kernels.end();
  if (row == rows.kernels.end() || row->second->owner.empty()) return {};
  return function_of(*row->second);
}

using CallKey = std::tuple<std::string, std::string, std::string, std::string, std::int64_t, int>;

// Transfers differ in their advice only by what their call is named.
CallKey key_of(const Finding& finding, const std::string& callee) {
  return {finding.rule,
          finding.kernel_id && !is_of_functions(finding) ? finding.advice_id : std::string(),
          callee,
          finding.call_file.value_or(""),
          is_of_functions(finding) ? 0 : finding.call_line.value_or(0),
          finding.aside ? static_cast<int>(*finding.aside) + 1 : 0};
}

// Of `first` and those that it took in.
void name_all(Finding& first, const std::vector<std::string>& others) {
  // Most of these are the same operations, some of which were measured and stand in no order.
  if (is_of_functions(first)) {
    if (first.lost_ns) first.basis += "; summed over all such operations of that function";
    return;
  }
  const std::string_view caller = first.call_file ? "call" : "function";
  const std::string_view parts = first.kernel_id                           ? "kernels"
                                 : first.subject.starts_with("memory set") ? "sets"
                                                                           : "copies";
  if (first.kernel_id) {
    std::string names;
    for (std::size_t i = 0; i < std::min(others.size(), kMostNames); ++i)
      names += (names.empty() ? "" : ", ") + others[i];
    if (others.size() > kMostNames) names += " and others";
    first.evidence += fmt::format("; the same call also runs {}", names);
  } else {
    first.evidence += fmt::format("; the same {} makes {} of {} more {}", caller, parts, others.size(),
                                  others.size() == 1 ? "size" : "sizes");
  }
  if (first.lost_ns) first.basis += fmt::format("; summed over all {} of that {}", parts, caller);
}

// Of the same kernel, or of several with all that the finding is about.
bool is_about_all_of(const Finding& cause, const Finding& finding) {
  if (cause.kernel_id == finding.kernel_id) return true;
  return !cause.kernel_id && std::ranges::all_of(finding.kernel_ids, [&](std::int64_t id) {
    return std::ranges::find(cause.kernel_ids, id) != cause.kernel_ids.end();
  });
}

double operations_in_a_row(const Finding& finding) {
  return figure_in(finding.facts, "operations").value_or(0);
}

bool is_about(const Finding& finding, SubjectKind kind) {
  return std::ranges::find(finding.subjects, kind, &SubjectRef::kind) != finding.subjects.end();
}

// RuleAbout::added_to.
bool adds_to(const Finding& finding, const Finding& cause) {
  return about_rule(finding).added_to == cause.rule;
}

bool are_at_one_line(const Finding& one, const Finding& other) {
  return one.call_line &&
         std::tie(one.call_file, one.call_line) == std::tie(other.call_file, other.call_line);
}

// The idle moments beside the copies of one line say nothing of another's.
bool is_at_another_line(const Finding& cause, const Finding& finding) {
  if (adds_to(finding, cause)) return !are_at_one_line(cause, finding);
  return is_about(cause, SubjectKind::timeline) && is_about(finding, SubjectKind::transfers) &&
         std::tie(cause.call_file, cause.call_line) != std::tie(finding.call_file, finding.call_line);
}

// The idle moments of two rules about waits are the same but for their edges.
constexpr double kSameWaits = 0.8;

// The first of those whose repairs end what the finding is about and together save as much; nullptr: it
// stands by itself.
Finding* repaired_with(const Finding& finding, std::vector<Finding>& findings) {
  const std::string_view ended_by = about_rule(finding).ended_by;
  if (ended_by.empty()) return nullptr;
  Finding* first = nullptr;
  std::int64_t saved_ns = 0;
  for (Finding& each : findings) {
    const bool is_shown = !each.aside || each.aside == finding.aside;
    if (ended_by.find(each.rule) == std::string_view::npos || !is_shown || !is_about_all_of(each, finding) ||
        is_at_another_line(each, finding))
      continue;
    if (first == nullptr) first = &each;
    base::add_to(saved_ns, each.lost_ns.value_or(0));
  }
  const double part = first != nullptr && is_of_waits(*first) && is_of_waits(finding) ? kSameWaits : 1;
  return part * static_cast<double>(finding.lost_ns.value_or(0)) <= static_cast<double>(saved_ns) ? first
                                                                                                  : nullptr;
}

void add_loss(Finding& cause, const Finding& finding) {
  const auto add = [](std::optional<std::int64_t>& sum, std::optional<std::int64_t> part) {
    if (sum && part) sum = base::sum_of(*sum, *part);
  };
  add(cause.lost_ns, finding.lost_ns);
  add(cause.least_lost_ns, finding.least_lost_ns);
  add(cause.most_lost_ns, finding.most_lost_ns);
  if (cause.lost_share && finding.lost_share) *cause.lost_share += *finding.lost_share;
  cause.basis += "; " + finding.basis;
  cause.advice += " " + finding.advice;
}

}  // namespace

void merge_calls(std::vector<Finding>& findings, const Report& report) {
  const RowsById rows = rows_by_id(report);
  const CallStacks stacks(report.call_sites);
  std::map<CallKey, std::size_t> places;
  std::vector<Finding> merged;
  std::vector<std::vector<std::string>> names;  // of what each took in
  std::vector<double> in_a_row;                 // the most of what each took in
  for (Finding& finding : findings) {
    const std::string callee = callee_of(finding, rows, stacks);
    if (!callee.empty()) {
      const auto [place, is_new] = places.emplace(key_of(finding, callee), merged.size());
      if (!is_new) {
        auto& others = names[place->second];
        if (finding.subject != merged[place->second].subject &&
            std::ranges::find(others, finding.subject) == others.end())
          others.push_back(finding.subject);
        in_a_row[place->second] = std::max(in_a_row[place->second], operations_in_a_row(finding));
        merge_into(merged[place->second], std::move(finding));
        continue;
      }
    }
    in_a_row.push_back(operations_in_a_row(finding));
    merged.push_back(std::move(finding));
    names.emplace_back();
  }
  findings.clear();
  for (std::size_t i = 0; i < merged.size(); ++i) {
    if (is_of_functions(merged[i]) && in_a_row[i] < kLeastInARow) continue;
    if (!names[i].empty()) name_all(merged[i], names[i]);
    findings.push_back(std::move(merged[i]));
  }
}

void merge_gradients(std::vector<Finding>& findings) {
  const auto forward = std::ranges::find_if(findings, [](const Finding& each) {
    return each.advice_id == kCompileAdvice || each.advice_id == kAttentionAdvice;
  });
  if (forward == findings.end()) return;
  const auto is_of_gradients = [](const Finding& each) { return each.advice_id == kCompileForwardAdvice; };
  for (const Finding& each : findings) {
    if (!is_of_gradients(each)) continue;
    forward->evidence += "; for their gradients " + each.evidence;
    forward->basis += "; with the operations of their gradients";
    merge_into(*forward, Finding(each));
  }
  std::erase_if(findings, is_of_gradients);
}

void merge_operands(std::vector<Finding>& findings, const Report& report) {
  const CallStacks stacks(report.call_sites);
  const RowsById rows = rows_by_id(report);
  const auto attention = std::ranges::find(findings, kAttentionAdvice, &Finding::advice_id);
  if (attention == findings.end()) return;
  const std::string function = caller_of(*attention, stacks);
  const auto is_operand = [&](const Finding& each) {
    const auto row = each.kernel_id ? rows.kernels.find(*each.kernel_id) : rows.kernels.end();
    return !each.aside && row != rows.kernels.end() && called_for(*row->second) == CalledFor::copy &&
           !function.empty() && caller_of(each, stacks) == function;
  };
  for (const Finding& each : findings) {
    if (!is_operand(each)) continue;
    attention->evidence += "; for its operands " + each.evidence;
    attention->basis += "; with the copies of its operands";
    merge_into(*attention, Finding(each));
  }
  std::erase_if(findings, is_operand);
}

void merge_consequences(std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < findings.size();) {
    Finding* const cause = repaired_with(findings[i], findings);
    if (cause == nullptr) {
      ++i;
      continue;
    }
    cause->evidence += "; " + findings[i].evidence;
    const bool adds = adds_to(findings[i], *cause) || adds_to(*cause, findings[i]);
    if (adds && are_at_one_line(*cause, findings[i])) add_loss(*cause, findings[i]);
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace coalescope::analysis
