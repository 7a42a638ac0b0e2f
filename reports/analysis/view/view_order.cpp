#include "reports/analysis/view/view_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "reports/analysis/judge/findings.h"
#include "reports/analysis/rows/kernel_families.h"
#include "reports/analysis/rows/transfer_rows.h"
#include "reports/analysis/view/view.h"

namespace coalescope::analysis {
namespace {

using Number = std::optional<double>;  // larger comes first

Number number(std::optional<std::int64_t> count) {
  return count ? Number(static_cast<double>(*count)) : std::nullopt;
}

void add_to(Number& sum, std::optional<std::int64_t> part) {
  if (part) sum = sum.value_or(0) + static_cast<double>(*part);
}

using Place = std::tuple<std::int64_t, std::optional<std::string>, std::optional<std::int64_t>>;

// What rows of one table have to know of the others.
struct Context {
  std::unordered_map<std::int64_t, const KernelRow*> kernels;
  std::unordered_map<std::int64_t, Number> lost_by_kernel;
  std::map<Place, Number> lost_by_line;
  std::unordered_map<std::int64_t, Number> lost_by_transfer;
};

Context context_of(const Report& report) {
  Context context{kernels_by_id(report), {}, {}, {}};
  for (const auto& finding : report.findings) {
    if (finding.kernel_id) {
      add_to(context.lost_by_kernel[*finding.kernel_id], finding.lost_ns);
      add_to(context.lost_by_line[{*finding.kernel_id, finding.file, finding.line}], finding.lost_ns);
    }
    for (const SubjectRef& subject : finding.subjects)
      if (subject.kind == SubjectKind::transfers)
        add_to(context.lost_by_transfer[subject.row], finding.lost_ns);
  }
  return context;
}

template <class Map, class Key>
typename Map::mapped_type found(const Map& map, const Key& key) {
  const auto entry = map.find(key);
  return entry == map.end() ? typename Map::mapped_type{} : entry->second;
}

// The lower of the two: the one that is to be looked at. Lower is worse, so its negative is sorted by.
Number worst_degree(const KernelRow& row) {
  if (!row.load.degree && !row.store.degree) return std::nullopt;
  return -std::min(row.load.degree.value_or(2), row.store.degree.value_or(2));
}

Number dram_bytes(const KernelRow& row) {
  if (!row.dram_read_bytes || !row.dram_write_bytes) return std::nullopt;
  return (static_cast<double>(*row.dram_read_bytes) + static_cast<double>(*row.dram_write_bytes)) *
         static_cast<double>(row.launches);
}

Number worst_degree(const KernelFamily& family) {
  if (!family.load_degree.least && !family.store_degree.least) return std::nullopt;
  return -std::min(family.load_degree.least.value_or(2), family.store_degree.least.value_or(2));
}

Number dram_bytes(const KernelFamily& family) {
  const FamilyTotal* total = find_total(family, "dram_bytes");
  return total ? number(total->estimated ? total->estimated : total->measured) : std::nullopt;
}

Number lost_by(const KernelRow& row, const Context& context) {
  return found(context.lost_by_kernel, row.id);
}
Number lost_by(const KernelFamily& family, const Context& context) {
  Number sum;
  for (const auto id : family.kernel_ids)
    if (const Number part = found(context.lost_by_kernel, id)) sum = sum.value_or(0) + *part;
  return sum;
}

// Of a kernel in one shape, or of a family.
template <class Kernel>
Number key_of(const Kernel& row, SortKey key, const Context& context) {
  switch (key) {
    case SortKey::lost:
      return lost_by(row, context);
    case SortKey::time:
      return number(row.gpu_ns);
    case SortKey::launches:
      return number(row.launches);
    case SortKey::degree:
      return worst_degree(row);
    case SortKey::bytes:
      return dram_bytes(row);
    case SortKey::name:
      break;
  }
  return std::nullopt;
}

Number key_of(const Finding& finding, SortKey key, const Context& context) {
  if (key == SortKey::lost) return number(finding.lost_ns);
  if (key == SortKey::time) return number(finding.subject_ns);
  const auto* kernel = finding.kernel_id ? found(context.kernels, *finding.kernel_id) : nullptr;
  return kernel ? key_of(*kernel, key, context) : std::nullopt;
}

Number key_of(const LineRow& row, SortKey key, const Context& context) {
  switch (key) {
    case SortKey::lost:
      return found(context.lost_by_line, Place{row.kernel_id, row.file, row.line});
    case SortKey::degree:
      return row.least_degree ? Number(-*row.least_degree) : std::nullopt;
    case SortKey::bytes:
      return number(row.sectors);
    default: {
      const auto* kernel = found(context.kernels, row.kernel_id);
      return kernel ? key_of(*kernel, key, context) : std::nullopt;
    }
  }
}

Number key_of(const TransferRow& row, SortKey key, const Context& context) {
  switch (key) {
    case SortKey::lost:
      return found(context.lost_by_transfer, row.id);
    case SortKey::time:
      return number(row.gpu_ns);
    case SortKey::launches:
      return number(row.transfers);
    case SortKey::bytes:
      return number(row.bytes);
    default:
      return std::nullopt;
  }
}

std::string name_key(const KernelRow& row) {
  return row.name;
}
std::string name_key(const KernelFamily& family) {
  return family.name;
}
std::string name_key(const Finding& finding) {
  return finding.subject;
}
std::string name_key(const LineRow& row) {
  return row.kernel_name;
}
std::string name_key(const TransferRow& row) {
  return transfer_class_name(row);
}

// Keys are made once a row, not once a comparison.
template <class Row, class Key, class Less>
void sort_by(std::vector<Row>& rows, Key key, Less less) {
  std::vector<decltype(key(rows.front()))> keys;
  keys.reserve(rows.size());
  for (const auto& row : rows) keys.push_back(key(row));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t left, std::size_t right) { return less(keys[left], keys[right]); });
  std::vector<Row> sorted;
  sorted.reserve(rows.size());
  for (const auto index : order) sorted.push_back(std::move(rows[index]));
  rows = std::move(sorted);
}

}  // namespace

void sort_rows(Report& report, SortKey key) {
  const Context context = context_of(report);
  // A pair of "is there" and the number: what is missing is less than all there is, and larger comes first.
  const auto sort = [&](auto& rows) {
    if (key == SortKey::name)
      sort_by(
          rows, [](const auto& row) { return name_key(row); }, std::less{});
    else
      sort_by(
          rows, [&](const auto& row) { return key_of(row, key, context); }, std::greater{});
  };
  // The context points at kernels: they are sorted last.
  sort(report.findings);
  sort(report.kernel_families);
  sort(report.lines);
  sort(report.transfers);
  sort(report.kernels);
}

}  // namespace coalescope::analysis
