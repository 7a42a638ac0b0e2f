#include "reports/analysis/line_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "reports/analysis/ratios.h"

namespace coalescope::analysis {
namespace {

struct Sums {
  const capture::InstructionView* first = nullptr;
  std::int64_t instructions = 0;
  std::int64_t sectors = 0, ideal = 0, surplus = 0, loads = 0, stores = 0;
  bool counted = false;   // sectors and ideal sectors are known
  bool executed = false;  // loads and stores are known
};

// group, file, line, pc: the last is 0 where a line is known.
using Key = std::tuple<std::int64_t, std::string_view, std::int64_t, std::int64_t>;

bool has_line(const capture::InstructionView& instruction) {
  return instruction.file.has_value() && instruction.line.has_value();
}

Key key_of(const capture::InstructionView& instruction) {
  if (has_line(instruction)) return {instruction.group_id.value, *instruction.file, *instruction.line, 0};
  return {instruction.group_id.value, "", -1, instruction.pc_offset};
}

void add(Sums& sums, const capture::InstructionView& instruction) {
  if (!sums.first) sums.first = &instruction;
  ++sums.instructions;
  if (plausible_count(instruction.sectors) && plausible_count(instruction.ideal_sectors)) {
    sums.counted = true;
    sums.sectors += *instruction.sectors;
    sums.ideal += *instruction.ideal_sectors;
    // Instruction by instruction, so that one's surplus cannot hide behind another's savings.
    sums.surplus += std::max<std::int64_t>(0, *instruction.sectors - *instruction.ideal_sectors);
  }
  if (plausible_count(instruction.loads) && plausible_count(instruction.stores)) {
    sums.executed = true;
    sums.loads += *instruction.loads;
    sums.stores += *instruction.stores;
  }
}

LineRow row_of(const Sums& sums) {
  LineRow row;
  const auto& first = *sums.first;
  row.kernel_id = first.group_id.value;
  if (has_line(first)) {
    row.file = first.file;
    row.line = first.line;
  } else {
    row.pc_offset = first.pc_offset;
  }
  row.instructions = sums.instructions;
  const auto a_launch = [&](std::int64_t sum) {
    const auto launches = std::max<std::int64_t>(1, first.launches);
    return std::llround(static_cast<double>(sum) / static_cast<double>(launches));
  };
  if (sums.executed) {
    row.loads = a_launch(sums.loads);
    row.stores = a_launch(sums.stores);
  }
  if (sums.counted) {
    row.sectors = a_launch(sums.sectors);
    row.ideal_sectors = a_launch(sums.ideal);
    row.surplus_sectors = a_launch(sums.surplus);
    row.sector_efficiency = sector_efficiency(sums.ideal, sums.sectors);
    if (sums.executed) row.sectors_per_request = sectors_per_request(sums.sectors, sums.loads + sums.stores);
  }
  return row;
}

}  // namespace

std::vector<LineRow> line_rows(std::span<const capture::InstructionView> instructions,
                               std::span<const KernelRow> kernels) {
  std::map<Key, Sums> by_line;
  for (const auto& instruction : instructions) add(by_line[key_of(instruction)], instruction);

  std::unordered_map<std::int64_t, std::string_view> names;
  for (const auto& kernel : kernels) names[kernel.id] = kernel.name;
  std::vector<LineRow> rows;
  rows.reserve(by_line.size());
  for (const auto& [key, sums] : by_line) {
    rows.push_back(row_of(sums));
    rows.back().kernel_name = names[rows.back().kernel_id];
  }
  std::ranges::stable_sort(rows, std::greater{}, [](const LineRow& row) {
    return std::pair(row.surplus_sectors.value_or(-1), row.sectors.value_or(-1));
  });
  return rows;
}

void name_worst_lines(std::vector<KernelRow>& kernels, std::span<const LineRow> lines) {
  std::unordered_map<std::int64_t, const LineRow*> worst;
  for (const auto& line : lines)
    if (line.file && line.surplus_sectors.value_or(0) > 0) worst.emplace(line.kernel_id, &line);
  for (auto& kernel : kernels)
    if (const auto line = worst.find(kernel.id); line != worst.end()) {
      kernel.worst_file = line->second->file;
      kernel.worst_line = line->second->line;
    }
}

}  // namespace coalescope::analysis
