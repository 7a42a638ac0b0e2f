#include "reports/comparison/tables.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/units.h"
#include "core/base/whole.h"
#include "reports/analysis/view/shown.h"
#include "reports/comparison/change.h"
#include "reports/comparison/transfers.h"
#include "reports/comparison/verdict.h"

namespace coalescope::comparison {
namespace {

using analysis::Show;
using Cells = std::vector<std::string>;

std::string time_text(std::optional<std::int64_t> ns) {
  return ns ? base::format_ns(*ns) : "not known";
}

Cells number_cells(const std::string& name, const Number& number, std::string_view judgement) {
  return {name,
          number.label,
          value_text(number, number.before),
          value_text(number, number.after),
          relative_text(number),
          std::string(judgement)};
}

std::string name_text(const KernelChange& change) {
  return change.before_name ? change.name + " (was " + *change.before_name + ")" : change.name;
}

Table counts_table() {
  return {"Counts",
          "counts that changed",
          "",
          {{"Subject", false, true},
           {"Count"},
           {"Before", true},
           {"After", true},
           {"Change", true},
           {"Judgement", false, false, false, true}},
          {}};
}

bool changed(const Number& number) {
  return !number.advice && number.judgement != Judgement::same;
}

void add_kernel_rows(Table& table, const KernelChange& change, bool all) {
  if (change.match == Match::only_before || change.match == Match::only_after) {
    const bool is_new = change.match == Match::only_after;
    table.rows.push_back({name_text(change), "share of GPU time",
                          is_new ? "no such kernel" : base::format_share(change.share.value_or(0)),
                          is_new ? base::format_share(change.share.value_or(0)) : "no such kernel", "",
                          is_new ? "new" : "gone"});
    return;
  }
  if (!all) {
    if (const Number* number = main_number(change))
      table.rows.push_back(number_cells(name_text(change), *number, name_of(change.judgement)));
    return;
  }
  for (const Number& number : change.numbers)
    if (changed(number))
      table.rows.push_back(number_cells(name_text(change), number, name_of(number.judgement)));
}

Table counts_of(const Comparison& comparison, bool all) {
  Table table = counts_table();
  table.about =
      "Sums over the shapes that both captures measured; each shape counts as often as the first capture "
      "launched it.";
  for (const auto& change : comparison.kernels)
    if (change.judgement != Judgement::same && (all || change.decides)) add_kernel_rows(table, change, all);
  for (const auto* rows : {&comparison.transfers, &comparison.memory}) {
    for (const RowChange& row : *rows)
      for (const Number& number : row.numbers)
        if (changed(number)) {
          const std::string subject =
              rows == &comparison.memory ? "memory: " + row.name : transfers_subject(row);
          table.words.insert(subject);
          table.rows.push_back(number_cells(subject, number, name_of(number.judgement)));
        }
  }
  return table;
}

Table findings_of(const Comparison& comparison, bool all) {
  Table table{"Findings",
              "findings",
              "Predicted: the time that the finding was estimated to cost. Gained: how much less GPU time "
              "its kernel or "
              "transfers take now.",
              {{"State", false, false, false, true},
               {"Rule"},
               {"Finding"},
               {"Kernel or transfers", false, true},
               {"Predicted", true},
               {"Gained", true},
               {"Why", false, false, true}},
              {}};
  for (const auto& change : comparison.findings) {
    if (!all && !change.decides) continue;
    const bool gone = change.state == FindingState::vanished || change.state == FindingState::better;
    table.rows.push_back({std::string(name_of(change.state)), change.rule, change.title, change.subject,
                          time_text(change.before ? change.before_lost_ns : change.after_lost_ns),
                          gone ? time_text(change.gained_ns) : "", change.why});
  }
  return table;
}

Table times_of(const Comparison& comparison, bool all) {
  Table table{
      "Times and L2 sectors",
      "figures",
      fmt::format(
          "They vary from one recording to the next and do not decide the verdict. Noise: times up to "
          "{:.0f} %, durations up to {:.0f} %.",
          100 * kTimeNoise, 100 * kDurationNoise),
      {{"Subject", false, true},
       {"Figure"},
       {"Before", true},
       {"After", true},
       {"Change", true},
       {"Judgement", false, false, false, true}},
      {}};
  const auto add = [&](const std::string& name, const std::vector<Number>& numbers, bool always) {
    for (const Number& number : numbers)
      if (number.advice && number.before && (always || number.judgement != Judgement::same))
        table.rows.push_back(number_cells(
            name, number, number.judgement == Judgement::same ? "within noise" : name_of(number.judgement)));
  };
  table.words.insert(comparison.run.name);
  add(comparison.run.name, comparison.run.numbers, true);
  for (const auto& change : comparison.kernels)
    if (all || change.decides) add(name_text(change), change.numbers, false);
  for (const auto& row : comparison.transfers) {
    table.words.insert(transfers_subject(row));
    add(transfers_subject(row), row.numbers, false);
  }
  return table;
}

Table not_compared(const Comparison& comparison) {
  Table table{"Not compared", "kernels", "", {{"Kernel", false, true}, {"Share", true}, {"Why"}}, {}};
  for (const auto& change : comparison.kernels)
    if (change.before_family && change.after_family && !change.not_compared.empty())
      table.rows.push_back(
          {name_text(change), change.share ? base::format_share(*change.share) : "", change.not_compared});
  return table;
}

}  // namespace

std::string value_text(const Number& number, std::optional<double> value) {
  if (!value) return std::string(analysis::kNotMeasured);
  const bool whole = number.show == Show::count || number.show == Show::bytes || number.show == Show::ns;
  return whole ? analysis::shown(number.show, "", base::whole(*value)).text
               : analysis::shown(number.show, "", *value).text;
}

bool is_code(const Table& table, const Column& column, const std::string& cell) {
  return column.code && !cell.empty() && !table.words.contains(cell);
}

std::vector<Table> tables_of(const Comparison& comparison, std::size_t most, bool all) {
  if (!comparison.not_comparable.empty()) return {};
  std::vector<Table> tables{counts_of(comparison, all), findings_of(comparison, all),
                            times_of(comparison, all)};
  if (all) tables.push_back(not_compared(comparison));
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  for (Table& table : tables)
    if (table.rows.size() > most) {
      table.more = table.rows.size() - most;
      table.rows.resize(most);
    }
  return tables;
}

}  // namespace coalescope::comparison
