// The order: leave out what was not asked for, then what stands aside, then sort, then cut; a limit must take
// the first rows of the order that the reader chose.

#include "reports/analysis/view/view.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/name_filter.h"
#include "reports/analysis/notice_kinds.h"
#include "reports/analysis/view/view_order.h"

namespace coalescope::analysis {
namespace {

struct KeyName {
  SortKey key;
  std::string_view name, words;
};
constexpr std::array kKeyNames{KeyName{SortKey::lost, "lost", "by time lost"},
                               KeyName{SortKey::time, "time", "by GPU time"},
                               KeyName{SortKey::launches, "launches", "by launches"},
                               KeyName{SortKey::degree, "degree", "by degree of coalescing"},
                               KeyName{SortKey::bytes, "bytes", "by bytes"},
                               KeyName{SortKey::name, "name", "by name"}};

template <class Row, class Keep>
void keep_if(std::vector<Row>& rows, std::vector<Row>& hidden, Keep keep) {
  const auto left = std::stable_partition(rows.begin(), rows.end(), keep);
  hidden.insert(hidden.end(), std::move_iterator(left), std::move_iterator(rows.end()));
  rows.erase(left, rows.end());
}

template <class Row>
void cut(std::vector<Row>& rows, std::vector<Row>& hidden, std::size_t limit) {
  std::size_t index = 0;
  keep_if(rows, hidden, [&](const Row&) { return index++ < limit; });
}

template <class Row>
void cut(std::vector<Row>& rows, std::size_t limit) {
  if (rows.size() > limit) rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(limit), rows.end());
}

void keep_kernels(Report& report, const base::NameFilter& filter) {
  std::set<std::int64_t> kept;
  for (const auto& row : report.kernels)
    if (filter.matches(row.mangled_name) || filter.matches(row.full_name) || filter.matches(row.name))
      kept.insert(row.id);
  const auto of_kept = [&](const auto& row) { return kept.contains(row.kernel_id); };
  keep_if(report.kernels, report.hidden.kernels, [&](const KernelRow& row) { return kept.contains(row.id); });
  keep_if(report.kernel_families, report.hidden.kernel_families,
          [&](const KernelFamily& family) { return kept.contains(family.kernel_ids.front()); });
  keep_if(report.lines, report.hidden.lines, of_kept);
  keep_if(report.findings, report.hidden.findings,
          [&](const Finding& finding) { return finding.kernel_id && kept.contains(*finding.kernel_id); });
  std::erase_if(report.program.pointers, [&](const auto& row) { return !of_kept(row); });
  std::erase_if(report.program.async_copies, [&](const auto& row) { return !of_kept(row); });
}

void keep_rules(Report& report, const std::vector<std::string>& rules) {
  std::erase_if(report.not_judged,
                [&](const NotJudged& row) { return std::ranges::find(rules, row.rule) == rules.end(); });
  keep_if(report.findings, report.hidden.findings,
          [&](const Finding& finding) { return std::ranges::find(rules, finding.rule) != rules.end(); });
}

std::int64_t& count_of(Hidden::ByDefault& counts, Aside aside) {
  if (aside == Aside::library) return counts.library;
  return aside == Aside::tool ? counts.tool : counts.note;
}

// What costs little stays in the data, behind what is ranked.
void set_findings_aside(Report& report) {
  const auto is_hidden = [](const Finding& finding) {
    return finding.aside && finding.aside != Aside::small;
  };
  for (const Finding& finding : report.findings)
    if (is_hidden(finding)) ++count_of(report.hidden.by_default, *finding.aside);
  keep_if(report.findings, report.hidden.findings,
          [&](const Finding& finding) { return !is_hidden(finding); });
}

void put_small_ones_last(Report& report) {
  const auto small = std::stable_partition(report.findings.begin(), report.findings.end(),
                                           [](const Finding& finding) { return !finding.aside; });
  report.ranked = static_cast<std::size_t>(small - report.findings.begin());
}

// No ranking of the program's work has them.
void set_tools_aside(Report& report) {
  std::set<std::int64_t> tools;
  for (const auto& row : report.kernels)
    if (row.origin == Origin::tool) tools.insert(row.id);
  Hidden& hidden = report.hidden;
  const auto before = std::pair(hidden.kernels.size(), hidden.lines.size());
  keep_if(report.kernels, hidden.kernels, [&](const KernelRow& row) { return !tools.contains(row.id); });
  keep_if(report.kernel_families, hidden.kernel_families,
          [&](const KernelFamily& family) { return !tools.contains(family.kernel_ids.front()); });
  keep_if(report.lines, hidden.lines, [&](const LineRow& row) { return !tools.contains(row.kernel_id); });
  hidden.by_default.kernels = static_cast<std::int64_t>(hidden.kernels.size() - before.first);
  hidden.by_default.lines = static_cast<std::int64_t>(hidden.lines.size() - before.second);
}

void limit_rows(Report& report, std::size_t limit) {
  cut(report.findings, report.hidden.findings, limit);
  if (report.ranked) report.ranked = std::min(*report.ranked, limit);
  cut(report.kernels, report.hidden.kernels, limit);
  cut(report.kernel_families, report.hidden.kernel_families, limit);
  cut(report.lines, report.hidden.lines, limit);
  cut(report.transfers, report.hidden.transfers, limit);
  const auto each = [&](auto&... rows) { (cut(rows, limit), ...); };
  Program& program = report.program;
  each(report.not_judged, program.allocations, program.largest, program.pointers, program.async_copies,
       program.migrations, program.set_l2_windows, program.l2_settings, program.ranges, program.waits,
       program.timelines, program.l2_windows);
}

// Excerpts of source exist for the sake of lines.
void keep_sources(Report& report) {
  std::set<std::pair<std::string_view, std::int64_t>> places;
  for (const auto& line : report.lines)
    if (line.file && line.line) places.emplace(*line.file, *line.line);
  std::erase_if(report.sources, [&](const SourceExcerpt& excerpt) {
    return std::ranges::none_of(excerpt.lines, [&](const SourceExcerpt::Line& line) {
      return places.contains({excerpt.file, line.number});
    });
  });
}

std::string options_text(const ViewOptions& options) {
  std::string text;
  const auto add = [&](std::string_view option, std::string_view value) {
    text += fmt::format("{}--{} {}", text.empty() ? "" : " ", option, value);
  };
  if (options.kernel) add("kernel", *options.kernel);
  if (!options.rules.empty()) add("rule", fmt::format("{}", fmt::join(options.rules, ",")));
  if (options.limit) add("limit", std::to_string(*options.limit));
  return text;
}

// Whoever reads a part must not take it for the whole.
void add_notice_of_hidden_rows(Report& report, const ViewOptions& options) {
  std::string text;
  // Whatever part is asked for is without what stands aside.
  const auto count = [&](std::string_view what, std::size_t shown, std::size_t hidden, std::int64_t aside) {
    hidden -= static_cast<std::size_t>(aside);
    if (hidden > 0)
      text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", shown, shown + hidden, what);
  };
  const Hidden& hidden = report.hidden;
  const auto& aside = hidden.by_default;
  count("findings", report.findings.size(), hidden.findings.size(), aside.findings());
  count("kernels", report.kernels.size(), hidden.kernels.size(), aside.kernels);
  count("source lines", report.lines.size(), hidden.lines.size(), aside.lines);
  count("classes of transfers", report.transfers.size(), hidden.transfers.size(), 0);
  if (text.empty()) return;
  report.notices.insert(report.notices.begin(),
                        make_diagnostic(notice_kind("part_shown"), {text, options_text(options)}));
}

}  // namespace

