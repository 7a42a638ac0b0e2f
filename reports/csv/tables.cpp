#include "reports/csv/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <type_traits>

#include "core/model/enums.h"
#include "reports/analysis/row_fields.h"

namespace coalescope::csv {
namespace {

std::string_view full_name(const Kernels& kernels, std::optional<std::int64_t> kernel_id) {
  const auto kernel = kernel_id ? kernels.find(*kernel_id) : kernels.end();
  return kernel == kernels.end() ? std::string_view() : kernel->second->full_name;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, "; "));
}

std::string joined(const std::vector<analysis::Unmeasured>& gaps) {
  std::string text;
  for (const auto& gap : gaps)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name_of(gap.phase), gap.text);
  return text;
}

// What has parts of its own has no place in a table.
template <class Value>
constexpr bool kHasParts = false;
template <>
constexpr bool kHasParts<std::optional<analysis::Mixed>> = true;
template <>
constexpr bool kHasParts<std::vector<analysis::Fact>> = true;
template <>
constexpr bool kHasParts<std::vector<std::int64_t>> = true;
template <>
constexpr bool kHasParts<std::vector<analysis::SiteUse>> = true;

// `after(key)` may add columns behind a field.
template <class Row, class After>
void put_fields(Record& record, const std::string& prefix, const Row& row, After after);
template <class Row>
void put_fields(Record& record, const std::string& prefix, const Row& row) {
  put_fields(record, prefix, row, [](std::string_view) {});
}

// A field as one column; a struct and a size as one for each of their members.
template <class Value>
void put(Record& record, const std::string& column, const Value& value) {
  if constexpr (std::is_same_v<Value, analysis::Samples>)
    record.number("launches_measured_" + column, std::optional(value.measured));
  else if constexpr (analysis::HasFields<Value>)
    put_fields(record, column + "_", value);
  else if constexpr (std::is_same_v<Value, std::array<std::int64_t, 3>>)
    for (std::size_t i = 0; i < value.size(); ++i)
      record.number(column + "_" + "xyz"[i], std::optional(value[i]));
  else if constexpr (std::is_same_v<Value, bool>)
    record.yes_or_no(column, value);
  else if constexpr (std::is_enum_v<Value>)
    record.text(column, name_of(value));
  else if constexpr (requires { name_of(*value); })
    record.text(column, value ? std::optional<std::string_view>(name_of(*value)) : std::nullopt);
  else if constexpr (std::is_integral_v<Value>)
    record.number(column, std::optional<std::int64_t>(value));
  else if constexpr (requires { record.number(column, value); })
    record.number(column, value);
  else if constexpr (requires { joined(value); })
    record.text(column, joined(value));
  else
    record.text(column, value);
}

template <class Row, class After>
void put_fields(Record& record, const std::string& prefix, const Row& row, After after) {
  analysis::for_each_field<Row>([&]<class Field>(const Field& field) {
    if constexpr (!kHasParts<typename Field::Value>)
      if (!field.column.empty()) put(record, prefix + std::string(field.column), row.*field.member);
    after(field.key);
  });
}

}  // namespace

void describe(Record& record, const analysis::Finding& row, const Kernels& kernels) {
  put_fields(record, "", row, [&](std::string_view key) {
    if (key == "subject") record.text("full_kernel_name", full_name(kernels, row.kernel_id));
  });
  record.end();
}

void describe(Record& record, const analysis::KernelRow& row, const Kernels&) {
  put_fields(record, "", row);
  record.end();
}

void describe(Record& record, const analysis::LineRow& row, const Kernels& kernels) {
  put_fields(record, "", row, [&](std::string_view key) {
    if (key == "kernel_name") record.text("full_kernel_name", full_name(kernels, row.kernel_id));
  });
  record.end();
}

void describe(Record& record, const analysis::TransferRow& row, const Kernels&) {
  put_fields(record, "", row);
  record.end();
}

void describe(Record& record, const analysis::CallSiteRow& row, const Kernels&) {
  put_fields(record, "", row);
  record.end();
}

}  // namespace coalescope::csv
