// Prints the pages of docs/ that follow from the code: `reference_pages schema|metrics|diagnostics|glossary`.

#include <cstdio>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/capture/schema.h"
#include "core/model/diagnostic_kinds.h"
#include "core/model/metric.h"
#include "core/model/metric_gaps.h"
#include "reports/analysis/glossary.h"
#include "reports/analysis/notice_kinds.h"

namespace {

using namespace coalescope;

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

std::string type_of(const capture::ColumnInfo& column) {
  return fmt::format("{}{}", column.type, column.nullable ? ", or NULL" : "");
}

std::string table_section(const capture::TableInfo& table) {
  std::string text =
      fmt::format("\n### {}\n\n{} Key: {}.\n\n| column | type | refers to | |\n|---|---|---|---|\n",
                  table.name, table.doc, code(table.key));
  for (const capture::ColumnInfo& column : table.columns)
    text += fmt::format("| `{}` | {} | {} | {} |\n", column.name, type_of(column), code(column.refers_to),
                        column.doc);
  return text;
}

std::string lookup_section(const capture::LookupInfo& lookup) {
  std::string text =
      fmt::format("\n### {}\n\n{}\n\n| id | name |\n|---|---|\n", lookup.table.name, lookup.table.doc);
  for (const auto& [id, name] : lookup.entries) text += fmt::format("| {} | {} |\n", id, name);
  return text;
}

std::string schema_page() {
  std::string text = fmt::format(
      R"(# The capture file

Generated from `core/capture/tables.h` by `scripts/update_docs`; a test compares them.

A capture is one SQLite file, readable with any SQLite 3.37 or later: application id {:#x} ("coal"), schema version
{} (`PRAGMA user_version`). While a program is recorded, a second file with `-wal` behind its name belongs to it.

- Tables are STRICT: a column holds its type, and NULL only where it says so.
- **NULL means that something was not measured**, and `coverage` or `diagnostic` says why. A measured zero is 0.
- Times are integer nanoseconds. A moment counts from `capture.started_unix_ns`; names with `gpu_ns`, `cost_ns` and
  `duration_ns` are durations.
- An id means something in its own file only. Two captures are compared by kernel name and shape.
- Numbers of an enumeration are names in the table of [that enumeration](#enumerations).

For example, the degree of coalescing of each kernel's loads:

```sql
SELECT kernel.name,
       sum(reading.value) FILTER (WHERE metric.key = 'global_load_bytes') /
       (32.0 * sum(reading.value) FILTER (WHERE metric.key = 'global_load_sectors')) AS degree
FROM reading
JOIN metric ON metric.id = reading.metric_id
JOIN launch ON launch.id = reading.launch_id
JOIN kernel_group ON kernel_group.id = launch.group_id
JOIN kernel ON kernel.id = kernel_group.kernel_id
GROUP BY kernel.id
ORDER BY degree;
```

## Tables
)",
      capture::kApplicationId, capture::kSchemaVersion);
  for (const capture::TableInfo& table : capture::tables()) text += table_section(table);
  text += "\n## Enumerations\n";
  for (const capture::LookupInfo& lookup : capture::lookups()) text += lookup_section(lookup);
  return text;
}

std::string gaps_section() {
  std::string text = R"(
## On which chips

Every chip from Turing to Blackwell has all of them but these, and reads each phase in one pass: `coalescope metrics` asks
the CUPTI of this machine. GPUs older than Turing take several passes, and have times only. The table names the beginnings
of chips' names, from `core/model/metric_gaps.h`.

| key | not on | because | instead |
|---|---|---|---|
)";
  for (const model::MetricGap& gap : model::kMetricGaps)
    text += fmt::format("| `{}` | {} | {} | {} |\n", model::metric(gap.metric).key, gap.chips, gap.why,
                        gap.instead.empty() ? "" : code(gap.instead));
  return text;
}

std::string metrics_page() {
  std::string text = R"(# Metrics

Generated from `core/model/metric.cpp` by `scripts/update_docs`; a test compares them.

What a capture counts, for each launch or, in phase `lines`, for each instruction. Where two CUPTI names are given,
chips differ; the one that was used stands in the capture's table `metric`.

| id | key | phase | unit | CUPTI | |
|---|---|---|---|---|---|
)";
  for (const model::Metric& metric : model::metric_catalogue()) {
    std::string names = code(metric.cupti_names[0]);
    if (!metric.cupti_names[1].empty()) names += " or " + code(metric.cupti_names[1]);
    text +=
        fmt::format("| {} | `{}` | {} | {} | {} | {} |\n", static_cast<std::int64_t>(metric.id), metric.key,
                    model::name_of(metric.phase), model::name_of(metric.unit), names, metric.doc);
  }
  return text + gaps_section();
}

// In the words of the page, a detail is "...".
std::string with_dots(std::string_view text) {
  std::string shown(text);
  for (auto at = shown.find("{}"); at != std::string::npos; at = shown.find("{}", at))
    shown.replace(at, 2, "...");
  return shown;
}

std::string kind_row(const model::DiagnosticKind& kind) {
  return fmt::format("| {} | `{}` | {} | {} | {} |\n", kind.origin.empty() ? "any" : code(kind.origin),
                     kind.code, model::name_of(kind.severity), with_dots(kind.happened), kind.remedy);
}

std::string diagnostics_page() {
  std::string text = R"(# Diagnostics

Generated from `core/model/diagnostic_kinds.h` and `reports/analysis/notice_kinds.h` by `scripts/update_docs`; a test
compares them.

What the capture's table `diagnostic` may hold. A report begins with those that are errors, or tell of data that are
missing; `--verbose` lists all. "..." is a detail: a name, a number, the driver's own words.

| origin | code | severity | what happened | what to do |
|---|---|---|---|---|
)";
  for (const model::DiagnosticKind& kind : model::kDiagnosticKinds) text += kind_row(kind);
  text += R"(
## Notices

What a report may say of a capture at its top, beside these diagnostics. JSON has their codes in `notice_rows`.

| origin | code | severity | what happened | what to do |
|---|---|---|---|---|
)";
  for (const model::DiagnosticKind& kind : analysis::kNoticeKinds) text += kind_row(kind);
  return text;
}

std::string glossary_page() {
  std::string text = R"(# Glossary

Generated from `reports/analysis/glossary.h` by `scripts/update_docs`; a test compares them.

One word for one thing, in the code, in the capture, on the command line and in the reports.

| term | meaning |
|---|---|
)";
  for (const analysis::Term& term : analysis::kGlossary)
    text += fmt::format("| **{}** | {} |\n", term.term, term.definition);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string_view, std::function<std::string()>> pages{{"schema", schema_page},
                                                                       {"metrics", metrics_page},
                                                                       {"diagnostics", diagnostics_page},
                                                                       {"glossary", glossary_page}};
  const auto page = pages.find(argc == 2 ? argv[1] : "");
  if (page == pages.end()) {
    std::fputs("usage: reference_pages schema|metrics|diagnostics|glossary\n", stderr);
    return 2;
  }
  std::fputs(page->second().c_str(), stdout);
}
