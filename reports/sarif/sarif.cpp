// Two points where the format says less than its readers want. A kernel without line information, or a class
// of transfers, is at no line of any file: its place is the program itself, because GitHub refuses a whole
// file for one result without a place. And a message may not hold single braces, which names of lambdas have.

#include "reports/sarif/sarif.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/clean.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rules/rules.h"
#include "reports/analysis/view/view.h"
#include "reports/manual/pages.h"
#include "reports/sarif/uri.h"

namespace coalescope::sarif {
namespace {

using Json = nlohmann::ordered_json;
using analysis::Finding;
using analysis::KernelRow;
using analysis::Level;
using analysis::Report;
using base::clean;

constexpr const char* kBase = "WORKING_DIRECTORY";

const char* level_name(Level level) {
  switch (level) {
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::severe:
      return "error";
  }
  return "none";
}

// "{0}" would be filled in, and "[text](target)" be a link.
std::string message_text(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) {
    if (c == '(' && out.ends_with(']')) out += ' ';
    out.append(c == '{' || c == '}' ? 2 : 1, c);
  }
  return out;
}

Json message(std::string_view text) {
  return {{"text", message_text(text)}};
}

// "Uncoalesced loads" is UncoalescedLoads: the kind of name that readers of SARIF show.
std::string opaque_name(std::string_view title) {
  std::string name;
  bool begins_word = true;
  for (const char c : title) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter) name += begins_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    begins_word = !letter;
  }
  return name;
}

Json rule_descriptor(const analysis::RuleAbout& rule) {
  const auto* page = manual::page_of(rule.id);
  const std::string_view title = page ? page->title : rule.title;
  Json descriptor = {{"id", rule.id},
                     {"name", opaque_name(title)},
                     {"shortDescription", {{"text", title}}},
                     {"fullDescription", {{"text", fmt::format("{}. Judged by: {}.", title, rule.measure)}}},
                     {"defaultConfiguration", {{"level", rule.note ? "note" : "warning"}}},
                     {"properties", {{"families", rule.families}, {"threshold", rule.limit}}}};
  if (page) descriptor["help"] = {{"text", page->text}, {"markdown", page->text}};
  return descriptor;
}

// All rules, each id once: loads and stores share theirs.
Json rule_descriptors() {
  Json descriptors = Json::array();
  for (const auto* rule : analysis::rule_catalogue())
    if (descriptors.empty() || descriptors.back()["id"].get<std::string>() != rule->id)
      descriptors.push_back(rule_descriptor(*rule));
  return descriptors;
}

Json artifact(std::string_view path, const Report& report) {
  const Place place = place_of(path, report.capture.working_directory);
  Json location = {{"uri", place.uri}};
  if (place.relative && !report.capture.working_directory.empty()) location["uriBaseId"] = kBase;
  return location;
}

std::string program_of(const Report& report, const KernelRow* kernel) {
  for (const auto& process : report.processes)
    if ((kernel == nullptr || process.id.value == kernel->process_id) && !process.executable.empty())
      return process.executable;
  return report.command.empty() || report.command.front().empty() ? "program" : report.command.front();
}

Json line_location(const Report& report, std::string_view file, std::optional<std::int64_t> line) {
  Json location = {{"artifactLocation", artifact(file, report)}};
  if (line.value_or(0) >= 1 && *line <= std::numeric_limits<std::int32_t>::max())
    location["region"] = {{"startLine", *line}};
  return location;
}

bool has_line(const std::optional<std::string>& file) {
  return file && !file->empty();
}

// The author's own line where it is known: a kernel of a library is none that he can change.
Json physical_location(const Report& report, const Finding& finding, const KernelRow* kernel) {
  if (has_line(finding.call_file)) return line_location(report, *finding.call_file, finding.call_line);
  if (has_line(finding.file)) return line_location(report, *finding.file, finding.line);
  return {{"artifactLocation", artifact(program_of(report, kernel), report)}};
}

// The stack, outermost first, and the kernel's line at its end.
Json code_flow(const Report& report, const Finding& finding) {
  Json steps = Json::array();
  const auto add = [&](std::string_view file, std::optional<std::int64_t> line, const std::string& text) {
    steps.push_back(
        {{"location",
          {{"physicalLocation", line_location(report, file, line)}, {"message", message(text)}}}});
  };
  auto frames = analysis::CallStacks(report.call_sites).stack(*finding.call_site_id);
  std::ranges::reverse(frames);
  for (const auto* frame : frames)
    if (has_line(frame->file)) add(*frame->file, frame->line, analysis::frame_text(*frame));
  if (has_line(finding.file)) add(*finding.file, finding.line, "in the kernel " + finding.subject);
  return Json::array({{{"threadFlows", Json::array({{{"locations", steps}}})}}});
}

Json logical_location(const Finding& finding, const KernelRow* kernel) {
  if (!kernel) return {{"fullyQualifiedName", clean(finding.subject)}, {"kind", "resource"}};
  return {{"name", clean(kernel->name)},
          {"fullyQualifiedName", clean(kernel->full_name)},
          {"decoratedName", clean(kernel->mangled_name)},
          {"kind", "function"}};
}

// What has no number is not there; `basis` says why.
Json properties_of(const Finding& finding) {
  Json properties = Json::object();
  if (finding.lost_ns) properties["lost_ns"] = *finding.lost_ns;
  if (finding.lost_share) properties["lost_share_of_run"] = *finding.lost_share;
  if (finding.subject_ns) properties["subject_gpu_ns"] = *finding.subject_ns;
  if (finding.lost_ns && finding.subject_ns.value_or(0) > 0)
    properties["lost_share_of_subject"] =
        static_cast<double>(*finding.lost_ns) / static_cast<double>(*finding.subject_ns);
  properties["basis"] = clean(finding.basis);
  return properties;
}