const std::vector<std::string>& sort_key_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& row : kKeyNames) names.emplace_back(row.name);
    return names;
  }();
  return kNames;
}

std::optional<SortKey> sort_key(std::string_view name) {
  const auto found = std::ranges::find(kKeyNames, name, &KeyName::name);
  return found == kKeyNames.end() ? std::nullopt : std::optional(found->key);
}

std::string order_words(const Report& report, std::string_view usual) {
  const auto* row = std::ranges::find(kKeyNames, report.sorted_by, &KeyName::key);
  return std::string(row == kKeyNames.end() ? usual : row->words);
}

base::Result<void> apply_view(Report& report, const ViewOptions& options) {
  if (options.kernel) {
    const auto filter = base::NameFilter::compile(*options.kernel);
    if (!filter) return base::relay(filter);
    keep_kernels(report, *filter);
  }
  if (!options.rules.empty()) keep_rules(report, options.rules);
  if (!options.all) {
    set_findings_aside(report);
    set_tools_aside(report);
  }
  if (options.sort) {
    sort_rows(report, *options.sort);
    report.sorted_by = options.sort;
  }
  if (!options.all) put_small_ones_last(report);
  if (options.limit) limit_rows(report, *options.limit);
  if (!report.hidden.lines.empty()) keep_sources(report);
  add_notice_of_hidden_rows(report, options);
  return {};
}

std::unordered_map<std::int64_t, const KernelRow*> kernels_by_id(const Report& report) {
  std::unordered_map<std::int64_t, const KernelRow*> kernels;
  for (const auto* rows : {&report.kernels, &report.hidden.kernels})
    for (const auto& row : *rows) kernels.emplace(row.id, &row);
  return kernels;
}

}  // namespace coalescope::analysis