Json result_of(const Report& report, const Finding& finding, const KernelRow* kernel, const Json& rules) {
  Json result = {{"ruleId", finding.rule}};
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (rules[i]["id"] == finding.rule) result["ruleIndex"] = i;
  result["level"] = level_name(finding.level);
  result["message"] = message(
      fmt::format("{}: {}: {}. {}", finding.title, finding.subject, finding.evidence, finding.advice));
  result["locations"] =
      Json::array({{{"physicalLocation", physical_location(report, finding, kernel)},
                    {"logicalLocations", Json::array({logical_location(finding, kernel)})}}});
  if (has_line(finding.call_file) && has_line(finding.file))
    result["relatedLocations"] =
        Json::array({{{"id", 0},
                      {"physicalLocation", line_location(report, *finding.file, finding.line)},
                      {"message", message("the kernel's own line")}}});
  if (has_line(finding.call_file) && finding.call_site_id) result["codeFlows"] = code_flow(report, finding);
  if (finding.lost_share) result["rank"] = std::min(100.0, std::max(0.0, *finding.lost_share * 100));
  result["properties"] = properties_of(finding);
  return result;
}

// What the reader must know before believing the rest.
Json invocation_of(const Report& report) {
  Json notices = Json::array();
  for (const auto& notice : report.notices)
    notices.push_back({{"level", "warning"}, {"message", message(notice.text)}});
  return {{"executionSuccessful", true}, {"toolExecutionNotifications", notices}};
}

Json finding_results(const Report& report, const Json& rules) {
  const auto kernels = analysis::kernels_by_id(report);
  Json results = Json::array();
  for (const auto& finding : analysis::ranked_findings(report)) {
    const auto kernel = finding.kernel_id ? kernels.find(*finding.kernel_id) : kernels.end();
    results.push_back(result_of(report, finding, kernel == kernels.end() ? nullptr : kernel->second, rules));
  }
  return results;
}

// What the gate itself looks for, beside the rules of reports.
Json gate_descriptors() {
  constexpr std::string_view kHelp =
      "What a repository demands of its captures stands in its .coalescope.toml, and on the command line.";
  Json descriptors = Json::array();
  for (const auto& [id, title] : {std::pair{gate::kRegression, "A count is worse than the baseline's"},
                                  std::pair{gate::kDegree, "A degree of coalescing is below the limit"},
                                  std::pair{gate::kLostTime, "The findings cost more than the limit"}})
    descriptors.push_back(
        {{"id", id},
         {"name", opaque_name(title)},
         {"shortDescription", {{"text", title}}},
         {"fullDescription", {{"text", fmt::format("{}. Judged by coalescope check.", title)}}},
         {"help", {{"text", kHelp}, {"markdown", kHelp}}},
         {"defaultConfiguration", {{"level", "error"}}}});
  return descriptors;
}

Json violation_result(const Report& report, const gate::Violation& violation, const Json& rules) {
  const auto kernels = analysis::kernels_by_id(report);
  Json result;
  if (violation.finding) {
    const Finding& finding = report.findings[*violation.finding];
    const auto kernel = finding.kernel_id ? kernels.find(*finding.kernel_id) : kernels.end();
    result = result_of(report, finding, kernel == kernels.end() ? nullptr : kernel->second, rules);
  } else {
    result = {{"ruleId", violation.rule},
              {"message",
               message(fmt::format("{}: {}: {}", violation.title, violation.subject, violation.message))}};
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (rules[i]["id"] == violation.rule) result["ruleIndex"] = i;
    const Json physical = has_line(violation.file)
                              ? line_location(report, *violation.file, violation.line)
                              : Json{{"artifactLocation", artifact(program_of(report, nullptr), report)}};
    result["properties"] = {{"basis", "what is counted, and the policy of the repository"}};
    result["locations"] = Json::array(
        {{{"physicalLocation", physical},
          {"logicalLocations",
           Json::array({{{"fullyQualifiedName", clean(violation.subject)}, {"kind", "resource"}}})}}});
  }
  result["level"] = violation.severity == gate::Severity::error ? "error" : "warning";
  if (violation.suppressed)
    result["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", message_text(*violation.suppressed)}}});
  return result;
}

}  // namespace

std::string to_sarif(const analysis::Report& report, std::string_view version, const gate::Result* gate) {
  Json rules = rule_descriptors(), results;
  if (gate) {
    for (auto& descriptor : gate_descriptors()) rules.push_back(std::move(descriptor));
    results = Json::array();
    for (const auto& violation : gate->violations)
      results.push_back(violation_result(report, violation, rules));
  } else {
    results = finding_results(report, rules);
  }
  Json command = Json::array();
  for (const auto& word : report.command) command.push_back(clean(word));
  Json run = {
      {"tool",
       {{"driver",
         {{"name", "coalescope"}, {"version", version}, {"semanticVersion", version}, {"rules", rules}}}}},
      {"invocations", Json::array({invocation_of(report)})},
      {"columnKind", "utf16CodeUnits"},
      {"results", results},
      {"properties",
       {{"command", command},
        {"capture", clean(report.capture_path)},
        {"gpu_ns", analysis::run_ns(report.totals)}}}};
  if (!report.capture.working_directory.empty())
    run["originalUriBaseIds"] = {{kBase, {{"uri", directory_uri(report.capture.working_directory)}}}};
  const Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                    {"version", "2.1.0"},
                    {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace coalescope::sarif
